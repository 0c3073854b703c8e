/* test_ranks.c - compares ranks; every number is worked out by hand. */
#include "ranks_world.h"

/* Two all-reduces, whose streams are in a different order on rank 1. Sorted by
 * start they take 10 and 30 on rank 0, and 25 and 5 on rank 1, so transfer
 * takes 10 + 5. The clocks agree, and rank 1 began 100 later. The first starts
 * at 10 and 105, the second at 50 and 125: rank 1 is last, by 95 and 75.
 * Neither overlaps: in the first, 20 < 105. */
static void test_streams(void **state)
{
	struct world *w = *state;
	struct compared_run *b = run_add(w, 1, 1000, 200);
	struct compared_run *a = run_add(w, 0, 1000, 100);
	LINE(w, a, "all_reduce", 7, 10, 10, 50, 30);
	LINE(w, b, "all_reduce", 7, 25, 5);
	LINE(w, b, "all_reduce", 8, 5, 25);
	analyse(w);
	const struct rank_line *l = w->out.ranks;
	assert_true(l[0].rank == 0 && l[0].run == 102);
	assert_string_equal(l[0].device, "H100");
	assert_int_equal(l[0].collective_ns, 40);
	assert_int_equal(l[0].transfer_ns, 15);
	assert_int_equal(l[0].waiting_ns, 25);
	assert_int_equal(l[0].compute_ns, 960);
	assert_int_equal(l[1].waiting_ns, 15);
	assert_int_equal(w->out.collectives_n, 1);
	assert_int_equal(w->out.collectives[0].count, 2);
	assert_int_equal(w->out.collectives[0].transfer_ns, 15);
	assert_int_equal(w->out.collectives[0].total_ns[0], 40);
	assert_int_equal(w->out.collectives[0].total_ns[1], 30);
	assert_int_equal(w->out.pairs.unmatched, 0);
	assert_false(w->out.clocks_agree);
	assert_true(isnan(l[0].last_share) && isnan(l[1].late_ns));
}

/* Rank 1's clock begins 10 later. The ends agree. Rank 1 begins at 5+10 and
 * 20+10, rank 0 at 0 and 30. Rank 1 is last once and together with rank 0
 * once, which counts as 3/4 and 1/4. It is late by 15 and 0, rank 0 by 0. */
static void test_clocks(void **state)
{
	struct world *w = *state;
	struct compared_run *a = run_add(w, 0, 100, 1000);
	struct compared_run *b = run_add(w, 1, 100, 1010);
	LINE(w, a, "all_reduce", 7, 0, 20, 30, 5);
	LINE(w, b, "all_reduce", 7, 5, 5, 20, 5);
	analyse(w);
	assert_true(w->out.clocks_agree);
	assert_true(w->out.ranks[0].last_share == 0.25);
	assert_true(w->out.ranks[1].last_share == 0.75);
	assert_true(w->out.ranks[0].late_ns == 0);
	assert_true(w->out.ranks[1].late_ns == 7.5);
	/* a rank without a start time cannot be aligned with others */
	w->runs[0].started_utc_ns = -1;
	analyse(w);
	assert_false(w->out.clocks_agree);
	assert_true(isnan(w->out.ranks[1].late_ns));
}

/* Rank 1 lacks one launch of "b". So the three launches of "b" are not split
 * into transfer and waiting, however long they took. */
static void test_counts_differ(void **state)
{
	struct world *w = *state;
	struct compared_run *a = run_add(w, 0, 1000, -1);
	struct compared_run *b = run_add(w, 1, 1000, -1);
	LINE(w, a, "a", 7, 0, 5);
	LINE(w, a, "b", 7, 10, 50, 100, 50, 200, 50);
	LINE(w, b, "b", 7, 10, 50, 100, 50);
	LINE(w, b, "a", 7, 0, 4);
	LINE(w, b, "c", 7, 300, 1);
	analyse(w);
	assert_int_equal(w->out.pairs.unmatched, 4);
	assert_int_equal(w->out.collectives_n, 1);
	assert_int_equal(w->out.ranks[0].collective_ns, 155);
	assert_int_equal(w->out.ranks[0].transfer_ns, 4);
	assert_int_equal(w->out.ranks[0].waiting_ns, 1);
}

