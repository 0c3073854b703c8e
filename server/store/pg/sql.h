/* sql.h - statements and their parameters.
 *
 * Every statement has parameters; values never become part of its text.
 *
 *   struct sql_params p = { 0 };
 *   struct result r;
 *   sql_int8(&p, id);
 *   if (!sql_run(db, "SELECT name FROM run WHERE run_id = $1", &p, &r, e))
 *           return false;
 *
 * Parameters and results are sent in binary. A struct sql_params contains
 * pointers into itself, so fill it in place and do not copy it. */
#pragma once
#include "buf.h"
#include "db.h"
#include "result.h"
#include <math.h>

enum { SQL_PARAMS = 48 };

struct sql_params {
	int n;
	unsigned types[SQL_PARAMS];
	const char *values[SQL_PARAMS];
	int lengths[SQL_PARAMS], formats[SQL_PARAMS];
	char room[SQL_PARAMS][8];
};

/* Pointers must stay valid until the statement has run. */
void sql_bool(struct sql_params *p, bool v);
void sql_int4(struct sql_params *p, int32_t v);
void sql_int8(struct sql_params *p, int64_t v);
void sql_float8(struct sql_params *p, double v); /* NAN: NULL */
void sql_text(struct sql_params *p, const char *s); /* NULL: NULL */
/* The pattern for LIKE of texts in lower case that contain `part`, in which the
 * case of ASCII letters is ignored. NULL if it is NULL or shorter than the three
 * bytes by which pg_trgm finds texts. The pattern is in `a`. */
void sql_like(struct sql_params *p, struct arena *a, const char *part);
void sql_json(struct sql_params *p, const char *s); /* NULL: NULL */
void sql_bytes(struct sql_params *p, const void *bytes, size_t len);
void sql_moment(struct sql_params *p, int64_t us); /* NO_MOMENT: NULL */
/* NULL if v is -1, the models' "unknown". */
void sql_int4_known(struct sql_params *p, int32_t v);
void sql_int8_known(struct sql_params *p, int64_t v);

/* An array parameter, filled element by element. A NULL element has the length
 * SQL_NULL. */
enum sql_element { SQL_BYTES, SQL_TEXT, SQL_INT8 };
enum { SQL_NULL = -1 };
struct sql_array {
	enum sql_element type;
	struct buf body;
	uint32_t n;
};
void sql_array_init(struct sql_array *a, enum sql_element type);
void sql_array_add(struct sql_array *a, const void *bytes, int64_t len);
void sql_array_text(struct sql_array *a, const char *s); /* NULL: NULL */
void sql_array_int8(struct sql_array *a, int64_t v);
/* Ends the array and adds it as a parameter; several statements may use it. */
void sql_array(struct sql_params *p, struct sql_array *a);
void sql_array_release(struct sql_array *a);
/* Fills an array with numbers, such as ids of runs, and adds it as a parameter. */
void sql_int8s(struct sql_params *p, struct sql_array *a, const int64_t *v,
	uint32_t n);

/* Runs one statement. `p` may be NULL (no parameters). `r` may be NULL (rows
 * are not needed); otherwise the caller releases it after success. */
bool sql_run(struct db *db, const char *sql, const struct sql_params *p,
	struct result *r, struct err *e);
/* As sql_run(), for a statement that runs often: it is planned once per
 * connection and recognized by the address of its text. */
bool sql_hot(struct db *db, const char *sql, const struct sql_params *p,
	struct result *r, struct err *e);
/* Reads rows into the arena, each of `size` bytes. The statement selects one
 * row more than `limit`; *more: whether it returned that row. NULL if it
 * failed. */
typedef void sql_row(struct result *r, struct arena *a, void *row);
void *sql_page(struct db *db, const char *sql, const struct sql_params *p,
	int64_t limit, sql_row *read, size_t size, struct arena *a, uint32_t *n,
	bool *more, struct err *e);
/* Reads the row of a statement that runs often; *there: whether there is one. */
bool sql_one(struct db *db, const char *sql, const struct sql_params *p,
	sql_row *read, struct arena *a, void *row, bool *there, struct err *e);
/* The statement for sql_count() that counts the rows of "FROM … WHERE …", at
 * most DB_COUNTED_MAX + 1. */
#define SQL_COUNT_LIMIT(max) " LIMIT " #max " + 1"
#define SQL_COUNT_UP_TO(rows, max) \
	"SELECT count(*) FROM (SELECT " rows SQL_COUNT_LIMIT(max) ") AS counted"
#define SQL_COUNT(rows) SQL_COUNT_UP_TO(rows, DB_COUNTED_MAX)
/* *n: the number that the statement returns in its only row. */
bool sql_count(struct db *db, const char *sql, const struct sql_params *p,
	int64_t *n, struct err *e);
/* *changed: the number of rows that the statement changed. */
bool sql_change(struct db *db, const char *sql, const struct sql_params *p,
	int64_t *changed, struct err *e);
/* Runs several statements without parameters. */
bool sql_script(struct db *db, const char *text, struct err *e);

/* Runs BEGIN, work, COMMIT; rolls back if work or commit fails. If the reason
 * is a race (a deadlock, a serialization failure, a unique key that another
 * transaction inserted first), runs all of it again, at most 20 times. */
bool sql_transaction(struct db *db,
	bool (*work)(struct db *db, void *arg, struct err *e), void *arg,
	struct err *e);

/* Call this first in a transaction: all its reads then use one snapshot. */
bool sql_snapshot(struct db *db, struct err *e);
