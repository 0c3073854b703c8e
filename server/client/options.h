/* options.h - parses and checks the command line of kernsift.
 *
 * base/cli.h describes how the value of an option is found. Options may be
 * before, between or after the operands; for `run`, they must be before the
 * command. Texts point to argv and to the environment. */
#pragma once
#include "cli.h"
#include "login.h"

struct options {
#define OPTION(field, kind, def, env, of, value, example, min, max, help) \
	cli_##kind field;
#include "options.def"
#undef OPTION
	struct text_list files; /* operands: files, sides, or a command with
				   its arguments; ends in NULL */
	struct text_list trace; /* of `run`: NAME=value for the collector */
	struct login login; /* of `kernsift login` */
	bool login_only; /* the token is that of `login` and no other */
};

/* The commands, in the order of client_commands.def. */
enum options_of {
#define COMMAND(bit, name, function, operands, min, max, stops, help, more) \
	OPTIONS_##bit,
#include "client_commands.def"
#undef COMMAND
};

extern const struct cli_program options_program;

/* Parses the arguments after the command's name. The caller must release the
 * options afterwards, whatever the result. */
enum cli_result options_init(struct options *o, enum options_of command,
	int argc, char *const argv[], struct err *e);
void options_release(struct options *o);

/* The id of a run; 0 if the text is none. */
int64_t options_run_id(const char *text);
/* The last value given for a variable of the collector; NULL if there is none.
 */
const char *options_trace_value(const struct options *o, const char *variable);
