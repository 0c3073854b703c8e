/* compare.c - compares two sides of runs.
 *
 * This file builds the matrix of times (per function, place and iteration, and
 * per part of an iteration), calls the other steps in order, and returns the
 * iterations of one function. Other files match the sides, fold rows, test them,
 * report findings about conditions, and build the result (compare_state.h). */
#include "compare.h"
#include "compare_state.h"
#include "names.h"
#include "noise_floor.h"
#include "ranks.h"
#include "sort.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The matrix: time per function, place and iteration. An iteration without
 * the function counts as zero. */

struct matrix {
	struct compare *c;
	struct names keys; /* id = row + 1 */
	uint32_t cap;
};

/* `identity` 0: the function is found by its name. */
static struct compare_row *compare_rows_row_of(struct matrix *m,
	const char *name, enum function_type type, uint32_t place,
	uint32_t identity)
{
	struct compare *c = m->c;
	const struct compare_identity *is =
		identity ? &c->identities[identity - 1] : NULL;
	const char *key =
		is ? arena_printf(c->a, "identity %u", identity)
		   : arena_printf(c->a, "%d %u %s", (int)type, place, name);
	uint32_t id = names_put(&m->keys, key, strlen(key));
	if (id <= c->rows_n)
		return &c->rows[id - 1];
	if (c->rows_n == m->cap) {
		m->cap = m->cap ? m->cap * 2 : 256;
		c->rows = arena_grow(c->a, c->rows, m->cap * sizeof *c->rows);
	}
	struct compare_row *row = &c->rows[c->rows_n++];
	if (is)
		name = is->name[is->name[BASE] ? BASE : HEAD];
	*row = (struct compare_row){ .name = name,
		.repeat_name = name,
		.identity = is,
		.type = type,
		.place = place };
	for (int s = 0; s < 2; s++) {
		row->ns[s] =
			arena_array(c->a, double, c->side[s].iterations_n + 1);
		row->min_ns[s] = row->max_ns[s] = NAN;
		row->device[s] = c->place[s] ? c->place[s][place] : NULL;
	}
	return row;
}

static void compare_rows_iteration_add(struct compare_row *row, int s,
	const struct pattern *p, uint32_t i, uint32_t at)
{
	row->ns[s][at] += (double)p->dur_ns[i];
	row->launches[s] += (double)p->launches[i];
	if (p->launches[i] == 0)
		return;
	double min = (double)p->min_ns[i], max = (double)p->max_ns[i];
	if (min >= 0 && !(row->min_ns[s] <= min))
		row->min_ns[s] = min;
	if (max >= 0 && !(row->max_ns[s] >= max))
		row->max_ns[s] = max;
}

static void compare_rows_spread_add(struct arena *a, struct compare_row *row,
	int s, const struct pattern *p)
{
	bool first = !row->low_ns[s];
	row->spread_lacks[s] |= !p->spread_ns;
	if (!p->spread_ns)
		return;
	if (first) {
		row->low_ns[s] = arena_array(a, double, PATTERN_SPREAD);
		row->high_ns[s] = arena_array(a, double, PATTERN_SPREAD);
	}
	for (int i = 0; i < PATTERN_SPREAD; i++) {
		double ns = (double)p->spread_ns[i];
		if (first || ns < row->low_ns[s][i])
			row->low_ns[s][i] = ns;
		if (first || ns > row->high_ns[s][i])
			row->high_ns[s][i] = ns;
	}
}

static bool compare_rows_ran(const struct compare_unit *u, uint32_t r,
	const struct pattern *p)
{
	for (uint32_t k = 0; k < u->iterations_n; k++)
		if (p->launches[u->at[r][k]] || p->dur_ns[u->at[r][k]])
			return true;
	return false;
}

static double compare_rows_beta(const struct compared_run *run,
	const struct pattern *p, uint32_t at)
{
	int64_t ns =
		run->iterations.iterations[run->patterns.iteration[at]].dur_ns;
	if (p->beta_pct && !isnan(p->beta_pct[at]))
		return p->beta_pct[at];
	return ns > 0 ? 100 * (double)p->dur_ns[at] / (double)ns : 0;
}

static void compare_rows_source_add(struct arena *a, struct compare_row *row,
	int side, uint32_t unit, uint32_t run, uint32_t pattern)
{
	row->sources = arena_grow(a, row->sources,
		(row->sources_n + 1) * sizeof *row->sources);
	row->sources[row->sources_n++] =
		(struct compare_source){ side, unit, run, pattern };
}

