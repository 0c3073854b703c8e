/* suspicion.c - computes the score of LatencyPrism, equal to the published one
 * in every digit. */
#include "suspicion.h"
#include "dist.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The values of one row. Means are computed from compensated sums (Kahan) in
 * the order of the rows, because the published figures were computed in this
 * way. Without this, some means would differ: they are so near to a rounding
 * boundary of the sixth decimal that the order of addition changes a digit. */

/* The values of a side, run after run. */
struct suspicion_list {
	double *at;
	uint32_t n, cap;
};
struct suspicion_lists {
	struct suspicion_list beta, mu;
	uint32_t iterations; /* distinct ones */
};

/* The figures of a row: means, deviations, Z and both tests. */

struct suspicion_moments {
	double mean, sd; /* the sample's */
};

/* For equal values, the mean is exactly this value and the deviation exactly 0.
 * So "nothing changed" differs from "changed by a rounding error". */
static double suspicion_sum_of(const double *v, uint32_t n, double less)
{
	double sum = 0, lost = 0;
	for (uint32_t i = 0; i < n; i++) {
		double add = v[i] - less - lost;
		double next = sum + add;
		lost = (next - sum) - add;
		sum = next;
	}
	return sum;
}

static struct suspicion_moments suspicion_moments_of(const double *v,
	uint32_t n)
{
	struct suspicion_moments m = { 0, 0 };
	bool equal = true;
	double squares = 0;
	for (uint32_t i = 1; i < n; i++)
		equal = equal && v[i] == v[0];
	if (n && equal)
		m.mean = v[0];
	if (equal)
		return m;
	m.mean = suspicion_sum_of(v, n, 0) / n;
	for (uint32_t i = 0; i < n; i++)
		squares += (v[i] - m.mean) * (v[i] - m.mean);
	m.sd = sqrt(squares / (n - 1));
	return m;
}

static double suspicion_z_of(struct suspicion_moments base,
	struct suspicion_moments head)
{
	return base.sd > 1e-9 ? (head.mean - base.mean) / base.sd : 0;
}

/* From mean, deviation and count, as scipy's ttest_ind_from_stats(). */
static double suspicion_welch(struct suspicion_moments x, uint32_t n,
	struct suspicion_moments y, uint32_t m)
{
	double vx = x.sd * x.sd / n, vy = y.sd * y.sd / m, v = vx + vy;
	double delta = x.mean - y.mean;
	if (n <= 1 || m <= 1)
		return 1;
	if (v <= 0)
		return delta == 0 ? NAN : 0;
	return dist_t_p(delta / sqrt(v),
		v * v / (vx * vx / (n - 1) + vy * vy / (m - 1)));
}

static struct suspicion_value suspicion_value_of(const struct suspicion_list *x,
	const struct suspicion_list *y, uint32_t x_iterations,
	uint32_t y_iterations, struct arena *scratch)
{
	struct suspicion_moments b = suspicion_moments_of(x->at, x->n);
	struct suspicion_moments h = suspicion_moments_of(y->at, y->n);
	return (struct suspicion_value){
		.base = b.mean,
		.head = h.mean,
		.delta = h.mean - b.mean,
		.z = suspicion_z_of(b, h),
		.p = suspicion_welch(b, x_iterations, h, y_iterations),
		.u_p = x->n > 1 && y->n > 1 ? dist_rank_sum_p(x->at, x->n,
						      y->at, y->n, scratch)
					    : 1,
	};
}

/* In place. Values without a logarithm are excluded. */
static struct suspicion_moments suspicion_of_logs(
	const struct suspicion_list *l)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i] > -1)
			l->at[n++] = log1p(l->at[i]);
	return suspicion_moments_of(l->at, n);
}

