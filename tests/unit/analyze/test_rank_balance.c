/* test_rank_balance.c - which ranks wait for which others, slow operators, and the
 * headline of a job. */
#include "rank_balance.h"
#include "ranks_world.h"

enum { CALLS = 2, JOB_RUNS = 8, TIMES = 2 * JOB_RUNS };

/* A job: the duration of each rank in two all-reduces, the other time of its
 * kernels, and the time of an operator in as many launches as ranks. */
struct job {
	const char *odd;
	uint32_t n;
	int32_t rank[JOB_RUNS], world;
	int64_t dur_ns[JOB_RUNS][CALLS], compute_ns[JOB_RUNS];
	int64_t layer_norm_ns[JOB_RUNS]; /* 0: the rank has no such operator */
	bool unmatched; /* each rank has a collective of its own */
	bool collectives_only; /* the files have no other kernels */
	bool unbalanced;
	const char *headline;
};

/* Each rank is recorded for 1,000 ns. */
static const struct job jobs[] = {
	{ "one rank: waiting is unknown", .n = 1, .world = 1,
		.dur_ns = { { 100, 100 } }, .compute_ns = { 500 },
		.headline = "1 rank: waiting and transfer cannot be separated "
			    "with a single rank" },
	{ "ranks 1 to 3 wait 370 to 470 ns, 300 and more of it for rank 0; rank 0 "
	  "waits 60",
		.n = 4, .world = 8, .rank = { 0, 1, 2, 3 },
		.dur_ns = { { 50, 110 }, { 420, 150 }, { 350, 120 },
			{ 450, 50 } },
		.compute_ns = { 500, 500, 500, 500 }, .unbalanced = true,
		.headline = "ranks 1 to 3 wait 37 to 47 % of the recorded "
			    "time, mostly for rank 0, among ranks 0 to 3 of 8; "
			    "no rank computes significantly longer than the "
			    "others" },
	{ "a rank waits exactly 5 %", .n = 2, .world = 2, .rank = { 0, 1 },
		.dur_ns = { { 100, 100 }, { 125, 125 } },
		.compute_ns = { 500, 500 },
		.headline = "no rank waits longer than 5.0 % of the recorded "
			    "time; no rank computes significantly longer than "
			    "the others" },
	{ "each waits for the other, equally long", .n = 2, .world = 2,
		.rank = { 0, 1 }, .dur_ns = { { 100, 300 }, { 300, 100 } },
		.compute_ns = { 500, 500 }, .unbalanced = true,
		.headline = "ranks 0 and 1 wait 20 % of the recorded time, not "
			    "mostly for one rank; no rank computes "
			    "significantly longer than the others" },
	{ "two ranks arrive last together, and one waits for both", .n = 3,
		.world = 3, .rank = { 0, 1, 2 },
		.dur_ns = { { 100, 100 }, { 100, 100 }, { 300, 300 } },
		.compute_ns = { 500, 500, 500 }, .unbalanced = true,
		.headline =
			"rank 2 waits 40 % of the recorded time, not mostly "
			"for one rank; no rank computes significantly "
			"longer than the others" },
	{ "no collectives", .n = 2, .world = 2, .rank = { 0, 1 },
		.compute_ns = { 500, 500 },
		.headline = "the ranks have no collectives; no rank computes "
			    "significantly longer than the others" },
	{ "no collective is on both ranks", .n = 2, .world = 2,
		.rank = { 0, 1 }, .dur_ns = { { 100, 100 }, { 300, 300 } },
		.compute_ns = { 500, 500 }, .unmatched = true,
		.headline = "how long a rank waits is unknown, because no "
			    "collective is matched; no rank computes "
			    "significantly longer than the others" },
	{ "collectives alone are recorded", .n = 2, .world = 2,
		.rank = { 0, 1 }, .dur_ns = { { 100, 100 }, { 300, 300 } },
		.collectives_only = true, .unbalanced = true,
		.headline = "rank 1 waits 40 % of the recorded time, mostly "
			    "for rank 0; their compute times are unknown" },
	{ "runs without a rank, and two with one rank", .n = 4, .world = 4,
		.rank = { 2, 2, -1, -1 },
		.dur_ns = { { 100, 100 }, { 300, 300 }, { 300, 300 },
			{ 300, 300 } },
		.compute_ns = { 500, 500, 500, 500 }, .unbalanced = true,
		.headline = "runs 102, 103 and 104 wait 40 % of the "
			    "recorded time, mostly for run 101; no rank "
			    "computes significantly longer than the others" },
	{ "layer_norm takes twice as long on one of eight ranks, which computes "
	  "longer",
		.n = 8, .world = 8, .rank = { 0, 1, 2, 3, 4, 5, 6, 7 },
		.dur_ns = { { 130, 130 }, { 130, 130 }, { 130, 130 },
			{ 130, 130 }, { 130, 130 }, { 100, 100 }, { 130, 130 },
			{ 130, 130 } },
		.compute_ns = { 500, 500, 500, 500, 500, 530, 500, 500 },
		.layer_norm_ns = { 30, 30, 30, 30, 30, 60, 30, 30 },
		.unbalanced = true,
		.headline = "ranks 0 to 4, 6 and 7 wait 6 % of the recorded "
			    "time, mostly for rank 5; rank 5 computes longer "
			    "than the median rank; layer_norm takes 2.00 times "
			    "the time of the median rank on rank 5" },
	{ "layer_norm takes 3 % longer, which is within the margin", .n = 3,
		.world = 3, .rank = { 0, 1, 2 },
		.dur_ns = { { 100, 100 }, { 100, 100 }, { 100, 100 } },
		.compute_ns = { 500, 500, 500 },
		.layer_norm_ns = { 100, 103, 100 },
		.headline = "no rank waits longer than 0.0 % of the recorded "
			    "time; no rank computes significantly longer than "
			    "the others" },
	{ "layer_norm differs as much between the other ranks", .n = 4,
		.world = 4, .rank = { 0, 1, 2, 3 },
		.dur_ns = { { 100, 100 }, { 100, 100 }, { 100, 100 },
			{ 100, 100 } },
		.compute_ns = { 500, 500, 500, 500 },
		.layer_norm_ns = { 70, 90, 100, 120 },
		.headline = "no rank waits longer than 0.0 % of the recorded "
			    "time; no rank computes significantly longer than "
			    "the others" },
	{ "only one rank has layer_norm", .n = 3, .world = 3,
		.rank = { 0, 1, 2 },
		.dur_ns = { { 100, 100 }, { 100, 100 }, { 100, 100 } },
		.compute_ns = { 500, 500, 500 }, .layer_norm_ns = { 0, 40, 0 },
		.headline = "no rank waits longer than 0.0 % of the recorded "
			    "time; no rank computes significantly longer than "
			    "the others" },
	{ "one of two ranks takes twice as long: 3 MAD are above that", .n = 2,
		.world = 2, .rank = { 0, 1 },
		.dur_ns = { { 100, 100 }, { 100, 100 } },
		.compute_ns = { 500, 500 }, .layer_norm_ns = { 40, 80 },
		.headline = "no rank waits longer than 0.0 % of the recorded "
			    "time; no rank computes significantly longer than "
			    "the others" },
};