static void compare_rows_run_add(struct matrix *m, int s, uint32_t unit,
	uint32_t r)
{
	const struct compare_unit *u = &m->c->side[s].units[unit];
	const struct compared_run *run = u->runs[r];
	for (uint32_t i = 0; i < run->patterns.n; i++) {
		const struct pattern *p = &run->patterns.rows[i];
		if (!compare_rows_ran(u, r, p))
			continue;
		struct compare_row *row = compare_rows_row_of(m, p->name,
			p->type, u->place_of[r][i], u->identity[r][i]);
		if (p->stem.text && p->stem.varies == NAME_NUMBER)
			row->repeat_name = p->stem.text;
		compare_rows_source_add(m->c->a, row, s, unit, r, i);
		compare_rows_spread_add(m->c->a, row, s, p);
		for (uint32_t k = 0; k < u->iterations_n; k++) {
			uint32_t at = u->at[r][k];
			compare_rows_iteration_add(row, s, p, at, u->first + k);
			row->beta[s] += compare_rows_beta(run, p, at) /
					m->c->side[s].iterations_n;
		}
	}
}

/* Fills the matrix: time per function, place and iteration. */
static void compare_rows_from(struct compare *c)
{
	struct matrix m = { .c = c };
	names_init(&m.keys, c->a);
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < c->side[s].units_n; i++)
			for (uint32_t r = 0; r < c->side[s].units[i].runs_n;
				r++)
				compare_rows_run_add(&m, s, i, r);
}

static void compare_rows_statistics_add(struct matrix *m, int s,
	const char *name, bool collective, double total_ns, double instances)
{
	struct compare_row *row =
		compare_rows_row_of(m, name, FUNCTION_gpu_compute, 0, 0);
	if (collective)
		row->type = FUNCTION_gpu_comm;
	row->ns[s][0] += total_ns;
	row->launches[s] += instances;
}

/* Time per launch, if a side has only statistics over the whole run. */
static void compare_rows_statistics(struct compare *c)
{
	struct matrix m = { .c = c };
	names_init(&m.keys, c->a);
	for (int s = 0; s < 2; s++)
		c->side[s].iterations_n = 0;
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < c->side[s].runs_n; i++) {
			const struct compared_run *r = &c->side[s].runs[i];
			for (uint32_t k = 0; k < r->stats_n; k++)
				compare_rows_statistics_add(&m, s,
					r->stat_names[k],
					r->stat_collective &&
						r->stat_collective[k],
					(double)r->stats[k].total_ns,
					(double)r->stats[k].instances);
			for (uint32_t k = 0; !r->stats_n && k < r->patterns.n;
				k++) {
				const struct pattern *p = &r->patterns.rows[k];
				for (uint32_t y = 0;
					y < r->patterns.iterations_n &&
					!compare_on_host(p->type);
					y++)
					compare_rows_statistics_add(&m, s,
						p->name,
						p->type == FUNCTION_gpu_comm,
						(double)p->dur_ns[y],
						(double)p->launches[y]);
			}
		}
}

/* Collectives: those of several devices become one row, the time of the
 * device that waits least.
 *
 * In a collective every device waits for the last one to arrive. That waiting
 * is caused by another device, which may differ from run to run. The shortest
 * time over the devices, iteration by iteration, is an upper limit of the
 * transfer. Rows are joined only if all devices take part in the same number
 * of collectives. */

static bool compare_rows_same_collective(const struct compare_row *a,
	const struct compare_row *b)
{
	return a->type == FUNCTION_gpu_comm && b->type == a->type &&
	       !strcmp(a->name, b->name);
}

/* Whether all devices with this collective execute it equally often, on both
 * sides. */
static bool compare_rows_on_all_devices(const struct compare *c, uint32_t first,
	uint32_t *n)
{
	const struct compare_row *a = &c->rows[first];
	*n = 0;
	for (uint32_t i = 0; i < c->rows_n; i++) {
		const struct compare_row *b = &c->rows[i];
		if (!compare_rows_same_collective(a, b))
			continue;
		++*n;
		for (int s = 0; s < 2; s++)
			if (b->launches[s] != a->launches[s])
				return false;
	}
	return *n > 1;
}

