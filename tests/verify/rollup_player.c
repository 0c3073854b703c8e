/* rollup_player.c - acts as an ingest process without traces, for rollups.py.
 *
 * It uploads, saves, deletes, moves, rebuilds, vacuums and folds at random,
 * until it is killed.
 *
 *   rollup_player SEED ACTIONS     does so, and prints "." after each upload,
 *                                  delete, move and rebuild
 *   rollup_player SEED drain       saves uploads that are queued, and those of
 *                                  killed processes
 *   rollup_player SEED clear       deletes all runs, and folds
 *   rollup_player SEED fold        folds until nothing is left to fold
 *
 * The content of a run depends on the bytes of its upload and on the number of
 * times that the upload was claimed. Therefore a rebuild gets other figures
 * than the earlier save. */
#include "retention.h"
#include "migrate.h"
#include "query.h"
#include "rollup.h"
#include "rollup_made.h"
#include "run_change.h"
#include "save.h"
#include "sql.h"
#include "upload.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEASE_S = 1 };

static bool act_upload(struct db *db, struct err *e)
{
	static const char *const names[] = { "one", "two", "three" };
	static const double hours[] = { NAN, 0, 0.1, 1e9 };
	struct upload_meta m = { pick(names, 2), pick(names, 3), "", "", "{}",
		"", hours[noise(4)] };
	struct upload_outcome out;
	uint8_t sha256[SHA256_BYTES];
	char text[40];
	int64_t id;
	int len = snprintf(text, sizeof text, "%llu",
		(unsigned long long)(noise(1u << 31) * (uint64_t)getpid()));
	sha256_of(text, (size_t)len, sha256);
	return upload_begin(db, &m, &id, e) &&
	       upload_chunk(db, id, 0, text, (size_t)len, e) &&
	       upload_finish(db, id, sha256, len, NULL, &out, e);
}

/* Claims an upload and saves its runs, as a worker does. Sets *none if no
 * upload is queued. */
static bool act_save(struct db *db, bool *none, struct err *e)
{
	struct claim c;
	struct arena a = { 0 };
	char text[64] = "";
	size_t len;
	struct upload_chunk_place place;
	struct profile runs[3];
	if (!upload_claim(db, "player", LEASE_S, &c, e))
		return false;
	*none = !c.upload;
	if (*none)
		return true;
	if (!upload_read_chunk(db, c.upload, 0, text, &len, &place, e))
		return false;
	uint64_t before = state;
	state = strtoull(text, NULL, 10) + (uint64_t)c.token * 7919;
	uint32_t n = 1 + (uint32_t)noise(3);
	for (uint32_t i = 0; i < n; i++)
		runs[i] = make_run(&a);
	state = before + 1;
	struct err why = { 0 };
	bool ok = save(db, &c, runs, n, NULL, &why);
	arena_release(&a);
	return ok || why.code == ERR_CONFLICT ||
	       err_set(e, why.code, "%s", why.text);
}

/* Returns the id of a random run or upload; 0 if there is none. */
static bool any(struct db *db, const char *sql, int64_t *id, struct err *e)
{
	struct result r;
	struct sql_params p = { 0 };
	sql_float8(&p, (double)noise(1u << 20) / (1u << 20));
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	*id = result_next(&r) ? result_int8(&r, 0) : 0;
	result_release(&r);
	return true;
}

#define ANY_RUN                                                  \
	"SELECT run_id FROM run ORDER BY run_id OFFSET (SELECT " \
	"floor($1 * count(*)) FROM run) LIMIT 1"

/* Not found: another process may have deleted the run. */
static bool or_gone(bool ok, const struct err *why, struct err *e)
{
	return ok || why->code == ERR_NOT_FOUND ||
	       err_set(e, why->code, "%s", why->text);
}

static bool act_delete(struct db *db, struct err *e)
{
	struct err why = { 0 };
	int64_t id;
	return any(db, ANY_RUN, &id, e) &&
	       (!id || or_gone(run_delete(db, id, &why), &why, e));
}

static bool act_move(struct db *db, struct err *e)
{
	static const char *const names[] = { "one", "two", "four" };
	struct run_change c = { .project = noise(2) ? pick(names, 3) : NULL,
		.workload = pick(names, 3),
		.labels = noise(2) ? "{\"a\": \"b\"}" : NULL };
	struct err why = { 0 };
	int64_t id;
	return any(db, ANY_RUN, &id, e) &&
	       (!id || or_gone(run_change(db, id, &c, &why), &why, e));
}

