/* admin.c - the commands that change or list what the database stores: `migrate`,
 * `rebuild`, `token`, `vacuum`. */
#include "command.h"
#include "migrate.h"
#include "query.h"
#include "retention.h"
#include "retention_summary.h"
#include "said.h"
#include "token.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool admin_migrate(struct db *db, int applied, void *arg, struct err *e)
{
	(void)db;
	(void)arg;
	(void)e;
	if (applied)
		printf("%d migration%s applied\n", applied,
			applied == 1 ? "" : "s");
	else
		printf("the schema is up to date\n");
	return true;
}

int command_migrate(int argc, char **argv)
{
	return command_with_store(argc, argv, NULL, admin_migrate, NULL);
}

static bool admin_queue_all(struct db *db, void *arg, struct err *e)
{
	return rebuild(db, arg, e);
}

static bool admin_rebuild(struct db *db, int applied, void *arg, struct err *e)
{
	int64_t queued, without;
	(void)applied;
	(void)arg;
	if (!command_trail(db, "rebuild", NULL, admin_queue_all, &queued, e) ||
		!rebuild_without(db, &without, e))
		return false;
	printf("%lld upload%s queued\n", (long long)queued,
		queued == 1 ? "" : "s");
	if (without)
		printf("%lld upload%s left as %s: the bytes were dropped\n",
			(long long)without, without == 1 ? "" : "s",
			without == 1 ? "it is" : "they are");
	return true;
}

int command_rebuild(int argc, char **argv)
{
	return command_with_store(argc, argv, NULL, admin_rebuild, NULL);
}

enum { PAGE = 500 };

struct admin_token_args {
	const char *verb, *operand, *scope, *name, *project, *expires_days;
	int64_t id; /* of revoke */
	struct token_wish wish;
};

static bool admin_token_new(struct db *db, void *arg, struct err *e)
{
	const struct admin_token_args *w = arg;
	char text[TOKEN_TEXT];
	int64_t id;
	if (!token_new(db, &w->wish, text, &id, e))
		return false;
	printf("%s\n", text);
	return true;
}

static bool admin_token_revoke(struct db *db, void *arg, struct err *e)
{
	const struct admin_token_args *w = arg;
	return token_revoke(db, w->id, w->project, e);
}

static const char *admin_token_day(int64_t us, char out[16])
{
	time_t s = (time_t)(us / 1000000);
	struct tm tm;
	snprintf(out, 16, "never");
	if (us != NO_MOMENT && gmtime_r(&s, &tm))
		strftime(out, 16, "%Y-%m-%d", &tm);
	return out;
}

static void admin_token_print(struct arena *a, const struct token_row *t)
{
	char made[16], expires[16], used[16];
	printf("%lld\t%s\t%s\t%s\t%s\t%s%s\t%s\t%s\n", (long long)t->id,
		scope_name(t->scope),
		t->project ? said_shown(a, t->project) : "*",
		said_shown(a, t->name), admin_token_day(t->created, made),
		admin_token_day(t->expires, expires),
		t->expired ? " expired" : "", admin_token_day(t->used, used),
		said_shown(a, t->made_by));
}

static bool admin_token_list(struct db *db, void *arg, struct err *e)
{
	const struct admin_token_args *w = arg;
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
			admin_token_print(&a, &rows[i]);
		after = ok && n ? rows[n - 1].id : 0;
		arena_release(&a);
		if (!ok)
			return false;
	}
	return true;
}

static bool admin_token_work(struct db *db, int applied, void *arg,
	struct err *e)
{
	const struct admin_token_args *w = arg;
	char detail[1000];
	(void)applied;
	if (!w->verb) {
		snprintf(detail, sizeof detail, "'%.200s' scope=%s%s%.200s",
			w->name, w->scope, w->project ? " project=" : "",
			w->project ? w->project : "");
		return command_trail(db, "token", detail, admin_token_new, arg,
			e);
	}
	if (!strcmp(w->verb, "list"))
		return admin_token_list(db, arg, e);
	snprintf(detail, sizeof detail, "token %lld revoked", (long long)w->id);
	return command_trail(db, "token", detail, admin_token_revoke, arg, e);
}

static bool admin_token_number(const char *what, const char *text, int64_t most,
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

static bool admin_token_request(struct admin_token_args *w, struct err *e)
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
	if (w->expires_days && !admin_token_number("--expires_days",
				       w->expires_days, TOKEN_DAYS, &days, e))
		return false;
	w->wish = (struct token_wish){
		.name = w->name,
		.project = w->project,
		.scope = scope_from(w->scope),
		.made_by = "kernsiftd token",
		.expires = NO_MOMENT,
		.days = (int)days,
	};
	return true;
}

