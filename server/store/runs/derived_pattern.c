/* derived_pattern.c - what each function took in each cycle, the counters
 * beside it, and collectives one by one. */
#include "derived_table.h"
#include "profile_word.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A run's kernels by name, for those who call them by it. */
struct names {
	struct arena arena;
	struct name {
		const char *name;
		int64_t kernel;
	} * list;
	uint32_t n;
};

static int by_name(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	return strcmp(x->name, y->name);
}

static void names_init(struct names *ns, const struct derived_run *run)
{
	*ns = (struct names){ .n = run->profile->kernels_n };
	ns->list = arena_array(&ns->arena, struct name, ns->n);
	for (uint32_t i = 0; i < ns->n; i++)
		ns->list[i] = (struct name){ run->profile->kernels[i].name,
			run->kernels[i] };
	if (ns->n)
		qsort(ns->list, ns->n, sizeof *ns->list, by_name);
}

static void names_release(struct names *ns)
{
	arena_release(&ns->arena);
}

/* Two columns: the kernel, or what is none. */
static void write_function(struct bulk *b, const struct names *ns,
	const char *name)
{
	const struct name want = { .name = name };
	const struct name *is =
		ns->n ? bsearch(&want, ns->list, ns->n, sizeof want, by_name)
		      : NULL;
	if (is)
		bulk_int8(b, is->kernel);
	else
		bulk_null(b);
	bulk_text(b, is ? NULL : name);
}

static void write_axis(struct bulk *b, const struct derived_run *run)
{
	const struct patterns *ps = &run->profile->patterns;
	struct arena a = { 0 };
	const struct collectives *cs = &run->profile->collectives;
	if (!ps->n && !cs->n)
		return;
	int64_t told = 0, *cycle = arena_array(&a, int64_t, ps->cycles_n);
	for (uint32_t i = 0; i < ps->cycles_n; i++)
		cycle[i] = ps->cycle[i];
	for (uint32_t i = 0; i < ps->n; i++)
		told += ps->rows[i].beta_pct ? 5 : 4;
	told = (1 + told + INT64_C(3) * ps->metrics_n) * ps->cycles_n;
	for (uint32_t i = 0; i < ps->n; i++)
		told += ps->rows[i].spread_ns ? PATTERN_SPREAD : 0;
	for (uint32_t i = 0; i < cs->n; i++)
		told += INT64_C(2) * cs->rows[i].n;
	bulk_row(b, 7);
	bulk_int8(b, run->id);
	bulk_int4(b, (int32_t)ps->cycles_n);
	bulk_packed(b, cycle, ps->cycles_n);
	bulk_int4(b, (int32_t)ps->n);
	bulk_int4(b, (int32_t)ps->metrics_n);
	bulk_int4(b, (int32_t)cs->n);
	bulk_int8(b, told);
	arena_release(&a);
}

const struct derived_table derived_axis = {
	"COPY run_axis (run_id, cycles, cycle, patterns, metrics, "
	"collectives, told) FROM STDIN (FORMAT binary)",
	write_axis,
};

/* Over the kept cycles of the first stratum; NaN over none. */
static double mean_ns(const struct cycles *cs, const struct patterns *ps,
	const struct pattern *p)
{
	double sum = 0;
	uint32_t n = 0;
	for (uint32_t i = 0; i < ps->cycles_n; i++) {
		const struct cycle *c = &cs->cycles[ps->cycle[i]];
		if (c->use != CYCLE_KEPT || c->stratum != 0)
			continue;
		sum += (double)p->dur_ns[i];
		n++;
	}
	return n ? sum / n : NAN;
}

static void write_patterns(struct bulk *b, const struct derived_run *run)
{
	const struct patterns *ps = &run->profile->patterns;
	struct names ns;
	if (!ps->n)
		return;
	names_init(&ns, run);
	for (uint32_t i = 0; i < ps->n; i++) {
		const struct pattern *p = &ps->rows[i];
		bulk_row(b, 8);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		write_function(b, &ns, p->name);
		bulk_text(b, profile_word_function[p->type]);
		bulk_text(b, p->device);
		bulk_int4_known(b, p->number);
		bulk_float8_known(b, mean_ns(&run->profile->cycles, ps, p));
	}
	names_release(&ns);
}

const struct derived_table derived_pattern = {
	"COPY run_pattern (run_id, rank, kernel_id, function, type, device, "
	"number, mean_ns) FROM STDIN (FORMAT binary)",
	write_patterns,
};

static void write_pattern_cycles(struct bulk *b, const struct derived_run *run)
{
	const struct patterns *ps = &run->profile->patterns;
	for (uint32_t i = 0; i < ps->n; i++) {
		const struct pattern *p = &ps->rows[i];
		bulk_row(b, 8);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_packed(b, p->dur_ns, ps->cycles_n);
		bulk_packed(b, p->launches, ps->cycles_n);
		bulk_packed(b, p->min_ns, ps->cycles_n);
		bulk_packed(b, p->max_ns, ps->cycles_n);
		if (p->spread_ns)
			bulk_packed(b, p->spread_ns, PATTERN_SPREAD);
		else
			bulk_null(b);
		if (p->beta_pct)
			bulk_packed(b, p->beta_pct, ps->cycles_n);
		else
			bulk_null(b);
	}
}

const struct derived_table derived_pattern_cycle = {
	"COPY run_pattern_cycle (run_id, rank, dur_ns, launches, min_ns, "
	"max_ns, spread_ns, beta_pct) FROM STDIN (FORMAT binary)",
	write_pattern_cycles,
};

static void write_metrics(struct bulk *b, const struct derived_run *run)
{
	const struct patterns *ps = &run->profile->patterns;
	struct arena a = { 0 };
	int64_t *wide = arena_array(&a, int64_t, ps->cycles_n);
	for (uint32_t i = 0; i < ps->metrics_n; i++) {
		const struct pattern_metric *m = &ps->metrics[i];
		for (uint32_t c = 0; c < ps->cycles_n; c++)
			wide[c] = m->interpolated[c];
		bulk_row(b, 7);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		bulk_int4(b, (int32_t)m->pattern);
		bulk_text(b, m->name);
		bulk_packed(b, m->mu, ps->cycles_n);
		bulk_packed(b, m->sigma, ps->cycles_n);
		bulk_packed(b, wide, ps->cycles_n);
	}
	arena_release(&a);
}

const struct derived_table derived_metric = {
	"COPY run_metric (run_id, rank, pattern, name, mu, sigma, "
	"interpolated) FROM STDIN (FORMAT binary)",
	write_metrics,
};

static void write_collectives(struct bulk *b, const struct derived_run *run)
{
	const struct collectives *cs = &run->profile->collectives;
	struct names ns;
	if (!cs->n)
		return;
	names_init(&ns, run);
	for (uint32_t i = 0; i < cs->n; i++) {
		const struct collective *c = &cs->rows[i];
		bulk_row(b, 9);
		bulk_int8(b, run->id);
		bulk_int4(b, (int32_t)i);
		write_function(b, &ns, c->name);
		bulk_int4(b, c->device);
		bulk_int8(b, c->stream);
		bulk_int4(b, (int32_t)c->n);
		bulk_packed(b, c->start_ns, c->n);
		bulk_packed(b, c->dur_ns, c->n);
	}
	names_release(&ns);
}

const struct derived_table derived_collective = {
	"COPY run_collective (run_id, rank, kernel_id, function, device, "
	"stream, launches, start_ns, dur_ns) FROM STDIN (FORMAT binary)",
	write_collectives,
};
