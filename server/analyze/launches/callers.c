/* callers.c - finds the call paths of API calls, then of operators, and adds up
 * the launches of each path. */
#include "callers.h"
#include "callpath.h"
#include "correlation.h"
#include "ids.h"
#include <stdlib.h>
#include <string.h>

struct callers_maker {
	const struct trace *t;
	const struct process *proc;
	struct profile *p;
	struct slice rows; /* kernels of the process */
	const uint32_t *kernel_of, *call_of;
	struct frame_tree tree;
	uint32_t *frame_of; /* by kernel row; 0 none */
	int64_t cut;
};

/* The call paths of the API calls or operators that launched kernels. Rows that
 * need a path are marked first; paths are in the order of the rows. */
struct callers_origin {
	const int64_t *start_ns;
	const uint32_t *thread;
	struct slice rows;
	bool ops;
	uint32_t *
		path_of; /* by row: 1 if marked, later the index in `paths` + 1 */
	struct callpath *paths;
	uint32_t n;
};

static bool callers_origin_init(struct callers_origin *o, struct arena *a)
{
	o->path_of = arena_grow(a, NULL,
		((size_t)(o->rows.to - o->rows.from) + 1) * sizeof *o->path_of);
	return o->path_of;
}

static void callers_origin_mark(struct callers_origin *o, uint32_t row)
{
	uint32_t *of = &o->path_of[row - o->rows.from];
	o->n += !*of;
	*of = 1;
}

static bool callers_origin_find(struct callers_origin *o,
	struct callers_maker *m)
{
	uint32_t n = 0;

	o->paths = arena_grow(m->p->arena, NULL,
		((size_t)o->n + 1) * sizeof *o->paths);
	if (!o->paths)
		return false;
	for (uint32_t row = o->rows.from; row < o->rows.to; row++) {
		if (!o->path_of[row - o->rows.from])
			continue;
		o->paths[n] = (struct callpath){ .at_ns = o->start_ns[row],
			.thread = o->thread[row],
			.op = o->ops ? row : CALLPATH_NO_OP };
		o->path_of[row - o->rows.from] = ++n;
	}
	return callpath_find(&m->tree, m->proc, o->paths, n);
}

static void callers_origin_apply(const struct callers_origin *o,
	struct callers_maker *m, uint32_t i, uint32_t row)
{
	const struct callpath *p =
		&o->paths[o->path_of[row - o->rows.from] - 1];
	m->frame_of[i] = p->frame;
	m->cut += p->cut;
}

static void callers_origin_release(struct callers_origin *o, struct arena *a)
{
	arena_drop(a, o->path_of);
	arena_drop(a, o->paths);
}

static bool callers_from_calls(struct callers_maker *m)
{
	const struct call_rows *c = &m->t->call;
	struct callers_origin o = { .start_ns = c->start_ns,
		.thread = c->thread,
		.rows = m->proc->call };
	uint32_t n = m->rows.to - m->rows.from;

	bool ok = callers_origin_init(&o, m->p->arena);
	for (uint32_t i = 0; ok && i < n; i++)
		if (m->call_of[i] != CORRELATION_NONE)
			callers_origin_mark(&o, m->call_of[i]);
	ok = ok && callers_origin_find(&o, m);
	for (uint32_t i = 0; ok && i < n; i++)
		if (m->call_of[i] != CORRELATION_NONE)
			callers_origin_apply(&o, m, i, m->call_of[i]);
	callers_origin_release(&o, m->p->arena);
	return ok;
}

/* Counts the launches without a path that have an External id. Returns 0 if
 * External ids repeat the correlation in most launches (callers.h). */
static uint32_t callers_pathless(const struct callers_maker *m)
{
	const struct kernel_rows *k = &m->t->kernel;
	uint32_t lacking = 0, named = 0, repeated = 0;

	for (uint32_t row = m->rows.from; row < m->rows.to; row++) {
		bool has = k->external_id[row] > 0;
		lacking += has && !m->frame_of[row - m->rows.from];
		named += has;
		repeated += has && k->external_id[row] == k->correlation[row];
	}
	return repeated > named / 2 ? 0 : lacking;
}

/* The operator row of a kernel without a path, by its External id. NAMES_NONE
 * if there is none, or if the kernel has a path. */
static uint32_t callers_op_of(const struct callers_maker *m,
	const struct ids *ops, uint32_t i)
{
	if (m->frame_of[i])
		return NAMES_NONE;
	struct slice found =
		ids_find(ops, m->t->kernel.external_id[m->rows.from + i]);
	return found.from < found.to ? ops->row[found.from] : NAMES_NONE;
}

