/* sql.c - runs statements with their parameters, and repeats transactions. */
#include "sql.h"
#include "db_conn.h"
#include "pgwire.h"
#include <assert.h>
#include <limits.h>

static void sql_param(struct sql_params *p, enum pgwire_type type,
	const void *at, size_t len, int format)
{
	assert(p->n < SQL_PARAMS && len <= INT_MAX);
	p->types[p->n] = type;
	p->values[p->n] = at;
	p->lengths[p->n] = (int)len;
	p->formats[p->n] = format;
	p->n++;
}

void sql_bool(struct sql_params *p, bool v)
{
	char *room = p->room[p->n];
	*room = (char)v;
	sql_param(p, PGWIRE_BOOL, room, 1, 1);
}

void sql_int4(struct sql_params *p, int32_t v)
{
	char *room = p->room[p->n];
	pgwire_put32(room, v);
	sql_param(p, PGWIRE_INT4, room, 4, 1);
}

void sql_int8(struct sql_params *p, int64_t v)
{
	char *room = p->room[p->n];
	pgwire_put64(room, v);
	sql_param(p, PGWIRE_INT8, room, 8, 1);
}

void sql_float8(struct sql_params *p, double v)
{
	char *room = p->room[p->n];
	pgwire_put_double(room, v);
	sql_param(p, PGWIRE_FLOAT8, isnan(v) ? NULL : room, 8, 1);
}

void sql_text(struct sql_params *p, const char *s)
{
	sql_param(p, PGWIRE_TEXT, s, s ? strlen(s) : 0, 1);
}

void sql_like(struct sql_params *p, struct arena *a, const char *part)
{
	size_t len = part ? strlen(part) : 0, n = 0;
	if (len < 3) {
		sql_text(p, NULL);
		return;
	}
	char *pattern = arena_alloc(a, len * 2 + 3, 1);
	pattern[n++] = '%';
	for (const char *c = part; *c; c++) {
		if (strchr("%_\\", *c))
			pattern[n++] = '\\';
		pattern[n++] =
			*c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
	}
	pattern[n++] = '%';
	pattern[n] = '\0';
	sql_text(p, pattern);
}

void sql_json(struct sql_params *p, const char *s)
{
	sql_param(p, PGWIRE_JSON, s, s ? strlen(s) : 0, 0);
}

void sql_bytes(struct sql_params *p, const void *bytes, size_t len)
{
	sql_param(p, PGWIRE_BYTES, bytes, len, 1);
}

void sql_moment(struct sql_params *p, int64_t us)
{
	char *room = p->room[p->n];
	pgwire_put64(room, us == NO_MOMENT ? 0 : us - PGWIRE_EPOCH_US);
	sql_param(p, PGWIRE_MOMENT, us == NO_MOMENT ? NULL : room, 8, 1);
}

void sql_int4_known(struct sql_params *p, int32_t v)
{
	sql_int4(p, v);
	if (v == -1)
		p->values[p->n - 1] = NULL;
}

void sql_int8_known(struct sql_params *p, int64_t v)
{
	sql_int8(p, v);
	if (v == -1)
		p->values[p->n - 1] = NULL;
}

/* The header has the number of dimensions, whether there are NULLs, the element
 * type, the length, and the lower bound. */
enum { ARRAY_HEAD = 20, ARRAY_BYTES_MAX = 1 << 30 };

void sql_array_init(struct sql_array *a, enum sql_element type)
{
	static const char head[ARRAY_HEAD];
	*a = (struct sql_array){ .type = type };
	buf_init(&a->body, ARRAY_BYTES_MAX);
	buf_add(&a->body, head, ARRAY_HEAD);
}

void sql_array_add(struct sql_array *a, const void *bytes, int64_t len)
{
	char size[4];
	assert(len >= SQL_NULL && len < ARRAY_BYTES_MAX);
	pgwire_put32(size, (int32_t)len);
	buf_add(&a->body, size, sizeof size);
	if (len > 0)
		buf_add(&a->body, bytes, (size_t)len);
	a->n++;
}

