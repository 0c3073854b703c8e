/* admin.c - the commands that change or list what the database stores: `migrate`,
 * `rebuild`, `token`, `vacuum`. */
#include "command.h"
#include "migrate.h"
#include "query.h"
#include "retention.h"
#include "retention_summary.h"
#include "text_validate.h"
#include "token.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Opens a database with the schema of this program, then does the work. */
static int admin_with_store(const struct config *c,
	bool (*work)(struct db *db, int applied, void *arg, struct err *e),
	void *arg)
{
	struct err e = { 0 };
	struct store s = { 0 };
	int applied;
	bool ok = command_store(&s, c, CLUSTER_COMMAND, &e) &&
		  command_migrated(s.db, &applied, &e) &&
		  work(s.db, applied, arg, &e);
	command_store_release(&s, false);
	return ok ? 0 : command_fail(&e);
}

/* Whether --project, if it is given, is not empty. */
static bool admin_project_check(const struct config *c, struct err *e)
{
	return !c->project || *c->project ||
	       err_set(e, ERR_INPUT,
		       "--project: the value is empty (omit the option for "
		       "all projects)");
}

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

int command_migrate(const struct invocation *in)
{
	return admin_with_store(in->config, admin_migrate, NULL);
}

static bool admin_queue_all(struct db *db, void *arg, struct err *e)
{
	return upload_requeue_all(db, arg, e);
}

static bool admin_rebuild(struct db *db, int applied, void *arg, struct err *e)
{
	int64_t queued, without;
	(void)applied;
	(void)arg;
	if (!command_audit(db, "rebuild", NULL, admin_queue_all, &queued, e) ||
		!upload_count_dropped(db, &without, e))
		return false;
	printf("%lld upload%s queued\n", (long long)queued,
		queued == 1 ? "" : "s");
	if (without)
		printf("%lld upload%s left unchanged: %s bytes were deleted\n",
			(long long)without, without == 1 ? "" : "s",
			without == 1 ? "its" : "their");
	return true;
}

int command_rebuild(const struct invocation *in)
{
	return admin_with_store(in->config, admin_rebuild, NULL);
}

enum { PAGE = 500 };

struct admin_token {
	const struct config *config;
	int64_t id; /* of revoke */
	struct token_request request;
};

static bool admin_token_new(struct db *db, void *arg, struct err *e)
{
	const struct admin_token *w = arg;
	char text[TOKEN_TEXT];
	int64_t id;
	if (!token_new(db, &w->request, text, &id, e))
		return false;
	printf("%s\n", text);
	return true;
}

static bool admin_token_revoke(struct db *db, void *arg, struct err *e)
{
	const struct admin_token *w = arg;
	return token_revoke(db, w->id, w->config->project, e);
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
		t->project ? text_validate_mask(a, t->project) : "*",
		text_validate_mask(a, t->name),
		admin_token_day(t->created, made),
		admin_token_day(t->expires, expires),
		t->expired ? " expired" : "", admin_token_day(t->used, used),
		text_validate_mask(a, t->made_by));
}

static bool admin_token_list(struct db *db, void *arg, struct err *e)
{
	const struct admin_token *w = arg;
	int64_t after = 0;
	bool more = true;
	printf("id\tscope\tproject\tname\tcreated\texpires\tused\tcreated by\n");
	while (more) {
		struct arena a = { 0 };
		struct token_row *rows;
		uint32_t n;
		bool ok = token_list(db, &a, w->config->project, after, PAGE,
			&rows, &n, &more, e);
		for (uint32_t i = 0; ok && i < n; i++)
			admin_token_print(&a, &rows[i]);
		after = ok && n ? rows[n - 1].id : 0;
		arena_release(&a);
		if (!ok)
			return false;
	}
	return true;
}

static bool admin_token_new_recorded(struct db *db, int applied, void *arg,
	struct err *e)
{
	const struct config *c = ((struct admin_token *)arg)->config;
	char detail[1000];

	(void)applied;
	snprintf(detail, sizeof detail, "'%.200s' scope=%s%s%.200s", c->name,
		c->scope, c->project ? " project=" : "",
		c->project ? c->project : "");
	return command_audit(db, "token", detail, admin_token_new, arg, e);
}

