/* cmd_fusions.c - `kernsift fusions`: prints operators in sequence that one kernel
 * could execute. */
#include "address.h"
#include "commands.h"
#include "fleet_request.h"
#include "json_get.h"
#include <inttypes.h>
#include <math.h>

/* Four digits, or "-" if it is unknown. */
static const char *fusions_figure(struct arena *a, double x)
{
	return isfinite(x) ? arena_printf(a, "%.4g", x) : "-";
}

/* "gemm m=1 n=2", or "gemm" if the sizes are unknown. */
static const char *fusions_side(struct arena *a, const json_t *v,
	const char *op, const char *shape)
{
	const char *sizes = json_get_text(a, v, shape);
	return arena_printf(a, "%s%s%s", json_get_text(a, v, op),
		*sizes ? " " : "", sizes);
}

static void fusions_print_pair(struct arena *a, const json_t *v)
{
	const json_t *overlaps = json_object_get(v, "overlaps");

	printf("%10s %10s %10s %8" PRId64 " %6" PRId64 "  %-12s %s, then %s\n",
		fusions_figure(a, json_get_real(v, "saved_hours")),
		fusions_figure(a, json_get_real(v, "traffic_at_peak_hours")),
		fusions_figure(a, json_get_real(v, "gap_hours")),
		json_get_whole(v, "pairs"), json_get_whole(v, "runs"),
		json_get_text(a, v, "kind"),
		fusions_side(a, v, "first_operator", "first_shape"),
		fusions_side(a, v, "second_operator", "second_shape"));
	for (size_t i = 0; i < json_array_size(overlaps); i++)
		printf("%66s%s\n", i ? "" : "overlaps ",
			json_get_item(a, overlaps, i));
}

static void fusions_print_list(struct arena *a, const json_t *v,
	const char *key, const char *count, const char *title)
{
	const json_t *list = json_object_get(v, key);
	size_t n = json_array_size(list);

	printf("\n%s: %" PRId64 "\n", title, json_get_whole(v, count));
	if (n)
		printf("%10s %10s %10s %8s %6s  %-12s %s\n", "GPU-hours",
			"at peak", "gaps", "pairs", "runs", "kind",
			"operators");
	for (size_t i = 0; i < n; i++)
		fusions_print_pair(a, json_array_get(list, i));
}

static void fusions_print_head(struct arena *a, const json_t *v)
{
	int64_t runs = json_get_whole(v, "runs"),
		unknown = json_get_whole(v, "unknown_runs");

	printf("%" PRId64 " run%s, %s GPU-hours", runs, runs == 1 ? "" : "s",
		fusions_figure(a, json_get_real(v, "hours")));
	if (unknown)
		printf("; the pairs of %" PRId64
		       " run%s are unknown (`kernsiftd rebuild` finds "
		       "them)",
			unknown, unknown == 1 ? "" : "s");
	printf("\n");
}

static bool fusions_print(struct arena *a, const json_t *v, struct err *e)
{
	if (!json_is_array(json_object_get(v, "items")))
		return err_set(e, ERR_UNREACHABLE,
			"the server\'s answer is no list of fusions");
	fusions_print_head(a, v);
	fusions_print_list(a, v, "items", "items_count",
		"Only the second operator reads the tensor");
	fusions_print_list(a, v, "consumers_unknown", "consumers_unknown_count",
		"Unknown whether the second operator reads the tensor, and who "
		"else does");
	fusions_print_list(a, v, "read_by_others", "read_by_others_count",
		"Other operators read the tensor, too");
	return true;
}

int cmd_fusions(const struct options *o)
{
	static const struct fleet_request q = { "fusions", address_fusions,
		fusions_print };
	return fleet_request(o, &q);
}
