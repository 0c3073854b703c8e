/* compare_verdict.c - tests the rows of a comparison, and makes rows undecided
 * that cannot be tested. */
#include "compare_state.h"
#include "noise_floor.h"
#include "successive_diff.h"
#include <math.h>
#include <string.h>

/* Rows that are always reported without a verdict. */

static void compare_verdict_withdraw(struct change *x)
{
	x->is = CHANGE_UNDECIDED;
	x->evidence = EVIDENCE_NONE;
	x->p = x->p_family = x->q = NAN;
}

/* Whether a row may be judged by its launches. Launches are evidence only for
 * the work of a device. The host's time has no launches, and neither have the
 * GPU's idle time and the iteration, which depend on it. Two iterations, or the
 * length of one recording, do not prove a change of such times. */
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

/* Whether a row's time is mostly waiting that others cause. This is so for
 * collectives, except if the row is the time of the fastest of all ranks and
 * devices. */
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

/* Whether the row is of a device or rank that the other side does not have. */
static bool compare_verdict_one_sided(const struct compare *c, uint32_t i)
{
	return i < c->rows_n &&
	       (!c->rows[i].device[BASE] || !c->rows[i].device[HEAD]);
}

/* The margin of a part is that of its own time: if it differs by more, it is not
 * unchanged, although the verdict's margin includes a share of the iteration. */
static void compare_verdict_part_margin(const struct compare *c,
	struct change *x)
{
	if (x->is == CHANGE_UNCHANGED &&
		fabs(log(x->ratio)) > log1p(c->o->margin))
		x->is = CHANGE_UNDECIDED;
}

static void compare_verdict_withdraw_rows(const struct compare *c,
	struct change *changes)
{
	bool windows = compare_is_window(&c->side[BASE]) &&
		       compare_is_window(&c->side[HEAD]);
	bool whole = compare_verdict_ranks_whole(c);

	for (uint32_t i = 0; i < c->rows_n + c->split_n; i++) {
		struct change *x = &changes[i];
		if (i >= c->rows_n)
			compare_verdict_part_margin(c, x);
		if (compare_verdict_waits(c, i, whole) ||
			compare_verdict_one_sided(c, i) ||
			(!compare_verdict_launches_tell(c, i) &&
				(windows || x->evidence == EVIDENCE_LAUNCHES)))
			compare_verdict_withdraw(x);
	}
}

/* The rows and the parts of the iteration form one family, because a reader
 * who looks at all of them tests all of them. Sums of rows are families of their
 * own, so that no row becomes harder or easier to prove because of them. */

static struct verdict_side compare_verdict_side_of(const struct compare_side *s)
{
	return (struct verdict_side){ .units = s->units_n,
		.iterations = s->unit_iterations,
		.n = s->iterations_n };
}

/* From one value per iteration, the mean of each unit, the oldest unit
 * first. */
static void compare_verdict_unit_means(const struct compare_side *s,
	const double *ns, double *means)
{
	for (uint32_t i = 0; i < s->units_n; i++) {
		const struct compare_unit *u = &s->units[s->by_time[i]];
		double sum = 0;
		for (uint32_t k = 0; k < u->iterations_n; k++)
			sum += ns[u->first + k];
		means[i] = u->iterations_n ? sum / u->iterations_n : NAN;
	}
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
		compare_verdict_unit_means(side, ns[s], logs);
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
	/* Parts of the iteration have no repeats, and waiting differs more
	 * between runs than the functions of which the prior is learned. */
	struct noise_floor f =
		name ? noise_floor_learned(c->repeats, name, c->o->floor)
		     : noise_floor_default(c->o->floor);
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
	compare_verdict_floor_set(c, r->repeat_name, r->ns, &row);
	return row;
}

static struct verdict_row compare_verdict_part_of(const struct compare *c,
	double *const ns[2])
{
	struct verdict_row row = { .base = ns[BASE],
		.head = ns[HEAD],
		.base_min_ns = NAN,
		.base_max_ns = NAN,
		.head_min_ns = NAN,
		.head_max_ns = NAN };
	compare_verdict_floor_set(c, NULL, ns, &row);
	return row;
}

static double compare_verdict_mean(const double *x, uint32_t n)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += x[i];
	return sum / n;
}

static struct verdict_input compare_verdict_input_of(const struct compare *c,
	const struct verdict_row *rows, uint32_t n)
{
	const struct compare_side *base = &c->side[BASE],
				  *head = &c->side[HEAD];
	return (struct verdict_input){ .base = compare_verdict_side_of(base),
		.head = compare_verdict_side_of(head),
		.rows = rows,
		.n = n,
		.base_iteration_ns = compare_verdict_mean(base->iteration_ns,
					     base->iterations_n) *
				     base->per_launch,
		.head_iteration_ns = compare_verdict_mean(head->iteration_ns,
					     head->iterations_n) *
				     head->per_launch,
		.margin = c->o->margin,
		.alpha = c->o->alpha,
		.permutations = c->o->permutations,
		.seed = c->o->seed };
}

