/* graph_sketch.c - min-hashes of a graph's kernels, and bounds of distances. */
#include "graph_sketch.h"
#include <stdlib.h>
#include <string.h>

/* Unmatched kernels per 100 captured ones. In public traces with their captures
 * (SGLang, vLLM, xDiT), the right capture lacked or added at most 1 of 994
 * kernels. Captures of other graphs were far away: 1,300 kernels from 994 and
 * 1,566 for two builds of one model, 512 from 544 and 356 for two models of one
 * engine, 3 from 12 and 15 for two pieces of one model. Five is between these
 * and closer to the right ones. */
enum { GRAPH_DISTANCE_PCT = 5 };

/* From this number of kernels on, one may be unmatched, although it is more
 * than GRAPH_DISTANCE_PCT. Pieces of one model differed by at least 3. */
enum { GRAPH_DISTANCE_KERNELS = 8 };

enum { GRAPH_SKETCH_MINIMA = 4 }; /* of a band */

uint32_t graph_distance_max(uint32_t n)
{
	uint64_t max = (uint64_t)n * GRAPH_DISTANCE_PCT / 100;

	if (max == 0 && n >= GRAPH_DISTANCE_KERNELS)
		max = 1;
	return max < GRAPH_DISTANCE_MOST ? (uint32_t)max : GRAPH_DISTANCE_MOST;
}

/* The finalizer of SplitMix64 (Steele, Lea and Flood, 2014): each bit of the
 * result depends on each bit of x. */
static uint64_t graph_sketch_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
	return x ^ (x >> 31);
}

/* FNV-1a, mixed. */
static uint64_t graph_sketch_hash(const char *text)
{
	uint64_t h = UINT64_C(0xCBF29CE484222325);

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
	return graph_sketch_mix(h);
}

static int graph_sketch_by_value(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

/* Counts equal hashes, which are sorted, and moves each to the front once. */
static void graph_sketch_count(int64_t *names, int64_t *counts,
	struct graph_sketch *out)
{
	for (uint32_t i = 0; i < out->n; i++)
		if (out->names_n && names[out->names_n - 1] == names[i]) {
			counts[out->names_n - 1]++;
		} else {
			counts[out->names_n] = 1;
			names[out->names_n++] = names[i];
		}
	out->names = names;
	out->counts = counts;
}

/* The smallest hash of the kernels under the hash function `which`. */
static uint64_t graph_sketch_minimum(const struct graph_sketch *s,
	uint64_t which)
{
	uint64_t min = UINT64_MAX, seed = graph_sketch_mix(which + 1);

	for (uint32_t i = 0; i < s->names_n; i++)
		for (uint64_t nth = 0; nth < (uint64_t)s->counts[i]; nth++) {
			uint64_t kernel = graph_sketch_mix(
				(uint64_t)s->names[i] + graph_sketch_mix(nth));
			uint64_t h = graph_sketch_mix(kernel ^ seed);
			min = h < min ? h : min;
		}
	return min;
}

bool graph_sketch_from(const char *const *kernels, uint32_t n, struct arena *a,
	struct graph_sketch *out)
{
	int64_t *names = arena_array(a, int64_t, (size_t)n + 1);
	int64_t *counts = arena_array(a, int64_t, (size_t)n + 1);

	*out = (struct graph_sketch){ .n = n };
	if (!names || !counts)
		return false;
	for (uint32_t i = 0; i < n; i++)
		names[i] = (int64_t)graph_sketch_hash(kernels[i]);
	if (n)
		qsort(names, n, sizeof *names, graph_sketch_by_value);
	graph_sketch_count(names, counts, out);
	for (uint64_t b = 0; b < GRAPH_BANDS; b++) {
		uint64_t band = b;
		for (uint64_t i = 0; i < GRAPH_SKETCH_MINIMA; i++)
			band = graph_sketch_mix(
				band + graph_sketch_minimum(out,
					       b * GRAPH_SKETCH_MINIMA + i));
		out->bands[b] = (int64_t)band;
	}
	return true;
}

uint32_t graph_sketch_distance(const struct graph_sketch *a,
	const struct graph_sketch *b)
{
	uint64_t common = 0;

	for (uint32_t i = 0, j = 0; i < a->names_n && j < b->names_n;) {
		if (a->names[i] == b->names[j]) {
			common += (uint64_t)(a->counts[i] < b->counts[j]
						     ? a->counts[i]
						     : b->counts[j]);
			i++, j++;
		} else if (a->names[i] < b->names[j]) {
			i++;
		} else {
			j++;
		}
	}
	return (uint32_t)((uint64_t)a->n + b->n - 2 * common);
}
