/* test_pattern_split.c - compares the split of an iteration's time with a
 * count of every nanosecond. */
#include "iteration_rows.h"
#include <stdlib.h>

#define COLLECTIVE "ncclDevKernel_AllReduce_Sum_f16_RING_LL"

static void split_is(const struct iteration *c, int64_t compute, int64_t comm,
	int64_t copy, int64_t idle, int64_t overlapped, int64_t sync)
{
	assert_int_equal(c->compute_ns, compute);
	assert_int_equal(c->comm_ns, comm);
	assert_int_equal(c->copy_ns, copy);
	assert_int_equal(c->idle_ns, idle);
	assert_int_equal(c->comm_overlapped_ns, overlapped);
	assert_int_equal(c->sync_ns, sync);
}

/* Kernels of two devices overlap: [0,10) and [5,20) together take 20. The
 * collective [15,30) adds 10, of its 15; the other 5 overlap. The copy [25,40)
 * adds 10 more. The rest of 100 is idle. The host waits in two threads at the same time, [90,100) and
 * [95,120), of which 10 are inside. */
static void test_by_hand(void **state)
{
	struct world *w = *state;
	static struct given g;
	g = (struct given){ 0 };
	rows_kernel(&w->t, "a", 0, 10, 0, 1);
	rows_kernel(&w->t, "b", 5, 15, 1, 1);
	rows_kernel(&w->t, COLLECTIVE, 15, 15, 0, 1);
	rows_copy(&w->t, "Memcpy HtoD (Pageable -> Device)", 25, 15, 0, 8,
		false);
	rows_call(&w->t, "cudaStreamSynchronize", "1", 90, 10, 1);
	rows_call(&w->t, "cudaDeviceSynchronize_v3020", "2", 95, 25, 2);
	rows_call(&w->t, "cudaMemcpy", "2", 60, 30, 2);
	given_iteration(w, &g, 0, 100);
	given_rows(w, &g);
	given_patterns(w, &g);
	split_is(&g.iterations[0], 20, 10, 10, 60, 5, 10);
}

/* Only the part of a record that is inside an iteration's window is counted.
 * The time between iterations is counted for none. The host has no data. */
static void test_clipped(void **state)
{
	struct world *w = *state;
	static struct given g;
	g = (struct given){ 0 };
	rows_kernel(&w->t, "a", 100, 50, 0, 1); /* 0 to 50 of the run */
	rows_graph(&w->t, 1, 1, 160, 100, 0); /* 60 to 160 */
	given_iteration(w, &g, 40, 30);
	given_iteration(w, &g, 80, 0);
	given_iteration(w, &g, 150, 20);
	given_rows(w, &g);
	given_patterns(w, &g);
	split_is(&g.iterations[0], 20, 0, 0, 10, 0, -1);
	split_is(&g.iterations[1], 0, 0, 0, 0, 0, -1);
	split_is(&g.iterations[2], 10, 0, 0, 10, 0, -1);
}

enum { SPAN = 300 };

/* The use of each nanosecond: bit 1 compute, 2 collective, 4 copy, 8 the host
 * waits. */
static uint8_t spent[SPAN * 2];

static void spend(int64_t start_ns, int64_t dur_ns, uint8_t bit)
{
	for (int64_t i = start_ns; i < start_ns + dur_ns; i++)
		spent[i] |= bit;
}

static void random_row(struct trace *t, int kind, int64_t at, int64_t dur)
{
	int32_t device = rand() % 2;
	switch (kind) {
	case 0:
		rows_kernel(t, "a", at, dur, device, 1);
		return spend(at, dur, 1);
	case 1:
		rows_kernel(t, COLLECTIVE, at, dur, device, 1);
		return spend(at, dur, 2);
	case 2:
		rows_graph(t, 1, 1, at, dur, device);
		return spend(at, dur, 1);
	case 3:
		rows_copy(t, "Memset (Device)", at, dur, device, 8, true);
		return spend(at, dur, 4);
	case 4:
		rows_call(t, "hipEventSynchronize", "1", at, dur, -1);
		return spend(at, dur, 8);
	default:
		rows_call(t, "cudaEventQuery", "1", at, dur, -1);
	}
}

static void random_world(struct world *w, struct given *g)
{
	memset(spent, 0, sizeof spent);
	rows_call(&w->t, "cudaEventQuery", "1", 0, 0, -1);
	for (int64_t at = 0; at < SPAN; at += rand() % 6)
		random_row(&w->t, rand() % 6, at, rand() % 40);
	for (int64_t at = rand() % 50; at < SPAN && w->p.iterations.n < 60;) {
		int64_t dur = rand() % 60;
		given_iteration(w, g, at, dur);
		at += dur + (rand() % 2 ? 0 : rand() % 9);
	}
}

static void test_each_nanosecond(void **state)
{
	struct world *w = *state;
	static struct given g;
	srand(4);
	for (int round = 0; round < 500; round++) {
		world_stop(state);
		assert_int_equal(world_start(state), 0);
		g = (struct given){ 0 };
		random_world(w, &g);
		given_rows(w, &g);
		given_patterns(w, &g);
		for (uint32_t i = 0; i < w->p.iterations.n; i++) {
			const struct iteration *c = &g.iterations[i];
			int64_t want[6] = { 0 };
			for (int64_t k = 0; k < c->dur_ns; k++) {
				uint8_t s = spent[c->start_ns + k];
				want[s & 1 ? 0 : s & 2 ? 1 : s & 4 ? 2 : 3]++;
				want[4] += (s & 3) == 3;
				want[5] += s >> 3;
			}
			split_is(c, want[0], want[1], want[2], want[3], want[4],
				want[5]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_by_hand),
		WORLD_TEST(test_clipped),
		WORLD_TEST(test_each_nanosecond),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
