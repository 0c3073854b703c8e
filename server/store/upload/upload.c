/* upload.c - bytes come in: begun, written chunk by chunk. */
#include "upload.h"
#include "text_validate.h"
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
	if (m->gpu_hours > UPLOAD_HOURS_MAX)
		return err_set(e, ERR_INPUT,
			"gpu_hours is %.3g; an upload stands for "
			"1,000,000,000 at most",
			m->gpu_hours);
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
