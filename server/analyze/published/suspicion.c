/* suspicion.c - the rows of both sides brought together, scored and sorted. */
#include "suspicion.h"
#include "suspicion_value.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A function with a metric, in one run; metric NULL: neither side has any. */
struct part {
	const struct compared_run *run;
	const struct pattern *pattern;
	const struct pattern_metric *metric;
	uint32_t side, order;
};

struct maker {
	struct arena *arena;
	struct part *parts;
	uint32_t n, cap;
	bool metrics; /* some run has one */
	struct suspicion_lists sides[2];
	uint8_t *seen; /* by place in patterns.cycle */
};

static const char *metric_of(const struct part *p)
{
	return p->metric ? p->metric->name : "N/A";
}

static const char *device_of(const struct part *p)
{
	const char *device = p->pattern->device;
	return device && *device ? device : "N/A";
}

static int by_key(const struct part *a, const struct part *b)
{
	int c = strcmp(a->pattern->name, b->pattern->name);
	c = c ? c : strcmp(metric_of(a), metric_of(b));
	return c ? c : strcmp(device_of(a), device_of(b));
}

static int by_key_and_order(const void *left, const void *right)
{
	const struct part *a = left, *b = right;
	int c = by_key(a, b);
	return c ? c : (a->order > b->order) - (a->order < b->order);
}

static bool part_add(struct maker *m, const struct compared_run *run,
	uint32_t side, const struct pattern *p, const struct pattern_metric *u)
{
	if (m->n == m->cap) {
		uint32_t cap = m->cap ? m->cap * 2 : 256;
		struct part *grown = arena_grow(m->arena, m->parts,
			(size_t)cap * sizeof *grown);
		if (!grown)
			return false;
		m->parts = grown;
		m->cap = cap;
	}
	m->parts[m->n] = (struct part){ run, p, u, side, m->n };
	m->n++;
	return true;
}

static bool run_add(struct maker *m, const struct compared_run *run,
	uint32_t side)
{
	const struct patterns *p = &run->patterns;
	bool ok = true;
	for (uint32_t i = 0; ok && m->metrics && i < p->metrics_n; i++)
		ok = part_add(m, run, side, &p->rows[p->metrics[i].pattern],
			&p->metrics[i]);
	for (uint32_t i = 0; ok && !m->metrics && i < p->n; i++)
		ok = part_add(m, run, side, &p->rows[i], NULL);
	return ok;
}

static double beta_of(const struct part *p, uint32_t i)
{
	const struct cycles *c = &p->run->cycles;
	const struct cycle *in = &c->cycles[p->run->patterns.cycle[i]];
	if (p->pattern->beta_pct && !isnan(p->pattern->beta_pct[i]))
		return p->pattern->beta_pct[i];
	if (in->dur_ns <= 0)
		return NAN;
	return 100 * (double)p->pattern->dur_ns[i] / (double)in->dur_ns;
}

/* Whether there is a row of this cycle. */
static bool has_row(const struct part *p, uint32_t i)
{
	if (!suspicion_counts(p->run, p->run->patterns.cycle[i]))
		return false;
	return p->metric ? p->metric->interpolated[i] != METRIC_NO_ROW
			 : p->pattern->launches[i] > 0;
}

static bool list_add(struct suspicion_list *l, double v, struct arena *a)
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

/* `again`: the part before it is of the same run, so that a cycle may have been
 * counted: a function of two types. */
static bool part_count(struct maker *m, const struct part *p, bool again)
{
	struct suspicion_lists *to = &m->sides[p->side];
	uint32_t n = p->run->patterns.cycles_n;
	bool ok = true;
	if (!again)
		memset(m->seen, 0, n);
	for (uint32_t i = 0; ok && i < n; i++) {
		if (!has_row(p, i))
			continue;
		double beta = beta_of(p, i);
		double mu = p->metric ? p->metric->mu[i] : NAN;
		ok = (isnan(beta) || list_add(&to->beta, beta, m->arena)) &&
		     list_add(&to->mu, isnan(mu) ? 0 : mu, m->arena);
		to->cycles += !m->seen[i];
		m->seen[i] = 1;
	}
	return ok;
}

/* One row of parts[0] to parts[n - 1]; *rows_n stays where none of their cycles
 * counts. */
