/* timeline_strips.c - a window of a run's timeline at a level of detail. */
#include "concurrency_limit.h"
#include "listing.h"
#include "query_breakdown.h"
#include "strips_cache.h"
#include "utf8.h"
#include "view.h"
#include <string.h>

/* Names of ranges and copies are cut to this many bytes, because an answer has
 * thousands of them and a trace may have names of 64 KiB. */
enum { TIMELINE_STRIPS_NAME_MAX = 400 };

static const char *timeline_strips_text(struct arena *a, const char *text)
{
	size_t len = strlen(text);

	return len <= TIMELINE_STRIPS_NAME_MAX
		       ? text
		       : arena_printf(a, "%.*s…",
				 (int)utf8_clip(text, len,
					 TIMELINE_STRIPS_NAME_MAX),
				 text);
}

/* The ids of kernels, and the names to show; by total. */
static bool timeline_strips_names(struct call *c, const struct strips *s,
	struct strips_window *w, struct view_strips *v, struct err *e)
{
	struct arena *a = &c->s.arena;
	struct breakdown_kernel *kernels =
		arena_array(a, struct breakdown_kernel, w->totals_n + 1);
	const char **names = arena_array(a, const char *, w->totals_n + 1);
	int64_t *ids = arena_array(a, int64_t, w->totals_n + 1);
	const char **distinct;
	uint32_t n = 0;

	/* Kernels are the first kind. */
	for (; n < w->totals_n; n++) {
		const struct strip_total *t = &w->totals[n];
		if (t->kind != STRIP_NAME_KERNEL || t->name == STRIPS_OTHERS)
			break;
		kernels[n].name = names[n] = s->names[t->name].text;
	}
	if (!query_kernel_ids(c->s.db, kernels, n, e) ||
		!(distinct = listing_distinct_names(c, c->id, names, n, e)))
		return false;
	for (uint32_t i = 0; i < w->totals_n; i++) {
		uint32_t name = w->totals[i].name;
		ids[i] = i < n ? kernels[i].id : -1;
		names[i] =
			i < n ? distinct[i]
			: name == STRIPS_OTHERS
				? NULL
				: timeline_strips_text(a, s->names[name].text);
	}
	v->ids = ids;
	v->texts = names;
	return true;
}

static bool timeline_strips_window(struct call *c, const struct strips *s,
	struct strips_window *w, struct err *e)
{
	const struct param *to = param(&c->params, "to_ns");
	int64_t from_ns = param(&c->params, "from_ns")->whole;
	int64_t to_ns = to->given ? to->whole : s->end_ns;

	if (from_ns >= to_ns)
		return err_set(e, ERR_INPUT,
			"from_ns: %lld is not before the end of the window, "
			"%lld",
			(long long)from_ns, (long long)to_ns);
	strips_window(s, from_ns, to_ns,
		(uint32_t)param(&c->params, "pixels")->whole, &c->s.arena, w);
	return true;
}

json_t *timeline_strips_get(struct call *c, struct err *e)
{
	struct strips_cache_entry *entry;
	struct strips_window window = { 0 };
	struct view_strips v = { .run = c->id, .window = &window };
	struct run_row run;
	json_t *answer = NULL;

	if (!listing_run(c, &run, e))
		return NULL;
	if (strcmp(run.content, "launches") != 0) {
		err_set(e, ERR_NOT_FOUND,
			"run %lld has no timeline: only its %s were uploaded",
			(long long)c->id, run.content);
		return NULL;
	}
	if (!concurrency_limit_enter(c, e) ||
		!(entry = strips_cache_take(&c->s, c->id, e)))
		return NULL;
	v.strips = strips_cache_strips(entry);
	if (timeline_strips_window(c, v.strips, &window, e) &&
		timeline_strips_names(c, v.strips, &window, &v, e))
		answer = view_strips(&v);
	strips_cache_return(&c->s, entry);
	return answer;
}
