/* run_change.c - what people do to a run: say something of it, delete it. */
#include "derived.h"
#include "query.h"
#include "said.h"
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
	"labels = coalesce($5, labels) "
	if (!sql_change(db, "UPDATE run_identity " SAID "WHERE id = $1", &p, &n,
		    e) ||
		!sql_change(db, "UPDATE run " SAID "WHERE run_id = $1", &p, &n,
			e))
		return false;
	return n || no_run(c->id, e);
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

/* The upload is held first, as a save holds it, so that of two deletions the
 * second sees what the first left. */
static bool delete_run(struct db *db, void *arg, struct err *e)
{
	const int64_t *id = arg;
	struct sql_params p = { 0 };
	int64_t n = 0;
	sql_int8(&p, *id);
	if (!sql_change(db,
		    "SELECT FROM upload u "
		    "JOIN run r ON r.upload_id = u.id "
		    "WHERE r.run_id = $1 "
		    "FOR UPDATE OF u",
		    &p, &n, e))
		return false;
	if (n && !sql_change(db,
			 "UPDATE run_identity "
			 "SET deleted_at = now() "
			 "WHERE id = $1 AND deleted_at IS NULL",
			 &p, &n, e))
		return false;
	if (!n)
		return no_run(*id, e);
	/* The last run of an upload takes its identity along: the same bytes
	 * may come again. */
	return derived_clear(db, *id, e) &&
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
	return sql_transaction(db, delete_run, &id, e);
}
