/* analyze.h - one process of a trace becomes a profile.
 *
 * Pure: no clock, no I/O, no database. All of the result is in the arena. The
 * steps, each a module of its own: kernel_name (demangle, shorten), catalog's
 * families, stats (grouping, exact rounding), interval (unions). */
#pragma once
#include "family.h"
#include "profile.h"
#include "trace.h"

/* Fails only where the arena is full (ERR_TOO_LARGE). */
bool profile_from(const struct trace *t, uint32_t process,
	const struct families *f, struct arena *a, struct profile *out,
	struct err *e);
