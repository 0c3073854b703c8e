/* cmd_diagnose.c - `kernsift diagnose`: sends one request and prints why a run is
 * slow, as text or unchanged. */
#include "address.h"
#include "commands.h"
#include "duration_text.h"
#include "json_get.h"
#include "retry.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { DIAGNOSIS_MAX = 16 << 20 };

/* "31.7 %", or "-" if it is unknown. */
static const char *diagnose_share(struct arena *a, double pct)
{
	return isfinite(pct) ? arena_printf(a, "%.1f %%", pct) : "-";
}

static void diagnose_print_head(struct arena *a, const json_t *v)
{
	double busy = json_get_real(v, "busy_ns");
	double idle = json_get_real(v, "idle_ns"), wall = busy + idle;
	int64_t n = json_get_whole(v, "iterations");
	const char *reason = json_get_text(a, v, "reason");

	printf("run %" PRId64 ":", json_get_whole(v, "run"));
	if (isfinite(wall))
		printf(" %" PRId64 " iteration%s, GPU busy %s, idle %s", n,
			n == 1 ? "" : "s",
			diagnose_share(a, wall > 0 ? 100 * busy / wall : NAN),
			diagnose_share(a, wall > 0 ? 100 * idle / wall : NAN));
	printf("%s%s%s\n", isfinite(wall) && *reason ? ";" : "",
		*reason ? " " : "", reason);
}

static void diagnose_print_sentences(const struct options *o, struct arena *a,
	const json_t *list)
{
	struct buf url;

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *s = json_array_get(list, i);
		buf_init(&url, ADDRESS_MAX);
		address_path(&url, o->server, json_get_text(a, s, "link"));
		printf("\n%zu. %s\n   %s\n   %s\n", i + 1,
			json_get_text(a, s, "text"),
			json_get_text(a, s, "evidence"), url.at);
		buf_release(&url);
	}
}

/* "346 µs", as in the sentences, or "-" if it is unknown. */
static const char *diagnose_time(struct arena *a, double ns)
{
	return isfinite(ns) ? duration_text(a, ns) : "-";
}

/* "low to high" of the 95 % interval; "" if there is none. */
static const char *diagnose_interval(struct arena *a, const json_t *v)
{
	double low = json_get_real(v, "low_ns");
	double high = json_get_real(v, "high_ns");

	if (!isfinite(low) || !isfinite(high))
		return "";
	return arena_printf(a, "95 %% interval: %s%s to %s; ",
		low < 0 ? "-" : "", duration_text(a, fabs(low)),
		duration_text(a, high));
}

/* What single changes would save, each with its assumptions. */
static void diagnose_print_changes(struct arena *a, const json_t *list)
{
	bool unknown = false;

	if (json_array_size(list))
		printf("\nwhat a single change would save (two changes can save "
		       "the same time):\n");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *v = json_array_get(list, i);
		const json_t *assumptions = json_object_get(v, "assumptions");
		const char *change = json_get_text(a, v, "change");
		if (!unknown && !strcmp(change, "fusion_consumers_unknown")) {
			unknown = true;
			printf("\nonly if a tensor has no other reader, which "
			       "the trace does not show:\n");
		}
		printf("\n- %s\n  %sassumed:\n", json_get_text(a, v, "text"),
			diagnose_interval(a, v));
		for (size_t k = 0; k < json_array_size(assumptions); k++)
			printf("  * %s\n", json_get_item(a, assumptions, k));
	}
}

/* The width for printf(), which counts bytes, so that `s` fills `columns`. */
static int diagnose_width(const char *s, int columns)
{
	for (; *s; s++)
		columns += (*s & 0xC0) == 0x80; /* inside a character */
	return columns;
}

/* With times per iteration, as in the sentences. */
static void diagnose_print_causes(struct arena *a, const json_t *v)
{
	const json_t *list = json_object_get(v, "causes");
	double n = (double)json_get_whole(v, "iterations");

	if (json_array_size(list))
		printf("\n%-5s %-22s %13s %8s\n", "kind", "cause",
			"per iteration", "share");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *c = json_array_get(list, i);
		const char *time =
			diagnose_time(a, json_get_real(c, "time_ns") / n);
		printf("%-5s %-22s %*s %8s\n", json_get_text(a, c, "kind"),
			json_get_text(a, c, "cause"), diagnose_width(time, 13),
			time, diagnose_share(a, json_get_real(c, "share_pct")));
	}
}

static bool diagnose_print_text(const struct options *o, const struct buf *body,
	struct err *e)
{
	struct arena a = { 0 };
	json_t *v = json_loadb(body->at ? body->at : "", body->len, 0, NULL);
	bool ok = json_is_array(json_object_get(v, "causes"));

	if (ok) {
		diagnose_print_head(&a, v);
		diagnose_print_sentences(o, &a,
			json_object_get(v, "sentences"));
		diagnose_print_changes(&a, json_object_get(v, "what_if"));
		diagnose_print_causes(&a, v);
	} else {
		err_set(e, ERR_UNREACHABLE,
			"the server's answer is not a diagnosis");
	}
	json_decref(v);
	arena_release(&a);
	return ok;
}

static bool diagnose_print(const struct options *o, const struct buf *body,
	struct err *e)
{
	if (strcmp(o->format, "text") != 0)
		fwrite(body->at, 1, body->len, stdout);
	else if (!diagnose_print_text(o, body, e))
		return false;
	return commands_flush(e);
}

static bool diagnose_run(struct wire *w, const struct options *o,
	struct meter *m, int64_t run, struct err *e)
{
	struct attempt a = { 0 };
	struct buf url, body;

	buf_init(&url, ADDRESS_MAX);
	address_diagnosis(&url, o, run);
	struct retry_request q = { .url = url.at,
		.label = "diagnose",
		.most = DIAGNOSIS_MAX };
	bool ok = retry_send(w, o, &q, m, &a, &body, e);
	meter_clear(m);
	if (ok) {
		ok = diagnose_print(o, &body, e);
		buf_release(&body);
	}
	buf_release(&url);
	return ok;
}

int cmd_diagnose(const struct options *o)
{
	struct err e = { 0 };
	struct meter m;
	int64_t run = options_run_id(o->files.at[0]);

	meter_init(&m);
	if (!run) {
		meter_say(&m, "kernsift: diagnose: '%s' is not the id of a run",
			o->files.at[0]);
		return EXIT_USAGE;
	}
	struct wire *w = wire_new(o, &e);
	if (!w) {
		meter_say(&m, "kernsift: %s", e.text);
		return commands_usage_status(&e);
	}
	bool ok = diagnose_run(w, o, &m, run, &e);
	if (!ok)
		meter_say(&m, "kernsift: %s", e.text);
	wire_free(w);
	return commands_usage_status(&e);
}
