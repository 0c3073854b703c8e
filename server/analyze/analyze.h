/* analyze.h - computes a profile from one process of a trace.
 *
 * The functions are pure: they read no clock, no file and no database. The
 * result is allocated in the arena. profile.c calls the steps in order; each
 * step is a module of its own. */
#pragma once
#include "breakdown_params.h"
#include "catalog.h"
#include "profile.h"
#include "trace.h"

struct graph_book;

/* `book` contains graphs learned from captures of other runs (attribute.h);
 * NULL if there are none. Fails only if the arena is full (ERR_TOO_LARGE) or if
 * durations overflow (ERR_TRACE). */
bool profile_from(const struct trace *t, uint32_t process,
	const struct catalog *f, const struct graph_book *book, struct arena *a,
	struct profile *out, struct err *e);

/* What a request gives instead of detected iterations and layers. */
struct profile_params {
	/* Each range of this name is an iteration. The name may contain its
	 * numbers or not. NULL: iterations are detected. */
	const char *range;
	struct breakdown_params breakdown;
};

/* Computes a profile with the parameters of a request. Fails also with
 * ERR_NOT_FOUND if the run contains launches but no range of that name. */
bool profile_from_params(const struct trace *t, uint32_t process,
	const struct profile_params *params, const struct catalog *f,
	const struct graph_book *book, struct arena *a, struct profile *out,
	struct err *e);
