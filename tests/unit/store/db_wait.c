/* db_wait.c - tests that the causes of idle time and the work of iterations are
 * read as they were saved. */
#include "changes.h"
#include "packed.h"
#include "profile_word.h"
#include "query_compared.h"
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

/* A row for each cause, the names, a row for each class, and a row of work. */
enum { WAIT_ROWS = WAIT_CAUSES + 4 + BUSY_CLASSES + 1 };

/* The five iterations of changes.h. The kept ones are the second, which is idle
 * for 100 ns, the third and the fourth, which are never idle. */
static struct profile waiting(struct arena *a)
{
	static const int64_t idle_ns[WAIT_CAUSES][5] = {
		[WAIT_SYNCHRONIZATION] = { 0, 40 },
		[WAIT_COPY] = { 30, 0 },
		[WAIT_HOST_GAP] = { 100, 25 },
		[WAIT_LAUNCH] = { 60, 20 },
		[WAIT_GRAPH] = { 0, 0 },
		[WAIT_STREAM] = { 3, 9 },
		[WAIT_UNKNOWN] = { 7, 6 },
	};
	/* 250, 490 and 300 ns of computing in the kept ones */
	static const int64_t busy_ns[BUSY_CLASSES][5] = {
		[BUSY_COMPUTE_BOUND] = { 1, 100, 490, 0 },
		[BUSY_MEMORY_BOUND] = { 0, 120, 0, 1 },
		[BUSY_NO_BOUND] = { 0, 25, 0, 299 },
		[BUSY_LAUNCH_FLOOR] = { 0, 5, 0, 0 },
		[BUSY_EXPOSED_COMM] = { 0, 50, 0, 0, 8 },
		[BUSY_COPY] = { 0, 0, 10, 0 },
	};
	static const int64_t calls_ns[] = { 500, 250, 490, 300, 0 };
	static const struct wait_name names[] = {
		{ WAIT_SYNCHRONIZATION, WAIT_KIND_CALL, "cudaStreamSynchronize",
			40 },
		{ WAIT_HOST_GAP, WAIT_KIND_PYTHON, "sched.py(12): run", 20 },
		{ WAIT_HOST_GAP, WAIT_KIND_OP, "aten::item", 1 },
		{ WAIT_LAUNCH, WAIT_KIND_CALL, "cudaLaunchKernel", 20 },
	};
	struct profile p = changing(a);
	struct iteration *third = &p.iterations.iterations[2];
	third->compute_ns = 490;
	third->comm_ns = third->idle_ns = 0;
	third->copy_ns = 10;
	for (int c = 0; c < WAIT_CAUSES; c++) {
		p.waits.iteration_ns[c] = COPIED(a, idle_ns[c]);
		p.waits.time_ns[c] = idle_ns[c][1];
		p.waits.parts[c] = idle_ns[c][1] ? c + 1 : 0;
	}
	for (int c = 0; c < BUSY_CLASSES; c++) {
		p.busy.iteration_ns[c] = COPIED(a, busy_ns[c]);
		for (int i = 1; i < 4; i++)
			p.busy.time_ns[c] += busy_ns[c][i];
	}
	p.waits.names = COPIED(a, names);
	p.waits.names_n = 4;
	p.operators.work.rows = arena_new(a, struct iteration_work);
	p.operators.work.rows->time_ns = COPIED(a, calls_ns);
	p.operators.work.n = 1;
	p.operators.work.iterations_n = 5;
	return p;
}

/* The times of each iteration, which query_waits() does not read. */
static void same_iterations(struct db *db, int64_t run,
	const struct wait_times *w)
{
	static const char sql[] = "SELECT iteration_ns "
				  "FROM run_wait "
				  "WHERE run_id = $1 AND cause = $2";
	for (int c = 0; c < WAIT_CAUSES; c++) {
		struct sql_params p = { 0 };
		struct result r;
		int64_t ns[5];
		size_t len;
		sql_int8(&p, run);
		sql_text(&p, profile_word_wait[c]);
		works(sql_run(db, sql, &p, &r, &e));
		assert_true(result_next(&r));
		const void *bytes = result_bytes(&r, &len);
		assert_true(packed_read(bytes, len, ns, 5));
		assert_memory_equal(ns, w->iteration_ns[c], sizeof ns);
		result_release(&r);
	}
}

