/* main.c - kernsift, the client: which command, and its exit status. */
#include "cmd_upload.h"
#include <signal.h>

static int run_upload(int argc, char **argv)
{
	struct options o;
	struct err e = { 0 };
	int status = EXIT_USAGE;
	if (options_init(&o, argc, argv, &e))
		status = cmd_upload(&o);
	else
		fprintf(stderr, "kernsift: %s\n", e.text);
	options_release(&o);
	return status;
}

static int run_help(int argc, char **argv)
{
	(void)argc, (void)argv;
	puts("kernsift sends GPU traces to a kernsift server.\n\n"
	     "  kernsift upload [OPTION]... FILE...  send files, '-' is stdin\n"
	     "  kernsift version                     print the version\n"
	     "  kernsift help                        print this text\n\n"
	     "Options of upload [default] (environment):\n");
	options_help(stdout);
	puts("\nPrints 'upload ID STATE URL' per file, with --wait\n"
	     "'run ID URL' per run. Exit status: 0 all went well, 1 an\n"
	     "upload failed, 3 the command line or the settings are wrong.");
	return EXIT_OK;
}

static int run_version(int argc, char **argv)
{
	(void)argc, (void)argv;
	puts("kernsift " KERNSIFT_VERSION);
	return EXIT_OK;
}

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = { { "upload", run_upload }, { "help", run_help },
	{ "--help", run_help }, { "-h", run_help }, { "version", run_version },
	{ "--version", run_version } };

int main(int argc, char **argv)
{
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		if (argc > 1 && !strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 2, argv + 2);
	}
	if (argc > 1)
		fprintf(stderr,
			"kernsift: '%.60s' is not a command; see 'kernsift "
			"help'\n",
			argv[1]);
	else
		fputs("kernsift: no command is named; see 'kernsift help'\n",
			stderr);
	return EXIT_USAGE;
}
