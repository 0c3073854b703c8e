/* db_site_overrides.c - tests overrides of the catalog, learned graphs,
 * reference sets, and measured ceilings. */
#include "learned_graph.h"
#include "operator_fixture.h"
#include "platform_ceilings.h"
#include "reference_set.h"
#include "run_change.h"
#include "site_overrides.h"
#include "upload.h"

static int setup(void **state)
{
	*state = fixture_db();
	return 0;
}

static int teardown(void **state)
{
	db_free(*state);
	return 0;
}

static void edits_are_read_back(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct catalog_own own;
	int64_t v;
	works(site_overrides_read(db, &a, &own, &e));
	assert_null(own.operators);
	assert_int_equal(own.version, 0);
	works(site_overrides_version(db, &v, &e));
	assert_int_equal(v, 0);
	works(site_overrides_write(db, SITE_RULES, "[1]", 0, &v, &e));
	assert_int_equal(v, 1);
	works(site_overrides_write(db, SITE_PLATFORMS, "[2]", 1, &v, &e));
	works(site_overrides_write(db, SITE_RULES, "[3]", 2, &v, &e));
	assert_int_equal(v, 3);
	works(site_overrides_read(db, &a, &own, &e));
	assert_string_equal(own.rules, "[3]");
	assert_string_equal(own.platforms, "[2]");
	assert_null(own.operators);
	assert_int_equal(own.version, 3);
	refuses(site_overrides_write(db, SITE_OPERATORS, "[4]", 2, &v, &e),
		ERR_CONFLICT,
		"the catalog is at version 3, not 2; read it again and repeat "
		"the edit");
	assert_int_equal(v, 3);
	arena_release(&a);
}

static bool edit_once(struct db *db, int nth, struct err *e)
{
	int64_t v;
	for (;;) {
		struct err why = { 0 };
		if (!site_overrides_version(db, &v, e))
			return false;
		if (site_overrides_write(db,
			    (enum site_overrides_kind)(nth % SITE_KINDS), "[]",
			    v, &v, &why))
			return true;
		if (why.code != ERR_CONFLICT)
			return err_set(e, why.code, "%s", why.text);
	}
}

static void concurrent_edits_are_all_stored(void **state)
{
	struct db *db = *state;
	int64_t v;
	fixture_together(6, "", edit_once);
	works(site_overrides_version(db, &v, &e));
	assert_int_equal(v, 6);
}

/* A graph with a key, a content and three nodes. */
static struct graph_known graph(struct arena *a, char key, char content,
	const char *op)
{
	struct graph_known g = { .n = 3 };
	struct graph_node_known *n = arena_array(a, struct graph_node_known, 3);
	memset(g.key, key, sizeof g.key);
	memset(g.content, content, sizeof g.content);
	n[0] = (struct graph_node_known){ "gemm<int>", op, "m=1 n=2",
		DTYPE_BF16, 0 };
	n[1] = (struct graph_node_known){ "splitK", op, NULL, DTYPE_UNKNOWN,
		0 };
	n[2] = (struct graph_node_known){ "nobody's", NULL, NULL, DTYPE_UNKNOWN,
		7 };
	g.nodes = n;
	return g;
}

static int64_t taught(struct db *db, struct arena *a, const char *name,
	const struct graph_known *learned, uint32_t n)
{
	struct profile p = operator_fixture_profile(a);
	p.operators.learned = (struct graph_known *)(uintptr_t)learned;
	p.operators.learned_n = n;
	return fixture_save(db, name, &p, 1);
}

static uint32_t known(struct db *db, struct arena *a, char key,
	const struct graph_known **graphs)
{
	struct graph_wanted wanted[2] = { 0 };
	struct graph_book book;
	memset(wanted[0].key, key, sizeof wanted[0].key);
	memset(wanted[1].key, 'z', sizeof wanted[1].key);
	works(learned_graph_read(db, a, 0, wanted, 2, &book, &e));
	*graphs = book.graphs;
	return book.n;
}