static void same_waits(const struct wait_times *x, const struct wait_times *y)
{
	for (int c = 0; c < WAIT_CAUSES; c++) {
		assert_int_equal(x->time_ns[c], y->time_ns[c]);
		assert_int_equal(x->parts[c], y->parts[c]);
		assert_null(y->iteration_ns[c]);
	}
	assert_int_equal(x->names_n, y->names_n);
	for (uint32_t i = 0; i < x->names_n; i++) {
		assert_int_equal(x->names[i].cause, y->names[i].cause);
		assert_int_equal(x->names[i].kind, y->names[i].kind);
		assert_string_equal(x->names[i].name, y->names[i].name);
		assert_int_equal(x->names[i].time_ns, y->names[i].time_ns);
	}
}

/* The second to fourth iterations of the run; `known`: with their causes. */
static void kept_ones(const struct kept_iterations *kept, bool known)
{
	const struct kept_iteration *rows = kept->rows;
	assert_int_equal(kept->n, 3);
	assert_int_equal(rows[1].compute_ns, 490);
	assert_int_equal(rows[1].copy_ns, 10);
	assert_int_equal(rows[0].comm_ns, 50);
	assert_int_equal(rows[0].launch_ns, known ? 20 : -1);
	assert_int_equal(rows[0].host_gap_ns, known ? 25 : -1);
	assert_int_equal(rows[2].launch_ns, known ? 0 : -1);
}

static void every_cause_is_read_back(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = waiting(&a);
	struct iteration_sums sums;
	struct wait_times got;
	struct kept_iterations kept;
	int64_t upload = fixture_save(db, "1", &p, 1);
	int64_t id = *fixture_runs(db, &a, upload, 1);
	assert_int_equal(fixture_derived(db),
		FIXTURE_ROWS + CHANGE_ROWS + WAIT_ROWS);
	works(query_waits(db, &a, id, &sums, &got, &kept, &e));
	kept_ones(&kept, true);
	assert_int_equal(sums.iterations, 3);
	assert_int_equal(sums.compute_ns, 250 + 490 + 300);
	assert_int_equal(sums.comm_ns, 50);
	assert_int_equal(sums.copy_ns, 10);
	assert_int_equal(sums.idle_ns, 100);
	assert_true(sums.causes_known);
	assert_true(sums.classes_known);
	for (int c = 0; c < BUSY_CLASSES; c++)
		assert_int_equal(sums.class_ns[c], p.busy.time_ns[c]);
	same_waits(&p.waits, &got);
	same_iterations(db, id, &p.waits);
	assert_int_equal(got.late_launch_ns, -1);
	assert_int_equal(got.short_ns, -1);
	const struct saved_collective *c = kept.collective;
	assert_non_null(c);
	assert_int_equal(c->kind, COLLECTIVE_ALL_TO_ALL);
	assert_int_equal(c->dtype, DTYPE_BF16);
	assert_int_equal(c->bytes, 1024);
	assert_string_equal(c->group, "[0, 1]");
	assert_int_equal(c->group_size, 2);
	assert_true(c->saved_ns == 12.5 && c->saved_error_ns == 2);
	arena_release(&a);
}

/* Two runs, of which the second has no causes: what comparisons read. */
static void comparisons_read_the_times_of_each_iteration(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p[2] = { waiting(&a), changing(&a) };
	struct compared_run r[2];
	int64_t upload = fixture_save(db, "1", p, 2);
	const int64_t *ids = fixture_runs(db, &a, upload, 2);
	works(query_compared(db, &a, ids, 2, true, r, &e));
	for (int c = 0; c < WAIT_CAUSES; c++) {
		assert_memory_equal(r[0].idle_cause_ns[c],
			p[0].waits.iteration_ns[c], 5 * sizeof(int64_t));
		assert_null(r[1].idle_cause_ns[c]);
	}
	works(query_compared(db, &a, ids, 1, false, r, &e));
	assert_null(r[0].idle_cause_ns[0]);
	arena_release(&a);
}

