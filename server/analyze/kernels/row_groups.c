/* row_groups.c - sorts rows by their keys, with one counting pass per key, and
 * computes the statistics of each group. */
#include "row_groups.h"
#include <string.h>

static bool row_groups_begin_key(struct arena *a, struct names *seen,
	uint32_t rows, uint32_t **of)
{
	*of = arena_grow(a, NULL, ((size_t)rows + 1) * sizeof **of);
	return *of && names_init(seen, a);
}

bool row_groups_device_key(struct arena *a, const int32_t *device,
	uint32_t rows, struct row_group_key *key)
{
	struct names seen;
	uint32_t *of, id = 0;

	bool ok = row_groups_begin_key(a, &seen, rows, &of);
	for (uint32_t i = 0; ok && i < rows; i++) {
		/* Consecutive rows often have the same device. */
		if (i == 0 || device[i] != device[i - 1])
			id = names_put(&seen, (const char *)&device[i],
				sizeof device[i]);
		ok = id != NAMES_NONE;
		of[i] = id - 1;
	}
	*key = (struct row_group_key){ of, ok ? seen.n - 1 : 0 };
	return ok;
}

bool row_groups_grid_key(struct arena *a, const struct trace *t,
	const uint32_t *launch, uint32_t rows, struct row_group_key *key)
{
	struct names seen;
	uint32_t *of, shapes = t->launch_shapes.n;
	uint32_t *of_shape =
		arena_grow(a, NULL, ((size_t)shapes + 1) * sizeof *of_shape);

	bool ok = row_groups_begin_key(a, &seen, rows, &of) && of_shape;
	for (uint32_t s = 0; ok && s < shapes; s++) {
		const struct launch_shape *shape = trace_launch_shape_at(t, s);
		_Static_assert(offsetof(struct launch_shape, block) ==
				       sizeof shape->grid,
			"grid and block are adjacent");
		of_shape[s] = names_put(&seen, (const char *)shape,
			sizeof shape->grid + sizeof shape->block);
		ok = of_shape[s] != NAMES_NONE;
	}
	for (uint32_t i = 0; ok && i < rows; i++)
		of[i] = of_shape[launch[i]] - 1;
	arena_drop(a, of_shape);
	*key = (struct row_group_key){ of, ok ? seen.n - 1 : 0 };
	return ok;
}

/* Sorts row indices from `from` into `to` by a key; the sort is stable. `from`
 * NULL means 0, 1, 2, … */
static bool row_groups_sort_by(struct arena *a, struct row_group_key key,
	const uint32_t *from, uint32_t *to, uint32_t rows)
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

static bool row_groups_agree(struct row_group_key key, uint32_t row,
	uint32_t other)
{
	return !key.of || key.of[row] == key.of[other];
}

/* Whether a group begins at index i of the sorted rows. */
static bool row_groups_begins(struct row_group_key major,
	struct row_group_key minor, const uint32_t *sorted, uint32_t i)
{
	return i == 0 || !row_groups_agree(major, sorted[i], sorted[i - 1]) ||
	       !row_groups_agree(minor, sorted[i], sorted[i - 1]);
}

/* Makes the groups of the sorted rows. */
static bool row_groups_collect(struct arena *a, struct row_group_key major,
	struct row_group_key minor, const uint32_t *sorted,
	const int64_t *dur_ns, uint32_t rows, struct row_group **groups,
	uint32_t *groups_n, uint32_t *group_of)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < rows; i++)
		n += row_groups_begins(major, minor, sorted, i);

	struct row_group *g = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *g);
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
		} while (++i < rows &&
			 !row_groups_begins(major, minor, sorted, i));
		g[k].row = sorted[first];
		g[k].time = stats_from(dur + first, scratch, i - first);
	}
	arena_drop(a, dur);
	arena_drop(a, scratch);
	*groups = g;
	*groups_n = n;
	return ok;
}

bool row_groups_from(struct arena *a, struct row_group_key major,
	struct row_group_key minor, const int64_t *dur_ns, uint32_t rows,
	struct row_group **groups, uint32_t *groups_n, uint32_t *group_of)
{
	uint32_t *inner = NULL;
	uint32_t *sorted =
		arena_grow(a, NULL, ((size_t)rows + 1) * sizeof *sorted);
	bool ok = sorted;

	*groups = NULL;
	if (ok && minor.of) {
		inner = arena_grow(a, NULL, ((size_t)rows + 1) * sizeof *inner);
		ok = inner && row_groups_sort_by(a, minor, NULL, inner, rows);
	}
	ok = ok && row_groups_sort_by(a, major, inner, sorted, rows) &&
	     row_groups_collect(a, major, minor, sorted, dur_ns, rows, groups,
		     groups_n, group_of);
	arena_drop(a, inner);
	arena_drop(a, sorted);
	return ok;
}