static void graphs_are_read_back(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	const struct graph_known *got;
	/* one occurs twice, as two runs of an upload teach it */
	struct graph_known learned[] = { graph(&a, 'k', 'a', "gemm"),
		graph(&a, 'k', 'b', "gemm"), graph(&a, 'k', 'b', "gemm"),
		graph(&a, 'l', 'a', "gemm") };
	taught(db, &a, "1", learned, 4);
	assert_int_equal(known(db, &a, 'k', &got), 2);
	assert_int_equal(got[0].key[31], 'k');
	assert_int_equal(got[0].content[31], 'a');
	assert_int_equal(got[1].content[0], 'b');
	assert_int_equal(got[0].n, 3);
	assert_string_equal(got[0].nodes[0].kernel, "gemm<int>");
	assert_string_equal(got[0].nodes[0].op, "gemm");
	assert_string_equal(got[0].nodes[0].shape, "m=1 n=2");
	assert_int_equal(got[0].nodes[0].dtype, DTYPE_BF16);
	assert_null(got[0].nodes[1].shape);
	assert_int_equal(got[0].nodes[1].dtype, DTYPE_UNKNOWN);
	assert_null(got[0].nodes[2].op);
	assert_int_equal(got[0].nodes[2].call, 7);
	assert_int_equal(known(db, &a, 'x', &got), 0);
	arena_release(&a);
}

/* Graphs with many nodes: the newest are read, up to the limit. Graphs that
 * exceed the memory of a worker are not read. */
static void graphs_without_end(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 }, small = { .ceiling = 1 << 20 };
	const struct graph_known *got;
	struct graph_wanted wanted = { 0 };
	struct graph_book book;
	struct graph_known one = graph(&a, 'k', 'a', "gemm");
	taught(db, &a, "1", &one, 1);
	memset(wanted.key, 'k', sizeof wanted.key);
	fixture_script(db,
		"INSERT INTO learned_graph (upload_id, key, content, kernels, "
		"operators, shapes, dtypes, calls, created_at) "
		"SELECT upload_id, key, sha256(i::text::bytea), t, t, t, t, "
		"array_fill(0::bigint, ARRAY[200000]), "
		"created_at + i * interval '1 s' "
		"FROM learned_graph, generate_series(1, 3) i, "
		"array_fill(''::text, ARRAY[200000]) t");
	assert_int_equal(known(db, &a, 'k', &got), 2);
	assert_int_equal(got[1].n, 200000);
	refuses(learned_graph_read(db, &small, 0, &wanted, 1, &book, &e),
		ERR_TOO_LARGE,
		"the trace needs more than 1 MiB of memory; record a shorter "
		"window, or raise --ingest-mib");
	arena_release(&small);
	arena_release(&a);
}

/* The graph that was learned last is used. A rebuild replaces the graphs that
 * its upload taught. Deleting the last run of an upload deletes its graphs. */
static void graphs_are_their_uploads(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	const struct graph_known *got;
	int64_t queued;
	struct graph_known old = graph(&a, 'k', 'a', "gemm");
	struct graph_known new = graph(&a, 'k', 'a', "fused_moe");
	int64_t one = taught(db, &a, "1", &old, 1);
	int64_t two = taught(db, &a, "2", &new, 1);
	assert_int_equal(known(db, &a, 'k', &got), 1);
	assert_string_equal(got[0].nodes[0].op, "fused_moe");
	works(run_delete(db, *fixture_runs(db, &a, two, 1), &e));
	assert_int_equal(known(db, &a, 'k', &got), 1);
	assert_string_equal(got[0].nodes[0].op, "gemm");
	works(upload_requeue_all(db, &queued, &e));
	struct claim c = fixture_claim(db, one);
	struct profile p = operator_fixture_profile(&a);
	works(save(db, &c, &p, 1, NULL, &e));
	assert_int_equal(known(db, &a, 'k', &got), 0);
	arena_release(&a);
}

