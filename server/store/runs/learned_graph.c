/* learned_graph.c - graphs that stream captures recorded, by the hash of their
 * names and by their sketch. */
#include "learned_graph.h"
#include "sql.h"
#include <stdlib.h>
#include <string.h>

/* About a hundred MB. Without this limit, a key whose graphs differ in every
 * upload, or a process with many keys, would take unlimited memory. */
enum { LISTS = 4, NODES_READ = 500000 };

/* Of the runs that a new graph explains, this many are analyzed again, the
 * newest. */
enum { RUNS_AGAIN = 10000 };

/* Limits of the search for captures that are similar to a replay. The nearest
 * NEAR_KEYS by their sketches are read and aligned: with the capture of every
 * batch size of a model stored, few are as near as the right one. NEAR_ROWS
 * sketches take about a megabyte. A search took 0.5 ms with 5,000 captures, so
 * that NEAR_GRAPHS take half a second. */
enum { NEAR_KEYS = 16, NEAR_ROWS = 1000, NEAR_GRAPHS = 1000 };

/* Held from the storing of captures or replays to the end of the transaction, so
 * that of a capture and a replay that are stored at the same time, the second
 * one finds the first. */
#define LEARNED_GRAPH_LOCK_KEY "7236284921357814"

/* One array per column; an unknown text is "". */
static void learned_graph_columns(const struct graph_known *g,
	struct sql_array c[LISTS + 1])
{
	for (int i = 0; i <= LISTS; i++)
		sql_array_init(&c[i], i < LISTS ? SQL_TEXT : SQL_INT8);
	for (uint32_t i = 0; i < g->n; i++) {
		const struct graph_node_known *n = &g->nodes[i];
		const char *dtype = dtype_word(n->dtype);
		sql_array_text(&c[0], n->kernel);
		sql_array_text(&c[1], n->op ? n->op : "");
		sql_array_text(&c[2], n->shape ? n->shape : "");
		sql_array_text(&c[3], dtype ? dtype : "");
		sql_array_int8(&c[4], n->call);
	}
}

enum { SKETCH_LISTS = 3 };

/* Adds bands, names and counts. The caller releases the lists. */
static void learned_graph_sketch_params(struct sql_params *p,
	const struct graph_sketch *s, struct sql_array list[SKETCH_LISTS])
{
	for (int i = 0; i < SKETCH_LISTS; i++)
		sql_array_init(&list[i], SQL_INT8);
	for (int i = 0; i < GRAPH_BANDS; i++)
		sql_array_int8(&list[0], s->bands[i]);
	for (uint32_t i = 0; i < s->names_n; i++) {
		sql_array_int8(&list[1], s->names[i]);
		sql_array_int8(&list[2], s->counts[i]);
	}
	for (int i = 0; i < SKETCH_LISTS; i++)
		sql_array(p, &list[i]);
}

/* The sketch of a graph, in the arena. */
static struct graph_sketch learned_graph_sketch(const struct graph_known *g,
	struct arena *a)
{
	struct graph_sketch s;
	const char **kernels = arena_array(a, const char *, (size_t)g->n + 1);
	for (uint32_t i = 0; i < g->n; i++)
		kernels[i] = g->nodes[i].kernel;
	graph_sketch_from(kernels, g->n, a, &s);
	return s;
}

/* Two runs of one upload may record the same graph: the second is stored over
 * the first. A graph keeps the time when it was first stored, except that one
 * without a sketch could explain nothing before. */