/* gemm is equal on all ranks, and layer_norm is as given. */
static uint32_t times_of(const struct world *w, const struct job *j,
	struct run_operator_time *times)
{
	uint32_t n = 0;
	for (uint32_t r = 0; r < j->n; r++)
		times[n++] = (struct run_operator_time){ w->runs[r].id, "gemm",
			100, 8 };
	for (uint32_t r = 0; r < j->n; r++)
		if (j->layer_norm_ns[r])
			times[n++] = (struct run_operator_time){ w->runs[r].id,
				"layer_norm", j->layer_norm_ns[r], 8 };
	return n;
}

static void world_of(struct world *w, const struct job *j)
{
	*w = (struct world){ 0 };
	for (uint32_t r = 0; r < j->n; r++) {
		const int64_t *dur = j->dur_ns[r];
		struct compared_run *run = run_add(w, j->rank[r],
			j->compute_ns[r] + dur[0] + dur[1], 0);
		run->span_ns = 1000;
		run->world_size = j->world;
		run->notes.count[NOTE_collectives_only] = j->collectives_only;
		if (dur[0])
			LINE(w, run, j->unmatched && r ? "other" : "all", 7, 0,
				dur[0], 500, dur[1]);
	}
	analyse(w);
}

static void headlines(void **state)
{
	struct world *w = *state;
	for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
		struct run_operator_time times[TIMES];
		struct rank_balance b;
		world_of(w, &jobs[i]);
		uint32_t n = times_of(w, &jobs[i], times);
		rank_balance_from(&w->out, times, n, &w->arena, &b);
		if (strcmp(b.headline, jobs[i].headline) != 0)
			fail_msg("%s: '%s'", jobs[i].odd, b.headline);
		if (b.unbalanced != jobs[i].unbalanced)
			fail_msg("%s: unbalanced: %d", jobs[i].odd,
				b.unbalanced);
		arena_release(&w->arena);
	}
	*w = (struct world){ 0 };
}

