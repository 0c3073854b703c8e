/* bearer.h - the token that the client shows, as the header's line. */
#pragma once
#include "err.h"
#include <stddef.h>

enum { BEARER_MAX = 600 };

/* "Authorization: Bearer …", or "" where there is no token: from the file, if
 * one is named, else from `text`, which may be NULL. White space around it is
 * dropped; a token with anything but visible ASCII inside is refused. */
bool bearer_from(char out[BEARER_MAX], const char *file, const char *text,
	struct err *e);