/* Fills all of *row but its names. */
static void suspicion_row_from(const struct suspicion_lists *base,
	const struct suspicion_lists *head, struct arena *scratch,
	struct suspicion_row *row)
{
	row->beta = suspicion_value_of(&base->beta, &head->beta,
		base->iterations, head->iterations, scratch);
	row->mu = suspicion_value_of(&base->mu, &head->mu, base->iterations,
		head->iterations, scratch);
	row->z_log_mu = suspicion_z_of(suspicion_of_logs(&base->mu),
		suspicion_of_logs(&head->mu));
	row->score = fabs(row->beta.delta) *
		     (fabs(row->beta.z) + fabs(row->z_log_mu));
}

/* The sides: their names and the durations of their iterations. */

enum { NAMES_MAX = 3 }; /* of a side's runs that a name lists */

/* Whether an iteration of a run counts. */
static bool suspicion_counts(const struct compared_run *r, uint32_t iteration)
{
	return r->iterations.detector == ITERATIONS_GIVEN ||
	       r->iterations.iterations[iteration].use == ITERATION_KEPT;
}

static bool suspicion_named_before(const struct compared_run *runs, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (!strcmp(runs[k].name, runs[i].name))
			return true;
	return false;
}

/* "a+b+c", "a+b+c and 2 more". */
static const char *suspicion_names_of(const struct compared_run *runs,
	uint32_t n, struct arena *a)
{
	const char *all = "";
	uint32_t names = 0;
	for (uint32_t i = 0; all && i < n; i++) {
		if (suspicion_named_before(runs, i) || names++ >= NAMES_MAX)
			continue;
		all = arena_printf(a, "%s%s%s", all, names > 1 ? "+" : "",
			runs[i].name);
	}
	if (!all || names <= NAMES_MAX)
		return all;
	return arena_printf(a, "%s and %u more", all, names - NAMES_MAX);
}

static bool suspicion_ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);
	return n >= m && !strcmp(text + n - m, end);
}

/* The names of both sides as in the publication: the process number is appended
 * to distinguish two processes. A name that already ends in it is unchanged. */
static bool suspicion_side_names(const struct compared_run *base,
	const struct compared_run *head, struct arena *a, struct suspicion *s)
{
	struct suspicion_side *sides[2] = { &s->base, &s->head };
	const int64_t ids[2] = { base->id, head->id };
	bool apart = s->base.pid >= 0 && s->head.pid >= 0 &&
		     s->base.pid != s->head.pid;
	for (int i = 0; i < 2; i++) {
		char end[32];
		snprintf(end, sizeof end, "_pid_%lld",
			(long long)sides[i]->pid);
		sides[i]->name = sides[i]->run;
		if (apart && !suspicion_ends_in(sides[i]->run, end))
			sides[i]->name =
				arena_printf(a, "%s%s", sides[i]->run, end);
	}
	if (a->full || strcmp(s->base.name, s->head.name))
		return !a->full;
	for (int i = 0; i < 2; i++)
		sides[i]->name =
			ids[0] == ids[1]
				? arena_printf(a, "%s_%s", sides[i]->run,
					  i ? "head" : "base")
				: arena_printf(a, "%s_run_%lld", sides[i]->run,
					  (long long)ids[i]);
	return !a->full;
}

/* The text that all runs share; "" if they differ. */
static const char *suspicion_shared(const char *text,
	const struct compared_run *runs, uint32_t n, bool workload)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(workload ? runs[i].workload : runs[i].project, text))
			return "";
	return text;
}

static int suspicion_longest_first(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x < y) - (x > y);
}

static bool suspicion_iterations_of(const struct compared_run *runs, uint32_t n,
	struct arena *a, struct suspicion_side *side)
{
	uint32_t all = 0;
	int64_t sum_ns = 0;
	for (uint32_t i = 0; i < n; i++)
		all += runs[i].iterations.n;
	double *us = arena_grow(a, NULL, ((size_t)all + 1) * sizeof *us);
	if (!us)
		return false;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < runs[i].iterations.n; k++) {
			int64_t dur_ns =
				runs[i].iterations.iterations[k].dur_ns;
			if (!suspicion_counts(&runs[i], k) || dur_ns < 0)
				continue;
			us[side->iterations_n++] = (double)dur_ns / 1e3;
			sum_ns += dur_ns;
		}
	qsort(us, side->iterations_n, sizeof *us, suspicion_longest_first);
	side->iterations_us = us;
	side->iteration_us = side->iterations_n
				     ? (double)sum_ns / 1e3 / side->iterations_n
				     : 0;
	return true;
}

