/* commands.h - the commands of kernsift; each returns its exit status. */
#pragma once
#include "options.h"

/* The exit status is EXIT_USAGE for a wrong command line or wrong settings.
 * `gate` and `run` use other values (client_commands.def). */
enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_BAD_DATA = 3,
	EXIT_RUN = 125
};

#define COMMAND(bit, name, function, operands, min, max, stops, help, more) \
	int function(const struct options *o);
#include "client_commands.def"
#undef COMMAND
