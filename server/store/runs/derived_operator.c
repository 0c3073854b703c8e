/* derived_operator.c - operators of a run, their shapes, and unattributed
 * kernels. */
#include "derived_table.h"
#include "column.h"
#include "graph_sketch.h"
#include "int128.h"
#include "profile_word.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>

/* 2^63 ns is in bucket 63 * 32; calls of 0 ns are in bucket -1. */
enum { DERIVED_BUCKETS = 63 * 32 + 2 };

static void derived_write_int128(struct bulk *b, int128 v)
{
	char numeric[INT128_NUMERIC];
	bulk_bytes(b, numeric, int128_to_numeric(v, numeric));
}

static void derived_write_sketch(struct bulk *b, const struct graph_sketch *s)
{
	if (!s) {
		bulk_null(b);
		bulk_null(b);
		bulk_null(b);
		return;
	}
	bulk_int8s(b, s->bands, GRAPH_BANDS);
	bulk_int8s(b, s->names, s->names_n);
	bulk_int8s(b, s->counts, s->names_n);
}

static void derived_write_replayed_graphs(struct bulk *b,
	const struct derived_run *run)
{
	const struct operators *o = &run->profile->operators;
	for (uint32_t i = 0; i < o->matches_n; i++) {
		const struct graph_match *m = &o->matches[i];
		bulk_row(b, 16);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_bytes(b, m->key, sizeof m->key);
		bulk_int8(b, m->replays);
		bulk_int4(b, (int32_t)m->kernels);
		bulk_int8(b, m->total_ns);
		bulk_int8(b, m->attributed);
		bulk_int4(b, (int32_t)m->captures);
		bulk_int4_known(b, m->captures ? (int32_t)m->captured : -1);
		bulk_int4_known(b, m->captures ? (int32_t)m->matched : -1);
		bulk_text(b, profile_word_graph_source[m->source]);
		bulk_int8_known(b, m->upload ? m->upload : -1);
		bulk_text(b, profile_word_graph_reason[m->reason]);
		derived_write_sketch(b, m->sketch);
	}
}

static const struct derived_table derived_replayed_graph = {
	"COPY run_replayed_graph (run_id, rank, key, replays, kernels, "
	"total_ns, attributed, captures, captured, matched, source, "
	"source_upload_id, reason, bands, names, counts) "
	"FROM STDIN (FORMAT binary)",
	derived_write_replayed_graphs,
};

/* FLOPs and bytes of the row's calls whose T_SOL is known. */
static void derived_write_work(struct bulk *b, const struct operators *o,
	uint32_t row)
{
	int128 flops = 0, bytes = 0;
	for (uint32_t i = 0; i < o->shapes_n; i++) {
		const struct shape_stat *s = &o->shapes[i];
		if (s->operator_ != row || !derived_bound(s))
			continue;
		int128 calls = s->call.instances;
		for (int d = 0; d < DTYPES; d++)
			flops += calls * (int128)s->cost.flops[d];
		bytes += calls * ((int128)s->cost.read_bytes +
					 (int128)s->cost.write_bytes);
	}
	derived_write_int128(b, flops);
	derived_write_int128(b, bytes);
}

#define KNOWN(code, word, what) ", source_" #word "_ns"
static const char operator_sql[] =
	"COPY run_operator (run_id, rank, operator, dtype, phase, collective, "
	"launches, calls, total_ns"
#include "known.def"
	", shape_known_ns, roofline_known_calls, roofline_known_ns, sol_ps, compute_ns, headroom_ns, "
	"above_bound_ns, clock_sol_ps, clock_compute_ns, clock_headroom_ns, "
	"clock_above_bound_ns, shapes, flops, bytes) FROM STDIN (FORMAT binary)";
#undef KNOWN

