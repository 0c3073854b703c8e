/* upload.c - bytes come in: begun, written chunk by chunk, swept. */
#include "upload.h"
#include "drop.h"
#include "said.h"
#include "sql.h"

/* Neither its commit nor a chunk's waits for the disk: an upload is accepted by
 * upload_finish(), whose commit does, and comes later in the same log. */
static const char begin_sql[] =
	"INSERT INTO upload (project, workload, name, job, labels, "
	"file_name, gpu_hours) "
	"SELECT $1, $2, $3, $4, $5, $6, $7 "
	"WHERE set_config('synchronous_commit', 'off', true) IS NOT NULL "
	"RETURNING id";

bool upload_begin(struct db *db, const struct upload_meta *m, int64_t *id,
	struct err *e)
{
	if (!said_check("project", m->project, e) ||
		!said_check("workload", m->workload, e) ||
		!said_check("name", m->name, e) ||
		!said_check("job", m->job, e) ||
		!said_check("file", m->file_name, e))
		return false;
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, m->project);
	sql_text(&p, m->workload);
	sql_text(&p, m->name);
	sql_text(&p, m->job);
	sql_json(&p, m->labels);
	sql_text(&p, m->file_name);
	sql_float8(&p, m->gpu_hours);
	if (!sql_run(db, begin_sql, &p, &r, e))
		return false;
	result_next(&r);
	*id = result_int8(&r, 0);
	result_release(&r);
	return true;
}

/* One statement, so one round trip and one transaction a chunk. */
static const char chunk_sql[] =
	"WITH u AS ("
	"UPDATE upload "
	"SET chunks = chunks + 1, bytes = bytes + octet_length($3), "
	"touched_at = now() "
	"WHERE id = $1 AND state = 'receiving' AND chunks = $2 "
	"AND set_config('synchronous_commit', 'off', true) IS NOT NULL "
	"RETURNING id) "
	"INSERT INTO upload_chunk (upload_id, seq, bytes) "
	"SELECT id, $2, $3 FROM u "
	"RETURNING true";

bool upload_chunk(struct db *db, int64_t id, int32_t seq, const void *bytes,
	size_t len, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, id);
	sql_int4(&p, seq);
	sql_bytes(&p, bytes, len);
	if (!sql_hot(db, chunk_sql, &p, &r, e))
		return false;
	bool written = result_next(&r);
	result_release(&r);
	return written ||
	       err_set(e, ERR_CONFLICT,
		       "upload %lld does not take chunk %d: it is no longer "
		       "being received, or an earlier chunk is missing",
		       (long long)id, seq);
}

struct drop {
	int64_t id;
	int idle_s; /* 0: whether idle or not */
	bool dropped;
};

/* Two statements, since the second must see a chunk that was being written
 * while the first waited for it. */
static bool drop(struct db *db, void *arg, struct err *e)
{
	struct drop *d = arg;
	struct sql_params p = { 0 };
	int64_t n;
	sql_int8(&p, d->id);
	sql_int4(&p, d->idle_s);
	if (!sql_change(db,
		    "DELETE FROM upload "
		    "WHERE id = $1 AND state = 'receiving' AND ($2 = 0 "
		    "OR touched_at < now() - make_interval(secs => $2))",
		    &p, &n, e))
		return false;
	d->dropped = n == 1;
	return !d->dropped || drop_chunks(db, d->id, e);
}

bool upload_abort(struct db *db, int64_t id, struct err *e)
{
	return sql_transaction(db, drop, &(struct drop){ .id = id }, e);
}

bool upload_sweep(struct db *db, int idle_s, int64_t *swept, struct err *e)
{
	struct arena a = { 0 };
	struct sql_params p = { 0 };
	struct result r;
	*swept = 0;
	sql_int4(&p, idle_s);
	if (!sql_run(db,
		    "SELECT ARRAY(SELECT id FROM upload "
		    "WHERE state = 'receiving' "
		    "AND touched_at < now() - make_interval(secs => $1))",
		    &p, &r, e))
		return false;
	uint32_t n;
	result_next(&r);
	const int64_t *ids = result_int8s(&r, &a, &n);
	result_release(&r);

	/* One that cannot be dropped does not keep the others. */
	bool all = true;
	for (uint32_t i = 0; i < n; i++) {
		struct err why = { 0 };
		struct drop d = { .id = ids[i], .idle_s = idle_s };
		bool ok = sql_transaction(db, drop, &d, &why);
		*swept += ok && d.dropped;
		if (!ok)
			all = err_set(e, why.code, "%s", why.text);
	}
	arena_release(&a);
	return all;
}
