/* same.h - compares data that was saved for comparisons with the data that is
 * read back. */
#pragma once
#include "changes.h"
#include "compared.h"

static inline void same_text(const char *a, const char *b)
{
	if (a && b)
		assert_string_equal(a, b);
	else
		assert_ptr_equal(a, b);
}

static inline void same_iterations(const struct iterations *a,
	const struct iterations *b)
{
	assert_int_equal(a->detector, b->detector);
	assert_float_equal(a->confidence, b->confidence, 0);
	same_text(a->range, b->range);
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->kept_n, b->kept_n);
	assert_int_equal(a->strata_n, b->strata_n);
	assert_int_equal(a->works_n, b->works_n);
	for (uint32_t i = 0; i < a->n; i++) {
		struct iteration x = a->iterations[i], y = b->iterations[i];
		same_text(x.label, y.label);
		assert_int_equal(x.number, y.number);
		assert_int_equal(x.start_ns, y.start_ns);
		assert_int_equal(x.dur_ns, y.dur_ns);
		assert_int_equal(x.use, y.use);
		assert_int_equal(x.open, y.open);
		assert_int_equal(x.stratum, y.stratum);
		assert_int_equal(x.compute_ns, y.compute_ns);
		assert_int_equal(x.comm_ns, y.comm_ns);
		assert_int_equal(x.copy_ns, y.copy_ns);
		assert_int_equal(x.idle_ns, y.idle_ns);
		assert_int_equal(x.comm_overlapped_ns, y.comm_overlapped_ns);
		assert_int_equal(x.sync_ns, y.sync_ns);
		assert_int_equal(x.launches, y.launches);
	}
	for (uint32_t i = 0; i < a->strata_n; i++) {
		struct stratum x = a->strata[i], y = b->strata[i];
		same_text(x.text, y.text);
		assert_int_equal(x.phase, y.phase);
		assert_int_equal(x.sequences, y.sequences);
		assert_int_equal(x.tokens, y.tokens);
		assert_int_equal(x.kv_tokens, y.kv_tokens);
		assert_int_equal(x.iterations, y.iterations);
	}
	for (uint32_t i = 0; i < a->works_n; i++) {
		struct work x = a->works[i], y = b->works[i];
		assert_int_equal(x.stratum, y.stratum);
		assert_int_equal(x.kind, y.kind);
		same_text(x.name, y.name);
		same_text(x.size, y.size);
		assert_float_equal(x.per_iteration, y.per_iteration, 0);
	}
}

/* Bit by bit: a NaN must keep its bits. */
#define same_numbers(a, b, n) assert_memory_equal(a, b, (n) * sizeof *(a))

static inline void same_texts(const struct pattern_texts *a,
	const struct pattern_texts *b)
{
	assert_int_equal(a->n, b->n);
	for (uint32_t i = 0; i < a->n; i++)
		assert_string_equal(a->list[i], b->list[i]);
}

static inline void same_patterns(const struct patterns *a,
	const struct patterns *b)
{
	assert_int_equal(a->iterations_n, b->iterations_n);
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->metrics_n, b->metrics_n);
	same_numbers(a->iteration, b->iteration, a->iterations_n);
	for (uint32_t i = 0; i < a->n; i++) {
		struct pattern x = a->rows[i], y = b->rows[i];
		same_text(x.name, y.name);
		same_text(x.device, y.device);
		assert_int_equal(x.type, y.type);
		assert_int_equal(x.number, y.number);
		same_numbers(x.dur_ns, y.dur_ns, a->iterations_n);
		same_numbers(x.launches, y.launches, a->iterations_n);
		same_numbers(x.min_ns, y.min_ns, a->iterations_n);
		same_numbers(x.max_ns, y.max_ns, a->iterations_n);
		assert_int_equal(x.launch.order, y.launch.order);
		same_texts(&x.launch.grids, &y.launch.grids);
		same_texts(&x.launch.operators, &y.launch.operators);
		assert_int_equal(!x.spread_ns, !y.spread_ns);
		if (x.spread_ns)
			same_numbers(x.spread_ns, y.spread_ns, PATTERN_SPREAD);
		assert_int_equal(!x.beta_pct, !y.beta_pct);
		if (x.beta_pct)
			same_numbers(x.beta_pct, y.beta_pct, a->iterations_n);
	}
	for (uint32_t i = 0; i < a->metrics_n; i++) {
		struct pattern_metric x = a->metrics[i], y = b->metrics[i];
		assert_int_equal(x.pattern, y.pattern);
		same_text(x.name, y.name);
		same_numbers(x.mu, y.mu, a->iterations_n);
		same_numbers(x.sigma, y.sigma, a->iterations_n);
		same_numbers(x.interpolated, y.interpolated, a->iterations_n);
	}
}

static inline void same_call(const struct collective *x,
	const struct collective *y)
{
	assert_int_equal(x->call.kind, y->call.kind);
	assert_int_equal(x->call.split, y->call.split);
	assert_int_equal(x->call.dtype, y->call.dtype);
	assert_int_equal(x->call.elements, y->call.elements);
	assert_int_equal(x->call.bytes, y->call.bytes);
	assert_int_equal(x->call.group_handle, y->call.group_handle);
	assert_int_equal(x->call.group_size, y->call.group_size);
	assert_int_equal(x->call.sequence, y->call.sequence);
	same_text(x->call.group, y->call.group);
	same_text(x->call.ranks, y->call.ranks);
	assert_int_equal(!x->sequence, !y->sequence);
	if (x->sequence)
		same_numbers(x->sequence, y->sequence, x->n);
}

static inline void same_rest(const struct profile *a,
	const struct compared_run *b)
{
	assert_int_equal(a->collectives.n, b->collectives.n);
	for (uint32_t i = 0; i < a->collectives.n; i++) {
		struct collective x = a->collectives.rows[i];
		struct collective y = b->collectives.rows[i];
		same_text(x.name, y.name);
		assert_int_equal(x.device, y.device);
		assert_int_equal(x.stream, y.stream);
		assert_int_equal(x.n, y.n);
		same_numbers(x.start_ns, y.start_ns, x.n);
		same_numbers(x.dur_ns, y.dur_ns, x.n);
		same_call(&x, &y);
	}
	assert_int_equal(a->facts.n, b->facts.n);
	for (uint32_t i = 0; i < a->facts.n; i++) {
		same_text(a->facts.rows[i].name, b->facts.rows[i].name);
		same_text(a->facts.rows[i].value, b->facts.rows[i].value);
	}
	for (enum note_code c = 0; c < NOTE_CODES; c++) {
		assert_int_equal(a->notes.count[c], b->notes.count[c]);
		same_text(a->notes.detail[c], b->notes.detail[c]);
	}
}
