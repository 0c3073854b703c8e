/* graph_align.c - longest common subsequences of a capture and a replay.
 *
 * graph_distance() is the greedy algorithm of Myers ("An O(ND) Difference
 * Algorithm and Its Variations", 1986). Most captures are rejected by it after
 * a few steps. For the others, tables of the distances of all beginnings and
 * all ends show every longest common subsequence at once. Only the diagonals
 * that a path of this distance can reach are stored, so that the tables take
 * at most 2 * 129 bytes per kernel. */
#include "graph_capture.h"
#include <assert.h>
#include <string.h>

/* Follows equal kernels from captured kernel j and replayed kernel i; returns
 * the new i. */
static int64_t graph_align_snake(const struct graph_sides *s, int64_t j,
	int64_t i)
{
	while (i < s->replayed_n && j < s->captured_n &&
		s->replayed[i] == s->captured[j])
		i++, j++;
	return i;
}

/* The furthest replayed kernel on diagonal k after `d` unmatched kernels, from
 * those after d - 1; -1 if there is none. */
static int64_t graph_align_furthest(const struct graph_sides *s,
	const int64_t *at, int64_t k, int64_t d)
{
	int64_t captured = d ? at[k - 1] : 0; /* one more of these */
	int64_t replayed = d && at[k + 1] >= 0 ? at[k + 1] + 1 : -1;

	if (captured + k > s->captured_n || captured + k < 0)
		captured = -1;
	if (replayed > s->replayed_n || replayed + k < 0)
		replayed = -1;
	int64_t i = captured > replayed ? captured : replayed;
	return i < 0 ? -1 : graph_align_snake(s, i + k, i);
}

uint32_t graph_distance(const struct graph_sides *s, uint32_t max)
{
	/* by diagonal: the number of captured kernels minus the number of
	 * replayed ones */
	int64_t furthest[2 * GRAPH_DISTANCE_MOST + 3];
	int64_t *at = furthest + GRAPH_DISTANCE_MOST + 1;
	int64_t goal = (int64_t)s->captured_n - s->replayed_n;

	assert(max <= GRAPH_DISTANCE_MOST);
	memset(furthest, 0xFF, sizeof furthest); /* -1: no kernel */
	for (int64_t d = 0; d <= (int64_t)max; d++)
		for (int64_t k = -d; k <= d; k += 2) {
			at[k] = graph_align_furthest(s, at, k, d);
			if (k == goal && at[k] == s->replayed_n)
				return (uint32_t)d;
		}
	return GRAPH_DISTANCE_FAR;
}

static size_t graph_align_width(const struct graph_alignment *g)
{
	return 2 * (size_t)g->distance + 1;
}

/* The cell of i replayed and j captured kernels. NULL if no path of the
 * alignment's distance can reach it. */
static uint8_t *graph_align_cell(const struct graph_alignment *g,
	uint8_t *table, int64_t i, int64_t j)
{
	int64_t d = g->distance;

	if (i < 0 || j < 0 || i > g->of.replayed_n || j > g->of.captured_n ||
		j - i > d || i - j > d)
		return NULL;
	return &table[(size_t)i * graph_align_width(g) + (size_t)(j - i + d)];
}

static uint32_t graph_align_value(const struct graph_alignment *g,
	uint8_t *table, int64_t i, int64_t j)
{
	const uint8_t *cell = graph_align_cell(g, table, i, j);

	return cell ? *cell : GRAPH_DISTANCE_FAR;
}

/* Sets the cell (i, j) from its neighbors that are `step` further: -1 for the
 * table of beginnings, 1 for that of ends. */
static void graph_align_set(const struct graph_alignment *g, uint8_t *table,
	int64_t i, int64_t j, int step)
{
	uint8_t *cell = graph_align_cell(g, table, i, j);
	int64_t row = step < 0 ? i - 1 : i, column = step < 0 ? j - 1 : j;
	uint32_t extra, missing, min;

	if (!cell)
		return;
	extra = graph_align_value(g, table, i + step, j) + 1;
	missing = graph_align_value(g, table, i, j + step) + 1;
	min = extra < missing ? extra : missing;
	if (graph_align_cell(g, table, i + step, j + step) &&
		g->of.replayed[row] == g->of.captured[column]) {
		uint32_t same = graph_align_value(g, table, i + step, j + step);
		min = same < min ? same : min;
	}
	*cell = min < GRAPH_DISTANCE_FAR ? (uint8_t)min : GRAPH_DISTANCE_FAR;
}

static void graph_align_fill(const struct graph_alignment *g)
{
	int64_t n = g->of.replayed_n, d = g->distance;

	for (int64_t i = 0; i <= n; i++)
		for (int64_t j = i - d; j <= i + d; j++)
			if (i == 0 && j == 0)
				*graph_align_cell(g, g->before, 0, 0) = 0;
			else
				graph_align_set(g, g->before, i, j, -1);
	for (int64_t i = n; i >= 0; i--)
		for (int64_t j = i + d; j >= i - d; j--)
			if (i == n && j == g->of.captured_n)
				*graph_align_cell(g, g->after, i, j) = 0;
			else
				graph_align_set(g, g->after, i, j, 1);
}

/* Whether a path of the alignment's distance leads through two cells, with
 * `unmatched` kernels between them. */
static bool graph_align_through(const struct graph_alignment *g, int64_t i,
	int64_t j, uint32_t unmatched, int64_t next_i, int64_t next_j)
{
	return graph_align_value(g, g->before, i, j) + unmatched +
		       graph_align_value(g, g->after, next_i, next_j) ==
	       g->distance;
}

/* Sets extra, missing and replaced. */
static void graph_align_unmatched(struct graph_alignment *g)
{
	int64_t d = g->distance;

	for (int64_t i = 0; i <= g->of.replayed_n; i++)
		for (int64_t j = i - d; j <= i + d; j++) {
			if (graph_align_through(g, i, j, 1, i + 1, j))
				g->extra[i] = true;
			if (graph_align_through(g, i, j, 1, i, j + 1))
				g->missing[j] = true;
			if (graph_align_through(g, i, j, 2, i + 1, j + 1))
				g->replaced = true;
		}
}

bool graph_align(struct graph_alignment *g, const struct graph_sides *s,
	uint32_t distance, struct arena *a)
{
	*g = (struct graph_alignment){ .of = *s, .distance = distance };
	size_t cells = ((size_t)s->replayed_n + 1) * graph_align_width(g);

	g->before = arena_grow(a, NULL, cells);
	g->after = arena_grow(a, NULL, cells);
	g->extra = arena_grow(a, NULL, (size_t)s->replayed_n + 1);
	g->missing = arena_grow(a, NULL, (size_t)s->captured_n + 1);
	if (!g->before || !g->after || !g->extra || !g->missing)
		return false;
	graph_align_fill(g);
	graph_align_unmatched(g);
	return true;
}

bool graph_align_match(const struct graph_alignment *g, uint32_t i, uint32_t j)
{
	return g->of.replayed[i] == g->of.captured[j] &&
	       graph_align_through(g, i, j, 0, (int64_t)i + 1, (int64_t)j + 1);
}
