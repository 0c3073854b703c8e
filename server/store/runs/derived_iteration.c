/* derived_iteration.c - iterations of a run, what limited their busy time, their
 * work, why the GPU was idle in them, their energy, and the time of each function in
 * each of them.
 *
 * Comparisons read these rows: iterations with their strata and signatures,
 * functions, counters, individual collectives, and facts about the
 * environment. */
#include "derived_table.h"
#include "profile_word.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void derived_write_iterations(struct bulk *b,
	const struct derived_run *run)
{
	const struct iterations *cs = &run->profile->iterations;
	for (uint32_t i = 0; i < cs->n; i++) {
		const struct iteration *c = &cs->iterations[i];
		bulk_row(b, 16);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_int8(b, c->number);
		bulk_text(b, c->label);
		bulk_int8_known(b, c->start_ns);
		bulk_int8_known(b, c->dur_ns);
		bulk_text(b, profile_word_use[c->use]);
		bulk_bool(b, c->open);
		bulk_int4(b, (int32_t)c->stratum);
		bulk_int8_known(b, c->compute_ns);
		bulk_int8_known(b, c->comm_ns);
		bulk_int8_known(b, c->copy_ns);
		bulk_int8_known(b, c->idle_ns);
		bulk_int8_known(b, c->comm_overlapped_ns);
		bulk_int8_known(b, c->sync_ns);
		bulk_int8(b, c->launches);
	}
}

static const struct derived_table derived_iteration = {
	"COPY run_iteration (run_id, iteration, number, label, start_ns, dur_ns, use, "
	"open, stratum, compute_ns, comm_ns, copy_ns, idle_ns, "
	"comm_overlapped_ns, sync_ns, launches) FROM STDIN (FORMAT binary)",
	derived_write_iterations,
};

/* No rows if the classes are unknown. */
static void derived_write_busy(struct bulk *b, const struct derived_run *run)
{
	const struct busy_times *t = &run->profile->busy;
	for (int c = 0; c < BUSY_CLASSES && t->iteration_ns[c]; c++) {
		bulk_row(b, 4);
		bulk_int8(b, run->id);
		bulk_text(b, profile_word_busy[c]);
		bulk_int8(b, t->time_ns[c]);
		bulk_packed(b, t->iteration_ns[c], run->profile->iterations.n);
	}
}

static const struct derived_table derived_busy = {
	"COPY run_busy_class (run_id, class, time_ns, iteration_ns) "
	"FROM STDIN (FORMAT binary)",
	derived_write_busy,
};

static void derived_write_work_dtypes(struct bulk *b,
	const struct iteration_work *w)
{
	const char *list[DTYPES];
	uint32_t n = 0;
	for (enum dtype d = 0; d < DTYPES; d++)
		if (w->dtypes >> d & 1)
			list[n++] = dtype_word(d);
	bulk_texts(b, list, n);
}

static void derived_write_iteration_work(struct bulk *b,
	const struct derived_run *run)
{
	const struct iteration_works *all = &run->profile->operators.work;
	for (uint32_t i = 0; i < all->n; i++) {
		const struct iteration_work *w = &all->rows[i];
		uint32_t n = all->iterations_n;
		uint32_t flops_n = n * (uint32_t)__builtin_popcount(w->dtypes);
		bulk_row(b, 8);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_packed(b, w->time_ns, n);
		for (int column = 0; !w->known && column < 5; column++)
			bulk_null(b);
		if (!w->known)
			continue;
		derived_write_work_dtypes(b, w);
		bulk_packed(b, w->flops, flops_n);
		bulk_packed(b, w->bytes, n);
		bulk_packed(b, w->recomputed_flops, flops_n);
		bulk_packed(b, w->recompute_known_ns, n);
	}
}

static const struct derived_table derived_iteration_work = {
	"COPY run_iteration_work (run_id, rank, time_ns, dtypes, flops, bytes, "
	"recomputed_flops, recompute_known_ns) FROM STDIN (FORMAT binary)",
	derived_write_iteration_work,
};

/* No rows if the causes are unknown. */
static void derived_write_waits(struct bulk *b, const struct derived_run *run)
{
	const struct wait_times *w = &run->profile->waits;
	for (int c = 0; c < WAIT_CAUSES && w->iteration_ns[c]; c++) {
		bulk_row(b, 5);
		bulk_int8(b, run->id);
		bulk_text(b, profile_word_wait[c]);
		bulk_int8(b, w->time_ns[c]);
		bulk_int8(b, w->parts[c]);
		bulk_packed(b, w->iteration_ns[c], run->profile->iterations.n);
	}
}

