/* config.h - every knob of kernsiftd, named once, in config.def.
 *
 * A value comes from the command line (--field VALUE, --field=VALUE; the last
 * one given), else from the environment, else from config.def. Dashes and
 * underscores in a name are the same. An empty value is as good as none: on
 * the command line it means the default, in the environment nothing. What is
 * unknown or out of range is an error with a sentence, never a guess. Read
 * once by a command, handed down from there, never looked up again. */
#pragma once
#include "err.h"
#include <stdint.h>
#include <stdio.h>

typedef const char *config_TEXT;
typedef int config_NUM;
typedef int config_COUNT;
typedef int config_NICE;
typedef bool config_FLAG;

struct config {
#define OPTION(field, kind, def, env, help) config_##kind field;
#include "config.def"
#undef OPTION
};

/* What one command takes beside the table: options of its own, and operands,
 * whose name is "". The list ends with a NULL name. Texts not given stay NULL.
 * A name that begins with '!' is a flag's: it has no value, and is "1". */
struct config_extra {
	const char *name;
	const char **value;
};

/* argv[0] is the command's name and not looked at. `extra` may be NULL. Texts
 * live as long as argv and the environment. */
bool config_load(struct config *c, const struct config_extra *extra, int argc,
	char **argv, struct err *e);

/* The table of options, for people. */
void config_help(FILE *out);