/* The rows and the parts of the iteration, as one family. Fills
 * rows[rows_n + split_n] and changes. */
static bool compare_verdict_rows(struct compare *c, struct verdict_row *rows,
	struct change *changes, struct err *e)
{
	uint32_t n = c->rows_n + c->split_n;
	struct verdict_input in = compare_verdict_input_of(c, rows, n);
	bool assumed = c->rows_n > 0;

	for (uint32_t i = 0; i < n; i++) {
		rows[i] = i < c->rows_n ? compare_verdict_row_of(c, &c->rows[i])
					: compare_verdict_part_of(c,
						  c->split[i - c->rows_n].ns);
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
			arena_printf(c->a, "%u", c->side[BASE].iterations_n),
			arena_printf(c->a, "%u", c->side[HEAD].iterations_n));
	compare_verdict_withdraw_rows(c, changes);
	return true;
}

/* Sums of rows: functions over several devices or ranks, and operators. Each is a
 * family of its own, with the rows and the parts as its context. */

/* Adds the launches of a fold's rows as evidence. */
static void compare_verdict_launches_add(const struct compare *c,
	const struct compare_fold *f, struct verdict_row *to)
{
	for (uint32_t k = 0; k < f->rows_n; k++) {
		const struct compare_row *r = &c->rows[f->rows[k]];
		to->base_launches += r->launches[BASE];
		to->head_launches += r->launches[HEAD];
		to->base_min_ns = fmin(to->base_min_ns, r->min_ns[BASE]);
		to->base_max_ns = fmax(to->base_max_ns, r->max_ns[BASE]);
		to->head_min_ns = fmin(to->head_min_ns, r->min_ns[HEAD]);
		to->head_max_ns = fmax(to->head_max_ns, r->max_ns[HEAD]);
	}
}

/* The row of several folds. Its noise floor is that of the function with the most
 * time, because floors are learned by function. If both sides need other numbers
 * of launches for the work, the launches of one side do not correspond to those
 * of the other, and are no evidence. */
static struct verdict_row compare_verdict_sum_of(const struct compare *c,
	const uint32_t *folds, uint32_t n, double *const ns[2])
{
	struct verdict_row row = { .base = ns[BASE],
		.head = ns[HEAD],
		.base_min_ns = NAN,
		.base_max_ns = NAN,
		.head_min_ns = NAN,
		.head_max_ns = NAN,
		.follows = true,
		.sum = true };
	const struct compare_row *most = NULL;
	double most_ns = -1;

	for (uint32_t i = 0; i < n; i++) {
		const struct compare_fold *f = &c->folds[folds[i]];
		const struct compare_row *r = &c->rows[f->rows[0]];
		double sum = 0;
		for (int s = 0; s < 2; s++)
			sum += compare_verdict_mean(f->ns[s],
				c->side[s].iterations_n);
		if (sum > most_ns) {
			most_ns = sum;
			most = r;
		}
		row.follows = row.follows && !compare_on_host(r->type);
		row.sum = row.sum && (r->type == FUNCTION_gpu_compute ||
					     r->type == FUNCTION_gpu_graph);
		compare_verdict_launches_add(c, f, &row);
	}
	double base = row.base_launches / c->side[BASE].iterations_n,
	       head = row.head_launches / c->side[HEAD].iterations_n;
	if (fabs(base - head) > 1e-9 * fmax(base, head))
		row.base_launches = row.head_launches = 0;
	compare_verdict_floor_set(c, most ? most->repeat_name : NULL, ns, &row);
	return row;
}

/* Whether a row of a fold is not tested, for the same reasons as there. */
static bool compare_verdict_fold_withdrawn(const struct compare *c,
	const struct compare_fold *f, const struct change *x, bool whole)
{
	bool windows = compare_is_window(&c->side[BASE]) &&
		       compare_is_window(&c->side[HEAD]);
	for (uint32_t k = 0; k < f->rows_n; k++)
		if (compare_verdict_waits(c, f->rows[k], whole) ||
			compare_verdict_one_sided(c, f->rows[k]) ||
			(!compare_verdict_launches_tell(c, f->rows[k]) &&
				(windows || x->evidence == EVIDENCE_LAUNCHES)))
			return true;
	return false;
}