static const struct derived_table derived_wait = {
	"COPY run_wait (run_id, cause, time_ns, parts, iteration_ns) "
	"FROM STDIN (FORMAT binary)",
	derived_write_waits,
};

static void derived_write_wait_names(struct bulk *b,
	const struct derived_run *run)
{
	const struct wait_times *w = &run->profile->waits;
	for (uint32_t i = 0; i < w->names_n; i++) {
		const struct wait_name *n = &w->names[i];
		bulk_row(b, 6);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_text(b, profile_word_wait[n->cause]);
		bulk_text(b, profile_word_wait_kind[n->kind]);
		bulk_text(b, n->name);
		bulk_int8(b, n->time_ns);
	}
}

static const struct derived_table derived_wait_name = {
	"COPY run_wait_name (run_id, rank, cause, kind, name, time_ns) "
	"FROM STDIN (FORMAT binary)",
	derived_write_wait_names,
};

static void derived_write_energy(struct bulk *b, const struct derived_run *run)
{
	const struct energy_use *use = &run->profile->energy;
	uint32_t n = run->profile->iterations.n;
	for (uint32_t i = 0; i < use->n; i++) {
		const struct device_energy *d = &use->devices[i];
		const double *single[] = { d->iteration_j, d->iteration_low_j,
			d->iteration_high_j };
		bulk_row(b, 22);
		bulk_int8(b, run->id);
		bulk_int4(b, d->device);
		bulk_text(b, d->counter);
		bulk_int8(b, d->samples);
		bulk_int8(b, d->ignored);
		bulk_int8(b, d->gaps);
		bulk_int8_known(b, d->interval_ns);
		bulk_int4(b, (int32_t)d->first);
		bulk_int4(b, (int32_t)d->iterations);
		bulk_int8_known(b, d->span_ns);
		bulk_float8_known(b, d->energy_j);
		bulk_float8_known(b, d->low_j);
		bulk_float8_known(b, d->high_j);
		bulk_text(b, d->why);
		for (int k = 0; k < 3; k++)
			if (single[k])
				bulk_packed(b, single[k], n);
			else
				bulk_null(b);
		bulk_float8_known(b, d->idle_w);
		bulk_float8_known(b, d->idle_low_w);
		bulk_float8_known(b, d->idle_high_w);
		bulk_text(b, d->operators_why);
		bulk_float8_known(b, use->tokens);
	}
}

static const struct derived_table derived_energy = {
	"COPY run_energy (run_id, device, counter, samples, ignored, gaps, "
	"interval_ns, first_iteration, iterations, span_ns, energy_j, low_j, "
	"high_j, reason, iteration_j, iteration_low_j, iteration_high_j, "
	"idle_w, idle_low_w, idle_high_w, operators_reason, tokens) "
	"FROM STDIN (FORMAT binary)",
	derived_write_energy,
};

static void derived_write_energy_operators(struct bulk *b,
	const struct derived_run *run)
{
	const struct energy_use *use = &run->profile->energy;
	for (uint32_t i = 0; i < use->n; i++)
		for (uint32_t k = 0; k < use->devices[i].operators_n; k++) {
			const struct operator_energy *o =
				&use->devices[i].operators[k];
			bulk_row(b, 11);
			bulk_int8(b, run->id);
			bulk_int4(b, use->devices[i].device);
			bulk_int4(b, (int32_t)o->operator_);
			bulk_text(b, o->name);
			bulk_text(b, dtype_word(o->dtype));
			bulk_text(b, profile_word_phase[o->phase]);
			bulk_int8(b, o->time_ns);
			bulk_float8_known(b, o->energy_j);
			bulk_float8_known(b, o->low_j);
			bulk_float8_known(b, o->high_j);
			bulk_text(b, o->why);
		}
}

static const struct derived_table derived_energy_operator = {
	"COPY run_energy_operator (run_id, device, rank, operator, dtype, "
	"phase, time_ns, energy_j, low_j, high_j, reason) "
	"FROM STDIN (FORMAT binary)",
	derived_write_energy_operators,
};

