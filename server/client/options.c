/* options.c - the tables of kernsift's commands and options, and the checks that
 * need more than one value. */
#include "options.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <unistd.h>

enum {
#define COMMAND(bit, name, function, operands, min, max, stops, help, more) \
	bit = 1 << OPTIONS_##bit,
#include "client_commands.def"
#undef COMMAND
	TRACES = UPLOAD | RUN | AGENT,
	ALL = TRACES | ATTACH | COMPARE | DIAGNOSE | RUNS | SHOW | FUSIONS |
	      DEVICES | IMPORT | GATE | HEALTH | CALIBRATE,
};

static const struct cli_command options_commands[] = {
#define COMMAND(bit, name, function, operands, min, max, stops, help, more) \
	{ name, operands, min, max, stops, bit, help, more },
#include "client_commands.def"
#undef COMMAND
};

static const struct cli_option options_own[] = {
#define OPTION(field, kind, def, env, of, value, example, min, max, help)   \
	{ #field, CLI_##kind, def, env, of, value, example, min, max, help, \
		offsetof(struct options, field) },
#include "options.def"
#undef OPTION
};

/* The options of the collector, from the collector's own list. The collector
 * checks texts itself and reports errors in its log. Its numbers have at most
 * nine digits. */
enum { NINE_DIGITS = 999999999 };
#define TRACE_TEXT(def) CLI_TEXT, "TEXT", "", 0, 0
#define TRACE_NUM(def) CLI_NUM, "N", def, 0, NINE_DIGITS
#define TRACE_COUNT(def) CLI_NUM, "N", def, 1, NINE_DIGITS
#define TRACE_FLAG(def) CLI_SWITCH, "", "", 0, 0
#define TRACE_REGEX(def) CLI_REGEX, "REGEX", "secret.*", 0, 0
#define TRACE(field, def, env, help, ...) \
	TRACE_ROW(field, def, env, help, __VA_ARGS__)
