/* collectives.c - lists the collectives of a run by name, device, stream and
 * what their calls have in common: kind, size and process group. */
#include "dist.h"
#include "exchange.h"
#include "pattern.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The key of a line. Hashed as bytes, so it must contain no padding. Texts are
 * interned, so their addresses identify them. */
struct collectives_key {
	int64_t stream, elements, bytes, group_handle, group_size;
	const char *group, *ranks;
	uint32_t kernel;
	int32_t device;
	uint32_t kind, split, dtype, spare;
};

struct collectives_maker {
	const struct trace *t;
	struct slice rows;
	const uint32_t *kernel_of;
	const struct collective_calls *calls;
	struct profile *p;
	uint32_t *line; /* by kernel row: which collective; LINE_NONE */
	uint32_t cap;
};
enum { LINE_NONE = UINT32_MAX };

static struct collectives_key collectives_key_of(const struct collectives_maker
							 *m,
	uint32_t i, const struct collective_call *c)
{
	const struct kernel_rows *k = &m->t->kernel;
	return (struct collectives_key){ .stream = k->stream[m->rows.from + i],
		.elements = c->elements,
		.bytes = c->bytes,
		.group_handle = c->group_handle,
		.group_size = c->group_size,
		.group = c->group,
		.ranks = c->ranks,
		.kernel = m->kernel_of[i],
		.device = k->device[m->rows.from + i],
		.kind = c->kind,
		.split = c->split,
		.dtype = c->dtype };
}

static bool collectives_line_add(struct collectives_maker *m,
	const struct collectives_key *k, const struct collective_call *c)
{
	struct collectives *to = &m->p->collectives;
	if (to->n == m->cap) {
		uint32_t cap = m->cap ? m->cap * 2 : 16;
		void *grown = arena_grow(m->p->arena, to->rows,
			(size_t)cap * sizeof *to->rows);
		if (!grown)
			return false;
		to->rows = grown;
		m->cap = cap;
	}
	to->rows[to->n] =
		(struct collective){ .name = m->p->kernels[k->kernel].name,
			.device = k->device,
			.stream = k->stream,
			.call = *c,
			.saved_ns = (double)NAN,
			.saved_error_ns = (double)NAN };
	to->rows[to->n++].call.sequence = -1;
	return true;
}

/* The id of a call's line, from 1. Beyond COLLECTIVES_SIZED_MAX lines, a new
 * line is without size. 0 if the arena is full. */
static uint32_t collectives_line(struct collectives_maker *m,
	struct names *keys, uint32_t i, struct collective_call c)
{
	struct collectives_key of = collectives_key_of(m, i, &c);
	const char *key = (const char *)&of;

	if (keys->n > COLLECTIVES_SIZED_MAX && c.elements >= 0 &&
		names_find(keys, key, sizeof of) == NAMES_NONE) {
		const char *name = m->p->kernels[of.kernel].name;
		note_add(&m->p->notes, NOTE_collectives_unsized, 1, name,
			strlen(name));
		c.elements = c.bytes = of.elements = of.bytes = -1;
	}
	uint32_t id = names_put(keys, key, sizeof of);
	if (id == NAMES_NONE ||
		(id > m->p->collectives.n && !collectives_line_add(m, &of, &c)))
		return 0;
	return id;
}

/* Assigns each row to a line. Rows are sorted by start, so lines are sorted by
 * their first start. */
static bool collectives_assign(struct collectives_maker *m)
{
	struct collectives *to = &m->p->collectives;
	struct names keys;
	if (!names_init(&keys, m->p->arena))
		return false;
	for (uint32_t i = 0; i < m->rows.to - m->rows.from; i++) {
		const struct collective_call *c =
			collective_calls_at(m->calls, i);
		m->line[i] = LINE_NONE;
		if (!c)
			continue;
		uint32_t id = collectives_line(m, &keys, i, *c);
		if (!id)
			return false;
		assert(to->rows);
		m->line[i] = id - 1;
		to->rows[id - 1].n++;
	}
	return true;
}

/* Makes the arrays of a line; that of its sequence numbers only if some call of
 * the run is numbered. */
static bool collectives_arrays(struct collectives_maker *m,
	struct collective *c, bool numbered)
{
	c->start_ns = arena_array(m->p->arena, int64_t, c->n);
	c->dur_ns = arena_array(m->p->arena, int64_t, c->n);
	if (numbered)
		c->sequence = arena_array(m->p->arena, int64_t, c->n);
	c->n = 0;
	return c->start_ns && c->dur_ns && (c->sequence || !numbered);
}

