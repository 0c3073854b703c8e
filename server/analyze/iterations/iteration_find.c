/* iteration_find.c - runs the detectors of iterations in order and fills what all of
 * them need. */
#include "iteration_find.h"
#include "iteration_parts.h"

/* One iteration over all GPU records; none if there are none. */
static bool iteration_find_whole_window(struct iteration_gpu *g,
	struct arena *a, struct iterations *out)
{
	int64_t from, to;

	if (!iteration_gpu_span(g, &from, &to))
		return true;
	out->iterations = arena_new(a, struct iteration);
	if (!out->iterations)
		return false;
	out->n = 1;
	*out->iterations = (struct iteration){ .start_ns = from,
		.dur_ns = to - from,
		.open = true };
	for (int k = 0; k < ITERATION_GPU_KINDS; k++) {
		struct iteration_gpu_rows *r = &g->kind[k];
		for (uint32_t i = 0; i < r->rows.to - r->rows.from; i++)
			r->iteration[i] = 0;
	}
	return true;
}

struct iteration_find_state {
	const struct trace *t;
	const struct process *proc;
	struct iteration_gpu gpu;
	struct arena *a;
	struct profile *p;
	struct iterations *out;
};

/* Groups of ranges that do not look like iterations are passed, this many. */
enum { PASSED_MAX = 4 };

/* Runs of fewer launches get no note that they hold no iterations. */
enum { WINDOW_NOTED = 100 };

static bool iteration_find_windows(struct iteration_find_state *f,
	const struct iteration_ranges *r, enum iteration_detector detector)
{
	f->out->detector = detector;
	f->out->range = r->name;
	return iteration_ranges_windows(&f->gpu, r, f->a, f->out);
}

/* By the ranges that the caller named. */
static bool iteration_find_by_name(struct iteration_find_state *f,
	const char *range, struct err *e)
{
	struct iteration_ranges r = { 0 };
	bool ok = iteration_ranges_named(&f->gpu, range, f->a, &r, e) &&
		  (iteration_find_windows(f, &r, ITERATIONS_NAMED) ||
			  arena_err(f->a, e));

	arena_drop(f->a, r.row);
	return ok;
}

/* By ranges that are found; none is no failure. */
static bool iteration_find_by_ranges(struct iteration_find_state *f,
	const uint32_t *kernel_of)
{
	for (uint32_t passed = 0; passed < PASSED_MAX; passed++) {
		struct iteration_ranges r = { 0 };
		bool agrees = true;
		bool ok = iteration_ranges_find(&f->gpu, passed, f->a, &r) &&
			  (!r.n || iteration_find_windows(f, &r,
					   ITERATIONS_ANNOTATION)) &&
			  (!r.n || r.step ||
				  period_detector_agrees(&f->gpu, kernel_of,
					  f->p, &agrees));
		arena_drop(f->a, r.row);
		if (!ok || !r.n || agrees)
			return ok;
		*f->out = (struct iterations){ 0 };
		iteration_gpu_forget(&f->gpu);
	}
	return true;
}

static bool iteration_find_by_period(struct iteration_find_state *f,
	const uint32_t *kernel_of)
{
	if (!period_detector_find(&f->gpu, kernel_of, f->p))
		return false;
	if (f->out->n)
		f->out->detector = ITERATIONS_PERIOD;
	return true;
}

static bool iteration_find_by_window(struct iteration_find_state *f)
{
	if (!iteration_find_whole_window(&f->gpu, f->a, f->out))
		return false;
	if (f->out->n)
		f->out->detector = ITERATIONS_WINDOW;
	return true;
}

/* Fills the figures of each iteration once the windows are known; times become
 * relative to the run's first record. */
static void iteration_find_finish(struct iteration_find_state *f,
	const struct iteration_rows *rows)
{
	struct iterations *c = f->out;
	int64_t first = trace_first_ns(f->t, f->proc);
	int64_t partial = 0;

	for (uint32_t i = 0; i < f->proc->kernel.to - f->proc->kernel.from; i++)
		if (rows->kernel[i] != ITERATION_NONE)
			c->iterations[rows->kernel[i]].launches++;
	for (uint32_t i = 0; i < c->n; i++) {
		struct iteration *y = &c->iterations[i];
		y->start_ns -= first;
		y->compute_ns = y->comm_ns = y->copy_ns = y->idle_ns = -1;
		y->sync_ns = -1;
		c->kept_n += y->use == ITERATION_KEPT;
		partial += y->use == ITERATION_PARTIAL;
	}
	if (partial)
		note_add(&f->p->notes, NOTE_iterations_partial, partial, NULL,
			0);
	if (c->detector == ITERATIONS_WINDOW && f->p->launches >= WINDOW_NOTED)
		note_add(&f->p->notes, NOTE_iterations_window, f->p->launches,
			NULL, 0);
}

/* What the iterations worked on, and which of them count. */
static bool iteration_find_describe(struct iteration_find_state *f,
	const uint32_t *kernel_of)
{
	struct arena scratch = arena_scratch(f->a), *a = &scratch;
	struct profile *p = f->p;
	struct iteration_items ops, grids;

	bool ok = iteration_items_ops(&ops, &f->gpu, f->out->n, a) &&
		  iteration_items_grids(&grids, &f->gpu, kernel_of,
			  p->kernels_n, f->out->n, a) &&
		  iteration_strata_find(&f->gpu, &ops, &grids, p, a) &&
		  iteration_use_find(&f->gpu, kernel_of, &ops, p, a) &&
		  iteration_strata_sort(f->out, a) &&
		  iteration_strata_works(&ops, &grids, f->t, p, a) &&
		  iteration_use_confidence(&f->gpu, kernel_of, p, a);
	arena_scratch_release(&scratch, f->a);
	return ok;
}

static bool iteration_find_windows_by_any(struct iteration_find_state *f,
	const char *range, const uint32_t *kernel_of, struct err *e)
{
	if (range)
		return iteration_find_by_name(f, range, e);
	return (iteration_find_by_ranges(f, kernel_of) &&
		       (f->out->n || iteration_find_by_period(f, kernel_of)) &&
		       (f->out->n || iteration_find_by_window(f))) ||
	       arena_err(f->a, e);
}

bool iteration_find(const struct iteration_input *in, const char *range,
	struct profile *p, struct iteration_rows *rows, struct err *e)
{
	struct iteration_find_state f = { .t = in->t,
		.proc = in->proc,
		.a = p->arena,
		.p = p,
		.out = &p->iterations };

	p->iterations = (struct iterations){ 0 };
	bool ok = iteration_gpu_init(&f.gpu, in->t, in->proc, in->call_of, rows,
			  f.a) ||
		  arena_err(f.a, e);
	ok = ok && iteration_find_windows_by_any(&f, range, in->kernel_of, e) &&
	     (!p->iterations.n || iteration_find_describe(&f, in->kernel_of) ||
		     arena_err(f.a, e));
	if (ok)
		iteration_find_finish(&f, rows);
	iteration_gpu_release(&f.gpu, f.a);
	return ok;
}

void iteration_find_drop(struct arena *a, struct iteration_rows *rows)
{
	arena_drop(a, rows->kernel);
	arena_drop(a, rows->copy);
	arena_drop(a, rows->graph);
	*rows = (struct iteration_rows){ 0 };
}