static bool learned_graph_insert(struct db *db, int64_t upload, int64_t now_us,
	const struct graph_known *g, const struct graph_sketch *is,
	struct err *e)
{
	static const char sql[] =
		"INSERT INTO learned_graph (upload_id, key, content, kernels, "
		"operators, shapes, dtypes, calls, kernels_n, bands, names, "
		"counts, created_at, first_at) "
		"VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, "
		"to_timestamp($13 / 1e6), to_timestamp($13 / 1e6)) "
		"ON CONFLICT (upload_id, key, content) DO UPDATE SET "
		"kernels_n = excluded.kernels_n, bands = excluded.bands, "
		"names = excluded.names, counts = excluded.counts, "
		"created_at = excluded.created_at, "
		"first_at = CASE WHEN learned_graph.bands IS NULL "
		"THEN excluded.first_at ELSE learned_graph.first_at END";
	struct sql_params p = { 0 };
	struct sql_array c[LISTS + 1], sketch[SKETCH_LISTS];
	sql_int8(&p, upload);
	sql_bytes(&p, g->key, sizeof g->key);
	sql_bytes(&p, g->content, sizeof g->content);
	learned_graph_columns(g, c);
	for (int i = 0; i <= LISTS; i++)
		sql_array(&p, &c[i]);
	sql_int4(&p, (int32_t)g->n);
	learned_graph_sketch_params(&p, is, sketch);
	sql_int8(&p, now_us);
	bool ok = sql_hot(db, sql, &p, NULL, e);
	for (int i = 0; i <= LISTS; i++)
		sql_array_release(&c[i]);
	for (int i = 0; i < SKETCH_LISTS; i++)
		sql_array_release(&sketch[i]);
	return ok;
}

/* Reads kernels, names and counts; the bands are not needed. */
static void learned_graph_read_sketch(struct result *r, struct arena *a,
	struct graph_sketch *s)
{
	uint32_t n = 0;
	*s = (struct graph_sketch){ .n = (uint32_t)result_int4(r, 0) };
	s->names = result_int8s(r, a, &s->names_n);
	s->counts = result_int8s(r, a, &n);
	if (n < s->names_n)
		s->names_n = n;
}

/* A graph that is stored without its sketch is new, too: a rebuild after an
 * upgrade may have analyzed the runs first that it explains. */
static bool learned_graph_is_new(struct db *db, const struct graph_known *g,
	bool *is_new, struct err *e)
{
	static const char sql[] =
		"SELECT NOT EXISTS (SELECT FROM learned_graph "
		"WHERE key = $1 AND content = $2 AND bands IS NOT NULL)";
	struct sql_params p = { 0 };
	struct result r;
	sql_bytes(&p, g->key, sizeof g->key);
	sql_bytes(&p, g->content, sizeof g->content);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	*is_new = result_next(&r) && result_bool(&r);
	result_release(&r);
	return true;
}

/* Replayed graphs that a new graph may explain, each key once. */
struct learned_graph_explained {
	struct sql_array keys, bounds;
};

/* Finds replays that are similar to the new graph, or equal, among those with
 * kernels that it may explain. Their sketches decide how near they may be. */
static bool learned_graph_explain(struct db *db, struct arena *a,
	const struct graph_sketch *is, const uint8_t key[32],
	struct learned_graph_explained *out, struct err *e)
{
	static const char sql[] =
		"SELECT DISTINCT ON (key) key, kernels, names, counts "
		"FROM run_replayed_graph "
		"WHERE (bands && $1 OR key = $2) AND bands IS NOT NULL "
		"AND kernels BETWEEN $3 AND $4 "
		"ORDER BY key "
		"LIMIT $5";
	int64_t max = graph_distance_max(is->n);
	struct sql_params p = { 0 };
	struct sql_array bands;
	struct result r;
	sql_array_init(&bands, SQL_INT8);
	for (int i = 0; i < GRAPH_BANDS; i++)
		sql_array_int8(&bands, is->bands[i]);
	sql_array(&p, &bands);
	sql_bytes(&p, key, 32);
	sql_int8(&p, is->n - max);
	sql_int8(&p, is->n + max);
	sql_int8(&p, RUNS_AGAIN);
	bool ok = sql_run(db, sql, &p, &r, e);
	sql_array_release(&bands);
	if (!ok)
		return false;
	while (result_next(&r)) {
		struct graph_sketch of;
		size_t len;
		const void *found = result_bytes(&r, &len);
		learned_graph_read_sketch(&r, a, &of);
		uint32_t bound = graph_sketch_distance(is, &of);
		if (bound > max)
			continue;
		sql_array_add(&out->keys, found, (int64_t)len);
		sql_array_int8(&out->bounds, bound);
	}
	result_release(&r);
	return true;
}

