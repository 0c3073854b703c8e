/* collectives.c - lists the collectives of a run by name, device, stream and
 * what their calls have in common: kind, size and process group. */
#include "exchange.h"
#include "pattern.h"
#include <assert.h>
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
			.call = *c };
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

bool collectives_from(const struct trace *t, const struct process *proc,
	const uint32_t *kernel_of, const struct collective_calls *calls,
	struct profile *p)
{
	struct collectives_maker m = { .t = t,
		.rows = proc->kernel,
		.kernel_of = kernel_of,
		.calls = calls,
		.p = p };
	p->collectives = (struct collectives){ 0 };
	m.line = arena_grow(p->arena, NULL,
		((size_t)m.rows.to - m.rows.from + 1) * sizeof *m.line);
	bool ok = m.line && collectives_assign(&m) &&
		  collectives_fill(&m, trace_first_ns(t, proc)) &&
		  exchanges_from(calls, m.line, m.rows.to - m.rows.from, p);
	arena_drop(p->arena, m.line);
	if (ok)
		collective_bus_sums(&p->collectives, p->bus);
	return ok;
}
