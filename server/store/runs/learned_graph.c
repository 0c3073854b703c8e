/* learned_graph.c - graphs that stream captures recorded, by the hash of their
 * names. */
#include "learned_graph.h"
#include "sql.h"

/* About a hundred MB. Without this limit, a key whose graphs differ in every
 * upload, or a process with many keys, would take unlimited memory. */
enum { LISTS = 4, NODES_READ = 500000 };

/* Of this many runs, the newest, those are analyzed again that a new graph
 * explains: reading them by their key takes milliseconds. */
enum { RUNS_AGAIN = 10000 };

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

/* Ignores duplicates, because two runs of one upload may record the same
 * graph. */
static bool learned_graph_insert(struct db *db, int64_t upload,
	const struct graph_known *g, struct err *e)
{
	static const char sql[] =
		"INSERT INTO learned_graph (upload_id, key, content, kernels, "
		"operators, shapes, dtypes, calls) "
		"VALUES ($1, $2, $3, $4, $5, $6, $7, $8) "
		"ON CONFLICT DO NOTHING";
	struct sql_params p = { 0 };
	struct sql_array c[LISTS + 1];
	sql_int8(&p, upload);
	sql_bytes(&p, g->key, sizeof g->key);
	sql_bytes(&p, g->content, sizeof g->content);
	learned_graph_columns(g, c);
	for (int i = 0; i <= LISTS; i++)
		sql_array(&p, &c[i]);
	bool ok = sql_hot(db, sql, &p, NULL, e);
	for (int i = 0; i <= LISTS; i++)
		sql_array_release(&c[i]);
	return ok;
}

static bool learned_graph_is_new(struct db *db, const struct graph_known *g,
	bool *is_new, struct err *e)
{
	static const char sql[] =
		"SELECT NOT EXISTS (SELECT FROM learned_graph "
		"WHERE key = $1 AND content = $2)";
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

/* Queues the uploads again whose runs replayed the graph, as far as the names
 * of their kernels show, and have replayed kernels without a known graph. An
 * upload that another transaction has locked is not waited for, because two
 * captures that arrive at once would wait for each other. */
static bool learned_graph_requeue(struct db *db, int64_t upload,
	const struct graph_known *g, struct err *e)
{
	static const char sql[] =
		"UPDATE upload SET state = 'queued', queued_at = now(), "
		"attempts = 0, done_bytes = 0, best_bytes = 0, error = NULL, "
		"finished_at = NULL "
		"WHERE id IN (SELECT u.id FROM upload u "
		"WHERE u.id <> $1 AND u.state = 'done' "
		"AND u.identity IS NOT NULL AND u.dropped_at IS NULL "
		"AND EXISTS (SELECT FROM upload_chunk c "
		"WHERE c.upload_id = u.id AND c.seq = 0) "
		"AND u.id IN (SELECT r.upload_id FROM (SELECT run_id, "
		"upload_id, replayed, replayed_known FROM run "
		"ORDER BY run_id DESC LIMIT $3) r "
		"WHERE r.replayed_known < r.replayed "
		"AND (SELECT count(DISTINCT k.id) FROM run_kernel x "
		"JOIN kernel k ON k.id = x.kernel_id "
		"WHERE x.run_id = r.run_id AND x.split = 0 "
		"AND (k.name = ANY ($2) OR k.mangled = ANY ($2))) "
		">= (SELECT count(DISTINCT name) FROM unnest($2) name)) "
		"FOR UPDATE SKIP LOCKED)";
	struct sql_params p = { 0 };
	struct sql_array names;
	sql_array_init(&names, SQL_TEXT);
	for (uint32_t i = 0; i < g->n; i++)
		sql_array_text(&names, g->nodes[i].kernel);
	sql_int8(&p, upload);
	sql_array(&p, &names);
	sql_int8(&p, RUNS_AGAIN);
	bool ok = sql_run(db, sql, &p, NULL, e);
	sql_array_release(&names);
	return ok;
}

/* Inserts the graphs of one run. */
static bool learned_graph_store_run(struct db *db, int64_t upload,
	const struct operators *o, const bool *is_new, struct err *e)
{
	bool ok = true;
	for (uint32_t g = 0; ok && g < o->learned_n; g++)
		ok = learned_graph_insert(db, upload, &o->learned[g], e) &&
		     (!is_new[g] || learned_graph_requeue(db, upload,
					    &o->learned[g], e));
	return ok;
}

bool learned_graph_store(struct db *db, int64_t upload,
	const struct profile *runs, uint32_t n, struct err *e)
{
	static const char sql[] =
		"DELETE FROM learned_graph WHERE upload_id = $1";
	struct sql_params p = { 0 };
	struct arena a = { 0 };
	bool ok = true;
	bool **is_new = arena_array(&a, bool *, (size_t)n + 1);
	for (uint32_t i = 0; ok && i < n; i++) {
		const struct operators *o = &runs[i].operators;
		is_new[i] = arena_array(&a, bool, (size_t)o->learned_n + 1);
		for (uint32_t g = 0; ok && g < o->learned_n; g++)
			ok = learned_graph_is_new(db, &o->learned[g],
				&is_new[i][g], e);
	}
	sql_int8(&p, upload);
	ok = ok && sql_hot(db, sql, &p, NULL, e);
	for (uint32_t i = 0; ok && i < n; i++)
		ok = learned_graph_store_run(db, upload, &runs[i].operators,
			is_new[i], e);
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

bool learned_graph_read(struct db *db, struct arena *a, int64_t run,
	const uint8_t (*keys)[32], uint32_t n, struct graph_known **graphs,
	uint32_t *found, struct err *e)
{
	static const char sql[] =
		"SELECT key, content, kernels, operators, shapes, dtypes, "
		"calls "
		"FROM (SELECT *, sum(cardinality(kernels)) OVER (ORDER BY nth, "
		"key) AS nodes "
		"FROM (SELECT *, row_number() OVER (PARTITION BY key "
		"ORDER BY created_at DESC, upload_id DESC, content) AS nth "
		"FROM (SELECT DISTINCT ON (g.key, g.content) g.* "
		"FROM (SELECT unnest($1::bytea[]) UNION "
		"SELECT key FROM learned_graph WHERE upload_id = "
		"(SELECT upload_id FROM run_identity WHERE id = $3)) n (key) "
		"JOIN learned_graph g ON g.key = n.key "
		"ORDER BY g.key, g.content, g.created_at DESC, "
		"g.upload_id DESC) newest) ranked "
		"WHERE nth <= 257) counted "
		"WHERE nodes <= $2 "
		"ORDER BY key, nth";
	struct sql_params p = { 0 };
	struct sql_array list;
	struct result r;
	*found = 0;
	sql_array_init(&list, SQL_BYTES);
	for (uint32_t i = 0; i < n; i++)
		sql_array_add(&list, keys[i], sizeof keys[i]);
	sql_array(&p, &list);
	sql_int8(&p, NODES_READ);
	sql_int8(&p, run);
	bool ok = sql_run(db, sql, &p, &r, e);
	sql_array_release(&list);
	if (!ok)
		return false;
	*found = (uint32_t)r.n;
	*graphs = arena_array(a, struct graph_known, *found);
	for (uint32_t i = 0; !a->full && result_next(&r); i++)
		learned_graph_read_row(&r, a, &(*graphs)[i]);
	result_release(&r);
	return !a->full || arena_err(a, e);
}