/* Queues the uploads again whose runs replayed the graph or one that differs
 * from it by a few kernels, and have replayed kernels without an operator,
 * unless the run knows a capture that is as near. An upload that another
 * transaction has locked is not waited for, because two captures that arrive at
 * once would wait for each other. `of`: the upload that recorded the graph;
 * `only`: queue no other upload than this one (0: any). */
static bool learned_graph_requeue_keys(struct db *db, int64_t of, int64_t only,
	struct learned_graph_explained *by, struct err *e)
{
	static const char sql[] =
		"UPDATE upload SET state = 'queued', queued_at = now(), "
		"attempts = 0, done_bytes = 0, best_bytes = 0, error = NULL, "
		"finished_at = NULL "
		"WHERE id IN (SELECT u.id FROM upload u "
		"WHERE u.id <> $1 AND $5 IN (0, u.id) AND u.state = 'done' "
		"AND u.identity IS NOT NULL AND u.dropped_at IS NULL "
		"AND (EXISTS (SELECT FROM upload_chunk c "
		"WHERE c.upload_id = u.id AND c.seq = 0) "
		"OR EXISTS (SELECT FROM upload_object o "
		"WHERE o.upload_id = u.id "
		"AND o.stored_at IS NOT NULL)) "
		"AND u.id IN (SELECT r.upload_id "
		"FROM unnest($2::bytea[], $3::bigint[]) n (key, bound) "
		"JOIN run_replayed_graph g ON g.key = n.key "
		"JOIN run r ON r.run_id = g.run_id "
		"WHERE g.bands IS NOT NULL AND (g.captured IS NULL "
		"OR g.kernels + g.captured - 2 * g.matched > n.bound) "
		"ORDER BY r.run_id DESC LIMIT $4) "
		"FOR UPDATE SKIP LOCKED)";
	struct sql_params p = { 0 };
	sql_int8(&p, of);
	sql_array(&p, &by->keys);
	sql_array(&p, &by->bounds);
	sql_int8(&p, RUNS_AGAIN);
	sql_int8(&p, only);
	return sql_run(db, sql, &p, NULL, e);
}

static bool learned_graph_requeue(struct db *db, int64_t of, int64_t only,
	const struct graph_known *g, const struct graph_sketch *is,
	struct arena *a, struct err *e)
{
	struct learned_graph_explained by;
	sql_array_init(&by.keys, SQL_BYTES);
	sql_array_init(&by.bounds, SQL_INT8);
	bool ok = learned_graph_explain(db, a, is, g->key, &by, e) &&
		  (!by.keys.n ||
			  learned_graph_requeue_keys(db, of, only, &by, e));
	sql_array_release(&by.keys);
	sql_array_release(&by.bounds);
	return ok;
}

/* Inserts the graphs of one run. */
static bool learned_graph_store_run(struct db *db, int64_t upload,
	int64_t now_us, const struct operators *o, const bool *is_new,
	struct err *e)
{
	bool ok = true;
	for (uint32_t g = 0; ok && g < o->learned_n; g++) {
		const struct graph_known *known = &o->learned[g];
		struct arena a = { 0 };
		const struct graph_sketch is = learned_graph_sketch(known, &a);
		ok = learned_graph_insert(db, upload, now_us, known, &is, e) &&
		     (!is_new[g] || learned_graph_requeue(db, upload, 0, known,
					    &is, &a, e));
		arena_release(&a);
	}
	return ok;
}

