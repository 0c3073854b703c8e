/* request_body.h - the JSON object that a request carries. */
#pragma once
#include "call.h"

/* Returns the JSON object of the body; the caller owns it. NULL with ERR_INPUT
 * if the body is not a JSON object, or has a key that is not in `keys`. The
 * names in `keys` are separated by '|'. */
json_t *request_body_read(const struct call *c, const char *keys,
	struct err *e);
