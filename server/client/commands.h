/* commands.h - the commands of kernsift; each returns its exit status. */
#pragma once
#include "options.h"
#include <stdio.h>

/* Statuses from 64 on are those of sysexits.h. `gate` also has 0 to 3, the
 * outcomes; `run` has the status of its command, and EXIT_RUN for all failures of its
 * own (client_commands.def). */
enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_BAD_DATA = 3,
	EXIT_USAGE = 64, /* EX_USAGE: a wrong command line or setting */
	EXIT_UNREACHABLE = 69, /* EX_UNAVAILABLE */
	EXIT_FILE = 74, /* EX_IOERR: a file cannot be read or written */
	EXIT_RUN = 125
};

/* The status for a failure, of which ERR_INPUT concerns the contents of a file. */
static inline int commands_status(const struct err *e)
{
	switch (e->code) {
	case ERR_NONE:
		return EXIT_OK;
	case ERR_UNAUTHORIZED: /* the token is a setting */
	case ERR_FORBIDDEN:
		return EXIT_USAGE;
	case ERR_UNREACHABLE:
		return EXIT_UNREACHABLE;
	case ERR_FILE:
		return EXIT_FILE;
	default:
		return EXIT_FAILED;
	}
}

/* The status for a failure, of which ERR_INPUT concerns the command line or a
 * setting. What the server rejects has another code (answer.h). */
static inline int commands_usage_status(const struct err *e)
{
	return e->code == ERR_INPUT ? EXIT_USAGE : commands_status(e);
}

/* Of several failures, the status is that of the first. */
static inline int commands_first(int status, const struct err *e)
{
	return status == EXIT_OK ? commands_status(e) : status;
}

/* Ends the output. Returns false with a message if it could not be written. */
static inline bool commands_flush(struct err *e)
{
	return (!fflush(stdout) && !ferror(stdout)) ||
	       err_set(e, ERR_FILE, "cannot write to standard output");
}

#define COMMAND(bit, name, function, operands, min, max, stops, help, more) \
	int function(const struct options *o);
#include "client_commands.def"
#undef COMMAND