/* A run of two replays of one graph, without a known operator. */
static struct profile replayed(struct arena *a, struct graph_match *m,
	const char *const *kernels, uint32_t n)
{
	struct profile p = operator_fixture_profile(a);
	struct graph_sketch *s = arena_new(a, struct graph_sketch);
	graph_sketch_from(kernels, n, a, s);
	*m = (struct graph_match){ .sketch = s,
		.replays = 2,
		.kernels = n,
		.source = GRAPH_SOURCE_NONE,
		.reason = GRAPH_REASON_NO_CAPTURE };
	memset(m->key, 'r', sizeof m->key);
	p.operators.matches = m;
	p.operators.matches_n = 1;
	return p;
}

static void done_again(struct db *db)
{
	fixture_script(db, "UPDATE upload SET state = 'done', "
			   "finished_at = now() WHERE state = 'queued'");
}

/* A new graph queues the earlier uploads again whose runs replayed it or a graph
 * that differs by one kernel of 9: not the second upload, whose kernels are all
 * known, nor the third, whose capture is as near. A graph with other kernels
 * queues nothing, and neither does a known one. */
static void new_graph_queues_uploads(void **state)
{
	static const char *const kernels[] = { "a", "b", "c", "d", "e", "f",
		"g", "h" };
	struct db *db = *state;
	struct arena a = { 0 };
	struct graph_node_known nodes[9] = { { .kernel = "lost" } };
	struct graph_known one = graph(&a, 'k', 'a', "gemm");
	struct graph_match m;
	struct profile p = replayed(&a, &m, kernels, 8);
	for (uint32_t i = 0; i < 8; i++)
		nodes[i + 1] = (struct graph_node_known){ .kernel = kernels[i],
			.op = "gemm",
			.call = i + 1 };
	int64_t first = fixture_save(db, "1", &p, 1);
	m.attributed = 16;
	m.reason = GRAPH_REASON_NONE;
	m.sketch = NULL;
	int64_t second = fixture_save(db, "2", &p, 1);
	p = replayed(&a, &m, kernels, 8);
	m.captures = 1;
	m.captured = 9;
	m.matched = 8;
	m.source = GRAPH_SOURCE_RUN;
	int64_t third = fixture_save(db, "3", &p, 1);
	taught(db, &a, "other", &one, 1);
	fixture_expect(db, first, "done", 1, NULL);
	one.nodes = nodes;
	one.n = 9;
	memset(one.content, 'b', sizeof one.content);
	int64_t fourth = taught(db, &a, "4", &one, 1);
	fixture_expect(db, first, "queued", 0, NULL);
	fixture_expect(db, second, "done", 1, NULL);
	fixture_expect(db, third, "done", 1, NULL);
	fixture_expect(db, fourth, "done", 1, NULL);
	done_again(db);
	taught(db, &a, "5", &one, 1);
	fixture_expect(db, first, "done", 0, NULL);
	/* the graph itself, which is nearer */
	one.nodes = nodes + 1;
	one.n = 8;
	memset(one.key, 'r', sizeof one.key);
	taught(db, &a, "6", &one, 1);
	fixture_expect(db, first, "queued", 0, NULL);
	fixture_expect(db, third, "queued", 0, NULL);
	arena_release(&a);
}

/* Another worker stores the capture after the replay was queued, and before the
 * replay is stored: the replay's analysis may not have seen it. An earlier
 * capture was seen, so a replay without a match does not match. */
