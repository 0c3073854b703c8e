/* compare_rows.c - builds the matrix: time per function, place and iteration, and per part of an iteration. */
#include "compare_state.h"
#include "names.h"
#include "ranks.h"
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

static struct compare_row *compare_rows_row_of(struct matrix *m,
	const char *name, enum function_type type, uint32_t place)
{
	struct compare *c = m->c;
	const char *key =
		arena_printf(c->a, "%d %u %s", (int)type, place, name);
	uint32_t id = names_put(&m->keys, key, strlen(key));
	if (id <= c->rows_n)
		return &c->rows[id - 1];
	if (c->rows_n == m->cap) {
		m->cap = m->cap ? m->cap * 2 : 256;
		c->rows = arena_grow(c->a, c->rows, m->cap * sizeof *c->rows);
	}
	struct compare_row *row = &c->rows[c->rows_n++];
	*row = (struct compare_row){ .name = name,
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

double compare_rows_beta(const struct compared_run *run,
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
			p->type, u->place_of[r][i]);
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

void compare_rows_from(struct compare *c)
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
	const char *name, double total_ns, double instances)
{
	struct compare_row *row =
		compare_rows_row_of(m, name, FUNCTION_gpu_compute, 0);
	row->ns[s][0] += total_ns;
	row->launches[s] += instances;
}

void compare_rows_statistics(struct compare *c)
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
						p->name, (double)p->dur_ns[y],
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

/* Whether every device that has it has the same count, on both sides. */
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

void compare_rows_join_collectives(struct compare *c)
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

/* Parts: how the iteration's time is divided, as rows for the verdict. A job has
 * the mean over its ranks. A part is reported if every iteration of both
 * sides has it. */

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

/* The sum over functions of a type, for parts that the iteration itself does
 * not have. */
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

bool compare_rows_split(struct compare *c, struct err *e)
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
 * head's times are divided by it. The comparison is then of the work of the
 * base's window. A change of the code changes the counts of a few functions,
 * not of all. */

struct compare_rows_counted {
	double ratio, weight;
};

static int compare_rows_by_ratio(const void *left, const void *right)
{
	const struct compare_rows_counted *a = left, *b = right;
	return (a->ratio > b->ratio) - (a->ratio < b->ratio);
}

bool compare_is_window(const struct compare_side *s)
{
	for (uint32_t i = 0; i < s->runs_n; i++)
		if (s->runs[i].iterations.detector != ITERATIONS_WINDOW)
			return false;
	return s->iterations_n > 0;
}

static void compare_rows_window_apply(struct compare *c, double by)
{
	struct compare_side *s = &c->side[HEAD];
	s->per_launch = by;
	for (uint32_t i = 0; i < c->rows_n; i++) {
		c->rows[i].launches[HEAD] *= by;
		for (uint32_t k = 0; k < s->iterations_n; k++)
			c->rows[i].ns[HEAD][k] *= by;
	}
	for (uint32_t i = 0; i < c->split_n; i++)
		for (uint32_t k = 0; k < s->iterations_n; k++)
			c->split[i].ns[HEAD][k] *= by;
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

void compare_rows_window_scale(struct compare *c)
{
	double same;
	if (!compare_is_window(&c->side[BASE]) ||
		!compare_is_window(&c->side[HEAD]))
		return;
	double ratio = compare_rows_window_ratio(c, &same);
	if (same < 0.8 || ratio == 1)
		return;
	compare_rows_window_apply(c, 1 / ratio);
	compare_finding_add(c, FINDING_window_scaled,
		arena_printf(c->a, "%.4g", ratio), NULL);
}
