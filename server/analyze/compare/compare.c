/* compare.c - runs the steps of a comparison, and returns the iterations of one function. */
#include "compare_state.h"
#include "noise_floor.h"
#include "sort.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The steps, in order; each is a module of its own. */

static double compare_median(const double *x, uint32_t n, struct arena *a)
{
	double *s = arena_array(a, double, n + 1);
	if (!n)
		return NAN;
	memcpy(s, x, n * sizeof *s);
	sort_double(s, n);
	return (s[(n - 1) / 2] + s[n / 2]) / 2;
}

static void compare_side_result(struct compare *c, int which,
	struct comparison_side *out)
{
	const struct compare_side *s = &c->side[which];
	int64_t *runs = arena_array(c->a, int64_t, s->iterations_n + 1);
	double sum = 0;

	*out = (struct comparison_side){ .runs = s->runs_n,
		.units = s->units_n,
		.iterations_used = s->iterations_n,
		.detector = s->runs[0].iterations.detector,
		.iteration_durs_ns = s->iteration_ns,
		.iteration_runs = runs };
	for (uint32_t i = 0; i < s->runs_n; i++)
		out->iterations += s->runs[i].iterations.kept_n;
	for (uint32_t i = 0; i < s->units_n; i++)
		for (uint32_t k = 0; k < s->units[i].iterations_n; k++)
			runs[s->units[i].first + k] = s->units[i].runs[0]->id;
	for (uint32_t i = 0; i < s->iterations_n; i++)
		sum += s->iteration_ns[i];
	out->iteration_ns = s->iterations_n ? sum / s->iterations_n : NAN;
	out->iteration_median_ns =
		compare_median(s->iteration_ns, s->iterations_n, c->a);
}

static bool compare_prepare(struct compare *c, const struct compared_run *base,
	uint32_t base_n, const struct compared_run *head, uint32_t head_n,
	struct err *e)
{
	uint32_t **wanted[2];

	assert(c->a->ceiling == 0);
	if (!base_n || !head_n)
		return err_set(e, ERR_INPUT, "a side without a run");
	compare_match_units(base, base_n, c->a, &c->side[BASE]);
	compare_match_units(head, head_n, c->a, &c->side[HEAD]);
	compare_conditions_runs(c);
	compare_conditions_sides(c);
	if (c->statistics) {
		compare_rows_statistics(c);
		return true;
	}
	compare_conditions_iterations(c);
	compare_work_from(c, wanted);
	for (int s = 0; s < 2; s++)
		compare_match_iterations(&c->side[s], wanted[s], c->a);
	compare_conditions_iterations_used(c);
	compare_match_places(c);
	compare_rows_from(c);
	compare_conditions_rows(c);
	compare_rows_join_collectives(c);
	compare_result_counters(c);
	return compare_rows_split(c, e);
}

bool compare_findings(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n, struct arena *a,
	struct comparison *out, struct err *e)
{
	const struct compare_options o = COMPARE_OPTIONS;
	struct compare c = { .o = &o, .a = a, .out = out };

	*out = (struct comparison){ .comparable = true };
	if (!compare_prepare(&c, base, base_n, head, head_n, e))
		return false;
	compare_findings_sort(&c);
	return true;
}

bool compare_run(struct compare *c, const struct compared_run *base,
	uint32_t base_n, const struct compared_run *head, uint32_t head_n,
	struct err *e)
{
	const struct compare_options *o = c->o;
	struct comparison *out = c->out;
	struct change *changes = NULL;

	*out = (struct comparison){ .comparable = true,
		.seed = o->seed,
		.permutations = o->permutations,
		.alpha = o->alpha,
		.margin = o->margin,
		.floor = o->floor < 0 ? NOISE_FLOOR_DEFAULT_SD : o->floor,
		.repeats = c->repeats ? c->repeats->n : 0 };
	if (!compare_prepare(c, base, base_n, head, head_n, e))
		return false;
	compare_rows_window_scale(c);
	if (out->comparable) {
		changes = arena_array(c->a, struct change,
			c->rows_n + c->split_n + 1);
		if (!compare_verdict(c, changes, e))
			return false;
	}
	compare_result_from(c, changes);
	compare_side_result(c, BASE, &out->base);
	compare_side_result(c, HEAD, &out->head);
	compare_findings_sort(c);
	compare_result_headline(c);
	return true;
}