static void capture_arrives_during_the_analysis(void **state)
{
	static const char *const kernels[] = { "a", "b", "c", "d", "e", "f",
		"g", "h" };
	struct db *db = *state;
	struct arena a = { 0 };
	struct graph_node_known nodes[8];
	struct graph_known one = graph(&a, 'k', 'a', "gemm");
	struct graph_match m;
	struct profile p = replayed(&a, &m, kernels, 8);
	for (uint32_t i = 0; i < 8; i++)
		nodes[i] = (struct graph_node_known){ .kernel = kernels[i],
			.op = "gemm",
			.call = i };
	one.nodes = nodes;
	one.n = 8;
	taught(db, &a, "capture", &one, 1);
	int64_t seen = fixture_save(db, "1", &p, 1);
	fixture_expect(db, seen, "done", 1, NULL);
	fixture_script(db, "UPDATE learned_graph SET first_at = "
			   "now() + interval '1 hour'");
	int64_t missed = fixture_save(db, "2", &p, 1);
	fixture_expect(db, missed, "queued", 0, NULL);
	fixture_expect(db, seen, "done", 1, NULL);
	done_again(db);
	/* with another capture that is as near */
	m.captures = 1;
	m.captured = m.matched = 8;
	m.source = GRAPH_SOURCE_RUN;
	int64_t known_one = fixture_save(db, "3", &p, 1);
	fixture_expect(db, known_one, "done", 1, NULL);
	arena_release(&a);
}

/* Saves queued uploads until none is left; returns how often. */
static int save_queued(struct db *db, const int64_t id[3], struct profile *p,
	struct graph_known graphs[3])
{
	for (int saved = 0;; saved++) {
		struct claim c;
		works(upload_claim(db, "host:1", 30, &c, &e));
		if (!c.upload || saved == 30)
			return saved;
		for (int u = 0; u < 3; u++)
			if (id[u] == c.upload)
				p->operators.learned = &graphs[u];
		works(save(db, &c, p, 1, NULL, &e));
	}
}

/* Three uploads whose captures are near the replays of the others, which stay
 * unexplained. New captures queue the others; captures that are stored again
 * queue nothing. */
static void uploads_do_not_queue_each_other_without_end(void **state)
{
	static const char *const kernels[] = { "a", "b", "c", "d", "e", "f",
		"g", "h" };
	static const char *const bytes[] = { "1", "2", "3" };
	struct db *db = *state;
	struct arena a = { 0 };
	struct graph_node_known nodes[8];
	struct graph_known graphs[3];
	struct graph_match m;
	struct profile p = replayed(&a, &m, kernels, 8);
	int64_t id[3];
	for (uint32_t i = 0; i < 8; i++)
		nodes[i] = (struct graph_node_known){ .kernel = kernels[i],
			.op = "gemm",
			.call = i };
	p.operators.learned_n = 1;
	for (int u = 0; u < 3; u++) {
		id[u] = fixture_upload(db, &fixture_meta, bytes[u]).id;
		graphs[u] = graph(&a, (char)('k' + u), 'a', "gemm");
		graphs[u].nodes = nodes;
		graphs[u].n = 8;
	}
	assert_in_range(save_queued(db, id, &p, graphs), 3, 12);
	fixture_script(db,
		"UPDATE upload SET state = 'queued', queued_at = now(), "
		"attempts = 0, done_bytes = 0, best_bytes = 0, "
		"finished_at = NULL");
	assert_int_equal(save_queued(db, id, &p, graphs), 3);
	arena_release(&a);
}

static void of_many_contents_the_last_257(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	const struct graph_known *got;
	struct graph_known g = graph(&a, 'k', 'a', "gemm");
	taught(db, &a, "1", &g, 1);
	fixture_script(db,
		"INSERT INTO learned_graph SELECT 1000 + i, key, "
		"sha256(i::text::bytea), kernels, operators, shapes, dtypes, "
		"calls, created_at + i * interval '1 s' "
		"FROM learned_graph, generate_series(1, 300) i");
	assert_int_equal(known(db, &a, 'k', &got), 257);
	arena_release(&a);
}

