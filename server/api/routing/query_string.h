/* query_string.h - takes "a=1&b=%20" apart and decodes it. */
#pragma once
#include "arena.h"
#include "err.h"

struct query_pair {
	const char *key, *value;
};

/* The next pair of *query, which moves on; key NULL at its end. Decoded text is
 * the arena's and valid UTF-8 without U+0000; ERR_INPUT otherwise. */
bool query_string_next(const char **query, struct arena *a,
	struct query_pair *p, struct err *e);

/* A part of a path: as above, but a '+' is itself. NULL if it is not text. */
const char *query_string_percent_decode(const char *s, size_t len,
	struct arena *a);
