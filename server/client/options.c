/* options.c - flags, environment and defaults become struct options. */
#include "options.h"
#include "options_check.h"
#include "options_trace.h"
#include <errno.h>

/* Room for every argument, so that adding never fails. */
static void list_init(struct text_list *l, int argc)
{
	l->at = calloc((size_t)argc + 1, sizeof *l->at);
	l->n = 0;
	if (!l->at)
		abort();
}

static bool take_TEXT(option_TEXT *to, const char *name, const char *text,
	struct err *e)
{
	(void)name, (void)e;
	*to = text;
	return true;
}

static bool take_NUM(option_NUM *to, const char *name, const char *text,
	struct err *e)
{
	char *end;
	errno = 0;
	*to = strtoll(text, &end, 10);
	if (errno || end == text || *end || *to < 0)
		return err_set(e, ERR_INPUT,
			"'%.60s' is not a number that '--%s' could be", text,
			name);
	return true;
}

static bool take_LIST(option_LIST *to, const char *name, const char *text,
	struct err *e)
{
	(void)name, (void)e;
	to->at[to->n++] = text;
	return true;
}

static bool take_FLAG(option_FLAG *to, const char *name, const char *text,
	struct err *e)
{
	(void)name, (void)text, (void)e;
	*to = true;
	return true;
}

enum kind { TEXT, NUM, LIST, FLAG };

enum of {
	UPLOAD = 1 << OPTIONS_UPLOAD,
	COMPARE = 1 << OPTIONS_COMPARE,
	IMPORT = 1 << OPTIONS_IMPORT,
	RUN = 1 << OPTIONS_RUN,
	AGENT = 1 << OPTIONS_AGENT,
	GATE = 1 << OPTIONS_GATE,
	HEALTH = 1 << OPTIONS_HEALTH,
	TRACES = UPLOAD | RUN | AGENT,
	EVERY = UPLOAD | COMPARE | IMPORT | RUN | AGENT | GATE | HEALTH
};

static const char *const commands[] = { [OPTIONS_UPLOAD] = "upload",
	[OPTIONS_COMPARE] = "compare",
	[OPTIONS_IMPORT] = "import",
	[OPTIONS_RUN] = "run",
	[OPTIONS_AGENT] = "agent",
	[OPTIONS_GATE] = "gate",
	[OPTIONS_HEALTH] = "health" };

/* Whether arg is --name or --name=value, with - for each _ of the field. */
static bool is_flag(const char *arg, const char *field, const char **value)
{
	for (arg += 2; *field; arg++, field++) {
		if (*arg != *field && !(*arg == '-' && *field == '_'))
			return false;
	}
	*value = *arg == '=' ? arg + 1 : NULL;
	return !*arg || *arg == '=';
}

/* The value of the flag at *i: behind its '=', or the next argument. */
static bool value_of(int argc, char *const argv[], int *i, enum kind kind,
	const char **value, struct err *e)
{
	if (kind == FLAG && *value)
		return err_set(e, ERR_INPUT, "'%.60s' takes no value",
			argv[*i]);
	if (kind == FLAG)
		*value = "";
	if (*value)
		return true;
	*value = *i + 1 < argc ? argv[*i + 1] : "";
	if (*i + 1 >= argc)
		return err_set(e, ERR_INPUT, "'%.60s' lacks its value",
			argv[*i]);
	++*i;
	return true;
}

static bool meant_for(int of, enum options_of command, const char *arg,
	struct err *e)
{
	return of & (1 << command) ||
	       err_set(e, ERR_INPUT,
		       "'%.60s' is not an option of %s; see 'kernsift help'",
		       arg, commands[command]);
}

static bool take_flag(struct options *o, enum options_of command, int argc,
	char *const argv[], int *i, struct err *e)
{
	const char *value;
#define OPTION(field, kind, def, env, help, of)                    \
	if (is_flag(argv[*i], #field, &value))                     \
		return meant_for(of, command, argv[*i], e) &&      \
		       value_of(argc, argv, i, kind, &value, e) && \
		       take_##kind(&o->field, #field, value, e);
#include "options.def"
#undef OPTION
	bool known = false;
	if (command == OPTIONS_RUN &&
		!options_trace_take(&o->trace, argc, argv, i, &known, e))
		return false;
	return known || err_set(e, ERR_INPUT,
				"'%.60s' is not an option; see 'kernsift help'",
				argv[*i]);
}

static bool take_default(const char *env, const char *def, const char **text,
	enum kind kind)
{
	const char *set = *env ? getenv(env) : NULL;
	*text = set && *set ? set : def;
	return kind == TEXT || kind == NUM;
}

bool options_init(struct options *o, enum options_of command, int argc,
	char *const argv[], struct err *e)
{
	*o = (struct options){ 0 };
	list_init(&o->files, argc);
	list_init(&o->label, argc);
	list_init(&o->operator, argc);
	list_init(&o->trace, argc);
	const char *text;
#define OPTION(field, kind, def, env, help, of)           \
	if (take_default(env, def, &text, kind) &&        \
		!take_##kind(&o->field, #field, text, e)) \
		return false;
#include "options.def"
#undef OPTION
	for (int i = 0; i < argc; i++) {
		if (!strcmp(argv[i], "--")) {
			while (++i < argc)
				o->files.at[o->files.n++] = argv[i];
		} else if (!strncmp(argv[i], "--", 2)) {
			if (!take_flag(o, command, argc, argv, &i, e))
				return false;
		} else if (argv[i][0] == '-' && argv[i][1]) {
			return err_set(e, ERR_INPUT,
				"'%.60s' is not an option; see 'kernsift help'",
				argv[i]);
		} else {
			o->files.at[o->files.n++] = argv[i];
			while (command == OPTIONS_RUN && ++i < argc)
				o->files.at[o->files.n++] = argv[i];
		}
	}
	return options_check(o, command, e);
}

void options_release(struct options *o)
{
	free(o->files.at);
	free(o->label.at);
	free(o->operator.at);
	options_trace_release(&o->trace);
	*o = (struct options){ 0 };
}

void options_help(FILE *out, enum options_of command)
{
	static const struct {
		const char *name, *value, *def, *env, *help;
		int of;
	} all[] = {
#define VALUE_TEXT " TEXT"
#define VALUE_NUM " N"
#define VALUE_LIST " K=V"
#define VALUE_FLAG ""
#define OPTION(field, kind, def, env, help, of) \
	{ #field, VALUE_##kind, def, env, help, of },
#include "options.def"
#undef OPTION
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		char flag[32];
		if (!(all[i].of & (1 << command)))
			continue;
		snprintf(flag, sizeof flag, "%s%s", all[i].name, all[i].value);
		for (char *c = flag; *c && *c != ' '; c++)
			*c = *c == '_' ? '-' : *c;
		fprintf(out, "  --%-16s %s", flag, all[i].help);
		if (*all[i].def)
			fprintf(out, " [%s]", all[i].def);
		if (*all[i].env)
			fprintf(out, " (%s)", all[i].env);
		fputc('\n', out);
	}
}