/* A missing cause, a cause with fewer values, and times that do not add up. */
static void a_comparison_refuses_damaged_causes(void **state)
{
	static const char *const damage[] = {
		"DELETE FROM run_wait WHERE cause = 'unknown'",
		"UPDATE run_wait SET iteration_ns = '\\x010203' "
		"WHERE cause = 'copy_wait'",
		"UPDATE run_wait SET iteration_ns = (SELECT x.iteration_ns "
		"FROM run_wait x WHERE x.run_id = run_wait.run_id "
		"AND x.cause = 'host_gap') WHERE cause = 'copy_wait'",
	};
	struct db *db = *state;
	struct arena a = { 0 };
	struct compared_run r;
	char sentence[200];
	for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
		struct profile p = waiting(&a);
		char bytes[2] = { (char)('a' + i), '\0' };
		int64_t upload = fixture_save(db, bytes, &p, 1);
		int64_t id = *fixture_runs(db, &a, upload, 1);
		fixture_script(db, damage[i]);
		snprintf(sentence, sizeof sentence,
			"the rows of run %lld do not fit each other; "
			"'kernsiftd rebuild' makes them again",
			(long long)id);
		refuses(query_compared(db, &a, &id, 1, true, &r, &e),
			ERR_INTERNAL, sentence);
	}
	arena_release(&a);
}

/* Without rows of causes, those of the iterations are unknown. */
static void iterations_without_causes(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = waiting(&a);
	struct iteration_sums sums;
	struct wait_times got;
	struct kept_iterations kept;
	int64_t upload = fixture_save(db, "1", &p, 1);
	int64_t id = *fixture_runs(db, &a, upload, 1);
	fixture_script(db, "DELETE FROM run_wait");
	works(query_waits(db, &a, id, &sums, &got, &kept, &e));
	kept_ones(&kept, false);
	arena_release(&a);
}

/* Without causes: an analysis that found none, in iterations of which one has
 * unknown times; and no such run. */
static void unknown_causes_are_not_zero(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = changing(&a);
	struct iteration_sums sums;
	struct wait_times got;
	struct kept_iterations kept;
	int64_t upload = fixture_save(db, "1", &p, 1);
	const int64_t ids[] = { *fixture_runs(db, &a, upload, 1), 4711 };
	for (int i = 0; i < 2; i++) {
		works(query_waits(db, &a, ids[i], &sums, &got, &kept, &e));
		assert_int_equal(sums.iterations, i ? 0 : 3);
		assert_int_equal(sums.compute_ns, -1);
		assert_int_equal(sums.comm_ns, -1);
		assert_int_equal(sums.copy_ns, -1);
		assert_int_equal(sums.idle_ns, -1);
		assert_false(sums.causes_known);
		assert_int_equal(got.names_n, 0);
	}
	arena_release(&a);
}

/* All iterations are warm-up: there are rows of causes, and no sums to which
 * they could add up. */
static void causes_without_a_kept_iteration(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = waiting(&a);
	struct iteration_sums sums;
	struct wait_times got;
	struct kept_iterations kept;
	for (uint32_t i = 0; i < p.iterations.n; i++)
		p.iterations.iterations[i].use = ITERATION_WARMUP;
	for (int c = 0; c < WAIT_CAUSES; c++)
		p.waits.time_ns[c] = p.waits.parts[c] = 0;
	p.waits.names_n = 0;
	int64_t upload = fixture_save(db, "1", &p, 1);
	int64_t id = *fixture_runs(db, &a, upload, 1);
	works(query_waits(db, &a, id, &sums, &got, &kept, &e));
	assert_int_equal(sums.iterations, 0);
	assert_int_equal(sums.idle_ns, -1);
	assert_int_equal(got.time_ns[WAIT_HOST_GAP], 0);
	assert_true(sums.causes_known);
	arena_release(&a);
}

/* Calls of two dtypes, calls that only move bytes, and calls of unknown work in
 * five iterations. The largest sums do not fit 53 bits. */
