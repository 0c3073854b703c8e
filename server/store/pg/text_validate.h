/* text_validate.h - what people say of an upload or a run: names that fit an index.
 *
 * Text, at most SAID_MAX bytes of it; the schema holds the same bound. */
#pragma once
#include "arena.h"
#include "err.h"

enum { SAID_MAX = 500 };

/* ERR_INPUT with a sentence that begins with `what` ("project"). */
bool said_check(const char *what, const char *text, struct err *e);
/* The text as a terminal may have it: '?' for what it would obey. */
const char *said_shown(struct arena *a, const char *text);
/* Whether it holds no control characters, which a terminal would obey. */
bool said_print(const char *what, const char *text, struct err *e);