static const char *suspicion_no_iterations(enum content content)
{
	switch (content) {
	case CONTENT_STATISTICS:
		return "a table of statistics has none";
	case CONTENT_DURATIONS:
		return "its calls have no starts";
	default:
		return "none were found in it";
	}
}

static bool suspicion_side_from(const struct compared_run *runs, uint32_t n,
	struct arena *a, struct suspicion_side *side, struct err *e)
{
	side->run = suspicion_names_of(runs, n, a);
	side->pid = n == 1 ? runs->pid : -1;
	if (!side->run || !suspicion_iterations_of(runs, n, a, side))
		return arena_err(a, e);
	if (side->iterations_n == 0)
		return err_set(e, ERR_INPUT,
			"'%.80s' has no iterations to score: %s", side->run,
			suspicion_no_iterations(runs->content));
	return true;
}

/* Names, subject and iterations of both sides. */
static bool suspicion_sides(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n, struct arena *a,
	struct suspicion *out, struct err *e)
{
	const char *w = suspicion_shared(base->workload, base, base_n, true);
	const char *p = suspicion_shared(base->project, base, base_n, false);
	if (!suspicion_side_from(base, base_n, a, &out->base, e) ||
		!suspicion_side_from(head, head_n, a, &out->head, e))
		return false;
	w = suspicion_shared(w, head, head_n, true);
	p = suspicion_shared(p, head, head_n, false);
	out->subject = *w ? w : p;
	return suspicion_side_names(base, head, a, out) || arena_err(a, e);
}

/* The score: rows of both sides are joined, scored and sorted. */

/* A function with a metric, in one run; metric NULL: neither side has any. */
struct suspicion_part {
	const struct compared_run *run;
	const struct pattern *pattern;
	const struct pattern_metric *metric;
	uint32_t side, order;
};

struct suspicion_maker {
	struct arena *arena;
	struct suspicion_part *parts;
	uint32_t n, cap;
	bool metrics; /* some run has one */
	struct suspicion_lists sides[2];
	uint8_t *seen; /* by place in patterns.iteration */
};

static const char *suspicion_metric_of(const struct suspicion_part *p)
{
	return p->metric ? p->metric->name : "N/A";
}

static const char *suspicion_device_of(const struct suspicion_part *p)
{
	const char *device = p->pattern->device;
	return device && *device ? device : "N/A";
}

static int suspicion_by_key(const struct suspicion_part *a,
	const struct suspicion_part *b)
{
	int c = strcmp(a->pattern->name, b->pattern->name);
	c = c ? c : strcmp(suspicion_metric_of(a), suspicion_metric_of(b));
	return c ? c : strcmp(suspicion_device_of(a), suspicion_device_of(b));
}

static int suspicion_by_key_and_order(const void *left, const void *right)
{
	const struct suspicion_part *a = left, *b = right;
	int c = suspicion_by_key(a, b);
	return c ? c : (a->order > b->order) - (a->order < b->order);
}

static bool suspicion_part_add(struct suspicion_maker *m,
	const struct compared_run *run, uint32_t side, const struct pattern *p,
	const struct pattern_metric *u)
{
	if (m->n == m->cap) {
		uint32_t cap = m->cap ? m->cap * 2 : 256;
		struct suspicion_part *grown = arena_grow(m->arena, m->parts,
			(size_t)cap * sizeof *grown);
		if (!grown)
			return false;
		m->parts = grown;
		m->cap = cap;
	}
	m->parts[m->n] = (struct suspicion_part){ run, p, u, side, m->n };
	m->n++;
	return true;
}

