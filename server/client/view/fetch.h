/* fetch.h - a command that reads the server's JSON with GET requests. */
#pragma once
#include "meter.h"
#include "options.h"
#include "wire.h"
#include <jansson.h>

struct fetch {
	const struct options *o;
	const char *label; /* the command, in messages */
	struct wire *wire;
	struct meter meter;
};

/* Runs the command `run`, which prints to stdout. Returns the exit status. Errors are
 * printed to stderr. */
int fetch_run(const struct options *o, const char *label,
	bool (*run)(struct fetch *f, struct err *e));

/* The answer to a GET request, with retries; the caller releases it. NULL with a message
 * if there is none, or if it has no member `needs`. */
json_t *fetch_json(struct fetch *f, const char *url, const char *needs,
	struct err *e);