static void the_work_of_iterations_is_read_back(void **state)
{
	static const double flops[] = { 1, 2, 3e17, 4, 0, 10, 20, 0, 40, 5e30 };
	static const double bytes[] = { 7, 8, 9, 1e19, 0 }, none[] = { 0 };
	static const double again[] = { 1, 0, 1e17, 4, 0, 0, 20, 0, 40, 5e30 };
	static const int64_t ns[] = { 5, 4, 3, 2, 1 }, zero[5] = { 0 };
	static const int64_t known_ns[] = { 5, 4, 3, 0, 1 };
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = waiting(&a);
	struct iteration_work work[] = {
		{ .time_ns = COPIED(&a, ns) },
		{ true, 1 << DTYPE_BF16 | 1 << DTYPE_FP32, COPIED(&a, flops),
			COPIED(&a, bytes), COPIED(&a, ns), COPIED(&a, again),
			COPIED(&a, known_ns) },
		{ true, 0, COPIED(&a, none), COPIED(&a, bytes),
			COPIED(&a, zero), COPIED(&a, none), COPIED(&a, zero) },
	};
	struct iteration_works got;
	p.operators.work = (struct iteration_works){ work, 3, 5, 0 };
	int64_t upload = fixture_save(db, "1", &p, 1);
	int64_t id = *fixture_runs(db, &a, upload, 1);
	works(query_iteration_works(db, &a, id, &got, &e));
	assert_int_equal(got.n, 3);
	assert_int_equal(got.iterations_n, 5);
	assert_int_equal(got.devices, p.devices_n);
	for (int i = 0; i < 3; i++) {
		struct iteration_work *w = &got.rows[i];
		assert_int_equal(w->known, work[i].known);
		assert_int_equal(w->dtypes, work[i].dtypes);
		assert_memory_equal(w->time_ns, work[i].time_ns, sizeof ns);
		if (w->known)
			assert_memory_equal(w->bytes, bytes, sizeof bytes);
	}
	assert_memory_equal(got.rows[1].flops, flops, sizeof flops);
	assert_memory_equal(got.rows[1].recomputed_flops, again, sizeof again);
	assert_memory_equal(got.rows[1].recompute_known_ns, known_ns,
		sizeof known_ns);
	assert_null(got.rows[0].recompute_known_ns);
	fixture_script(db, "UPDATE run_iteration_work SET recomputed_flops = "
			   "NULL, recompute_known_ns = NULL");
	works(query_iteration_works(db, &a, id, &got, &e));
	assert_int_equal(got.n, 3);
	assert_null(got.rows[1].recomputed_flops);
	assert_null(got.rows[1].recompute_known_ns);
	fixture_script(db, "DELETE FROM run_iteration_work");
	works(query_iteration_works(db, &a, id, &got, &e));
	assert_int_equal(got.n, 0);
	refuses(query_iteration_works(db, &a, 4711, &got, &e), ERR_NOT_FOUND,
		"no run 4711");
	arena_release(&a);
}

/* Fewer values than iterations, in each packed column. */
static void damaged_work_is_refused(void **state)
{
	static const char *const damage[] = { "flops", "bytes", "time_ns",
		"recomputed_flops", "recompute_known_ns" };
	static const double three[] = { 1, 2, 3, 4, 5 };
	static const int64_t ns[] = { 5, 4, 3, 2, 1 };
	struct db *db = *state;
	struct arena a = { 0 };
	for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
		struct profile p = waiting(&a);
		struct iteration_work work = { true, 1 << DTYPE_BF16,
			COPIED(&a, three), COPIED(&a, three), COPIED(&a, ns),
			COPIED(&a, three), COPIED(&a, ns) };
		struct iteration_works got;
		char bytes[2] = { (char)('a' + i), '\0' };
		p.operators.work = (struct iteration_works){ &work, 1, 5, 0 };
		int64_t upload = fixture_save(db, bytes, &p, 1);
		int64_t id = *fixture_runs(db, &a, upload, 1);
		fixture_script(db, arena_printf(&a,
					   "UPDATE run_iteration_work SET %s = "
					   "'\\x010203'",
					   damage[i]));
		refuses(query_iteration_works(db, &a, id, &got, &e),
			ERR_INTERNAL,
			arena_printf(&a,
				"the sums of work of run %lld do not fit its "
				"iterations; 'kernsiftd rebuild' makes them "
				"again",
				(long long)id));
	}
	arena_release(&a);
}

