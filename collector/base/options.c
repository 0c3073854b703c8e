/* options.c - fills struct collector_options from the environment, a
 * configuration file and defaults. */
#include "options.h"
#include "trigger.h"
#include "window.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What the files of options.c share. */

/* Receives a sentence for each value that cannot be used. */
struct complaint {
	options_complain_fn *to;
	void *ctx;
};

/* Reads the file into OPTIONS_FILE_MAX zeroed bytes. They then contain strings
 * NAME=value, one after another, and an empty string at the end. */
enum { OPTIONS_FILE_MAX = 64 << 10 };

static void options_complain(const struct complaint *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

enum { MOST = OPTIONS_FILE_MAX - 2 };

/* Removes blanks around a line. */
static char *options_strip(char *line)
{
	size_t len;

	line += strspn(line, " \t\r");
	for (len = strlen(line); len && strchr(" \t\r", line[len - 1]);)
		line[--len] = '\0';
	return line;
}

/* Splits the text into the list of strings, in place. */
static void options_cut_lines(char *text, const struct complaint *c)
{
	char *to = text;
	char *next;

	for (char *line = text; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line = options_strip(line);
		size_t len = strlen(line);
		size_t name_len = strcspn(line, "=");
		if (!len || *line == '#')
			continue;
		if (name_len == len || !options_knows(line, name_len)) {
			options_complain(c,
				"'%.60s' in the file of KERNSIFT_TRACE_CONFIG "
				"sets no option; it is passed over",
				line);
			continue;
		}
		memmove(to, line, len + 1);
		to += len + 1;
	}
	*to = '\0';
}

static ssize_t options_read_all(const char *path, char *to)
{
	ssize_t got = 0;
	ssize_t n = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	while (fd >= 0 && got < MOST &&
		(n = read(fd, to + got, (size_t)(MOST - got))) > 0)
		got += n;
	if (fd >= 0) {
		int failure = errno;
		close(fd);
		errno = failure;
	}
	return n < 0 ? -1 : got;
}

static void options_file(char *lines, const char *path,
	const struct complaint *c)
{
	ssize_t got = options_read_all(path, lines);

	if (got < 0) {
		options_complain(c,
			"'%.100s', named by KERNSIFT_TRACE_CONFIG, cannot be "
			"read (%s); the environment alone is used",
			path, strerror(errno));
		got = 0;
	}
	if (got == MOST) {
		options_complain(c,
			"'%.100s', named by KERNSIFT_TRACE_CONFIG, is larger "
			"than 64 KiB; what is beyond is not used",
			path);
		while (got && lines[got - 1] != '\n')
			got--;
	}
	lines[got] = '\0';
	options_cut_lines(lines, c);
}

bool options_folder(const struct collector_options *o,
	char to[static OPTIONS_PATH])
{
	const char *state = secure_getenv("XDG_STATE_HOME");
	const char *home = secure_getenv("HOME");
	int n;

	if (*o->dir)
		n = snprintf(to, OPTIONS_PATH, "%s", o->dir);
	else if (state && *state == '/')
		n = snprintf(to, OPTIONS_PATH, "%s/kernsift/spool", state);
	else if (home && *home == '/')
		n = snprintf(to, OPTIONS_PATH, "%s/.local/state/kernsift/spool",
			home);
	else
		return false;
	return n > 0 && n < OPTIONS_PATH;
}

static const char *const kinds[] = { "kernel", "copy", "launch", "nvtx",
	"overhead", "counter" };

/* Compares one element of a list with commas. */
static bool options_is_word(const char *at, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(at, word, len);
}

static bool options_is_kind(const char *at, size_t len)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (options_is_word(at, len, kinds[i]))
			return true;
	return false;
}

bool options_kind(const struct collector_options *o, const char *word)
{
	size_t len;

	for (const char *at = o->kinds; *at; at += len + !!at[len]) {
		len = strcspn(at, ",");
		if (options_is_word(at, len, word))
			return true;
	}
	return false;
}

static void options_check_kinds(struct collector_options *o, const char *def,
	const struct complaint *c)
{
	size_t len;

	for (const char *at = o->kinds; *at; at += len + !!at[len]) {
		len = strcspn(at, ",");
		if (options_is_kind(at, len))
			continue;
		options_complain(c,
			"'%.60s' of KERNSIFT_TRACE_KINDS is not a kind; there "
			"are kernel, copy, launch, nvtx, overhead and counter; "
			"all of them are recorded",
			at);
		o->kinds = def;
		break;
	}
}

