/* test_collective_pairs.c - pairs calls of ranks by process group and number;
 * every number is worked out by hand. */
#include "collective_pairs.h"
#include "ranks_world.h"

/* A line whose calls have a group and numbers: start, duration, number. */
static struct collective_call *calls_add(struct world *w,
	struct compared_run *r, const char *group, const char *ranks,
	int64_t size, uint32_t n, const int64_t *triples)
{
	int64_t *pairs = arena_array(&w->arena, int64_t, (size_t)n * 2 + 1);
	struct collective *c = &r->collectives.rows[r->collectives.n];

	for (uint32_t i = 0; i < n; i++) {
		pairs[i * 2] = triples[i * 3];
		pairs[i * 2 + 1] = triples[i * 3 + 1];
	}
	line_add(w, r, "nccl", 7, n, pairs);
	c->call.kind = COLLECTIVE_ALL_REDUCE;
	c->call.dtype = DTYPE_FP32;
	c->call.elements = 1000;
	c->call.bytes = 4000;
	c->call.group = group;
	c->call.ranks = ranks;
	c->call.group_size = size;
	c->sequence = arena_array(&w->arena, int64_t, n + 1);
	for (uint32_t i = 0; i < n; i++)
		c->sequence[i] = triples[i * 3 + 2];
	return &c->call;
}
#define CALLS(w, r, group, ranks, size, ...)                              \
	calls_add(w, r, group, ranks, size,                               \
		sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t) / 3, \
		(int64_t[]){ __VA_ARGS__ })

/* Rank 1 was recorded later: its first call is number 6. Numbers 6 and 7 are on
 * both ranks: the shortest are 10 and 30, of 10 + 50 and 40 + 30. Number 5 and
 * number 8 are on one rank each. By order, 5 would have been paired with 6. */
static void test_numbers(void **state)
{
	struct world *w = *state;
	struct compared_run *a = run_add(w, 0, 1000, -1);
	struct compared_run *b = run_add(w, 1, 1000, -1);
	CALLS(w, a, "0", "[0, 1]", 2, 0, 70, 5, 100, 10, 6, 200, 50, 7);
	CALLS(w, b, "0", "[0, 1]", 2, 0, 40, 6, 100, 30, 7, 200, 5, 8);
	analyse(w);
	assert_int_equal(w->out.pairs.unmatched, 2);
	assert_int_equal(w->out.collectives_n, 1);
	const struct collective_line *l = w->out.collectives;
	assert_int_equal(l->count, 2);
	assert_int_equal(l->transfer_ns, 40);
	assert_int_equal(l->total_ns[0], 60);
	assert_int_equal(l->total_ns[1], 70);
	assert_false(l->upper_bound);
	/* 2 * 4000 B / 40 ns, all-reduce of two: factor 1 */
	assert_true(l->busbw_gb_s == 200);
	/* 40 - 10 and 50 - 30 */
	assert_true(l->skew_ns == 25);
	assert_int_equal(l->last_calls[0], 1);
	assert_int_equal(l->caused_ns[0], 30);
	assert_int_equal(l->last_calls[1], 1);
	assert_int_equal(l->caused_ns[1], 20);
	assert_int_equal(w->out.ranks[0].waiting_ns, 20);
	assert_int_equal(w->out.ranks[1].waiting_ns, 30);
}

/* The members of a pair are in the order of the runs. */
static void test_members(void **state)
{
	struct world *w = *state;
	const struct compared_run *runs[] = { run_add(w, 0, 1000, -1),
		run_add(w, 1, 1000, -1) };
	struct collective_pairs pairs;
	CALLS(w, &w->runs[0], "0", NULL, 2, 0, 1, 5, 10, 1, 6);
	CALLS(w, &w->runs[1], "0", NULL, 2, 0, 1, 6);
	collective_pairs_from(runs, 2, &w->arena, &pairs);
	assert_int_equal(pairs.groups_n, 1);
	assert_int_equal(pairs.groups[0].runs_n, 2);
	assert_int_equal(pairs.n, 1);
	assert_int_equal(pairs.list[0].n, 2);
	assert_int_equal(pairs.members[0].run, 0);
	assert_int_equal(pairs.members[0].call, 1);
	assert_int_equal(pairs.members[1].run, 1);
	assert_int_equal(pairs.members[1].call, 0);
	assert_string_equal(pair_line(runs, &pairs.members[1])->name, "nccl");
	assert_int_equal(pairs.unmatched, 1);
}

