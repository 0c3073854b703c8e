/* compare_verdict.c - passes the matrix to the verdict, and withdraws what cannot be decided. */
#include "compare_state.h"
#include "noise_floor.h"
#include <math.h>

/* Rows that are reported without a verdict, whatever their figures. */

static void compare_verdict_withdraw(struct change *x)
{
	x->is = CHANGE_UNDECIDED;
	x->evidence = EVIDENCE_NONE;
	x->p = x->p_family = x->q = NAN;
}

/* Launches are evidence of the work of a device only. The time of the host,
 * and with it the GPU's idle time and the iteration, has no launches: two
 * iterations of it prove nothing, and the length of a recording proves even
 * less. */
static bool compare_verdict_launches_tell(const struct compare *c, uint32_t i)
{
	if (i < c->rows_n)
		return !compare_on_host(c->rows[i].type);
	enum split_part part = c->split[i - c->rows_n].part;
	return part == SPLIT_PART_compute || part == SPLIT_PART_copies;
}

/* Whether every unit of both sides has all ranks. */
static bool compare_verdict_ranks_whole(const struct compare *c)
{
	for (int s = 0; s < 2; s++)
		for (uint32_t u = 0; u < c->side[s].units_n; u++) {
			const struct compare_unit *unit = &c->side[s].units[u];
			for (uint32_t r = 0; r < unit->runs_n; r++)
				if (unit->runs[r]->world_size >
					(int64_t)unit->runs_n)
					return false;
		}
	return true;
}

/* The time of a collective is mostly waiting, which others cause, unless the
 * row is the time of the first of all ranks and devices. */
static bool compare_verdict_waits(const struct compare *c, uint32_t i,
	bool whole)
{
	if (i < c->rows_n)
		return c->rows[i].type == FUNCTION_gpu_comm &&
		       (c->rows[i].place != COMPARE_PLACE_ALL || !whole);
	enum split_part part = c->split[i - c->rows_n].part;
	if (part == SPLIT_PART_waiting)
		return true;
	if (part != SPLIT_PART_communication)
		return false;
	for (uint32_t k = 0; k < c->rows_n; k++)
		if (c->rows[k].type == FUNCTION_gpu_comm)
			return true;
	return false;
}

/* A device or rank that the other side lacks. */
static bool compare_verdict_one_sided(const struct compare *c, uint32_t i)
{
	return i < c->rows_n &&
	       (!c->rows[i].device[BASE] || !c->rows[i].device[HEAD]);
}

static void compare_verdict_withdraw_rows(const struct compare *c,
	struct change *changes)
{
	bool windows = compare_is_window(&c->side[BASE]) &&
		       compare_is_window(&c->side[HEAD]);
	bool whole = compare_verdict_ranks_whole(c);

	for (uint32_t i = 0; i < c->rows_n + c->split_n; i++) {
		struct change *x = &changes[i];
		if (i >= c->rows_n && x->is == CHANGE_UNCHANGED &&
			fabs(x->ratio - 1) > c->o->margin)
			x->is = CHANGE_UNDECIDED;
		if (compare_verdict_waits(c, i, whole) ||
			compare_verdict_one_sided(c, i) ||
			(!compare_verdict_launches_tell(c, i) &&
				(windows || x->evidence == EVIDENCE_LAUNCHES)))
			compare_verdict_withdraw(x);
	}
}

/* The rows and the parts of the iteration form one family, because a reader
 * who looks at all of them tests all of them. */

static struct verdict_side compare_verdict_side_of(const struct compare_side *s)
{
	return (struct verdict_side){ .units = s->units_n,
		.iterations = s->unit_iterations,
		.n = s->iterations_n };
}

/* Updates the floor with the differences between units. Permuted units do not
 * need it: the permutation measures them. */
static void compare_verdict_floor_update(const struct compare *c,
	double *const ns[2], struct noise_floor *f)
{
	for (int s = 0; s < 2; s++) {
		const struct compare_side *side = &c->side[s];
		double *logs = c->means;
		if (side->units_n < 2)
			continue;
		compare_unit_means(side, ns[s], logs);
		for (uint32_t u = 0; u < side->units_n; u++)
			logs[u] = logs[u] > 0 ? log(logs[u]) : NAN;
		struct successive_diff own =
			successive_diff_from(logs, side->units_n);
		noise_floor_update(f, &own);
	}
}

static void compare_verdict_floor_set(const struct compare *c, const char *name,
	double *const ns[2], struct verdict_row *row)
{
	static const struct repeats none = { 0 };
	struct noise_floor f = noise_floor_of(c->repeats ? c->repeats : &none,
		name, c->o->floor);
	if (!verdict_by_runs(c->side[BASE].units_n, c->side[HEAD].units_n,
		    c->o->alpha))
		compare_verdict_floor_update(c, ns, &f);
	row->floor = f.sd;
	row->floor_df = f.df;
	row->floor_from = f.from;
}

static struct verdict_row compare_verdict_row_of(const struct compare *c,
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
	compare_verdict_floor_set(c, r->name, r->ns, &row);
	return row;
}

static struct verdict_row compare_verdict_part_of(const struct compare *c,
	const struct compare_split *x)
{
	struct verdict_row row = { .base = x->ns[BASE],
		.head = x->ns[HEAD],
		.base_min_ns = NAN,
		.base_max_ns = NAN,
		.head_min_ns = NAN,
		.head_max_ns = NAN };
	compare_verdict_floor_set(c, "", x->ns, &row);
	return row;
}

static double compare_verdict_mean(const double *x, uint32_t n)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += x[i];
	return sum / n;
}

bool compare_verdict(struct compare *c, struct change *changes, struct err *e)
{
	const struct compare_side *base = &c->side[BASE],
				  *head = &c->side[HEAD];
	uint32_t n = c->rows_n + c->split_n;
	struct verdict_row *rows = arena_array(c->a, struct verdict_row, n + 1);
	struct verdict_input in = { .base = compare_verdict_side_of(base),
		.head = compare_verdict_side_of(head),
		.rows = rows,
		.n = n,
		.base_iteration_ns = compare_verdict_mean(base->iteration_ns,
			base->iterations_n),
		.head_iteration_ns = compare_verdict_mean(head->iteration_ns,
					     head->iterations_n) *
				     head->per_launch,
		.margin = c->o->margin,
		.alpha = c->o->alpha,
		.permutations = c->o->permutations,
		.seed = c->o->seed };
	bool assumed = c->rows_n > 0;
	uint32_t units =
		base->units_n > head->units_n ? base->units_n : head->units_n;
	c->means = arena_array(c->a, double, units);

	for (uint32_t i = 0; i < n; i++) {
		rows[i] = i < c->rows_n ? compare_verdict_row_of(c, &c->rows[i])
					: compare_verdict_part_of(c,
						  &c->split[i - c->rows_n]);
		assumed = assumed && rows[i].floor_from == FLOOR_DEFAULT;
	}
	if (assumed)
		compare_finding_add(c, FINDING_floor_default,
			compare_text_pct(c->a, NOISE_FLOOR_DEFAULT_SD), NULL);
	if (!verdict_from(&in, c->a, changes, &c->out->common, &c->out->block,
		    e))
		return false;
	if (n && changes[0].evidence == EVIDENCE_LAUNCHES)
		compare_finding_add(c, FINDING_few_iterations,
			arena_printf(c->a, "%u", base->iterations_n),
			arena_printf(c->a, "%u", head->iterations_n));
	compare_verdict_withdraw_rows(c, changes);
	return true;
}
