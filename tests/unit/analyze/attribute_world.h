/* attribute_world.h - makes host operators that launch kernels, and
 * attributes the kernels. */
#pragma once
#include "world.h"

static inline uint32_t op(struct world *w, const char *name, const char *dims,
	const char *types, int64_t start_ns, int64_t dur_ns)
{
	trace_op_add(&w->t, &(struct op_row){ .start_ns = start_ns,
				    .dur_ns = dur_ns,
				    .name = rows_name(&w->t, name),
				    .thread = rows_name(&w->t, "1"),
				    .external_id = start_ns,
				    .dims = rows_name(&w->t, dims),
				    .types = rows_name(&w->t, types) });
	return w->t.op.n - 1;
}

/* A call at a moment and the kernel it launched. */
static inline void launch(struct world *w, const char *kernel, int64_t at_ns,
	int64_t dur_ns)
{
	rows_call(&w->t, "cudaLaunchKernel", "1", at_ns, 1, at_ns);
	rows_launched(&w->t, kernel, 100000 + at_ns, dur_ns, at_ns);
}

static inline void analyse(struct world *w)
{
	const struct operators *o = &w->p.operators;
	int64_t rows = 0, shapes = 0;

	assert_true(world_analyse(w));
	for (uint32_t i = 0; i < o->n; i++) {
		int64_t known = 0;
		for (int k = 0; k < KNOWNS; k++)
			known += o->rows[i].known_ns[k];
		assert_int_equal(known, o->rows[i].total_ns);
		rows += o->rows[i].total_ns;
	}
	for (uint32_t i = 0; i < o->shapes_n; i++) {
		int64_t calls = 0;
		for (uint32_t b = 0; b < o->shapes[i].buckets_n; b++)
			calls += o->shapes[i].bucket_calls[b];
		assert_int_equal(calls, o->shapes[i].call.instances);
		shapes += o->shapes[i].call.total_ns;
	}
	assert_int_equal(rows, o->gpu_ns);
	assert_int_equal(shapes, o->gpu_ns);
	assert_int_equal(o->gpu_ns,
		w->p.kernel_ns + w->p.copy_ns + w->p.graph_ns);
}

static inline void expect(const struct world *w, uint32_t shape,
	const char *name, const char *text, enum how known, int64_t total_ns)
{
	const struct operators *o = &w->p.operators;

	assert_true(shape < o->shapes_n);
	const struct shape_stat *s = &o->shapes[shape];
	const char *of = o->rows[s->operator_].name;
	assert_string_equal(of ? of : "nobody", name);
	assert_string_equal(s->text ? s->text : "", text);
	assert_int_equal(s->known, known);
	assert_int_equal(s->call.total_ns, total_ns);
}
