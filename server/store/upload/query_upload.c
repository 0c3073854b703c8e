/* query_upload.c - uploads as people see them, and the length of the queue. */
#include "query.h"
#include "sha256.h"
#include "sql.h"
#include "upload.h"

#define COLUMNS                                                      \
	"SELECT id, state, project, workload, name, job, "           \
	"labels::text, file_name, gpu_hours, bytes, sha256, tries, " \
	"stage, done_bytes, error, created_at, received_at, "        \
	"finished_at, dropped_at, runs "                             \
	"FROM upload_line "

static const char *hex(struct result *r, struct arena *a)
{
	size_t len;
	const void *bytes = result_bytes(r, &len);
	if (!bytes)
		return NULL;
	char *text = arena_alloc(a, SHA256_HEX, 1);
	sha256_hex(bytes, text);
	return text;
}

static void read_row(struct result *r, struct arena *a, struct upload_row *u)
{
	u->id = result_int8(r, 0);
	u->state = result_text(r, a);
	u->project = result_text(r, a);
	u->workload = result_text(r, a);
	u->name = result_text(r, a);
	u->job = result_text(r, a);
	u->labels = result_text(r, a);
	u->file_name = result_text(r, a);
	u->gpu_hours = result_float8(r, NAN);
	u->bytes = result_int8(r, 0);
	u->sha256 = hex(r, a);
	u->tries = result_int4(r, 0);
	u->stage = result_text(r, a);
	u->done_bytes = result_int8(r, 0);
	u->error = result_text(r, a);
	u->created = result_moment(r);
	u->received = result_moment(r);
	u->finished = result_moment(r);
	u->dropped = result_moment(r);
	u->runs = result_int8s(r, a, &u->runs_n);
}

bool query_uploads(struct db *db, struct arena *a,
	const struct upload_filter *f, struct upload_row **rows, uint32_t *n,
	bool *more, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, f->state);
	sql_int8(&p, f->after);
	sql_int8(&p, f->limit + INT64_C(1));
	sql_text(&p, f->project);
	if (!sql_run(db,
		    COLUMNS "WHERE ($1 IS NULL OR state = $1) "
			    "AND ($2 = 0 OR id < $2) "
			    "AND ($4 IS NULL OR project = $4) "
			    "ORDER BY id DESC "
			    "LIMIT $3",
		    &p, &r, e))
		return false;
	*more = r.n > f->limit;
	*n = (uint32_t)(*more ? f->limit : r.n);
	*rows = arena_array(a, struct upload_row, *n);
	for (uint32_t i = 0; i < *n && result_next(&r); i++)
		read_row(&r, a, &(*rows)[i]);
	result_release(&r);
	return true;
}

bool query_upload(struct db *db, struct arena *a, int64_t id,
	struct upload_row *row, struct err *e)
{
	static const char sql[] = COLUMNS "WHERE id = $1";
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, id);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	bool there = result_next(&r);
	if (there)
		read_row(&r, a, row);
	result_release(&r);
	return there ||
	       err_set(e, ERR_NOT_FOUND, "no upload %lld", (long long)id);
}

static const char queue_sql[] =
	"SELECT (SELECT count(*) FROM upload WHERE state = 'receiving'),"
	" (SELECT count(*) FROM upload WHERE state = 'queued'),"
	" (SELECT count(*) FROM upload WHERE state = 'working'),"
	" (SELECT count(*) FROM upload WHERE state = 'failed'),"
	" (SELECT count(*) FROM upload WHERE state = 'done'),"
	" (SELECT extract(epoch FROM now() - min(queued_at))"
	" FROM upload WHERE state = 'queued')::float8";

bool upload_queue(struct db *db, struct upload_queue *q, struct err *e)
{
	struct result r;
	if (!sql_run(db, queue_sql, NULL, &r, e))
		return false;
	result_next(&r);
	q->receiving = result_int8(&r, 0);
	q->queued = result_int8(&r, 0);
	q->working = result_int8(&r, 0);
	q->failed = result_int8(&r, 0);
	q->done = result_int8(&r, 0);
	/* A clock set back makes nothing younger than now. */
	double age = result_float8(&r, 0);
	q->oldest_queued_s = age > 0 ? age : 0;
	result_release(&r);
	return true;
}
