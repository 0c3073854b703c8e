/* options_trace.c - the list is the collector's own, copied when it is built. */
#include "options_trace.h"
#include <ctype.h>
#include <regex.h>

enum kind { TEXT, NUM, COUNT, FLAG, REGEX };

static const struct {
	const char *field;
	enum kind kind;
	const char *def, *env, *help;
} all[] = {
#define OPTION(field, kind, def, env, help) { #field, kind, def, env, help },
#include "collector_options.def"
#undef OPTION
};

enum { OPTIONS = sizeof all / sizeof *all };

static bool is_flag(const char *arg, const char *field, const char **value)
{
	for (arg += 2; *field; arg++, field++) {
		if (*arg != *field && !(*arg == '-' && *field == '_'))
			return false;
	}
	*value = *arg == '=' ? arg + 1 : NULL;
	return !*arg || *arg == '=';
}

/* Whether text is a whole number of at most nine digits. */
static bool is_number(const char *text)
{
	size_t n = strlen(text);

	for (const char *c = text; *c; c++)
		if (!isdigit((unsigned char)*c))
			return false;
	return n > 0 && n <= 9;
}

static bool is_regex(const char *text)
{
	regex_t regex;

	if (regcomp(&regex, text, REG_EXTENDED | REG_NOSUB))
		return false;
	regfree(&regex);
	return true;
}

static bool can_be(enum kind kind, const char *value)
{
	switch (kind) {
	case NUM:
		return is_number(value);
	case COUNT:
		return is_number(value) && strspn(value, "0") < strlen(value);
	case FLAG:
		return !strcmp(value, "0") || !strcmp(value, "1");
	case REGEX:
		return is_regex(value);
	default:
		return true;
	}
}

static const char *const words[] = { [TEXT] = "a text",
	[NUM] = "a number",
	[COUNT] = "a number above 0",
	[FLAG] = "0 or 1",
	[REGEX] = "a regular expression" };

static void put(struct text_list *to, const char *env, const char *value)
{
	size_t room = strlen(env) + strlen(value) + 2;
	char *text = malloc(room);

	if (!text)
		abort();
	snprintf(text, room, "%s=%s", env, value);
	to->at[to->n++] = text;
}

bool options_trace_take(struct text_list *to, int argc, char *const argv[],
	int *i, bool *known, struct err *e)
{
	const char *value = NULL;
	size_t k = 0;

	while (k < OPTIONS && !is_flag(argv[*i], all[k].field, &value))
		k++;
	*known = k < OPTIONS;
	if (!*known)
		return true;
	if (!value && all[k].kind == FLAG)
		value = "1";
	if (!value && *i + 1 == argc)
		return err_set(e, ERR_INPUT, "'%.60s' lacks its value",
			argv[*i]);
	if (!value)
		value = argv[++*i];
	if (!can_be(all[k].kind, value))
		return err_set(e, ERR_INPUT,
			"'%.60s' is not %s, which the collector's '%s' is",
			value, words[all[k].kind], all[k].field);
	put(to, all[k].env, value);
	return true;
}

const char *options_trace_value(const struct text_list *of,
	const char *variable)
{
	size_t len = strlen(variable);

	for (int i = of->n; i-- > 0;)
		if (!strncmp(of->at[i], variable, len) && of->at[i][len] == '=')
			return of->at[i] + len + 1;
	return NULL;
}

void options_trace_release(struct text_list *of)
{
	for (int i = 0; i < of->n; i++)
		free((char *)(uintptr_t)of->at[i]);
	free(of->at);
	*of = (struct text_list){ 0 };
}

void options_trace_help(FILE *out)
{
	for (size_t i = 0; i < OPTIONS; i++) {
		char flag[32];
		snprintf(flag, sizeof flag, "%s%s", all[i].field,
			all[i].kind == TEXT || all[i].kind == REGEX ? " TEXT"
			: all[i].kind == FLAG			    ? ""
								    : " N");
		for (char *c = flag; *c && *c != ' '; c++)
			*c = *c == '_' ? '-' : *c;
		fprintf(out, "  --%-16s %s", flag, all[i].help);
		if (*all[i].def)
			fprintf(out, " [%s]", all[i].def);
		fprintf(out, " (%s)\n", all[i].env);
	}
}