static bool callers_from_ops(struct callers_maker *m)
{
	struct arena *a = m->p->arena;
	const struct op_rows *ops = &m->t->op;
	struct callers_origin o = { .start_ns = ops->start_ns,
		.thread = ops->thread,
		.rows = m->proc->op,
		.ops = true };
	uint32_t n = m->rows.to - m->rows.from;
	struct ids x;

	if (callers_pathless(m) == 0)
		return true;
	if (!ids_from(&x, a, ops->external_id, m->proc->op))
		return false;
	bool ok = callers_origin_init(&o, a);
	for (uint32_t i = 0; ok && i < n; i++) {
		uint32_t row = callers_op_of(m, &x, i);
		if (row != NAMES_NONE)
			callers_origin_mark(&o, row);
	}
	ok = ok && callers_origin_find(&o, m);
	for (uint32_t i = 0; ok && i < n; i++) {
		uint32_t row = callers_op_of(m, &x, i);
		if (row != NAMES_NONE)
			callers_origin_apply(&o, m, i, row);
	}
	ids_release(&x, a);
	callers_origin_release(&o, a);
	return ok;
}

/* The key of a line. It is hashed as bytes, so it has no padding. */
struct callers_key {
	uint32_t kernel, known, frame;
};

/* Finds the line of each launch: its id in `keys`, less one. */
static bool callers_lines(const struct callers_maker *m, struct names *keys,
	uint32_t *line)
{
	for (uint32_t i = 0; i < m->rows.to - m->rows.from; i++) {
		enum caller_known known = CALLER_PATH;
		if (!m->frame_of[i])
			known = m->call_of[i] == CORRELATION_NONE
					? CALLER_NO_CALL
					: CALLER_NO_RANGE;
		struct callers_key k = { m->kernel_of[i], known,
			m->frame_of[i] };
		uint32_t id = names_put(keys, (const char *)&k, sizeof k);
		if (id == NAMES_NONE)
			return false;
		line[i] = id - 1;
	}
	return true;
}

static int callers_by_kernel(const void *left, const void *right)
{
	const struct caller_stat *a = left, *b = right;
	const int64_t x[] = { a->kernel, b->total_ns, a->known, a->frame };
	const int64_t y[] = { b->kernel, a->total_ns, b->known, b->frame };

	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static bool callers_add_up(const struct callers_maker *m,
	const struct names *keys, const uint32_t *line)
{
	struct profile *p = m->p;
	uint32_t n = keys->n - 1;

	p->callers = arena_array(p->arena, struct caller_stat, n + 1);
	if (!p->callers)
		return false;
	p->callers_n = n;
	for (uint32_t i = 0; i < n; i++) {
		struct callers_key k;
		memcpy(&k, names_text(keys, i + 1), sizeof k);
		p->callers[i] = (struct caller_stat){ .kernel = k.kernel,
			.known = (enum caller_known)k.known,
			.frame = k.frame };
	}
	for (uint32_t i = 0; i < m->rows.to - m->rows.from; i++) {
		struct caller_stat *s = &p->callers[line[i]];
		s->launches++;
		s->total_ns += m->t->kernel.dur_ns[m->rows.from + i];
	}
	qsort(p->callers, n, sizeof *p->callers, callers_by_kernel);
	return true;
}

bool callers_from(const struct trace *t, const struct process *proc,
	const uint32_t *kernel_of, const uint32_t *call_of, struct profile *p,
	uint32_t **frame_of)
{
	struct arena *a = p->arena;
	struct callers_maker m = { .t = t,
		.proc = proc,
		.p = p,
		.rows = proc->kernel,
		.kernel_of = kernel_of,
		.call_of = call_of };
	size_t n = (size_t)(m.rows.to - m.rows.from) + 1;
	struct names keys;

	uint32_t *line = arena_grow(a, NULL, n * sizeof *line);
	m.frame_of = arena_grow(a, NULL, n * sizeof *m.frame_of);
	bool ok = line && m.frame_of && frame_tree_init(&m.tree, t, a) &&
		  callers_from_calls(&m) && callers_from_ops(&m) &&
		  names_init(&keys, a) && callers_lines(&m, &keys, line) &&
		  callers_add_up(&m, &keys, line) &&
		  frame_tree_frames(&m.tree, &p->frames, &p->frames_n);
	if (ok && m.cut)
		note_add(&p->notes, NOTE_callers_cut, m.cut, NULL, 0);
	frame_tree_release(&m.tree);
	*frame_of = m.frame_of;
	arena_drop(a, line);
	return ok;
}
