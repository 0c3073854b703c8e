/* input_shape_words.h - what the words of input_shape.def are applied to, and
 * what they make; shared by input_shape.c and input_shape_conv.c. */
#pragma once
#include "concrete_inputs.h"
#include "input_shape.h"
#include "shape.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct input_dims_tensor {
	uint32_t from, n; /* in `values` */
};

struct input_dims_arg {
	uint32_t from, n; /* in `tensors`; n is 0 if it is no tensor */
	bool is_list; /* a list of tensors */
	enum dtype dtype;
};

enum {
	INPUT_DIMS_ARGS = 128,
	INPUT_DIMS_TENSORS = 8192,
	INPUT_DIMS_VALUES = 32768
};

struct input_dims {
	struct input_dims_arg args[INPUT_DIMS_ARGS];
	struct input_dims_tensor tensors[INPUT_DIMS_TENSORS];
	int64_t values[INPUT_DIMS_VALUES];
	uint32_t args_n, tensors_n, values_n;
	struct concrete_inputs concrete;
};

enum { INPUT_SHAPE_SIZES_MAX = 16 };

struct input_shape_made {
	const struct input_dims *dims;
	struct arena *arena;
	struct size list[INPUT_SHAPE_SIZES_MAX];
	enum dtype dtype;
	uint32_t n;
	bool odd; /* a value of an argument has another form than its schema */
};

enum { INPUT_SHAPE_LIST = 64 }; /* values of one argument */

/* The tensor of an argument; NULL if the argument is not a single tensor. */
static inline const struct input_dims_tensor *
input_shape_tensor(const struct input_dims *d, uint32_t arg)
{
	if (arg >= d->args_n || d->args[arg].is_list || !d->args[arg].n)
		return NULL;
	return &d->tensors[d->args[arg].from];
}

/* The product of a tensor's dimensions; -1 if it exceeds 64 bits. */
static inline int64_t input_shape_elements(const struct input_dims *d,
	const struct input_dims_tensor *t)
{
	int64_t product = 1;

	for (uint32_t i = 0; i < t->n; i++)
		if (__builtin_mul_overflow(product, d->values[t->from + i],
			    &product))
			return -1;
	return product;
}

static inline int64_t input_shape_whole(const char **at)
{
	char *end;
	int64_t v = strtol(*at, &end, 10);
	*at = end;
	return v;
}

static inline enum input_shape_result input_shape_put(struct input_shape_made
							      *m,
	const char *name, const int64_t *values, size_t n, bool is_list)
{
	int64_t *copy = arena_array(m->arena, int64_t, n ? n : 1);

	assert(m->n < INPUT_SHAPE_SIZES_MAX);
	if (!copy || !name)
		return INPUT_SHAPE_FULL;
	if (n)
		memcpy(copy, values, n * sizeof *copy);
	m->list[m->n++] = (struct size){ name, copy, (uint32_t)n, is_list };
	return INPUT_SHAPE_FOUND;
}

static inline enum input_shape_result
input_shape_put_one(struct input_shape_made *m, const char *name, int64_t v)
{
	return v < 0 ? INPUT_SHAPE_UNREADABLE
		     : input_shape_put(m, name, &v, 1, false);
}

/* The value of an argument could not be read. Tensors, None and values that the
 * trace lacks are not odd. */
static inline enum input_shape_result input_shape_odd(struct input_shape_made
							      *m,
	uint32_t arg)
{
	m->odd |= !concrete_inputs_none(&m->dims->concrete, arg);
	return INPUT_SHAPE_NONE;
}

/* Applies "%0,1:s3p4d5t6o7g8" (a convolution of argument 0 with the kernel of
 * argument 1) and "%0:k1s2p3d4c5" (pooling). `at` is after the percent sign. */
enum input_shape_result input_shape_conv(struct input_shape_made *m,
	const char *name, const char *at);

/* Reads the sizes of a Triton kernel from the arguments of its launch: points,
 * min_read_bytes and min_written_bytes. INPUT_SHAPE_NONE if no tensor's type is
 * known, or if a tensor exceeds 64 bits. */
enum input_shape_result input_shape_launch(struct input_shape_made *m,
	const char *kernel);

enum { INPUT_SHAPE_IMAGE = 8 };

/* A convolution or pooling, with one number per dimension of the image. */
struct input_shape_image {
	int n;
	int64_t in[INPUT_SHAPE_IMAGE], kernel[INPUT_SHAPE_IMAGE],
		stride[INPUT_SHAPE_IMAGE], padding[INPUT_SHAPE_IMAGE],
		dilation[INPUT_SHAPE_IMAGE], output_padding[INPUT_SHAPE_IMAGE];
	bool transposed;
	bool ceil; /* of pooling: windows may begin in the image and end outside */
};

/* False if the numbers describe no convolution: a stride of 0, a kernel that is
 * larger than the padded image, or a result that exceeds 64 bits. */
bool input_shape_conv_out(const struct input_shape_image *c,
	int64_t out[INPUT_SHAPE_IMAGE]);
