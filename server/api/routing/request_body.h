/* request_body.h - the JSON object that a request carries. */
#pragma once
#include "call.h"

/* The caller owns it. NULL with ERR_INPUT if it is no JSON object, or has a key that
 * is not among `keys`, which are separated by bars. */
json_t *request_body_read(const struct call *c, const char *keys,
	struct err *e);