/* Whether an upload recorded graphs, or has replays that a capture may
 * explain. */
static bool learned_graph_takes_part(const struct profile *runs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct operators *o = &runs[i].operators;
		if (o->learned_n)
			return true;
		for (uint32_t m = 0; m < o->matches_n; m++)
			if (o->matches[m].sketch)
				return true;
	}
	return false;
}

/* Takes the lock. `now_us` is the time after that: a capture that is stored
 * later has a later time. */
static bool learned_graph_lock(struct db *db, int64_t *now_us, struct err *e)
{
	struct result r;
	if (!sql_run(db,
		    "SELECT pg_advisory_xact_lock(" LEARNED_GRAPH_LOCK_KEY ")",
		    NULL, NULL, e) ||
		!sql_run(db,
			"SELECT (extract(epoch FROM clock_timestamp()) * 1e6)"
			"::bigint",
			NULL, &r, e))
		return false;
	if (result_next(&r))
		*now_us = result_int8(&r, 0);
	result_release(&r);
	return true;
}

/* Deletes the graphs of the upload that its runs do not record any more. */
static bool learned_graph_delete_gone(struct db *db, int64_t upload,
	const struct profile *runs, uint32_t n, struct err *e)
{
	static const char sql[] =
		"DELETE FROM learned_graph g WHERE upload_id = $1 "
		"AND NOT EXISTS (SELECT "
		"FROM unnest($2::bytea[], $3::bytea[]) n (key, content) "
		"WHERE n.key = g.key AND n.content = g.content)";
	struct sql_params p = { 0 };
	struct sql_array keys, contents;
	sql_array_init(&keys, SQL_BYTES);
	sql_array_init(&contents, SQL_BYTES);
	for (uint32_t i = 0; i < n; i++) {
		const struct operators *o = &runs[i].operators;
		for (uint32_t g = 0; g < o->learned_n; g++) {
			const struct graph_known *is = &o->learned[g];
			sql_array_add(&keys, is->key, sizeof is->key);
			sql_array_add(&contents, is->content,
				sizeof is->content);
		}
	}
	sql_int8(&p, upload);
	sql_array(&p, &keys);
	sql_array(&p, &contents);
	bool ok = sql_hot(db, sql, &p, NULL, e);
	sql_array_release(&keys);
	sql_array_release(&contents);
	return ok;
}

bool learned_graph_store(struct db *db, int64_t upload,
	const struct profile *runs, uint32_t n, struct err *e)
{
	struct arena a = { 0 };
	bool ok = true;
	int64_t now_us = 0;
	bool **is_new = arena_array(&a, bool *, (size_t)n + 1);
	for (uint32_t i = 0; ok && i < n; i++) {
		const struct operators *o = &runs[i].operators;
		is_new[i] = arena_array(&a, bool, (size_t)o->learned_n + 1);
		for (uint32_t g = 0; ok && g < o->learned_n; g++)
			ok = learned_graph_is_new(db, &o->learned[g],
				&is_new[i][g], e);
	}
	if (ok && learned_graph_takes_part(runs, n))
		ok = learned_graph_lock(db, &now_us, e);
	ok = ok && learned_graph_delete_gone(db, upload, runs, n, e);
	for (uint32_t i = 0; ok && i < n; i++)
		ok = learned_graph_store_run(db, upload, now_us,
			&runs[i].operators, is_new[i], e);
	arena_release(&a);
	return ok;
}

/* Reads key and sketch of the captures that were first stored since the upload
 * was queued, and queues it again if one of them explains its replays. */
