/* analyze.h - one process of a trace becomes a profile.
 *
 * Pure: no clock, no I/O, no database. The whole result is in the arena.
 * profile.c lists the steps, each a module of its own. */
#pragma once
#include "breakdown_params.h"
#include "catalog.h"
#include "profile.h"
#include "trace.h"

struct graph_book;

/* `book` holds graphs learned from captures of other runs (attribute.h); NULL:
 * none. Fails only if the arena is full (ERR_TOO_LARGE) or durations overflow
 * (ERR_TRACE). */
bool profile_from(const struct trace *t, uint32_t process,
	const struct catalog *f, const struct graph_book *book, struct arena *a,
	struct profile *out, struct err *e);

/* A request's iterations and layers in place of detected ones: iterations are the
 * ranges of a name, with or without its numbers (NULL: detect them). */
struct profile_params {
	const char *range;
	struct breakdown_params breakdown;
};

/* The same with the parameters of a request. ERR_NOT_FOUND if a run that consists
 * of launches has no range of that name. */
bool profile_from_params(const struct trace *t, uint32_t process,
	const struct profile_params *params, const struct catalog *f,
	const struct graph_book *book, struct arena *a, struct profile *out,
	struct err *e);
