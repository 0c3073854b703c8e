/* run_change.c - what people do to a run: say something of it, delete it. */
#include "derived.h"
#include "job.h"
#include "learned_graph.h"
#include "query.h"
#include "rollup_delta.h"
#include "run_change.h"
#include "text_validate.h"
#include "sql.h"

struct change {
	int64_t id;
	const struct run_change *to;
};

static bool no_run(int64_t id, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "no run %lld", (long long)id);
}

/* In the identity, which lasts, and in the row that answers lists. */
static bool change(struct db *db, void *arg, struct err *e)
{
	const struct change *c = arg;
	struct sql_params p = { 0 };
	int64_t n;
	sql_int8(&p, c->id);
	sql_text(&p, c->to->name);
	sql_text(&p, c->to->project);
	sql_text(&p, c->to->workload);
	sql_json(&p, c->to->labels);
#define SAID                                  \
	"SET name = coalesce($2, name), "     \
	"project = coalesce($3, project), "   \
	"workload = coalesce($4, workload), " \
	"labels = coalesce($5, labels)"
	static const char identity[] =
		"UPDATE run_identity " SAID " WHERE id = $1";
	static const char row[] =
		"UPDATE run r " SAID ", job_id = CASE "
		"WHEN $3 IS NULL OR r.job_id IS NULL THEN r.job_id "
		"ELSE (SELECT " JOB_OF("u",
			"$3") " FROM upload u "
			      "WHERE u.id = r.upload_id) END WHERE run_id = $1";
	bool moved = c->to->project || c->to->workload;
	struct arena a = { 0 };
	struct rollup_run sums;
	bool summed = false;
	/* The identity's lock keeps a rebuild from coming between. */
	bool ok = sql_change(db, identity, &p, &n, e) &&
		  (!c->to->project ||
			  job_make_moved(db, c->id, c->to->project, e)) &&
		  (!moved || rollup_read(db, &a, c->id, &sums, &summed, e)) &&
		  (!summed || rollup_post(db, &sums, -1, e)) &&
		  sql_change(db, row, &p, &n, e) &&
		  (!summed || rollup_post(db, &sums, 1, e));
	arena_release(&a);
	return ok && (n || no_run(c->id, e));
}

bool run_change(struct db *db, int64_t id, const struct run_change *to,
	struct err *e)
{
	struct change c = { id, to };
	if ((to->name && !said_check("name", to->name, e)) ||
		(to->project && !said_check("project", to->project, e)) ||
		(to->workload && !said_check("workload", to->workload, e)))
		return false;
	return sql_transaction(db, change, &c, e);
}

struct deletion {
	int64_t id;
	bool idle; /* only if nobody works on it, nor wants it kept */
	bool gone;
};

/* The upload is held first, as a save holds it, so that of two deletions the
 * second sees what the first left. What is asked of the run is asked of what is
 * there once it is held. */
static bool delete_run(struct db *db, void *arg, struct err *e)
{
	struct deletion *d = arg;
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
		return d->idle || no_run(d->id, e);
	d->gone = true;
	/* The last run of an upload takes its identity along: the same bytes
	 * may come again. */
	return derived_clear(db, d->id, e) && own_graphs_forget(db, d->id, e) &&
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
	struct deletion d = { .id = id };
	return sql_transaction(db, delete_run, &d, e);
}

/* Nobody waits for it, and a large run may take longer than answers may. */
static bool forget(struct db *db, void *arg, struct err *e)
{
	return sql_run(db, "SET LOCAL statement_timeout = 0", NULL, NULL, e) &&
	       delete_run(db, arg, e);
}

bool run_forget(struct db *db, int64_t id, bool *gone, struct err *e)
{
	struct deletion d = { .id = id, .idle = true };
	bool ok = sql_transaction(db, forget, &d, e);
	*gone = ok && d.gone;
	return ok;
}