/* Requeues an upload, as `kernsiftd rebuild` does with all uploads. */
static bool act_rebuild(struct db *db, struct err *e)
{
	static const char sql[] =
		"UPDATE upload SET state = 'queued', queued_at = now(), "
		"attempts = 0, done_bytes = 0, best_bytes = 0, error = NULL, "
		"finished_at = NULL WHERE id = $1 AND state = 'done' "
		"AND identity IS NOT NULL AND dropped_at IS NULL";
	struct sql_params p = { 0 };
	int64_t id, n;
	if (!any(db,
		    "SELECT id FROM upload ORDER BY id OFFSET (SELECT "
		    "floor($1 * count(*)) FROM upload) LIMIT 1",
		    &id, e))
		return false;
	sql_int8(&p, id);
	return !id || sql_change(db, sql, &p, &n, e);
}

/* Sometimes deletes all runs of a project, else the bytes of its uploads. */
static bool act_vacuum(struct db *db, struct err *e)
{
	static const char *const names[] = { "one", "two", "four" };
	struct retention_request ask = { pick(names, 3), 0, noise(4) ? -1 : 0,
		-1 };
	struct retention_report report;
	struct arena a = { 0 };
	bool ok =
		retention_vacuum(db, &a, &ask, false, NULL, NULL, &report, e) &&
		(!report.why.code ||
			err_set(e, report.why.code, "%s", report.why.text));
	arena_release(&a);
	return ok;
}

static bool act_fold(struct db *db, int limit, bool *left, struct err *e)
{
	int64_t n;
	struct err why = { 0 };
	*left = false;
	return rollup_fold(db, limit, &n, left, &why) || why.code == ERR_BUSY ||
	       err_set(e, why.code, "%s", why.text);
}

static bool act(struct db *db, bool *counts, struct err *e)
{
	bool ignored;
	uint64_t what = noise(21);
	*counts = what < 11;
	if (what < 6)
		return act_upload(db, e);
	if (what < 8)
		return act_delete(db, e);
	if (what < 9)
		return act_move(db, e);
	if (what < 11)
		return act_rebuild(db, e);
	if (what < 18)
		return act_save(db, &ignored, e);
	if (what < 19)
		return act_vacuum(db, e);
	return act_fold(db, 1 + (int)noise(40), &ignored, e);
}

/* Saves until nothing is queued and no lease of a killed process is left. */
static bool drain(struct db *db, struct err *e)
{
	int64_t working = 1;
	while (working) {
		bool none = false;
		while (!none)
			if (!act_save(db, &none, e))
				return false;
		usleep(200000);
		if (!any(db,
			    "SELECT count(*) FROM upload WHERE state IN "
			    "('queued', 'working') AND $1 >= 0",
			    &working, e))
			return false;
	}
	return true;
}

static bool fold(struct db *db, struct err *e)
{
	bool left = true;
	while (left)
		if (!act_fold(db, 50, &left, e))
			return false;
	return true;
}

static bool clear(struct db *db, struct err *e)
{
	int64_t id = 1;
	while (id)
		if (!any(db, ANY_RUN, &id, e) || (id && !run_delete(db, id, e)))
			return false;
	return fold(db, e);
}

static bool play(struct db *db, long actions, struct err *e)
{
	bool counts;
	for (; actions; actions -= counts) {
		if (!act(db, &counts, e))
			return false;
		if (counts && (putchar('.') == EOF || fflush(stdout) == EOF))
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct err e = { 0 };
	int applied;
	if (argc != 3)
		return 2;
	state = strtoull(argv[1], NULL, 10);
	struct db *db = db_new("", &e);
	bool ok = db && migrate(db, &applied, &e);
	if (ok && !strcmp(argv[2], "drain"))
		ok = drain(db, &e);
	else if (ok && !strcmp(argv[2], "clear"))
		ok = clear(db, &e);
	else if (ok && !strcmp(argv[2], "fold"))
		ok = fold(db, &e);
	else
		ok = ok && play(db, strtol(argv[2], NULL, 10), &e);
	if (!ok)
		fprintf(stderr, "rollup_player: %s\n", e.text);
	db_free(db);
	return !ok;
}
