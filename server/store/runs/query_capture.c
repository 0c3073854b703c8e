/* query_capture.c - a run's .kst, piece by piece. */
#include "query.h"
#include "sql.h"
#include <assert.h>

/* One row, always: the piece, the transaction that wrote the first one (and
 * so all of them; NULL where there is none), whether the run is there. */
static const char sql[] = "SELECT (SELECT bytes FROM run_capture "
			  "WHERE run_id = $1 AND seq = $2), "
			  "(SELECT xmin::text::bigint FROM run_capture "
			  "WHERE run_id = $1 AND seq = 0), "
			  "EXISTS (SELECT FROM run WHERE run_id = $1)";

static bool none(int64_t run, bool there, struct err *e)
{
	if (!there)
		return err_set(e, ERR_NOT_FOUND, "no run %lld", (long long)run);
	return err_set(e, ERR_NOT_FOUND,
		"run %lld has no capture: it was made by an earlier version; "
		"'kernsiftd rebuild' stores one",
		(long long)run);
}

bool query_capture(struct db *db, int64_t run, int32_t seq, int64_t *edition,
	void *to, size_t *len, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	bool ok = true;
	sql_int8(&p, run);
	sql_int4(&p, seq);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	result_next(&r);
	*len = 0;
	const void *bytes = result_bytes(&r, len);
	int64_t written_by = result_int8(&r, 0);
	if (!written_by)
		ok = none(run, result_bool(&r), e);
	else if (*edition && *edition != written_by)
		ok = err_set(e, ERR_CONFLICT,
			"the capture of run %lld was made anew meanwhile; "
			"fetch it again",
			(long long)run);
	else
		*edition = written_by;
	assert(*len <= CAPTURE_PIECE);
	if (ok && bytes)
		memcpy(to, bytes, *len);
	result_release(&r);
	return ok;
}
