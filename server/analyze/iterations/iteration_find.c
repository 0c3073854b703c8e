/* iteration_find.c - the detectors, one after the other, and what all need. */
#include "iteration_find.h"
#include "period_detector.h"
#include "iteration_strata.h"
#include "iteration_use.h"
#include "cycle_works.h"

struct finder {
	const struct trace *t;
	const struct process *proc;
	struct cycle_gpu gpu;
	struct arena *a;
	struct profile *p;
	struct cycles *out;
};

/* Groups of ranges that do not look like cycles are passed, this many. */
enum { PASSED_MAX = 4 };

/* Runs of fewer launches are not told that they hold no cycles. */
enum { WINDOW_NOTED = 100 };

static bool windows(struct finder *f, const struct cycle_ranges *r,
	enum cycle_detector detector)
{
	f->out->detector = detector;
	f->out->range = r->name;
	return cycle_window_ranges(&f->gpu, r, f->a, f->out);
}

/* By the ranges that somebody named. */
static bool by_name(struct finder *f, const char *range, struct err *e)
{
	struct cycle_ranges r = { 0 };
	bool ok = cycle_ranges_named(&f->gpu, range, f->a, &r, e) &&
		  (windows(f, &r, CYCLES_NAMED) || arena_err(f->a, e));

	arena_drop(f->a, r.row);
	return ok;
}

/* By ranges that are found; none is no failure. */
static bool by_ranges(struct finder *f, const uint32_t *kernel_of)
{
	for (uint32_t passed = 0; passed < PASSED_MAX; passed++) {
		struct cycle_ranges r = { 0 };
		bool agrees = true;
		bool ok = cycle_ranges_find(&f->gpu, passed, f->a, &r) &&
			  (!r.n || windows(f, &r, CYCLES_ANNOTATION)) &&
			  (!r.n || r.step ||
				  cycle_period_agrees(&f->gpu, kernel_of, f->p,
					  &agrees));
		arena_drop(f->a, r.row);
		if (!ok || !r.n || agrees)
			return ok;
		*f->out = (struct cycles){ 0 };
		cycle_gpu_forget(&f->gpu);
	}
	return true;
}

static bool by_period(struct finder *f, const uint32_t *kernel_of)
{
	if (!cycle_period_find(&f->gpu, kernel_of, f->p))
		return false;
	if (f->out->n)
		f->out->detector = CYCLES_PERIOD;
	return true;
}

static bool by_window(struct finder *f)
{
	if (!cycle_window_whole(&f->gpu, f->a, f->out))
		return false;
	if (f->out->n)
		f->out->detector = CYCLES_WINDOW;
	return true;
}

/* What is told of each cycle once the windows stand; times are from the run's
 * first record on in the end. */
static void number(struct finder *f, const struct cycle_rows *rows)
{
	struct cycles *c = f->out;
	int64_t first = trace_first_ns(f->t, f->proc);
	int64_t partial = 0;

	for (uint32_t i = 0; i < f->proc->kernel.to - f->proc->kernel.from; i++)
		if (rows->kernel[i] != CYCLE_OF_NONE)
			c->cycles[rows->kernel[i]].launches++;
	for (uint32_t i = 0; i < c->n; i++) {
		struct cycle *y = &c->cycles[i];
		y->start_ns -= first;
		y->compute_ns = y->comm_ns = y->copy_ns = y->idle_ns = -1;
		y->sync_ns = -1;
		c->kept_n += y->use == CYCLE_KEPT;
		partial += y->use == CYCLE_PARTIAL;
	}
	if (partial)
		note_add(&f->p->notes, NOTE_cycles_partial, partial, NULL, 0);
	if (c->detector == CYCLES_WINDOW && f->p->launches >= WINDOW_NOTED)
		note_add(&f->p->notes, NOTE_cycles_window, f->p->launches, NULL,
			0);
}

/* What the cycles worked on, and which of them count. */
static bool describe(struct finder *f, const uint32_t *kernel_of)
{
	struct arena scratch = arena_scratch(f->a), *a = &scratch;
	struct profile *p = f->p;
	struct cycle_items ops, grids;

	bool ok = cycle_items_ops(&ops, &f->gpu, f->out->n, a) &&
		  cycle_items_grids(&grids, &f->gpu, kernel_of, p->kernels_n,
			  f->out->n, a) &&
		  cycle_strata_find(&f->gpu, &ops, &grids, p, a) &&
		  cycle_use_find(&f->gpu, kernel_of, &ops, p, a) &&
		  cycle_strata_sort(f->out, a) &&
		  cycle_works_make(&ops, &grids, f->t, p, a) &&
		  cycle_use_confidence(&f->gpu, kernel_of, p, a);
	arena_scratch_release(&scratch, f->a);
	return ok;
}

static bool find(struct finder *f, const char *range, const uint32_t *kernel_of,
	struct err *e)
{
	if (range)
		return by_name(f, range, e);
	return (by_ranges(f, kernel_of) &&
		       (f->out->n || by_period(f, kernel_of)) &&
		       (f->out->n || by_window(f))) ||
	       arena_err(f->a, e);
}

bool cycle_find(const struct trace *t, const struct process *proc,
	const char *range, const uint32_t *kernel_of, const uint32_t *call_of,
	struct profile *p, struct cycle_rows *rows, struct err *e)
{
	struct finder f = { .t = t,
		.proc = proc,
		.a = p->arena,
		.p = p,
		.out = &p->cycles };

	p->cycles = (struct cycles){ 0 };
	bool ok = cycle_gpu_init(&f.gpu, t, proc, call_of, rows, f.a) ||
		  arena_err(f.a, e);
	ok = ok && find(&f, range, kernel_of, e) &&
	     (!p->cycles.n || describe(&f, kernel_of) || arena_err(f.a, e));
	if (ok)
		number(&f, rows);
	cycle_gpu_release(&f.gpu, f.a);
	return ok;
}

void cycle_find_drop(struct arena *a, struct cycle_rows *rows)
{
	arena_drop(a, rows->kernel);
	arena_drop(a, rows->copy);
	arena_drop(a, rows->graph);
	*rows = (struct cycle_rows){ 0 };
}
