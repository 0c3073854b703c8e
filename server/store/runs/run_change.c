/* run_change.c - users edit and delete a run; retention deletes it. */
#include "run_change.h"
#include "derived.h"
#include "job.h"
#include "learned_graph.h"
#include "rollup_delta.h"
#include "sql.h"
#include "text_validate.h"

struct run_change_request {
	int64_t id;
	const struct run_change *to;
};

static bool run_not_found(int64_t id, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "no run %lld", (long long)id);
}

#define RUN_EDIT                              \
	"SET name = coalesce($2, name), "     \
	"project = coalesce($3, project), "   \
	"workload = coalesce($4, workload), " \
	"labels = coalesce($5, labels)"
#define JOB_IN_PROJECT JOB_OF("u", "$3")

/* Rejects the change if another one came first. The caller has the lock on the
 * identity, so no other change can follow before this one is complete. */
static bool run_change_expected(struct db *db, int64_t id,
	const struct run_change *expected, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, id);
	sql_text(&p, expected->name);
	sql_text(&p, expected->project);
	sql_text(&p, expected->workload);
	sql_json(&p, expected->labels);
	if (!sql_run(db,
		    "SELECT (name = coalesce($2, name) "
		    "AND project = coalesce($3, project) "
		    "AND workload = coalesce($4, workload) "
		    "AND labels = coalesce($5, labels)) "
		    "FROM run WHERE run_id = $1",
		    &p, &r, e))
		return false;
	bool there = result_next(&r);
	bool same = there && result_bool(&r);
	result_release(&r);
	if (!there)
		return run_not_found(id, e);
	return same || err_set(e, ERR_CONFLICT,
			       "run %lld was changed in the meantime; "
			       "load it again and repeat the change",
			       (long long)id);
}

/* Changes the identity, which stays when the run is computed again, and the
 * row. */
static bool run_change_work(struct db *db, void *arg, struct err *e)
{
	const struct run_change_request *c = arg;
	struct sql_params p = { 0 };
	int64_t n;
	sql_int8(&p, c->id);
	sql_text(&p, c->to->name);
	sql_text(&p, c->to->project);
	sql_text(&p, c->to->workload);
	sql_json(&p, c->to->labels);
	static const char identity[] =
		"UPDATE run_identity " RUN_EDIT " WHERE id = $1";
	static const char row[] =
		"UPDATE run r " RUN_EDIT ", job_id = CASE "
		"WHEN $3 IS NULL OR r.job_id IS NULL THEN r.job_id "
		"ELSE (SELECT " JOB_IN_PROJECT " FROM upload u "
		"WHERE u.id = r.upload_id) END "
		"WHERE run_id = $1";
	bool moved = c->to->project || c->to->workload;
	struct arena a = { 0 };
	struct rollup_run sums;
	bool summed = false;
	/* The lock on the identity blocks a save until the transaction ends. */
	bool ok = sql_change(db, identity, &p, &n, e) &&
		  (!c->to->expected ||
			  run_change_expected(db, c->id, c->to->expected, e)) &&
		  (!c->to->project ||
			  job_make_moved(db, c->id, c->to->project, e)) &&
		  (!moved || rollup_delta_read(db, &a, c->id, &sums, &summed,
				     e)) &&
		  (!summed || rollup_delta_add(db, &sums, -1, e)) &&
		  sql_change(db, row, &p, &n, e) &&
		  (!summed || rollup_delta_add(db, &sums, 1, e));
	arena_release(&a);
	return ok && (n || run_not_found(c->id, e));
}

bool run_change(struct db *db, int64_t id, const struct run_change *to,
	struct err *e)
{
	struct run_change_request c = { id, to };
	if ((to->name && !text_validate("name", to->name, e)) ||
		(to->project && !text_validate("project", to->project, e)) ||
		(to->workload && !text_validate("workload", to->workload, e)))
		return false;
	return sql_transaction(db, run_change_work, &c, e);
}

struct run_deletion {
	int64_t id;
	/* only if no worker has it and it lacks the label keep=true */
	bool idle;
	bool gone;
};

/* Locks the upload first, as save() does, so that the second of two deletions
 * sees the result of the first. The conditions are tested once the lock is
 * held. */
static bool run_delete_work(struct db *db, void *arg, struct err *e)
{
	struct run_deletion *d = arg;
	struct sql_params p = { 0 }, q = { 0 };
	int64_t n = 0;
	sql_int8(&p, d->id);
	sql_int8(&q, d->id);
	sql_bool(&q, d->idle);
	d->gone = false;
	if (!sql_change(db,
		    "SELECT FROM upload u "
		    "JOIN run r ON r.upload_id = u.id "
		    "WHERE r.run_id = $1 "
		    "AND (NOT $2 OR u.state IN ('done', 'failed')) "
		    "FOR UPDATE OF u",
		    &q, &n, e))
		return false;
	if (n && !sql_change(db,
			 "UPDATE run_identity "
			 "SET deleted_at = now() "
			 "WHERE id = $1 AND deleted_at IS NULL "
			 "AND NOT ($2 AND labels @> '{\"keep\": \"true\"}')",
			 &q, &n, e))
		return false;
	if (!n)
		return d->idle || run_not_found(d->id, e);
	d->gone = true;
	/* With its last run, the upload loses its identity, so that the same
	 * bytes can be uploaded again. */
	return derived_clear(db, d->id, e) &&
	       learned_graph_forget(db, d->id, e) &&
	       sql_run(db, "DELETE FROM kernel_profile_file WHERE run_id = $1",
		       &p, NULL, e) &&
	       sql_run(db, "DELETE FROM measure WHERE run_id = $1", &p, NULL,
		       e) &&
	       sql_run(db,
		       "UPDATE upload u "
		       "SET identity = NULL "
		       "WHERE id = (SELECT upload_id FROM run_identity "
		       "WHERE id = $1) AND NOT EXISTS (SELECT FROM run r "
		       "WHERE r.upload_id = u.id)",
		       &p, NULL, e);
}

bool run_delete(struct db *db, int64_t id, struct err *e)
{
	struct run_deletion d = { .id = id };
	return sql_transaction(db, run_delete_work, &d, e);
}

/* No request waits for this, and a large run may take longer than the statement
 * timeout. */
static bool run_expire_work(struct db *db, void *arg, struct err *e)
{
	return sql_run(db, "SET LOCAL statement_timeout = 0", NULL, NULL, e) &&
	       run_delete_work(db, arg, e);
}

bool run_expire(struct db *db, int64_t id, bool *gone, struct err *e)
{
	struct run_deletion d = { .id = id, .idle = true };
	bool ok = sql_transaction(db, run_expire_work, &d, e);
	*gone = ok && d.gone;
	return ok;
}