static void derived_write_strata(struct bulk *b, const struct derived_run *run)
{
	const struct iterations *cs = &run->profile->iterations;
	for (uint32_t i = 0; i < cs->strata_n; i++) {
		const struct stratum *s = &cs->strata[i];
		bulk_row(b, 8);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_text(b, s->text);
		bulk_text(b, profile_word_phase[s->phase]);
		bulk_int8_known(b, s->sequences);
		bulk_int8_known(b, s->tokens);
		bulk_int8_known(b, s->kv_tokens);
		bulk_int4(b, (int32_t)s->iterations);
	}
}

static const struct derived_table derived_stratum = {
	"COPY run_stratum (run_id, stratum, text, phase, sequences, tokens, "
	"kv_tokens, iterations) FROM STDIN (FORMAT binary)",
	derived_write_strata,
};

static void derived_write_works(struct bulk *b, const struct derived_run *run)
{
	const struct iterations *cs = &run->profile->iterations;
	for (uint32_t i = 0; i < cs->works_n; i++) {
		const struct work *w = &cs->works[i];
		bulk_row(b, 7);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_int4(b, (int32_t)w->stratum);
		bulk_text(b, profile_word_work[w->kind]);
		bulk_text(b, w->name);
		bulk_text(b, w->size);
		bulk_float8(b, w->per_iteration);
	}
}

static const struct derived_table derived_work = {
	"COPY run_signature (run_id, rank, stratum, kind, name, size, per_iteration) "
	"FROM STDIN (FORMAT binary)",
	derived_write_works,
};

static void derived_write_facts(struct bulk *b, const struct derived_run *run)
{
	const struct facts *fs = &run->profile->facts;
	for (uint32_t i = 0; i < fs->n; i++) {
		bulk_row(b, 4);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_text(b, fs->rows[i].name);
		bulk_text(b, fs->rows[i].value);
	}
}

static const struct derived_table derived_fact = {
	"COPY run_fact (run_id, rank, name, value) FROM STDIN (FORMAT binary)",
	derived_write_facts,
};

/* A run's kernels by name. */
struct derived_names {
	struct arena arena;
	struct derived_name {
		const char *name;
		int64_t kernel;
	} * list;
	uint32_t n;
};

static int derived_by_name(const void *a, const void *b)
{
	const struct derived_name *x = a, *y = b;
	return strcmp(x->name, y->name);
}

static void derived_names_init(struct derived_names *ns,
	const struct derived_run *run)
{
	*ns = (struct derived_names){ .n = run->profile->kernels_n };
	ns->list = arena_array(&ns->arena, struct derived_name, ns->n);
	for (uint32_t i = 0; i < ns->n; i++)
		ns->list[i] =
			(struct derived_name){ run->profile->kernels[i].name,
				run->kernels[i] };
	if (ns->n)
		qsort(ns->list, ns->n, sizeof *ns->list, derived_by_name);
}

static void derived_names_release(struct derived_names *ns)
{
	arena_release(&ns->arena);
}

/* Writes two columns: the kernel, or the name of a function that is not a
 * kernel. */
static void derived_write_function(struct bulk *b,
	const struct derived_names *ns, const char *name)
{
	const struct derived_name want = { .name = name };
	const struct derived_name *is =
		ns->n ? bsearch(&want, ns->list, ns->n, sizeof want,
				derived_by_name)
		      : NULL;
	if (is)
		bulk_int8(b, is->kernel);
	else
		bulk_null(b);
	bulk_text(b, is ? NULL : name);
}

/* Whether some call of the collective has a number in its group. */
static bool derived_numbered(const struct collective *c)
{
	for (uint32_t i = 0; c->sequence && i < c->n; i++)
		if (c->sequence[i] >= 0)
			return true;
	return false;
}

static void derived_write_axis(struct bulk *b, const struct derived_run *run)
{
	const struct patterns *ps = &run->profile->patterns;
	struct arena a = { 0 };
	const struct collectives *cs = &run->profile->collectives;
	if (!ps->n && !cs->n)
		return;
	int64_t numbers = 0,
		*iteration = arena_array(&a, int64_t, ps->iterations_n);
	for (uint32_t i = 0; i < ps->iterations_n; i++)
		iteration[i] = ps->iteration[i];
	for (uint32_t i = 0; i < ps->n; i++)
		numbers += ps->rows[i].beta_pct ? 5 : 4;
	numbers = (1 + numbers + INT64_C(3) * ps->metrics_n) * ps->iterations_n;
	for (uint32_t i = 0; i < ps->n; i++)
		numbers += ps->rows[i].spread_ns ? PATTERN_SPREAD : 0;
	for (uint32_t i = 0; i < cs->n; i++)
		numbers += (derived_numbered(&cs->rows[i]) ? INT64_C(3) : 2) *
			   cs->rows[i].n;
	bulk_row(b, 7);
	bulk_int8(b, run->id);
	bulk_int4(b, (int32_t)ps->iterations_n);
	bulk_packed(b, iteration, ps->iterations_n);
	bulk_int4(b, (int32_t)ps->n);
	bulk_int4(b, (int32_t)ps->metrics_n);
	bulk_int4(b, (int32_t)cs->n);
	bulk_int8(b, numbers);
	arena_release(&a);
}

