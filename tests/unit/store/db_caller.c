/* db_caller.c - the callers of a kernel: paths, including deep and long
 * ones. */
#include "detail.h"

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

/* A line as "path 1 200 annotation:step 7/python:train.py(7): loop". */
static const char *line(struct arena *a, const struct caller_line *l)
{
	static const char *const known[] = { "path", "no_range", "no_call" };
	static const char *const kinds[] = { "annotation", "module", "python",
		"op" };
	const char *text = arena_printf(a, "%s %lld %lld%s", known[l->known],
		(long long)l->launches, (long long)l->total_ns,
		l->cut ? " cut" : "");
	for (uint32_t i = 0; i < l->path_n; i++)
		text = arena_printf(a, "%s%s%s:%s", text, i ? "/" : " ",
			kinds[l->path[i].kind], l->path[i].name);
	return text;
}

static void callers_with_their_paths(void **state)
{
	struct arena a = { 0 };
	struct profile p = detailed(&a);
	struct caller_table t;
	int64_t run = saved(*state, &a, &p);
	int64_t gemm = detail_kernel(*state, "void gemm<float>(int)");
	works(query_callers(*state, &a, run, gemm, 0, 10, &t, &e));
	assert_string_equal(t.kernel.name, "void gemm<float>(int)");
	assert_string_equal(t.kernel.short_name, "gemm");
	assert_int_equal(t.launches, 3);
	assert_int_equal(t.total_ns, 300);
	assert_int_equal(t.n, 3);
	assert_false(t.more);
	assert_string_equal(line(&a, &t.lines[0]),
		"path 1 200 annotation:step 7/python:train.py(7): "
		"loop/op:aten::mm");
	assert_string_equal(line(&a, &t.lines[1]),
		"path 1 60 annotation:step 7/python:train.py(7): loop");
	assert_string_equal(line(&a, &t.lines[2]), "no_range 1 40");
	/* Pages of lines; the totals cover all lines. */
	works(query_callers(*state, &a, run, gemm, 1, 1, &t, &e));
	assert_int_equal(t.n, 1);
	assert_true(t.more);
	assert_int_equal(t.total_ns, 300);
	assert_int_equal(t.lines->total_ns, 60);
	works(query_callers(*state, &a, run, gemm, 3, 1, &t, &e));
	assert_int_equal(t.n, 0);
	assert_false(t.more);

	works(query_callers(*state, &a, run, detail_kernel(*state, "add"), 0,
		10, &t, &e));
	assert_int_equal(t.n, 2);
	assert_string_equal(line(&a, &t.lines[0]), "no_call 1 100");
	assert_string_equal(line(&a, &t.lines[1]),
		"path 1 50 module:nn.Module: Head_0");
	arena_release(&a);
}

static void kernel_of_another_run_has_no_callers(void **state)
{
	struct arena a = { 0 };
	struct profile p = detailed(&a);
	struct caller_table t;
	struct profile_kernel k;
	char want[60];
	int64_t run = saved(*state, &a, &p);
	int64_t gemm = detail_kernel(*state, "void gemm<float>(int)");
	refuses(query_callers(*state, &a, run, 4711, 0, 10, &t, &e),
		ERR_NOT_FOUND,
		arena_printf(&a, "run %lld has no kernel 4711",
			(long long)run));
	snprintf(want, sizeof want, "run %lld has no kernel %lld",
		(long long)run + 1, (long long)gemm);
	refuses(query_callers(*state, &a, run + 1, gemm, 0, 10, &t, &e),
		ERR_NOT_FOUND, want);
	works(query_kernel(*state, &a, gemm, &k, &e));
	assert_string_equal(k.mangled, "_Z4gemmIfEvi");
	assert_string_equal(k.source.family, "gemm");
	refuses(query_kernel(*state, &a, 4711, &k, &e), ERR_NOT_FOUND,
		"no kernel 4711");
	arena_release(&a);
}

static void run_without_callers_has_an_empty_table(void **state)
{
	struct arena a = { 0 };
	struct profile p = fixture_profile(&a);
	struct caller_table t;
	int64_t run = saved(*state, &a, &p);
	works(query_callers(*state, &a, run, detail_kernel(*state, "add"), 0,
		10, &t, &e));
	assert_int_equal(t.n, 0);
	assert_int_equal(t.launches, 0);
	arena_release(&a);
}

/* Kernel 0 was launched from each frame of one chain. */
static struct profile chained(struct arena *a, uint32_t depth, size_t name)
{
	struct profile p = fixture_profile(a);
	char *text = arena_alloc(a, name + 1, 1);
	memset(text, 'n', name);
	p.frames_n = depth + 1;
	p.frames = arena_array(a, struct frame, p.frames_n);
	p.callers_n = depth;
	p.callers = arena_array(a, struct caller_stat, depth);
	for (uint32_t i = 1; i <= depth; i++) {
		p.frames[i] = (struct frame){ i - 1, FRAME_PYTHON, text };
		/* Deepest first. */
		p.callers[i - 1] = (struct caller_stat){ 0, CALLER_PATH,
			depth + 1 - i, 1, depth + 1 - i };
	}
	return p;
}

static void tree_deeper_than_a_path_is_shown(void **state)
{
	struct arena a = { 0 };
	struct profile p = chained(&a, QUERY_PATH + 3, 1);
	struct caller_table t;
	int64_t run = saved(*state, &a, &p);
	works(query_callers(*state, &a, run,
		detail_kernel(*state, "void gemm<float>(int)"), 0, 5, &t, &e));
	assert_int_equal(t.n, 5);
	assert_true(t.more);
	for (uint32_t i = 0; i < 5; i++) {
		bool cut = i < 3;
		assert_int_equal(t.lines[i].cut, cut);
		assert_int_equal(t.lines[i].path_n,
			cut ? QUERY_PATH : QUERY_PATH + 3 - i);
	}
	arena_release(&a);
}

/* Names have 64 KiB. Sixteen names are 1 MiB, where a path ends, and eight
 * such paths fill a page. */
static void page_of_long_names_ends_early(void **state)
{
	struct arena a = { 0 };
	struct profile p = chained(&a, 40, 65536 - 32);
	struct caller_table t;
	int64_t run = saved(*state, &a, &p);
	int64_t gemm = detail_kernel(*state, "void gemm<float>(int)");
	works(query_callers(*state, &a, run, gemm, 0, 30, &t, &e));
	assert_int_equal(t.n, 8);
	assert_true(t.more);
	for (uint32_t i = 0; i < 8; i++) {
		assert_true(t.lines[i].cut);
		assert_int_equal(t.lines[i].path_n, 16);
		assert_int_equal(strlen(t.lines[i].path[0].name), 65536 - 32);
	}
	/* The innermost names are short enough: 15 + 14 + … + 1 = 120 names
	 * are less than a page. */
	works(query_callers(*state, &a, run, gemm, 25, 30, &t, &e));
	assert_int_equal(t.n, 15);
	assert_false(t.more);
	assert_false(t.lines[0].cut);
	assert_int_equal(t.lines[0].path_n, 15);
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(callers_with_their_paths),
		CASE(kernel_of_another_run_has_no_callers),
		CASE(run_without_callers_has_an_empty_table),
		CASE(tree_deeper_than_a_path_is_shown),
		CASE(page_of_long_names_ends_early),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
