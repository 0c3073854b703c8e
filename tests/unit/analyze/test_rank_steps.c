/* test_rank_steps.c - compares the means of a job's ranks over time with sums
 * worked out here, and tests which ranks are matched. */
#include "rank_steps.h"
#include "ranks_world.h"

/* A run whose iteration i computes base_ns, plus more_ns from iteration `from` on. */
static struct compared_run *rank_with(struct world *w, int32_t rank, uint32_t n,
	int64_t base_ns, uint32_t from, int64_t more_ns)
{
	struct compared_run *r = run_add(w, rank, 10000, -1);
	r->iterations.iterations = arena_array(&w->arena, struct iteration, n);
	r->iterations.n = n;
	for (uint32_t i = 0; i < n; i++)
		r->iterations.iterations[i] =
			(struct iteration){ .start_ns = i * 1000,
				.dur_ns = 1000,
				.compute_ns =
					base_ns + (i >= from ? more_ns : 0),
				.comm_ns = 0 };
	return r;
}

static void label(struct compared_run *r, uint32_t i, const char *text)
{
	r->iterations.iterations[i].label = text;
}

static struct rank_steps steps_of(struct world *w)
{
	struct rank_steps s;
	analyse(w);
	assert_true(rank_steps_from(w->runs, &w->out, &w->arena, &s, &w->e));
	return s;
}

static void test_a_rank_that_becomes_slow_halfway(void **state)
{
	struct world *w = *state;
	for (int32_t r = 0; r < 8; r++)
		rank_with(w, r, 10, 400, 5, r == 3 ? 100 : 0);
	struct rank_steps s = steps_of(w);
	assert_int_equal(s.matched, 8);
	assert_int_equal(s.bins, 10);
	for (uint32_t r = 0; r < 8; r++)
		for (uint32_t b = 0; b < 10; b++) {
			bool slow = r == 3 && b >= 5;
			assert_true(
				s.ranks[r].compute_ns[b] == (slow ? 500 : 400));
			assert_int_equal(s.ranks[r].longer[b], slow);
			assert_true(s.ranks[r].waiting_ns[b] == 0);
		}
}

/* 3 MAD of 392, 396, 400, 404 and 425 ns are 12, and 5 % of 400 are 20. */
static void test_longer_needs_both_margins(void **state)
{
	struct world *w = *state;
	static const int64_t ns[] = { 392, 396, 400, 404, 425 };
	for (int32_t r = 0; r < 5; r++)
		rank_with(w, r, 2, ns[r], 1, r == 4 ? -10 : 0);
	struct rank_steps s = steps_of(w);
	assert_true(s.median_ns[0] == 400 && s.median_ns[1] == 400);
	assert_true(s.ranks[4].longer[0]);
	assert_false(s.ranks[4].longer[1]); /* 415: within 5 % */
	assert_false(s.ranks[3].longer[0]);
}

static void test_many_iterations_are_means(void **state)
{
	struct world *w = *state;
	for (int32_t r = 0; r < 2; r++)
		rank_with(w, r, 130, 100, 128, 60);
	struct rank_steps s = steps_of(w);
	uint32_t n = 0;
	assert_int_equal(s.bins, RANK_STEPS_BINS);
	assert_int_equal(s.first[RANK_STEPS_BINS], 130);
	for (uint32_t b = 0; b < s.bins; b++) {
		double sum = 0;
		for (uint32_t i = s.first[b]; i < s.first[b + 1]; i++, n++)
			sum += i >= 128 ? 160 : 100;
		assert_true(s.first[b + 1] > s.first[b]);
		assert_true(s.ranks[0].compute_ns[b] ==
			    sum / (s.first[b + 1] - s.first[b]));
	}
	assert_int_equal(n, 130);
}

static void test_ranks_that_do_not_match(void **state)
{
	struct world *w = *state;
	rank_with(w, 0, 3, 100, 9, 0);
	for (int32_t r = 1; r < 3; r++)
		label(rank_with(w, r, 4, 100, 9, 0), 0, "step 1");
	label(rank_with(w, 3, 4, 100, 9, 0), 0, "step 2");
	rank_with(w, 4, 4, 100, 9, 0);
	rank_with(w, 5, 4, -1, 9, 0);
	run_add(w, 6, 10000, -1);
	struct rank_steps s = steps_of(w);
	static const char other[] =
		"the iterations have other labels than those of other ranks";
	static const char *const want[] = {
		"3 iterations were found, on other ranks 4", NULL, NULL, other,
		other, "the compute time of the iterations is unknown",
		"no iterations were found"
	};
	assert_int_equal(s.matched, 2);
	for (int i = 0; i < 7; i++)
		if (want[i])
			assert_string_equal(s.ranks[i].excluded, want[i]);
		else
			assert_null(s.ranks[i].excluded);
	assert_string_equal(s.names[0].label, "step 1");
}

static void test_no_rank_has_iterations(void **state)
{
	struct world *w = *state;
	run_add(w, 0, 10000, -1);
	run_add(w, 1, 10000, -1);
	struct rank_steps s = steps_of(w);
	assert_int_equal(s.matched, 0);
	assert_int_equal(s.bins, 0);
	assert_null(s.names);
}

/* The order of the ranks is not that of the runs. */
static void test_waiting_is_that_of_the_rank(void **state)
{
	struct world *w = *state;
	LINE(w, rank_with(w, 1, 1, 100, 9, 0), "r", 7, 0, 300);
	LINE(w, rank_with(w, 0, 1, 100, 9, 0), "r", 7, 0, 100);
	for (uint32_t r = 0; r < 2; r++)
		w->runs[r].iterations.iterations[0].comm_ns = 500;
	struct rank_steps s = steps_of(w);
	assert_true(s.ranks[0].waiting_ns[0] == 0);
	assert_true(s.ranks[1].waiting_ns[0] == 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RANKS_TEST(test_a_rank_that_becomes_slow_halfway),
		RANKS_TEST(test_longer_needs_both_margins),
		RANKS_TEST(test_many_iterations_are_means),
		RANKS_TEST(test_ranks_that_do_not_match),
		RANKS_TEST(test_no_rank_has_iterations),
		RANKS_TEST(test_waiting_is_that_of_the_rank),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