static void compare_rows_take_min(const struct compare *c,
	struct compare_row *to, const struct compare_row *from)
{
	for (int s = 0; s < 2; s++) {
		for (uint32_t k = 0; k < c->side[s].iterations_n; k++)
			if (from->ns[s][k] < to->ns[s][k])
				to->ns[s][k] = from->ns[s][k];
		if (from->min_ns[s] < to->min_ns[s])
			to->min_ns[s] = from->min_ns[s];
		if (from->max_ns[s] < to->max_ns[s])
			to->max_ns[s] = from->max_ns[s];
		if (from->beta[s] < to->beta[s])
			to->beta[s] = from->beta[s];
		/* The launches no longer belong to one device. */
		to->spread_lacks[s] = true;
	}
}

/* Joins the rows of a collective on several devices to one row with the time of
 * the device that needs least. The additional time of the other devices is
 * waiting. */
static void compare_rows_join_collectives(struct compare *c)
{
	for (uint32_t i = 0; i < c->rows_n; i++) {
		uint32_t places;
		struct compare_row *row = &c->rows[i];
		if (row->type != FUNCTION_gpu_comm ||
			row->place == COMPARE_PLACE_ALL ||
			!compare_rows_on_all_devices(c, i, &places))
			continue;
		uint32_t kept = i + 1;
		for (uint32_t j = i + 1; j < c->rows_n; j++)
			if (compare_rows_same_collective(row, &c->rows[j]))
				compare_rows_take_min(c, row, &c->rows[j]);
			else
				c->rows[kept++] = c->rows[j];
		c->rows_n = kept;
		row->place = COMPARE_PLACE_ALL;
		for (int s = 0; s < 2; s++)
			row->device[s] = arena_printf(c->a,
				"the first done of %u", places);
	}
}

/* Parts of an iteration's time, as rows for the verdict. The value of a job is
 * the mean over its ranks. A part is reported if every iteration of both sides
 * has it. */

/* The time of a part in the iteration at `at` of the run's patterns; negative
 * if the iteration does not have it. */
static double compare_rows_part_ns(const struct compared_run *run,
	enum split_part part, uint32_t at)
{
	const struct iteration *y =
		&run->iterations.iterations[run->patterns.iteration[at]];
	switch (part) {
	case SPLIT_PART_iteration:
		return (double)y->dur_ns;
	case SPLIT_PART_compute:
		return (double)y->compute_ns;
	case SPLIT_PART_communication:
		return (double)y->comm_ns;
	case SPLIT_PART_copies:
		return (double)y->copy_ns;
	case SPLIT_PART_idle:
		return (double)y->idle_ns;
	case SPLIT_PART_sync:
		return (double)y->sync_ns;
	default:
		return -1;
	}
}

/* The sum over functions of a type, for parts that are no members of struct
 * iteration. */
static double compare_rows_part_sum(const struct compared_run *run,
	enum split_part part, uint32_t at)
{
	static const enum function_type types[SPLIT_PARTS] = {
		[SPLIT_PART_sync] = FUNCTION_sync,
		[SPLIT_PART_oncpu] = FUNCTION_oncpu,
		[SPLIT_PART_runq] = FUNCTION_runq,
	};
	double sum = -1;
	if (part != SPLIT_PART_sync && part != SPLIT_PART_oncpu &&
		part != SPLIT_PART_runq)
		return -1;
	for (uint32_t i = 0; i < run->patterns.n; i++)
		if (run->patterns.rows[i].type == types[part])
			sum = (sum < 0 ? 0 : sum) +
			      (double)run->patterns.rows[i].dur_ns[at];
	return sum;
}

/* Waiting for other ranks of the job. */
static bool compare_rows_part_waiting(struct compare *c,
	const struct compare_unit *u, double *ns, bool *known, struct err *e)
{
	struct compared_run *runs =
		arena_array(c->a, struct compared_run, u->runs_n);
	double **waiting = arena_array(c->a, double *, u->runs_n);
	for (uint32_t r = 0; r < u->runs_n; r++)
		runs[r] = *u->runs[r];
	if (!ranks_waiting(runs, u->runs_n, c->a, waiting, e))
		return false;
	for (uint32_t r = 0; r < u->runs_n; r++)
		for (uint32_t k = 0; k < u->iterations_n; k++) {
			uint32_t at = u->at[r][k];
			double x = waiting[r][runs[r].patterns.iteration[at]];
			*known &= !isnan(x);
			ns[u->first + k] += x / u->runs_n;
		}
	return true;
}

