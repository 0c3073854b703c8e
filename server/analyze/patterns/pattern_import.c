/* pattern_told.c - rows of the table sorted into functions, cycles, metrics. */
#include "pattern_told.h"
#include "pattern_choice.h"
#include "pattern_rows.h"
#include "pattern_told_function.h"
#include "pattern_told_metrics.h"
#include <math.h>

enum { NONE = UINT32_MAX };

struct maker {
	const struct trace *t;
	struct slice rows;
	struct profile *p;
	struct told_functions functions;
	struct told_row *told; /* by row of the slice */
	uint8_t *seen; /* by function and place of the cycle */
	uint32_t *place; /* of each cycle among those told */
	uint32_t *row_of; /* of each function */
};

/* Cycles by their number; id = index + 1. */
static bool numbers(const struct cycles *all, struct names *of, struct arena *a)
{
	bool ok = names_init(of, a);
	for (uint32_t i = 0; ok && i < all->n; i++) {
		const int64_t *number = &all->cycles[i].number;
		ok = names_put(of, (const char *)number, sizeof *number) ==
		     i + 1;
	}
	return ok;
}

/* Whose each row is, as far as it is of a cycle. */
static bool assign(struct maker *m)
{
	const struct pattern_rows *r = &m->t->pattern;
	struct names of;
	bool ok = numbers(&m->p->cycles, &of, m->p->arena);
	for (uint32_t i = m->rows.from; ok && i < m->rows.to; i++) {
		struct told_row *to = &m->told[i - m->rows.from];
		uint32_t id = names_find(&of, (const char *)&r->cycle[i],
			sizeof r->cycle[i]);
		*to = (struct told_row){ NONE, NONE, false };
		if (r->anchor[i] != r->anchor[m->rows.from] || id == NAMES_NONE)
			continue;
		to->cycle = id - 1;
		ok = told_function_of(&m->functions, i, &to->function);
	}
	return ok;
}

/* From here on, a row's cycle is its place among those told. */
static bool totals(struct maker *m)
{
	const struct pattern_rows *r = &m->t->pattern;
	size_t n = m->p->patterns.cycles_n;
	m->seen = arena_grow(m->p->arena, NULL, n * m->functions.n + 1);
	for (uint32_t i = 0; m->seen && i < m->rows.to - m->rows.from; i++) {
		struct told_row *row = &m->told[i];
		if (row->cycle != NONE)
			row->cycle = m->place[row->cycle];
		if (row->cycle == NONE)
			continue;
		uint8_t *seen = &m->seen[row->function * n + row->cycle];
		row->first = !*seen;
		*seen = 1;
		int64_t *sum = &m->functions.list[row->function].total_ns;
		if (row->first)
			*sum = (*sum < 0 ? 0 : *sum) +
			       r->dur_ns[m->rows.from + i];
	}
	return m->seen;
}

static bool fill(struct maker *m)
{
	const struct pattern_rows *r = &m->t->pattern;
	struct patterns *to = &m->p->patterns;
	size_t n = to->cycles_n;
	double *beta =
		arena_grow(m->p->arena, NULL, (n * to->n + 1) * sizeof *beta);
	if (!beta)
		return false;
	for (size_t i = 0; i < n * to->n; i++)
		beta[i] = NAN;
	for (uint32_t i = 0; i < to->n; i++)
		to->rows[i].beta_pct = beta + i * n;
	for (uint32_t i = 0; i < m->rows.to - m->rows.from; i++) {
		struct told_row *row = &m->told[i];
		if (row->cycle == NONE)
			continue;
		row->function = m->row_of[row->function];
		struct pattern *f = &to->rows[row->function];
		if (!row->first)
			continue;
		f->dur_ns[row->cycle] = r->dur_ns[m->rows.from + i];
		f->launches[row->cycle] = r->instances[m->rows.from + i];
		f->beta_pct[row->cycle] = r->beta_pct[m->rows.from + i];
	}
	return true;
}

bool pattern_told(const struct trace *t, const struct process *proc,
	struct profile *p)
{
	struct maker m = { .t = t, .rows = proc->pattern, .p = p };
	struct arena *a = p->arena;

	p->patterns = (struct patterns){ 0 };
	m.told = arena_grow(a, NULL,
		((size_t)m.rows.to - m.rows.from + 1) * sizeof *m.told);
	bool ok = m.told && told_functions_init(&m.functions, t, a) &&
		  assign(&m) && pattern_choice(p, m.functions.n, &m.place) &&
		  totals(&m) &&
		  pattern_rows_from(p, m.functions.list, m.functions.n,
			  &m.row_of) &&
		  fill(&m) && told_metrics(t, m.rows, m.told, p);
	arena_drop(a, m.told);
	arena_drop(a, m.seen);
	arena_drop(a, m.place);
	arena_drop(a, m.row_of);
	arena_drop(a, m.functions.list);
	return ok;
}
