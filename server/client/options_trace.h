/* options_trace.h - the collector's options, as `kernsift run` takes them.
 *
 * Each by the name it has in collector/base/options.def, with - for _: a flag of the
 * command line becomes NAME=value for the command's environment. Texts that
 * only the collector can judge it judges itself, in its log. */
#pragma once
#include "options.h"

/* Takes argv[*i], and its value behind it, where it is an option of the
 * collector: then *known. False with a sentence where its value is none. */
bool options_trace_take(struct text_list *to, int argc, char *const argv[],
	int *i, bool *known, struct err *e);
/* The value that was given for a variable, the last of several; NULL none. */
const char *options_trace_value(const struct text_list *of,
	const char *variable);
void options_trace_release(struct text_list *of);

/* The table of them, a line each. */
void options_trace_help(FILE *out);
