/* analyze.h - one process of a trace becomes a profile.
 *
 * Pure: no clock, no I/O, no database. All of the result is in the arena. The
 * steps, each a module of its own: kernel_name (kernel_name_demangle, shorten), catalog's
 * families, stats (grouping, exact rounding), interval (unions). */
#pragma once
#include "breakdown_params.h"
#include "catalog.h"
#include "profile.h"
#include "trace.h"

struct graph_book;

/* `book` holds the graphs that other runs taught (attribute.h); NULL: none.
 * Fails only where the arena is full (ERR_TOO_LARGE). */
bool profile_from(const struct trace *t, uint32_t process,
	const struct catalog *f, const struct graph_book *book, struct arena *a,
	struct profile *out, struct err *e);

/* The same with what somebody asked for in place of what would be found: iterations
 * that are the ranges of a name, with or without its numbers (NULL to find out),
 * and layers. ERR_NOT_FOUND where a run that rests on launches has none of that
 * name. */
struct profile_asked {
	const char *range;
	struct breakdown_asked breakdown;
};
bool profile_asked(const struct trace *t, uint32_t process,
	const struct profile_asked *asked, const struct catalog *f,
	const struct graph_book *book, struct arena *a, struct profile *out,
	struct err *e);
