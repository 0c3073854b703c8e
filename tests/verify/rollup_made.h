/* rollup_made.h - makes random runs for rollup_player: operators, shapes,
 * unattributed kernels, and each way in which a figure can be missing. */
#pragma once
#include "profile.h"
#include <math.h>

enum { OPERATORS_MAX = 9, SHAPES_MAX = 4 };

static uint64_t state;

static inline uint64_t noise(uint64_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % below;
}

static inline const char *pick(const char *const *of, uint64_t n)
{
	return of[noise(n)];
}

static inline void make_shape(struct arena *a, struct shape_stat *s,
	uint32_t row)
{
	static const char *const texts[] = { NULL, "m=1", "m=2", "m=3 n=4",
		"seq_lens=[5,7]", "x=[64,3]" };
	static int16_t bucket[] = { -1, 0, 31, 700, 701 };
	*s = (struct shape_stat){ .operator_ = row,
		.text = pick(texts, 6),
		.known = KNOWN_OP_SIZES,
		.launches = 1 + (int64_t)noise(1000),
		.sol_ns = NAN };
	s->call = (struct time_stats){ .instances = 1 + (int64_t)noise(900),
		.total_ns = (int64_t)noise(1u << 31) << noise(20),
		.avg_ns = NAN,
		.med_ns = NAN,
		.min_ns = -1,
		.max_ns = -1,
		.stddev_ns = NAN,
		.p90_ns = NAN,
		.p99_ns = NAN,
		.iqr_ns = NAN };
	s->bucket = bucket;
	s->buckets_n = (uint32_t)noise(6);
	int64_t *calls = arena_array(a, int64_t, 5);
	for (int i = 0; i < 5; i++)
		calls[i] = 1 + (int64_t)noise(100);
	s->bucket_calls = calls;
	s->costed = s->text && noise(4);
	s->cost.flops[DTYPE_BF16] = noise(3) ? noise(1u << 31) << 20 : 0;
	s->cost.flops[DTYPE_FP8_E4M3] = noise(3) ? 0 : noise(1u << 31);
	s->cost.read_bytes = noise(1u << 31);
	s->cost.write_bytes = noise(1u << 31);
	if (s->costed && noise(4)) {
		s->sol_ns = (double)noise(1u << 31) / 1000;
		s->leg = noise(2) ? LEG_COMPUTE : LEG_MEMORY;
		s->headroom_ns = noise(5) ? (int64_t)noise(1u << 31) : -1;
	}
}

static inline void make_operator(struct operator_stat *o, uint32_t key)
{
	static const char *const names[] = { "gemm", "rms_norm", NULL };
	int64_t t = (int64_t)noise(1u << 31) << noise(20);
	*o = (struct operator_stat){ .name = names[key % 3],
		.dtype = key / 3 % 2 ? DTYPE_BF16 : DTYPE_UNKNOWN,
		.phase = key / 6 % 2 ? PHASE_DECODE : PHASE_UNKNOWN,
		.launches = (int64_t)noise(1000),
		.calls = (int64_t)noise(1000),
		.total_ns = t,
		.known_ns = { [KNOWN_RULE] = t },
		.sized_ns = t / 2,
		.bound_calls = (int64_t)noise(1000),
		.bound_ns = t / 3,
		.sheet = { .sol_ps = t / 4,
			.compute_ns = t / 5,
			.headroom_ns = t / 6,
			.over_ns = t / 7 } };
}

static inline void make_operators(struct arena *a, struct operators *o)
{
	static const char *const platforms[] = { NULL, "H20", "H100" };
	uint32_t from = (uint32_t)noise(4);
	*o = (struct operators){ .platform = pick(platforms, 3),
		.catalog = "1",
		.n = (uint32_t)noise(OPERATORS_MAX) };
	o->rows = arena_array(a, struct operator_stat, o->n);
	o->shapes =
		arena_array(a, struct shape_stat, OPERATORS_MAX * SHAPES_MAX);
	for (uint32_t i = 0; i < o->n; i++) {
		make_operator(&o->rows[i], from + i);
		o->gpu_ns += o->rows[i].total_ns;
		for (uint64_t k = noise(SHAPES_MAX); k; k--)
			make_shape(a, &o->shapes[o->shapes_n++], i);
	}
	o->unattributed_n = o->n ? (uint32_t)noise(3) : 0;
	o->unattributed = arena_array(a, struct unattributed, 2);
	for (uint32_t i = 0; i < 2; i++)
		o->unattributed[i] = (struct unattributed){ i,
			1 + (int64_t)noise(9), (int64_t)noise(999) };
}

static inline struct profile make_run(struct arena *a)
{
	static const char *const frameworks[] = { NULL, "pytorch", "vllm" };
	struct profile p = { .arena = a,
		.format = "kineto",
		.framework = pick(frameworks, 3),
		.pid = -1,
		.rank = -1,
		.world_size = -1,
		.started_utc_ns = -1,
		.kernels_n = 2 };
	p.kernels = arena_array(a, struct profile_kernel, 2);
	p.kernels[0] =
		(struct profile_kernel){ .name = "a", .short_name = "a" };
	p.kernels[1] =
		(struct profile_kernel){ .name = "b", .short_name = "b" };
	make_operators(a, &p.operators);
	/* This run is not counted in any sum. */
	p.notes.count[NOTE_names_lag] = noise(6) ? 0 : 1;
	return p;
}
