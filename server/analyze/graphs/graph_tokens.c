/* graph_tokens.c - the one number in which the nodes' sizes differ; of several
 * such the one that most nodes differ by. */
#include "graph_tokens.h"
#include <string.h>

enum { MEASURES_MOST = 8 };

/* What each graph was captured for, as some nodes tell it. */
struct measure {
	int64_t of[GRAPH_CHOICES_MOST];
	uint32_t nodes;
};

static bool same_layout(const struct shape *a, const struct shape *b)
{
	if (a->n != b->n || a->dtype != b->dtype)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (a->sizes[i].n != b->sizes[i].n ||
			strcmp(a->sizes[i].name, b->sizes[i].name) != 0)
			return false;
	return true;
}

/* Takes a number of each shape into the measure, where they differ in it;
 * false where they differ in another one, too. */
static bool take(const struct shape *const *s, uint32_t n, uint32_t size,
	uint32_t value, struct measure *m, bool *differ)
{
	bool here = false, other = false;

	for (uint32_t i = 0; i < n; i++) {
		int64_t is = s[i]->sizes[size].values[value];
		here = here || is != s[0]->sizes[size].values[value];
		other = other || (*differ && is != m->of[i]);
	}
	for (uint32_t i = 0; here && !*differ && i < n; i++)
		m->of[i] = s[i]->sizes[size].values[value];
	if (here && *differ && other)
		return false;
	*differ = *differ || here;
	return true;
}

/* Whether shapes differ in one number alone, wherever it stands. */
static bool measure(const struct shape *const *s, uint32_t n, struct measure *m)
{
	bool differ = false;

	for (uint32_t i = 0; i < n; i++)
		if (!s[i] || !same_layout(s[0], s[i]))
			return false;
	for (uint32_t i = 0; i < s[0]->n; i++)
		for (uint32_t j = 0; j < s[0]->sizes[i].n; j++)
			if (!take(s, n, i, j, m, &differ))
				return false;
	return differ;
}

/* Counts a measure; beyond MEASURES_MOST different ones nothing is told. */
static void count(struct measure *all, uint32_t *all_n, const struct measure *m,
	uint32_t n)
{
	for (uint32_t i = 0; i < *all_n; i++)
		if (!memcmp(all[i].of, m->of, n * sizeof *m->of)) {
			all[i].nodes++;
			return;
		}
	if (*all_n < MEASURES_MOST) {
		all[*all_n] = *m;
		all[(*all_n)++].nodes = 1;
	}
}

/* Leaves those captured for the least number that holds the tokens. */
static void keep(const struct measure *m, const struct graph_known **list,
	uint32_t *n, int64_t tokens)
{
	int64_t holds = INT64_MAX;
	bool less = false;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < *n; i++) {
		less = less || m->of[i] < tokens;
		if (m->of[i] >= tokens && m->of[i] < holds)
			holds = m->of[i];
	}
	if (holds == INT64_MAX || (holds != tokens && !less))
		return;
	for (uint32_t i = 0; i < *n; i++)
		if (m->of[i] == holds)
			list[kept++] = list[i];
	*n = kept;
}

static bool collect(struct graph_shapes *shapes,
	const struct graph_known *const *list, uint32_t n, struct measure *all,
	uint32_t *all_n)
{
	const struct shape *s[GRAPH_CHOICES_MOST];
	struct measure *m = &all[MEASURES_MOST];

	for (uint32_t node = 0; node < list[0]->n; node++) {
		for (uint32_t i = 0; i < n; i++)
			if (!graph_shapes_of(shapes, &list[i]->nodes[node],
				    &s[i]))
				return false;
		if (measure(s, n, m))
			count(all, all_n, m, n);
	}
	return true;
}

bool graph_tokens_keep(struct graph_shapes *shapes,
	const struct graph_known **list, uint32_t *n, int64_t tokens)
{
	struct arena *a = shapes->texts.arena;
	uint32_t all_n = 0, best = 0;

	if (*n < 2 || tokens <= 0)
		return true;
	struct measure *all =
		arena_grow(a, NULL, (MEASURES_MOST + 1) * sizeof *all);
	bool ok = all && collect(shapes, list, *n, all, &all_n);
	for (uint32_t i = 1; ok && i < all_n; i++)
		if (all[i].nodes > all[best].nodes ||
			(all[i].nodes == all[best].nodes &&
				all[i].of[0] < all[best].of[0]))
			best = i;
	if (ok && all_n)
		keep(&all[best], list, n, tokens);
	arena_drop(a, all);
	return ok;
}