bool compare_from(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n,
	const struct repeats *repeats, const struct compare_options *o,
	struct arena *a, struct comparison *out, struct err *e)
{
	struct compare c = { .o = o, .repeats = repeats, .a = a, .out = out };
	return compare_run(&c, base, base_n, head, head_n, e);
}

/* One function's iterations, for a chart. */

struct filled {
	double *ns, *launches, *beta_pct;
	int64_t *runs, *numbers;
};

/* Whether a row is of the requested function. */
static bool compare_series_wanted(const struct compare_row *r, const char *name,
	const char *device)
{
	const char *shown = r->device[BASE] ? r->device[BASE] : r->device[HEAD];
	return !strcmp(r->name, name) && (!device || !strcmp(shown, device));
}

static void compare_series_row_add(const struct compare *c,
	const struct compare_row *row, int s, struct filled *f)
{
	const struct compare_side *side = &c->side[s];
	for (uint32_t i = 0; i < side->iterations_n; i++)
		f->ns[i] += row->ns[s][i];
	for (uint32_t i = 0; i < row->sources_n; i++) {
		const struct compare_source *x = &row->sources[i];
		if (x->side != s)
			continue;
		const struct compare_unit *u = &side->units[x->unit];
		const struct compared_run *run = u->runs[x->run];
		const struct pattern *p = &run->patterns.rows[x->pattern];
		for (uint32_t k = 0; k < u->iterations_n; k++) {
			uint32_t at = u->at[x->run][k];
			f->launches[u->first + k] += (double)p->launches[at];
			f->beta_pct[u->first + k] +=
				compare_rows_beta(run, p, at);
		}
	}
}

static void compare_series_side_fill(const struct compare *c, int s,
	struct filled *f)
{
	const struct compare_side *side = &c->side[s];
	for (uint32_t i = 0; i < side->units_n; i++) {
		const struct compare_unit *u = &side->units[i];
		for (uint32_t k = 0; k < u->iterations_n; k++) {
			const struct compared_run *run = u->runs[0];
			uint32_t at = run->patterns.iteration[u->at[0][k]];
			f->runs[u->first + k] = run->id;
			f->numbers[u->first + k] =
				run->iterations.iterations[at].number;
		}
	}
}

bool compare_series_from(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n, const char *name,
	const char *device, struct arena *a, struct compare_series sides[2],
	struct err *e)
{
	struct compare_options o = COMPARE_OPTIONS;
	struct comparison unused = { .comparable = true };
	struct compare c = { .o = &o, .a = a, .out = &unused };
	bool found = false;

	if (!compare_prepare(&c, base, base_n, head, head_n, e))
		return false;
	for (int s = 0; s < 2; s++) {
		uint32_t n = c.side[s].iterations_n;
		struct filled f = { arena_array(a, double, n + 1),
			arena_array(a, double, n + 1),
			arena_array(a, double, n + 1),
			arena_array(a, int64_t, n + 1),
			arena_array(a, int64_t, n + 1) };
		compare_series_side_fill(&c, s, &f);
		for (uint32_t i = 0; i < c.rows_n; i++)
			if (compare_series_wanted(&c.rows[i], name, device)) {
				compare_series_row_add(&c, &c.rows[i], s, &f);
				found = true;
			}
		sides[s] = (struct compare_series){ .ns = f.ns,
			.launches = f.launches,
			.beta_pct = f.beta_pct,
			.iteration_ns = c.side[s].iteration_ns,
			.runs = f.runs,
			.numbers = f.numbers,
			.n = n };
	}
	if (found)
		return true;
	if (device)
		return err_set(e, ERR_NOT_FOUND,
			"neither side has this function on '%.80s'", device);
	return err_set(e, ERR_NOT_FOUND, "neither side has this function");
}
