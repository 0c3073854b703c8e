/* fleet_request.h - sends the one request of a command, and prints the answer as
 * text or, with --format, as the server's bytes. */
#pragma once
#include "arena.h"
#include "buf.h"
#include "options.h"
#include <jansson.h>

struct fleet_request {
	const char *label; /* in messages */
	/* Appends the URL; `format` is one of the API's formats. */
	void (*address)(struct buf *b, const struct options *o,
		const char *format);
	/* Prints the answer; false if it is not the one that was expected. */
	bool (*print)(struct arena *a, const json_t *answer, struct err *e);
};

/* The exit status of the command. Errors are printed to stderr. */
int fleet_request(const struct options *o, const struct fleet_request *q);
