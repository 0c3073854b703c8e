/* formula.h - parses and computes formulas: integer arithmetic over an
 * operator's sizes.
 *
 *   2*m*n*k                       + - * and ( ); numbers are whole and exact
 *   prod(x)/2                     / must have no remainder
 *   floor_div(a, b) ceil_div(a, b) min(a, b, …) max(a, b, …)
 *   if(a < b, c, d)               also <= == != >= >; the other branch is not
 *                                 computed, but its sizes must be known
 *   x[0] last(x) len(x) sum(x) prod(x) largest(x)   of a size that is a list
 *   sum(q: q_lens, s: seq_lens, q*s)        over lists of one length, together
 *   seq_lens ?? q_lens            q_lens if seq_lens is unknown
 *   bytes(n)                      size of n numbers of the shape's type,
 *                                 rounded up
 *   causal_pairs(q, s)            pairs of query and key, if q queries are at
 *                                 the end of s keys and see no later key
 *   window_pairs(q, s, w)         the same, but a query sees at most w keys
 *                                 before its own
 *   active_experts(e, k, t)       min(e, k*t, ceil(e*(1-(1-k/e)^t))): number of
 *                                 different experts if each of t tokens draws k
 *                                 of e experts
 *   distinct_experts(e, k, t)     round(t*e*(1-(1-1/e)^k)): number of draws if
 *                                 each of t tokens draws k times and repeated
 *                                 draws of a token count once
 *
 * The formulas of a set share names ("kv = seqs*context"), which must be
 * defined before they are used. Intermediate numbers have 128 bits. If a number
 * exceeds 128 bits, is negative or depends on an unknown size, the result is an
 * error with a sentence. A set does not change after it was read, so that many
 * threads may share it. */
#pragma once
#include "shape.h"

struct formula_node;

enum { FORMULA_LEN = 1000, FORMULA_SHARED = 16 };

struct formula_set {
	struct arena *arena;
	const char *const *sizes; /* the permitted names of sizes */
	uint32_t sizes_n;
	struct formula_node *nodes; /* indices count from 1 */
	uint32_t n, cap;
	const char *names[FORMULA_SHARED];
	uint32_t roots[FORMULA_SHARED], names_n;
};

void formula_init(struct formula_set *f, struct arena *a,
	const char *const *sizes, uint32_t sizes_n);

/* Reads one formula and sets *root. ERR_INPUT with a sentence that begins with
 * `where` and gives the position of the error. */
bool formula_read(struct formula_set *f, const char *text, const char *where,
	uint32_t *root, struct err *e);
/* Reads "name = formula". Formulas that are read later may use the name. */
bool formula_share(struct formula_set *f, const char *text, const char *where,
	struct err *e);

/* The first required size that the shape does not contain; NULL if there is
 * none. */
const char *formula_lacks(const struct formula_set *f, uint32_t root,
	const struct shape *s);

/* Values of shared names for one shape; initialize with { 0 }. */
struct formula_values {
	bool done[FORMULA_SHARED];
	unsigned __int128 value[FORMULA_SHARED];
};
/* `who` is the operator, for sentences. ERR_TOO_LARGE if the number exceeds
 * 64 bits, else ERR_INPUT. */
bool formula_value(const struct formula_set *f, uint32_t root,
	const struct shape *s, const char *who, struct formula_values *v,
	uint64_t *out, struct err *e);
