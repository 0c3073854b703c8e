/* changes.h - makes a profile with all data that comparisons read: iterations
 * and the work in each of them, the time of functions, counters, collectives,
 * facts. */
#pragma once
#include "fixture.h"
#include <math.h>

/* The rows that changing() adds: 5 iterations, 2 strata, 3 works, an axis, 3
 * patterns with their iterations, 2 metrics, 2 collectives, 3 facts. */
enum { CHANGE_ROWS = 5 + 2 + 3 + 1 + 3 + 3 + 2 + 2 + 3 };

#define COPIED(a, list) \
	memcpy(arena_alloc((a), 1, sizeof(list)), list, sizeof(list))

static inline void changes_iterations(struct arena *a, struct iterations *cs)
{
	static const struct iteration iterations[] = {
		{ 7, "step 7", 0, 900, ITERATION_WARMUP, false, 0, 500, 100,
			100, 200, 40, 90, 12 },
		{ 8, "step 8", 900, 400, ITERATION_KEPT, false, 0, 250, 50, 0,
			100, 250, -1, 10 },
		{ 9, NULL, -1, 500, ITERATION_KEPT, false, 1, -1, -1, -1, -1,
			-1, 0, 0 },
		{ 10, "", 1800, 300, ITERATION_KEPT, false, 0, 300, 0, 0, 0, 0,
			7, 10 },
		{ 12, "step 12", INT64_C(5000000000), 0, ITERATION_PARTIAL,
			true, 0, 0, 0, 0, 0, -1, 0, 1 },
	};
	static const struct stratum strata[] = {
		{ "decode, 16 sequences, 16 tokens", PHASE_DECODE, 16, 16, -1,
			2 },
		{ "", PHASE_UNKNOWN, -1, -1, -1, 1 },
	};
	static const struct work works[] = {
		{ 0, WORK_OP, "aten::mm", "[[64,128],[128,17]]", 24 },
		{ 0, WORK_GRID, "add", "128x1x1", 0.5 },
		{ 1, WORK_GRID, "add", "1x1x1", 1e6 },
	};
	*cs = (struct iterations){ ITERATIONS_ANNOTATION, 0.875, "step ",
		COPIED(a, iterations), COPIED(a, strata), COPIED(a, works), 5,
		3, 2, 3, NULL, NULL };
}

static inline void changes_patterns(struct arena *a, struct patterns *ps)
{
	/* Three of the five iterations have values: the kept ones. */
	static const uint32_t iteration[] = { 1, 2, 3 };
	/* Numbers of one byte, of two, of eight, and all equal. */
	static const int64_t durs[] = { 120, 0, -0, 30000, 1, 2,
		INT64_C(1) << 40, 5, INT64_C(6000000000) };
	static const int64_t launches[] = { 1, 2, 3, 4, 4, 4, 0, 200, 70000 };
	static const int64_t mins[] = { 120, -1, 7, -1, -1, -1, 0, 0, 0 };
	static const int64_t spread[PATTERN_SPREAD] = { 1, 2, 3, 5, 8, 13, 21,
		34, 55, 89, 144, 233, 377, 610, 987, 1597, INT64_C(1) << 41 };
	static const double beta[] = { 102.5, NAN, 0 };
	static const double mu[] = { NAN, NAN, NAN, 61.25, NAN, -3e300 };
	static const double sigma[] = { NAN, NAN, NAN, 0, NAN, 0.1 };
	static const uint8_t interpolated[] = { 3, 3, 3, 0, 1, 2 };
	int64_t *d = COPIED(a, durs), *l = COPIED(a, launches);
	int64_t *m = COPIED(a, mins), *x = COPIED(a, mins);
	double *u = COPIED(a, mu), *s = COPIED(a, sigma);
	uint8_t *i = COPIED(a, interpolated);
	static const char *const texts[] = { "8x1x1 / 128x1x1",
		"4x1x1 / 128x1x1", "gemm fp32 m=1 n=2 k=3" };
	const char **t = COPIED(a, texts);
	const struct pattern rows[] = {
		{ "void gemm<float>(int)", FUNCTION_gpu_compute, "GPU 0", 0, d,
			l, m, x, COPIED(a, spread), NULL,
			{ .order = 2,
				.grids = { t, 2 },
				.operators = { t + 2, 1 } },
			{ 0 }, NULL, NULL },
		{ "Memcpy HtoD (Pageable -> Device)", FUNCTION_memcpy_h2d,
			"GPU 1", 1, d + 3, l + 3, m + 3, x + 3, NULL, NULL,
			{ 0 }, { 0 }, NULL, NULL },
		{ "oncpu", FUNCTION_oncpu, "Host", -1, d + 6, l + 6, m + 6,
			x + 6, NULL, COPIED(a, beta), { 0 }, { 0 }, NULL,
			NULL },
	};
	const struct pattern_metric metrics[] = {
		{ 0, "clock", u, s, i },
		{ 2, "sm_active", u + 3, s + 3, i + 3 },
	};
	*ps = (struct patterns){ 3, COPIED(a, iteration), COPIED(a, rows),
		COPIED(a, metrics), 3, 2 };
}

static inline void changes_collectives(struct arena *a, struct collectives *cs)
{
	static const int64_t starts[] = { 5, 5, INT64_C(1) << 62, -9 };
	static const int64_t durs[] = { 1, 2, 3, 4 };
	static const int64_t sequences[] = { 7, -1, 9 };
	int64_t *s = COPIED(a, starts), *d = COPIED(a, durs);
	const struct collective rows[] = {
		{ .name = "add",
			.device = 0,
			.stream = 7,
			.call = { COLLECTIVE_ALL_TO_ALL,
				COLLECTIVE_SPLIT_UNEVEN, DTYPE_BF16, 512, 1024,
				"tp", "[0, 1]", -1, 2, -1, 0, NULL },
			.n = 3,
			.start_ns = s,
			.dur_ns = d,
			.sequence = COPIED(a, sequences),
			.saved_ns = 12.5,
			.saved_error_ns = 2 },
		{ .name = "a kernel of no table",
			.device = 1,
			.stream = INT64_C(1) << 40,
			.call = { COLLECTIVE_UNKNOWN, COLLECTIVE_SPLIT_UNKNOWN,
				DTYPE_UNKNOWN, -1, -1, NULL, NULL,
				INT64_C(1) << 60, -1, -1, 0, NULL },
			.n = 1,
			.start_ns = s + 3,
			.dur_ns = d + 3,
			.saved_ns = (double)NAN,
			.saved_error_ns = (double)NAN },
	};
	*cs = (struct collectives){ COPIED(a, rows), 2 };
}

/* fixture_profile() with these additions. */
static inline struct profile changing(struct arena *a)
{
	/* Two with one name, as two libraries may have. */
	static const struct fact facts[] = { { "driver", "550.54.15" },
		{ "nccl", "2.20.5" }, { "nccl", "2.21.5" } };
	struct profile p = fixture_profile(a);
	changes_iterations(a, &p.iterations);
	changes_patterns(a, &p.patterns);
	changes_collectives(a, &p.collectives);
	p.facts = (struct facts){ COPIED(a, facts), 3 };
	return p;
}