static bool learned_graph_late_rows(struct db *db, int64_t upload,
	struct result *r, struct arena *a, struct err *e)
{
	bool ok = true;
	while (ok && result_next(r)) {
		struct graph_known g = { 0 };
		struct graph_sketch is;
		uint32_t n;
		size_t len;
		int64_t of = result_int8(r, 0);
		memcpy(g.key, result_bytes(r, &len), sizeof g.key);
		const int64_t *bands = result_int8s(r, a, &n);
		learned_graph_read_sketch(r, a, &is);
		if (a->full || n != GRAPH_BANDS)
			continue;
		memcpy(is.bands, bands, sizeof is.bands);
		ok = learned_graph_requeue(db, of, upload, &g, &is, a, e);
	}
	return ok;
}

bool learned_graph_late(struct db *db, int64_t upload,
	const struct profile *runs, uint32_t n, struct err *e)
{
	static const char sql[] =
		"SELECT g.upload_id, g.key, g.bands, g.kernels_n, g.names, "
		"g.counts FROM learned_graph g, upload u "
		"WHERE u.id = $1 AND g.upload_id <> $1 "
		"AND g.first_at >= u.queued_at AND g.bands IS NOT NULL "
		"AND EXISTS (SELECT FROM run r JOIN run_replayed_graph m "
		"ON m.run_id = r.run_id WHERE r.upload_id = $1 "
		"AND (m.bands && g.bands OR m.key = g.key)) "
		"ORDER BY g.first_at DESC LIMIT $2";
	struct sql_params p = { 0 };
	struct arena a = { 0 };
	struct result r;
	if (!learned_graph_takes_part(runs, n))
		return true;
	sql_int8(&p, upload);
	sql_int8(&p, NEAR_ROWS);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	bool ok = learned_graph_late_rows(db, upload, &r, &a, e);
	result_release(&r);
	arena_release(&a);
	return ok;
}

bool learned_graph_forget(struct db *db, int64_t run, struct err *e)
{
	struct sql_params p = { 0 };
	sql_int8(&p, run);
	return sql_run(db,
		"DELETE FROM learned_graph g "
		"WHERE g.upload_id = (SELECT upload_id FROM run_identity "
		"WHERE id = $1) AND NOT EXISTS (SELECT FROM run r "
		"WHERE r.upload_id = g.upload_id)",
		&p, NULL, e);
}

static const char *learned_graph_text(const char *text)
{
	return *text ? text : NULL;
}

static void learned_graph_read_row(struct result *r, struct arena *a,
	struct graph_known *g)
{
	size_t len;
	const char *const *c[LISTS];
	memcpy(g->key, result_bytes(r, &len), sizeof g->key);
	memcpy(g->content, result_bytes(r, &len), sizeof g->content);
	g->upload = result_int8(r, 0);
	for (int i = 0; i < LISTS; i++)
		c[i] = result_texts(r, a, &g->n);
	const int64_t *call = result_int8s(r, a, &g->n);
	struct graph_node_known *nodes =
		arena_array(a, struct graph_node_known, g->n);
	for (uint32_t i = 0; !a->full && i < g->n; i++)
		nodes[i] = (struct graph_node_known){ .kernel = c[0][i],
			.op = learned_graph_text(c[1][i]),
			.shape = learned_graph_text(c[2][i]),
			.dtype = dtype_from(c[3][i], strlen(c[3][i])),
			.call = (uint32_t)call[i] };
	g->nodes = nodes;
}

struct learned_graph_search {
	struct db *db;
	struct arena *a;
	struct sql_array keys; /* to be read */
	struct graph_cut *cuts;
	uint32_t cuts_n;
};

struct learned_graph_near {
	uint8_t key[32];
	uint32_t distance; /* at least */
};

static int learned_graph_by_distance(const void *left, const void *right)
{
	const struct learned_graph_near *a = left, *b = right;
	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	return memcmp(a->key, b->key, sizeof a->key);
}

/* Captures that differ from the replay by `distance` or more are not in the
 * book. */
static void learned_graph_cut(struct learned_graph_search *s,
	const struct graph_wanted *w, uint32_t distance)
{
	struct graph_cut *c = &s->cuts[s->cuts_n++];
	memcpy(c->key, w->key, sizeof c->key);
	c->distance = distance;
}