static const struct derived_table derived_axis = {
	"COPY run_axis (run_id, iterations, iteration, patterns, metrics, "
	"collectives, packed_values) FROM STDIN (FORMAT binary)",
	derived_write_axis,
};

/* The mean over the kept iterations of the first stratum; NaN if there are
 * none. */
static double derived_mean_ns(const struct iterations *cs,
	const struct patterns *ps, const struct pattern *p)
{
	double sum = 0;
	uint32_t n = 0;
	for (uint32_t i = 0; i < ps->iterations_n; i++) {
		const struct iteration *c = &cs->iterations[ps->iteration[i]];
		if (c->use != ITERATION_KEPT || c->stratum != 0)
			continue;
		sum += (double)p->dur_ns[i];
		n++;
	}
	return n ? sum / n : NAN;
}

/* An empty list is unknown. */
static void derived_write_patterns(struct bulk *b,
	const struct derived_run *run)
{
	const struct patterns *ps = &run->profile->patterns;
	struct derived_names ns;
	if (!ps->n)
		return;
	derived_names_init(&ns, run);
	for (uint32_t i = 0; i < ps->n; i++) {
		const struct pattern *p = &ps->rows[i];
		bulk_row(b, 11);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		derived_write_function(b, &ns, p->name);
		bulk_text(b, profile_word_function[p->type]);
		bulk_text(b, p->device);
		bulk_int4_known(b, p->number);
		bulk_float8_known(b,
			derived_mean_ns(&run->profile->iterations, ps, p));
		bulk_int4_known(b,
			p->launch.order ? (int32_t)p->launch.order : -1);
		derived_write_texts(b, &p->launch.grids);
		derived_write_texts(b, &p->launch.operators);
	}
	derived_names_release(&ns);
}

static const struct derived_table derived_pattern = {
	"COPY run_pattern (run_id, rank, kernel_id, function, type, device, "
	"number, mean_ns, launch_order, launch_shapes, operator_shapes) "
	"FROM STDIN (FORMAT binary)",
	derived_write_patterns,
};

static void derived_write_pattern_iterations(struct bulk *b,
	const struct derived_run *run)
{
	const struct patterns *ps = &run->profile->patterns;
	for (uint32_t i = 0; i < ps->n; i++) {
		const struct pattern *p = &ps->rows[i];
		bulk_row(b, 8);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_packed(b, p->dur_ns, ps->iterations_n);
		bulk_packed(b, p->launches, ps->iterations_n);
		bulk_packed(b, p->min_ns, ps->iterations_n);
		bulk_packed(b, p->max_ns, ps->iterations_n);
		if (p->spread_ns)
			bulk_packed(b, p->spread_ns, PATTERN_SPREAD);
		else
			bulk_null(b);
		if (p->beta_pct)
			bulk_packed(b, p->beta_pct, ps->iterations_n);
		else
			bulk_null(b);
	}
}

static const struct derived_table derived_pattern_iteration = {
	"COPY run_pattern_iteration (run_id, rank, dur_ns, launches, min_ns, "
	"max_ns, spread_ns, beta_pct) FROM STDIN (FORMAT binary)",
	derived_write_pattern_iterations,
};

static void derived_write_metrics(struct bulk *b, const struct derived_run *run)
{
	const struct patterns *ps = &run->profile->patterns;
	struct arena a = { 0 };
	int64_t *wide = arena_array(&a, int64_t, ps->iterations_n);
	for (uint32_t i = 0; i < ps->metrics_n; i++) {
		const struct pattern_metric *m = &ps->metrics[i];
		for (uint32_t c = 0; c < ps->iterations_n; c++)
			wide[c] = m->interpolated[c];
		bulk_row(b, 7);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_int4(b, (int32_t)m->pattern);
		bulk_text(b, m->name);
		bulk_packed(b, m->mu, ps->iterations_n);
		bulk_packed(b, m->sigma, ps->iterations_n);
		bulk_packed(b, wide, ps->iterations_n);
	}
	arena_release(&a);
}

