/* options.h - what the caller of the client asked for.
 *
 * Flags win over the environment, the environment over the default. Options
 * may stand before, between or after the files; `--` ends them, a lone `-` is
 * the standard input. Nothing is guessed: an unknown option, a value that is
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
#define OPTION(field, kind, def, env, help) option_##kind field;
#include "options.def"
#undef OPTION
	struct text_list files;
};

/* argv without the program's and the command's name. */
bool options_init(struct options *o, int argc, char *const argv[],
	struct err *e);
void options_release(struct options *o);

static inline int options_retries(const struct options *o)
{
	return o->retries > INT32_MAX ? INT32_MAX : (int)o->retries;
}

/* The table of options, a line each. */
void options_help(FILE *out);