#define TRACE_ROW(field, def, env, help, kind, value, example, min, max) \
	{ #field, kind, def, env, RUN, value, example, min, max, help, 0 },
static const struct cli_option options_collector[] = {
#define OPTION(field, kind, def, env, help) \
	TRACE(field, def, env, help, TRACE_##kind(def))
#include "collector_options.def"
#undef OPTION
};

static void options_take_trace(void *values, const struct cli_option *of,
	const char *value)
{
	struct options *o = values;
	size_t room = strlen(of->env) + strlen(value) + 2;
	char *text = malloc(room);

	if (!text)
		abort();
	snprintf(text, room, "%s=%s", of->env, value);
	o->trace.at[o->trace.n++] = text;
}

/* Without an upload the server is not used. */
static bool options_skips(const void *values, const struct cli_option *of)
{
	const struct options *o = values;

	return o->no_upload &&
	       (of->at == offsetof(struct options, server) ||
		       of->at == offsetof(struct options, token_file) ||
		       of->at == offsetof(struct options, ca_file));
}

/* The server of `kernsift login`. */
static const char *options_stored(const void *values,
	const struct cli_option *of)
{
	const struct options *o = values;

	return of->at == offsetof(struct options, server) ? o->login.server
							  : NULL;
}

const struct cli_program options_program = {
	.name = "kernsift",
	.about = "kernsift sends GPU traces to a kernsift server and compares "
		 "runs.",
	.commands = options_commands,
	.commands_n = sizeof options_commands / sizeof *options_commands,
	.groups = { { "Options", options_own,
			    sizeof options_own / sizeof *options_own, NULL },
		{ "Options of the collector", options_collector,
			sizeof options_collector / sizeof *options_collector,
			options_take_trace } },
	.skips = options_skips,
	.stored = options_stored,
};

static bool options_check_labels(const struct text_list *l, struct err *e)
{
	for (int i = 0; i < l->n; i++) {
		const char *equals = strchr(l->at[i], '=');
		if (!equals || equals == l->at[i])
			return err_set(e, ERR_INPUT,
				"--label: '%.60s' is not KEY=VALUE (for "
				"example branch=main)",
				l->at[i]);
	}
	return true;
}

static bool options_is_limit(const char *text)
{
	const char *equals = strrchr(text, '=');
	char *end;

	if (!equals || equals == text || !equals[1] ||
		strspn(equals + 1, "+-.0123456789eE") != strlen(equals + 1))
		return false;
	return isfinite(strtod(equals + 1, &end)) && !*end;
}

static bool options_check_limits(const struct text_list *l, const char *option,
	const char *example, struct err *e)
{
	for (int i = 0; i < l->n; i++)
		if (!options_is_limit(l->at[i]))
			return err_set(e, ERR_INPUT,
				"%s: '%.60s' is not NAME=PERCENT (for example %s)",
				option, l->at[i], example);
	return true;
}

/* Measures are sent after the traces. A file that cannot be read is reported before
 * anything is sent. */
static bool options_check_measures(const struct options *o, struct err *e)
{
	int standard_input = 0;

	for (int i = 0; i < o->files.n; i++)
		standard_input += !strcmp(o->files.at[i], "-");
	for (int i = 0; i < o->measures.n; i++) {
		const char *file = o->measures.at[i];
		if (!strcmp(file, "-"))
			standard_input++;
		else if (access(file, R_OK))
			return err_set(e, ERR_FILE,
				"--measures: cannot open '%.200s': %s", file,
				strerror(errno));
	}
	return !o->measures.n || standard_input < 2 ||
	       err_set(e, ERR_INPUT,
		       "--measures: standard input can be read only once");
}

static bool options_check(const struct options *o, enum options_of command,
	struct err *e)
{
	if (command == OPTIONS_UPLOAD && *o->counters && o->files.n != 1)
		return err_set(e, ERR_INPUT,
			"--counters: belongs to one pattern file, and %d files "
			"are given (send them one by one)",
			o->files.n);
	if (command == OPTIONS_UPLOAD && *o->counters && *o->graph_captures)
		return err_set(e, ERR_INPUT,
			"--counters: belongs to a pattern file, which has no "
			"graph captures (give one of --counters and "
			"--graph-captures)");
	if (command == OPTIONS_UPLOAD && o->provenance.n && o->files.n != 1)
		return err_set(e, ERR_INPUT,
			"--provenance: belongs to one trace, and %d files are "
			"given (send them one by one)",
			o->files.n);
	if (!options_check_measures(o, e))
		return false;
	if (command == OPTIONS_IMPORT && *o->name && o->files.n != 1)
		return err_set(e, ERR_INPUT,
			"--name: names one reference set, and %d files are "
			"given (send them one by one)",
			o->files.n);
	if (command == OPTIONS_DIAGNOSE && !strcmp(o->format, "csv"))
		return err_set(e, ERR_INPUT,
			"--format: diagnose prints no csv (use text, json or "
			"md)");
	return options_check_labels(&o->label, e) &&
	       options_check_limits(&o->operator_pct, "--operator-pct",
		       "attention=5", e) &&
	       options_check_limits(&o->measure_pct, "--measure-pct",
		       "ttft_p99=5", e);
}

enum cli_result options_init(struct options *o, enum options_of command,
	int argc, char *const argv[], struct err *e)
{
	*o = (struct options){ 0 };
	o->trace.at = calloc((size_t)argc + 1, sizeof *o->trace.at);
	if (!o->trace.at)
		abort();
	/* `login` and `logout` replace or delete a file that cannot be used. */
	if ((options_commands[command].bit & (ALL | OPEN)) &&
		!login_read(&o->login, e))
		return CLI_BAD;
	enum cli_result got = cli_read(&options_program,
		&options_commands[command], argc, argv, o, &o->files, e);
	return got == CLI_OK && !options_check(o, command, e) ? CLI_BAD : got;
}

void options_release(struct options *o)
{
	cli_release(&options_program, o, &o->files);
	for (int i = 0; i < o->trace.n; i++)
		free((char *)(uintptr_t)o->trace.at[i]);
	free(o->trace.at);
	login_release(&o->login);
	*o = (struct options){ 0 };
}

int64_t options_run_id(const char *text)
{
	char *end;

	errno = 0;
	int64_t id = strtoll(text, &end, 10);
	bool digits = *text >= '0' && *text <= '9';
	return digits && !*end && !errno && id > 0 ? id : 0;
}

const char *options_trace_value(const struct options *o, const char *variable)
{
	size_t len = strlen(variable);

	for (int i = o->trace.n; i-- > 0;)
		if (!strncmp(o->trace.at[i], variable, len) &&
			o->trace.at[i][len] == '=')
			return o->trace.at[i] + len + 1;
	return NULL;
}
