/* manage.c - the database of a command, and the commands that only change it. */
#include "command.h"
#include "log.h"
#include "migrate.h"
#include "query.h"
#include "token.h"
#include <time.h>

enum { WAIT_S = 30, SPARE = 16 };

/* A database in a container next door may need a moment longer than we. */
static struct db *db_wait(const char *conninfo, struct err *e)
{
	for (int s = 0;; s++) {
		struct err why = { 0 };
		struct db *db = db_new(conninfo, &why);
		if (db)
			return db;
		if (s == 0)
			log_warn("waiting for the database: %s", why.text);
		if (s == WAIT_S) {
			err_set(e, why.code, "%s", why.text);
			return NULL;
		}
		nanosleep(&(struct timespec){ 1, 0 }, NULL);
	}
}

bool command_store(struct store *s, const struct config *c,
	enum cluster_role role, struct err *e)
{
	struct worker_options o = command_workers(c, NULL);
	*s = (struct store){ .conninfo = c->db };
	if (!*c->db) {
		s->cluster = cluster_new(c->data, role,
			c->db_connections + o.workers + SPARE, e);
		if (!s->cluster)
			return false;
		s->conninfo = cluster_conninfo(s->cluster);
	}
	s->db = db_wait(s->conninfo, e);
	if (!s->db)
		command_store_release(s);
	return s->db != NULL;
}

void command_store_release(struct store *s)
{
	db_free(s->db);
	cluster_free(s->cluster);
	*s = (struct store){ 0 };
}

/* Options, a database with the schema of this program, and then the work. */
static int with_store(int argc, char **argv, const struct config_extra *extra,
	bool (*work)(struct db *db, int applied, void *arg, struct err *e),
	void *arg)
{
	struct err e = { 0 };
	struct config c;
	struct store s = { 0 };
	int applied;
	bool ok = command_config(&c, extra, argc, argv, &e) &&
		  command_store(&s, &c, CLUSTER_COMMAND, &e) &&
		  migrate(s.db, &applied, &e) && work(s.db, applied, arg, &e);
	command_store_release(&s);
	return ok ? 0 : command_fail(&e);
}

static bool do_migrate(struct db *db, int applied, void *arg, struct err *e)
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
	return with_store(argc, argv, NULL, do_migrate, NULL);
}

static bool do_rebuild(struct db *db, int applied, void *arg, struct err *e)
{
	int64_t queued;
	(void)applied;
	(void)arg;
	if (!rebuild(db, &queued, e))
		return false;
	printf("%lld upload%s queued\n", (long long)queued,
		queued == 1 ? "" : "s");
	return true;
}

int command_rebuild(int argc, char **argv)
{
	return with_store(argc, argv, NULL, do_rebuild, NULL);
}

struct wish {
	const char *scope, *name;
};

static bool do_token(struct db *db, int applied, void *arg, struct err *e)
{
	const struct wish *w = arg;
	char text[TOKEN_TEXT];
	int64_t id;
	(void)applied;
	const struct token_wish is = {
		.name = w->name,
		.scope = scope_from(w->scope),
		.made_by = "kernsiftd token",
		.expires = NO_MOMENT,
	};
	if (!token_new(db, &is, text, &id, e))
		return false;
	printf("%s\n", text);
	return true;
}

int command_token(int argc, char **argv)
{
	struct err e = { 0 };
	struct config c;
	struct wish w = { 0 };
	const struct config_extra extra[] = { { "scope", &w.scope },
		{ "name", &w.name }, { 0 } };
	/* Read once here, so that a wrong one starts no cluster. */
	bool ok = command_config(&c, extra, argc, argv, &e);
	if (ok && (!w.scope || scope_from(w.scope) == SCOPE_NONE))
		ok = err_set(&e, ERR_INPUT,
			"--scope is '%.40s', and should be read, upload or "
			"admin",
			w.scope ? w.scope : "");
	if (ok && (!w.name || !*w.name))
		ok = err_set(&e, ERR_INPUT,
			"--name is missing: who or what is the token for?");
	return ok ? with_store(argc, argv, extra, do_token, &w)
		  : command_fail(&e);
}