static bool collectives_fill(struct collectives_maker *m, int64_t first_ns)
{
	const struct kernel_rows *k = &m->t->kernel;
	struct collectives *to = &m->p->collectives;
	bool numbered = false;
	for (uint32_t i = 0; i < m->calls->n; i++)
		numbered |= m->calls->list[i].sequence >= 0;
	for (uint32_t i = 0; i < to->n; i++)
		if (!collectives_arrays(m, &to->rows[i], numbered))
			return false;
	for (uint32_t i = 0; i < m->rows.to - m->rows.from; i++) {
		if (m->line[i] == LINE_NONE)
			continue;
		struct collective *c = &to->rows[m->line[i]];
		c->start_ns[c->n] =
			m->p->content == CONTENT_DURATIONS
				? -1
				: k->start_ns[m->rows.from + i] - first_ns;
		if (c->sequence)
			c->sequence[c->n] =
				collective_calls_at(m->calls, i)->sequence;
		c->dur_ns[c->n++] = k->dur_ns[m->rows.from + i];
	}
	return true;
}

/* ---- what is saved if a collective overlaps with computing
 *
 * In an iteration, this is the time in which it runs, no other collective runs and
 * nothing computes, but at most the computing that covers no collective yet. While
 * two collectives run, none of them can be overlapped alone. */

/* Hashed as bytes, so it must contain no padding. */
struct collectives_whole {
	int64_t elements, bytes, group_size, group_handle;
	const char *group, *ranks;
	uint32_t kind, split, dtype, spare;
};

/* A time in a kept iteration. */
struct collectives_part {
	int64_t ns;
	uint32_t whole, iteration;
};

struct collectives_sweep {
	const struct collectives_maker *m;
	struct arena *a; /* scratch */
	uint32_t *whole_of; /* by line: the number of its collective, from 1 */
	uint32_t *line_of; /* by number: its first line */
	uint32_t wholes_n;
	struct collectives_part *parts;
	uint32_t parts_n, parts_cap;
	int64_t compute_until_ns;
	/* The two collectives that end last, and when. */
	uint32_t whole[2];
	int64_t until_ns[2];
	uint32_t iteration; /* the first that may contain the next time */
	int64_t first_ns; /* iterations count from here */
};

/* Calls of one group on several devices are one collective. A handle is valid for
 * one device, so that it is used only if there is nothing else. */
static bool collectives_wholes(struct collectives_sweep *s)
{
	const struct collectives *all = &s->m->p->collectives;
	struct names keys;

	s->whole_of = arena_array(s->a, uint32_t, (size_t)all->n + 1);
	s->line_of = arena_array(s->a, uint32_t, (size_t)all->n + 2);
	if (!s->whole_of || !s->line_of || !names_init(&keys, s->a))
		return false;
	for (uint32_t i = 0; i < all->n; i++) {
		const struct collective_call *c = &all->rows[i].call;
		const struct collectives_whole key = { .elements = c->elements,
			.bytes = c->bytes,
			.group_size = c->group_size,
			.group_handle =
				c->group || c->ranks ? -1 : c->group_handle,
			.group = c->group,
			.ranks = c->ranks,
			.kind = c->kind,
			.split = c->split,
			.dtype = c->dtype };
		uint32_t known = keys.n;
		uint32_t id = names_put(&keys, (const char *)&key, sizeof key);
		if (id == NAMES_NONE)
			return false;
		s->whole_of[i] = id;
		if (id == known)
			s->line_of[id] = i;
	}
	s->wholes_n = keys.n;
	return true;
}

static bool collectives_part_add(struct collectives_sweep *s, int64_t ns)
{
	if (s->parts_n == s->parts_cap) {
		uint32_t cap = s->parts_cap * 2 + 64;
		struct collectives_part *grown =
			arena_grow(s->a, s->parts, cap * sizeof *grown);
		if (!grown)
			return false;
		s->parts = grown;
		s->parts_cap = cap;
	}
	s->parts[s->parts_n++] =
		(struct collectives_part){ ns, s->whole[0], s->iteration };
	return true;
}

/* Adds the part of a time in which no record begins. Times are added in order. */
static bool collectives_sweep_add(struct collectives_sweep *s, int64_t from_ns,
	int64_t to_ns)
{
	const struct iterations *all = &s->m->p->iterations;

	from_ns = from_ns < s->compute_until_ns ? s->compute_until_ns : from_ns;
	from_ns = from_ns < s->until_ns[1] ? s->until_ns[1] : from_ns;
	to_ns = to_ns < s->until_ns[0] ? to_ns : s->until_ns[0];
	for (; from_ns < to_ns && s->iteration < all->n; s->iteration++) {
		const struct iteration *c = &all->iterations[s->iteration];
		int64_t from = s->first_ns + c->start_ns;
		int64_t end = from + c->dur_ns;
		if (from >= to_ns)
			return true;
		from = from < from_ns ? from_ns : from;
		int64_t ns = (end < to_ns ? end : to_ns) - from;
		if (ns > 0 && c->use == ITERATION_KEPT &&
			!collectives_part_add(s, ns))
			return false;
		if (end > to_ns)
			return true;
	}
	return true;
}