/* Two groups of two, and one kernel name: each group is paired by itself. */
static void test_groups(void **state)
{
	struct world *w = *state;
	for (int32_t r = 0; r < 4; r++) {
		struct compared_run *run = run_add(w, r, 1000, -1);
		CALLS(w, run, r < 2 ? "1" : "2", r < 2 ? "[0, 1]" : "[2, 3]", 2,
			0, 10 + r * 5, 1);
	}
	analyse(w);
	assert_int_equal(w->out.collectives_n, 2);
	assert_int_equal(w->out.collectives[0].transfer_ns, 20);
	assert_int_equal(w->out.collectives[0].runs[0], 2);
	assert_int_equal(w->out.collectives[0].runs_n, 2);
	assert_int_equal(w->out.collectives[0].total_ns[0], 0);
	assert_int_equal(w->out.collectives[1].transfer_ns, 10);
	assert_int_equal(w->out.pairs.unmatched, 0);
	assert_null(w->out.pairs.name_twice);
}

/* Groups of one name with different ranks are not mixed. */
static void test_name_twice(void **state)
{
	struct world *w = *state;
	for (int32_t r = 0; r < 4; r++)
		CALLS(w, run_add(w, r, 1000, -1), "tp",
			r < 2 ? "[0, 1]" : "[2, 3]", 2, 0, 10 + r, 1);
	analyse(w);
	assert_string_equal(w->out.pairs.name_twice, "tp");
	assert_int_equal(w->out.collectives_n, 2);
	assert_int_equal(w->out.ranks[1].waiting_ns, 1);
	assert_int_equal(w->out.ranks[2].waiting_ns, 0);
}

/* NCCL numbers the calls of each kind of a communicator apart. The starts of
 * rank 1 are not in the order of the numbers, as in a file that has no starts:
 * its numbers do not restart. */
static void test_communicator(void **state)
{
	struct world *w = *state;
	struct compared_run *a = run_add(w, 0, 1000, -1);
	struct compared_run *b = run_add(w, 1, 1000, -1);
	CALLS(w, a, "0x1a", NULL, 2, 0, 40, 1, 100, 10, 2, 300, 30, 3);
	CALLS(w, a, "0x1a", NULL, 2, 50, 20, 1, 200, 60, 2)->kind =
		COLLECTIVE_ALL_GATHER;
	CALLS(w, b, "0x1a", NULL, 2, 0, 20, 3, 100, 30, 2, 300, 10, 1);
	CALLS(w, b, "0x1a", NULL, 2, 50, 70, 2, 200, 50, 1)->kind =
		COLLECTIVE_ALL_GATHER;
	analyse(w);
	assert_int_equal(w->out.pairs.unmatched, 0);
	assert_int_equal(w->out.pairs.restarts, 0);
	assert_null(w->out.pairs.name_twice);
	assert_int_equal(w->out.collectives_n, 2);
	for (uint32_t i = 0; i < 2; i++) {
		const struct collective_line *l = &w->out.collectives[i];
		bool reduce = l->call.kind == COLLECTIVE_ALL_REDUCE;
		assert_int_equal(l->count, reduce ? 3 : 2);
		/* 10 + 10 + 20, and 20 + 60 */
		assert_int_equal(l->transfer_ns, reduce ? 40 : 80);
	}
}

/* Calls that have neither number nor start have no order: those with a number
 * are paired, the two others are not. */
static void test_no_starts(void **state)
{
	struct world *w = *state;
	struct compared_run *r[2] = { run_add(w, 0, 1000, -1),
		run_add(w, 1, 1000, -1) };
	for (int i = 0; i < 2; i++) {
		CALLS(w, r[i], "0x1a", NULL, 2, -1, 40, 1, -1, 10, 2);
		CALLS(w, r[i], "0x1a", NULL, 2, -1, 20, -1, -1, 30, -1);
		r[i]->content = CONTENT_DURATIONS;
	}
	analyse(w);
	assert_int_equal(w->out.pairs.n, 2);
	assert_int_equal(w->out.pairs.unmatched, 2);
	assert_false(w->out.clocks_agree);
	assert_int_equal(w->out.ranks[0].collective_ns, 100);
}

