/* rocprof_process.h - decodes one process of a rocprofv3 JSON file */
#pragma once
#include "number.h"
#include "words.h"

/* reads an object's known fields, each by a function.
 *
 * For objects within objects whose depth is the reader's own, never the
 * file's: a field that is itself an object is read by fields_inner() with the
 * function for that one; what is not known is skipped. */

struct fields;

/* Reads the value at p of a key (0: not a known one) into `to`; behind it, or
 * NULL. */
typedef const char *field_fn(const struct fields *f, struct scan *s,
	const char *p, uint32_t key, void *to);

struct fields {
	const struct words *words;
	field_fn *field;
};

/* Reads the object at p; anything else is skipped. Behind it, or NULL. */
const char *fields_read(const struct fields *f, struct scan *s, const char *p,
	void *to);

/* The same with another function: of an object, of a list of objects. */
const char *fields_inner(const struct fields *f, struct scan *s, const char *p,
	field_fn *field, void *to);

/* The whole number at p; what is none, or is negative, leaves `to` alone. */
const char *fields_number(struct scan *s, const char *p, int64_t *to);