static bool group(struct maker *m, const struct part *parts, uint32_t n,
	struct suspicion_row *rows, uint32_t *rows_n)
{
	bool ok = true;
	for (uint32_t s = 0; s < 2; s++)
		m->sides[s].beta.n = m->sides[s].mu.n = m->sides[s].cycles = 0;
	for (uint32_t i = 0; ok && i < n; i++)
		ok = part_count(m, &parts[i],
			i && parts[i - 1].run == parts[i].run &&
				parts[i - 1].side == parts[i].side);
	if (!ok || m->sides[0].cycles + m->sides[1].cycles == 0)
		return ok;
	struct suspicion_row *row = &rows[(*rows_n)++];
	*row = (struct suspicion_row){ .name = parts->pattern->name,
		.metric = metric_of(parts),
		.device = device_of(parts) };
	suspicion_row_from(&m->sides[0], &m->sides[1], m->arena, row);
	return !m->arena->full;
}

static int by_score(const void *left, const void *right)
{
	const struct suspicion_row *a = left, *b = right;
	double x = isnan(a->score) ? -1 : a->score;
	double y = isnan(b->score) ? -1 : b->score;
	int c = (x < y) - (x > y);
	c = c ? c : strcmp(a->name, b->name);
	c = c ? c : strcmp(a->metric, b->metric);
	return c ? c : strcmp(a->device, b->device);
}

static bool rows_make(struct maker *m, struct suspicion *out)
{
	out->rows = arena_grow(m->arena, NULL,
		((size_t)m->n + 1) * sizeof *out->rows);
	if (!out->rows)
		return false;
	if (m->n)
		qsort(m->parts, m->n, sizeof *m->parts, by_key_and_order);
	for (uint32_t i = 0, end; i < m->n; i = end) {
		for (end = i + 1;
			end < m->n && !by_key(&m->parts[i], &m->parts[end]);)
			end++;
		if (!group(m, &m->parts[i], end - i, out->rows, &out->rows_n))
			return false;
	}
	qsort(out->rows, out->rows_n, sizeof *out->rows, by_score);
	return true;
}

static bool same_function(const struct suspicion_row *a,
	const struct suspicion_row *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->device, b->device);
}

static bool reported(const struct suspicion *s, const struct suspicion_row *row)
{
	for (uint32_t i = 0; i < s->findings_n; i++)
		if (same_function(s->findings[i].row, row))
			return true;
	return false;
}

/* Rows are sorted: the first of a function is its highest. */
static void findings_make(struct suspicion *s)
{
	uint32_t n = 0;
	while (n < s->rows_n && s->rows[n].score > SUSPICION_NOTABLE)
		n++;
	for (uint32_t i = 0; i < n && s->findings_n < SUSPICION_FINDINGS; i++) {
		if (reported(s, &s->rows[i]))
			continue;
		struct suspicion_finding *f = &s->findings[s->findings_n++];
		f->row = &s->rows[i];
		for (uint32_t k = i;
			k < n && f->resources_n < SUSPICION_RESOURCES; k++)
			if (same_function(f->row, &s->rows[k]) &&
				fabs(s->rows[k].mu.delta) > 1e-6)
				f->resources[f->resources_n++] = &s->rows[k];
	}
}

static bool gather(struct maker *m, const struct compared_run *runs, uint32_t n,
	uint32_t side)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < n; i++)
		ok = run_add(m, &runs[i], side);
	return ok;
}

static void look(struct maker *m, const struct compared_run *runs, uint32_t n,
	uint32_t *most)
{
	for (uint32_t i = 0; i < n; i++) {
		m->metrics = m->metrics || runs[i].patterns.metrics_n;
		if (runs[i].patterns.cycles_n > *most)
			*most = runs[i].patterns.cycles_n;
	}
}

bool suspicion_from(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n, struct arena *a,
	struct suspicion *out, struct err *e)
{
	struct maker m = { .arena = a };
	uint32_t most = 0;
	*out = (struct suspicion){ 0 };
	if (!suspicion_sides(base, base_n, head, head_n, a, out, e))
		return false;
	look(&m, base, base_n, &most);
	look(&m, head, head_n, &most);
	m.seen = arena_grow(a, NULL, (size_t)most + 1);
	bool ok = m.seen && gather(&m, base, base_n, 0) &&
		  gather(&m, head, head_n, 1) && rows_make(&m, out);
	for (uint32_t s = 0; s < 2; s++) {
		arena_drop(a, m.sides[s].beta.at);
		arena_drop(a, m.sides[s].mu.at);
	}
	arena_drop(a, m.seen);
	arena_drop(a, m.parts);
	if (!ok)
		return arena_err(a, e);
	out->metrics = m.metrics;
	findings_make(out);
	return true;
}
