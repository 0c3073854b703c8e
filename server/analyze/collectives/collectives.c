/* collectives.c - lists the collectives of a run by name, device and stream. */
#include "pattern.h"
#include "catalog.h"
#include <assert.h>

/* The key of a line. Hashed as bytes, so it must contain no padding. */
struct collectives_key {
	int64_t stream;
	uint32_t kernel;
	int32_t device;
};

struct collectives_maker {
	const struct trace *t;
	struct slice rows;
	const uint32_t *kernel_of;
	struct profile *p;
	uint32_t *line; /* by kernel row: which collective; LINE_NONE */
	uint32_t cap;
};
enum { LINE_NONE = UINT32_MAX };

static bool collectives_line_add(struct collectives_maker *m,
	const struct collectives_key *k)
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
	to->rows[to->n++] =
		(struct collective){ .name = m->p->kernels[k->kernel].name,
			.device = k->device,
			.stream = k->stream };
	return true;
}

/* Assigns each row to a line. Rows are sorted by start, so lines are sorted by
 * their first start. */
static bool collectives_assign(struct collectives_maker *m)
{
	const struct kernel_rows *k = &m->t->kernel;
	struct collectives *to = &m->p->collectives;
	struct names keys;
	if (!names_init(&keys, m->p->arena))
		return false;
	for (uint32_t i = 0; i < m->rows.to - m->rows.from; i++) {
		const struct kernel_source *s =
			&m->p->kernels[m->kernel_of[i]].source;
		struct collectives_key of = { k->stream[m->rows.from + i],
			m->kernel_of[i], k->device[m->rows.from + i] };
		m->line[i] = LINE_NONE;
		if (!family_is_collective(s->family))
			continue;
		uint32_t id = names_put(&keys, (const char *)&of, sizeof of);
		if (id == NAMES_NONE ||
			(id > to->n && !collectives_line_add(m, &of)))
			return false;
		assert(to->rows);
		m->line[i] = id - 1;
		to->rows[id - 1].n++;
	}
	return true;
}

static bool collectives_fill(struct collectives_maker *m, int64_t first_ns)
{
	const struct kernel_rows *k = &m->t->kernel;
	struct collectives *to = &m->p->collectives;
	for (uint32_t i = 0; i < to->n; i++) {
		struct collective *c = &to->rows[i];
		c->start_ns = arena_array(m->p->arena, int64_t, c->n);
		c->dur_ns = arena_array(m->p->arena, int64_t, c->n);
		if (!c->start_ns || !c->dur_ns)
			return false;
		c->n = 0;
	}
	for (uint32_t i = 0; i < m->rows.to - m->rows.from; i++) {
		if (m->line[i] == LINE_NONE)
			continue;
		struct collective *c = &to->rows[m->line[i]];
		c->start_ns[c->n] = k->start_ns[m->rows.from + i] - first_ns;
		c->dur_ns[c->n++] = k->dur_ns[m->rows.from + i];
	}
	return true;
}

bool collectives_from(const struct trace *t, const struct process *proc,
	const uint32_t *kernel_of, struct profile *p)
{
	struct collectives_maker m = { .t = t,
		.rows = proc->kernel,
		.kernel_of = kernel_of,
		.p = p };
	p->collectives = (struct collectives){ 0 };
	m.line = arena_grow(p->arena, NULL,
		((size_t)m.rows.to - m.rows.from + 1) * sizeof *m.line);
	bool ok = m.line && collectives_assign(&m) &&
		  collectives_fill(&m, trace_first_ns(t, proc));
	arena_drop(p->arena, m.line);
	return ok;
}
