/* shape.h - the named sizes with which an operator ran, and its element type.
 *
 * A size is a whole number (m=237) or a list of whole numbers (seq_lens=[5,7],
 * x=[64,3]), never negative. In text, sizes have the order of the operator's
 * catalog entry and one blank between them: "m=237 n=4096 k=4096". Four or more
 * equal neighbors in a list are written as value*count: "seq_lens=[256*1882]".
 * Equal sizes always have equal texts, and reading a text returns the sizes
 * from which it was written. A name consists of a-z, 0-9 and _, does not begin
 * with a digit and occurs once. */
#pragma once
#include "arena.h"
#include "err.h"
#include <stdbool.h>
#include <stdint.h>

enum dtype {
	DTYPE_UNKNOWN,
#define DTYPE(code, word, bits, counts, names) DTYPE_##code,
#include "dtype.def"
#undef DTYPE
	DTYPES
};

/* NULL for DTYPE_UNKNOWN. */
const char *dtype_word(enum dtype d);
/* 0 for DTYPE_UNKNOWN. */
int dtype_bits(enum dtype d);
/* Whether a platform may have a peak for the type. */
bool dtype_counts(enum dtype d);
/* DTYPE_UNKNOWN if no type has that name; a leading "torch." is ignored. */
enum dtype dtype_from(const char *text, size_t len);

struct size {
	const char *name;
	const int64_t *values;
	uint32_t n; /* 1 if it is not a list */
	bool is_list;
};

struct shape {
	enum dtype dtype; /* the type of most of the arithmetic */
	const struct size *sizes;
	uint32_t n;
};

/* Maximum number of values over all sizes of a shape. Code that creates a shape
 * rejects a longer one. */
enum { SHAPE_VALUES = 65536 };

/* The size with this name, or NULL. */
const struct size *shape_size(const struct shape *s, const char *name);
/* Returns the shape as text; NULL if the arena is full. */
const char *shape_text(const struct shape *s, struct arena *a);
/* Reads a text that shape_text() wrote; ERR_INPUT with a sentence for any other
 * text. */
bool shape_read(const char *text, enum dtype dtype, struct arena *a,
	struct shape *out, struct err *e);