/* Four of eight ranks: the shortest time is an upper bound. */
static void test_incomplete(void **state)
{
	struct world *w = *state;
	for (int32_t r = 0; r < 4; r++)
		CALLS(w, run_add(w, r, 1000, -1), "0", NULL, 8, 0, 10 + r, 1);
	analyse(w);
	assert_true(w->out.collectives[0].upper_bound);
	assert_int_equal(w->out.collectives[0].transfer_ns, 10);
	assert_int_equal(w->out.collectives[0].runs_n, 4);
}

/* What contradicts itself is counted and not split. */
static void test_faults(void **state)
{
	struct world *w = *state;
	struct collective_call *c;
	/* a rank twice */
	for (int32_t r = 0; r < 3; r++)
		CALLS(w, run_add(w, r / 2, 1000, -1), "0", NULL, 4, 0, 10, 1,
			50, 10, 2);
	analyse(w);
	assert_int_equal(w->out.pairs.groups[0].fault, PAIR_RANK_TWICE);
	assert_int_equal(w->out.pairs.unmatched, 2);
	assert_int_equal(w->out.collectives_n, 0);
	/* unknown, because none of its calls is paired */
	assert_int_equal(w->out.ranks[0].waiting_ns, -1);
	stop(state);
	start(state);
	/* more ranks than the group has */
	for (int32_t r = 0; r < 3; r++)
		CALLS(w, run_add(w, r, 1000, -1), "0", NULL, 2, 0, 10, 1);
	analyse(w);
	assert_int_equal(w->out.pairs.groups[0].fault, PAIR_AMBIGUOUS);
	stop(state);
	start(state);
	/* different kinds under number 2; different sizes under number 1 */
	CALLS(w, run_add(w, 0, 1000, -1), "0", NULL, 2, 0, 10, 1);
	CALLS(w, &w->runs[0], "0", NULL, 2, 20, 10, 2);
	c = CALLS(w, run_add(w, 1, 1000, -1), "0", NULL, 2, 0, 30, 1);
	c->elements = 500;
	c->bytes = 2000;
	c = CALLS(w, &w->runs[1], "0", NULL, 2, 20, 10, 2);
	c->kind = COLLECTIVE_ALL_GATHER;
	analyse(w);
	assert_int_equal(w->out.pairs.kinds_differ, 1);
	assert_int_equal(w->out.pairs.unmatched, 1);
	assert_int_equal(w->out.sizes_differ, 1);
	assert_int_equal(w->out.collectives_n, 1);
	assert_int_equal(w->out.collectives[0].call.bytes, -1);
	assert_string_equal(w->out.collectives[0].reason,
		"its size differs between its ranks");
	assert_true(isnan(w->out.collectives[0].busbw_gb_s));
	assert_int_equal(w->out.collectives[0].transfer_ns, 10);
}

/* Numbers that restart: equally often on both ranks, then not. */
static void test_restarts(void **state)
{
	struct world *w = *state;
	struct compared_run *a = run_add(w, 0, 1000, -1);
	struct compared_run *b = run_add(w, 1, 1000, -1);
	/* 3 was overtaken by 4, which is no restart */
	CALLS(w, a, "0", NULL, 2, 0, 9, 2, 10, 9, 4, 20, 9, 3, 30, 9, 1, 40, 9,
		2);
	CALLS(w, b, "0", NULL, 2, 0, 8, 2, 10, 7, 4, 20, 6, 3, 30, 5, 1, 40, 4,
		2);
	analyse(w);
	assert_int_equal(w->out.pairs.restarts, 1);
	assert_int_equal(w->out.pairs.unmatched, 0);
	assert_int_equal(w->out.collectives[0].transfer_ns, 8 + 7 + 6 + 5 + 4);
	b->collectives.rows[0].sequence[3] = 5;
	b->collectives.rows[0].sequence[4] = 6;
	analyse(w);
	assert_int_equal(w->out.pairs.groups[0].fault, PAIR_RESTARTS);
	assert_int_equal(w->out.pairs.unmatched, 5);
}

