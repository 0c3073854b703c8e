/* pattern.c - executions summed by function and cycle. */
#include "pattern.h"
#include "execution.h"
#include "pattern_choice.h"
#include "pattern_counters.h"
#include "pattern_rows.h"
#include "pattern_spread.h"
#include "pattern_split.h"
#include "thread_time.h"

struct maker {
	struct profile *p;
	struct executions x;
	uint32_t *place; /* of each cycle among those told */
	uint32_t *row_of; /* of each function */
};

/* A function ran in a told cycle. */
static void count(struct pattern *f, uint32_t at, int64_t dur_ns)
{
	if (f->launches[at]++ == 0)
		f->min_ns[at] = f->max_ns[at] = dur_ns;
	f->dur_ns[at] += dur_ns;
	if (dur_ns < f->min_ns[at])
		f->min_ns[at] = dur_ns;
	if (dur_ns > f->max_ns[at])
		f->max_ns[at] = dur_ns;
}

static bool sums(struct maker *m)
{
	struct patterns *to = &m->p->patterns;
	for (uint32_t i = 0; i < m->x.n; i++) {
		const struct execution *e = &m->x.list[i];
		int64_t *total_ns = &m->x.functions[e->function].total_ns;
		if (m->place[e->cycle] != CYCLE_OF_NONE)
			*total_ns = (*total_ns < 0 ? 0 : *total_ns) + e->dur_ns;
	}
	if (!pattern_rows_from(m->p, m->x.functions, m->x.functions_n,
		    &m->row_of))
		return false;
	for (uint32_t i = 0; i < m->x.n; i++) {
		const struct execution *e = &m->x.list[i];
		uint32_t at = m->place[e->cycle];
		if (at != CYCLE_OF_NONE)
			count(&to->rows[m->row_of[e->function]], at, e->dur_ns);
	}
	return true;
}

bool pattern_from(const struct trace *t, uint32_t process,
	const uint32_t *kernel_of, const struct cycle_rows *rows,
	struct profile *p)
{
	const struct process *proc = &t->processes[process];
	struct maker m = { .p = p };
	struct thread_time threads;

	p->patterns = (struct patterns){ 0 };
	bool ok =
		thread_time_from(&threads, t, proc, p) &&
		pattern_split(t, proc, kernel_of, p) &&
		executions_from(&m.x, t, process, kernel_of, rows, &threads,
			p) &&
		pattern_choice(p, m.x.functions_n, &m.place) && sums(&m) &&
		pattern_spread(&m.x, m.row_of, p) &&
		pattern_counters(t, proc, &m.x, m.place, m.row_of, &threads, p);
	executions_release(&m.x, p->arena);
	thread_time_release(&threads, p->arena);
	arena_drop(p->arena, m.place);
	arena_drop(p->arena, m.row_of);
	return ok;
}
