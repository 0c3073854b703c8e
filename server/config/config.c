/* config.c - the tables of kernsiftd's commands and options, for base/cli.h. */
#include "config.h"
#include <limits.h>
#include <stddef.h>

enum {
#define COMMAND(bit, name, function, operands, min, max, help, more) \
	bit = 1 << CONFIG_##bit,
#include "commands.def"
#undef COMMAND
	SERVER = SERVE | WORKER,
	INGEST = SERVE | WORK | WORKER,
	TRACES = INGEST | INSPECT | CONVERT,
	DATABASE = INGEST | MIGRATE | REBUILD | TOKEN | TOKEN_LIST |
		   TOKEN_REVOKE | BACKUP | RESTORE | VACUUM,
	EVERY = DATABASE | INSPECT | CONVERT,
};

static const struct cli_command config_commands[] = {
#define COMMAND(bit, name, function, operands, min, max, help, more) \
	{ name, operands, min, max, false, bit, help, more },
#include "commands.def"
#undef COMMAND
};

static const struct cli_option config_options[] = {
#define OPTION(field, kind, def, env, of, value, example, min, max, help)   \
	{ #field, CLI_##kind, def, env, of, value, example, min, max, help, \
		offsetof(struct config, field) },
#include "config.def"
#undef OPTION
};

struct object_settings config_objects(const struct config *c)
{
	return (struct object_settings){
		.endpoint = c->s3_endpoint,
		.region = c->s3_region,
		.key_id = c->s3_key_id,
		.secret = c->s3_secret,
		.token = c->s3_token,
		.credentials = c->s3_credentials,
	};
}

const struct cli_program config_program = {
	.name = "kernsiftd",
	.about = "kernsiftd stores GPU traces, analyzes them and serves the "
		 "results.",
	.commands = config_commands,
	.commands_n = sizeof config_commands / sizeof *config_commands,
	.groups = { { "Options", config_options,
		sizeof config_options / sizeof *config_options, NULL } },
};
