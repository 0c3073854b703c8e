/* db.c - opens connections, checks them, opens them again, and lends them from
 * a pool. */
#include "buf.h"
#include "db_conn.h"
#include "log.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>

/* Default time limit of a statement in seconds. */
enum { STATEMENT_S = 30 };

/* The first line of libpq's text, without the severity that PostgreSQL writes
 * first. */
static const char *db_first_line(const char *text, char *out, size_t size)
{
	static const char *const heads[] = { "FATAL:  ", "ERROR:  ",
		"PANIC:  " };
	size_t n = strcspn(text, "\n");
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		const char *at = strstr(text, heads[i]);
		if (at && at < text + n) {
			n -= (size_t)(at + strlen(heads[i]) - text);
			text = at + strlen(heads[i]);
		}
	}
	snprintf(out, size, "%.*s", (int)n, text);
	return out;
}

static bool db_starts_with(const char *state, const char *with)
{
	return !strncmp(state, with, strlen(with));
}

/* Whether PostgreSQL closed the connection, is starting or is stopping. */
static bool db_is_leaving(const char *state)
{
	return db_starts_with(state, "08") || db_starts_with(state, "57P");
}

/* The error code of a SQLSTATE; ERR_DATABASE if it has no code of its own. */
static enum err_code db_error_code(const char *state)
{
	if (!strcmp(state, "53100")) /* disk_full */
		return ERR_DISK_FULL;
	if (!strcmp(state, "57014")) /* query_canceled */
		return ERR_SLOW;
	if (!strcmp(state, "40001") || !strcmp(state, "40P01"))
		return ERR_CONFLICT; /* serialization failure, deadlock */
	/* Our checks accepted a text that PostgreSQL cannot store. */
	if (!strcmp(state, "22021") || !strcmp(state, "22P05"))
		return ERR_INPUT;
	/* A value, a constraint, a limit: another try would not help. */
	if (db_starts_with(state, "22") || db_starts_with(state, "23") ||
		db_starts_with(state, "54"))
		return ERR_INTERNAL;
	return ERR_DATABASE;
}

/* The sentences of the codes that users see. */
static bool db_fail_public(const struct db *db, enum err_code code,
	struct err *e)
{
	if (code == ERR_DISK_FULL)
		return err_set(e, code, "the database's disk is full");
	if (code == ERR_SLOW)
		return err_set(e, code,
			"the database took too long; request less, or raise "
			"--statement-timeout-s, which is %d",
			db->statement_s);
	if (code == ERR_CONFLICT)
		return err_set(e, code,
			"the same data was changed by another request at the "
			"same time; try again");
	return err_set(e, code,
		"a text contains bytes that the database cannot store");
}

bool db_fail(struct db *db, const PGresult *res, struct err *e)
{
	char line[300];
	const char *state =
		res ? PQresultErrorField(res, PG_DIAG_SQLSTATE) : NULL;
	const char *text =
		res ? PQresultErrorField(res, PG_DIAG_MESSAGE_PRIMARY) : NULL;
	if (!text)
		text = PQerrorMessage(db->pg);
	db_first_line(text, line, sizeof line);
	snprintf(db->sqlstate, sizeof db->sqlstate, "%s", state ? state : "");
	if (!db->pg || PQstatus(db->pg) != CONNECTION_OK || !state ||
		db_is_leaving(state))
		return err_set(e, ERR_DATABASE,
			"the database is not reachable: %s", line);
	enum err_code code = db_error_code(state);
	if (code == ERR_DATABASE || code == ERR_INTERNAL)
		return err_set(e, code, "the database answers: %s", line);
	if (strcmp(state, "40001") != 0) /* repeated until it succeeds */
		log_info("database sqlstate=%s text=\"%s\"", state, line);
	return db_fail_public(db, code, e);
}

/* The string may contain a password, so only libpq's message is shown. */
bool db_conninfo_check(const char *conninfo, struct err *e)
{
	char *why = NULL;
	PQconninfoOption *parsed = PQconninfoParse(conninfo, &why);
	bool ok = parsed != NULL;

	if (!ok)
		err_set(e, ERR_INPUT,
			"--db: %.*s (use a connection string, for example "
			"'host=db user=kernsift dbname=kernsift')",
			(int)(why ? strcspn(why, "\n") : 0), why ? why : "");
	PQconninfoFree(parsed);
	PQfreemem(why);
	return ok;
}

