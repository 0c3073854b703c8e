/* group.c - a counting sort by key, then statistics per key. */
#include "group.h"

/* Where each key's durations begin, and one past the last. */
static uint32_t *offsets(struct arena *a, const uint32_t *key_of, uint32_t rows,
	uint32_t keys)
{
	uint32_t *at = arena_grow(a, NULL, ((size_t)keys + 2) * sizeof *at);
	if (!at)
		return NULL;
	/* One place up, so that scattering leaves the begins behind. */
	for (uint32_t i = 0; i < rows; i++)
		at[key_of[i] + 2]++;
	for (uint32_t k = 2; k < keys + 2; k++)
		at[k] += at[k - 1];
	return at;
}

bool group_stats(struct arena *a, const uint32_t *key_of, const int64_t *dur_ns,
	uint32_t rows, uint32_t keys, struct time_stats *out)
{
	if (rows == 0)
		return true;
	uint32_t *at = offsets(a, key_of, rows, keys);
	int64_t *dur = arena_grow(a, NULL, (size_t)rows * sizeof *dur);
	int64_t *scratch = arena_grow(a, NULL, (size_t)rows * sizeof *scratch);
	bool ok = at && dur && scratch;

	if (ok) {
		for (uint32_t i = 0; i < rows; i++)
			dur[at[key_of[i] + 1]++] = dur_ns[i];
		for (uint32_t k = 0; k < keys; k++)
			out[k] = stats_from(dur + at[k], scratch,
				at[k + 1] - at[k]);
	}
	arena_drop(a, at);
	arena_drop(a, dur);
	arena_drop(a, scratch);
	return ok;
}