/* In the first all-reduce, ranks 1 to 3 wait 370, 300 and 400 ns for rank 0. In
 * the second, the others wait 60, 100 and 70 ns for rank 3. */
static void matrix(void **state)
{
	static const int64_t want[4][4] = { { 0, 0, 0, 60 }, { 370, 0, 0, 100 },
		{ 300, 0, 0, 70 }, { 400, 0, 0, 0 } };
	struct world *w = *state;
	struct rank_balance b;
	world_of(w, &jobs[1]);
	rank_balance_from(&w->out, NULL, 0, &w->arena, &b);
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 4; k++)
			assert_int_equal(b.waits_for_ns[i * 4 + k], want[i][k]);
	assert_true(b.waiting[1] == 0.47);
}

/* A rank without matched collectives waits for an unknown time, not for 0 ns. */
static void unknown_waiting(void **state)
{
	struct world *w = *state;
	struct rank_balance b;
	uint32_t i = 0;
	while (!jobs[i].unmatched)
		i++;
	world_of(w, &jobs[i]);
	rank_balance_from(&w->out, NULL, 0, &w->arena, &b);
	for (uint32_t k = 0; k < 4; k++)
		assert_int_equal(b.waits_for_ns[k], -1);
}

/* Rank 1 has no operators: they are unknown, and those of the others are 0 where
 * only one of them has the operator. */
static void unknown_operators(void **state)
{
	struct world *w = *state;
	struct rank_balance b;
	world_of(w, &jobs[11]);
	const struct run_operator_time times[] = {
		{ w->runs[0].id, "gemm", 300, 3 },
		{ w->runs[3].id, "gemm", 100, 2 },
		{ w->runs[2].id, NULL, 7, 1 },
	};
	rank_balance_from(&w->out, times, 3, &w->arena, &b);
	assert_int_equal(b.operators_n, 2);
	assert_string_equal(b.operators[0].name, "gemm");
	assert_null(b.operators[1].name);
	assert_int_equal(b.operators[0].total_ns[0], 300);
	assert_int_equal(b.operators[0].total_ns[1], -1);
	assert_int_equal(b.operators[0].total_ns[2], 0);
	assert_int_equal(b.operators[0].launches[3], 2);
	assert_true(b.operators[0].median_ns == 100);
	assert_true(b.operators[1].median_ns == 0);
	assert_true(b.operators[1].median_launches == 0);
}

/* Of 18 ranks, each second one waits 100 of 1,000 ns. Five operators take longer on
 * rank 3: b by 500, e by 400, c by 300, a and d by 200. */
static void more_than_a_sentence_names(void **state)
{
	static const struct {
		const char *name;
		int64_t more_ns;
	} slow[] = { { "a", 200 }, { "b", 500 }, { "c", 300 }, { "d", 200 },
		{ "e", 400 } };
	enum { SLOW = sizeof slow / sizeof *slow };
	struct world *w = *state;
	struct run_operator_time times[SLOW * RUNS];
	struct rank_balance b;
	for (int32_t r = 0; r < RUNS; r++) {
		struct compared_run *run = run_add(w, r, 10000, 0);
		run->span_ns = 1000;
		run->world_size = RUNS;
		LINE(w, run, "all", 7, 0, r % 2 ? 200 : 100);
		for (int i = 0; i < SLOW; i++)
			times[i * RUNS + r] = (struct run_operator_time){
				run->id, slow[i].name,
				1000 + (r == 3 ? slow[i].more_ns : 0), 4
			};
	}
	analyse(w);
	rank_balance_from(&w->out, times, SLOW * RUNS, &w->arena, &b);
	assert_string_equal(b.headline,
		"9 of the ranks wait 10 % of the recorded time, not mostly for "
		"one rank; no rank computes significantly longer than the "
		"others; b takes 1.50 times the time of the median rank on "
		"rank 3; e takes 1.40 times the time of the median rank on "
		"rank 3; c takes 1.30 times the time of the median rank on "
		"rank 3; and 2 more operators");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RANKS_TEST(headlines),
		RANKS_TEST(matrix),
		RANKS_TEST(unknown_waiting),
		RANKS_TEST(unknown_operators),
		RANKS_TEST(more_than_a_sentence_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
