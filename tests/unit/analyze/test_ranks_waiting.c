/* test_ranks_waiting.c - compares the waiting time in iterations with a count
 * of every nanosecond. */
#include "ranks_world.h"

enum { SPAN = 400 };

/* A rank waits at the beginning of its collective. It waits for the time by
 * which its own collective is longer than the shortest one. */
static void test_each_nanosecond(void **state)
{
	srand(7);
	for (int round = 0; round < 300; round++) {
		static bool waits[RUNS][SPAN * 2];
		struct world *w;
		int64_t dur[3][12], at[3][12];
		double *waiting[3];
		struct iteration iterations[6];
		start(state);
		w = *state;
		memset(waits, 0, sizeof waits);
		for (int r = 0; r < 3; r++) {
			struct compared_run *run = run_add(w, r, 10000, -1);
			int64_t start_ns = rand() % 20;
			run->iterations =
				(struct iterations){ .iterations = iterations,
					.n = 6 };
			for (int k = 0; k < 12; k++) {
				at[r][k] = start_ns;
				dur[r][k] = rand() % 40;
				start_ns += 1 + rand() % 30;
				line_add(w, run, k % 2 ? "a" : "b", k, 1,
					(int64_t[]){ at[r][k], dur[r][k] });
				if (run->collectives.n == 8)
					break;
			}
		}
		for (int k = 0; k < 8; k++)
			for (int r = 0; r < 3; r++) {
				int64_t shortest = dur[0][k];
				for (int o = 1; o < 3; o++)
					if (dur[o][k] < shortest)
						shortest = dur[o][k];
				for (int64_t i = 0; i < dur[r][k] - shortest;
					i++)
					waits[r][at[r][k] + i] = true;
			}
		for (int i = 0; i < 6; i++)
			iterations[i] = (struct iteration){ .start_ns = i * 40,
				.dur_ns = 10 + rand() % 31,
				.comm_ns = rand() % 3 ? 1000 : rand() % 9 - 1 };
		assert_true(
			ranks_waiting(w->runs, 3, &w->arena, waiting, &w->e));
		for (int r = 0; r < 3; r++)
			for (int i = 0; i < 6; i++) {
				int64_t n = 0, most = iterations[i].comm_ns;
				for (int64_t k = 0; k < iterations[i].dur_ns;
					k++)
					n += waits[r]
						  [iterations[i].start_ns + k];
				if (most < 0)
					assert_true(isnan(waiting[r][i]));
				else
					assert_int_equal(waiting[r][i],
						n < most ? n : most);
			}
		stop(state);
	}
	start(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RANKS_TEST(test_each_nanosecond),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
