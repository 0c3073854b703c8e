/* cli.c - parses argv with the tables of commands and options. */
#include "cli.h"
#include "nearest.h"
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	CLI_NAME = 64, /* bytes of an option's name as it is shown */
	CLI_WIDTH = 80, /* columns of the help */
	CLI_LEFT = 34, /* widest left column of the help */
};

/* --- names ------------------------------------------------------------- */

/* The option name of a field: "--worker-nice" for worker_nice. */
static void cli_dashed(const char *name, char to[CLI_NAME])
{
	snprintf(to, CLI_NAME, "--%s", name);
	for (char *c = to; *c; c++)
		*c = *c == '_' ? '-' : *c;
}

static bool cli_same_name(const char *arg, size_t len, const char *name)
{
	if (strlen(name) != len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (arg[i] != name[i] && !(arg[i] == '-' && name[i] == '_'))
			return false;
	return true;
}

/* --- values ------------------------------------------------------------ */

static bool cli_refuse_number(const struct cli_option *o, const char *where,
	const char *text, const char *what, struct err *e)
{
	if (o->max == INT64_MAX)
		return err_set(e, ERR_INPUT,
			"%s: '%.40s' is not %s of at least %lld (for example "
			"%s)",
			where, text, what, (long long)o->min, o->example);
	return err_set(e, ERR_INPUT,
		"%s: '%.40s' is not %s from %lld to %lld (for example %s)",
		where, text, what, (long long)o->min, (long long)o->max,
		o->example);
}

static bool cli_check_whole(const struct cli_option *o, const char *where,
	const char *text, int64_t *to, struct err *e)
{
	char *end;

	errno = 0;
	*to = strtoll(text, &end, 10);
	return (!errno && end != text && !*end &&
		       !isspace((unsigned char)*text) && *to >= o->min &&
		       *to <= o->max) ||
	       cli_refuse_number(o, where, text, "a whole number", e);
}

static bool cli_check_real(const struct cli_option *o, const char *where,
	const char *text, struct err *e)
{
	char *end;
	double x = strtod(text, &end);
	bool plain = *text && strspn(text, "+-.0123456789eE") == strlen(text) &&
		     !*end && isfinite(x);

	if (o->kind == CLI_LIMIT && !strcmp(text, "none"))
		return true;
	if (plain && (o->min == o->max ||
			     (x >= (double)o->min && x <= (double)o->max)))
		return true;
	if (o->min != o->max)
		return cli_refuse_number(o, where, text, "a number", e);
	return err_set(e, ERR_INPUT,
		"%s: '%.60s' is not a number%s (for example %s)", where, text,
		o->kind == CLI_LIMIT ? " or 'none'" : "", o->example);
}

/* "a|b|c" as "a, b, c" */
static void cli_word_list(const char *words, char to[400])
{
	size_t n = 0;

	for (; *words && n + 3 < 400; words++) {
		to[n++] = *words == '|' ? ',' : *words;
		if (*words == '|')
			to[n++] = ' ';
	}
	to[n] = '\0';
}

/* Whether `text`, `len` bytes, is one of the words. */
static bool cli_check_word(const struct cli_option *o, const char *where,
	const char *text, size_t len, struct err *e)
{
	struct nearest n = nearest_to(text, len);
	char all[400], hint[NEAREST_LEN + 32] = "";

	for (const char *word = o->value; *word;) {
		size_t m = strcspn(word, "|");
		if (m == len && !memcmp(word, text, len))
			return true;
		nearest_offer(&n, word, m);
		word += m + (word[m] == '|');
	}
	if (n.name)
		snprintf(hint, sizeof hint, " (did you mean '%.*s'?)",
			(int)n.name_len, n.name);
	cli_word_list(o->value, all);
	return err_set(e, ERR_INPUT, "%s: '%.*s' is not one of %s%s", where,
		(int)(len < 40 ? len : 40), text, all, hint);
}

static bool cli_check_words(const struct cli_option *o, const char *where,
	const char *text, struct err *e)
{
	for (;; text++) {
		size_t len = strcspn(text, ",");
		if (!cli_check_word(o, where, text, len, e))
			return false;
		text += len;
		if (!*text)
			return true;
	}
}

static bool cli_check_file(const struct cli_option *o, const char *where,
	const char *text, struct err *e)
{
	struct stat st;

	errno = 0;
	if (!stat(text, &st) && S_ISDIR(st.st_mode))
		errno = EISDIR;
	if (!errno && !access(text, R_OK))
		return true;
	return err_set(e, ERR_FILE,
		"%s: cannot read '%.150s': %s (name a file, for example %s)",
		where, text, strerror(errno), o->example);
}

static bool cli_check_folder(const struct cli_option *o, const char *where,
	const char *text, struct err *e)
{
	struct stat st;

	return stat(text, &st) || S_ISDIR(st.st_mode) ||
	       err_set(e, ERR_INPUT,
		       "%s: '%.150s' is not a folder (name one, for example %s)",
		       where, text, o->example);
}

static bool cli_refuse_listen(const struct cli_option *o, const char *where,
	const char *what, const char *text, const char *why, struct err *e)
{
	return err_set(e, ERR_INPUT,
		"%s: %s '%.80s' %s (use %s, for example %s)", where, what, text,
		why, o->value, o->example);
}

/* A host of digits and dots must be a valid IPv4 address. */
static bool cli_host_good(const char *host, bool brackets)
{
	struct in_addr four;
	struct in6_addr six;

	if (brackets)
		return inet_pton(AF_INET6, host, &six) == 1;
	if (strspn(host, "0123456789.") == strlen(host))
		return inet_pton(AF_INET, host, &four) == 1;
	return !strpbrk(host, " \t/@[]");
}

static bool cli_check_listen(const struct cli_option *o, const char *where,
	const char *text, struct err *e)
{
	const char *colon = strrchr(text, ':'), *from = text;
	char host[256];

	if (!colon || colon[1] == '\0' || (colon > text && strchr(colon, ']')))
		return cli_refuse_listen(o, where, "address", text,
			"has no port", e);
	size_t len = (size_t)(colon - text);
	if (!len || len >= sizeof host)
		return cli_refuse_listen(o, where, "address", text,
			len ? "has too long a host" : "has no host", e);
	bool brackets = len > 2 && text[0] == '[' && text[len - 1] == ']';
	if (!brackets && memchr(text, ':', len))
		return cli_refuse_listen(o, where, "address", text,
			"needs brackets around its IPv6 host", e);
	if (strspn(colon + 1, "0123456789") != strlen(colon + 1))
		return cli_refuse_listen(o, where, "port", colon + 1,
			"is not a number", e);
	if (strlen(colon + 1) > 5 || strtol(colon + 1, NULL, 10) > 65535)
		return cli_refuse_listen(o, where, "port", colon + 1,
			"is above 65535", e);
	if (brackets) {
		from++;
		len -= 2;
	}
	snprintf(host, sizeof host, "%.*s", (int)len, from);
	return cli_host_good(host, brackets) ||
	       cli_refuse_listen(o, where, "host", host,
		       "is neither an address nor a name", e);
}

static bool cli_check_url(const struct cli_option *o, const char *where,
	const char *text, struct err *e)
{
	const char *why = NULL;
	size_t scheme = !strncasecmp(text, "http://", 7)    ? 7
			: !strncasecmp(text, "https://", 8) ? 8
							    : 0;
	const char *host = text + scheme;

	if (!scheme)
		why = "does not start with http:// or https://";
	else if (!*host || strchr("/:?#", *host))
		why = "names no host";
	for (const char *c = host; !why && *c; c++)
		if (*c == '?' || *c == '#' || (unsigned char)*c <= ' ')
			why = "has something behind host, port and path";
	return !why || err_set(e, ERR_INPUT, "%s: '%.150s' %s (for example %s)",
			       where, text, why, o->example);
}

static bool cli_check_regex(const struct cli_option *o, const char *where,
	const char *text, struct err *e)
{
	char why[80];
	regex_t regex;
	int rc = regcomp(&regex, text, REG_EXTENDED | REG_NOSUB);

	if (!rc) {
		regfree(&regex);
		return true;
	}
	regerror(rc, &regex, why, sizeof why);
	return err_set(e, ERR_INPUT,
		"%s: '%.60s' is not a regular expression: %s (for example %s)",
		where, text, why, o->example);
}

static bool cli_check_flag(const struct cli_option *o, const char *where,
	const char *text, struct err *e)
{
	(void)o;
	return !strcmp(text, "0") || !strcmp(text, "1") ||
	       err_set(e, ERR_INPUT, "%s: '%.40s' is not 0 or 1", where, text);
}

/* Whether an option can have the value; "" is always the default. */
static bool cli_check_value(const struct cli_option *o, const char *where,
	const char *text, struct err *e)
{
	int64_t n;

	if (!*text && o->kind != CLI_NUM && o->kind != CLI_WORDS &&
		o->kind != CLI_SWITCH)
		return true;
	switch (o->kind) {
	case CLI_NUM:
	case CLI_WHOLE:
		return cli_check_whole(o, where, text, &n, e);
	case CLI_REAL:
	case CLI_LIMIT:
		return cli_check_real(o, where, text, e);
	case CLI_WORD:
		return cli_check_word(o, where, text, strlen(text), e);
	case CLI_WORDS:
		return cli_check_words(o, where, text, e);
	case CLI_FILE:
		return cli_check_file(o, where, text, e);
	case CLI_FOLDER:
		return cli_check_folder(o, where, text, e);
	case CLI_LISTEN:
		return cli_check_listen(o, where, text, e);
	case CLI_URL:
		return cli_check_url(o, where, text, e);
	case CLI_REGEX:
		return cli_check_regex(o, where, text, e);
	case CLI_FLAG:
	case CLI_SWITCH:
		return cli_check_flag(o, where, text, e);
	case CLI_TEXT:
	case CLI_GIVEN:
	case CLI_LIST:
		break;
	}
	return true;
}

/* Stores a value that has been checked. */
static void cli_store(const struct cli_option *o, const char *text,
	void *values)
{
	void *to = (char *)values + o->at;

	switch (o->kind) {
	case CLI_NUM:
		*(int *)to = (int)strtol(text, NULL, 10);
		break;
	case CLI_WHOLE:
		*(int64_t *)to = *text ? strtoll(text, NULL, 10) : -1;
		break;
	case CLI_FLAG:
		*(bool *)to = *text == '1';
		break;
	case CLI_LIST:
		/* the field was filled while the arguments were parsed */
		break;
	default:
		*(const char **)to = text;
	}
}

/* --- arguments --------------------------------------------------------- */

struct cli_reading {
	const struct cli_program *program;
	const struct cli_command *command;
	int argc, i;
	char *const *argv;
	void *values;
	struct text_list *operands;
	/* for each option of the first group; NULL: not given */
	const char **given;
};

static void cli_list_init(struct text_list *l, int argc)
{
	l->at = calloc((size_t)argc + 1, sizeof *l->at);
	l->n = 0;
	if (!l->at)
		abort();
}

/* Finds the option that an argument names: an option of this command or, if
 * `any`, of all commands. */
static const struct cli_option *cli_find(const struct cli_reading *r,
	const char *arg, bool any, const struct cli_group **group)
{
	size_t len = strcspn(arg, "=");

	for (int g = 0; g < 2; g++) {
		*group = &r->program->groups[g];
		for (int i = 0; i < (*group)->n; i++) {
			const struct cli_option *o = &(*group)->options[i];
			if ((any || o->of & r->command->bit) &&
				cli_same_name(arg, len, o->name))
				return o;
		}
	}
	return NULL;
}

static bool cli_refuse_option(const struct cli_reading *r, const char *arg,
	struct err *e)
{
	const struct cli_program *p = r->program;
	const struct cli_group *group;
	size_t len = strcspn(arg, "=");
	struct nearest n = nearest_to(arg + 2, len - 2);
	char name[CLI_NAME], hint[CLI_NAME + 32] = "";

	if (len > 2 && arg[1] == '-' && cli_find(r, arg + 2, true, &group))
		return err_set(e, ERR_INPUT,
			"'%.*s' is an option of other commands, not of '%s %s' "
			"(see '%s %s --help')",
			(int)(len < 60 ? len : 60), arg, p->name,
			r->command->name, p->name, r->command->name);
	for (int g = 0; g < 2 && len > 2; g++)
		for (int i = 0; i < p->groups[g].n; i++) {
			const struct cli_option *o = &p->groups[g].options[i];
			if (o->of & r->command->bit)
				nearest_offer(&n, o->name, strlen(o->name));
		}
	if (n.name) {
		cli_dashed(n.name, name);
		snprintf(hint, sizeof hint, "did you mean '%s'? ", name);
	}
	return err_set(e, ERR_INPUT,
		"'%.*s' is not an option of '%s %s' (%ssee '%s %s --help')",
		(int)(len < 60 ? len : 60), arg, p->name, r->command->name,
		hint, p->name, r->command->name);
}

/* Returns the value after '=', or the next argument. */
static bool cli_value_of(struct cli_reading *r, const struct cli_option *o,
	const char *name, const char **value, struct err *e)
{
	const char *equals = strchr(r->argv[r->i], '=');

	*value = equals ? equals + 1 : "1";
	if (o->kind == CLI_FLAG && equals)
		return err_set(e, ERR_INPUT,
			"%s: takes no value, and '%.40s' is one (use %s alone)",
			name, equals + 1, name);
	if (equals || o->kind == CLI_FLAG || o->kind == CLI_SWITCH)
		return true;
	if (r->i + 1 == r->argc && *o->example)
		return err_set(e, ERR_INPUT,
			"%s: the value is missing (use %s %s, for example %s "
			"%s)",
			name, name, o->value, name, o->example);
	if (r->i + 1 == r->argc)
		return err_set(e, ERR_INPUT,
			"%s: the value is missing (use %s %s)", name, name,
			o->value);
	*value = r->argv[++r->i];
	return true;
}

static bool cli_read_option(struct cli_reading *r, struct err *e)
{
	const char *arg = r->argv[r->i], *value;
	const struct cli_group *group;
	const struct cli_option *o = cli_find(r, arg + 2, false, &group);
	char name[CLI_NAME];

	if (!o)
		return cli_refuse_option(r, arg, e);
	cli_dashed(o->name, name);
	if (!cli_value_of(r, o, name, &value, e))
		return false;
	if (group->take) {
		if (!cli_check_value(o, name, value, e))
			return false;
		group->take(r->values, o, value);
	} else if (o->kind == CLI_LIST) {
		struct text_list *l = (void *)((char *)r->values + o->at);
		l->at[l->n++] = value;
	} else {
		r->given[o - group->options] = value;
	}
	return true;
}

/* *help is set if the user requests help; the remaining arguments are then
 * ignored. */
static bool cli_read_arguments(struct cli_reading *r, bool *help, struct err *e)
{
	struct text_list *to = r->operands;
	bool ended = false;

	for (; r->i < r->argc; r->i++) {
		const char *arg = r->argv[r->i];
		if (!ended && !strcmp(arg, "--")) {
			ended = true;
		} else if (!ended &&
			   (!strcmp(arg, "--help") || !strcmp(arg, "-h"))) {
			*help = true;
			return true;
		} else if (!ended && arg[0] == '-' && arg[1]) {
			if (arg[1] != '-' ? !cli_refuse_option(r, arg, e)
					  : !cli_read_option(r, e))
				return false;
		} else {
			to->at[to->n++] = arg;
			ended = ended || r->command->stops;
		}
	}
	return true;
}

static bool cli_check_operands(const struct cli_reading *r, struct err *e)
{
	const struct cli_program *p = r->program;
	const struct cli_command *c = r->command;
	int n = r->operands->n;

	if (n < c->min)
		return err_set(e, ERR_INPUT,
			"'%s %s' needs %s (see '%s %s --help')", p->name,
			c->name, c->operands, p->name, c->name);
	if (c->max < 0 || n <= c->max)
		return true;
	const char *extra = r->operands->at[c->max];
	struct nearest near = nearest_to(extra, strlen(extra));
	char hint[NEAREST_LEN * 2] = "";

	/* the second word of a command is misspelled, as in "token lost" */
	for (int i = 0; i < p->commands_n; i++) {
		const char *name = p->commands[i].name;
		size_t len = strlen(c->name);
		if (!strncmp(name, c->name, len) && name[len] == ' ')
			nearest_offer(&near, name + len + 1,
				strlen(name + len + 1));
	}
	if (near.name)
		snprintf(hint, sizeof hint, "did you mean '%s %s'? ", c->name,
			near.name);
	return err_set(e, ERR_INPUT,
		"'%.60s' is one argument too many for '%s %s' (%ssee '%s %s "
		"--help')",
		extra, p->name, c->name, hint, p->name, c->name);
}

/* Checks and stores one value: from the command line, the environment, or the
 * default. */
static bool cli_settle(struct cli_reading *r, const struct cli_option *o,
	const char *given, struct err *e)
{
	bool ours = o->of & r->command->bit;
	const char *env = ours && *o->env ? getenv(o->env) : NULL;
	const char *text = given;
	char where[CLI_NAME];

	cli_dashed(o->name, where);
	if (!given && env && *env) {
		text = env;
		snprintf(where, sizeof where, "%s", o->env);
	}
	if (!text && ours && r->program->stored)
		text = r->program->stored(r->values, o);
	if (o->kind == CLI_GIVEN) {
		cli_store(o, text, r->values);
		return true;
	}
	if (o->kind == CLI_WORDS && !text) {
		cli_store(o, NULL, r->values);
		return true;
	}
	if (!text || (!*text && o->kind != CLI_WORDS))
		text = o->kind == CLI_FLAG ? "0" : o->def;
	if (!(r->program->skips && r->program->skips(r->values, o)) &&
		!cli_check_value(o, where, text, e))
		return false;
	cli_store(o, text, r->values);
	return true;
}

static bool cli_settle_all(struct cli_reading *r, struct err *e)
{
	const struct cli_group *g = &r->program->groups[0];

	for (int flags = 1; flags >= 0; flags--)
		for (int i = 0; i < g->n; i++)
			if ((g->options[i].kind == CLI_FLAG) == flags &&
				!cli_settle(r, &g->options[i], r->given[i], e))
				return false;
	return true;
}

enum cli_result cli_read(const struct cli_program *p,
	const struct cli_command *c, int argc, char *const argv[], void *values,
	struct text_list *operands, struct err *e)
{
	struct cli_reading r = { .program = p,
		.command = c,
		.argc = argc,
		.argv = argv,
		.values = values,
		.operands = operands };
	const struct cli_group *g = &p->groups[0];
	bool help = false;

	cli_list_init(operands, argc);
	for (int i = 0; i < g->n; i++)
		if (g->options[i].kind == CLI_LIST)
			cli_list_init((void *)((char *)values +
					       g->options[i].at),
				argc);
	r.given = calloc((size_t)g->n + 1, sizeof *r.given);
	if (!r.given)
		abort();
	bool ok =
		cli_read_arguments(&r, &help, e) &&
		(help || (cli_settle_all(&r, e) && cli_check_operands(&r, e)));
	free(r.given);
	return !ok ? CLI_BAD : help ? CLI_HELP : CLI_OK;
}

void cli_release(const struct cli_program *p, void *values,
	struct text_list *operands)
{
	const struct cli_group *g = &p->groups[0];

	for (int i = 0; i < g->n; i++) {
		if (g->options[i].kind != CLI_LIST)
			continue;
		struct text_list *l =
			(void *)((char *)values + g->options[i].at);
		free(l->at);
		*l = (struct text_list){ 0 };
	}
	free(operands->at);
	*operands = (struct text_list){ 0 };
}

/* The length of the command's name if argv begins with it, else 0. */
static int cli_words_match(const char *name, int argc, char *const argv[])
{
	const char *space = strchr(name, ' ');
	size_t len = space ? (size_t)(space - name) : strlen(name);

	if (argc < 2 || strlen(argv[1]) != len ||
		memcmp(argv[1], name, len) != 0)
		return 0;
	if (!space)
		return 1;
	return argc > 2 && !strcmp(argv[2], space + 1) ? 2 : 0;
}

const struct cli_command *cli_command_find(const struct cli_program *p,
	int argc, char *const argv[], int *used, struct err *e)
{
	const struct cli_command *best = NULL;
	char hint[CLI_NAME + 32] = "";

	*used = 0;
	for (int i = 0; i < p->commands_n; i++) {
		int words = cli_words_match(p->commands[i].name, argc, argv);
		if (words > *used) {
			*used = words;
			best = &p->commands[i];
		}
	}
	*used += best != NULL;
	if (best)
		return best;
	if (argc < 2) {
		err_set(e, ERR_INPUT, "a command is missing (see '%s help')",
			p->name);
		return NULL;
	}
	struct nearest n = nearest_to(argv[1], strlen(argv[1]));
	for (int i = 0; i < p->commands_n; i++)
		if (p->commands[i].help)
			nearest_offer(&n, p->commands[i].name,
				strlen(p->commands[i].name));
	if (n.name)
		snprintf(hint, sizeof hint, "did you mean '%s'? ", n.name);
	err_set(e, ERR_INPUT, "'%.60s' is not a command (%ssee '%s help')",
		argv[1], hint, p->name);
	return NULL;
}

/* --- help -------------------------------------------------------------- */

/* Prints `left`, padded to `column`, then `text`, with line breaks between
 * words at CLI_WIDTH. */
static void cli_print_row(FILE *out, const char *left, int column,
	const char *text)
{
	int at = fprintf(out, "%s", left);
	bool first = true;

	if (*left && at > column - 2) {
		fputc('\n', out);
		at = 0;
	}
	for (; *text; first = false) {
		int len = (int)strcspn(text, " ");
		if (!first && at + 1 + len > CLI_WIDTH) {
			fputc('\n', out);
			at = 0;
			first = true;
		}
		at += fprintf(out, "%*s%.*s",
			first ? (at < column ? column - at : 0) : 1, "", len,
			text);
		text += (size_t)len + strspn(text + len, " ");
	}
	fputc('\n', out);
}

/* For example "  --name VALUE". A long list of words is replaced by WORD here.
 */
static void cli_option_left(const struct cli_option *o, char to[CLI_NAME * 2])
{
	char name[CLI_NAME];
	bool words = (o->kind == CLI_WORD || o->kind == CLI_WORDS) &&
		     strlen(o->value) > 16;

	cli_dashed(o->name, name);
	const char *value = o->kind == CLI_FLAG		    ? ""
			    : o->kind == CLI_SWITCH	    ? "[=0|1]"
			    : words && o->kind == CLI_WORDS ? "WORD,..."
			    : words			    ? "WORD"
							    : o->value;
	snprintf(to, CLI_NAME * 2, "  %s%s%s", name,
		*value && *value != '[' ? " " : "", value);
}

static void cli_option_text(const struct cli_option *o, char to[1000])
{
	char words[400] = "";
	int n = 0;

	if ((o->kind == CLI_WORD || o->kind == CLI_WORDS) &&
		strlen(o->value) > 16)
		cli_word_list(o->value, words);
	n = snprintf(to, 1000, "%s%s%s", o->help, *words ? ": " : "", words);
	if (*o->def)
		n += snprintf(to + n, (size_t)(1000 - n), " (default: %s)",
			o->def);
	if (*o->env)
		snprintf(to + n, (size_t)(1000 - n), " [%s]", o->env);
}

static void cli_print_options(FILE *out, const struct cli_group *g,
	uint32_t bit)
{
	char left[CLI_NAME * 2], text[1000];
	int column = 0;

	for (int i = 0; i < g->n; i++) {
		if (!(g->options[i].of & bit))
			continue;
		cli_option_left(&g->options[i], left);
		int len = (int)strlen(left) + 2;
		column = len > column && len <= CLI_LEFT ? len : column;
	}
	if (!column)
		return;
	fprintf(out, "\n%s:\n", g->title);
	for (int i = 0; i < g->n; i++) {
		if (!(g->options[i].of & bit))
			continue;
		cli_option_left(&g->options[i], left);
		cli_option_text(&g->options[i], text);
		cli_print_row(out, left, column, text);
	}
}

void cli_command_help(const struct cli_program *p, const struct cli_command *c,
	FILE *out)
{
	fprintf(out, "Usage: %s %s [OPTION]...%s%s\n\n", p->name, c->name,
		*c->operands ? " " : "", c->operands);
	cli_print_row(out, "", 0, c->help ? c->help : "Internal command");
	for (int g = 0; g < 2; g++)
		cli_print_options(out, &p->groups[g], c->bit);
	fputs("\nA variable in brackets sets the option if the command line does "
	      "not.\n",
		out);
	if (*c->more)
		fprintf(out, "\n%s\n", c->more);
}

void cli_program_help(const struct cli_program *p, FILE *out)
{
	char left[CLI_NAME * 2];
	int column = 0;

	fprintf(out, "Usage: %s COMMAND [OPTION]...\n\n", p->name);
	cli_print_row(out, "", 0, p->about);
	fputs("\nCommands:\n", out);
	for (int i = 0; i < p->commands_n; i++) {
		const struct cli_command *c = &p->commands[i];
		int len = (int)(strlen(c->name) + strlen(c->operands)) + 5;
		column = c->help && len > column && len <= CLI_LEFT ? len
								    : column;
	}
	for (int i = 0; i < p->commands_n; i++) {
		const struct cli_command *c = &p->commands[i];
		if (!c->help)
			continue;
		snprintf(left, sizeof left, "  %s %s", c->name, c->operands);
		cli_print_row(out, left, column, c->help);
	}
	fprintf(out,
		"\n'%s COMMAND --help' and '%s help COMMAND' list the\n"
		"options of a command.\n",
		p->name, p->name);
}
