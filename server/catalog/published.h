/* published.h - a published document while it is read: one entry of it,
 * and the sentences about what is wrong there. For this room alone. */
#pragma once
#include "reference.h"
#include <jansson.h>

struct published {
	const struct catalog *c;
	struct arena *a;
	struct reference *out;
	const char *where; /* "operators[3] ('fused_moe')" */
	json_t *v; /* an object */
	uint32_t *numbers; /* that sizes of all shapes have until now */
	struct err *err;
};

/* Always false: `where`, then what the format tells. */
bool published_wrong(const struct published *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The i-th of list `what`, an object, called by its text `called` if it has
 * one. */
bool published_at(const struct published *parent, const json_t *list, size_t i,
	const char *what, const char *called, struct published *out);
/* A copy of a text of 1 to 500 bytes; NULL where it is absent or null, unless
 * `must`. */
bool published_text(const struct published *r, const char *key, bool must,
	const char **out);
/* A whole number from 0; -1 where it is absent or null, unless `must`. */
bool published_count(const struct published *r, const char *key, bool must,
	int64_t *out);
/* A finite number above `least`. */
bool published_number(const struct published *r, const json_t *v,
	const char *key, double least, double *out);
/* A list of 1 to `most` entries. */
bool published_list(const struct published *r, const char *key, size_t most,
	json_t **out);

/* ---- reference_shape.c */
bool reference_shape(const struct published *r,
	const struct reference_operator *op, struct reference_shape *out);
/* ---- reference_sizes.c: what "shape" tells, else what kwargs are in our names;
 * NULL where they tell what has none. ERR_TOO_LARGE where all shapes together have
 * more numbers than a page could show. */
bool reference_sizes(const struct published *r,
	const struct reference_operator *op, const char **out);