static bool suspicion_run_add(struct suspicion_maker *m,
	const struct compared_run *run, uint32_t side)
{
	const struct patterns *p = &run->patterns;
	bool ok = true;
	for (uint32_t i = 0; ok && m->metrics && i < p->metrics_n; i++)
		ok = suspicion_part_add(m, run, side,
			&p->rows[p->metrics[i].pattern], &p->metrics[i]);
	for (uint32_t i = 0; ok && !m->metrics && i < p->n; i++)
		ok = suspicion_part_add(m, run, side, &p->rows[i], NULL);
	return ok;
}

static double suspicion_beta_of(const struct suspicion_part *p, uint32_t i)
{
	const struct iterations *c = &p->run->iterations;
	const struct iteration *in =
		&c->iterations[p->run->patterns.iteration[i]];
	if (p->pattern->beta_pct && !isnan(p->pattern->beta_pct[i]))
		return p->pattern->beta_pct[i];
	if (in->dur_ns <= 0)
		return NAN;
	return 100 * (double)p->pattern->dur_ns[i] / (double)in->dur_ns;
}

/* Whether there is a row of this iteration. */
static bool suspicion_has_row(const struct suspicion_part *p, uint32_t i)
{
	if (!suspicion_counts(p->run, p->run->patterns.iteration[i]))
		return false;
	return p->metric ? p->metric->interpolated[i] != METRIC_NO_ROW
			 : p->pattern->launches[i] > 0;
}

static bool suspicion_list_add(struct suspicion_list *l, double v,
	struct arena *a)
{
	if (l->n == l->cap) {
		uint32_t cap = l->cap ? l->cap * 2 : 256;
		double *grown =
			arena_grow(a, l->at, (size_t)cap * sizeof *grown);
		if (!grown)
			return false;
		l->at = grown;
		l->cap = cap;
	}
	l->at[l->n++] = v;
	return true;
}

/* Counts the iterations of a part. `again`: the part before it is of this run,
 * too (a function with two types), so an iteration may have been counted
 * already. */
static bool suspicion_part_count(struct suspicion_maker *m,
	const struct suspicion_part *p, bool again)
{
	struct suspicion_lists *to = &m->sides[p->side];
	uint32_t n = p->run->patterns.iterations_n;
	bool ok = true;
	if (!again)
		memset(m->seen, 0, n);
	for (uint32_t i = 0; ok && i < n; i++) {
		if (!suspicion_has_row(p, i))
			continue;
		double beta = suspicion_beta_of(p, i);
		double mu = p->metric ? p->metric->mu[i] : NAN;
		ok = (isnan(beta) ||
			     suspicion_list_add(&to->beta, beta, m->arena)) &&
		     suspicion_list_add(&to->mu, isnan(mu) ? 0 : mu, m->arena);
		to->iterations += !m->seen[i];
		m->seen[i] = 1;
	}
	return ok;
}

/* One row of parts[0] to parts[n - 1]; *rows_n is unchanged if none of their
 * iterations counts. */
static bool suspicion_group_score(struct suspicion_maker *m,
	const struct suspicion_part *parts, uint32_t n,
	struct suspicion_row *rows, uint32_t *rows_n)
{
	bool ok = true;
	for (uint32_t s = 0; s < 2; s++)
		m->sides[s].beta.n = m->sides[s].mu.n = m->sides[s].iterations =
			0;
	for (uint32_t i = 0; ok && i < n; i++)
		ok = suspicion_part_count(m, &parts[i],
			i && parts[i - 1].run == parts[i].run &&
				parts[i - 1].side == parts[i].side);
	if (!ok || m->sides[0].iterations + m->sides[1].iterations == 0)
		return ok;
	struct suspicion_row *row = &rows[(*rows_n)++];
	*row = (struct suspicion_row){ .name = parts->pattern->name,
		.metric = suspicion_metric_of(parts),
		.device = suspicion_device_of(parts) };
	suspicion_row_from(&m->sides[0], &m->sides[1], m->arena, row);
	return !m->arena->full;
}

