/* tokens.c - the command `token`: makes, lists, revokes. */
#include "command.h"
#include "query.h"
#include "text_validate.h"
#include "token.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAGE = 500 };

struct asked {
	const char *verb, *operand, *scope, *name, *project, *expires_days;
	int64_t id; /* of revoke */
	struct token_request wish;
};

static bool make(struct db *db, void *arg, struct err *e)
{
	const struct asked *w = arg;
	char text[TOKEN_TEXT];
	int64_t id;
	if (!token_new(db, &w->wish, text, &id, e))
		return false;
	printf("%s\n", text);
	return true;
}

static bool unmake(struct db *db, void *arg, struct err *e)
{
	const struct asked *w = arg;
	return token_revoke(db, w->id, w->project, e);
}

static const char *day(int64_t us, char out[16])
{
	time_t s = (time_t)(us / 1000000);
	struct tm tm;
	snprintf(out, 16, "never");
	if (us != NO_MOMENT && gmtime_r(&s, &tm))
		strftime(out, 16, "%Y-%m-%d", &tm);
	return out;
}

static void print(struct arena *a, const struct token_row *t)
{
	char made[16], expires[16], used[16];
	printf("%lld\t%s\t%s\t%s\t%s\t%s%s\t%s\t%s\n", (long long)t->id,
		scope_name(t->scope),
		t->project ? text_validate_mask(a, t->project) : "*",
		text_validate_mask(a, t->name), day(t->created, made),
		day(t->expires, expires), t->expired ? " expired" : "",
		day(t->used, used), text_validate_mask(a, t->made_by));
}

static bool list(struct db *db, void *arg, struct err *e)
{
	const struct asked *w = arg;
	int64_t after = 0;
	bool more = true;
	printf("id\tscope\tproject\tname\tmade\texpires\tused\tmade by\n");
	while (more) {
		struct arena a = { 0 };
		struct token_row *rows;
		uint32_t n;
		bool ok = token_list(db, &a, w->project, after, PAGE, &rows, &n,
			&more, e);
		for (uint32_t i = 0; ok && i < n; i++)
			print(&a, &rows[i]);
		after = ok && n ? rows[n - 1].id : 0;
		arena_release(&a);
		if (!ok)
			return false;
	}
	return true;
}

static bool work(struct db *db, int applied, void *arg, struct err *e)
{
	const struct asked *w = arg;
	char detail[1000];
	(void)applied;
	if (!w->verb) {
		snprintf(detail, sizeof detail, "'%.200s' scope=%s%s%.200s",
			w->name, w->scope, w->project ? " project=" : "",
			w->project ? w->project : "");
		return command_trail(db, "token", detail, make, arg, e);
	}
	if (!strcmp(w->verb, "list"))
		return list(db, arg, e);
	snprintf(detail, sizeof detail, "token %lld revoked", (long long)w->id);
	return command_trail(db, "token", detail, unmake, arg, e);
}

static bool whole_from(const char *what, const char *text, int64_t most,
	int64_t *out, struct err *e)
{
	char *end = NULL;
	errno = 0;
	*out = text ? strtoll(text, &end, 10) : 0;
	return (text && !errno && end != text && !*end && *out >= 1 &&
		       *out <= most) ||
	       err_set(e, ERR_INPUT,
		       "%s is '%.40s', and should be a whole number from 1 to "
		       "%lld",
		       what, text ? text : "", (long long)most);
}

static bool wish_from(struct asked *w, struct err *e)
{
	int64_t days = 0;
	if (!w->scope || scope_from(w->scope) == SCOPE_NONE)
		return err_set(e, ERR_INPUT,
			"--scope is '%.40s', and should be read, upload or "
			"admin",
			w->scope ? w->scope : "");
	if (!w->name || !*w->name)
		return err_set(e, ERR_INPUT,
			"--name is missing: who or what is the token for?");
	if (w->expires_days && !whole_from("--expires_days", w->expires_days,
				       TOKEN_DAYS, &days, e))
		return false;
	w->wish = (struct token_request){
		.name = w->name,
		.project = w->project,
		.scope = scope_from(w->scope),
		.made_by = "kernsiftd token",
		.expires = NO_MOMENT,
		.days = (int)days,
	};
	return true;
}

static bool asked_check(struct asked *w, struct err *e)
{
	bool is_list = w->verb && !strcmp(w->verb, "list");
	if (w->project && !*w->project)
		return err_set(e, ERR_INPUT,
			"--project is empty; leave it out for all projects");
	if (!w->verb)
		return wish_from(w, e);
	if (w->scope || w->name || w->expires_days || (is_list && w->operand))
		return err_set(e, ERR_INPUT,
			"'token %.40s' takes no more than %s", w->verb,
			is_list ? "--project" : "an id");
	if (is_list)
		return true;
	if (strcmp(w->verb, "revoke") != 0)
		return err_set(e, ERR_INPUT,
			"'token %.40s' is not a command; there are 'token', "
			"'token list' and 'token revoke'",
			w->verb);
	return whole_from("the token's id", w->operand, INT64_MAX, &w->id, e);
}

int command_token(int argc, char **argv)
{
	struct err e = { 0 };
	struct config c;
	struct asked w = { 0 };
	const struct config_extra extra[] = { { "", &w.verb },
		{ "", &w.operand }, { "scope", &w.scope }, { "name", &w.name },
		{ "project", &w.project }, { "expires_days", &w.expires_days },
		{ 0 } };
	/* Read once here, so that a wrong one starts no cluster. */
	bool ok = command_config(&c, extra, argc, argv, &e) &&
		  asked_check(&w, &e);
	w.verb = w.operand = NULL; /* they are read again */
	return ok ? command_with_store(argc, argv, extra, work, &w)
		  : command_fail(&e);
}
