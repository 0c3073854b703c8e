/* upload_finish.c - all bytes are in: is this upload new? */
#include "upload.h"
#include "requeue.h"
#include "sql.h"
#include "upload_drop.h"
#include <assert.h>

struct finish {
	int64_t id, bytes;
	const uint8_t *sha256;
	struct upload_outcome *out;
	bool dropped; /* the earlier one's bytes */
};

/* sha256 of all that makes two uploads the same. jsonb has one text for equal
 * objects. */
#define IDENTITY                                            \
	"sha256($2::bytea || convert_to(jsonb_build_array(" \
	"u.project, u.workload, u.name, u.labels)::text, 'UTF8'))"

/* Takes hold of the upload; refuses one that is not as its sender thinks. */
static bool hold(struct db *db, const struct finish *f, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, f->id);
	if (!sql_run(db,
		    "SELECT bytes FROM upload "
		    "WHERE id = $1 AND state = 'receiving' "
		    "FOR UPDATE",
		    &p, &r, e))
		return false;
	bool there = result_next(&r);
	int64_t bytes = there ? result_int8(&r, 0) : 0;
	result_release(&r);
	if (!there)
		return err_set(e, ERR_CONFLICT,
			"upload %lld is no longer being received",
			(long long)f->id);
	return bytes == f->bytes ||
	       err_set(e, ERR_CONFLICT,
		       "upload %lld holds %lld bytes, not the %lld sent",
		       (long long)f->id, (long long)bytes, (long long)f->bytes);
}

static void key(struct sql_params *p, const struct finish *f)
{
	sql_int8(p, f->id);
	sql_bytes(p, f->sha256, SHA256_BYTES);
}

/* The same upload, if it was there before; held until the end. */
static bool earlier(struct db *db, struct finish *f, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	struct arena a = { 0 };
	key(&p, f);
	if (!sql_run(db,
		    "SELECT o.id, o.state, o.dropped_at IS NOT NULL "
		    "FROM upload u JOIN upload o ON o.identity = " IDENTITY
		    " WHERE u.id = $1 "
		    "FOR UPDATE OF o",
		    &p, &r, e))
		return false;
	*f->out = (struct upload_outcome){ .id = f->id, .state = "queued" };
	if (result_next(&r)) {
		f->out->existing = true;
		f->out->id = result_int8(&r, 0);
		snprintf(f->out->state, sizeof f->out->state, "%s",
			result_text(&r, &a));
		f->dropped = result_bool(&r);
	}
	arena_release(&a);
	result_release(&r);
	return true;
}

static bool queue(struct db *db, const struct finish *f, struct err *e)
{
	struct sql_params p = { 0 };
	key(&p, f);
	return sql_run(db,
		"UPDATE upload u "
		"SET state = 'queued', sha256 = $2, identity = " IDENTITY ", "
		"received_at = now(), queued_at = now() "
		"WHERE id = $1",
		&p, NULL, e);
}

/* The earlier one has its bytes again, and is as old as they are; this one has
 * none left. Chunks may be cut elsewhere than they were. */
static bool hand_over(struct db *db, const struct finish *f, struct err *e)
{
	static const char *const steps[] = {
		"DELETE FROM upload_chunk WHERE upload_id = $2 AND $1 > 0",
		"UPDATE upload_chunk SET upload_id = $2 WHERE upload_id = $1",
		"UPDATE upload o SET dropped_at = NULL, received_at = now(), "
		"chunks = u.chunks, bytes = u.bytes "
		"FROM upload u WHERE u.id = $1 AND o.id = $2",
		("UPDATE upload SET chunks = 0, bytes = 0 "
		 "WHERE id = $1 AND $2 > 0"),
	};
	bool ok = true;
	for (size_t i = 0; ok && i < sizeof steps / sizeof *steps; i++) {
		struct sql_params p = { 0 };
		sql_int8(&p, f->id);
		sql_int8(&p, f->out->id);
		ok = sql_run(db, steps[i], &p, NULL, e);
	}
	return ok;
}

/* Gives way to the earlier one, which gets another chance if it failed. From
 * here on this one is only there to be swept. */
static bool yield(struct db *db, const struct finish *f, struct err *e)
{
	struct sql_params p = { 0 };
	int64_t n = 0;
	if (f->dropped && !hand_over(db, f, e))
		return false;
	if (!strcmp(f->out->state, "failed")) {
		if (!requeue_failed(db, f->out->id, &n, e))
			return false;
		assert(n == 1);
		snprintf(f->out->state, sizeof f->out->state, "queued");
	}
	sql_int8(&p, f->id);
	return sql_run(db,
		"UPDATE upload SET touched_at = '-infinity' WHERE id = $1", &p,
		NULL, e);
}

/* Two of the same that finish at once both find nothing; the one that comes
 * second to the unique identity is told so, and looks again. */
static bool finish(struct db *db, void *arg, struct err *e)
{
	struct finish *f = arg;
	return hold(db, f, e) && earlier(db, f, e) &&
	       (f->out->existing ? yield(db, f, e) : queue(db, f, e));
}

bool upload_finish(struct db *db, int64_t id,
	const uint8_t sha256[SHA256_BYTES], int64_t bytes,
	struct upload_outcome *out, struct err *e)
{
	struct finish f = { id, bytes, sha256, out, false };
	struct err lost = { 0 };
	if (!sql_transaction(db, finish, &f, e))
		return false;
	/* Where this fails, a sweep does it. */
	if (out->existing)
		upload_drop_some(db, id, &lost);
	return true;
}
