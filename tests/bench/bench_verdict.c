/* bench_verdict.c - measures the verdict on 300 functions over 240 iterations
 * per side with 2,000 permutations, and the time to only read as many numbers.
 *
 *   bench_verdict [verdict|read]     one line: NAME CPU_NS WALL_NS
 *
 * The yardstick `read` reads the matrix of times once per permutation and adds
 * up its numbers. This is the minimum that any permutation by iteration
 * needs. */
#include "measure.h"
#include "verdict.h"
#include "xoshiro.h"
#include <stdlib.h>
#include <string.h>

enum { ROWS = 300, ITERATIONS = 240, PERMUTATIONS = 2000 };

static double times[2][ROWS][ITERATIONS];
static struct verdict_row rows[ROWS];

static void fill(void)
{
	struct xoshiro x;
	xoshiro_init(&x, 1);
	for (int s = 0; s < 2; s++)
		for (int r = 0; r < ROWS; r++)
			for (int c = 0; c < ITERATIONS; c++)
				times[s][r][c] = 1e4 + xoshiro_below(&x, 600);
	for (int r = 0; r < ROWS; r++)
		rows[r] = (struct verdict_row){ .base = times[0][r],
			.head = times[1][r],
			.base_launches = ITERATIONS,
			.head_launches = ITERATIONS,
			.kernel = true,
			.floor = 0.03,
			.floor_df = 4 };
}

static int judge(void)
{
	static const uint32_t iterations = ITERATIONS;
	struct verdict_side side = { 1, &iterations, ITERATIONS };
	struct verdict_input in = { .base = side,
		.head = side,
		.rows = rows,
		.n = ROWS,
		.base_iteration_ns = 3e6,
		.head_iteration_ns = 3e6,
		.margin = 0.05,
		.alpha = 0.05,
		.permutations = PERMUTATIONS,
		.seed = 1 };
	static struct change changes[ROWS];
	struct common_factor common;
	struct arena a = { 0 };
	struct err e = { 0 };
	uint32_t block;
	struct moment from = measure_now();
	bool ok = verdict_from(&in, &a, changes, &common, &block, &e);
	measure_tell("verdict", from, measure_now());
	arena_release(&a);
	return ok ? 0 : 1;
}

static int read_all(void)
{
	double sum = 0;
	struct moment from = measure_now();
	for (int k = 0; k < PERMUTATIONS; k++)
		for (int s = 0; s < 2; s++)
			for (int r = 0; r < ROWS; r++)
				for (int c = 0; c < ITERATIONS; c++)
					sum += times[s][r][c];
	measure_tell("read", from, measure_now());
	return sum > 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	fill();
	return argc > 1 && !strcmp(argv[1], "read") ? read_all() : judge();
}
