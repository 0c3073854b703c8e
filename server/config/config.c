/* config.c - command line, environment and defaults become one struct. */
#include "config.h"
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum kind { KIND_TEXT, KIND_NUM, KIND_COUNT, KIND_NICE, KIND_FLAG };

static const struct option {
	const char *name;
	enum kind kind;
	size_t at; /* in struct config */
	const char *def, *env, *help;
} options[] = {
#define OPTION(field, kind, def, env, help) \
	{ #field, KIND_##kind, offsetof(struct config, field), def, env, help },
#include "config.def"
#undef OPTION
};

enum { OPTIONS = sizeof options / sizeof *options };

static bool same_name(const char *a, size_t len, const char *name)
{
	if (strlen(name) != len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (a[i] != name[i] && !(a[i] == '-' && name[i] == '_'))
			return false;
	return true;
}

/* Where the value of an option goes; NULL where nobody knows the name. */
static const char **place(const char *name, size_t len, const char **texts,
	const struct config_extra *extra, bool *flag)
{
	*flag = false;
	for (int i = 0; i < OPTIONS; i++)
		if (same_name(name, len, options[i].name)) {
			*flag = options[i].kind == KIND_FLAG;
			return &texts[i];
		}
	for (; extra && extra->name; extra++)
		if (*extra->name) {
			*flag = *extra->name == '!';
			if (same_name(name, len, extra->name + *flag))
				return extra->value;
		}
	*flag = false;
	return NULL;
}

static bool read_operand(const char *arg, const struct config_extra *extra,
	struct err *e)
{
	for (; extra && extra->name; extra++)
		if (!*extra->name && !*extra->value) {
			*extra->value = arg;
			return true;
		}
	return err_set(e, ERR_INPUT,
		"'%.60s' is one word too many; see 'kernsiftd help'", arg);
}

static bool read_line(int argc, char **argv, const char **texts,
	const struct config_extra *extra, struct err *e)
{
	for (int i = 1; i < argc; i++) {
		const char *arg = argv[i];
		if (strncmp(arg, "--", 2) != 0) {
			if (!read_operand(arg, extra, e))
				return false;
			continue;
		}
		size_t len = strcspn(arg + 2, "=");
		bool flag;
		const char **to = place(arg + 2, len, texts, extra, &flag);
		if (!to)
			return err_set(e, ERR_INPUT,
				"there is no option '%.60s'; see "
				"'kernsiftd help'",
				arg);
		const char *value = strchr(arg, '=');
		if (flag && value)
			return err_set(e, ERR_INPUT,
				"'%.60s' has a value, and that option takes "
				"none",
				arg);
		if (!flag && !value && i + 1 == argc)
			return err_set(e, ERR_INPUT,
				"'%.60s' stands without its value", arg);
		*to = flag ? "1" : value ? value + 1 : argv[++i];
	}
	return true;
}

static bool read_number(const struct option *o, const char *text,
	const char *where, int *to, struct err *e)
{
	char *end;
	int least = o->kind == KIND_COUNT;
	int most = o->kind == KIND_NICE ? 19 : INT_MAX;
	errno = 0;
	long long n = strtoll(text, &end, 10);
	if (errno || end == text || *end || n < least || n > most)
		return err_set(e, ERR_INPUT,
			"%s is '%.40s', and should be a whole number from %d "
			"to %d",
			where, text, least, most);
	*to = (int)n;
	return true;
}

static bool read_flag(const char *text, const char *where, bool *to,
	struct err *e)
{
	if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
		return err_set(e, ERR_INPUT,
			"%s is '%.40s', and should be 1 or 0", where, text);
	*to = *text == '1';
	return true;
}

/* One option, from the text of the command line where there is one. */
static bool read_option(struct config *c, const struct option *o,
	const char *given, struct err *e)
{
	char where[64];
	const char *text = given, *env = getenv(o->env);
	snprintf(where, sizeof where, "--%s", o->name);
	if (!given && env && *env) {
		text = env;
		snprintf(where, sizeof where, "%s", o->env);
	}
	if (!text || !*text)
		text = o->def;

	void *to = (char *)c + o->at;
	switch (o->kind) {
	case KIND_NUM:
	case KIND_COUNT:
	case KIND_NICE:
		return read_number(o, text, where, to, e);
	case KIND_FLAG:
		return read_flag(*text ? text : "0", where, to, e);
	case KIND_TEXT:
		break;
	}
	*(const char **)to = text;
	return true;
}

bool config_load(struct config *c, const struct config_extra *extra, int argc,
	char **argv, struct err *e)
{
	const char *texts[OPTIONS] = { 0 };
	if (!read_line(argc, argv, texts, extra, e))
		return false;
	for (int i = 0; i < OPTIONS; i++)
		if (!read_option(c, &options[i], texts[i], e))
			return false;
	return true;
}

void config_help(FILE *out)
{
	for (int i = 0; i < OPTIONS; i++) {
		const struct option *o = &options[i];
		fprintf(out, "  --%-15s %s", o->name, o->help);
		if (*o->def)
			fprintf(out, " [%s]", o->def);
		fprintf(out, "\n  %17s %s\n", "", o->env);
	}
}