static void options_check_graph(struct collector_options *o, const char *def,
	const struct complaint *c)
{
	if (!strcmp(o->graph, "node") || !strcmp(o->graph, "graph"))
		return;
	options_complain(c,
		"'%.60s' is not what KERNSIFT_TRACE_GRAPH could be; there are "
		"node and graph; %s is used",
		o->graph, def);
	o->graph = def;
}

static void options_check_window(struct collector_options *o, const char *def,
	const struct complaint *c)
{
	struct schedule s;

	if (!*o->window || schedule_window(&s, o->window))
		return;
	options_complain(c,
		"'%.60s' is not a time that KERNSIFT_TRACE_WINDOW could be, "
		"such as 30s+5s; none is used",
		o->window);
	o->window = def;
}

static void options_check_every(struct collector_options *o, const char *def,
	const struct complaint *c)
{
	struct schedule s;

	if (!*o->every || schedule_every(&s, o->every))
		return;
	options_complain(c,
		"'%.60s' is not a time that KERNSIFT_TRACE_EVERY could be, "
		"such as 10m:2s with a period longer than its window; none is "
		"used",
		o->every);
	o->every = def;
}

static void options_check_length(struct collector_options *o, const char *def,
	const struct complaint *c)
{
	if (duration_ns(o->length, NULL) > 0)
		return;
	options_complain(c,
		"'%.60s' is not a time that KERNSIFT_TRACE_LENGTH could be, "
		"such as 5s; %s is used",
		o->length, def);
	o->length = def;
}

static void options_check_trigger(struct collector_options *o, const char *def,
	const struct complaint *c)
{
	struct trigger t;

	if (!*o->trigger || trigger_from(&t, o->trigger))
		return;
	options_complain(c,
		"'%.60s' is not what KERNSIFT_TRACE_TRIGGER could be; there "
		"are signal:USR1, signal:USR2 and file:/path; none is used",
		o->trigger);
	o->trigger = def;
}

/* With less memory, no capture file can be written at all. */
static void options_check_memory(struct collector_options *o,
	const struct complaint *c)
{
	enum { MEMORY_MIN_MIB = 8 };

	if (o->memory_mib >= MEMORY_MIN_MIB)
		return;
	options_complain(c,
		"'%d' is less than KERNSIFT_TRACE_MEMORY_MIB must be; %d is "
		"used",
		o->memory_mib, MEMORY_MIN_MIB);
	o->memory_mib = MEMORY_MIN_MIB;
}

#define OPTION(field, kind, def, env, help) \
	static const char def_##field[] __attribute__((unused)) = def;
#include "options.def"
#undef OPTION

/* Checks texts that are lists, words or times. A value that cannot be used is
 * reported and replaced by the default. */
static void options_check(struct collector_options *o,
	const struct complaint *c)
{
	options_check_kinds(o, def_kinds, c);
	options_check_graph(o, def_graph, c);
	options_check_window(o, def_window, c);
	options_check_every(o, def_every, c);
	options_check_length(o, def_length, c);
	options_check_trigger(o, def_trigger, c);
	options_check_memory(o, c);
}

/* The first half of the buffer contains the lines of the configuration file,
 * the second half copies of texts from the environment. */
enum { TEXT_BYTES = 2 * OPTIONS_FILE_MAX };

struct reading {
	struct collector_options *o;
	options_env_fn *env;
	struct complaint complaint;
	size_t used; /* of texts */
	bool hash_all; /* a pattern of redaction is of no use */
};

static char nothing[1]; /* NULL if there is no memory */

static void options_complain(const struct complaint *c, const char *format, ...)
{
	char sentence[512];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof sentence, format, args);
	va_end(args);
	if (c->to)
		c->to(c->ctx, sentence);
}

bool options_knows(const char *name, size_t len)
{
#define OPTION(field, kind, def, env, help)                \
	if (len == strlen(env) && !memcmp(name, env, len)) \
		return true;
#include "options.def"
#undef OPTION
	return false;
}

/* The value that the user set, or NULL. If the file sets an option twice, the
 * last line is used. */
