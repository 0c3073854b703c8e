/* test_exchange_map.c - tests how evenly the all-to-alls of a job load its ranks;
 * every number is worked out by hand. */
#include "exchange_map.h"
#include "ranks_world.h"

/* One line of all-to-alls with their durations, which start every 1,000 ns and
 * are numbered from 1. */
static void calls_add(struct world *w, struct compared_run *r,
	enum collective_kind kind, const char *group, const char *ranks,
	int64_t size, uint32_t n, const int64_t *dur)
{
	int64_t *pairs = arena_array(&w->arena, int64_t, (size_t)n * 2 + 1);
	struct collective *c = &r->collectives.rows[r->collectives.n];

	for (uint32_t i = 0; i < n; i++) {
		pairs[i * 2] = 1000 * (int64_t)i;
		pairs[i * 2 + 1] = dur[i];
	}
	line_add(w, r, "nccl_a2a", 7, n, pairs);
	c->call.kind = kind;
	c->call.group = group;
	c->call.ranks = ranks;
	c->call.group_size = size;
	c->sequence = arena_array(&w->arena, int64_t, n + 1);
	for (uint32_t i = 0; i < n; i++)
		c->sequence[i] = i + 1;
}

/* What a run sent and received in the calls of its first line. */
static void exchange_add(struct world *w, struct compared_run *r, int64_t calls,
	uint32_t peers, const int64_t *sent, const int64_t *received)
{
	struct peer_exchange *x = arena_new(&w->arena, struct peer_exchange);

	*x = (struct peer_exchange){ .calls = calls,
		.known = calls,
		.peers = peers,
		.sent = arena_array(&w->arena, int64_t, peers),
		.received = arena_array(&w->arena, int64_t, peers) };
	memcpy(x->sent, sent, peers * sizeof *sent);
	memcpy(x->received, received, peers * sizeof *received);
	r->exchanges = (struct exchanges){ x, 1 };
}

static const int64_t durations[] = { 50, 60 };

/* Rank 3 receives 30 + 60 + 0, rank 5 receives 10 + 0 + 20: 90 and 30 of a mean
 * of 60. */
static void test_bytes(void **state)
{
	static const int64_t sent[2][2] = { { 30, 10 }, { 60, 20 } };
	static const int64_t received[2][2] = { { 30, 60 }, { 10, 20 } };
	struct world *w = *state;
	struct exchange_maps maps;

	for (int32_t r = 0; r < 2; r++) {
		struct compared_run *run = run_add(w, 3 + 2 * r, 1000, -1);
		calls_add(w, run, COLLECTIVE_ALL_TO_ALL, "ep", "[3, 5]", 2, 2,
			durations);
		exchange_add(w, run, 2, 2, sent[r], received[r]);
	}
	analyse(w);
	exchange_maps_from(&w->out, &w->arena, &maps);
	assert_int_equal(maps.n, 1);
	const struct exchange_map *m = maps.rows;
	assert_true(m->bytes);
	assert_null(m->reason);
	assert_int_equal(m->calls, 2);
	assert_int_equal(m->known, 2);
	assert_int_equal(m->rows_n, 2);
	assert_int_equal(m->columns_n, 2);
	assert_int_equal(m->columns[1].rank, 5);
	for (int i = 0; i < 4; i++)
		assert_true(m->cells[i] == (double)sent[i / 2][i % 2]);
	assert_true(m->received[0] == 90 && m->received[1] == 30);
	assert_true(m->sent[0] == 40 && m->sent[1] == 80);
	assert_true(m->imbalance == 1.5);
	assert_int_equal(m->imbalance_ranks, 2);
	assert_int_equal(m->contradictions, 0);
	/* rank 5 states that it received 11 of rank 3, which states 10 */
	w->runs[1].exchanges.rows->received[0] = 11;
	exchange_maps_from(&w->out, &w->arena, &maps);
	assert_int_equal(maps.rows->contradictions, 1);
	/* one of the calls of rank 5 is unknown: another number of calls */
	w->runs[1].exchanges.rows->known = 1;
	w->runs[1].exchanges.rows->fault = EXCHANGE_SHORTENED;
	exchange_maps_from(&w->out, &w->arena, &maps);
	assert_true(isnan(maps.rows->imbalance));
	assert_string_equal(maps.rows->imbalance_reason,
		"the ranks have known bytes of different numbers of calls");
	assert_string_equal(maps.rows->reason,
		"PyTorch shortened the lists of split sizes");
	assert_int_equal(maps.rows->contradictions, 0);
	/* rank 5 is unknown altogether */
	w->runs[1].exchanges.n = 0;
	exchange_maps_from(&w->out, &w->arena, &maps);
	assert_true(isnan(maps.rows->cells[2]));
	assert_true(isnan(maps.rows->received[1]));
	assert_int_equal(maps.rows->imbalance_ranks, 1);
	assert_string_equal(maps.rows->imbalance_reason,
		"the bytes of at least two ranks are required");
	assert_string_equal(maps.rows->reason,
		"the trace does not record split sizes");
}