static const struct derived_table derived_metric = {
	"COPY run_metric (run_id, rank, pattern, name, mu, sigma, "
	"interpolated) FROM STDIN (FORMAT binary)",
	derived_write_metrics,
};

/* Writes ten columns. */
static void derived_write_call(struct bulk *b, const struct collective *c)
{
	const struct collective_call *is = &c->call;

	bulk_text(b, profile_word_collective[is->kind]);
	bulk_text(b, dtype_word(is->dtype));
	bulk_text(b, profile_word_split[is->split]);
	bulk_int8_known(b, is->elements);
	bulk_int8_known(b, is->bytes);
	bulk_text(b, is->group);
	bulk_text(b, is->ranks);
	bulk_int8_known(b, is->group_handle);
	bulk_int8_known(b, is->group_size);
	if (derived_numbered(c))
		bulk_packed(b, c->sequence, c->n);
	else
		bulk_null(b);
}

static void derived_write_collectives(struct bulk *b,
	const struct derived_run *run)
{
	const struct collectives *cs = &run->profile->collectives;
	struct derived_names ns;
	if (!cs->n)
		return;
	derived_names_init(&ns, run);
	for (uint32_t i = 0; i < cs->n; i++) {
		const struct collective *c = &cs->rows[i];
		bulk_row(b, 21);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		derived_write_function(b, &ns, c->name);
		bulk_int4(b, c->device);
		bulk_int8(b, c->stream);
		bulk_int4(b, (int32_t)c->n);
		bulk_packed(b, c->start_ns, c->n);
		bulk_packed(b, c->dur_ns, c->n);
		derived_write_call(b, c);
		bulk_float8_known(b, c->saved_ns);
		bulk_float8_known(b, c->saved_error_ns);
	}
	derived_names_release(&ns);
}

static const struct derived_table derived_collective = {
	"COPY run_collective (run_id, rank, kernel_id, function, device, "
	"stream, launches, start_ns, dur_ns, kind, dtype, split, "
	"elements, bytes, group_name, group_ranks, group_handle, group_size, "
	"sequence, saved_ns, saved_error_ns) FROM STDIN (FORMAT binary)",
	derived_write_collectives,
};

static void derived_write_bus(struct bulk *b, const struct derived_run *run)
{
	for (int k = 0; k < COLLECTIVE_KINDS; k++) {
		const struct bus_sum *sum = &run->profile->bus[k];
		if (!sum->calls)
			continue;
		bulk_row(b, 5);
		bulk_int8(b, run->id);
		bulk_text(b, profile_word_collective[k]);
		bulk_int8(b, sum->calls);
		bulk_float8(b, sum->bytes);
		bulk_int8(b, sum->total_ns);
	}
}

static const struct derived_table derived_bus = {
	"COPY run_bus (run_id, kind, calls, bytes, total_ns) "
	"FROM STDIN (FORMAT binary)",
	derived_write_bus,
};

static void derived_write_exchanges(struct bulk *b,
	const struct derived_run *run)
{
	const struct exchanges *xs = &run->profile->exchanges;
	for (uint32_t i = 0; i < xs->n; i++) {
		const struct peer_exchange *x = &xs->rows[i];
		bulk_row(b, 9);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_int4(b, (int32_t)x->line);
		bulk_int8(b, x->calls);
		bulk_int8(b, x->known);
		bulk_text(b, profile_word_exchange[x->fault]);
		bulk_int4(b, (int32_t)x->peers);
		if (x->known) {
			bulk_packed(b, x->sent, x->peers);
			bulk_packed(b, x->received, x->peers);
		} else {
			bulk_null(b);
			bulk_null(b);
		}
	}
}

static const struct derived_table derived_exchange = {
	"COPY run_exchange (run_id, rank, collective, calls, known_calls, "
	"reason, peers, sent, received) FROM STDIN (FORMAT binary)",
	derived_write_exchanges,
};

const struct derived_table *const derived_iteration_tables[] = {
	&derived_iteration, &derived_busy, &derived_iteration_work,
	&derived_wait, &derived_wait_name, &derived_energy,
	&derived_energy_operator, &derived_stratum, &derived_work,
	&derived_axis, &derived_pattern, &derived_pattern_iteration,
	&derived_metric, &derived_collective, &derived_bus, &derived_exchange,
	&derived_fact, NULL
};