static void rebuilt_moved_and_deleted_with_the_run(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct profile p = waiting(&a);
	struct run_change move = { .project = "other" };
	struct iteration_works work;
	struct iteration_sums sums;
	struct wait_times got;
	struct kept_iterations kept;
	int64_t queued, upload = fixture_save(db, "1", &p, 1);
	int64_t id = *fixture_runs(db, &a, upload, 1);
	works(upload_requeue_all(db, &queued, &e));
	struct claim c = fixture_claim(db, upload);
	p.waits.iteration_ns[WAIT_COPY][1] = p.waits.time_ns[WAIT_COPY] = 1;
	p.waits.parts[WAIT_COPY] = 1;
	p.waits.iteration_ns[WAIT_SYNCHRONIZATION][1]--;
	p.waits.time_ns[WAIT_SYNCHRONIZATION]--;
	p.waits.names_n = 3;
	works(save(db, &c, &p, 1, NULL, &e));
	works(query_waits(db, &a, id, &sums, &got, &kept, &e));
	same_waits(&p.waits, &got);
	works(run_change(db, id, &move, &e));
	works(query_waits(db, &a, id, &sums, &got, &kept, &e));
	same_waits(&p.waits, &got);
	same_iterations(db, id, &p.waits);
	works(query_iteration_works(db, &a, id, &work, &e));
	assert_int_equal(work.n, 1);
	works(run_delete(db, id, &e));
	assert_int_equal(fixture_derived(db), 0);
	arena_release(&a);
}

/* A missing cause, and a cause with more time than the iterations are idle; the same
 * of classes, and a class with the time of another. */
static void rows_that_do_not_fit_are_refused(void **state)
{
	static const struct {
		const char *sql, *what;
	} damage[] = {
		{ "DELETE FROM run_wait WHERE cause = 'unknown'",
			"the causes of idle time" },
		{ "UPDATE run_wait SET time_ns = time_ns + 1 "
		  "WHERE cause = 'launch_bound'",
			"the causes of idle time" },
		{ "UPDATE run_wait SET iteration_ns = '\\x010203' "
		  "WHERE cause = 'host_gap'",
			"the causes of idle time" },
		{ "DELETE FROM run_busy_class WHERE class = 'no_bound'",
			"the classes of busy time" },
		{ "UPDATE run_busy_class SET time_ns = time_ns + 1 "
		  "WHERE class = 'launch_floor'",
			"the classes of busy time" },
		{ "UPDATE run_busy_class SET time_ns = CASE class "
		  "WHEN 'copies' THEN time_ns + 1 ELSE time_ns - 1 END "
		  "WHERE class IN ('copies', 'exposed_communication')",
			"the classes of busy time" },
	};
	struct db *db = *state;
	struct arena a = { 0 };
	struct iteration_sums sums;
	struct wait_times got;
	struct kept_iterations kept;
	char sentence[200];
	for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
		struct profile p = waiting(&a);
		char bytes[2] = { (char)('a' + i), '\0' };
		int64_t upload = fixture_save(db, bytes, &p, 1);
		int64_t id = *fixture_runs(db, &a, upload, 1);
		fixture_script(db, damage[i].sql);
		snprintf(sentence, sizeof sentence,
			"%s of run %lld do not fit its iterations; 'kernsiftd "
			"rebuild' makes them again",
			damage[i].what, (long long)id);
		refuses(query_waits(db, &a, id, &sums, &got, &kept, &e),
			ERR_INTERNAL, sentence);
	}
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(every_cause_is_read_back),
		CASE(comparisons_read_the_times_of_each_iteration),
		CASE(a_comparison_refuses_damaged_causes),
		CASE(iterations_without_causes),
		CASE(unknown_causes_are_not_zero),
		CASE(causes_without_a_kept_iteration),
		CASE(the_work_of_iterations_is_read_back),
		CASE(damaged_work_is_refused),
		CASE(rebuilt_moved_and_deleted_with_the_run),
		CASE(rows_that_do_not_fit_are_refused),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
