/* main.c - kernsift: finds the command, parses its options and runs it. */
#include "commands.h"
#include <signal.h>

static int (*const main_commands[])(const struct options *o) = {
#define COMMAND(bit, name, function, operands, min, max, stops, help, more) \
	[OPTIONS_##bit] = function,
#include "client_commands.def"
#undef COMMAND
};

int cmd_help(const struct options *o)
{
	struct err e = { 0 };
	char *argv[] = { NULL, NULL, NULL };
	int used;

	if (!o->files.n) {
		cli_program_help(&options_program, stdout);
		return EXIT_OK;
	}
	for (int i = 0; i < o->files.n; i++)
		argv[i + 1] = (char *)(uintptr_t)o->files.at[i];
	const struct cli_command *c = cli_command_find(&options_program,
		o->files.n + 1, argv, &used, &e);
	if (c) {
		cli_command_help(&options_program, c, stdout);
		return EXIT_OK;
	}
	fprintf(stderr, "kernsift: %s\n", e.text);
	return EXIT_USAGE;
}

int cmd_version(const struct options *o)
{
	(void)o;
	puts("kernsift " KERNSIFT_VERSION);
	return EXIT_OK;
}

static int main_run(const struct cli_command *c, int argc, char **argv)
{
	enum options_of command =
		(enum options_of)(c - options_program.commands);
	struct options o;
	struct err e = { 0 };
	int status = EXIT_OK;

	/* A command that `run` starts must inherit SIGPIPE as this program did.
	 */
	if (command != OPTIONS_RUN)
		signal(SIGPIPE, SIG_IGN);
	switch (options_init(&o, command, argc, argv, &e)) {
	case CLI_OK:
		status = main_commands[command](&o);
		break;
	case CLI_HELP:
		cli_command_help(&options_program, c, stdout);
		break;
	case CLI_BAD:
		fprintf(stderr, "kernsift: %s\n", e.text);
		/* other statuses of `run` are those of the command */
		status = command == OPTIONS_RUN ? (int)EXIT_RUN
						: commands_usage_status(&e);
	}
	options_release(&o);
	return status;
}

int main(int argc, char **argv)
{
	static char help[] = "help", version[] = "version";
	struct err e = { 0 };
	int used;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		argv[1] = help;
	if (argc > 1 && !strcmp(argv[1], "--version"))
		argv[1] = version;
	const struct cli_command *c =
		cli_command_find(&options_program, argc, argv, &used, &e);
	if (c)
		return main_run(c, argc - used, argv + used);
	fprintf(stderr, "kernsift: %s\n", e.text);
	return EXIT_USAGE;
}