/* The caller's settings come later and therefore override the defaults. */
static PGconn *db_open(const char *conninfo)
{
	const char *const keys[] = { "connect_timeout", "keepalives_idle",
		"keepalives_interval", "keepalives_count", "tcp_user_timeout",
		"fallback_application_name", "client_encoding", "dbname",
		NULL };
	const char *const values[] = { "5", "30", "10", "3", "30000",
		"kernsift", "UTF8", conninfo, NULL };
	return PQconnectdbParams(keys, values, 1);
}

/* Notices ("view does not exist, skipping") are not logged. */
static void db_ignore_notice(void *arg, const PGresult *res)
{
	(void)arg;
	(void)res;
}

static void db_disconnect(struct db *db)
{
	PQfinish(db->pg);
	db->pg = NULL;
	db->prepared_n = 0;
}

/* A statement that takes longer than its limit is stuck. The idle limit ends
 * the transaction of a process that was stopped, so that its locks are
 * released. */
bool db_limits(struct db *db, struct err *e)
{
	char text[160];
	snprintf(text, sizeof text,
		"SET statement_timeout = '%ds'; "
		"SET idle_in_transaction_session_timeout = '60s'",
		db->statement_s);
	PGresult *res = PQexec(db->pg, text);
	bool ok = PQresultStatus(res) == PGRES_COMMAND_OK;
	if (!ok)
		db_fail(db, res, e);
	PQclear(res);
	return ok;
}

static bool db_connect(struct db *db, struct err *e)
{
	db_disconnect(db);
	db->pg = db_open(db->conninfo);
	if (PQstatus(db->pg) != CONNECTION_OK)
		return db_fail(db, NULL, e);
	PQsetNoticeReceiver(db->pg, db_ignore_notice, NULL);
	return db_limits(db, e);
}

bool db_alive(struct db *db)
{
	if (!db->pg || PQstatus(db->pg) != CONNECTION_OK)
		return false;
	struct pollfd p = { .fd = PQsocket(db->pg), .events = POLLIN };
	int n;
	do
		n = poll(&p, 1, 0);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n == 0;
	/* PostgreSQL sent data: it closed the connection, or sent only a
	 * notice. */
	return PQconsumeInput(db->pg) && PQstatus(db->pg) == CONNECTION_OK &&
	       !(p.revents & (POLLHUP | POLLERR | POLLNVAL));
}

static struct db *db_new_limited(const char *conninfo, int statement_s,
	struct err *e)
{
	struct db *db = calloc(1, sizeof *db);
	char *copy = strdup(conninfo);
	if (!db || !copy)
		abort();
	db->conninfo = copy;
	db->statement_s = statement_s;
	if (db_connect(db, e))
		return db;
	db_free(db);
	return NULL;
}

struct db *db_new(const char *conninfo, struct err *e)
{
	return db_new_limited(conninfo, STATEMENT_S, e);
}

void db_free(struct db *db)
{
	if (!db)
		return;
	db_disconnect(db);
	free(db->conninfo);
	free(db);
}

bool db_revive(struct db *db, struct err *e)
{
	return db_alive(db) || db_connect(db, e);
}

bool db_ping(struct db *db, struct err *e)
{
	PGresult *res = PQexec(db->pg, "SELECT 1");
	bool ok = PQresultStatus(res) == PGRES_TUPLES_OK;
	if (!ok)
		db_fail(db, res, e);
	PQclear(res);
	return ok;
}

enum { DB_POOL_WAIT_S = 5 };

struct db_pool {
	pthread_mutex_t lock; /* protects idle, out and waits */
	pthread_cond_t back;
	char *conninfo;
	struct db *idle; /* the last returned one is first */
	int out, size, statement_s;
	struct db_pool_waits waits;
};

struct db_pool *db_pool_new(const char *conninfo, int size)
{
	struct db_pool *p = calloc(1, sizeof *p);
	char *copy = strdup(conninfo);
	pthread_condattr_t attr;
	if (!p || !copy)
		abort();
	p->conninfo = copy;
	p->size = size;
	p->statement_s = STATEMENT_S;
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->back, &attr);
	pthread_condattr_destroy(&attr);
	return p;
}

void db_pool_free(struct db_pool *p)
{
	if (!p)
		return;
	while (p->idle) {
		struct db *db = p->idle;
		p->idle = db->next;
		db_free(db);
	}
	pthread_cond_destroy(&p->back);
	pthread_mutex_destroy(&p->lock);
	free(p->conninfo);
	free(p);
}