/* Tests n sums. `rows` has room for them before the context. */
static bool compare_verdict_family(struct compare *c, struct verdict_row *rows,
	uint32_t n, struct change *out, struct err *e)
{
	uint32_t context = c->rows_n + c->split_n, block;
	struct verdict_input in =
		compare_verdict_input_of(c, rows, n + context);
	struct change *changes =
		arena_array(c->a, struct change, n + context + 1);
	struct common_factor common;

	if (!n)
		return true;
	in.context_n = context;
	if (!verdict_from(&in, c->a, changes, &common, &block, e))
		return false;
	memcpy(out, changes, n * sizeof *out);
	return true;
}

/* Causes of idle time. Launches and the length of a recording are no evidence of
 * them, as for the idle part. */
static bool compare_verdict_causes(struct compare *c,
	const struct verdict_row *context, struct compare_changes *out,
	struct err *e)
{
	uint32_t n = c->causes_n, size = c->rows_n + c->split_n;
	struct verdict_row *rows =
		arena_array(c->a, struct verdict_row, n + size + 1);
	bool windows = compare_is_window(&c->side[BASE]) &&
		       compare_is_window(&c->side[HEAD]);

	for (uint32_t i = 0; i < n; i++)
		rows[i] = compare_verdict_part_of(c, c->causes[i].ns);
	memcpy(rows + n, context, size * sizeof *rows);
	if (!compare_verdict_family(c, rows, n, out->causes, e))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		struct change *x = &out->causes[i];
		compare_verdict_part_margin(c, x);
		if (windows || x->evidence == EVIDENCE_LAUNCHES)
			compare_verdict_withdraw(x);
	}
	return true;
}

/* Functions with one row have its change. */
static bool compare_verdict_folds(struct compare *c,
	const struct verdict_row *context, struct compare_changes *out,
	struct err *e)
{
	uint32_t n = 0, size = c->rows_n + c->split_n;
	uint32_t *of = arena_array(c->a, uint32_t, c->folds_n + 1);
	struct verdict_row *rows =
		arena_array(c->a, struct verdict_row, c->folds_n + size + 1);
	struct change *changes =
		arena_array(c->a, struct change, c->folds_n + 1);
	bool whole = compare_verdict_ranks_whole(c);

	for (uint32_t i = 0; i < c->folds_n; i++) {
		const struct compare_fold *f = &c->folds[i];
		if (f->same) {
			out->folds[i] = out->rows[f->rows[0]];
			continue;
		}
		rows[n] = compare_verdict_sum_of(c, &i, 1, f->ns);
		of[n++] = i;
	}
	memcpy(rows + n, context, size * sizeof *rows);
	if (!compare_verdict_family(c, rows, n, changes, e))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		out->folds[of[i]] = changes[i];
		if (compare_verdict_fold_withdrawn(c, &c->folds[of[i]],
			    &changes[i], whole))
			compare_verdict_withdraw(&out->folds[of[i]]);
	}
	return true;
}

static bool compare_verdict_operators(struct compare *c,
	const struct verdict_row *context, struct compare_changes *out,
	struct err *e)
{
	uint32_t n = c->operators_n, size = c->rows_n + c->split_n;
	struct verdict_row *rows =
		arena_array(c->a, struct verdict_row, n + size + 1);
	bool whole = compare_verdict_ranks_whole(c);

	for (uint32_t i = 0; i < n; i++) {
		const struct compare_operator *o = &c->operators[i];
		rows[i] =
			compare_verdict_sum_of(c, o->folds, o->folds_n, o->ns);
	}
	memcpy(rows + n, context, size * sizeof *rows);
	if (!compare_verdict_family(c, rows, n, out->operators, e))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const struct compare_operator *o = &c->operators[i];
		bool withdrawn = false;
		for (uint32_t k = 0; k < o->folds_n; k++)
			withdrawn |= compare_verdict_fold_withdrawn(c,
				&c->folds[o->folds[k]], &out->operators[i],
				whole);
		if (withdrawn)
			compare_verdict_withdraw(&out->operators[i]);
	}
	return true;
}

bool compare_verdict(struct compare *c, struct compare_changes *out,
	struct err *e)
{
	uint32_t n = c->rows_n + c->split_n,
		 units = c->side[BASE].units_n > c->side[HEAD].units_n
				 ? c->side[BASE].units_n
				 : c->side[HEAD].units_n;
	struct verdict_row *rows = arena_array(c->a, struct verdict_row, n + 1);

	c->means = arena_array(c->a, double, units);
	out->rows = arena_array(c->a, struct change, n + 1);
	out->split = out->rows + c->rows_n;
	out->causes = arena_array(c->a, struct change, c->causes_n + 1);
	out->folds = arena_array(c->a, struct change, c->folds_n + 1);
	out->operators = arena_array(c->a, struct change, c->operators_n + 1);
	return compare_verdict_rows(c, rows, out->rows, e) &&
	       compare_verdict_causes(c, rows, out, e) &&
	       compare_verdict_folds(c, rows, out, e) &&
	       compare_verdict_operators(c, rows, out, e);
}
