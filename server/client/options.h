/* options.h - what the caller of the client asked for.
 *
 * Flags win over the environment, the environment over the default. Options
 * may stand before, between or after the files (of run: before the command);
 * `--` ends them, a lone `-` is the standard input. Nothing is guessed: an unknown option, a value that is
 * none or one that is empty where it may not be is an error with a sentence.
 * Texts point into argv and the environment. */
#pragma once
#include "err.h"
#include <stdint.h>
#include <stdio.h>

struct text_list {
	const char **at;
	int n;
};

typedef const char *option_TEXT;
typedef int64_t option_NUM;
typedef struct text_list option_LIST;
typedef bool option_FLAG;

struct options {
#define OPTION(field, kind, def, env, help, of) option_##kind field;
#include "options.def"
#undef OPTION
	struct text_list files; /* what is no option: files, sides, a command
				   and its arguments; NULL behind the last */
	struct text_list trace; /* of run: NAME=value for the collector; ours */
};

enum options_of {
	OPTIONS_UPLOAD,
	OPTIONS_COMPARE,
	OPTIONS_IMPORT,
	OPTIONS_RUN,
	OPTIONS_AGENT,
	OPTIONS_GATE,
	OPTIONS_HEALTH,
};

/* argv without the program's and the command's name. */
bool options_init(struct options *o, enum options_of command, int argc,
	char *const argv[], struct err *e);
void options_release(struct options *o);

static inline int options_retries(const struct options *o)
{
	return o->retries > INT32_MAX ? INT32_MAX : (int)o->retries;
}

/* The table of a command's options, a line each. */
void options_help(FILE *out, enum options_of command);
