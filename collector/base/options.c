/* options.c - environment, config file and defaults become struct options. */
#include "options_parts.h"
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The config file's lines lie in the first half of what is held, copies of the
 * environment's texts in the second. */
enum { HELD = 2 * OPTIONS_FILE_MAX };

struct reading {
	struct options *o;
	options_env_fn *env;
	struct complaint complaint;
	size_t used; /* of held */
	bool hash_all; /* a pattern of redaction is of no use */
};

static char nothing[1]; /* held where there is no memory */

void complain(const struct complaint *c, const char *format, ...)
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

/* What the user set, or NULL. The last line of a file that sets it counts. */
static const char *set_by_user(struct reading *r, const char *name)
{
	const char *found = NULL;
	const char *env;
	size_t len;

	for (const char *line = r->o->held; *line; line += strlen(line) + 1) {
		len = strcspn(line, "=");
		if (len == strlen(name) && !memcmp(line, name, len))
			found = line + len + 1;
	}
	env = found ? NULL : r->env(r->complaint.ctx, name);
	if (!env || !*env)
		return found && *found ? found : NULL;
	len = strlen(env) + 1;
	if (len > HELD - r->used) {
		complain(&r->complaint, "%s is too long; it is not used", name);
		return NULL;
	}
	found = memcpy(r->o->held + r->used, env, len);
	r->used += len;
	return found;
}

static bool number_from(const char *text, long least, int *to)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || *end || n < least ||
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

static void take_number(struct reading *r, int *to, const char *name,
	const char *text, const char *def, long least)
{
	if (text && number_from(text, least, to))
		return;
	number_from(def, 0, to);
	if (text)
		complain(&r->complaint,
			"'%.60s' is not a number that %s could be; %s is used",
			text, name, def);
}

static void take_NUM(struct reading *r, int *to, const char *name,
	const char *text, const char *def)
{
	take_number(r, to, name, text, def, 0);
}

static void take_COUNT(struct reading *r, int *to, const char *name,
	const char *text, const char *def)
{
	take_number(r, to, name, text, def, 1);
}

static void take_FLAG(struct reading *r, bool *to, const char *name,
	const char *text, const char *def)
{
	bool good = !text || !strcmp(text, "0") || !strcmp(text, "1");

	*to = *(good && text ? text : def) == '1';
	if (!good)
		complain(&r->complaint,
			"'%.60s' is neither 1 nor 0, as %s must be; %s is used",
			text, name, def);
}

static void take_REGEX(struct reading *r, struct pattern *to, const char *name,
	const char *text, const char *def)
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
		complain(&r->complaint,
			"'%.60s' is not a pattern that %s could be (%s); none "
			"is used",
			text, name, why);
		return;
	}
	complain(&r->complaint,
		"'%.60s' is not a pattern that %s could be (%s); every text is "
		"written as a hash",
		text, name, why);
	r->hash_all = true;
}

static void hash_all(struct options *o)
{
	if (o->hash.given)
		regfree(&o->hash.regex);
	o->hash.given = !regcomp(&o->hash.regex, "", REG_EXTENDED | REG_NOSUB);
}

void options_init(struct options *o, options_env_fn *env,
	options_complain_fn *complain_to, void *ctx)
{
	struct reading r = { o, env, { complain_to, ctx }, OPTIONS_FILE_MAX,
		false };
	const char *config;

	*o = (struct options){ 0 };
	o->held = mmap(NULL, HELD, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (o->held == MAP_FAILED) {
		o->held = nothing;
		r.used = HELD;
	}
	config = set_by_user(&r, "KERNSIFT_TRACE_CONFIG");
	if (config && o->held != nothing)
		options_file(o->held, config, &r.complaint);
#define OPTION(field, kind, def, name, help) \
	take_##kind(&r, &o->field, name, set_by_user(&r, name), def);
#include "options.def"
#undef OPTION
	if (r.hash_all)
		hash_all(o);
	options_check(o, &r.complaint);
}

void options_release(struct options *o)
{
	struct pattern *const patterns[] = { &o->exclude, &o->hash, &o->drop };

	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		if (patterns[i]->given)
			regfree(&patterns[i]->regex);
		patterns[i]->given = false;
	}
	if (o->held && o->held != nothing)
		munmap(o->held, HELD);
	o->held = NULL;
}

bool pattern_matches(const struct pattern *p, const char *text)
{
	return p->given && !regexec(&p->regex, text, 0, NULL, 0);
}