void sql_array_text(struct sql_array *a, const char *s)
{
	sql_array_add(a, s, s ? (int64_t)strlen(s) : SQL_NULL);
}

void sql_array_int8(struct sql_array *a, int64_t v)
{
	char bytes[8];
	pgwire_put64(bytes, v);
	sql_array_add(a, bytes, sizeof bytes);
}

void sql_array(struct sql_params *p, struct sql_array *a)
{
	static const struct {
		enum pgwire_type element, array;
	} types[] = {
		[SQL_BYTES] = { PGWIRE_BYTES, PGWIRE_BYTES_ARRAY },
		[SQL_TEXT] = { PGWIRE_TEXT, PGWIRE_TEXT_ARRAY },
		[SQL_INT8] = { PGWIRE_INT8, PGWIRE_INT8_ARRAY },
	};
	char *head = a->body.at;
	/* Callers limit their arrays, usually to a quarter of
	 * ARRAY_BYTES_MAX. */
	assert(!a->body.full);
	pgwire_put32(head, a->n ? 1 : 0);
	pgwire_put32(head + 4, 1);
	pgwire_put32(head + 8, (int32_t)types[a->type].element);
	pgwire_put32(head + 12, (int32_t)a->n);
	pgwire_put32(head + 16, 1);
	sql_param(p, types[a->type].array, head, a->n ? a->body.len : 12, 1);
}

void sql_array_release(struct sql_array *a)
{
	buf_release(&a->body);
}

void sql_int8s(struct sql_params *p, struct sql_array *a, const int64_t *v,
	uint32_t n)
{
	sql_array_init(a, SQL_INT8);
	for (uint32_t i = 0; i < n; i++)
		sql_array_int8(a, v[i]);
	sql_array(p, a);
}

static bool sql_answer(struct db *db, PGresult *res, struct result *r,
	int64_t *changed, struct err *e)
{
	ExecStatusType s = PQresultStatus(res);
	bool ok = s == PGRES_TUPLES_OK || s == PGRES_COMMAND_OK;
	if (!ok)
		db_fail(db, res, e);
	if (ok && changed)
		*changed = strtoll(PQcmdTuples(res), NULL, 10);
	if (ok && r)
		*r = (struct result){ .res = res,
			.n = PQntuples(res),
			.at = -1 };
	else
		PQclear(res);
	return ok;
}

static PGresult *sql_exec(struct db *db, const char *sql,
	const struct sql_params *p)
{
	static const struct sql_params none;
	if (!p)
		p = &none;
	return PQexecParams(db->pg, sql, p->n, p->types, p->values, p->lengths,
		p->formats, 1);
}

bool sql_run(struct db *db, const char *sql, const struct sql_params *p,
	struct result *r, struct err *e)
{
	return sql_answer(db, sql_exec(db, sql, p), r, NULL, e);
}

void *sql_page(struct db *db, const char *sql, const struct sql_params *p,
	int64_t limit, sql_row *read, size_t size, struct arena *a, uint32_t *n,
	bool *more, struct err *e)
{
	struct result r;
	if (!sql_run(db, sql, p, &r, e))
		return NULL;
	*more = r.n > limit;
	*n = (uint32_t)(*more ? limit : r.n);
	char *rows = arena_alloc(a, *n, size);
	for (uint32_t i = 0; i < *n && result_next(&r); i++)
		read(&r, a, rows + i * size);
	result_release(&r);
	return rows;
}

bool sql_one(struct db *db, const char *sql, const struct sql_params *p,
	sql_row *read, struct arena *a, void *row, bool *there, struct err *e)
{
	struct result r;
	if (!sql_hot(db, sql, p, &r, e))
		return false;
	*there = result_next(&r);
	if (*there)
		read(&r, a, row);
	result_release(&r);
	return true;
}

