/* main.c - kernsiftd: finds the command, parses its options and runs it. */
#include "command.h"
#include "db.h"
#include "log.h"
#include <errno.h>

static int (*const main_commands[])(const struct invocation *in) = {
#define COMMAND(bit, name, function, operands, min, max, help, more) \
	[CONFIG_##bit] = function,
#include "commands.def"
#undef COMMAND
};

int command_help(const struct invocation *in)
{
	const char *argv[] = { "", in->operands[0], NULL };
	struct err e = { 0 };
	int used;

	if (in->operands[0])
		argv[2] = in->operands[1];
	if (!argv[1]) {
		cli_program_help(&config_program, stdout);
		return 0;
	}
	const struct cli_command *c = cli_command_find(&config_program,
		argv[2] ? 3 : 2, (char *const *)(uintptr_t)argv, &used, &e);
	if (!c)
		return command_fail(&e);
	cli_command_help(&config_program, c, stdout);
	return 0;
}

int command_version(const struct invocation *in)
{
	(void)in;
	puts("kernsiftd " KERNSIFT_VERSION);
	return 0;
}

static void main_log_level(const char *word)
{
	static const char *const names[] = { "debug", "info", "warn", "error" };

	for (int i = 0; i < 4; i++)
		if (!strcmp(word, names[i]))
			log_level((enum log_level)i);
}

enum { PASSWORD_MAX = 1000 };

/* Reads the database's password from the first line of the file. Sets
 * PGPASSWORD to it, in the environment of this process and its workers. libpq
 * uses PGPASSWORD if --db contains no password. If `path` is "", does nothing.
 */
static bool main_password(const char *path, struct err *e)
{
	char line[PASSWORD_MAX + 2] = { 0 };
	if (!*path)
		return true;
	FILE *f = fopen(path, "re");
	bool any = f && fgets(line, sizeof line, f);
	int why = errno;
	bool bad = !f || ferror(f);
	if (f)
		fclose(f);
	if (bad)
		return err_set(e, ERR_INPUT,
			"--db-password-file '%.200s' cannot be read: %s", path,
			strerror(why));
	size_t len = strcspn(line, "\r\n");
	if (!any || !len || len > PASSWORD_MAX)
		return err_set(e, ERR_INPUT,
			"--db-password-file '%.200s' has no password in its "
			"first line, of at most %d bytes",
			path, PASSWORD_MAX);
	line[len] = '\0';
	setenv("PGPASSWORD", line, 1);
	return true;
}

/* Runs the command. All errors in its arguments are reported before the command
 * starts. */
static int main_run(const struct cli_command *c, int argc, char **argv)
{
	struct err e = { 0 };
	struct config config = { 0 };
	struct text_list operands;
	struct invocation in = { &config, NULL, argc, argv };
	int status;

	switch (cli_read(&config_program, c, argc, argv, &config, &operands,
		&e)) {
	case CLI_HELP:
		cli_command_help(&config_program, c, stdout);
		status = 0;
		break;
	case CLI_BAD:
		status = command_fail(&e);
		break;
	default:
		in.operands = operands.at;
		main_log_level(config.log);
		status = db_conninfo_check(config.db, &e) &&
					 main_password(config.db_password_file,
						 &e)
				 ? main_commands[c - config_program.commands](
					   &in)
				 : command_fail(&e);
	}
	cli_release(&config_program, &config, &operands);
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
		cli_command_find(&config_program, argc, argv, &used, &e);
	return c ? main_run(c, argc - used, argv + used) : command_fail(&e);
}
