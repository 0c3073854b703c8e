/* compare_verdict.c - the matrix goes to the verdict: rows and the split of the
 * cycle together, since whoever looks at all of them tests all of them. */
#include "compare_state.h"
#include "noise_floor.h"
#include <math.h>

static struct verdict_side side_of(const struct compare_side *s)
{
	return (struct verdict_side){ .units = s->units_n,
		.cycles = s->unit_cycles,
		.n = s->cycles_n };
}

/* Units that are permuted tell themselves what they differ by; others the floor. */
static void hear(const struct compare *c, double *const ns[2],
	struct noise_floor *f)
{
	for (int s = 0; s < 2; s++) {
		const struct compare_side *side = &c->side[s];
		double *logs = c->means;
		if (side->units_n < 2)
			continue;
		compare_unit_means(side, ns[s], logs);
		for (uint32_t u = 0; u < side->units_n; u++)
			logs[u] = logs[u] > 0 ? log(logs[u]) : NAN;
		struct successive_diff own = successive_diff_from(logs, side->units_n);
		noise_floor_update(f, &own);
	}
}

static void floor_set(const struct compare *c, const char *name,
	double *const ns[2], struct verdict_row *row)
{
	static const struct repeats none = { 0 };
	struct noise_floor f =
		noise_floor_of(c->repeats ? c->repeats : &none, name, c->o->floor);
	if (!verdict_by_runs(c->side[BASE].units_n, c->side[HEAD].units_n,
		    c->o->alpha))
		hear(c, ns, &f);
	row->floor = f.sd;
	row->floor_df = f.df;
	row->floor_from = f.from;
}

static struct verdict_row row_of(const struct compare *c,
	const struct compare_row *r)
{
	struct verdict_row row = { .base = r->ns[BASE],
		.head = r->ns[HEAD],
		.base_launches = r->launches[BASE],
		.base_min_ns = r->min_ns[BASE],
		.base_max_ns = r->max_ns[BASE],
		.head_launches = r->launches[HEAD],
		.head_min_ns = r->min_ns[HEAD],
		.head_max_ns = r->max_ns[HEAD],
		.kernel = r->type == FUNCTION_gpu_compute ||
			  r->type == FUNCTION_gpu_graph };
	if (!r->spread_lacks[BASE] && !r->spread_lacks[HEAD] &&
		r->low_ns[BASE] && r->low_ns[HEAD])
		row.spread = (struct verdict_spread){ r->low_ns[BASE],
			r->high_ns[BASE], r->low_ns[HEAD], r->high_ns[HEAD] };
	row.follows = !row.kernel && !compare_on_host(r->type);
	floor_set(c, r->name, r->ns, &row);
	return row;
}

static struct verdict_row part_of(const struct compare *c,
	const struct compare_split *x)
{
	struct verdict_row row = { .base = x->ns[BASE],
		.head = x->ns[HEAD],
		.base_min_ns = NAN,
		.base_max_ns = NAN,
		.head_min_ns = NAN,
		.head_max_ns = NAN };
	floor_set(c, "", x->ns, &row);
	return row;
}

static double mean(const double *x, uint32_t n)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += x[i];
	return sum / n;
}

bool compare_judge(struct compare *c, struct change *changes, struct err *e)
{
	const struct compare_side *base = &c->side[BASE],
				  *head = &c->side[HEAD];
	uint32_t n = c->rows_n + c->split_n;
	struct verdict_row *rows = arena_array(c->a, struct verdict_row, n + 1);
	struct verdict_input in = { .base = side_of(base),
		.head = side_of(head),
		.rows = rows,
		.n = n,
		.base_cycle_ns = mean(base->cycle_ns, base->cycles_n),
		.head_cycle_ns =
			mean(head->cycle_ns, head->cycles_n) * head->per_launch,
		.margin = c->o->margin,
		.alpha = c->o->alpha,
		.permutations = c->o->permutations,
		.seed = c->o->seed };
	bool assumed = c->rows_n > 0;
	uint32_t units =
		base->units_n > head->units_n ? base->units_n : head->units_n;
	c->means = arena_array(c->a, double, units);

	for (uint32_t i = 0; i < n; i++) {
		rows[i] = i < c->rows_n ? row_of(c, &c->rows[i])
					: part_of(c, &c->split[i - c->rows_n]);
		assumed = assumed && rows[i].floor_from == FLOOR_DEFAULT;
	}
	if (assumed)
		compare_finding_add(c, FINDING_floor_default,
			compare_text_pct(c->a, NOISE_FLOOR_DEFAULT_SD), NULL);
	if (!verdict_from(&in, c->a, changes, &c->out->common, &c->out->block,
		    e))
		return false;
	if (n && changes[0].evidence == EVIDENCE_LAUNCHES)
		compare_finding_add(c, FINDING_few_cycles,
			arena_printf(c->a, "%u", base->cycles_n),
			arena_printf(c->a, "%u", head->cycles_n));
	compare_unjudged(c, changes);
	return true;
}