static bool admin_token_check(struct admin_token_args *w, struct err *e)
{
	bool is_list = w->verb && !strcmp(w->verb, "list");
	if (w->project && !*w->project)
		return err_set(e, ERR_INPUT,
			"--project is empty; leave it out for all projects");
	if (!w->verb)
		return admin_token_request(w, e);
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
	return admin_token_number("the token's id", w->operand, INT64_MAX,
		&w->id, e);
}

int command_token(int argc, char **argv)
{
	struct err e = { 0 };
	struct config c;
	struct admin_token_args w = { 0 };
	const struct config_extra extra[] = { { "", &w.verb },
		{ "", &w.operand }, { "scope", &w.scope }, { "name", &w.name },
		{ "project", &w.project }, { "expires_days", &w.expires_days },
		{ 0 } };
	/* Read once here, so that a wrong one starts no cluster. */
	bool ok = command_config(&c, extra, argc, argv, &e) &&
		  admin_token_check(&w, &e);
	w.verb = w.operand = NULL; /* they are read again */
	return ok ? command_with_store(argc, argv, extra, admin_token_work, &w)
		  : command_fail(&e);
}

struct admin_vacuum {
	struct keep_ask ask;
	bool dry;
};

static void admin_vacuum_print(struct arena *a, const struct keep_report *r,
	bool dry)
{
	char text[RETENTION_SUMMARY_TEXT];
	if (r->sums_n)
		printf("%10s %16s  %-8s %-8s %s\n", "n", "bytes", "what", "why",
			"project");
	for (uint32_t i = 0; i < r->sums_n; i++) {
		const struct keep_sum *s = &r->sums[i];
		printf("%10lld %16lld  %-8s %-8s %s\n", (long long)s->n,
			(long long)s->bytes, keep_kind_word(s->kind),
			keep_why_word(s->why), said_shown(a, s->project));
	}
	retention_summary_text(r, text);
	printf("%s: %s\n", dry ? "would go" : "gone", text);
	if (r->left)
		printf("left: %lld, worked on, kept or gone meanwhile\n",
			(long long)r->left);
}

static bool admin_vacuum_work(struct db *db, void *arg, struct err *e)
{
	struct admin_vacuum *v = arg;
	struct arena a = { 0 };
	struct keep_report r;
	bool ok = keep_vacuum(db, &a, &v->ask, v->dry, NULL, NULL, &r, e);
	if (ok)
		admin_vacuum_print(&a, &r, v->dry);
	if (ok && r.why.code)
		ok = err_set(e, r.why.code, "%s", r.why.text);
	arena_release(&a);
	return ok;
}

static bool admin_vacuum_begin(struct db *db, int applied, void *arg,
	struct err *e)
{
	struct admin_vacuum *v = arg;
	(void)applied;
	return v->dry ? admin_vacuum_work(db, v, e)
		      : command_trail(db, "vacuum", v->ask.project,
				admin_vacuum_work, v, e);
}

static bool admin_vacuum_number(const char *name, const char *text,
	int64_t most, int64_t *out, struct err *e)
{
	char *end;
	*out = -1;
	if (!text)
		return true;
	errno = 0;
	long long n = strtoll(text, &end, 10);
	if (errno || end == text || *end || n < 0 || n > most)
		return err_set(e, ERR_INPUT,
			"--%s is '%.40s', and should be a whole number from 0 "
			"to %lld",
			name, text, (long long)most);
	*out = n;
	return true;
}

int command_vacuum(int argc, char **argv)
{
	struct err e = { 0 };
	struct config c;
	const char *dry = NULL, *project = NULL;
	const char *raw = NULL, *run = NULL, *quota = NULL;
	int64_t raw_days, run_days, quota_mib;
	const struct config_extra extra[] = { { "!dry_run", &dry },
		{ "project", &project }, { "raw_days", &raw },
		{ "run_days", &run }, { "quota_mib", &quota }, { 0 } };
	/* Read once here, so that a wrong one starts no cluster. */
	if (!command_config(&c, extra, argc, argv, &e) ||
		!admin_vacuum_number("raw_days", raw, RETENTION_DAYS_MAX,
			&raw_days, &e) ||
		!admin_vacuum_number("run_days", run, RETENTION_DAYS_MAX,
			&run_days, &e) ||
		!admin_vacuum_number("quota_mib", quota, RETENTION_QUOTA_MAX,
			&quota_mib, &e))
		return command_fail(&e);
	if (project && !*project) {
		err_set(&e, ERR_INPUT,
			"--project is empty; leave it out for all projects");
		return command_fail(&e);
	}
	struct admin_vacuum v = { { project, (int)raw_days, (int)run_days,
					  quota_mib },
		dry != NULL };
	return command_with_store(argc, argv, extra, admin_vacuum_begin, &v);
}