static void derived_write_operators(struct bulk *b,
	const struct derived_run *run)
{
	const struct operators *o = &run->profile->operators;
	bool clock = derived_has_clock(run);
	for (uint32_t i = 0; i < o->n; i++) {
		const struct operator_stat *s = &o->rows[i];
		bulk_row(b, 23 + KNOWNS);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_text(b, s->name);
		bulk_text(b, dtype_word(s->dtype));
		bulk_text(b, profile_word_phase[s->phase]);
		bulk_bool(b, s->collective);
		bulk_int8(b, s->launches);
		bulk_int8(b, s->calls);
		bulk_int8(b, s->total_ns);
		for (int k = 0; k < KNOWNS; k++)
			bulk_int8(b, s->known_ns[k]);
		bulk_int8(b, s->sized_ns);
		bulk_int8(b, s->bound_calls);
		bulk_int8(b, s->bound_ns);
		bulk_int8(b, s->sheet.sol_ps);
		bulk_int8(b, s->sheet.compute_ns);
		bulk_int8(b, s->sheet.headroom_ns);
		bulk_int8(b, s->sheet.over_ns);
		bulk_int8_known(b, clock ? s->clock.sol_ps : -1);
		bulk_int8_known(b, clock ? s->clock.compute_ns : -1);
		bulk_int8_known(b, clock ? s->clock.headroom_ns : -1);
		bulk_int8_known(b, clock ? s->clock.over_ns : -1);
		bulk_int4(b, (int32_t)s->shapes);
		derived_write_work(b, o, i);
	}
}

static const struct derived_table derived_operator = { operator_sql,
	derived_write_operators };

/* "bf16=4096 fp32=32", or ""; NULL if the cost is unknown. */
static void derived_write_flops(struct bulk *b, const struct shape_stat *s)
{
	char text[DTYPES * 40];
	size_t len = 0;
	text[0] = '\0';
	for (int d = 0; d < DTYPES; d++)
		if (s->cost.flops[d])
			len += (size_t)snprintf(text + len, sizeof text - len,
				"%s%s=%llu", len ? " " : "",
				dtype_word((enum dtype)d),
				(unsigned long long)s->cost.flops[d]);
	bulk_text(b, text);
}

static void derived_write_link(struct bulk *b, const struct link_use *u)
{
	bulk_text(b, profile_word_collective[u->kind]);
	bulk_int8_known(b, u->kind ? u->bytes : -1);
	bulk_int8_known(b, u->kind ? u->ranks : -1);
	bulk_int8_known(b, u->kind ? u->nodes : -1);
}

static void derived_write_cost(struct bulk *b, const struct shape_stat *s,
	bool clock)
{
	if (s->costed) {
		derived_write_flops(b, s);
		bulk_int8(b, (int64_t)s->cost.read_bytes);
		bulk_int8(b, (int64_t)s->cost.write_bytes);
	} else {
		bulk_null(b);
		bulk_null(b);
		bulk_null(b);
	}
	derived_write_link(b, &s->cost.link);
	bulk_text(b, s->why);
	bulk_float8_known(b, s->sol_ns);
	bulk_text(b, profile_word_leg[s->leg]);
	bulk_float8_known(b, clock ? s->clock_sol_ns : (double)NAN);
	bulk_text(b, clock ? profile_word_leg[s->clock_leg] : NULL);
	int size_class = s->costed ? cost_size_class(&s->cost, s->leg) : -1;
	if (size_class < 0)
		bulk_null(b);
	else
		bulk_int4(b, size_class);
}

/* Packed columns are written from 64-bit numbers, so the buckets, which are
 * few, are copied to the stack. */
static void derived_write_buckets(struct bulk *b, const struct shape_stat *s)
{
	int64_t wide_bucket[DERIVED_BUCKETS];
	assert(s->buckets_n <= DERIVED_BUCKETS);
	for (uint32_t i = 0; i < s->buckets_n; i++)
		wide_bucket[i] = s->bucket[i];
	bulk_int4(b, (int32_t)s->buckets_n);
	bulk_packed(b, wide_bucket, s->buckets_n);
	bulk_packed(b, s->bucket_calls, s->buckets_n);
}

static void derived_write_shapes(struct bulk *b, const struct derived_run *run)
{
	const struct operators *o = &run->profile->operators;
	bool clock = derived_has_clock(run);
	int32_t rank = 0;
	for (uint32_t i = 0; i < o->shapes_n; i++, rank++) {
		const struct shape_stat *s = &o->shapes[i];
		if (i && s->operator_ != s[-1].operator_)
			rank = 0;
		bulk_row(b, 30 + TIME_COLUMNS_N);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)s->operator_);
		bulk_int4(b, rank);
		if (s->text)
			bulk_int8(b, run->shapes[i]);
		else
			bulk_null(b);
		bulk_text(b, s->grid);
		bulk_text(b, profile_word_how[s->known]);
		bulk_int8(b, s->launches);
		column_write_time(b, &s->call);
		derived_write_buckets(b, s);
		derived_write_cost(b, s, clock);
		bulk_int8_known(b, s->kept_calls);
		bulk_int8_known(b, s->kept_ns);
		bulk_int8_known(b, s->recomputed.calls);
		bulk_int8_known(b, s->recomputed.known_ns);
		bulk_int8_known(b, s->kept_recomputed.calls);
		bulk_int8_known(b, s->kept_recomputed.known_ns);
		bulk_int8_known(b, isnan(s->sol_ns) ? -1 : s->headroom_ns);
	}
}

