/* tokens.c - the command `token`: makes, lists, revokes. */
#include "command.h"
#include "query.h"
#include "said.h"
#include "token.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAGE = 500 };

struct token_command {
	const struct config *config;
	int64_t id; /* of revoke */
	struct token_wish wish;
};

static bool make(struct db *db, void *arg, struct err *e)
{
	const struct token_command *w = arg;
	char text[TOKEN_TEXT];
	int64_t id;
	if (!token_new(db, &w->wish, text, &id, e))
		return false;
	printf("%s\n", text);
	return true;
}

static bool unmake(struct db *db, void *arg, struct err *e)
{
	const struct token_command *w = arg;
	return token_revoke(db, w->id, w->config->project, e);
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
		t->project ? said_shown(a, t->project) : "*",
		said_shown(a, t->name), day(t->created, made),
		day(t->expires, expires), t->expired ? " expired" : "",
		day(t->used, used), said_shown(a, t->made_by));
}

static bool list(struct db *db, void *arg, struct err *e)
{
	const struct token_command *w = arg;
	int64_t after = 0;
	bool more = true;
	printf("id\tscope\tproject\tname\tmade\texpires\tused\tmade by\n");
	while (more) {
		struct arena a = { 0 };
		struct token_row *rows;
		uint32_t n;
		bool ok = token_list(db, &a, w->config->project, after, PAGE,
			&rows, &n, &more, e);
		for (uint32_t i = 0; ok && i < n; i++)
			print(&a, &rows[i]);
		after = ok && n ? rows[n - 1].id : 0;
		arena_release(&a);
		if (!ok)
			return false;
	}
	return true;
}

static bool token_make(struct db *db, int applied, void *arg, struct err *e)
{
	const struct config *c = ((struct token_command *)arg)->config;
	char detail[1000];

	(void)applied;
	snprintf(detail, sizeof detail, "'%.200s' scope=%s%s%.200s", c->name,
		c->scope, c->project ? " project=" : "",
		c->project ? c->project : "");
	return command_trail(db, "token", detail, make, arg, e);
}

static bool token_unmake(struct db *db, int applied, void *arg, struct err *e)
{
	const struct token_command *w = arg;
	char detail[60];

	(void)applied;
	snprintf(detail, sizeof detail, "token %lld revoked", (long long)w->id);
	return command_trail(db, "token", detail, unmake, arg, e);
}

static bool token_lists(struct db *db, int applied, void *arg, struct err *e)
{
	(void)applied;
	return list(db, arg, e);
}

static bool token_check(const struct config *c, struct err *e)
{
	if (!*c->scope)
		return err_set(e, ERR_INPUT,
			"--scope: the value is missing (use --scope "
			"read|upload|admin)");
	if (!c->name || !*c->name)
		return err_set(e, ERR_INPUT,
			"--name: the value is missing (say who or what uses "
			"the token, for example --name ci)");
	return command_project_good(c, e);
}

int command_token(const struct invocation *in)
{
	const struct config *c = in->config;
	struct err e = { 0 };

	if (!token_check(c, &e))
		return command_fail(&e);
	struct token_command w = { .config = c,
		.wish = {
			.name = c->name,
			.project = c->project,
			.scope = scope_from(c->scope),
			.made_by = "kernsiftd token",
			.expires = NO_MOMENT,
			.days = c->expires_days > 0 ? (int)c->expires_days : 0,
		} };
	return command_with_store(c, token_make, &w);
}

int command_token_list(const struct invocation *in)
{
	struct token_command w = { .config = in->config };
	struct err e = { 0 };

	return command_project_good(in->config, &e)
		       ? command_with_store(in->config, token_lists, &w)
		       : command_fail(&e);
}

int command_token_revoke(const struct invocation *in)
{
	struct token_command w = { .config = in->config };
	const char *text = in->operands[0];
	struct err e = { 0 };
	char *end;

	errno = 0;
	w.id = strtoll(text, &end, 10);
	if (!errno && end != text && !*end && w.id > 0)
		return command_with_store(in->config, token_unmake, &w);
	err_set(&e, ERR_INPUT,
		"'%.40s' is not the id of a token, which is a whole number "
		"above 0 ('kernsiftd token list' shows it)",
		text);
	return command_fail(&e);
}
