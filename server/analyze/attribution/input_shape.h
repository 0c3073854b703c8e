/* input_shape.h - the named sizes of an operator, read from a host operator's Input
 * Dims as input_shape.def tells where they stand.
 *
 * An entry is words with a blank between:
 *
 *   0:3         fits only where argument 0 is a tensor of 3 dimensions
 *   @0, @*      the type is that of argument 0; of the first tensor
 *   m=0.1       dimension 1 of argument 0; -1 is the last; "0.1-1" one less
 *   n==1        always 1
 *   tokens=0/-1 the product of all dimensions of argument 0 but the last
 *   tokens=1#   of all of them
 *   x=0         all dimensions, as a list
 *   x=*0        likewise of the first tensor that has dimensions, whichever
 *               argument it is; *1 of the second
 *   n=*l        how many arguments are lists of tensors whose dims are told
 *   out=**      what all tensors broadcast to; left out where that is x
 *   x=0[]#      of a list of tensors the product of each one's dimensions
 *   n=0[]+      their sum; 0[]l as a list of one; 0[]n how many tensors
 *   b=1#b       the bytes of argument 1
 *   l=0.1x0.0   dimension 1 of argument 0, as often as dimension 0 tells
 *   b=~1        the bits of a number of argument 1's type
 *   y?=1        left out where it is not told; without ?, the entry does not fit
 *   -           dims do not tell the sizes
 *
 * Where no entry fits, the tensors are told as they are, in their order: the
 * first as x where the operator has such a size (the next ones as y and z
 * likewise), else in0=[…] in1=[…] … */
#pragma once
#include "catalog.h"
#include "sizes_dims.h"

struct sizes {
	struct arena *arena; /* the shapes' */
	struct dims *dims;
};

enum sizes_how {
	SIZES_TOLD,
	SIZES_NOT_TOLD, /* no tensor has dims */
	SIZES_UNREADABLE, /* no list of numbers, beyond 64 bits, or longer than
		a shape */
	SIZES_FULL /* the arena is */
};

/* False where the arena is full. */
bool sizes_init(struct sizes *s, struct arena *a);
void sizes_release(struct sizes *s);

/* `op`: the host operator's name. *out is the arena's. */
enum sizes_how sizes_from(struct sizes *s, const char *op,
	const struct operator_info *is, const char *dims, const char *types,
	const struct shape **out);

/* The entries, for tests: NULL beyond the last. */
const char *sizes_entry(uint32_t i, const char **what);