/* Adds the keys of the nearest captures; the rows are a search's result. */
static bool learned_graph_near_keys(struct learned_graph_search *s,
	const struct graph_wanted *w, struct result *r)
{
	struct learned_graph_near *near =
		arena_array(s->a, struct learned_graph_near, (size_t)r->n + 1);
	uint32_t n = 0;
	if (!near)
		return false;
	while (!s->a->full && result_next(r)) {
		struct graph_sketch of;
		size_t len;
		memcpy(near[n].key, result_bytes(r, &len), sizeof near[n].key);
		learned_graph_read_sketch(r, s->a, &of);
		near[n].distance = graph_sketch_distance(&w->sketch, &of);
		n += near[n].distance <= graph_distance_max(of.n);
	}
	if (n)
		qsort(near, n, sizeof *near, learned_graph_by_distance);
	for (uint32_t i = 0; i < n && i < NEAR_KEYS; i++)
		sql_array_add(&s->keys, near[i].key, sizeof near[i].key);
	if (r->n == NEAR_ROWS)
		learned_graph_cut(s, w, 0);
	else if (n > NEAR_KEYS)
		learned_graph_cut(s, w, near[NEAR_KEYS].distance);
	return !s->a->full;
}

/* Finds captures with nearly the kernels of a replay. A capture of m kernels
 * may differ by 5 % of m, so a replay of n kernels may have n / 0.95. */
static bool learned_graph_find_near(struct learned_graph_search *s,
	const struct graph_wanted *w, struct err *e)
{
	static const char sql[] =
		"SELECT key, kernels_n, names, counts "
		"FROM (SELECT DISTINCT ON (key) key, kernels_n, names, counts "
		"FROM learned_graph WHERE bands && $1 "
		"AND kernels_n BETWEEN $2 AND $3 ORDER BY key) g "
		"ORDER BY abs(kernels_n - $4), key "
		"LIMIT $5";
	int64_t n = w->sketch.n, max = n / 19 + 1;
	struct sql_params p = { 0 };
	struct sql_array bands;
	struct result r;
	if (max > GRAPH_DISTANCE_MOST)
		max = GRAPH_DISTANCE_MOST;
	sql_array_init(&bands, SQL_INT8);
	for (int i = 0; i < GRAPH_BANDS; i++)
		sql_array_int8(&bands, w->sketch.bands[i]);
	sql_array(&p, &bands);
	sql_int8(&p, n - max);
	sql_int8(&p, n + max);
	sql_int8(&p, n);
	sql_int8(&p, NEAR_ROWS);
	bool ok = sql_hot(s->db, sql, &p, &r, e);
	sql_array_release(&bands);
	if (!ok)
		return false;
	ok = learned_graph_near_keys(s, w, &r) || arena_err(s->a, e);
	result_release(&r);
	return ok;
}

/* Whether each graph is stored with exactly the replay's kernels. */
static bool learned_graph_find_exact(struct learned_graph_search *s,
	const struct graph_wanted *wanted, uint32_t n, bool *exact,
	struct err *e)
{
	static const char sql[] =
		"SELECT EXISTS (SELECT FROM learned_graph g "
		"WHERE g.key = n.key) "
		"FROM unnest($1::bytea[]) WITH ORDINALITY n (key, nth) "
		"ORDER BY nth";
	struct sql_params p = { 0 };
	struct sql_array list;
	struct result r;
	sql_array_init(&list, SQL_BYTES);
	for (uint32_t i = 0; i < n; i++)
		sql_array_add(&list, wanted[i].key, sizeof wanted[i].key);
	sql_array(&p, &list);
	bool ok = sql_run(s->db, sql, &p, &r, e);
	sql_array_release(&list);
	if (!ok)
		return false;
	for (uint32_t i = 0; result_next(&r); i++)
		exact[i] = result_bool(&r);
	result_release(&r);
	return true;
}

