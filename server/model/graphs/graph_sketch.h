/* graph_sketch.h - a small summary of a CUDA graph's kernels, by which graphs
 * with nearly the same kernels are found without comparing all of them.
 *
 * Two graphs that differ by few kernels probably share a band, so an index over
 * bands gives the candidates. The names with their numbers give a lower bound of
 * the distance. Whether a candidate matches is decided by a longest common
 * subsequence (analyze/graphs).
 *
 * A band is a hash of four minima of a min-hash over the kernels; the second
 * kernel of a name differs from the first. If two graphs have the share J of
 * their kernels in common, a band is equal with the probability J^4, and no band
 * is with (1 - J^4)^8. J is at least 0.95 at the greatest distance of 40 kernels
 * or more, which misses one graph in 700,000; and 0.875 if 8 kernels lack one,
 * which misses one in 1,100. */
#pragma once
#include "arena.h"
#include <stdbool.h>
#include <stdint.h>

enum { GRAPH_BANDS = 8 };

struct graph_sketch {
	uint32_t n; /* kernels */
	int64_t bands[GRAPH_BANDS];
	const int64_t *names; /* hashes, ascending */
	const int64_t *counts; /* parallel: kernels with this name */
	uint32_t names_n;
};

/* A graph that a process replayed; its key is as in struct graph_known. */
struct graph_wanted {
	uint8_t key[32];
	struct graph_sketch sketch;
};

/* The sketch of n kernels, in the arena. Its value does not depend on the
 * order, the machine or the build, because it is stored. False if the arena is
 * full. */
bool graph_sketch_from(const char *const *kernels, uint32_t n, struct arena *a,
	struct graph_sketch *out);

/* At least this many kernels are unmatched in any alignment of the two. */
uint32_t graph_sketch_distance(const struct graph_sketch *a,
	const struct graph_sketch *b);

/* The largest distance that is computed; a distance fits into a byte. */
enum { GRAPH_DISTANCE_MOST = 64, GRAPH_DISTANCE_FAR = UINT8_MAX };

/* The largest distance at which a replay may belong to a capture of n
 * kernels. */
uint32_t graph_distance_max(uint32_t n);
