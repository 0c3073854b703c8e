/* gpu_fleet.c - assigns runs to GPUs and their shapes to comparable cells, and
 * lists what each GPU is slow in. */
#include "gpu_fleet.h"
#include "names.h"
#include "order_stat.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gpu_fleet_maker {
	struct arena *a;
	struct names gpus, cells, works; /* keys; ids begin with 1 */
	struct fleet_devices of;
	struct slow_gpu_run *runs; /* of known GPUs */
	struct slow_gpu_sample *samples; /* of the shapes */
	double *deviations;
	/* Room for a number and a value per sample. */
	uint32_t *ids;
	double *values;
};

/* The index of a key, which is added if it is new. */
static uint32_t gpu_fleet_index(struct names *keys, const char *key)
{
	return names_put(keys, key, strlen(key)) - 1;
}

/* Separates the parts of a key. Names contain no such byte. */
#define PART "\x1f"

/* Runs with a known GPU are in the order of GPUs, so indices ascend. */
static void gpu_fleet_runs(struct gpu_fleet_maker *m)
{
	m->runs = arena_array(m->a, struct slow_gpu_run, m->of.known_n);
	for (uint32_t i = 0; i < m->of.known_n; i++) {
		const struct fleet_device_run *r = &m->of.runs[i];
		const char *work = arena_printf(m->a,
			"%s" PART "%s" PART "%s" PART "%s", r->model,
			r->project, r->workload, r->framework);
		m->runs[i] = (struct slow_gpu_run){ gpu_fleet_index(&m->gpus,
							    r->gpu),
			gpu_fleet_index(&m->works, work), r->sm_clock_mhz,
			r->throttled_pct };
	}
}

/* Counts the runs that are of no GPU. */
static void gpu_fleet_count(const struct fleet_devices *of,
	struct gpu_fleet *out)
{
	out->more = of->more;
	for (uint32_t i = 0; i < of->runs_n; i++) {
		const struct fleet_device_run *r = &of->runs[i];
		if (!r->first)
			continue;
		out->runs++;
		if (r->is_table)
			out->table_runs++;
		else if (!r->devices)
			out->idle_runs++;
		else if (r->devices > 1 && !r->by_device)
			out->several_runs++;
		else if (!r->identified)
			out->unidentified_runs++;
	}
}

/* At most one sample per run on a GPU and cell: a run has an operator's shape once
 * per dtype and phase, which are in the cell. */
static void gpu_fleet_samples(struct gpu_fleet_maker *m)
{
	m->samples = arena_array(m->a, struct slow_gpu_sample, m->of.shapes_n);
	for (uint32_t i = 0; i < m->of.shapes_n; i++) {
		const struct fleet_device_shape *s = &m->of.shapes[i];
		const char *cell = arena_printf(m->a,
			"%u" PART "%s" PART "%s" PART "%s" PART "%lld",
			m->runs[s->run].clock_cell, s->op, s->dtype, s->phase,
			(long long)s->shape);
		m->samples[i] = (struct slow_gpu_sample){ s->run,
			gpu_fleet_index(&m->cells, cell), log(s->median_ns) };
	}
}

/* ---- rows */

static const char *gpu_fleet_reason(const struct slow_gpu *is, struct arena *a)
{
	switch (is->reason) {
	case SLOW_GPU_NO_PEER:
		return arena_printf(a,
			"none of its operator shapes ran on %d or more GPUs",
			SLOW_GPU_CELL_GPUS_MIN);
	case SLOW_GPU_FEW_RUNS:
		return arena_printf(a,
			"%u of its runs %s comparable; at least %d are needed",
			is->runs, is->runs == 1 ? "is" : "are",
			SLOW_GPU_RUNS_MIN);
	case SLOW_GPU_FEW_GPUS:
		return arena_printf(a,
			"only %u GPUs with enough runs executed comparable "
			"work; at least %d are needed",
			is->peers, SLOW_GPU_GPUS_MIN);
	default:
		return NULL;
	}
}

static int gpu_fleet_operator_order(const void *left, const void *right)
{
	const struct gpu_fleet_operator *a = left, *b = right;
	double x = a->slowdown * sqrt(a->samples),
	       y = b->slowdown * sqrt(b->samples);
	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(a->op, b->op);
}

/* Sorts the known deviations of the samples [from, to) by operator into
 * m->values, with a counting sort. Returns where each operator ends. */
static uint32_t *gpu_fleet_by_operator(const struct gpu_fleet_maker *m,
	uint32_t from, uint32_t to, struct names *ops)
{
	for (uint32_t i = from; i < to; i++)
		m->ids[i - from] = gpu_fleet_index(ops, m->of.shapes[i].op);
	uint32_t *end = arena_array(ops->arena, uint32_t, ops->n + 1);
	for (uint32_t i = from; i < to; i++)
		end[m->ids[i - from] + 1] += isnan(m->deviations[i]) ? 0 : 1;
	for (uint32_t o = 1; o < ops->n; o++)
		end[o] += end[o - 1];
	for (uint32_t i = from; i < to; i++)
		if (!isnan(m->deviations[i]))
			m->values[end[m->ids[i - from]]++] = m->deviations[i];
	return end;
}

