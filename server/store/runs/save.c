/* save.c - the one transaction in which runs become visible. */
#include "save.h"
#include "derived.h"
#include "intern.h"
#include "job.h"
#include "learned_graph.h"
#include "query.h"
#include "sql.h"
#include <stdlib.h>
#include <string.h>

struct save_capture_writer {
	struct db *db;
	int64_t run;
	int32_t seq;
	size_t len;
	uint8_t *piece; /* CAPTURE_PIECE bytes */
};

static bool save_capture_flush(struct save_capture_writer *c, struct err *e)
{
	static const char sql[] = "INSERT INTO run_capture (run_id, seq, bytes)"
				  " VALUES ($1, $2, $3)";
	struct sql_params p = { 0 };
	sql_int8(&p, c->run);
	sql_int4(&p, c->seq++);
	sql_bytes(&p, c->piece, c->len);
	c->len = 0;
	return sql_hot(c->db, sql, &p, NULL, e);
}

static bool save_capture_put(void *to, const void *bytes, size_t len,
	struct err *e)
{
	struct save_capture_writer *c = to;
	const uint8_t *at = bytes;
	while (len) {
		size_t n = CAPTURE_PIECE - c->len;
		if (n > len)
			n = len;
		memcpy(c->piece + c->len, at, n);
		c->len += n;
		at += n;
		len -= n;
		if (c->len == CAPTURE_PIECE && !save_capture_flush(c, e))
			return false;
	}
	return true;
}

/* Cuts the bytes from the writer of each run's capture file into rows; one
 * piece is in memory. Each piece is one statement, because one statement for
 * all pieces would exceed the time limit. */
static bool save_captures(struct db *db, const struct captures *c,
	const struct derived_run *runs, uint32_t n, struct err *e)
{
	bool ok = true;
	struct save_capture_writer to = { .db = db };
	if (!c)
		return true;
	to.piece = malloc(CAPTURE_PIECE);
	if (!to.piece)
		return err_set(e, ERR_BUSY,
			"this machine has no memory left to store a capture");
	for (uint32_t i = 0; ok && i < n; i++) {
		to.run = runs[i].id;
		to.seq = 0;
		ok = !to.run ||
		     (c->write(c->ctx, i, save_capture_put, &to, e) &&
			     (!to.len || save_capture_flush(&to, e)));
	}
	free(to.piece);
	return ok;
}

struct save_saving {
	const struct claim *claim;
	struct derived_run *runs;
	const struct profile *profiles;
	uint32_t n;
	const struct captures *captures;
	bool ranks; /* the upload has more than one rank */
};

/* Locks the upload: from here on the lease cannot be lost. */
static bool save_hold(struct db *db, const struct claim *c, struct err *e)
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

/* Inserts ids for new ordinals. A run gets the name of its upload, or of the
 * file. */
static bool save_identify(struct db *db, const struct save_saving *s,
	int64_t *made, struct err *e)
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

/* Deletes the rows of an earlier ingest and reads each run's id (0 for a
 * deleted run). The lock blocks deletions until the transaction ends. */
static bool save_replace(struct db *db, struct save_saving *s, bool again,
	struct err *e)
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

static bool save_finish(struct db *db, const struct claim *c, struct err *e)
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

static bool save_work(struct db *db, void *arg, struct err *e)
{
	struct save_saving *s = arg;
	int64_t made;
	return save_hold(db, s->claim, e) && save_identify(db, s, &made, e) &&
	       save_replace(db, s, made < s->n || !s->n, e) &&
	       job_make(db, s->claim->upload, s->ranks, e) &&
	       derived_write(db, s->runs, s->n, e) &&
	       save_captures(db, s->captures, s->runs, s->n, e) &&
	       learned_graph_store(db, s->claim->upload, s->profiles, s->n,
		       e) &&
	       save_finish(db, s->claim, e) &&
	       learned_graph_late(db, s->claim->upload, s->profiles, s->n, e);
}

/* Whether the runs of an upload without a job name form a job. */
static bool save_has_ranks(const struct profile *runs, uint32_t n)
{
	int32_t first = -1;
	for (uint32_t i = 0; i < n; i++) {
		if (runs[i].rank < 0)
			continue;
		if (first >= 0 && runs[i].rank != first)
			return true;
		first = runs[i].rank;
	}
	return false;
}

bool save(struct db *db, const struct claim *c, const struct profile *runs,
	uint32_t n, const struct captures *captures, struct err *e)
{
	struct arena a = { 0 };
	struct save_saving s = { .claim = c,
		.profiles = runs,
		.n = n,
		.captures = captures,
		.ranks = save_has_ranks(runs, n) };
	int64_t **ids;
	struct operator_ids *operators;
	s.runs = arena_array(&a, struct derived_run, n);
	bool ok = intern_kernels(db, &a, runs, n, &ids, e) &&
		  intern_operators(db, &a, runs, n, &operators, e);
	for (uint32_t i = 0; ok && i < n; i++)
		s.runs[i] = (struct derived_run){ .profile = &runs[i],
			.kernels = ids[i],
			.keys = operators[i].keys,
			.shapes = operators[i].shapes,
			.of = n,
			.ordinal = i,
			.ranked = s.ranks && runs[i].rank >= 0 };
	ok = ok && job_make(db, c->upload, s.ranks, e) &&
	     sql_transaction(db, save_work, &s, e);
	arena_release(&a);
	return ok;
}
