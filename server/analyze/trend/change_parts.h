/* change_parts.h - what the parts of change_point.c hand each other.
 *
 * The series as it is cut: a value per group, freed of what lies far out, with
 * the weight that it has. */
#pragma once
#include "change_point.h"

/* Of more groups than this those beside each other are taken together, for
 * what is permuted. */
enum { CHANGE_BLOCKS_MAX = 512 };

struct change_series {
	double *value, *weight;
	uint32_t *first; /* point of each group; [n] is the number of points */
	uint32_t n;
	uint32_t least; /* groups of a stretch */
};

/* change_clip.c: groups, and their values within reach of their neighbours'. */
bool change_series_from(const double *x, const uint32_t *group, uint32_t n,
	uint32_t least_points, struct arena *a, struct change_series *out);

/* change_try.c: room for one stretch, used again and again. */
struct change_try {
	struct arena *a;
	double *value, *weight, *sum, *all; /* [CHANGE_BLOCKS_MAX + 1] */
	double alpha;
	uint32_t permutations;
	uint64_t seed;
};
bool change_try_init(struct change_try *t, const struct change_options *o,
	struct arena *a);

/* The best place to cut groups lo to hi: a group. `within`: looked for in parts
 * of the stretch, too, so that what came and went is found. lo: there is none. */
uint32_t change_try_cut(struct change_try *t, const struct change_series *s,
	uint32_t lo, uint32_t hi, bool within);

/* How often groups in any order would be cut as well; not exact once it is
 * beyond alpha. */
double change_try_p(struct change_try *t, const struct change_series *s,
	uint32_t lo, uint32_t hi, bool within);

/* The best place of a cut among the groups lo to hi, one by one. */
uint32_t change_place(const struct change_series *s, uint32_t lo, uint32_t hi);