/* Without split sizes: rank 0 takes 50 and 60, rank 1 70 and 55. */
static void test_waiting(void **state)
{
	static const int64_t dur[2][2] = { { 50, 60 }, { 70, 55 } };
	struct world *w = *state;
	struct exchange_maps maps;

	for (int32_t r = 0; r < 2; r++)
		calls_add(w, run_add(w, r, 1000, -1), COLLECTIVE_ALL_TO_ALL,
			"ep", "[0, 1]", 2, 2, dur[r]);
	analyse(w);
	exchange_maps_from(&w->out, &w->arena, &maps);
	const struct exchange_map *m = maps.rows;
	assert_false(m->bytes);
	assert_string_equal(m->reason, "the trace does not record split sizes");
	assert_true(isnan(m->imbalance));
	assert_int_equal(m->columns_n, 2);
	assert_true(m->cells[0] == 0 && m->cells[1] == 5);
	assert_true(m->cells[2] == 20 && m->cells[3] == 0);
	assert_true(m->waited_ns[0] == 2.5 && m->waited_ns[1] == 10);
}

/* 130 collectives in 64 columns: the first has 130 / 64 = 2 of them, numbers 0
 * and 1. Rank 1 is 100 ns longer in each. Dispatch and combine are maps of their
 * own, other kinds are none. */
static void test_many_calls(void **state)
{
	enum { CALLS = 130 };
	struct world *w = *state;
	struct exchange_maps maps;
	int64_t dur[CALLS];

	for (int32_t r = 0; r < 2; r++) {
		struct compared_run *run = run_add(w, r, 1000, -1);
		for (int i = 0; i < CALLS; i++)
			dur[i] = 50 + 100 * r;
		calls_add(w, run, COLLECTIVE_DISPATCH, "ep", NULL, 2, CALLS,
			dur);
		calls_add(w, run, COLLECTIVE_ALL_REDUCE, "dp", NULL, 2, 2, dur);
	}
	analyse(w);
	exchange_maps_from(&w->out, &w->arena, &maps);
	assert_int_equal(maps.n, 1);
	const struct exchange_map *m = maps.rows;
	assert_int_equal(m->kind, COLLECTIVE_DISPATCH);
	assert_int_equal(m->columns_n, 64);
	uint32_t at = 0;
	for (uint32_t k = 0; k < 64; k++) {
		assert_int_equal(m->columns[k].from, at);
		at += m->columns[k].n;
		assert_true(m->cells[64 + k] == 100);
	}
	assert_int_equal(at, CALLS);
	assert_int_equal(m->columns[0].n, 2);
}

/* A group of 100 ranks, of which two are in the job; each sends 1,000 to rank
 * 97 and 10 to each other: rank 97 deviates most and has a column. */