/* A single run shows no waiting; a run without launches shows nothing. */
static void test_alone(void **state)
{
	struct world *w = *state;
	struct compared_run *a = run_add(w, -1, 1000, 5);
	double *waiting[1];
	struct iteration iteration = { .dur_ns = 100, .comm_ns = 40 };
	a->iterations = (struct iterations){ .iterations = &iteration, .n = 1 };
	LINE(w, a, "a", 7, 0, 5);
	analyse(w);
	assert_int_equal(w->out.ranks[0].collective_ns, 5);
	assert_int_equal(w->out.ranks[0].transfer_ns, -1);
	assert_int_equal(w->out.ranks[0].waiting_ns, -1);
	assert_int_equal(w->out.collectives[0].transfer_ns, -1);
	assert_int_equal(w->out.collectives[0].total_ns[0], 5);
	assert_false(w->out.clocks_agree);
	assert_int_equal(w->out.rank_twice, 0);
	assert_true(ranks_waiting(w->runs, 1, &w->arena, waiting, &w->e));
	assert_true(isnan(waiting[0][0]));
	a->notes.count[NOTE_collectives_only] = 1;
	analyse(w);
	assert_int_equal(w->out.ranks[0].collective_ns, 5);
	assert_int_equal(w->out.ranks[0].compute_ns, -1);
	a->content = CONTENT_PATTERNS;
	a->collectives.n = 0;
	analyse(w);
	assert_int_equal(w->out.ranks[0].collective_ns, -1);
	assert_int_equal(w->out.ranks[0].compute_ns, -1);
	assert_false(ranks_from(w->runs, 0, NULL, &w->arena, &w->out, &w->e));
	assert_string_equal(w->e.text, "the job has no run");
}

/* Ranks without collectives do not wait. Two runs are rank 0; the run
 * without a rank comes last. Each device name is listed once; if one is
 * unknown, none is listed. */
static void test_no_collectives(void **state)
{
	static const char *const two[] = { "A100", "H100", "A100" };
	static const char *const half[] = { "A100", NULL };
	struct world *w = *state;
	double *waiting[4];
	struct iteration iteration = { .dur_ns = 100 };
	run_add(w, -1, 10, -1);
	run_add(w, 0, 20, -1)->iterations =
		(struct iterations){ .iterations = &iteration, .n = 1 };
	run_add(w, 3, 10, -1);
	run_add(w, 0, 10, -1);
	w->runs[2].device_names = two;
	w->runs[2].device_names_n = 3;
	w->runs[3].device_names = half;
	w->runs[3].device_names_n = 2;
	analyse(w);
	assert_int_equal(w->out.rank_twice, 2);
	assert_int_equal(w->out.ranks[0].run, 102);
	assert_int_equal(w->out.ranks[1].run, 104);
	assert_int_equal(w->out.ranks[2].rank, 3);
	assert_int_equal(w->out.ranks[3].rank, -1);
	assert_null(w->out.ranks[1].device);
	assert_string_equal(w->out.ranks[2].device, "A100, H100");
	assert_int_equal(w->out.ranks[0].waiting_ns, 0);
	assert_int_equal(w->out.ranks[0].iterations, 1);
	assert_true(w->out.ranks[0].iteration_ns == 100);
	assert_true(isnan(w->out.ranks[1].iteration_ns));
	assert_false(w->out.clocks_agree);
	assert_true(ranks_waiting(w->runs, 4, &w->arena, waiting, &w->e));
	assert_true(waiting[1][0] == 0);
}

