/* api_cycles.c - a run's cycles, and what functions took in them. */
#include "heavy.h"
#include "listing.h"
#include "pattern_csv.h"
#include "profile_word.h"
#include "ranged.h"
#include "view_compare.h"
#include <math.h>

/* A page of the cycles that are there already. */
static bool cut(struct cycles *c, int64_t offset, int limit)
{
	int64_t from = offset < c->n ? offset : c->n;
	int64_t left = c->n - from;
	bool more = limit && left > limit;
	c->cycles += from;
	c->n = (uint32_t)(more ? limit : left);
	return more;
}

/* Those of ranges that the request names, all of them. */
static bool by_range(struct call *c, const char *range, struct cycles *out,
	struct cycles_short *s, struct err *e)
{
	struct compared_run run = { .id = c->id };
	if (!heavy_take(c, e) || !ranged_read(c, range, &run, e))
		return false;
	*out = run.cycles;
	*s = (struct cycles_short){ profile_word_detector[out->detector],
		out->range, out->confidence, (double)NAN, out->n, out->kept_n };
	cycles_median(out, &c->arena, &s->median_ns);
	return true;
}

static json_t *document(const struct call *c, const struct cycles *cycles,
	const struct cycles_short *s, int64_t offset, bool more)
{
	json_t *items = json_array(), *v = view_cycles_short(s);
	for (uint32_t i = 0; i < cycles->n; i++)
		view_append(items, view_cycle(&cycles->cycles[i]));
	json_object_set_new(v, "strata", view_strata(cycles));
	json_object_update_new(v,
		listing_list(c, items, offset, cycles->n, more));
	return v;
}

json_t *cycles_get(struct call *c, struct err *e)
{
	const char *range = param_text(&c->params, "range", NULL);
	struct cycles_short s;
	struct cycles cycles;
	struct run_row run;
	int64_t offset;
	bool more = false;
	int limit;
	if (!listing_read(c, &offset, &limit, e) || !listing_run(c, &run, e))
		return NULL;
	s = view_run_cycles(&run);
	if (!(range ? by_range(c, range, &cycles, &s, e)
		    : query_cycles(c->db, &c->arena, c->id, offset, limit,
			      &cycles, &more, e)))
		return NULL;
	if (range)
		more = cut(&cycles, offset, limit);
	if (!listing_is_json(c))
		return listing_table(c, view_cycle_table(&c->arena, &cycles),
			"cycles");
	return document(c, &cycles, &s, offset, more);
}

/* A page of functions, most time first. */
json_t *patterns_get(struct call *c, struct err *e)
{
	struct pattern_means means;
	struct compared_run run;
	struct run_row row;
	int64_t offset;
	int limit;
	if (!listing_read(c, &offset, &limit, e) || !listing_run(c, &row, e))
		return NULL;
	if (!listing_is_json(c))
		return pattern_csv(c, &row, e);
	if (!heavy_take(c, e) ||
		!query_compared(c->db, &c->arena, &c->id, 1, true, &run, e))
		return NULL;
	pattern_mean_from(&run.cycles, &run.patterns, &c->arena, &means);
	json_t *items = json_array();
	uint32_t n = 0;
	for (int64_t i = offset; i < means.n && n < (uint32_t)limit; i++, n++)
		view_append(items, view_pattern(&c->arena, &means.rows[i]));
	bool more = offset + n < means.n;
	json_t *v = listing_list(c, items, offset, n, more);
	view_set_whole(v, "cycles", means.cycles);
	return v;
}