static bool admin_token_revoke_recorded(struct db *db, int applied, void *arg,
	struct err *e)
{
	const struct admin_token *w = arg;
	char detail[60];

	(void)applied;
	snprintf(detail, sizeof detail, "token %lld revoked", (long long)w->id);
	return command_audit(db, "token", detail, admin_token_revoke, arg, e);
}

static bool admin_token_list_all(struct db *db, int applied, void *arg,
	struct err *e)
{
	(void)applied;
	return admin_token_list(db, arg, e);
}

static bool admin_token_check(const struct config *c, struct err *e)
{
	if (!*c->scope)
		return err_set(e, ERR_INPUT,
			"--scope: the value is missing (use --scope "
			"read|upload|admin)");
	if (!c->name || !*c->name)
		return err_set(e, ERR_INPUT,
			"--name: the value is missing (name the user of the "
			"token, for example --name ci)");
	return admin_project_check(c, e);
}

int command_token(const struct invocation *in)
{
	const struct config *c = in->config;
	struct err e = { 0 };

	if (!admin_token_check(c, &e))
		return command_fail(&e);
	struct admin_token w = { .config = c,
		.request = {
			.name = c->name,
			.project = c->project,
			.scope = scope_from(c->scope),
			.made_by = "kernsiftd token",
			.expires = NO_MOMENT,
			.days = c->expires_days > 0 ? (int)c->expires_days : 0,
		} };
	return admin_with_store(c, admin_token_new_recorded, &w);
}

int command_token_list(const struct invocation *in)
{
	struct admin_token w = { .config = in->config };
	struct err e = { 0 };

	return admin_project_check(in->config, &e)
		       ? admin_with_store(in->config, admin_token_list_all, &w)
		       : command_fail(&e);
}

int command_token_revoke(const struct invocation *in)
{
	struct admin_token w = { .config = in->config };
	const char *text = in->operands[0];
	struct err e = { 0 };
	char *end;

	errno = 0;
	w.id = strtoll(text, &end, 10);
	if (!errno && end != text && !*end && w.id > 0)
		return admin_with_store(in->config, admin_token_revoke_recorded,
			&w);
	err_set(&e, ERR_INPUT,
		"'%.40s' is not a token id, which is a whole number above 0 "
		"('kernsiftd token list' shows the ids)",
		text);
	return command_fail(&e);
}

struct admin_vacuum {
	struct retention_request ask;
	bool dry;
};

static void admin_vacuum_print(struct arena *a,
	const struct retention_report *r, bool dry)
{
	char text[RETENTION_SUMMARY_TEXT];
	if (r->sums_n)
		printf("%10s %16s  %-8s %-8s %s\n", "n", "bytes", "kind",
			"reason", "project");
	for (uint32_t i = 0; i < r->sums_n; i++) {
		const struct retention_sum *s = &r->sums[i];
		printf("%10lld %16lld  %-8s %-8s %s\n", (long long)s->n,
			(long long)s->bytes, retention_kind_word(s->kind),
			retention_reason_word(s->why),
			text_validate_mask(a, s->project));
	}
	retention_summary_text(r, text);
	printf("%s: %s\n", dry ? "would delete" : "deleted", text);
	if (r->left)
		printf("skipped: %lld in work, kept or deleted meanwhile\n",
			(long long)r->left);
}

static bool admin_vacuum_work(struct db *db, void *arg, struct err *e)
{
	struct admin_vacuum *v = arg;
	struct arena a = { 0 };
	struct retention_report r;
	bool ok = retention_vacuum(db, &a, &v->ask, v->dry, NULL, NULL, &r, e);
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
		      : command_audit(db, "vacuum", v->ask.project,
				admin_vacuum_work, v, e);
}

int command_vacuum(const struct invocation *in)
{
	const struct config *c = in->config;
	struct admin_vacuum v = { { c->project, (int)c->raw_days,
					  (int)c->run_days, c->quota_mib },
		c->dry_run };
	struct err e = { 0 };

	return admin_project_check(c, &e)
		       ? admin_with_store(c, admin_vacuum_begin, &v)
		       : command_fail(&e);
}
