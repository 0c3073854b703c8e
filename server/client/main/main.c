/* main.c - kernsift, the client: which command, and its exit status. */
#include "cmd_agent.h"
#include "cmd_compare.h"
#include "cmd_gate.h"
#include "cmd_health.h"
#include "cmd_import.h"
#include "cmd_run.h"
#include "cmd_upload.h"
#include "options_trace.h"
#include <signal.h>

static int run(enum options_of command, int (*cmd)(const struct options *o),
	int argc, char **argv)
{
	struct options o;
	struct err e = { 0 };
	int status = command == OPTIONS_RUN ? EXIT_RUN : EXIT_USAGE;

	/* A command that is run has it as we had it. */
	if (command != OPTIONS_RUN)
		signal(SIGPIPE, SIG_IGN);
	if (options_init(&o, command, argc, argv, &e))
		status = cmd(&o);
	else
		fprintf(stderr, "kernsift: %s\n", e.text);
	options_release(&o);
	return status;
}

static int run_upload(int argc, char **argv)
{
	return run(OPTIONS_UPLOAD, cmd_upload, argc, argv);
}

static int run_compare(int argc, char **argv)
{
	return run(OPTIONS_COMPARE, cmd_compare, argc, argv);
}

static int run_gate(int argc, char **argv)
{
	return run(OPTIONS_GATE, cmd_gate, argc, argv);
}

static int run_health(int argc, char **argv)
{
	return run(OPTIONS_HEALTH, cmd_health, argc, argv);
}

static int run_import(int argc, char **argv)
{
	return run(OPTIONS_IMPORT, cmd_import, argc, argv);
}

static int run_run(int argc, char **argv)
{
	return run(OPTIONS_RUN, cmd_run, argc, argv);
}

static int run_agent(int argc, char **argv)
{
	return run(OPTIONS_AGENT, cmd_agent, argc, argv);
}

static void help_gate(void)
{
	puts("\nOptions of gate:\n");
	options_help(stdout, OPTIONS_GATE);
	puts("\nSides are as those of compare. Exit status: 0 pass, 1 "
	     "regressed, 2\n"
	     "undecided, 3 bad data, or the command line is wrong, the server "
	     "could not\n"
	     "be asked, or a file could not be written. Pass needs no "
	     "evidence: it is\n"
	     "an estimate below the limit, also where its interval reaches "
	     "far above.");
}

static void help_run(void)
{
	puts("\nOptions of run:\n");
	options_help(stdout, OPTIONS_RUN);
	puts("\nAnd the collector's, which it also reads from its environment:"
	     "\n");
	options_trace_help(stdout);
	puts("\nExit status: the command's, 128 + N where signal N ended it; "
	     "127 and\n"
	     "126 where it could not be run, 125 where nothing was tried. What "
	     "became\n"
	     "of its captures is told on stderr.\n\n"
	     "Options of agent:\n");
	options_help(stdout, OPTIONS_AGENT);
	puts("\nExit status: 0 it was asked to end, or with --once all was "
	     "sent; 1\n"
	     "something stays or the folder is another agent's; 3 the command "
	     "line or\n"
	     "the settings are wrong.");
}

static int run_help(int argc, char **argv)
{
	(void)argc, (void)argv;
	puts("kernsift sends GPU traces to a kernsift server and asks it what "
	     "changed.\n\n"
	     "  kernsift upload [OPTION]... FILE...       send files, '-' is "
	     "stdin\n"
	     "  kernsift compare [OPTION]... BASE HEAD    what changed between "
	     "two sides\n"
	     "  kernsift gate [OPTION]... BASE HEAD       whether a head may "
	     "go "
	     "in: 0, 1, 2 or 3\n"
	     "  kernsift health [OPTION]...               whether the "
	     "server can answer: 0, 1 or 3\n"
	     "  kernsift import [OPTION]... FILE...       published operator "
	     "catalogues, as sets\n"
	     "  kernsift run [OPTION]... -- CMD ARG...    record a command's "
	     "GPU work and send it\n"
	     "  kernsift agent [OPTION]... DIR            send what collectors "
	     "leave in a folder\n"
	     "  kernsift version                          print the version\n"
	     "  kernsift help                             print this text\n\n"
	     "Options of upload [default] (environment):\n");
	options_help(stdout, OPTIONS_UPLOAD);
	puts("\nPrints 'upload ID STATE URL' per file, with --wait\n"
	     "'run ID URL' per run. Exit status: 0 all went well, 1 an\n"
	     "upload failed, 3 the command line or the settings are wrong.\n\n"
	     "Options of compare:\n");
	options_help(stdout, OPTIONS_COMPARE);
	puts("\nA side is the id of a run, several with commas, or job:ID for "
	     "a\n"
	     "job's; or a query such as 'project=p label.branch=main last=20'. "
	     "Exit\n"
	     "status: 0 the comparison is printed, whatever it "
	     "says,\n"
	     "1 the server could not be asked, 3 the command line or a side is "
	     "wrong.");
	help_gate();
	puts("\nOptions of import:\n");
	options_help(stdout, OPTIONS_IMPORT);
	puts("\nPrints 'set NAME: N operators, N shapes, URL' per file. Exit "
	     "status: 0\n"
	     "all went well, 1 a file failed, 3 the command line or the "
	     "settings are\n"
	     "wrong.");
	help_run();
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
} commands[] = { { "upload", run_upload }, { "compare", run_compare },
	{ "gate", run_gate }, { "health", run_health },
	{ "import", run_import }, { "run", run_run }, { "agent", run_agent },
	{ "help", run_help }, { "--help", run_help }, { "-h", run_help },
	{ "version", run_version }, { "--version", run_version } };

int main(int argc, char **argv)
{
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