bool sql_count(struct db *db, const char *sql, const struct sql_params *p,
	int64_t *n, struct err *e)
{
	struct result r;
	if (!sql_run(db, sql, p, &r, e))
		return false;
	*n = result_next(&r) ? result_int8(&r, 0) : 0;
	result_release(&r);
	return true;
}

bool sql_change(struct db *db, const char *sql, const struct sql_params *p,
	int64_t *changed, struct err *e)
{
	return sql_answer(db, sql_exec(db, sql, p), NULL, changed, e);
}

/* The number of the prepared statement with this text, which is prepared first
 * if necessary; -1 on failure. */
static int sql_prepare(struct db *db, const char *sql,
	const struct sql_params *p, struct err *e)
{
	int i = 0;
	while (i < db->prepared_n && db->prepared[i] != sql)
		i++;
	if (i < db->prepared_n)
		return i;
	char name[16];
	snprintf(name, sizeof name, "hot%d", i);
	PGresult *res = PQprepare(db->pg, name, sql, p->n, p->types);
	if (!sql_answer(db, res, NULL, NULL, e))
		return -1;
	db->prepared[db->prepared_n++] = sql;
	return i;
}

bool sql_hot(struct db *db, const char *sql, const struct sql_params *p,
	struct result *r, struct err *e)
{
	if (db->prepared_n == PREPARED_MAX)
		return sql_run(db, sql, p, r, e);
	int i = sql_prepare(db, sql, p, e);
	if (i < 0)
		return false;
	char name[16];
	snprintf(name, sizeof name, "hot%d", i);
	PGresult *res = PQexecPrepared(db->pg, name, p->n, p->values,
		p->lengths, p->formats, 1);
	return sql_answer(db, res, r, NULL, e);
}

bool sql_script(struct db *db, const char *text, struct err *e)
{
	return sql_answer(db, PQexec(db->pg, text), NULL, NULL, e);
}

/* After a serialization failure, a deadlock or a unique key, another try may
 * succeed. */
static bool sql_lost_race(const struct db *db)
{
	static const char *const states[] = { "40001", "40P01", "23505" };
	for (size_t i = 0; i < sizeof states / sizeof *states; i++)
		if (!strcmp(db->sqlstate, states[i]))
			return true;
	return false;
}

static bool sql_attempt(struct db *db,
	bool (*work)(struct db *db, void *arg, struct err *e), void *arg,
	struct err *e)
{
	db->sqlstate[0] = '\0';
	if (!sql_script(db, "BEGIN", e))
		return false;
	if (work(db, arg, e) && sql_script(db, "COMMIT", e))
		return true;
	if (PQtransactionStatus(db->pg) != PQTRANS_IDLE) {
		/* The caller needs the error of the work, not of the
		 * rollback. */
		PGresult *res = PQexec(db->pg, "ROLLBACK");
		PQclear(res);
	}
	return false;
}

/* Waits a time that varies by the clock and grows with each try, so that
 * competitors do not collide again. */
static void sql_back_off(int tries)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	t = (struct timespec){ .tv_nsec = (t.tv_nsec / 1000 % 1000 + 1) *
					  1000L * (tries + 1) };
	nanosleep(&t, NULL);
}

bool sql_transaction(struct db *db,
	bool (*work)(struct db *db, void *arg, struct err *e), void *arg,
	struct err *e)
{
	enum { TRIES = 20 };
	for (int tries = 1;; tries++) {
		struct err why = { 0 };
		if (sql_attempt(db, work, arg, &why))
			return true;
		if (!sql_lost_race(db) || tries == TRIES)
			return err_set(e, why.code, "%s", why.text);
		sql_back_off(tries);
	}
}

/* The number of ids in an array parameter does not change the plan, so the
 * generic plan is used, which saves planning. */
bool sql_snapshot(struct db *db, struct err *e)
{
	return sql_script(db,
		"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY;"
		"SET LOCAL plan_cache_mode = force_generic_plan",
		e);
}
