/* shape.h - the named sizes an operator ran with, and the type of its numbers.
 *
 * A size is a whole number (m=237) or a list of them (seq_lens=[5,7], x=[64,3]),
 * never negative. In writing, sizes stand in the order the operator has them in
 * the catalogue, with one blank between: "m=237 n=4096 k=4096". Four or more
 * equal neighbours of a list are written once: "seq_lens=[256*1882]". The same
 * sizes are always the same text, and the text reads back as the same sizes. A
 * name is of a-z, 0-9 and _, begins with no digit and stands once. */
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
/* Whether a platform may have a peak for it. */
bool dtype_counts(enum dtype d);
/* DTYPE_UNKNOWN where no type is called that; "torch." in front is passed over. */
enum dtype dtype_from(const char *text, size_t len);

struct size {
	const char *name;
	const int64_t *values;
	uint32_t n; /* 1 where it is no list */
	bool is_list;
};

struct shape {
	enum dtype dtype; /* what most of the arithmetic is done in */
	const struct size *sizes;
	uint32_t n;
};

/* SHAPE_VALUES numbers at most over all sizes; a longer shape is no shape, to
 * which whoever makes one holds. */
enum { SHAPE_VALUES = 65536 };

/* The size of a name, or NULL. */
const struct size *shape_size(const struct shape *s, const char *name);
/* NULL where the arena is full. */
const char *shape_text(const struct shape *s, struct arena *a);
/* Reads what shape_text() wrote; ERR_INPUT with a sentence otherwise. */
bool shape_read(const char *text, enum dtype dtype, struct arena *a,
	struct shape *out, struct err *e);
