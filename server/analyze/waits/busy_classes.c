/* busy_classes.c - divides the busy time of iterations between classes. */
#include "busy_classes.h"
#include "attribution.h"
#include "catalog.h"
#include "trace.h"
#include <assert.h>

enum busy_classes_kind { KERNEL, GRAPH, COPY, KINDS };

/* The records of one kind, by row of the trace. */
struct busy_classes_rows {
	const int64_t *start_ns, *dur_ns;
	uint32_t from, at, to;
};

struct busy_classes_maker {
	const struct attribution *at;
	struct profile *p;
	struct busy_classes_rows rows[KINDS];
	int64_t until_ns
		[BUSY_CLASSES]; /* when the last record that began ends */
	uint32_t iteration; /* the first that may contain the next time */
	int64_t first_ns; /* iterations count from here */
};

/* Adds time to the iterations that contain it. Times are added in order. */
static void busy_classes_add(struct busy_classes_maker *m,
	enum busy_class class, bool mixed, int64_t from_ns, int64_t to_ns)
{
	const struct iterations *all = &m->p->iterations;
	struct busy_times *b = &m->p->busy;

	for (; m->iteration < all->n; m->iteration++) {
		const struct iteration *c = &all->iterations[m->iteration];
		int64_t from = m->first_ns + c->start_ns;
		int64_t end = from + c->dur_ns;
		if (from >= to_ns)
			return;
		from = from < from_ns ? from_ns : from;
		int64_t ns = (end < to_ns ? end : to_ns) - from;
		if (ns > 0) {
			b->iteration_ns[class][m->iteration] += ns;
			if (c->use == ITERATION_KEPT) {
				b->time_ns[class] += ns;
				b->mixed_ns += mixed ? ns : 0;
			}
		}
		if (end > to_ns)
			return;
	}
}

/* Divides time in which no record begins. */
static void busy_classes_divide(struct busy_classes_maker *m, int64_t from_ns,
	int64_t to_ns)
{
	while (from_ns < to_ns) {
		int64_t end = to_ns;
		int first = BUSY_CLASSES, kernels = 0;
		for (int c = BUSY_CLASSES - 1; c >= 0; c--) {
			if (m->until_ns[c] <= from_ns)
				continue;
			first = c;
			kernels += c <= BUSY_LAUNCH_FLOOR;
			end = m->until_ns[c] < end ? m->until_ns[c] : end;
		}
		if (first == BUSY_CLASSES)
			return;
		busy_classes_add(m, (enum busy_class)first, kernels > 1,
			from_ns, end);
		from_ns = end;
	}
}

/* The kind whose next record begins first; NULL at the end of all. */
static struct busy_classes_rows *busy_classes_earliest(
	struct busy_classes_maker *m)
{
	struct busy_classes_rows *r = NULL;

	for (int k = 0; k < KINDS; k++) {
		struct busy_classes_rows *of = &m->rows[k];
		if (of->at < of->to &&
			(!r || of->start_ns[of->at] < r->start_ns[r->at]))
			r = of;
	}
	return r;
}

/* The class of a record by itself. */
static enum busy_class busy_classes_of(const struct busy_classes_maker *m,
	const struct busy_classes_rows *r)
{
	uint32_t i = r->at - r->from;

	if (r == &m->rows[COPY])
		return BUSY_COPY;
	if (r == &m->rows[GRAPH])
		return BUSY_NO_BOUND;
	const struct profile_kernel *k = &m->p->kernels[m->at->kernel_of[i]];
	return family_is_collective(k->source.family)
		       ? BUSY_EXPOSED_COMM
		       : (enum busy_class)m->at->busy_of[i];
}

static void busy_classes_sweep(struct busy_classes_maker *m)
{
	struct busy_classes_rows *r;
	int64_t at = INT64_MIN;

	for (int c = 0; c < BUSY_CLASSES; c++)
		m->until_ns[c] = INT64_MIN;
	while ((r = busy_classes_earliest(m))) {
		enum busy_class class = busy_classes_of(m, r);
		int64_t start = r->start_ns[r->at];
		int64_t end = start + r->dur_ns[r->at];
		busy_classes_divide(m, at, start);
		if (end > m->until_ns[class])
			m->until_ns[class] = end;
		at = start;
		r->at++;
	}
	busy_classes_divide(m, at, INT64_MAX);
}

/* Whether the classes of each iteration add up to its parts. */
static bool busy_classes_complete(const struct profile *p)
{
	for (uint32_t i = 0; i < p->iterations.n; i++) {
		const struct iteration *c = &p->iterations.iterations[i];
		int64_t compute_ns = 0;
		for (int k = 0; k <= BUSY_LAUNCH_FLOOR; k++)
			compute_ns += p->busy.iteration_ns[k][i];
		if (compute_ns != c->compute_ns ||
			p->busy.iteration_ns[BUSY_EXPOSED_COMM][i] !=
				c->comm_ns ||
			p->busy.iteration_ns[BUSY_COPY][i] != c->copy_ns)
			return false;
	}
	return true;
}

bool busy_classes_from(const struct attribution *at)
{
	const struct trace *t = at->trace;
	const struct process *proc = at->proc;
	struct profile *p = at->profile;
	struct busy_classes_maker m = { .at = at,
		.p = p,
		.first_ns = trace_first_ns(t, proc) };

	p->busy = (struct busy_times){ 0 };
	if (!p->iterations.n)
		return true;
	for (int c = 0; c < BUSY_CLASSES; c++) {
		p->busy.iteration_ns[c] =
			arena_array(p->arena, int64_t, p->iterations.n);
		if (!p->busy.iteration_ns[c])
			return false;
	}
#define ROWS(kind)                                                    \
	(struct busy_classes_rows){ t->kind.start_ns, t->kind.dur_ns, \
		proc->kind.from, proc->kind.from, proc->kind.to }
	m.rows[KERNEL] = ROWS(kernel);
	m.rows[GRAPH] = ROWS(graph);
	m.rows[COPY] = ROWS(copy);
#undef ROWS
	busy_classes_sweep(&m);
	for (uint32_t i = 0; i < p->iterations.n; i++)
		if (p->iterations.iterations[i].use == ITERATION_KEPT)
			p->busy.comm_overlapped_ns +=
				p->iterations.iterations[i].comm_overlapped_ns;
	assert(busy_classes_complete(p));
	return true;
}
