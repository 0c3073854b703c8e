/* sizes_dims.h - Input Dims and Input type of a host operator, read.
 *
 * Dims come as JSON text: an argument is a list of whole numbers (a tensor; []
 * is one of no dimensions, or no tensor at all), or a list of such lists (a
 * list of tensors). Types tell which; old files do not have them. */
#pragma once
#include "shape.h"

struct dims_tensor {
	uint32_t from, n; /* in `values` */
};

struct dims_arg {
	uint32_t from, n; /* in `tensors`; n is 0 where it is no tensor */
	bool is_list; /* of tensors */
	enum dtype dtype;
};

enum { DIMS_ARGS = 128, DIMS_TENSORS = 8192, DIMS_VALUES = 32768 };

struct dims {
	struct dims_arg args[DIMS_ARGS];
	struct dims_tensor tensors[DIMS_TENSORS];
	int64_t values[DIMS_VALUES];
	uint32_t args_n, tensors_n, values_n;
};

/* `types` may be "" or NULL. False where the text is no such list, a number is
 * negative or passes 64 bits, or there are more than fit. */
bool dims_read(struct dims *d, const char *dims, const char *types);

/* The tensor of an argument, or NULL where it is none, or several. */
const struct dims_tensor *dims_tensor(const struct dims *d, uint32_t arg);

/* The product of a tensor's sizes; -1 where it passes 64 bits. */
int64_t dims_elements(const struct dims *d, const struct dims_tensor *t);

/* The nth tensor that has dimensions and numbers. One without dimensions is a
 * single number, one without numbers was made to be written to; the first
 * tensor of all is taken where there is no other. NULL. */
const struct dims_tensor *dims_nth(const struct dims *d, int64_t n);
