/* options.c - flags, environment and defaults become struct options. */
#include "options.h"
#include <errno.h>
#include <math.h>

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
	if (kind == FLAG || *value)
		return true;
	if (*i + 1 >= argc)
		return err_set(e, ERR_INPUT, "'%.60s' lacks its value",
			argv[*i]);
	*value = argv[++*i];
	return true;
}

static bool take_flag(struct options *o, int argc, char *const argv[], int *i,
	struct err *e)
{
	const char *value;
#define OPTION(field, kind, def, env, help)                        \
	if (is_flag(argv[*i], #field, &value))                     \
		return value_of(argc, argv, i, kind, &value, e) && \
		       take_##kind(&o->field, #field, value, e);
#include "options.def"
#undef OPTION
	return err_set(e, ERR_INPUT,
		"'%.60s' is not an option; see 'kernsift help'", argv[*i]);
}

static bool take_default(const char *env, const char *def, const char **text,
	enum kind kind)
{
	const char *set = *env ? getenv(env) : NULL;
	*text = set && *set ? set : def;
	return kind == TEXT || kind == NUM;
}

static bool check_label(const char *label, struct err *e)
{
	const char *equals = strchr(label, '=');
	if (!equals || equals == label)
		return err_set(e, ERR_INPUT,
			"'%.60s' is not a label; labels are key=value", label);
	return true;
}

static bool check(const struct options *o, struct err *e)
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
	if (strcmp(o->compress, "zstd") && strcmp(o->compress, "gzip") &&
		strcmp(o->compress, "none"))
		return err_set(e, ERR_INPUT,
			"'%.60s' is not a compression; there are zstd, gzip "
			"and none",
			o->compress);
	if (!o->files.n)
		return err_set(e, ERR_INPUT,
			"no file is named; see 'kernsift help'");
	return true;
}

bool options_init(struct options *o, int argc, char *const argv[],
	struct err *e)
{
	*o = (struct options){ 0 };
	list_init(&o->files, argc);
	list_init(&o->label, argc);
	const char *text;
#define OPTION(field, kind, def, env, help)               \
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
			if (!take_flag(o, argc, argv, &i, e))
				return false;
		} else if (argv[i][0] == '-' && argv[i][1]) {
			return err_set(e, ERR_INPUT,
				"'%.60s' is not an option; see 'kernsift help'",
				argv[i]);
		} else {
			o->files.at[o->files.n++] = argv[i];
		}
	}
	return check(o, e);
}

void options_release(struct options *o)
{
	free(o->files.at);
	free(o->label.at);
	*o = (struct options){ 0 };
}

void options_help(FILE *out)
{
	static const struct {
		const char *name, *value, *def, *env, *help;
	} all[] = {
#define VALUE_TEXT " TEXT"
#define VALUE_NUM " N"
#define VALUE_LIST " K=V"
#define VALUE_FLAG ""
#define OPTION(field, kind, def, env, help) \
	{ #field, VALUE_##kind, def, env, help },
#include "options.def"
#undef OPTION
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		char flag[32];
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