/* The operators of the samples [from, to), which are of one GPU. */
static void gpu_fleet_operators(const struct gpu_fleet_maker *m, uint32_t from,
	uint32_t to, struct gpu_fleet_row *row)
{
	struct arena work = { 0 };
	struct names ops;
	uint32_t kept = 0;
	names_init(&ops, &work);
	const uint32_t *end = gpu_fleet_by_operator(m, from, to, &ops);
	struct gpu_fleet_operator *all =
		arena_array(&work, struct gpu_fleet_operator, ops.n);
	for (uint32_t o = 0; o + 1 < ops.n; o++) {
		uint32_t first = o ? end[o - 1] : 0, n = end[o] - first;
		if (n)
			all[kept++] = (struct gpu_fleet_operator){
				names_text(&ops, o + 1), n,
				expm1(order_stat_median(m->values + first, n))
			};
	}
	if (kept)
		qsort(all, kept, sizeof *all, gpu_fleet_operator_order);
	for (uint32_t i = 0; i < kept && i < GPU_FLEET_OPERATORS; i++) {
		row->operators[i] = all[i];
		row->operators[i].op = arena_strdup(m->a, all[i].op);
		row->operators_n++;
	}
	arena_release(&work);
}

/* Describes a GPU by its runs [from, to). */
static struct gpu_fleet_row gpu_fleet_row_of(const struct gpu_fleet_maker *m,
	uint32_t gpu, uint32_t from, uint32_t to, const struct slow_gpu *is)
{
	/* The runs of a GPU are in the order of their ids. */
	const struct fleet_device_run *newest = &m->of.runs[to - 1];
	return (struct gpu_fleet_row){ .gpu = names_text(&m->gpus, gpu + 1),
		.identified_by = newest->identified_by,
		.uuid = newest->uuid,
		.bus_id = newest->bus_id,
		.host = newest->host,
		.name = newest->name,
		.platform = *newest->platform ? newest->platform : NULL,
		.runs = to - from,
		.newest = newest->run,
		.is = *is,
		.reason = gpu_fleet_reason(is, m->a) };
}

static void gpu_fleet_rows(const struct gpu_fleet_maker *m,
	const struct slow_gpu *slow, struct gpu_fleet *out)
{
	uint32_t run = 0, sample = 0;

	out->n = m->gpus.n - 1;
	out->rows = arena_array(m->a, struct gpu_fleet_row, out->n);
	for (uint32_t g = 0; g < out->n; g++) {
		uint32_t from = run, first = sample;
		while (run < m->of.known_n && m->runs[run].gpu == g)
			run++;
		while (sample < m->of.shapes_n && m->samples[sample].run < run)
			sample++;
		out->rows[g] = gpu_fleet_row_of(m, g, from, run, &slow[g]);
		gpu_fleet_operators(m, first, sample, &out->rows[g]);
		out->judged += slow[g].verdict != SLOW_GPU_NOT_JUDGED;
		out->slow += slow[g].verdict == SLOW_GPU_SLOW;
		out->undecided += slow[g].verdict == SLOW_GPU_UNDECIDED;
	}
}

/* Slow GPUs first, then by slowdown; those that are not judged come last. */
static int gpu_fleet_order(const void *left, const void *right)
{
	const struct gpu_fleet_row *a = left, *b = right;
	bool slow_a = a->is.verdict == SLOW_GPU_SLOW,
	     slow_b = b->is.verdict == SLOW_GPU_SLOW;

	if (slow_a != slow_b)
		return slow_a ? -1 : 1;
	if (isnan(a->is.slowdown) != isnan(b->is.slowdown))
		return isnan(a->is.slowdown) ? 1 : -1;
	if (!isnan(a->is.slowdown) && a->is.slowdown != b->is.slowdown)
		return a->is.slowdown > b->is.slowdown ? -1 : 1;
	return strcmp(a->gpu, b->gpu);
}

static const char *gpu_fleet_nobody(const struct gpu_fleet *f, struct arena *a)
{
	if (f->judged)
		return NULL;
	if (!f->runs)
		return "no run matches";
	if (!f->n && f->unidentified_runs)
		return "no run states which GPU it used: its UUID, or its host "
		       "and its PCI address or number";
	if (!f->n && f->several_runs)
		return "the times per GPU of runs on several GPUs are unknown: "
		       "the runs were analyzed before these were stored; "
		       "`kernsiftd rebuild` computes them";
	if (!f->n)
		return f->table_runs
			       ? "imported tables neither identify their GPUs "
				 "nor state the calls on each"
			       : "no run executed anything";
	return arena_printf(a,
		"at least %d GPUs with at least %d runs of the same work are "
		"needed to judge one",
		SLOW_GPU_GPUS_MIN, SLOW_GPU_RUNS_MIN);
}

bool gpu_fleet_from(struct db *db, struct arena *a,
	const struct fleet_filter *f, struct gpu_fleet *out, struct err *e)
{
	struct gpu_fleet_maker m = { .a = a };

	*out = (struct gpu_fleet){ 0 };
	names_init(&m.gpus, a);
	names_init(&m.cells, a);
	names_init(&m.works, a);
	if (!query_fleet_devices(db, a, f, &m.of, e))
		return false;
	gpu_fleet_count(&m.of, out);
	gpu_fleet_runs(&m);
	gpu_fleet_samples(&m);
	struct slow_gpu *slow = arena_array(a, struct slow_gpu, m.gpus.n);
	m.deviations = arena_array(a, double, m.of.shapes_n);
	m.ids = arena_array(a, uint32_t, m.of.shapes_n);
	m.values = arena_array(a, double, m.of.shapes_n);
	slow_gpus_from(&(struct slow_gpu_given){ .samples = m.samples,
			       .runs = m.runs,
			       .samples_n = m.of.shapes_n,
			       .runs_n = m.of.known_n,
			       .gpus_n = m.gpus.n - 1,
			       .cells_n = m.cells.n - 1 },
		a, slow, m.deviations);
	gpu_fleet_rows(&m, slow, out);
	out->reason = gpu_fleet_nobody(out, a);
	if (out->n)
		qsort(out->rows, out->n, sizeof *out->rows, gpu_fleet_order);
	return true;
}
