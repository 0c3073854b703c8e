/* pool.c - connections lent to whoever needs one for a moment. */
#include "db_conn.h"
#include <errno.h>
#include <pthread.h>

enum { WAIT_S = 5, STATEMENT_S = 30 };

struct db_pool {
	pthread_mutex_t lock; /* idle, out, waits */
	pthread_cond_t back;
	char *conninfo;
	struct db *idle; /* the one returned last first */
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

static int64_t us_since(const struct timespec *then)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - then->tv_sec) * INT64_C(1000000) +
	       (now.tv_nsec - then->tv_nsec) / 1000;
}

/* Takes one of the `size` places; *db is the idle connection that went with
 * it, or NULL where there was none. False after WAIT_S seconds. */
static bool place_take(struct db_pool *p, struct db **db)
{
	struct timespec began, until;
	int rc = 0;
	clock_gettime(CLOCK_MONOTONIC, &began);
	until = began;
	until.tv_sec += WAIT_S;

	pthread_mutex_lock(&p->lock);
	bool waits = p->out >= p->size;
	while (p->out >= p->size && rc != ETIMEDOUT)
		rc = pthread_cond_timedwait(&p->back, &p->lock, &until);
	bool free_place = p->out < p->size;
	if (waits) {
		p->waits.waited++;
		p->waits.waited_us += us_since(&began);
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

static void place_give(struct db_pool *p, struct db *db)
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
	if (!place_take(p, &db)) {
		err_set(e, ERR_BUSY,
			"all %d database connections are in use; try again, "
			"or raise --db_connections",
			p->size);
		return NULL;
	}
	if (!db)
		db = conn_new(p->conninfo, p->statement_s, e);
	else if (!db_revive(db, e)) {
		db_free(db);
		db = NULL;
	}
	if (!db)
		place_give(p, NULL);
	return db;
}

/* What its borrower left in the middle of something is closed. */
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
	place_give(p, db);
}
