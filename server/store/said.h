/* said.h - what people say of an upload or a run: names that fit an index.
 *
 * Text, at most SAID_MAX bytes of it; the schema holds the same bound. */
#pragma once
#include "err.h"

enum { SAID_MAX = 500 };

/* ERR_INPUT with a sentence that begins with `what` ("project"). */
bool said_check(const char *what, const char *text, struct err *e);
/* Whether it holds no control characters, which a terminal would obey. */
bool said_print(const char *what, const char *text, struct err *e);