static void collectives_sweep_begin(struct collectives_sweep *s, uint32_t whole,
	int64_t end_ns)
{
	int64_t *until = s->until_ns;

	if (whole == s->whole[0]) {
		until[0] = end_ns > until[0] ? end_ns : until[0];
	} else if (end_ns > until[0]) {
		s->whole[1] = s->whole[0];
		until[1] = until[0];
		s->whole[0] = whole;
		until[0] = end_ns;
	} else if (end_ns > until[1]) {
		s->whole[1] = whole;
		until[1] = end_ns;
	}
}

/* Kernels and opaque graphs in the order of their starts. */
static bool collectives_sweep_run(struct collectives_sweep *s,
	struct slice graphs)
{
	const struct kernel_rows *k = &s->m->t->kernel;
	const struct graph_rows *g = &s->m->t->graph;
	uint32_t i = s->m->rows.from, to = s->m->rows.to, j = graphs.from;
	int64_t at_ns = INT64_MIN;

	while (i < to || j < graphs.to) {
		bool graph = i == to ||
			     (j < graphs.to && g->start_ns[j] < k->start_ns[i]);
		int64_t start = graph ? g->start_ns[j] : k->start_ns[i];
		int64_t end = start + (graph ? g->dur_ns[j] : k->dur_ns[i]);
		uint32_t line =
			graph ? LINE_NONE : s->m->line[i - s->m->rows.from];
		if (!collectives_sweep_add(s, at_ns, start))
			return false;
		if (line != LINE_NONE)
			collectives_sweep_begin(s, s->whole_of[line], end);
		else if (s->compute_until_ns < end)
			s->compute_until_ns = end;
		at_ns = start;
		*(graph ? &j : &i) += 1;
	}
	return collectives_sweep_add(s, at_ns, INT64_MAX);
}

static int collectives_parts_order(const void *a, const void *b)
{
	const struct collectives_part *x = a, *y = b;

	if (x->whole != y->whole)
		return x->whole < y->whole ? -1 : 1;
	return (x->iteration > y->iteration) - (x->iteration < y->iteration);
}

/* Sets the mean of a collective from its parts. `x` has room for all. */
static void collectives_save(const struct collectives_sweep *s, uint32_t whole,
	uint32_t from, uint32_t to, double *x)
{
	const struct profile *p = s->m->p;
	struct collective *c = &p->collectives.rows[s->line_of[whole]];
	uint32_t n = 0;

	for (uint32_t i = from; i < to; n++) {
		const struct iteration *of =
			&p->iterations.iterations[s->parts[i].iteration];
		int64_t free_ns = of->compute_ns - of->comm_overlapped_ns,
			ns = 0;
		uint32_t iteration = s->parts[i].iteration;
		for (; i < to && s->parts[i].iteration == iteration; i++)
			ns += s->parts[i].ns;
		x[n] = (double)(ns < free_ns ? ns : free_ns);
	}
	struct dist_mean m = dist_mean_from(x, n, p->iterations.kept_n - n);
	c->saved_ns = m.mean;
	c->saved_error_ns = m.error;
}

static bool collectives_savings(struct collectives_maker *m,
	const struct process *proc, struct arena *a)
{
	struct collectives_sweep s = { .m = m,
		.a = a,
		.compute_until_ns = INT64_MIN,
		.until_ns = { INT64_MIN, INT64_MIN },
		.first_ns = trace_first_ns(m->t, proc) };

	if (!m->p->iterations.n || !m->p->collectives.n)
		return true;
	if (!collectives_wholes(&s) || !collectives_sweep_run(&s, proc->graph))
		return false;
	double *x = arena_array(a, double, (size_t)s.parts_n + 1);
	if (!x)
		return false;
	if (s.parts_n)
		qsort(s.parts, s.parts_n, sizeof *s.parts,
			collectives_parts_order);
	for (uint32_t whole = 1, from = 0, to; whole < s.wholes_n; whole++) {
		for (to = from; to < s.parts_n && s.parts[to].whole == whole;)
			to++;
		collectives_save(&s, whole, from, to, x);
		from = to;
	}
	return true;
}

bool collectives_from(const struct trace *t, const struct process *proc,
	const uint32_t *kernel_of, const struct collective_calls *calls,
	struct profile *p)
{
	struct collectives_maker m = { .t = t,
		.rows = proc->kernel,
		.kernel_of = kernel_of,
		.calls = calls,
		.p = p };
	struct arena scratch = arena_scratch(p->arena);
	p->collectives = (struct collectives){ 0 };
	m.line = arena_grow(p->arena, NULL,
		((size_t)m.rows.to - m.rows.from + 1) * sizeof *m.line);
	bool ok = m.line && collectives_assign(&m) &&
		  collectives_fill(&m, trace_first_ns(t, proc)) &&
		  exchanges_from(calls, m.line, m.rows.to - m.rows.from, p) &&
		  collectives_savings(&m, proc, &scratch);
	arena_scratch_release(&scratch, p->arena);
	arena_drop(p->arena, m.line);
	if (ok)
		collective_bus_sums(&p->collectives, p->bus);
	return ok;
}
