/* db_breakdown.c - tests that layers and groups are read as they were saved. */
#include "layers.h"
#include "query_breakdown.h"
#include "run_change.h"

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

static int64_t saved(struct db *db, struct arena *a, const struct profile *p)
{
	return *fixture_runs(db, a, fixture_save(db, "1", p, 1), 1);
}

/* The rows of fixture_profile() alone, which has no breakdown. */
static void a_run_without_a_breakdown(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = fixture_profile(&a);
	struct breakdown_stored got;
	struct groups_stored groups;
	p.breakdown.device = -1;
	p.breakdown.why = "there are no kernels";
	int64_t run = saved(db, &a, &p);
	works(query_breakdown(db, &a, run, &got, &e));
	layers_same(&p, &got);
	assert_int_equal(got.kernels_n, 0);
	works(query_groups(db, &a, run, &groups, &e));
	assert_int_equal(groups.groups.n, 0);
	assert_int_equal(groups.kernels_n, 0);
	arena_release(&a);
}

static void every_word_is_read_back(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	for (int d = 0; d < LAYER_DETECTORS; d++) {
		struct profile p = layered(&a);
		struct breakdown_stored got;
		p.breakdown.detector = (enum layer_detector)d;
		p.breakdown.realigned = d % 2;
		char bytes[2] = { (char)('a' + d), '\0' };
		int64_t run = *fixture_runs(db, &a,
			fixture_save(db, bytes, &p, 1), 1);
		works(query_breakdown(db, &a, run, &got, &e));
		layers_same(&p, &got);
		assert_int_equal(got.kernels_n, 2);
		struct layers_short s;
		bool there;
		works(query_layers_short(db, &a, run, &s, &there, &e));
		assert_true(there);
		assert_int_equal(s.detector, d);
		assert_int_equal(s.layers, 61);
	}
	assert_int_equal(fixture_derived(db),
		LAYER_DETECTORS * (FIXTURE_ROWS + LAYERS_ROWS));
	arena_release(&a);
}

static void groups_are_read_back(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = layered(&a);
	struct groups_stored got;
	works(query_groups(db, &a, saved(db, &a, &p), &got, &e));
	assert_int_equal(got.kernels_n, 2);
	assert_int_equal(got.groups.n, GROUP_EVIDENCES);
	for (uint32_t i = 0; i < got.groups.n; i++) {
		const struct kernel_group *x = &got.groups.groups[i];
		const struct kernel_group *y = &p.groups.groups[i];
		assert_int_equal(x->evidence, y->evidence);
		assert_int_equal(x->support, y->support);
		assert_float_equal(x->confidence, y->confidence, 0);
		layers_same_text(x->operator_, y->operator_);
		assert_int_equal(x->total_ns, y->total_ns);
		assert_int_equal(x->alone, y->alone);
		assert_int_equal(x->kernels_n, y->kernels_n);
		for (uint32_t k = 0; k < x->kernels_n; k++)
			assert_string_equal(got.kernels[x->kernels[k]].name,
				p.kernels[y->kernels[k]].name);
	}
	arena_release(&a);
}

/* Checks that neither layers nor groups are stored for the run. `text` and
 * `rest` are the parts of the error message before and after the word "layers"
 * or "groups". */
static void nobody_looked(struct db *db, struct arena *a, int64_t run,
	const char *text, const char *rest)
{
	struct breakdown_stored got;
	struct groups_stored groups;
	char want[120];
	snprintf(want, sizeof want, "run %lld %s layers%s", (long long)run,
		text, rest);
	refuses(query_breakdown(db, a, run, &got, &e), ERR_NOT_FOUND, want);
	snprintf(want, sizeof want, "run %lld %s groups%s", (long long)run,
		text, rest);
	refuses(query_groups(db, a, run, &groups, &e), ERR_NOT_FOUND, want);
}

/* A run of a table, a run from before layers were detected, no run. */
static void a_run_without_layers_has_a_reason(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = layered(&a);
	struct breakdown_stored got;
	struct groups_stored groups;
	static const struct {
		enum content content;
		const char *rest;
	} cases[] = { { CONTENT_STATISTICS,
			      ": its upload contains only statistics" },
		{ CONTENT_PATTERNS, ": its upload contains only patterns" } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct profile t = fixture_profile(&a);
		char bytes[2] = { (char)('a' + i), '\0' };
		t.content = cases[i].content;
		int64_t run = *fixture_runs(db, &a,
			fixture_save(db, bytes, &t, 1), 1);
		nobody_looked(db, &a, run, "has no", cases[i].rest);
		struct layers_short s;
		bool there;
		works(query_layers_short(db, &a, run, &s, &there, &e));
		assert_false(there);
	}
	int64_t run = saved(db, &a, &p);
	fixture_script(db, "DELETE FROM run_breakdown");
	nobody_looked(db, &a, run, "was read before",
		" were looked for; kernsiftd rebuild does it");
	refuses(query_breakdown(db, &a, 4711, &got, &e), ERR_NOT_FOUND,
		"no run 4711");
	refuses(query_groups(db, &a, 4711, &groups, &e), ERR_NOT_FOUND,
		"no run 4711");
	arena_release(&a);
}

static void a_rebuild_and_a_deletion_leave_nothing_behind(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = layered(&a);
	struct breakdown_stored got;
	int64_t queued, upload = fixture_save(db, "1", &p, 1);
	int64_t run = *fixture_runs(db, &a, upload, 1);
	works(upload_requeue_all(db, &queued, &e));
	struct claim c = fixture_claim(db, upload);
	p.breakdown.rows_n--;
	p.breakdown.anchor = "another";
	works(save(db, &c, &p, 1, NULL, &e));
	works(query_breakdown(db, &a, run, &got, &e));
	layers_same(&p, &got);
	assert_int_equal(fixture_derived(db), FIXTURE_ROWS + LAYERS_ROWS - 1);
	works(run_delete(db, run, &e));
	assert_int_equal(fixture_derived(db), 0);
	arena_release(&a);
}

/* By names, some of which are in the dictionary. */
static void kernels_are_found_by_name(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = layered(&a);
	struct breakdown_kernel kernels[] = { { 5, "add", "add", NULL },
		{ 6, "nobody's", "nobody's", NULL },
		{ 7, "void gemm<float>(int)", "gemm", NULL } };
	saved(db, &a, &p);
	works(query_kernel_ids(db, kernels, 3, &e));
	assert_int_equal(kernels[0].id,
		fixture_count(db, "SELECT id FROM kernel WHERE name = 'add'"));
	assert_int_equal(kernels[1].id, -1);
	assert_int_equal(kernels[2].id,
		fixture_count(db, "SELECT id FROM kernel WHERE name <> 'add'"));
	works(query_kernel_ids(db, kernels, 0, &e));
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(a_run_without_a_breakdown),
		CASE(every_word_is_read_back),
		CASE(groups_are_read_back),
		CASE(kernels_are_found_by_name),
		CASE(a_run_without_layers_has_a_reason),
		CASE(a_rebuild_and_a_deletion_leave_nothing_behind),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
