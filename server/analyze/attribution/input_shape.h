/* input_shape.h - reads the shape of an operator from a host operator's Input
 * Dims and Concrete Inputs.
 *
 * input_shape.def lists where each size is. The name of an entry is a host
 * operator in the form of catalog_op_name(), in which "*" matches any text,
 * or an operator of the catalog. An entry is a list of words that are separated
 * by blanks:
 *
 *   0:3         the entry fits only if argument 0 is a tensor of 3 dimensions
 *   2.2==0.1    the entry fits only if these dimensions are equal
 *   @0, @*      the dtype is that of argument 0, or of the first tensor
 *   m=0.1       dimension 1 of argument 0; -1 is the last dimension; "0.1-1"
 *               is dimension 1 minus 1
 *   n==1        always 1
 *   tokens=0/-1 the product of all dimensions of argument 0 except the last
 *   tokens=1#   the product of all dimensions of argument 1
 *   x=0         all dimensions, as a list
 *   x=*0        all dimensions of the first tensor that has dimensions, in any
 *               argument; *1 means the second such tensor
 *   n=*l        the number of arguments that are lists of tensors with dims
 *   out=**      the dimensions to which all tensors broadcast; left out if they
 *               are those of the first tensor with dimensions
 *   x=0[]#      argument 0 is a list of tensors: the number of elements of each
 *   n=0[]+      the sum of these numbers; 0[]l the sum as a list of one value;
 *               0[]n the number of tensors
 *   b=1#b       the bytes of argument 1
 *   l=0.1x0.0   dimension 1 of argument 0, repeated dimension 0 times
 *   b=~1        the bits of a number of argument 1's dtype
 *   y?=1        left out if it is unknown; without ?, the entry does not fit
 *   -           dims do not give the sizes
 *
 * Concrete Inputs give the values of arguments that are not tensors:
 *
 *   k=$1        the number of argument 1; $1b: a bool, 1 or 0; $1l: a list;
 *               $1.0: the first number of a list; $1#: the product of a list
 *   grads=$10t2 the number of True among the first 2 of a list of bools
 *   w=$6w       a number; left out if it is negative or None
 *   heads=1.1:$3  a dimension divided by the number of argument 3
 *   q=$5u0.0/3.0  the number of argument 5, for each sequence, if these are all
 *               tokens; argument 3 has the ends of the sequences
 *   out=0-$1    argument 0 without the dimensions that argument 1 lists; None
 *               and [] mean all
 *   out=0>$1    argument 0 with the last dimensions as argument 1 lists them
 *   out=0@$1=2  argument 0 with the dimension that argument 1 names replaced by
 *               the number of elements of argument 2
 *   x=0|$1      argument 0 with the last dimensions, which argument 1 lists,
 *               multiplied into one; 0/$1: the product of the others
 *   out=%0,1:s3p4d5t6o7g8   the output of a convolution of argument 0 with the
 *               kernel of argument 1: stride, padding, dilation, transposed,
 *               output padding and groups are arguments 3 to 8; T: always
 *               transposed. It also gives these sizes if they are not 1, 0, 1,
 *               no and 1
 *   out=%0:k1s2p3d4c5   the output of pooling: kernel, stride, padding,
 *               dilation and whether sizes are rounded up
 *   top_left=^  1 if the mask is causal and begins at the first key, and there
 *               are not as many queries as keys; otherwise left out
 *   $9=0        the entry fits only if the value of argument 9 is exactly 0;
 *               $1[: if it is a list or None; $2^0: if it is the last dimension
 *               of argument 0; !1: if argument 1 is no tensor
 *
 * The launch of a Triton kernel needs no entry: input_shape_launch.c.
 *
 * If no entry fits, the shape lists the dimensions of the tensors in their
 * order. If the operator has a size x, the tensors are named x, y and z;
 * otherwise they are named in0=[…] in1=[…] … */
#pragma once
#include "catalog.h"

struct input_shapes {
	struct arena *arena; /* for the shapes */
	struct input_dims *dims;
	/* set by input_shape_from(): Concrete Inputs have another form than the
	 * operator's schema, so sizes that they give are missing */
	bool odd;
};

/* The args of a host operator, as JSON; "" or NULL if the trace has none. */
struct input_texts {
	const char *dims, *types, *concrete;
	/* they are the arguments with which a kernel was launched, so its
	 * outputs are among them */
	bool of_launch;
};

enum input_shape_result {
	INPUT_SHAPE_FOUND,
	INPUT_SHAPE_NONE, /* no tensor has dims */
	INPUT_SHAPE_UNREADABLE, /* no list of numbers, beyond 64 bits, or longer than
		a shape */
	INPUT_SHAPE_FULL /* the arena is */
};

/* False if the arena is full. */
bool input_shape_init(struct input_shapes *s, struct arena *a);

/* Reads a shape. `op` is the host operator's name. *out is allocated in the
 * arena. */
enum input_shape_result input_shape_from(struct input_shapes *s, const char *op,
	const struct operator_info *is, const struct input_texts *texts,
	const struct shape **out);

/* Returns the name of entry i for tests; NULL beyond the last entry. */
const char *input_shape_entry(uint32_t i, const char **what);

static inline void input_shape_release(struct input_shapes *s)
{
	arena_drop(s->arena, s->dims);
}
