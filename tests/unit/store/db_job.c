/* db_job.c - the job of a run. */
#include "job.h"
#include "ranks.h"
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

static int64_t job_of(struct db *db, int64_t run)
{
	struct arena a = { 0 };
	struct run_row r;
	works(query_run(db, &a, run, &r, &e));
	arena_release(&a);
	return r.job_id;
}

/* The runs of a job, as "4 5 7". */
static const char *runs_of(struct db *db, struct arena *a, int64_t job)
{
	struct job_row j;
	const char *text = "";
	works(job_read(db, a, job, &j, &e));
	assert_int_equal(j.id, job);
	assert_int_equal(j.runs_all, j.runs_n);
	for (uint32_t i = 0; i < j.runs_n; i++)
		text = arena_printf(a, "%s%s%lld", text, i ? " " : "",
			(long long)j.runs[i]);
	return text;
}

#define IDS(...)                                             \
	ids_text(&a, sizeof((int64_t[]){ __VA_ARGS__ }) / 8, \
		(const int64_t[]){ __VA_ARGS__ })
static const char *ids_text(struct arena *a, size_t n, const int64_t *ids)
{
	const char *text = "";
	for (size_t i = 0; i < n; i++)
		text = arena_printf(a, "%s%s%lld", text, i ? " " : "",
			(long long)ids[i]);
	return text;
}

static void uploads_that_name_a_job_share_it(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct job_row j;
	int64_t u[] = { RANKS(db, "mesa", "tp8", "1", 1),
		RANKS(db, "mesa", "tp8", "2", 0, -1),
		RANKS(db, "other", "tp8", "3", 0) };
	int64_t one = *fixture_runs(db, &a, u[0], 1);
	const int64_t *two = fixture_runs(db, &a, u[1], 2);
	int64_t job = job_of(db, one);
	assert_true(job > 0);
	assert_string_equal(runs_of(db, &a, job), IDS(two[0], one, two[1]));
	works(job_read(db, &a, job, &j, &e));
	assert_string_equal(j.project, "mesa");
	assert_string_equal(j.name, "tp8");
	assert_int_equal(j.upload, 0);
	assert_true(j.created > INT64_C(1600000000000000));
	assert_int_not_equal(job_of(db, *fixture_runs(db, &a, u[2], 1)), job);
	arena_release(&a);
}

static void an_upload_of_ranks_is_a_job_of_its_own(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct job_row j;
	int64_t u = RANKS(db, "mesa", "", "1", 3, -1, 2, 2);
	int64_t v = RANKS(db, "mesa", "", "2", 0, 1);
	const int64_t *ids = fixture_runs(db, &a, u, 4);
	int64_t job = job_of(db, ids[0]);
	assert_string_equal(runs_of(db, &a, job), IDS(ids[2], ids[3], ids[0]));
	assert_int_equal(job_of(db, ids[1]), 0); /* has no rank */
	works(job_read(db, &a, job, &j, &e));
	assert_null(j.name);
	assert_int_equal(j.upload, u);
	assert_int_not_equal(job_of(db, *fixture_runs(db, &a, v, 2)), job);
	arena_release(&a);
}

static void uploads_that_are_no_job(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct job_row j;
	RANKS(db, "mesa", "", "1", 0);
	RANKS(db, "mesa", "", "2", 5, 5);
	RANKS(db, "mesa", "", "3", -1, -1);
	RANKS(db, "mesa", "", "4", -1, 1);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM job"), 0);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM run "
					   "WHERE job_id IS NULL"),
		7);
	refuses(job_read(db, &a, 1, &j, &e), ERR_NOT_FOUND, "no job 1");
	arena_release(&a);
}

static void rebuilt(struct db *db, int64_t upload, int n, const int32_t *rank)
{
	struct arena a = { 0 };
	struct profile *p = arena_array(&a, struct profile, (size_t)n);
	int64_t queued;
	for (int i = 0; i < n; i++) {
		p[i] = fixture_profile(&a);
		p[i].rank = rank[i];
	}
	fixture_script(db, "UPDATE upload SET identity = NULL");
	fixture_script(db,
		arena_printf(&a,
			"UPDATE upload SET identity = sha256('%lld') "
			"WHERE id = %lld",
			(long long)upload, (long long)upload));
	works(upload_requeue_all(db, &queued, &e));
	assert_int_equal(queued, 1);
	struct claim c = fixture_claim(db, upload);
	works(save(db, &c, p, (uint32_t)n, NULL, &e));
	arena_release(&a);
}

static void a_rebuild_agrees_with_a_change_of_project(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	const int32_t rank[] = { 0, 1 };
	struct run_change to = { .project = "moved" };
	const char *const names[] = { "tp8", "" };
	for (int i = 0; i < 2; i++) {
		int64_t u = ranks(db, "mesa", names[i], i ? "b" : "a", 2, rank);
		const int64_t *ids = fixture_runs(db, &a, u, 2);
		int64_t was = job_of(db, ids[0]);
		works(run_change(db, ids[0], &to, &e));
		int64_t is = job_of(db, ids[0]);
		assert_int_not_equal(is, was);
		assert_string_equal(runs_of(db, &a, is), IDS(ids[0]));
		assert_string_equal(runs_of(db, &a, was), IDS(ids[1]));
		rebuilt(db, u, 2, rank);
		assert_int_equal(job_of(db, ids[0]), is);
		assert_int_equal(job_of(db, ids[1]), was);
		/* After the run is moved back, its job is the same as before. */
		works(run_change(db, ids[0],
			&(struct run_change){ .project = "mesa" }, &e));
		assert_string_equal(runs_of(db, &a, was), IDS(ids[0], ids[1]));
		works(run_change(db, ids[0],
			&(struct run_change){ .name = "x" }, &e));
		assert_int_equal(job_of(db, ids[0]), was);
	}
	/* A run without a job stays without one. */
	int64_t u = RANKS(db, "mesa", "", "9", 0);
	int64_t lone = *fixture_runs(db, &a, u, 1);
	works(run_change(db, lone, &to, &e));
	assert_int_equal(job_of(db, lone), 0);
	arena_release(&a);
}

static void a_rebuild_that_finds_one_rank_less(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	const int32_t rank[] = { 0, 1 };
	struct job_row j;
	int64_t u = RANKS(db, "mesa", "", "1", 0, 1);
	int64_t id = fixture_runs(db, &a, u, 2)[0], job = job_of(db, id);
	rebuilt(db, u, 1, rank);
	assert_int_equal(job_of(db, id), 0);
	refuses(job_read(db, &a, job, &j, &e), ERR_NOT_FOUND,
		arena_printf(&a, "no job %lld", (long long)job));
	rebuilt(db, u, 2, rank);
	assert_int_equal(job_of(db, id), job);
	arena_release(&a);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(uploads_that_name_a_job_share_it),
		CASE(an_upload_of_ranks_is_a_job_of_its_own),
		CASE(uploads_that_are_no_job),
		CASE(a_rebuild_agrees_with_a_change_of_project),
		CASE(a_rebuild_that_finds_one_rank_less),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
