/* cli.h - commands and options of a program: parsing, checks and help.
 *
 * A program lists its commands and options in tables. Parsing, the checks of
 * values and all help texts use these tables. The value of an option is the
 * first of these that exists: the command line (--name VALUE or --name=VALUE;
 * the last one counts), the environment variable, the default in the table. In
 * the name of an option, - and _ are the same. An empty value on the command
 * line selects the default. All values are checked before the program uses any
 * of them. */
#pragma once
#include "err.h"
#include <stdint.h>
#include <stdio.h>

/* Kinds of values, and the C type of the field that holds one. */
enum cli_kind {
	CLI_TEXT,
	CLI_GIVEN, /* a text; NULL if absent; "" stays "" */
	CLI_LIST, /* may be repeated */
	CLI_FLAG, /* no value; 0 or 1 in the environment */
	CLI_SWITCH, /* =0 or =1 may follow; else 1 */
	CLI_NUM, /* a whole number from min to max */
	CLI_WHOLE, /* a whole number of 64 bits; -1 if absent */
	CLI_REAL, /* a number as text; if min = max, any number */
	CLI_LIMIT, /* a number as text, or "none" */
	CLI_WORD, /* one of the words in `value`, which are separated by | */
	/* several of these words, separated by commas; NULL if absent */
	CLI_WORDS,
	CLI_FILE, /* a file that can be read */
	CLI_FOLDER, /* a folder, or a path that does not exist yet */
	CLI_LISTEN, /* HOST:PORT */
	CLI_URL, /* http or https, host, port, path */
	CLI_REGEX, /* POSIX extended */
};

struct text_list {
	const char **at;
	int n;
};

typedef const char *cli_TEXT;
typedef const char *cli_GIVEN;
typedef struct text_list cli_LIST;
typedef bool cli_FLAG;
typedef int cli_NUM;
typedef int64_t cli_WHOLE;
typedef const char *cli_REAL;
typedef const char *cli_LIMIT;
typedef const char *cli_WORD;
typedef const char *cli_WORDS;
typedef const char *cli_FILE;
typedef const char *cli_FOLDER;
typedef const char *cli_LISTEN;
typedef const char *cli_URL;

struct cli_option {
	const char *name;
	enum cli_kind kind;
	const char *def, *env;
	uint32_t of; /* bits of the commands that have this option */
	const char *value, *example; /* "N", "8" */
	int64_t min, max;
	const char *help;
	size_t at; /* offset of its field, in bytes */
};

/* Options under one heading of the help. */
struct cli_group {
	const char *title;
	const struct cli_option *options;
	int n;
	/* Receives each value that is given, in order. NULL: values go to the
	 * fields, with environment and defaults. */
	void (*take)(void *values, const struct cli_option *o,
		const char *value);
};

struct cli_command {
	const char *name; /* one word, or two: "token list" */
	const char *operands; /* as shown in the usage line; "": none */
	int min, max; /* number of operands; max -1: any */
	bool stops; /* the first operand ends the options */
	uint32_t bit;
	const char *help; /* a phrase; NULL: the command is not in the help */
	const char *more; /* text after the options in the help; "" */
};

struct cli_program {
	const char *name, *about;
	const struct cli_command *commands;
	int commands_n;
	struct cli_group groups[2];
	/* Whether the value of an option is not needed in this invocation and
	 * must not be checked. If the pointer is NULL, all values are checked.
	 * All flags are already set when this is called. */
	bool (*skips)(const void *values, const struct cli_option *o);
	/* The value that the user has stored for an option. It is used if there is none
	 * on the command line and in the environment. NULL: none. */
	const char *(*stored)(const void *values, const struct cli_option *o);
};

enum cli_result { CLI_OK, CLI_HELP, CLI_BAD };

/* Finds the command that argv[1] and argv[2] name; *used is the number of
 * arguments up to and including its name. NULL, after printing a message, if
 * there is no such command. */
const struct cli_command *cli_command_find(const struct cli_program *p,
	int argc, char *const argv[], int *used, struct err *e);

/* Parses the arguments after the command's name. Fills `values`, which must be
 * a zeroed struct, and *operands, which ends in NULL. Returns CLI_HELP if
 * --help or -h is among the options. The caller must release both afterwards,
 * whatever the result. */
enum cli_result cli_read(const struct cli_program *p,
	const struct cli_command *c, int argc, char *const argv[], void *values,
	struct text_list *operands, struct err *e);
void cli_release(const struct cli_program *p, void *values,
	struct text_list *operands);

/* Prints the list of commands. */
void cli_program_help(const struct cli_program *p, FILE *out);
/* Prints the help of one command with its options and their defaults. */
void cli_command_help(const struct cli_program *p, const struct cli_command *c,
	FILE *out);
