/* shape.h - the named sizes an operator ran with, and the type of its numbers.
 *
 * A size is a whole number (m=237) or a list of them (seq_lens=[5,7], x=[64,3]),
 * never negative. In text, sizes are in the order of the operator's catalog
 * entry, with one blank between: "m=237 n=4096 k=4096". Four or more equal
 * neighbors of a list are written once: "seq_lens=[256*1882]". The same sizes
 * are always the same text, and the text reads back as the same sizes. A name
 * consists of a-z, 0-9 and _, does not begin with a digit and occurs once. */
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
/* DTYPE_UNKNOWN if no type has that name; a leading "torch." is ignored. */
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

/* At most SHAPE_VALUES numbers over all sizes. Code that makes a shape refuses a
 * longer one. */
enum { SHAPE_VALUES = 65536 };

/* The size of a name, or NULL. */
const struct size *shape_size(const struct shape *s, const char *name);
/* NULL where the arena is full. */
const char *shape_text(const struct shape *s, struct arena *a);
/* Reads what shape_text() wrote; ERR_INPUT with a sentence otherwise. */
bool shape_read(const char *text, enum dtype dtype, struct arena *a,
	struct shape *out, struct err *e);