static int suspicion_by_score(const void *left, const void *right)
{
	const struct suspicion_row *a = left, *b = right;
	double x = isnan(a->score) ? -1 : a->score;
	double y = isnan(b->score) ? -1 : b->score;
	int c = (x < y) - (x > y);
	c = c ? c : strcmp(a->name, b->name);
	c = c ? c : strcmp(a->metric, b->metric);
	return c ? c : strcmp(a->device, b->device);
}

static bool suspicion_rows_make(struct suspicion_maker *m,
	struct suspicion *out)
{
	out->rows = arena_grow(m->arena, NULL,
		((size_t)m->n + 1) * sizeof *out->rows);
	if (!out->rows)
		return false;
	if (m->n)
		qsort(m->parts, m->n, sizeof *m->parts,
			suspicion_by_key_and_order);
	for (uint32_t i = 0, end; i < m->n; i = end) {
		for (end = i + 1; end < m->n && !suspicion_by_key(&m->parts[i],
							&m->parts[end]);)
			end++;
		if (!suspicion_group_score(m, &m->parts[i], end - i, out->rows,
			    &out->rows_n))
			return false;
	}
	qsort(out->rows, out->rows_n, sizeof *out->rows, suspicion_by_score);
	return true;
}

static bool suspicion_same_function(const struct suspicion_row *a,
	const struct suspicion_row *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->device, b->device);
}

static bool suspicion_reported(const struct suspicion *s,
	const struct suspicion_row *row)
{
	for (uint32_t i = 0; i < s->findings_n; i++)
		if (suspicion_same_function(s->findings[i].row, row))
			return true;
	return false;
}

/* Rows are sorted: the first of a function is its highest. */
static void suspicion_findings_make(struct suspicion *s)
{
	uint32_t n = 0;
	while (n < s->rows_n && s->rows[n].score > SUSPICION_NOTABLE)
		n++;
	for (uint32_t i = 0; i < n && s->findings_n < SUSPICION_FINDINGS; i++) {
		if (suspicion_reported(s, &s->rows[i]))
			continue;
		struct suspicion_finding *f = &s->findings[s->findings_n++];
		f->row = &s->rows[i];
		for (uint32_t k = i;
			k < n && f->resources_n < SUSPICION_RESOURCES; k++)
			if (suspicion_same_function(f->row, &s->rows[k]) &&
				fabs(s->rows[k].mu.delta) > 1e-6)
				f->resources[f->resources_n++] = &s->rows[k];
	}
}

static bool suspicion_gather(struct suspicion_maker *m,
	const struct compared_run *runs, uint32_t n, uint32_t side)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < n; i++)
		ok = suspicion_run_add(m, &runs[i], side);
	return ok;
}

static void suspicion_inspect(struct suspicion_maker *m,
	const struct compared_run *runs, uint32_t n, uint32_t *most)
{
	for (uint32_t i = 0; i < n; i++) {
		m->metrics = m->metrics || runs[i].patterns.metrics_n;
		if (runs[i].patterns.iterations_n > *most)
			*most = runs[i].patterns.iterations_n;
	}
}

bool suspicion_from(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n, struct arena *a,
	struct suspicion *out, struct err *e)
{
	struct suspicion_maker m = { .arena = a };
	uint32_t most = 0;
	*out = (struct suspicion){ 0 };
	if (!suspicion_sides(base, base_n, head, head_n, a, out, e))
		return false;
	suspicion_inspect(&m, base, base_n, &most);
	suspicion_inspect(&m, head, head_n, &most);
	m.seen = arena_grow(a, NULL, (size_t)most + 1);
	bool ok = m.seen && suspicion_gather(&m, base, base_n, 0) &&
		  suspicion_gather(&m, head, head_n, 1) &&
		  suspicion_rows_make(&m, out);
	for (uint32_t s = 0; s < 2; s++) {
		arena_drop(a, m.sides[s].beta.at);
		arena_drop(a, m.sides[s].mu.at);
	}
	arena_drop(a, m.seen);
	arena_drop(a, m.parts);
	if (!ok)
		return arena_err(a, e);
	out->metrics = m.metrics;
	suspicion_findings_make(out);
	return true;
}