void db_pool_limit(struct db_pool *p, int statement_s)
{
	p->statement_s = statement_s;
}

struct db_pool_waits db_pool_waits(struct db_pool *p)
{
	pthread_mutex_lock(&p->lock);
	struct db_pool_waits w = p->waits;
	pthread_mutex_unlock(&p->lock);
	return w;
}

static int64_t db_pool_us_since(const struct timespec *then)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - then->tv_sec) * INT64_C(1000000) +
	       (now.tv_nsec - then->tv_nsec) / 1000;
}

/* Takes one of the pool's `size` connections; *db is an idle connection, or
 * NULL if a new one must be opened. False after DB_POOL_WAIT_S seconds. */
static bool db_pool_take(struct db_pool *p, struct db **db)
{
	struct timespec began, until;
	int rc = 0;
	clock_gettime(CLOCK_MONOTONIC, &began);
	until = began;
	until.tv_sec += DB_POOL_WAIT_S;

	pthread_mutex_lock(&p->lock);
	bool waits = p->out >= p->size;
	while (p->out >= p->size && rc != ETIMEDOUT)
		rc = pthread_cond_timedwait(&p->back, &p->lock, &until);
	bool free_place = p->out < p->size;
	if (waits) {
		p->waits.waited++;
		p->waits.waited_us += db_pool_us_since(&began);
		p->waits.refused += !free_place;
	}
	if (free_place) {
		p->out++;
		*db = p->idle;
		if (p->idle)
			p->idle = p->idle->next;
	}
	pthread_mutex_unlock(&p->lock);
	return free_place;
}

static void db_pool_give(struct db_pool *p, struct db *db)
{
	pthread_mutex_lock(&p->lock);
	p->out--;
	if (db) {
		db->next = p->idle;
		p->idle = db;
	}
	pthread_cond_signal(&p->back);
	pthread_mutex_unlock(&p->lock);
}

struct db *db_borrow(struct db_pool *p, struct err *e)
{
	struct db *db = NULL;
	if (!db_pool_take(p, &db)) {
		err_set(e, ERR_BUSY,
			"all %d database connections are in use; try again, "
			"or raise --db-connections",
			p->size);
		return NULL;
	}
	if (!db)
		db = db_new_limited(p->conninfo, p->statement_s, e);
	else if (!db_revive(db, e)) {
		db_free(db);
		db = NULL;
	}
	if (!db)
		db_pool_give(p, NULL);
	return db;
}

/* A connection that was returned inside a transaction is closed. */
void db_return(struct db_pool *p, struct db *db)
{
	if (!db)
		return;
	bool clean = PQstatus(db->pg) == CONNECTION_OK &&
		     PQtransactionStatus(db->pg) == PQTRANS_IDLE;
	if (!clean) {
		db_free(db);
		db = NULL;
	}
	db_pool_give(p, db);
}

int db_socket(struct db *db)
{
	return PQsocket(db->pg);
}

bool db_notified(struct db *db, bool *any, struct err *e)
{
	*any = false;
	if (!PQconsumeInput(db->pg))
		return db_fail(db, NULL, e);
	for (PGnotify *n; (n = PQnotifies(db->pg)); *any = true)
		PQfreemem(n);
	return true;
}

const char *const *db_environment(struct db *db, struct arena *a)
{
	PQconninfoOption *all = PQconninfo(db->pg);
	size_t n = 0, at = 0;
	while (all && all[n].keyword)
		n++;
	const char **env = arena_array(a, const char *, n + 2);
	/* The service file is omitted, because libpq has read it already. */
	for (size_t i = 0; i < n; i++)
		if (all[i].envvar && all[i].val && *all[i].val &&
			strcmp(all[i].keyword, "service") != 0)
			env[at++] = arena_printf(a, "%s=%s", all[i].envvar,
				all[i].val);
	PQconninfoFree(all);
	if (getenv("HOME")) /* certificates */
		env[at] = arena_printf(a, "HOME=%s", getenv("HOME"));
	return env;
}

const char *db_name(struct db *db, struct arena *a)
{
	struct buf b;
	size_t len;
	buf_init(&b, 1024);
	buf_puts(&b, "dbname='");
	for (const char *at = PQdb(db->pg); *at; at++)
		buf_printf(&b, *at == '\'' || *at == '\\' ? "\\%c" : "%c", *at);
	buf_puts(&b, "'");
	char *text = buf_take(&b, &len);
	const char *name = arena_strndup(a, text, len);
	free(text);
	return name;
}
