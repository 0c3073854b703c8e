/* cmd_devices.c - `kernsift devices`: prints GPUs that execute the same work slower
 * than others, and why GPUs are not judged. */
#include "address.h"
#include "commands.h"
#include "fleet_request.h"
#include "json_get.h"
#include <inttypes.h>
#include <math.h>

/* "+6.08 %", or "-" if it is unknown. */
static const char *devices_pct(struct arena *a, double pct)
{
	return isfinite(pct) ? arena_printf(a, "%+.2f %%", pct) : "-";
}

static const char *devices_interval(struct arena *a, const json_t *v)
{
	double low = json_get_real(v, "low_pct"),
	       high = json_get_real(v, "high_pct");
	return isfinite(low) ? arena_printf(a, "%+.2f to %+.2f %%", low, high)
			     : "-";
}

static const char *devices_p(struct arena *a, double p)
{
	return isfinite(p) ? arena_printf(a, "%.2g", p) : "-";
}

static const char *devices_runs(struct arena *a, int64_t n)
{
	return arena_printf(a, "%" PRId64 " run%s", n, n == 1 ? "" : "s");
}

/* The operators that a GPU is slowest in. */
static void devices_print_operators(struct arena *a, const json_t *v)
{
	const json_t *list = json_object_get(v, "operators");
	const char *text = "";
	size_t n = json_array_size(list);

	for (size_t i = 0; i < n; i++) {
		const json_t *o = json_array_get(list, i);
		text = arena_printf(a, "%s%s%s %s", text, *text ? ", " : "",
			json_get_text(a, o, "operator"),
			devices_pct(a, json_get_real(o, "slowdown_pct")));
	}
	if (n)
		printf("             slowest in %s\n", text);
}

/* The parts of the slowdown, if the clocks are known. */
static void devices_print_causes(struct arena *a, const json_t *v)
{
	double clock = json_get_real(v, "by_clock_pct"),
	       power = json_get_real(v, "by_power_pct");

	if (!isfinite(clock))
		return;
	printf("             by %s %s",
		isfinite(power) ? "clock" : "clock or power",
		devices_pct(a, clock));
	if (isfinite(power))
		printf(", by power or heat %s", devices_pct(a, power));
	printf(", by neither %s\n",
		devices_pct(a, json_get_real(v, "by_neither_pct")));
}

static void devices_print_gpu(struct arena *a, const json_t *v)
{
	const char *reason = json_get_text(a, v, "reason");

	printf("%-11s %10s %20s %8s %6s %6" PRId64 "  %s (%s)\n",
		json_get_text(a, v, "verdict"),
		devices_pct(a, json_get_real(v, "slowdown_pct")),
		devices_interval(a, v),
		devices_p(a, json_get_real(v, "p_adjusted")),
		arena_printf(a, "%" PRId64 "/%" PRId64,
			json_get_whole(v, "comparable_runs"),
			json_get_whole(v, "runs")),
		json_get_whole(v, "comparable_shapes"),
		json_get_text(a, v, "gpu"), json_get_text(a, v, "name"));
	if (*reason)
		printf("             not judged: %s\n", reason);
	devices_print_causes(a, v);
	devices_print_operators(a, v);
}

/* Runs that say nothing about a GPU. */
static void devices_print_excluded(struct arena *a, const json_t *v)
{
	static const struct {
		const char *key, *text;
	} kinds[] = {
		{ "unidentified_runs", "without the identity of the GPU" },
		{ "several_gpus_runs",
			"on several GPUs, whose times per GPU are unknown" },
		{ "table_runs",
			"that are imported tables without times per GPU" },
		{ "idle_runs", "without a launch" },
	};
	const char *reason = json_get_text(a, v, "reason");

	if (*reason)
		printf("no GPU is judged: %s\n", reason);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		int64_t n = json_get_whole(v, kinds[i].key);
		if (n)
			printf("%s %s\n", devices_runs(a, n), kinds[i].text);
	}
	if (json_is_true(json_object_get(v, "more")))
		printf("older runs were not read\n");
}

static bool devices_print(struct arena *a, const json_t *v, struct err *e)
{
	const json_t *list = json_object_get(v, "items");
	size_t n = json_array_size(list);
	int64_t all = json_get_whole(v, "devices"),
		slow = json_get_whole(v, "slow_devices"),
		undecided = json_get_whole(v, "undecided_devices"),
		unknown = json_get_whole(v, "not_judged_devices");

	if (!json_is_array(list))
		return err_set(e, ERR_UNREACHABLE,
			"the server\'s answer is no list of GPUs");
	printf("%" PRId64 " GPU%s in %s: %" PRId64 " slow, %" PRId64
	       " undecided, %" PRId64 " not slow, %" PRId64 " not judged\n",
		all, all == 1 ? "" : "s",
		devices_runs(a, json_get_whole(v, "runs")), slow, undecided,
		all - slow - undecided - unknown, unknown);
	devices_print_excluded(a, v);
	if (n)
		printf("\n%-11s %10s %20s %8s %6s %6s  %s\n", "verdict",
			"slowdown", "95 % interval", "p", "runs", "shapes",
			"GPU");
	for (size_t i = 0; i < n; i++)
		devices_print_gpu(a, json_array_get(list, i));
	return true;
}

int cmd_devices(const struct options *o)
{
	static const struct fleet_request q = { "devices", address_devices,
		devices_print };
	return fleet_request(o, &q);
}
