/* db_jobs.c - tests jobs by page, and jobs that many processes create at the
 * same time. */
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

/* The jobs of all pages, newest first, as their numbers of runs: "1 2 2". */
static const char *listed(struct db *db, struct arena *a, const char *project)
{
	const char *text = "";
	int64_t after = 0;
	for (bool more = true; more;) {
		struct job_row *rows;
		uint32_t n;
		works(job_list(db, a, project, after, 2, &rows, &n, &more, NULL,
			&e));
		assert_true(n == 2 || !more);
		for (uint32_t i = 0; i < n; i++) {
			assert_true(!after || rows[i].id < after);
			after = rows[i].id;
			text = arena_printf(a, "%s%s%u", text, *text ? " " : "",
				rows[i].runs_n);
		}
	}
	return text;
}

static void jobs_are_listed_while_they_have_runs(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	assert_string_equal(listed(db, &a, NULL), "");
	int64_t u = RANKS(db, "mesa", "a", "1", 0);
	RANKS(db, "other", "a", "2", 0, 1);
	RANKS(db, "mesa", "", "3", 0, 1, 2);
	RANKS(db, "mesa", "b", "4", 0, 1, 2, 3);
	assert_string_equal(listed(db, &a, NULL), "4 3 2 1");
	assert_string_equal(listed(db, &a, "mesa"), "4 3 1");
	assert_string_equal(listed(db, &a, "none"), "");
	works(run_delete(db, *fixture_runs(db, &a, u, 1), &e));
	assert_string_equal(listed(db, &a, NULL), "4 3 2");

	struct run_filter f = { .since = NO_MOMENT,
		.until = NO_MOMENT,
		.job = fixture_count(db, "SELECT id FROM job WHERE name = 'b'"),
		.limit = 50 };
	struct run_row *rows;
	uint32_t n;
	bool more;
	works(query_runs(db, &a, &f, &rows, &n, &more, &e));
	assert_int_equal(n, 4);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(rows[i].job_id, f.job);
	arena_release(&a);
}

static int series; /* makes the names of each round new */

/* Claims any upload: one of this process, or one of a process that claimed an
 * upload of this one. Others may have claimed all uploads for a moment, so
 * this function tries again until it gets one. */
static bool claim_some(struct db *db, struct claim *c, struct err *e)
{
	do
		if (!upload_claim(db, "host:1", 30, c, e))
			return false;
	while (!c->upload);
	return true;
}

/* Each process saves uploads of the same new jobs, in an order of its own. */
static bool save_jobs(struct db *db, int nth, struct err *e)
{
	enum { JOBS = 8 };
	bool ok = true;
	for (int i = 0; ok && i < JOBS; i++) {
		struct arena a = { 0 };
		struct upload_meta m = fixture_meta;
		struct upload_outcome out;
		uint8_t sha256[SHA256_BYTES];
		struct profile p[2] = { fixture_profile(&a),
			fixture_profile(&a) };
		struct claim c;
		int64_t id;
		m.name = arena_printf(&a, "%d %d %d", series, nth, i);
		m.job = arena_printf(&a, "job %d %d", series,
			nth % 2 ? i : JOBS - 1 - i);
		sha256_of(m.name, strlen(m.name), sha256);
		ok = upload_begin(db, &m, &id, e) &&
		     upload_chunk(db, id, 0, "1", 1, e) &&
		     upload_finish(db, id, sha256, 1, NULL, &out, e) &&
		     claim_some(db, &c, e) && save(db, &c, p, 2, NULL, e);
		arena_release(&a);
	}
	return ok;
}

static void the_same_new_jobs_by_four_at_once(void **state)
{
	struct db *db = *state;
	for (series = 0; series < 5; series++)
		fixture_together(4, "", save_jobs);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM job"), 5 * 8);
	assert_int_equal(fixture_count(db,
				 "SELECT count(*) FROM (SELECT job_id FROM run "
				 "GROUP BY job_id HAVING count(*) = 8) j"),
		5 * 8);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(jobs_are_listed_while_they_have_runs),
		CASE(the_same_new_jobs_by_four_at_once),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