static bool compare_rows_unit_part(struct compare *c,
	const struct compare_unit *u, enum split_part part, double *ns,
	bool *known, struct err *e)
{
	if (part == SPLIT_PART_waiting) {
		*known &= u->runs_n > 1;
		return !*known || compare_rows_part_waiting(c, u, ns, known, e);
	}
	for (uint32_t r = 0; r < u->runs_n; r++)
		for (uint32_t k = 0; k < u->iterations_n && *known; k++) {
			double x = compare_rows_part_ns(u->runs[r], part,
				u->at[r][k]);
			if (x < 0)
				x = compare_rows_part_sum(u->runs[r], part,
					u->at[r][k]);
			*known = x >= 0;
			ns[u->first + k] += x / u->runs_n;
		}
	return true;
}

/* The parts of an iteration that all iterations of both sides have. */
static bool compare_rows_split(struct compare *c, struct err *e)
{
	c->split = arena_array(c->a, struct compare_split, SPLIT_PARTS);
	for (int part = 0; part < SPLIT_PARTS; part++) {
		struct compare_split *x = &c->split[c->split_n];
		bool known = true;
		*x = (struct compare_split){ .part = (enum split_part)part };
		for (int s = 0; s < 2; s++) {
			const struct compare_side *side = &c->side[s];
			x->ns[s] = arena_array(c->a, double,
				side->iterations_n + 1);
			known &= side->iterations_n > 0;
			for (uint32_t i = 0; i < side->units_n && known; i++)
				if (!compare_rows_unit_part(c, &side->units[i],
					    x->part, x->ns[s], &known, e))
					return false;
		}
		c->split_n += known;
	}
	return true;
}

/* Windows: recordings of a fixed time differ in length by chance.
 *
 * If both sides are windows and nearly all launches scale by one ratio, the
 * times of the longer recording are divided by this ratio, so that both sides
 * have the amount of work in the shorter one. A change of the code would change
 * the counts of a few functions, not of all. */

struct compare_rows_counted {
	double ratio, weight;
};

static int compare_rows_by_ratio(const void *left, const void *right)
{
	const struct compare_rows_counted *a = left, *b = right;
	return (a->ratio > b->ratio) - (a->ratio < b->ratio);
}

static void compare_rows_window_apply(struct compare *c, int side, double by)
{
	struct compare_side *s = &c->side[side];
	s->per_launch = by;
	for (uint32_t i = 0; i < c->rows_n; i++) {
		c->rows[i].launches[side] *= by;
		for (uint32_t k = 0; k < s->iterations_n; k++)
			c->rows[i].ns[side][k] *= by;
	}
	for (uint32_t i = 0; i < c->split_n; i++)
		for (uint32_t k = 0; k < s->iterations_n; k++)
			c->split[i].ns[side][k] *= by;
	for (uint32_t i = 0; i < c->causes_n; i++)
		for (uint32_t k = 0; k < s->iterations_n; k++)
			c->causes[i].ns[side][k] *= by;
}

/* The median ratio of launches, and the share of launches within 5 % of it. */
static double compare_rows_window_ratio(const struct compare *c, double *same)
{
	struct compare_rows_counted *l =
		arena_array(c->a, struct compare_rows_counted, c->rows_n + 1);
	double all = 0, below = 0, ratio = 1;
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->rows_n; i++) {
		const struct compare_row *r = &c->rows[i];
		double base = r->launches[BASE] / c->side[BASE].iterations_n,
		       head = r->launches[HEAD] / c->side[HEAD].iterations_n;
		if (compare_on_host(r->type) || base <= 0 || head <= 0)
			continue;
		l[n++] = (struct compare_rows_counted){ head / base,
			fmin(base, head) };
		all += fmin(base, head);
	}
	qsort(l, n, sizeof *l, compare_rows_by_ratio);
	for (uint32_t i = 0; i < n && below < all / 2; i++) {
		below += l[i].weight;
		ratio = l[i].ratio;
	}
	*same = 0;
	for (uint32_t i = 0; i < n; i++)
		if (fabs(l[i].ratio / ratio - 1) <= 0.05)
			*same += l[i].weight / all;
	return ratio;
}

