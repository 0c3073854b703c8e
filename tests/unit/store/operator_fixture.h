/* operator_fixture.h - makes a profile whose GPU time is attributed to operators and
 * shapes. */
#pragma once
#include "fixture.h"
#include <math.h>

/* The rows that operator_fixture_profile() adds: 4 operators, 5 shapes, 1 unattributed
 * kernel. */
enum { OPERATOR_FIXTURE_ROWS = 4 + 5 + 1 };

static inline struct time_stats operator_fixture_time(int64_t calls,
	int64_t total)
{
	return (struct time_stats){ .instances = calls,
		.total_ns = total,
		.avg_ns = (double)(total / calls),
		.med_ns = (double)(total / calls),
		.min_ns = total / calls,
		.max_ns = total / calls,
		.stddev_ns = 0,
		.p90_ns = 1.5,
		.p99_ns = NAN,
		.iqr_ns = NAN };
}

/* A gemm in two phases, the second with two shapes; a copy with a known size
 * and an unknown cost; unattributed time. Together they take 510 ns, which is
 * the time of the kernels and copies of fixture_profile(). */
static inline struct operators operator_fixture_operators(struct arena *a)
{
	static const struct operator_stat rows[] = {
		{ .name = "gemm",
			.dtype = DTYPE_BF16,
			.phase = PHASE_DECODE,
			.launches = 3,
			.calls = 2,
			.total_ns = 300,
			.known_ns = { [KNOWN_OP_SIZES] = 200,
				[KNOWN_GRAPH] = 100 },
			.sized_ns = 300,
			.bound_calls = 2,
			.bound_ns = 300,
			.sheet = { 150500, 200, 140, 0 },
			.clock = { 150500, 200, 140, 0 },
			.shapes = 2 },
		{ .name = "gemm",
			.dtype = DTYPE_BF16,
			.phase = PHASE_PREFILL,
			.launches = 1,
			.calls = 1,
			.total_ns = 100,
			.known_ns = { [KNOWN_OP_SIZES] = 100 },
			.sized_ns = 100,
			.bound_calls = 1,
			.bound_ns = 100,
			.sheet = { 120000, 0, 0, 100 },
			.clock = { 120000, 0, 0, 100 },
			.shapes = 1 },
		{ .name = "copy",
			.phase = PHASE_UNKNOWN,
			.launches = 2,
			.calls = 2,
			.total_ns = 60,
			.known_ns = { [KNOWN_RECORD] = 60 },
			.sized_ns = 60,
			.shapes = 1 },
		{ .name = NULL,
			.collective = true,
			.launches = 1,
			.calls = 1,
			.total_ns = 50,
			.known_ns = { [KNOWN_NOT] = 50 },
			.shapes = 1 },
	};
	static const int16_t bucket[] = { 212, 213, 249 };
	static const int64_t calls[] = { 1, 70000, INT64_C(1) << 40 };
	struct operators o = { .platform = "H20",
		.catalog = "1+7",
		.gpu_ns = 510,
		.n = 4,
		.shapes_n = 5,
		.unattributed_n = 1,
		.replayed = 9,
		.replayed_known = 4 };
	o.rows = memcpy(arena_array(a, struct operator_stat, 4), rows,
		sizeof rows);
	o.shapes = arena_array(a, struct shape_stat, 5);
	o.shapes[0] = (struct shape_stat){ .operator_ = 0,
		.text = "m=237 n=4096 k=4096",
		.known = KNOWN_OP_SIZES,
		.launches = 2,
		.call = operator_fixture_time(1, 200),
		.kept_calls = 1,
		.kept_ns = 200,
		.recomputed = { 1, 150 },
		.kept_recomputed = { 1, 140 },
		.bucket = bucket,
		.bucket_calls = calls,
		.buckets_n = 3,
		.costed = true,
		.sol_ns = 100.25,
		.clock_sol_ns = 100.25,
		.leg = LEG_COMPUTE,
		.headroom_ns = 95,
		.clock_leg = LEG_COMPUTE };
	o.shapes[0].cost.flops[DTYPE_BF16] = UINT64_C(7952400384);
	o.shapes[0].cost.flops[DTYPE_FP32] = 3;
	o.shapes[0].cost.read_bytes = 35495936;
	o.shapes[0].cost.write_bytes = 1941504;
	o.shapes[1] = o.shapes[0];
	o.shapes[1].text = "m=1 n=4096 k=4096";
	o.shapes[1].known = KNOWN_GRAPH;
	o.shapes[1].call = operator_fixture_time(1, 100);
	o.shapes[1].launches = 1;
	o.shapes[1].kept_calls = o.shapes[1].kept_ns = 0;
	o.shapes[1].recomputed = (struct recomputed){ 0, 100 };
	o.shapes[1].kept_recomputed = (struct recomputed){ 0, 0 };
	o.shapes[1].buckets_n = 1;
	o.shapes[1].sol_ns = o.shapes[1].clock_sol_ns = 50.25;
	o.shapes[1].leg = o.shapes[1].clock_leg = LEG_MEMORY;
	o.shapes[1].headroom_ns = 45;
	o.shapes[2] = o.shapes[1];
	o.shapes[2].operator_ = 1;
	o.shapes[2].sol_ns = o.shapes[2].clock_sol_ns = 120;
	o.shapes[2].headroom_ns = 0;
	o.shapes[2].cost.flops[DTYPE_FP32] = 0;
	o.shapes[3] = (struct shape_stat){ .operator_ = 2,
		.text = "bytes=4096",
		.known = KNOWN_RECORD,
		.launches = 2,
		.call = operator_fixture_time(2, 60),
		.why = "the direction is unknown",
		.sol_ns = NAN,
		.headroom_ns = -1,
		.clock_sol_ns = NAN };
	o.shapes[4] = (struct shape_stat){ .operator_ = 3,
		.grid = "128x1x1 / 256x1x1",
		.known = KNOWN_NOT,
		.launches = 1,
		.call = operator_fixture_time(1, 50),
		.bucket = bucket + 1,
		.bucket_calls = calls,
		.buckets_n = 1,
		.sol_ns = NAN,
		.headroom_ns = -1,
		.clock_sol_ns = NAN };
	o.unattributed = arena_new(a, struct unattributed);
	*o.unattributed = (struct unattributed){ 1, 1, 50 };
	return o;
}

static inline struct profile operator_fixture_profile(struct arena *a)
{
	struct profile p = fixture_profile(a);
	p.operators = operator_fixture_operators(a);
	return p;
}