static const struct derived_table derived_shape = {
	"COPY run_shape (run_id, operator, rank, shape_id, grid, attribution_source, "
	"launches, " TIME_COLUMNS ", buckets, bucket, bucket_calls, flops, "
	"read_bytes, write_bytes, link_kind, link_bytes, link_ranks, "
	"link_nodes, reason, sol_ns, leg, clock_sol_ns, clock_leg, size_class, "
	"kept_calls, kept_ns, recomputed_calls, recompute_known_ns, "
	"kept_recomputed_calls, kept_recompute_known_ns, headroom_ns) "
	"FROM STDIN (FORMAT binary)",
	derived_write_shapes,
};

/* Writes the keys of a shape in run_shape. Shapes are sorted by operator. */
static void derived_write_shape_key(struct bulk *b, const struct operators *o,
	uint32_t shape)
{
	uint32_t of = o->shapes[shape].operator_, first = 0, to = shape;
	while (first < to) {
		uint32_t middle = first + (to - first) / 2;
		if (o->shapes[middle].operator_ < of)
			first = middle + 1;
		else
			to = middle;
	}
	bulk_int4(b, (int32_t)of);
	bulk_int4(b, (int32_t)(shape - first));
}

static void derived_write_fusions(struct bulk *b, const struct derived_run *run)
{
	const struct operators *o = &run->profile->operators;
	for (uint32_t i = 0; i < o->fusions_n; i++) {
		const struct fusion_pair *p = &o->fusions[i];
		bulk_row(b, 17);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		derived_write_shape_key(b, o, p->first);
		derived_write_shape_key(b, o, p->second);
		bulk_text(b, p->kind);
		bulk_text(b, profile_word_consumers[p->consumers]);
		bulk_bool(b, p->replayed);
		bulk_bool(b, p->must_write);
		bulk_int8_known(b, p->bytes);
		bulk_int8(b, p->pairs);
		bulk_int8(b, p->first_ns);
		bulk_int8(b, p->second_ns);
		bulk_int8(b, p->gap_ns);
		bulk_float8_known(b, p->saved_ns);
		bulk_float8_known(b, p->saved_error_ns);
	}
}

static const struct derived_table derived_fusion = {
	"COPY run_fusion (run_id, rank, first_operator, first_rank, "
	"second_operator, second_rank, kind, consumers, replayed, must_write, "
	"bytes, pairs, first_ns, second_ns, gap_ns, saved_ns, "
	"saved_error_ns) "
	"FROM STDIN (FORMAT binary)",
	derived_write_fusions,
};

static void derived_write_device_shapes(struct bulk *b,
	const struct derived_run *run)
{
	const struct operators *o = &run->profile->operators;
	for (uint32_t i = 0; i < o->device_shapes_n; i++) {
		const struct device_shape *d = &o->device_shapes[i];
		bulk_row(b, 6);
		bulk_int8(b, run->id);
		bulk_int4(b, d->device);
		derived_write_shape_key(b, o, d->shape);
		bulk_int8(b, d->calls);
		bulk_float8_known(b, d->median_ns);
	}
}

static const struct derived_table derived_device_shape = {
	"COPY run_device_shape (run_id, device, operator, rank, calls, "
	"median_ns) FROM STDIN (FORMAT binary)",
	derived_write_device_shapes,
};

static void derived_write_unattributed(struct bulk *b,
	const struct derived_run *run)
{
	const struct operators *o = &run->profile->operators;
	for (uint32_t i = 0; i < o->unattributed_n; i++) {
		const struct unattributed *u = &o->unattributed[i];
		bulk_row(b, 5);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_int8(b, run->kernels[u->kernel]);
		bulk_int8(b, u->launches);
		bulk_int8(b, u->total_ns);
	}
}

static const struct derived_table derived_unattributed = {
	"COPY run_unattributed (run_id, rank, kernel_id, launches, total_ns) "
	"FROM STDIN (FORMAT binary)",
	derived_write_unattributed,
};

const struct derived_table *const derived_operator_tables[] = {
	&derived_operator, &derived_shape, &derived_fusion,
	&derived_device_shape, &derived_unattributed, &derived_replayed_graph,
	NULL
};
