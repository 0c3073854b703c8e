/* test_compare_assign.c - compares the assignment of least cost with every
 * other assignment. */
#include "compare_state.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static double all_orders(const double *cost, uint32_t n, uint32_t *order,
	uint32_t at)
{
	double best = 0;
	if (at == n) {
		for (uint32_t i = 0; i < n; i++)
			best += cost[i * n + order[i]];
		return best;
	}
	for (uint32_t i = at; i < n; i++) {
		uint32_t was = order[at];
		order[at] = order[i];
		order[i] = was;
		double sum = all_orders(cost, n, order, at + 1);
		best = i == at || sum < best ? sum : best;
		order[i] = order[at];
		order[at] = was;
	}
	return best;
}

static void as_cheap_as_the_best_of_all_orders(void **state)
{
	struct arena a = { 0 };
	uint64_t seed = 1;
	(void)state;

	for (uint32_t n = 1; n <= 7; n++)
		for (int trial = 0; trial < 40; trial++) {
			double cost[49], sum = 0;
			uint32_t order[7], place[7], seen = 0;
			for (uint32_t i = 0; i < n * n; i++) {
				seed = seed * 6364136223846793005u + 1;
				/* few distinct values, so that many are
				 * equal */
				cost[i] = (double)(seed >> 60);
			}
			for (uint32_t i = 0; i < n; i++)
				order[i] = i;
			compare_match_assign(cost, n, &a, place);
			for (uint32_t i = 0; i < n; i++) {
				sum += cost[i * n + place[i]];
				seen |= 1u << place[i];
			}
			assert_int_equal(seen, (1u << n) - 1);
			assert_true(sum == all_orders(cost, n, order, 0));
		}
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_cheap_as_the_best_of_all_orders),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
