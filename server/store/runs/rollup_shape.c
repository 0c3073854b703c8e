/* rollup_shape.c - the terms of a shape's row. */
#include "rollup_shape.h"
#include "derived_operator.h"
#include "rollup_code.h"
#include <math.h>

int128 rollup_times(int128 g, int128 v)
{
	int128 most = (int128)1 << 110, product;
	return __builtin_mul_overflow(g, v, &product) || product > most
		       ? 0
		       : product;
}

/* Of one row. */
struct adding {
	struct ledger *to;
	struct ledger_row *row;
	int sign;
};

static void add(const struct adding *w, int code, int128 v)
{
	if (v)
		ledger_add(w->to, w->row, code, w->sign < 0 ? -v : v);
}

static void add_cost(const struct adding *w, const struct shape_stat *s)
{
	int128 calls = s->call.instances;
	if (s->costed) {
		add(w, SHAPE_COSTED, calls);
		add(w, SHAPE_READ,
			rollup_times(calls, (int128)s->cost.read_bytes));
		add(w, SHAPE_WRITE,
			rollup_times(calls, (int128)s->cost.write_bytes));
		for (int d = 0; d < DTYPES; d++)
			add(w, SHAPE_FLOPS + d,
				rollup_times(calls, (int128)s->cost.flops[d]));
	}
	/* Beyond a thousand years of picoseconds nothing is a bound. */
	if (s->sol_ns < 1e16) {
		add(w, SHAPE_BOUND, calls);
		add(w, SHAPE_SOL,
			rollup_times(calls, llround(s->sol_ns * 1e3)));
		if (s->leg == LEG_COMPUTE)
			add(w, SHAPE_COMPUTE, calls);
	}
}

void rollup_shape_add(struct ledger *l, const struct shape_stat *s, int64_t id,
	int64_t weight_uh, bool first, int sign)
{
	struct adding to = { l, ledger_row(l, id), sign }, *w = &to;
	add(w, SHAPE_RUNS, first);
	add(w, SHAPE_LAUNCHES, s->launches);
	add(w, SHAPE_CALLS, s->call.instances);
	add(w, SHAPE_TOTAL, s->call.total_ns);
	add(w, SHAPE_W_TOTAL, rollup_times(weight_uh, s->call.total_ns));
	add_cost(w, s);
	for (uint32_t k = 0; k < s->buckets_n; k++)
		add(w, SHAPE_BUCKET + s->bucket[k], s->bucket_calls[k]);
}