/* Scales the longer window's times to the shorter window. */
static void compare_rows_window_scale(struct compare *c)
{
	double same;
	if (!compare_is_window(&c->side[BASE]) ||
		!compare_is_window(&c->side[HEAD]))
		return;
	double ratio = compare_rows_window_ratio(c, &same);
	if (same < 0.8 || ratio == 1)
		return;
	int longer = ratio > 1 ? HEAD : BASE;
	double times = ratio > 1 ? ratio : 1 / ratio;
	compare_rows_window_apply(c, longer, 1 / times);
	compare_finding_add(c, FINDING_window_scaled,
		arena_printf(c->a, "%s has %.4g",
			(longer == HEAD) != c->mirrored ? "head" : "base",
			times),
		NULL);
}

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

	assert(s->runs_n && s->runs);
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
	compare_conditions(c);
	if (c->statistics) {
		compare_rows_statistics(c);
		compare_fold_from(c);
		return true;
	}
	if (!compare_groups_from(c, wanted, e))
		return false;
	compare_match_iterations(c, wanted);
	compare_identity_from(c);
	compare_rows_from(c);
	compare_conditions_rows(c);
	compare_rows_join_collectives(c);
	compare_fold_from(c);
	compare_operators_from(c);
	compare_conditions_common(c);
	compare_result_counters(c);
	return compare_rows_split(c, e);
}

/* As compare_prepare(), with the sides in the order of c->mirrored. */
static bool compare_prepare_either(struct compare *c,
	const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n, struct err *e)
{
	if (c->mirrored)
		return compare_prepare(c, head, head_n, base, base_n, e);
	return compare_prepare(c, base, base_n, head, head_n, e);
}

bool compare_findings(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n, struct arena *a,
	struct comparison *out, struct err *e)
{
	const struct compare_options o = COMPARE_OPTIONS;
	struct compare c = { .o = &o,
		.a = a,
		.out = out,
		.mirrored = compare_mirror_needed(base, base_n, head, head_n) };

	*out = (struct comparison){ .comparable = true };
	if (!compare_prepare_either(&c, base, base_n, head, head_n, e))
		return false;
	compare_findings_sort(&c);
	return true;
}

/* The prior of the floors that are used. */
static struct noise_prior compare_noise(const struct compare *c)
{
	const struct repeats *r = c->repeats;
	if (c->o->floor >= 0)
		return (struct noise_prior){ .from = FLOOR_GIVEN,
			.sd = c->o->floor,
			.df = INFINITY,
			.most_df = NAN };
	return r && r->prior ? *r->prior : noise_floor_prior(NULL, c->a);
}

static uint32_t compare_repeats_n(const struct repeats *r)
{
	uint32_t n = 0;
	for (uint32_t i = 0; r && i < r->n; i++)
		n += !r->runs[i].other;
	return n;
}

bool compare_run(struct compare *c, const struct compared_run *base,
	uint32_t base_n, const struct compared_run *head, uint32_t head_n,
	struct err *e)
{
	const struct compare_options *o = c->o;
	struct noise_prior noise = compare_noise(c);
	struct comparison *out = c->out;
	struct compare_changes changes;

	*out = (struct comparison){ .comparable = true,
		.seed = o->seed,
		.permutations = o->permutations,
		.alpha = o->alpha,
		.margin = o->margin,
		.floor = noise.sd,
		.noise = noise,
		.repeats = compare_repeats_n(c->repeats) };
	if (!compare_prepare(c, base, base_n, head, head_n, e))
		return false;
	compare_causes_from(c);
	compare_rows_window_scale(c);
	compare_fold_sum(c);
	compare_operators_sum(c);
	if (out->comparable && !compare_verdict(c, &changes, e))
		return false;
	compare_side_result(c, BASE, &out->base);
	compare_side_result(c, HEAD, &out->head);
	compare_result_from(c, out->comparable ? &changes : NULL);
	return true;
}

/* Both sides, and repeats of them. */
struct compare_given {
	const struct compared_run *runs[2];
	uint32_t n[2];
	const struct repeats *repeats;
};

/* So many pairs of groups get a headline of their own: each takes as long as the
 * comparison itself. */
enum { GROUPS_COMPARED = 8 };

/* Compares one pair of groups. */
static bool compare_one(const struct compare_given *g,
	const struct compare_options *o, struct arena *a,
	struct comparison *out, struct err *e)
{
	struct compare c = { .o = o,
		.repeats = g->repeats,
		.a = a,
		.out = out,
		.mirrored = compare_mirror_needed(g->runs[BASE], g->n[BASE],
			g->runs[HEAD], g->n[HEAD]) };
	int base = c.mirrored ? HEAD : BASE;
	return compare_run(&c, g->runs[base], g->n[base], g->runs[!base],
		g->n[!base], e);
}