static const char *options_set_by_user(struct reading *r, const char *name)
{
	const char *found = NULL;
	const char *env;
	size_t len;

	for (const char *line = r->o->texts; *line; line += strlen(line) + 1) {
		len = strcspn(line, "=");
		if (len == strlen(name) && !memcmp(line, name, len))
			found = line + len + 1;
	}
	env = found ? NULL : r->env(r->complaint.ctx, name);
	if (!env || !*env)
		return found && *found ? found : NULL;
	len = strlen(env) + 1;
	if (len > TEXT_BYTES - r->used) {
		options_complain(&r->complaint,
			"%s is too long; it is not used", name);
		return NULL;
	}
	found = memcpy(r->o->texts + r->used, env, len);
	r->used += len;
	return found;
}

static bool options_number_from(const char *text, long min, int *to)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || *end || n < min ||
		n > INT_MAX)
		return false;
	*to = (int)n;
	return true;
}

static void take_TEXT(struct reading *r, const char **to, const char *name,
	const char *text, const char *def)
{
	(void)r, (void)name;
	*to = text ? text : def;
}

static void options_take_number(struct reading *r, int *to, const char *name,
	const char *text, const char *def, long min)
{
	if (text && options_number_from(text, min, to))
		return;
	options_number_from(def, 0, to);
	if (text)
		options_complain(&r->complaint,
			"'%.60s' is not a number that %s could be; %s is used",
			text, name, def);
}

static void take_NUM(struct reading *r, int *to, const char *name,
	const char *text, const char *def)
{
	options_take_number(r, to, name, text, def, 0);
}

static void take_COUNT(struct reading *r, int *to, const char *name,
	const char *text, const char *def)
{
	options_take_number(r, to, name, text, def, 1);
}

static void take_FLAG(struct reading *r, bool *to, const char *name,
	const char *text, const char *def)
{
	bool good = !text || !strcmp(text, "0") || !strcmp(text, "1");

	*to = *(good && text ? text : def) == '1';
	if (!good)
		options_complain(&r->complaint,
			"'%.60s' is neither 1 nor 0, as %s must be; %s is used",
			text, name, def);
}

static void take_REGEX(struct reading *r, struct options_pattern *to,
	const char *name, const char *text, const char *def)
{
	char why[100];
	int rc;

	(void)def;
	if (!text)
		return;
	rc = regcomp(&to->regex, text, REG_EXTENDED | REG_NOSUB);
	to->given = !rc;
	if (!rc)
		return;
	regerror(rc, &to->regex, why, sizeof why);
	if (to == &r->o->exclude) {
		options_complain(&r->complaint,
			"'%.60s' is not a pattern that %s could be (%s); none "
			"is used",
			text, name, why);
		return;
	}
	options_complain(&r->complaint,
		"'%.60s' is not a pattern that %s could be (%s); every text is "
		"written as a hash",
		text, name, why);
	r->hash_all = true;
}

static void options_hash_all(struct collector_options *o)
{
	if (o->hash.given)
		regfree(&o->hash.regex);
	o->hash.given = !regcomp(&o->hash.regex, "", REG_EXTENDED | REG_NOSUB);
}

void options_init(struct collector_options *o, options_env_fn *env,
	options_complain_fn *complain_to, void *ctx)
{
	struct reading r = { o, env, { complain_to, ctx }, OPTIONS_FILE_MAX,
		false };
	const char *config;

	*o = (struct collector_options){ 0 };
	o->texts = mmap(NULL, TEXT_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (o->texts == MAP_FAILED) {
		o->texts = nothing;
		r.used = TEXT_BYTES;
	}
	config = options_set_by_user(&r, "KERNSIFT_TRACE_CONFIG");
	if (config && o->texts != nothing)
		options_file(o->texts, config, &r.complaint);
#define OPTION(field, kind, def, name, help) \
	take_##kind(&r, &o->field, name, options_set_by_user(&r, name), def);
#include "options.def"
#undef OPTION
	if (r.hash_all)
		options_hash_all(o);
	options_check(o, &r.complaint);
}

void options_release(struct collector_options *o)
{
	struct options_pattern *const patterns[] = { &o->exclude, &o->hash,
		&o->drop };

	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		if (patterns[i]->given)
			regfree(&patterns[i]->regex);
		patterns[i]->given = false;
	}
	if (o->texts && o->texts != nothing)
		munmap(o->texts, TEXT_BYTES);
	o->texts = NULL;
}

bool pattern_matches(const struct options_pattern *p, const char *text)
{
	return p->given && !regexec(&p->regex, text, 0, NULL, 0);
}
