/* thread_time.c - readings of a total laid beside iterations. */
#include "thread_time.h"
#include <math.h>
#include <string.h>

/* The readings of one total, in order of time. */
struct thread_time_readings {
	const struct counter_rows *rows;
	uint32_t id, at, to; /* the next one to look at; behind the last */
	double before,
		after; /* those around the last moment that was looked up */
	int64_t before_ns, after_ns; /* INT64_MAX: none is left */
};

static bool thread_time_is_reading(const struct counter_rows *c, uint32_t i,
	uint32_t id)
{
	return c->name[i] == id && c->device[i] < 0;
}

/* Moves to the next reading; false if there is none. */
static bool thread_time_next(struct thread_time_readings *r)
{
	r->before = r->after;
	r->before_ns = r->after_ns;
	while (r->at < r->to && !thread_time_is_reading(r->rows, r->at, r->id))
		r->at++;
	if (r->at == r->to)
		return false;
	r->after = r->rows->value[r->at];
	r->after_ns = r->rows->start_ns[r->at++];
	return true;
}

/* The total at a moment that is not before the last one looked up; NaN beyond
 * the readings. */
static double thread_time_total_at(struct thread_time_readings *r,
	int64_t at_ns)
{
	while (r->after_ns < at_ns)
		if (!thread_time_next(r))
			return NAN;
	if (at_ns == r->after_ns)
		return r->after;
	if (r->before_ns > at_ns)
		return NAN;
	return r->before +
	       (r->after - r->before) *
		       ((double)(at_ns - r->before_ns) /
			       (double)(r->after_ns - r->before_ns));
}

/* Whether the samples are a total: numbers that never get less. */
static bool thread_time_grows(const struct counter_rows *c, struct slice rows,
	uint32_t id)
{
	double last = -1;
	for (uint32_t i = rows.from; i < rows.to; i++) {
		if (!thread_time_is_reading(c, i, id))
			continue;
		if (!(c->value[i] >= fmax(last, 0) && c->value[i] < 1e18))
			return false;
		last = c->value[i];
	}
	return last >= 0;
}

static struct thread_time_readings thread_time_readings_of(const struct trace
								   *t,
	const struct process *proc, uint32_t id)
{
	struct thread_time_readings r = { .rows = &t->counter,
		.id = id,
		.at = proc->counter.from,
		.to = proc->counter.to,
		.after_ns = INT64_MIN };
	thread_time_next(&r);
	r.before_ns = INT64_MAX; /* nothing is before the first */
	return r;
}

/* How many iterations that count are beyond the readings. */
static uint32_t thread_time_fill(struct thread_total *x, const struct trace *t,
	const struct process *proc, const struct iterations *all)
{
	struct thread_time_readings r = thread_time_readings_of(t, proc, x->id);
	int64_t first_ns = trace_first_ns(t, proc);
	uint32_t beyond = 0;

	for (uint32_t i = 0; i < all->n; i++) {
		const struct iteration *c = &all->iterations[i];
		int64_t at_ns = first_ns + c->start_ns;
		double begin = thread_time_total_at(&r, at_ns);
		double end = thread_time_total_at(&r, at_ns + c->dur_ns);
		bool known = !isnan(begin) && !isnan(end);
		x->dur_ns[i] = known ? llround(end - begin) : -1;
		beyond += !known && c->use == ITERATION_KEPT;
	}
	return beyond;
}

/* The name's id where the process has such a total, else 0. */
static uint32_t thread_time_total_of(const struct trace *t,
	const struct process *proc, const char *name)
{
	uint32_t id = names_find(&t->names, name, strlen(name));
	if (!t->format || strcmp(t->format, "cupti") || id == NAMES_NONE)
		return 0;
	return thread_time_grows(&t->counter, proc->counter, id) ? id : 0;
}

bool thread_time_from(struct thread_time *s, const struct trace *t,
	const struct process *proc, struct profile *p)
{
	uint32_t beyond = 0;

	*s = (struct thread_time){ {
		{ .name = "oncpu", .type = FUNCTION_oncpu },
		{ .name = "runq", .type = FUNCTION_runq },
	} };
	for (int i = 0; i < THREAD_TOTALS; i++) {
		struct thread_total *x = &s->total[i];
		x->id = thread_time_total_of(t, proc, x->name);
		if (!x->id)
			continue;
		x->dur_ns = arena_grow(p->arena, NULL,
			((size_t)p->iterations.n + 1) * sizeof *x->dur_ns);
		if (!x->dur_ns)
			return false;
		uint32_t n = thread_time_fill(x, t, proc, &p->iterations);
		beyond = n > beyond ? n : beyond;
		if (n) {
			arena_drop(p->arena, x->dur_ns);
			x->dur_ns = NULL;
		}
	}
	if (beyond)
		note_add(&p->notes, NOTE_thread_time_short, beyond, NULL, 0);
	return true;
}

void thread_time_release(struct thread_time *s, struct arena *a)
{
	for (int i = 0; i < THREAD_TOTALS; i++)
		arena_drop(a, s->total[i].dur_ns);
}

bool thread_time_is_total(const struct thread_time *s, uint32_t name,
	int32_t device)
{
	for (int i = 0; i < THREAD_TOTALS; i++)
		if (device < 0 && s->total[i].id && s->total[i].id == name)
			return true;
	return false;
}