/* Compute time: median and MAD of each row by hand. */
static void test_stragglers(void **state)
{
	static const struct {
		int64_t compute[5];
		int straggler; /* -1 none */
	} rows[] = {
		/* median 1000, MAD 0: above 2 % or not */
		{ { 1000, 1000, 1021, 1000, 1000 }, 2 },
		{ { 1000, 1000, 1020, 1000, 1000 }, -1 },
		/* median 1000, MAD 10: 1030 is at most 3 MADs above */
		{ { 1000, 990, 1030, 1010, 1000 - 5 }, -1 },
		{ { 1000, 990, 1000 + 40, 1010, 1000 - 5 }, 2 },
		/* a rank that computes less is not an outlier */
		{ { 1000, 1000, 500, 1000, 1000 }, -1 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world *w;
		start(state);
		w = *state;
		for (int32_t r = 0; r < 5; r++)
			run_add(w, r, rows[i].compute[r], -1);
		analyse(w);
		for (int r = 0; r < 5; r++)
			assert_int_equal(w->out.ranks[r].straggler,
				r == rows[i].straggler);
		stop(state);
	}
	start(state);
}

/* A group of all runs, on hosts of the same device, and what it is compared
 * with. An "a" is a rank on the first host, a "b" on the second. */
static const struct {
	const char *device, *hosts;
	enum collective_kind kind;
	double gb_s; /* 0: unknown */
	bool between_nodes;
	const char *why;
} links[] = {
	{ "NVIDIA H100 80GB HBM3", "aa", COLLECTIVE_ALL_REDUCE, 450, false,
		NULL },
	{ "NVIDIA H100 80GB HBM3", "ab", COLLECTIVE_ALL_REDUCE, 50, true,
		NULL },
	/* two adapters on each node */
	{ "NVIDIA H100 80GB HBM3", "aabb", COLLECTIVE_ALL_GATHER, 100, true,
		NULL },
	{ "NVIDIA H100 80GB HBM3", "abab", COLLECTIVE_ALL_TO_ALL, 0, true,
		"how much of it leaves the nodes is unknown" },
	{ "NVIDIA H100 80GB HBM3", "aab", COLLECTIVE_ALL_REDUCE, 0, false,
		"its group has more ranks on one node than on another" },
	/* as many as on two hosts evenly, but not so spread */
	{ "NVIDIA H100 80GB HBM3", "aaab", COLLECTIVE_ALL_REDUCE, 0, false,
		"its group has more ranks on one node than on another" },
	{ "NVIDIA H100 80GB HBM3", "a?", COLLECTIVE_ALL_REDUCE, 0, false,
		"the host of a rank is unknown" },
	/* 64 GB/s to each of three others */
	{ "AMD Instinct MI300X", "aaaa", COLLECTIVE_ALL_REDUCE, 192, false,
		NULL },
	{ "AMD Instinct MI300X", "ab", COLLECTIVE_ALL_REDUCE, 0, true,
		"the catalog has no peak of the link between nodes for "
		"MI300X" },
	{ "Tesla V100-SXM2-32GB", "aa", COLLECTIVE_ALL_REDUCE, 0, false,
		"how 2 of 8 devices of V100-SXM2 are linked depends on which "
		"they are" },
	{ "NVIDIA GB200", "ab", COLLECTIVE_ALL_REDUCE, 0, true,
		"GB200 links devices of several hosts, and whether its ranks "
		"are linked is unknown" },
};

static void test_links(void **state)
{
	struct world *w = *state;
	for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
		const char *names[] = { links[i].device };
		static const char *const host[] = { "a", "b" };
		w->n = 0;
		for (const char *h = links[i].hosts; *h; h++) {
			struct compared_run *r =
				run_add(w, (int32_t)w->n, 1000, -1);
			r->host = *h == '?' ? NULL : host[*h - 'a'];
			r->device_names = names;
			LINE(w, r, "nccl", 7, 0, 1000);
			struct collective_call *c =
				&r->collectives.rows[0].call;
			c->kind = links[i].kind;
			c->split = COLLECTIVE_SPLIT_EVEN;
			c->group = "tp";
			c->ranks = "[…]";
			c->group_size = (int64_t)strlen(links[i].hosts);
			c->dtype = DTYPE_BF16;
			c->elements = 4000;
			c->bytes = 8000;
		}
		analyse(w);
		assert_int_equal(w->out.collectives_n, 1);
		const struct collective_line *l = &w->out.collectives[0];
		if (links[i].why)
			assert_string_equal(l->link_reason, links[i].why);
		else
			assert_null(l->link_reason);
		assert_true(links[i].gb_s > 0 ? l->link_gb_s == links[i].gb_s
					      : isnan(l->link_gb_s));
		assert_int_equal(l->between_nodes, links[i].between_nodes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RANKS_TEST(test_streams),
		RANKS_TEST(test_clocks),
		RANKS_TEST(test_counts_differ),
		RANKS_TEST(test_alone),
		RANKS_TEST(test_no_collectives),
		RANKS_TEST(test_stragglers),
		RANKS_TEST(test_links),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
