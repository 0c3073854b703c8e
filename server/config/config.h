/* config.h - the commands of kernsiftd and all of their options.
 *
 * commands.def and config.def list them; base/cli.h describes how values are
 * found. A command reads its options once and passes them to its modules as
 * arguments. No other code reads options or environment variables. */
#pragma once
#include "cli.h"
#include "object_store.h"

/* The commands, in the order of commands.def. */
enum config_command {
#define COMMAND(bit, name, function, operands, min, max, help, more) \
	CONFIG_##bit,
#include "commands.def"
#undef COMMAND
};

/* Options that a command does not take have their defaults. */
struct config {
#define OPTION(field, kind, def, env, of, value, example, min, max, help) \
	cli_##kind field;
#include "config.def"
#undef OPTION
};

/* The object storage that the options select; its texts are those of `c`. */
struct object_settings config_objects(const struct config *c);

/* The tables. commands[CONFIG_SERVE] is `serve`, and so on. */
extern const struct cli_program config_program;
