/* options_check.c - values that only mean something together, command by command. */
#include "options_check.h"
#include <math.h>

static bool check_label(const char *label, struct err *e)
{
	const char *equals = strchr(label, '=');
	if (!equals || equals == label)
		return err_set(e, ERR_INPUT,
			"'%.60s' is not a label; labels are key=value", label);
	return true;
}

/* What is told of runs. */
static bool check_told(const struct options *o, struct err *e)
{
	for (int i = 0; i < o->label.n; i++) {
		if (!check_label(o->label.at[i], e))
			return false;
	}
	if (*o->gpu_hours) {
		char *end;
		double hours = strtod(o->gpu_hours, &end);
		if (*end || !isfinite(hours) || hours < 0)
			return err_set(e, ERR_INPUT,
				"'%.60s' is not a number of GPU-hours",
				o->gpu_hours);
	}
	return true;
}

static bool check_upload(const struct options *o, struct err *e)
{
	if (!check_told(o, e))
		return false;
	if (strcmp(o->compress, "zstd") && strcmp(o->compress, "gzip") &&
		strcmp(o->compress, "none"))
		return err_set(e, ERR_INPUT,
			"'%.60s' is not a compression; there are zstd, gzip "
			"and none",
			o->compress);
	if (!o->files.n)
		return err_set(e, ERR_INPUT,
			"no file is named; see 'kernsift help'");
	if (*o->counters && o->files.n != 1)
		return err_set(e, ERR_INPUT,
			"'--counters' goes with one pattern file, and %d files "
			"are named",
			o->files.n);
	return true;
}

static bool is_one_of(const char *name, const char *text,
	const char *const words[], const char *list, struct err *e)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(text, words[i]))
			return true;
	return err_set(e, ERR_INPUT, "'%.60s' is not a %s; there are %s", text,
		name, list);
}

static bool two_sides(const char *command, const struct options *o,
	struct err *e)
{
	return o->files.n == 2 ||
	       err_set(e, ERR_INPUT,
		       "%s takes two sides, BASE and HEAD, each such as 3 or "
		       "1,2 or job:4 or 'label.branch=main last=20'; see "
		       "'kernsift help'",
		       command);
}

static bool check_gate(const struct options *o, struct err *e)
{
	static const char *const kinds[] = { "", "github", "none", NULL };
	return two_sides("gate", o, e) &&
	       is_one_of("kind of annotations", o->annotations, kinds,
		       "github and none", e);
}

static bool check_compare(const struct options *o, struct err *e)
{
	static const char *const scores[] = { "verdict", "published", NULL };
	static const char *const formats[] = { "text", "json", "csv", "md",
		NULL };
	return two_sides("compare", o, e) &&
	       is_one_of("score", o->score, scores, "verdict and published",
		       e) &&
	       is_one_of("format", o->format, formats, "text, json, csv and md",
		       e);
}

static bool check_import(const struct options *o, struct err *e)
{
	if (!o->files.n)
		return err_set(e, ERR_INPUT,
			"no file is named; see 'kernsift help'");
	return !*o->name || o->files.n == 1 ||
	       err_set(e, ERR_INPUT,
		       "'--name' is of one set, and %d files are named",
		       o->files.n);
}

static bool check_run(const struct options *o, struct err *e)
{
	return check_told(o, e) &&
	       (o->files.n ||
		       err_set(e, ERR_INPUT,
			       "no command is named; see 'kernsift help'"));
}

static bool check_agent(const struct options *o, struct err *e)
{
	return check_told(o, e) &&
	       (o->files.n == 1 ||
		       err_set(e, ERR_INPUT,
			       "agent takes one folder; see 'kernsift help'"));
}

static bool check_health(const struct options *o, struct err *e)
{
	return !o->files.n ||
	       err_set(e, ERR_INPUT,
		       "'%.60s' is one word too many; see 'kernsift help'",
		       o->files.at[0]);
}

bool options_check(const struct options *o, enum options_of command,
	struct err *e)
{
	switch (command) {
	case OPTIONS_COMPARE:
		return check_compare(o, e);
	case OPTIONS_IMPORT:
		return check_import(o, e);
	case OPTIONS_RUN:
		return check_run(o, e);
	case OPTIONS_AGENT:
		return check_agent(o, e);
	case OPTIONS_GATE:
		return check_gate(o, e);
	case OPTIONS_HEALTH:
		return check_health(o, e);
	default:
		return check_upload(o, e);
	}
}
