/* group.c - two counting sorts, and equal rows lie side by side. */
#include "row_groups.h"

/* Sorts `from` into `to` by a key, stable. `from` may be NULL: 0, 1, 2, … */
static bool sort_by(struct arena *a, struct group_key key, const uint32_t *from,
	uint32_t *to, uint32_t rows)
{
	uint32_t *at = arena_grow(a, NULL, ((size_t)key.n + 1) * sizeof *at);
	if (!at)
		return false;
	for (uint32_t i = 0; i < rows; i++)
		at[key.of[i] + 1]++;
	for (uint32_t k = 1; k < key.n; k++)
		at[k] += at[k - 1];
	for (uint32_t i = 0; i < rows; i++) {
		uint32_t row = from ? from[i] : i;
		to[at[key.of[row]]++] = row;
	}
	arena_drop(a, at);
	return true;
}

static bool agree(struct group_key key, uint32_t row, uint32_t other)
{
	return !key.of || key.of[row] == key.of[other];
}

/* Whether a group begins at place i of sorted rows. */
static bool begins(struct group_key major, struct group_key minor,
	const uint32_t *sorted, uint32_t i)
{
	return i == 0 || !agree(major, sorted[i], sorted[i - 1]) ||
	       !agree(minor, sorted[i], sorted[i - 1]);
}

/* The groups of sorted rows. */
static bool collect(struct arena *a, struct group_key major,
	struct group_key minor, const uint32_t *sorted, const int64_t *dur_ns,
	uint32_t rows, struct group **groups, uint32_t *groups_n,
	uint32_t *group_of)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < rows; i++)
		n += begins(major, minor, sorted, i);

	struct group *g = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *g);
	int64_t *dur = arena_grow(a, NULL, ((size_t)rows + 1) * sizeof *dur);
	int64_t *scratch =
		arena_grow(a, NULL, ((size_t)rows + 1) * sizeof *scratch);
	bool ok = g && dur && scratch;
	for (uint32_t i = 0, k = 0; ok && i < rows; k++) {
		uint32_t first = i;
		do {
			dur[i] = dur_ns[sorted[i]];
			if (group_of)
				group_of[sorted[i]] = k;
		} while (++i < rows && !begins(major, minor, sorted, i));
		g[k].row = sorted[first];
		g[k].time = stats_from(dur + first, scratch, i - first);
	}
	arena_drop(a, dur);
	arena_drop(a, scratch);
	*groups = g;
	*groups_n = n;
	return ok;
}

bool groups_from(struct arena *a, struct group_key major,
	struct group_key minor, const int64_t *dur_ns, uint32_t rows,
	struct group **groups, uint32_t *groups_n, uint32_t *group_of)
{
	uint32_t *inner = NULL;
	uint32_t *sorted =
		arena_grow(a, NULL, ((size_t)rows + 1) * sizeof *sorted);
	bool ok = sorted;

	*groups = NULL;
	if (ok && minor.of) {
		inner = arena_grow(a, NULL, ((size_t)rows + 1) * sizeof *inner);
		ok = inner && sort_by(a, minor, NULL, inner, rows);
	}
	ok = ok && sort_by(a, major, inner, sorted, rows) &&
	     collect(a, major, minor, sorted, dur_ns, rows, groups, groups_n,
		     group_of);
	arena_drop(a, inner);
	arena_drop(a, sorted);
	return ok;
}
