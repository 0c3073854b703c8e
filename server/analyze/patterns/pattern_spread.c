/* pattern_spread.c - durations gathered by function, sorted, a few kept. */
#include "pattern_spread.h"
#include "pattern_rows.h"
#include <stdlib.h>

struct gathered {
	uint32_t seen, all; /* executions of kept cycles */
	uint32_t n; /* of them taken */
	int64_t *ns; /* room for those */
};

static bool kept(const struct profile *p, const struct execution *e)
{
	return p->cycles.cycles[e->cycle].use == CYCLE_KEPT;
}

static int ascending(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
	return (a > b) - (a < b);
}

/* The i-th of `all` is taken where that makes an even choice of `most`. */
static bool taken(const struct gathered *g)
{
	uint64_t most = PATTERN_SPREAD_FROM;
	if (g->all <= most)
		return true;
	return (g->seen + 1) * most / g->all > g->seen * most / g->all;
}

static void pick(const struct gathered *g, int64_t *spread_ns)
{
	const uint32_t last = PATTERN_SPREAD - 1;
	qsort(g->ns, g->n, sizeof *g->ns, ascending);
	for (uint32_t i = 0; i <= last; i++)
		spread_ns[i] =
			g->ns[((uint64_t)i * (g->n - 1) + last / 2) / last];
}

static bool room(struct gathered *g, uint32_t rows, struct arena *a,
	int64_t **list)
{
	size_t all = 0;
	for (uint32_t i = 0; i < rows; i++)
		all += g[i].all < PATTERN_SPREAD_FROM ? g[i].all
						      : PATTERN_SPREAD_FROM;
	*list = arena_grow(a, NULL, (all + 1) * sizeof **list);
	all = 0;
	for (uint32_t i = 0; *list && i < rows; i++) {
		g[i].ns = *list + all;
		all += g[i].all < PATTERN_SPREAD_FROM ? g[i].all
						      : PATTERN_SPREAD_FROM;
	}
	return *list;
}

static bool spreads(struct gathered *g, struct profile *p)
{
	struct patterns *to = &p->patterns;
	int64_t *cells = arena_grow(p->arena, NULL,
		((size_t)to->n * PATTERN_SPREAD + 1) * sizeof *cells);
	for (uint32_t i = 0; cells && i < to->n; i++) {
		if (!g[i].n)
			continue;
		to->rows[i].spread_ns = cells + (size_t)i * PATTERN_SPREAD;
		pick(&g[i], to->rows[i].spread_ns);
	}
	return cells;
}

bool pattern_spread(const struct executions *x, const uint32_t *row_of,
	struct profile *p)
{
	uint32_t rows = p->patterns.n;
	struct gathered *g = arena_array(p->arena, struct gathered, rows + 1);
	int64_t *list = NULL;

	for (uint32_t i = 0; g && i < x->n; i++) {
		uint32_t row = row_of[x->list[i].function];
		if (row != PATTERN_NO_ROW)
			g[row].all += kept(p, &x->list[i]);
	}
	bool ok = g && room(g, rows, p->arena, &list);
	for (uint32_t i = 0; ok && i < x->n; i++) {
		uint32_t row = row_of[x->list[i].function];
		if (row == PATTERN_NO_ROW || !kept(p, &x->list[i]))
			continue;
		if (taken(&g[row]))
			g[row].ns[g[row].n++] = x->list[i].dur_ns;
		g[row].seen++;
	}
	ok = ok && spreads(g, p);
	arena_drop(p->arena, list);
	return ok;
}