static int learned_graph_cut_by_key(const void *left, const void *right)
{
	const struct graph_cut *a = left, *b = right;
	return memcmp(a->key, b->key, sizeof a->key);
}

/* Lists the keys of the replays, and for replays without an equal capture those
 * of the nearest ones. */
static bool learned_graph_keys(struct learned_graph_search *s,
	const struct graph_wanted *wanted, uint32_t n, struct err *e)
{
	bool *exact = arena_array(s->a, bool, (size_t)n + 1);
	uint32_t searched = 0;
	s->cuts = arena_array(s->a, struct graph_cut, (size_t)n + 1);
	if (!exact || !s->cuts)
		return arena_err(s->a, e);
	bool ok = learned_graph_find_exact(s, wanted, n, exact, e);
	for (uint32_t i = 0; ok && i < n; i++) {
		sql_array_add(&s->keys, wanted[i].key, sizeof wanted[i].key);
		if (exact[i])
			continue;
		if (searched++ < NEAR_GRAPHS)
			ok = learned_graph_find_near(s, &wanted[i], e);
		else
			learned_graph_cut(s, &wanted[i], 0);
	}
	if (s->cuts_n)
		qsort(s->cuts, s->cuts_n, sizeof *s->cuts,
			learned_graph_cut_by_key);
	return ok;
}

/* Reads the graphs with these keys. */
static bool learned_graph_read_keys(struct learned_graph_search *s, int64_t run,
	struct graph_book *out, struct err *e)
{
	static const char sql[] =
		"SELECT key, content, "
		"nullif(upload_id, own), kernels, operators, shapes, dtypes, "
		"calls "
		"FROM (SELECT *, sum(cardinality(kernels)) OVER (ORDER BY nth, "
		"key) AS nodes "
		"FROM (SELECT *, row_number() OVER (PARTITION BY key "
		"ORDER BY created_at DESC, upload_id DESC, content) AS nth "
		"FROM (SELECT DISTINCT ON (g.key, g.content) g.*, own "
		"FROM (SELECT unnest($1::bytea[]) UNION "
		"SELECT key FROM learned_graph WHERE upload_id = "
		"(SELECT upload_id FROM run_identity WHERE id = $3)) n (key) "
		"JOIN learned_graph g ON g.key = n.key "
		"LEFT JOIN (SELECT upload_id FROM run_identity "
		"WHERE id = $3) i (own) ON true "
		"ORDER BY g.key, g.content, g.upload_id <> own, "
		"g.created_at DESC, g.upload_id DESC) newest) ranked "
		"WHERE nth <= 257) counted "
		"WHERE nodes <= $2 "
		"ORDER BY key, nth";
	struct sql_params p = { 0 };
	struct result r;
	sql_array(&p, &s->keys);
	sql_int8(&p, NODES_READ);
	sql_int8(&p, run);
	if (!sql_run(s->db, sql, &p, &r, e))
		return false;
	struct graph_known *graphs =
		arena_array(s->a, struct graph_known, (size_t)r.n + 1);
	for (uint32_t i = 0; !s->a->full && result_next(&r); i++)
		learned_graph_read_row(&r, s->a, &graphs[i]);
	*out = (struct graph_book){ graphs, (uint32_t)r.n, s->cuts_n, s->cuts };
	result_release(&r);
	return !s->a->full || arena_err(s->a, e);
}

bool learned_graph_read(struct db *db, struct arena *a, int64_t run,
	const struct graph_wanted *wanted, uint32_t n, struct graph_book *out,
	struct err *e)
{
	struct learned_graph_search s = { .db = db, .a = a };
	*out = (struct graph_book){ 0 };
	sql_array_init(&s.keys, SQL_BYTES);
	bool ok = learned_graph_keys(&s, wanted, n, e) &&
		  learned_graph_read_keys(&s, run, out, e);
	sql_array_release(&s.keys);
	return ok;
}
