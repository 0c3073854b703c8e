/* manage.c - the database of a command, and the commands that only change it. */
#include "command.h"
#include "audit.h"
#include "log.h"
#include "migrate.h"
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

bool command_trail(struct db *db, const char *command, const char *detail,
	bool (*work)(struct db *db, void *arg, struct err *e), void *arg,
	struct err *e)
{
	struct err unheard = { 0 };
	int64_t row;
	if (!audit_command(db, command, detail, &row, e))
		return false;
	bool ok = work(db, arg, e);
	if (!audit_end(db, row, ok ? AUDIT_DONE : AUDIT_FAILED, NULL, NULL,
		    &unheard))
		log_warn("audit row=%lld text=\"%s\"", (long long)row,
			unheard.text);
	return ok;
}

static bool nothing_more(struct db *db, void *arg, struct err *e)
{
	(void)db, (void)arg, (void)e;
	return true;
}

/* The audit is a table itself: what made it is told afterwards. */
bool command_migrated(struct db *db, int *applied, struct err *e)
{
	char detail[40];
	if (!migrate(db, applied, e))
		return false;
	snprintf(detail, sizeof detail, "applied=%d", *applied);
	return !*applied ||
	       command_trail(db, "migrate", detail, nothing_more, NULL, e);
}

void command_store_discard(struct store *s)
{
	db_free(s->db);
	cluster_discard(s->cluster);
	*s = (struct store){ 0 };
}

int command_with_store(int argc, char **argv, const struct config_extra *extra,
	bool (*work)(struct db *db, int applied, void *arg, struct err *e),
	void *arg)
{
	struct err e = { 0 };
	struct config c;
	struct store s = { 0 };
	int applied;
	bool ok = command_config(&c, extra, argc, argv, &e) &&
		  command_store(&s, &c, CLUSTER_COMMAND, &e) &&
		  command_migrated(s.db, &applied, &e) &&
		  work(s.db, applied, arg, &e);
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
	return command_with_store(argc, argv, NULL, do_migrate, NULL);
}

static bool queue_all(struct db *db, void *arg, struct err *e)
{
	return upload_requeue_all(db, arg, e);
}

static bool do_rebuild(struct db *db, int applied, void *arg, struct err *e)
{
	int64_t queued, without;
	(void)applied;
	(void)arg;
	if (!command_trail(db, "rebuild", NULL, queue_all, &queued, e) ||
		!upload_count_dropped(db, &without, e))
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
	return command_with_store(argc, argv, NULL, do_rebuild, NULL);
}