static void reference_sets_are_read_back(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct reference_set_row *rows, is = { .name = "atrex",
		.source = "ATREX",
		.runs = 1303,
		.operators = 30,
		.shapes = 440 };
	const char *json, *sha256;
	size_t len;
	uint32_t n;
	bool made;
	works(reference_set_store(db, &is, "{}", 2, &made, &e));
	assert_true(made);
	works(reference_set_store(db, &is, "{}", 2, &made, &e));
	assert_false(made);
	refuses(reference_set_store(db, &is, "[]", 2, &made, &e), ERR_CONFLICT,
		"there is another reference set called 'atrex'; delete it "
		"first, or give this one another name");
	is.name = "";
	refuses(reference_set_store(db, &is, "{}", 2, &made, &e), ERR_INPUT,
		"a reference set needs a name; give name=");
	works(reference_set_list(db, &a, &rows, &n, &e));
	assert_int_equal(n, 1);
	assert_string_equal(rows[0].name, "atrex");
	assert_string_equal(rows[0].source, "ATREX");
	/* printf '{}' | sha256sum */
	assert_string_equal(rows[0].sha256,
		"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff"
		"8a");
	assert_int_equal(rows[0].runs, 1303);
	assert_int_equal(rows[0].operators, 30);
	assert_int_equal(rows[0].shapes, 440);
	assert_int_equal(rows[0].bytes, 2);
	works(reference_set_load(db, &a, "atrex", &json, &len, &sha256, &e));
	assert_int_equal(len, 2);
	assert_string_equal(json, "{}");
	assert_string_equal(sha256, rows[0].sha256);
	works(reference_set_delete(db, "atrex", &e));
	refuses(reference_set_delete(db, "atrex", &e), ERR_NOT_FOUND,
		"no reference set 'atrex'");
	refuses(reference_set_load(db, &a, "atrex", &json, &len, &sha256, &e),
		ERR_NOT_FOUND, "no reference set 'atrex'");
	arena_release(&a);
}

static void ceilings_are_read_back(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct platform_ceilings_row is = { "H20", "{}", 2000000, 0 }, *rows;
	uint32_t n;
	works(platform_ceilings_store(db, &is, &e));
	is = (struct platform_ceilings_row){ "A10", "[1]", 1000000, 0 };
	works(platform_ceilings_store(db, &is, &e));
	works(platform_ceilings_list(db, &a, NULL, &rows, &n, &e));
	assert_int_equal(n, 2);
	assert_string_equal(rows[0].platform, "A10");
	assert_string_equal(rows[1].document, "{}");
	assert_int_equal(rows[1].measured, 2000000);
	assert_true(rows[1].stored > rows[1].measured);
	is = (struct platform_ceilings_row){ "H20", "[2]", 1999999, 0 };
	refuses(platform_ceilings_store(db, &is, &e), ERR_CONFLICT,
		"the stored ceilings of 'H20' were measured later; delete them "
		"first");
	is.measured = 2000000;
	works(platform_ceilings_store(db, &is, &e));
	works(platform_ceilings_list(db, &a, "H20", &rows, &n, &e));
	assert_int_equal(n, 1);
	assert_string_equal(rows[0].document, "[2]");
	works(platform_ceilings_list(db, &a, "H2", &rows, &n, &e));
	assert_int_equal(n, 0);
	works(platform_ceilings_delete(db, "H20", &e));
	refuses(platform_ceilings_delete(db, "H20", &e), ERR_NOT_FOUND,
		"no measured ceilings of 'H20'");
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(edits_are_read_back),
		CASE(concurrent_edits_are_all_stored),
		CASE(graphs_are_read_back),
		CASE(graphs_without_end),
		CASE(graphs_are_their_uploads),
		CASE(new_graph_queues_uploads),
		CASE(capture_arrives_during_the_analysis),
		CASE(uploads_do_not_queue_each_other_without_end),
		CASE(of_many_contents_the_last_257),
		CASE(reference_sets_are_read_back),
		CASE(ceilings_are_read_back),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