/* Two ranks of equal numbers, except that a call was overtaken on one of them, also
 * the first of the recording. What is a restart: numbers that come again, and
 * numbers far below. */
static void test_overtaken(void **state)
{
	static const struct {
		int64_t numbers[2][6];
		uint32_t n, restarts, matched;
	} rows[] = {
		{ { { 6, 5, 7 }, { 5, 6, 7 } }, 3, 0, 3 },
		/* the recording ends before it is shown which it is */
		{ { { 6, 5 }, { 5, 6 } }, 2, 0, 2 },
		{ { { 8, 6, 7, 5, 9 }, { 5, 6, 7, 8, 9 } }, 5, 0, 5 },
		{ { { 6, 5, 6 }, { 6, 5, 6 } }, 3, 1, 3 },
		{ { { 5, 5 }, { 5, 5 } }, 2, 0, 2 },
		{ { { 5, 6, 5, 6 }, { 5, 6, 5, 6 } }, 4, 1, 4 },
		{ { { 90, 91, 0, 1, 2 }, { 90, 91, 0, 1, 2 } }, 5, 1, 5 },
		{ { { 4, 5, 0, 1, 2, 3 }, { 4, 5, 0, 1, 2, 3 } }, 6, 1, 6 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world *w;
		start(state);
		w = *state;
		for (int32_t r = 0; r < 2; r++) {
			int64_t triples[3 * 6];
			for (uint32_t k = 0; k < rows[i].n; k++) {
				triples[3 * k] = 10 * k;
				triples[3 * k + 1] = 5;
				triples[3 * k + 2] = rows[i].numbers[r][k];
			}
			calls_add(w, run_add(w, r, 1000, -1), "0", NULL, 2,
				rows[i].n, triples);
		}
		analyse(w);
		assert_int_equal(w->out.pairs.restarts, rows[i].restarts);
		assert_int_equal(w->out.pairs.unmatched, 0);
		assert_int_equal(w->out.pairs.n, rows[i].matched);
		stop(state);
	}
	start(state);
}

/* 700 groups, each with a call of unknown size: the 600 with the most transfer
 * time are listed, and all of them count for the ranks. */
static void test_many_lines(void **state)
{
	enum { GROUPS = 700 };
	struct world *w = *state;
	for (int32_t r = 0; r < 2; r++) {
		struct compared_run *run = run_add(w, r, 1000, -1);
		run->collectives.rows =
			arena_array(&w->arena, struct collective, GROUPS);
		for (int64_t g = 0; g < GROUPS; g++) {
			struct collective_call *c = CALLS(w, run,
				arena_printf(&w->arena, "g%d", (int)g), NULL, 2,
				g * 2000, 10 + g + r, 1);
			c->elements = c->bytes = -1;
		}
	}
	analyse(w);
	assert_int_equal(w->out.pairs.n, GROUPS);
	assert_int_equal(w->out.collectives_n, 600);
	assert_int_equal(w->out.collectives_left_out, 100);
	assert_int_equal(w->out.collectives[0].transfer_ns, 10 + 699);
	assert_int_equal(w->out.collectives[599].transfer_ns, 10 + 100);
	/* 10 + 0 to 10 + 699 */
	assert_int_equal(w->out.ranks[0].transfer_ns,
		10 * GROUPS + 699 * 700 / 2);
	assert_int_equal(w->out.ranks[1].waiting_ns, GROUPS);
	assert_int_equal(w->out.ranks[0].last_calls, GROUPS);
}

/* Two all-reduces of 4,000 bytes, factor 1: 10 and 30 ns are the shortest of
 * their ranks. The send and the call of unknown size do not count. */
static void test_bus_sum(void **state)
{
	struct world *w = *state;
	struct bus_sum sum;
	for (int32_t r = 0; r < 2; r++) {
		struct compared_run *run = run_add(w, 1 - r, 1000, -1);
		CALLS(w, run, "0", NULL, 2, 0, r ? 10 : 70, 1, 100, r ? 50 : 30,
			2);
		CALLS(w, run, "0", NULL, 2, 200, 500, 3)->kind =
			r ? COLLECTIVE_SEND : COLLECTIVE_RECEIVE;
		CALLS(w, run, "0", NULL, 2, 900, 500, 4)->bytes = -1;
	}
	const struct compared_run *runs[] = { &w->runs[0], &w->runs[1] };
	ranks_bus_sum(runs, 2, &w->arena, &sum);
	assert_true(sum.bytes == 8000);
	assert_int_equal(sum.calls, 2);
	assert_int_equal(sum.total_ns, 40);
	ranks_bus_sum(runs, 1, &w->arena, &sum);
	assert_true(sum.bytes == 8000);
	assert_int_equal(sum.total_ns, 100);
	ranks_bus_sum(runs, 0, &w->arena, &sum);
	assert_int_equal(sum.calls, 0);
}

/* Groups that are known by handles: equal numbers have equal sizes. */
static void test_handles(void **state)
{
	struct world *w = *state;
	struct collective_call *c;
	for (int32_t r = 0; r < 3; r++) {
		struct compared_run *run = run_add(w, r, 1000, -1);
		c = CALLS(w, run, NULL, NULL, 8, 0, 10 + r, 1, 50, 10 + r, 2);
		c->group_handle = 90 + r;
		c = CALLS(w, run, NULL, NULL, 8, 80, 20 + r, 1);
		c->group_handle = 80 - r;
		c->elements = 7;
		c->bytes = 28;
	}
	analyse(w);
	assert_int_equal(w->out.collectives_n, 2);
	assert_int_equal(w->out.pairs.unmatched, 0);
	/* 20 each; the larger size comes first */
	assert_string_equal(w->out.collectives[0].group->name, "#1");
	assert_int_equal(w->out.collectives[0].call.bytes, 4000);
	assert_int_equal(w->out.collectives[0].transfer_ns, 20);
	assert_int_equal(w->out.collectives[0].count, 2);
	assert_string_equal(w->out.collectives[1].group->name, "#2");
	assert_int_equal(w->out.collectives[1].call.bytes, 28);
	assert_int_equal(w->out.collectives[1].transfer_ns, 20);
	stop(state);
	start(state);
	/* two groups of a rank that fit: which one it is, is unknown */
	for (int32_t r = 0; r < 2; r++) {
		struct compared_run *run = run_add(w, r, 1000, -1);
		CALLS(w, run, NULL, NULL, 8, 0, 10, 1)->group_handle = 5;
		CALLS(w, run, NULL, NULL, 8, 20, 10, 1)->group_handle = 6;
	}
	analyse(w);
	assert_int_equal(w->out.pairs.groups[0].fault, PAIR_AMBIGUOUS);
	assert_int_equal(w->out.collectives_n, 0);
}

/* Ranks 0 and 2 of four, in groups of two: the other ranks of their groups may
 * be 1 and 3. With all four ranks, three in one group of two are too many. */
static void test_handles_of_missing_ranks(void **state)
{
	static const struct {
		int32_t world;
		uint32_t runs;
		enum pair_fault fault;
	} rows[] = {
		{ 4, 2, PAIR_AMBIGUOUS },
		{ 2, 2, PAIR_FINE },
		{ -1, 2, PAIR_FINE },
		{ -1, 3, PAIR_AMBIGUOUS },
		{ 4, 4, PAIR_AMBIGUOUS },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world *w;
		start(state);
		w = *state;
		for (uint32_t r = 0; r < rows[i].runs; r++) {
			struct compared_run *run =
				run_add(w, (int32_t)r * 2, 1000, -1);
			run->world_size = rows[i].world;
			CALLS(w, run, NULL, NULL, 2, 0, r ? 100 : 1000, 1)
				->group_handle = 7;
		}
		analyse(w);
		assert_int_equal(w->out.pairs.groups[0].fault, rows[i].fault);
		assert_int_equal(w->out.collectives_n, !rows[i].fault);
		assert_int_equal(w->out.ranks[0].transfer_ns,
			rows[i].fault ? -1 : 100);
		stop(state);
	}
	start(state);
}

/* 64 handles of each run are compared; the calls of the others are in one group
 * that is not paired. */
static void test_many_handles(void **state)
{
	enum { HANDLES = 70 };
	struct world *w = *state;
	for (int32_t r = 0; r < 2; r++) {
		struct compared_run *run = run_add(w, r, 1000, -1);
		run->world_size = 2;
		run->collectives.rows =
			arena_array(&w->arena, struct collective, HANDLES);
		for (int64_t h = 0; h < HANDLES; h++) {
			struct collective_call *c =
				CALLS(w, run, NULL, NULL, 2, h * 20, 10, h);
			c->group_handle = 1000 * (r + 1) + h;
		}
	}
	analyse(w);
	assert_int_equal(w->out.pairs.groups_n, 65);
	assert_int_equal(w->out.pairs.n, 64);
	assert_int_equal(w->out.pairs.groups[64].fault, PAIR_AMBIGUOUS);
	assert_int_equal(w->out.pairs.unmatched, HANDLES - 64);
}

/* The link of the ranks: inside a node, between nodes, unknown. One device of
 * H100-SXM sends 450 GB/s to its node, and 50 GB/s to others. */
static void test_links(void **state)
{
	static const char *const sxm[] = { "NVIDIA H100 80GB HBM3" };
	static const struct {
		const char *hosts[2], *reason;
		bool known_device;
		double gb_s;
	} rows[] = {
		{ { "a", "a" }, NULL, true, 450 },
		{ { "a", "b" }, NULL, true, 50 },
		{ { "a", NULL }, "the host of a rank is unknown", true, NAN },
		{ { "a", "a" },
			"its ranks have no common platform in the catalog",
			false, NAN },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world *w;
		start(state);
		w = *state;
		for (int32_t r = 0; r < 2; r++) {
			struct compared_run *run = run_add(w, r, 1000, -1);
			run->host = rows[i].hosts[r];
			if (rows[i].known_device)
				run->device_names = sxm;
			CALLS(w, run, "0", NULL, 2, 0, 10, 1);
		}
		analyse(w);
		const struct collective_line *l = w->out.collectives;
		if (rows[i].reason)
			assert_string_equal(l->link_reason, rows[i].reason);
		else
			assert_null(l->link_reason);
		assert_true(isnan(rows[i].gb_s) ? isnan(l->link_gb_s)
						: l->link_gb_s == rows[i].gb_s);
		stop(state);
	}
	start(state);
}

/* Sends of a pipeline of three are not between the same ranks; those of two
 * are. */
static void test_sends(void **state)
{
	struct world *w = *state;
	for (int64_t size = 2; size < 4; size++)
		for (int32_t r = 0; r < 2; r++) {
			struct compared_run *run =
				size == 2 ? run_add(w, r, 1000, -1)
					  : &w->runs[r];
			struct collective_call *c =
				CALLS(w, run, size == 2 ? "two" : "three", NULL,
					size, 0, 10 + r, 1);
			c->kind = r ? COLLECTIVE_RECEIVE : COLLECTIVE_SEND;
		}
	analyse(w);
	assert_int_equal(w->out.pairs.between_unknown, 1);
	assert_int_equal(w->out.pairs.unmatched, 1);
	assert_int_equal(w->out.collectives_n, 1);
	assert_string_equal(w->out.collectives[0].group->name, "two");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RANKS_TEST(test_numbers),
		RANKS_TEST(test_members),
		RANKS_TEST(test_groups),
		RANKS_TEST(test_name_twice),
		RANKS_TEST(test_communicator),
		RANKS_TEST(test_no_starts),
		RANKS_TEST(test_incomplete),
		RANKS_TEST(test_faults),
		RANKS_TEST(test_restarts),
		RANKS_TEST(test_overtaken),
		RANKS_TEST(test_many_lines),
		RANKS_TEST(test_bus_sum),
		RANKS_TEST(test_handles),
		RANKS_TEST(test_handles_of_missing_ranks),
		RANKS_TEST(test_many_handles),
		RANKS_TEST(test_links),
		RANKS_TEST(test_sends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
