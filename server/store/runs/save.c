/* save.c - the one transaction in which runs become visible. */
#include "save.h"
#include "derived.h"
#include "derived_capture.h"
#include "intern.h"
#include "intern_matter.h"
#include "job.h"
#include "learned_graph.h"
#include "sql.h"

struct saving {
	const struct claim *claim;
	struct derived_run *runs;
	const struct profile *profiles;
	uint32_t n;
	const struct captures *captures;
	bool ranks; /* more than one are told */
};

/* Takes hold of the upload, so that from here on nobody takes it away. */
static bool hold(struct db *db, const struct claim *c, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, c->upload);
	sql_int8(&p, c->token);
	if (!sql_run(db,
		    "SELECT true FROM upload "
		    "WHERE id = $1 AND state = 'working' AND token = $2 "
		    "FOR UPDATE",
		    &p, &r, e))
		return false;
	bool mine = result_next(&r);
	result_release(&r);
	return mine ||
	       err_set(e, ERR_CONFLICT, "the lease on upload %lld was lost",
		       (long long)c->upload);
}

/* Ids for the ordinals that have none yet. A run is called what its upload is
 * called, else after its file. */
static bool identify(struct db *db, const struct saving *s, int64_t *made,
	struct err *e)
{
	struct sql_params p = { 0 };
	sql_int8(&p, s->claim->upload);
	sql_int4(&p, (int32_t)s->n);
	return sql_change(db,
		"INSERT INTO run_identity (upload_id, ordinal, name, project, "
		"workload, labels) "
		"SELECT u.id, o, coalesce(nullif(u.name, ''), "
		"nullif(u.file_name, ''), 'upload ' || u.id), u.project, "
		"u.workload, u.labels "
		"FROM upload u, generate_series(0, $2 - 1) o "
		"WHERE u.id = $1 AND NOT EXISTS (SELECT FROM run_identity i "
		"WHERE i.upload_id = $1 AND i.ordinal = o) "
		"ORDER BY o",
		&p, made, e);
}

/* Drops the rows of an earlier ingest, and learns each run's id; a run that
 * was deleted keeps none. The lock keeps a deletion from coming between. */
static bool replace(struct db *db, struct saving *s, bool again, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, s->claim->upload);
	if (!sql_run(db,
		    "SELECT ordinal, id, deleted_at IS NULL "
		    "FROM run_identity "
		    "WHERE upload_id = $1 "
		    "ORDER BY ordinal "
		    "FOR UPDATE",
		    &p, &r, e))
		return false;
	bool ok = true;
	while (ok && result_next(&r)) {
		uint32_t ordinal = (uint32_t)result_int4(&r, 0);
		int64_t id = result_int8(&r, 0);
		bool lives = result_bool(&r);
		if (again)
			ok = derived_clear(db, id, e);
		if (ordinal < s->n)
			s->runs[ordinal].id = lives ? id : 0;
	}
	result_release(&r);
	return ok;
}

static bool finish(struct db *db, const struct claim *c, struct err *e)
{
	struct sql_params p = { 0 };
	sql_int8(&p, c->upload);
	return sql_run(db,
		"UPDATE upload "
		"SET state = 'done', finished_at = now(), worker = NULL, "
		"lease_until = NULL, stage = NULL, done_bytes = bytes "
		"WHERE id = $1",
		&p, NULL, e);
}

static bool save_all(struct db *db, void *arg, struct err *e)
{
	struct saving *s = arg;
	int64_t made;
	return hold(db, s->claim, e) && identify(db, s, &made, e) &&
	       replace(db, s, made < s->n || !s->n, e) &&
	       job_make(db, s->claim->upload, s->ranks, e) &&
	       derived_write(db, s->runs, s->n, e) &&
	       derived_capture(db, s->captures, s->runs, s->n, e) &&
	       own_graphs_learn(db, s->claim->upload, s->profiles, s->n, e) &&
	       finish(db, s->claim, e);
}

bool save(struct db *db, const struct claim *c, const struct profile *runs,
	uint32_t n, const struct captures *captures, struct err *e)
{
	struct arena a = { 0 };
	struct saving s = { .claim = c,
		.profiles = runs,
		.n = n,
		.captures = captures,
		.ranks = job_tells_ranks(runs, n) };
	int64_t **ids;
	struct matter_ids *matters;
	s.runs = arena_array(&a, struct derived_run, n);
	bool ok = intern(db, &a, runs, n, &ids, e) &&
		  intern_matters(db, &a, runs, n, &matters, e);
	for (uint32_t i = 0; ok && i < n; i++)
		s.runs[i] = (struct derived_run){ .profile = &runs[i],
			.kernels = ids[i],
			.keys = matters[i].keys,
			.shapes = matters[i].shapes,
			.of = n,
			.ordinal = i,
			.ranked = s.ranks && runs[i].rank >= 0 };
	ok = ok && job_make(db, c->upload, s.ranks, e) &&
	     sql_transaction(db, save_all, &s, e);
	arena_release(&a);
	return ok;
}