static void test_many_peers(void **state)
{
	enum { PEERS = 100 };
	struct world *w = *state;
	struct exchange_maps maps;
	int64_t sent[PEERS];
	bool found = false;

	for (int i = 0; i < PEERS; i++)
		sent[i] = i == 97 ? 1000 : 10;
	for (int32_t r = 0; r < 2; r++) {
		struct compared_run *run = run_add(w, r, 1000, -1);
		run->world_size = PEERS;
		calls_add(w, run, COLLECTIVE_ALL_TO_ALL, "ep", NULL, PEERS, 2,
			durations);
		exchange_add(w, run, 2, PEERS, sent, sent);
	}
	analyse(w);
	exchange_maps_from(&w->out, &w->arena, &maps);
	const struct exchange_map *m = maps.rows;
	assert_int_equal(m->columns_n, 64);
	assert_int_equal(m->columns_left_out, 36);
	for (uint32_t k = 0; k < 64; k++)
		found |= m->columns[k].rank == 97;
	assert_true(found);
	assert_true(m->sent[0] == 1000 + 99 * 10);
}

/* Which ranks the group has is unknown, or one is present twice: no map. */
static void test_faults(void **state)
{
	struct world *w = *state;
	struct exchange_maps maps;

	for (int32_t r = 0; r < 2; r++) {
		struct compared_run *run = run_add(w, 0, 1000, -1);
		calls_add(w, run, COLLECTIVE_ALL_TO_ALL, "ep", NULL, 2, 2,
			durations);
		exchange_add(w, run, 2, 2, durations, durations);
	}
	analyse(w);
	exchange_maps_from(&w->out, &w->arena, &maps);
	assert_int_equal(maps.n, 1);
	assert_int_equal(maps.rows->rows_n, 0);
	assert_string_equal(maps.rows->reason,
		"a rank of its process group is present twice");
}

/* 70 ranks: the 64 that deviate most. All receive 100, but ranks 3 and 69, which
 * receive 400 and 0; 20 groups: 16 are listed. */
static void test_many_ranks(void **state)
{
	enum { RANKS = 70, GROUPS = 20 };
	static struct compared_run runs[RANKS];
	struct world *w = *state;
	struct exchange_maps maps;
	struct catalog *catalog = catalog_new(NULL, &w->e);
	bool found = false;

	for (int32_t r = 0; r < RANKS; r++) {
		struct compared_run *run = &runs[r];
		int64_t got[RANKS] = { r == 3 ? 400 : r == 69 ? 0 : 100 };
		*run = (struct compared_run){ .id = 1 + r,
			.rank = r,
			.world_size = RANKS,
			.content = CONTENT_LAUNCHES };
		run->collectives.rows =
			arena_array(&w->arena, struct collective, GROUPS);
		for (int g = 0; g < GROUPS; g++)
			calls_add(w, run, COLLECTIVE_ALL_TO_ALL,
				arena_printf(&w->arena, "g%d", g), NULL, RANKS,
				g ? 1 : 2, durations);
		exchange_add(w, run, 2, RANKS, got, got);
	}
	assert_true(
		ranks_from(runs, RANKS, catalog, &w->arena, &w->out, &w->e));
	exchange_maps_from(&w->out, &w->arena, &maps);
	assert_int_equal(maps.n, 16);
	assert_int_equal(maps.left_out, 4);
	const struct exchange_map *m = maps.rows;
	assert_true(m->bytes);
	assert_int_equal(m->rows_n, 64);
	assert_int_equal(m->rows_left_out, 6);
	for (uint32_t i = 0; i < 64; i++)
		found |= w->out.ranks[m->rows[i]].rank == 69;
	assert_true(found);
	/* 68 · 100 + 400 + 0 = 7,200; 400 / (7,200 / 70) */
	assert_true(fabs(m->imbalance - 400 * 70 / 7200.0) < 1e-12);
	catalog_free(catalog);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RANKS_TEST(test_bytes),
		RANKS_TEST(test_waiting),
		RANKS_TEST(test_many_calls),
		RANKS_TEST(test_many_peers),
		RANKS_TEST(test_faults),
		RANKS_TEST(test_many_ranks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
