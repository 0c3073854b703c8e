/* main.c - the table of kernsiftd's commands, and the help over all of them. */
#include "command.h"
#include <stdio.h>
#include <string.h>

static int main_help(int argc, char **argv);
static int main_version(int argc, char **argv);

static const struct command {
	const char *name, *usage;
	int (*run)(int argc, char **argv); /* NULL: a word of another */
	const char *what; /* NULL: not for people */
} commands[] = {
	{ "serve", "", command_serve,
		"serve the API and the page, and ingest" },
	{ "work", "", command_work,
		"ingest only, for a server that runs (or for any --db)" },
	{ "migrate", "", command_migrate, "bring the schema up to date" },
	{ "rebuild", "", command_rebuild,
		"make all that is derived from uploads anew" },
	{ "token",
		" --scope read|upload|admin --name NAME [--project PROJECT] "
		"[--expires_days N]",
		command_token, "make a token and print it, this once" },
	{ "token list", " [--project PROJECT]", NULL,
		"the tokens there are, without what opens" },
	{ "token revoke", " ID", NULL, "from now on that token opens nothing" },
	{ "backup", " FILE [--without_raw]", command_backup,
		"the whole database as one file, also while it is served; "
		"tokens and secrets are in it" },
	{ "restore", " FILE", command_restore,
		"such a file into an empty database" },
	{ "vacuum",
		" [--dry-run] [--project P] [--raw_days N] [--run_days N] "
		"[--quota_mib N]",
		command_vacuum,
		"drop what is kept too long, as GET /retention and these say; "
		"--dry-run: tell what would go" },
	{ "inspect",
		" FILE [--by "
		"kernels|device|grid|source|launches|callers|cycles|patterns|"
		"facts|operators|shapes|unattributed|layers,...] "
		"[--format text|json] [--learn CAPTURE] [--layers "
		"modules|period] [--layer_range NAME] [--layer_start NAME "
		"[--layer_every N]] [--device N] [--stratum N] [--realign "
		"yes|no]",
		command_inspect, "a trace's statistics; needs no database" },
	{ "convert", " IN OUT.kst [--run N]", command_convert,
		"a trace, or one run of it, as a capture; needs no database" },
	{ "help", "", main_help, "this text" },
	{ "version", "", main_version, "the version" },
	{ "worker", "", command_worker, NULL },
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static int main_help(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	printf("usage: kernsiftd COMMAND [OPTION]...\n\n");
	for (int i = 0; i < COMMANDS; i++)
		if (commands[i].what)
			printf("  %s%s\n        %s\n", commands[i].name,
				commands[i].usage, commands[i].what);
	printf("\noptions, each with its default and the variable that stands "
	       "in for it:\n\n");
	config_help(stdout);
	return 0;
}

static int main_version(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	printf("kernsiftd %s\n", KERNSIFT_VERSION);
	return 0;
}

int main(int argc, char **argv)
{
	struct err e = { 0 };
	if (argc < 2) {
		err_set(&e, ERR_INPUT,
			"a command is missing; see 'kernsiftd help'");
		return command_fail(&e);
	}
	const char *name = argv[1];
	if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		name = "help";
	if (!strcmp(name, "--version"))
		name = "version";
	for (int i = 0; i < COMMANDS; i++)
		if (commands[i].run && !strcmp(name, commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	err_set(&e, ERR_INPUT, "'%.60s' is not a command; see 'kernsiftd help'",
		name);
	return command_fail(&e);
}