static void compare_group_fill(struct compared_group *g,
	const struct comparison *of, struct arena *a)
{
	g->headline = arena_strdup(a, of->headline);
	for (uint32_t i = 0; i < of->split_n; i++)
		if (of->split[i].part == SPLIT_PART_iteration)
			g->iteration = of->split[i].change;
}

/* Compares the other pairs too, those with the most time. */
static bool compare_others(const struct compare_given *g,
	const struct compare_options *o, struct arena *a,
	struct comparison *out, struct err *e)
{
	for (uint32_t i = 0; i < out->groups_n && i < GROUPS_COMPARED; i++) {
		struct compare_options other = *o;
		struct arena scratch = { 0 };
		struct comparison x;
		if (out->groups[i].match == GROUP_ALONE)
			break;
		if (i == out->group) {
			compare_group_fill(&out->groups[i], out, a);
			continue;
		}
		other.group = i;
		bool ok = compare_one(g, &other, &scratch, &x, e);
		if (ok)
			compare_group_fill(&out->groups[i], &x, a);
		arena_release(&scratch);
		if (!ok)
			return false;
	}
	return true;
}

bool compare_from(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n,
	const struct repeats *repeats, const struct compare_options *o,
	struct arena *a, struct comparison *out, struct err *e)
{
	const struct compare_given g = { { base, head }, { base_n, head_n },
		repeats };
	return compare_one(&g, o, a, out, e) &&
	       compare_others(&g, o, a, out, e);
}

/* One function's iterations, for a chart. */

struct filled {
	double *ns, *launches, *beta_pct;
	int64_t *runs, *numbers;
};

/* Whether a row is of the requested function on the side that has this name. A
 * row that both sides find by its name has one name. */
static bool compare_series_wanted(const struct compare *c,
	const struct compare_row *r, const struct compare_function *wants,
	int side)
{
	int base = c->mirrored ? HEAD : BASE;
	const char *shown = compare_row_device(r, base);
	const char *is = r->identity ? r->identity->name[side] : r->name;
	return is && !strcmp(is, wants->name) &&
	       (!wants->device || !strcmp(shown, wants->device));
}

/* Marks the rows of the requested function. If the base has no such function,
 * the name is one of the head. */
static bool compare_series_find(const struct compare *c,
	const struct compare_function *wants, bool *wanted)
{
	int base = c->mirrored ? HEAD : BASE;
	bool found = false;
	for (int turn = wants->in_head; turn < 2 && !found; turn++)
		for (uint32_t i = 0; i < c->rows_n; i++) {
			wanted[i] = compare_series_wanted(c, &c->rows[i], wants,
				turn ? !base : base);
			found |= wanted[i];
		}
	return found;
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
	const struct compared_run *head, uint32_t head_n,
	const struct compare_function *wants, struct arena *a,
	struct compare_series sides[2], struct err *e)
{
	struct compare_options o = COMPARE_OPTIONS;
	struct comparison unused = { .comparable = true };
	o.group = wants->group;
	struct compare c = { .o = &o,
		.a = a,
		.out = &unused,
		.mirrored = compare_mirror_needed(base, base_n, head, head_n) };

	if (!compare_prepare_either(&c, base, base_n, head, head_n, e))
		return false;
	bool *wanted = arena_array(a, bool, c.rows_n + 1);
	bool found = compare_series_find(&c, wants, wanted);
	for (int s = 0; s < 2; s++) {
		uint32_t n = c.side[s].iterations_n;
		struct filled f = { arena_array(a, double, n + 1),
			arena_array(a, double, n + 1),
			arena_array(a, double, n + 1),
			arena_array(a, int64_t, n + 1),
			arena_array(a, int64_t, n + 1) };
		compare_series_side_fill(&c, s, &f);
		for (uint32_t i = 0; i < c.rows_n; i++)
			if (wanted[i])
				compare_series_row_add(&c, &c.rows[i], s, &f);
		sides[c.mirrored ? !s : s] =
			(struct compare_series){ .ns = f.ns,
				.launches = f.launches,
				.beta_pct = f.beta_pct,
				.iteration_ns = c.side[s].iteration_ns,
				.runs = f.runs,
				.numbers = f.numbers,
				.n = n };
	}
	if (found)
		return true;
	if (wants->device)
		return err_set(e, ERR_NOT_FOUND,
			"neither side has this function on '%.80s'",
			wants->device);
	return err_set(e, ERR_NOT_FOUND, "neither side has this function");
}
