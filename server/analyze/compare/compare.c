/* compare.c - the steps, in order; what each does lies in its own module. */
#include "compare_state.h"
#include "noise_floor.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

static double median(const double *x, uint32_t n, struct arena *a)
{
	double *s = arena_array(a, double, n + 1);
	if (!n)
		return NAN;
	memcpy(s, x, n * sizeof *s);
	qsort(s, n, sizeof *s, ascending);
	return (s[(n - 1) / 2] + s[n / 2]) / 2;
}

static void side_told(struct compare *c, int which, struct comparison_side *out)
{
	const struct compare_side *s = &c->side[which];
	int64_t *runs = arena_array(c->a, int64_t, s->cycles_n + 1);
	double sum = 0;

	*out = (struct comparison_side){ .runs = s->runs_n,
		.units = s->units_n,
		.cycles_used = s->cycles_n,
		.detector = s->runs[0].cycles.detector,
		.cycle_durs_ns = s->cycle_ns,
		.cycle_runs = runs };
	for (uint32_t i = 0; i < s->runs_n; i++)
		out->cycles += s->runs[i].cycles.kept_n;
	for (uint32_t i = 0; i < s->units_n; i++)
		for (uint32_t k = 0; k < s->units[i].cycles_n; k++)
			runs[s->units[i].first + k] = s->units[i].runs[0]->id;
	for (uint32_t i = 0; i < s->cycles_n; i++)
		sum += s->cycle_ns[i];
	out->cycle_ns = s->cycles_n ? sum / s->cycles_n : NAN;
	out->cycle_median_ns = median(s->cycle_ns, s->cycles_n, c->a);
}

bool compare_prepare(struct compare *c, const struct compared_run *base,
	uint32_t base_n, const struct compared_run *head, uint32_t head_n,
	struct err *e)
{
	uint32_t **wanted[2];

	assert(c->a->ceiling == 0);
	if (!base_n || !head_n)
		return err_set(e, ERR_INPUT, "a side without a run");
	compare_units_from(base, base_n, c->a, &c->side[BASE]);
	compare_units_from(head, head_n, c->a, &c->side[HEAD]);
	compare_around_from(c);
	compare_where_from(c);
	if (c->statistics) {
		compare_rows_statistics(c);
		return true;
	}
	compare_meaning_from(c);
	compare_work_from(c, wanted);
	for (int s = 0; s < 2; s++)
		compare_cycles_use(&c->side[s], wanted[s], c->a);
	compare_meaning_used(c);
	compare_roles_from(c);
	compare_rows_from(c);
	compare_around_rows(c);
	compare_collectives_join(c);
	compare_counters_from(c);
	return compare_split_from(c, e);
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
	compare_window_scale(c);
	if (out->comparable) {
		changes = arena_array(c->a, struct change,
			c->rows_n + c->split_n + 1);
		if (!compare_judge(c, changes, e))
			return false;
	}
	compare_told(c, changes);
	side_told(c, BASE, &out->base);
	side_told(c, HEAD, &out->head);
	compare_findings_sort(c);
	compare_headline_from(c);
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
