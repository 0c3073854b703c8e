/* tables_cycles.c - a cycle per number, with the first start and duration told. */
#include "tables_cycles.h"
#include <stdlib.h>
#include <string.h>

struct maker {
	const struct trace *t;
	struct arena *a;
	struct names numbers; /* id = place in `cycles` + 1 */
	struct names seen; /* cycle, function, device and type */
	struct cycle *cycles;
	uint32_t n, cap;
};

static bool grow(struct maker *m)
{
	uint32_t cap = m->cap ? m->cap * 2 : 256;
	struct cycle *grown =
		arena_grow(m->a, m->cycles, (size_t)cap * sizeof *grown);

	if (!grown)
		return false;
	m->cycles = grown;
	m->cap = cap;
	return true;
}

static struct cycle *of_number(struct maker *m, int64_t number)
{
	uint32_t id =
		names_put(&m->numbers, (const char *)&number, sizeof number);

	if (id == NAMES_NONE || (id > m->n && m->n == m->cap && !grow(m)))
		return NULL;
	if (id > m->n)
		m->cycles[m->n++] = (struct cycle){ .number = number,
			.start_ns = -1,
			.dur_ns = -1,
			.compute_ns = -1,
			.comm_ns = -1,
			.copy_ns = -1,
			.idle_ns = -1,
			.sync_ns = -1 };
	return &m->cycles[id - 1];
}

/* Whether a row's launches are a kernel's, and not yet told by another. */
static bool launches(struct maker *m, uint32_t row, bool *ok)
{
	const struct pattern_rows *r = &m->t->pattern;
	const char *type = names_text(&m->t->names, r->func_type[row]);
	int64_t key[4] = { r->cycle[row], r->name[row], r->device[row],
		r->func_type[row] };
	uint32_t known = m->seen.n;

	if (strncmp(type, "gpu_", 4) || !strncmp(type, "gpu_mem", 7))
		return false;
	uint32_t id = names_put(&m->seen, (const char *)key, sizeof key);
	*ok = id != NAMES_NONE;
	return *ok && id == known;
}

static bool read_rows(struct maker *m, struct slice rows)
{
	const struct pattern_rows *r = &m->t->pattern;
	bool ok = true;

	for (uint32_t i = rows.from; ok && i < rows.to; i++) {
		if (r->anchor[i] != r->anchor[rows.from])
			continue;
		struct cycle *c = of_number(m, r->cycle[i]);
		if (!c)
			return false;
		if (c->start_ns < 0)
			c->start_ns = r->cycle_start_ns[i];
		if (c->dur_ns < 0)
			c->dur_ns = r->cycle_ns[i];
		if (launches(m, i, &ok))
			c->launches += r->instances[i];
	}
	return ok;
}

static int by_start(const void *left, const void *right)
{
	const struct cycle *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

bool tables_cycles(const struct trace *t, const struct process *proc,
	struct profile *p)
{
	struct maker m = { .t = t, .a = p->arena };
	struct cycles *c = &p->cycles;
	struct slice rows = proc->pattern;
	int64_t first = trace_first_ns(t, proc);

	c->strata = arena_new(m.a, struct stratum);
	if (!c->strata || !names_init(&m.numbers, m.a) ||
		!names_init(&m.seen, m.a) || !read_rows(&m, rows))
		return false;
	qsort(m.cycles, m.n, sizeof *m.cycles, by_start);
	for (uint32_t i = 0; i < m.n; i++)
		if (m.cycles[i].start_ns >= 0 && m.cycles[i].start_ns < first)
			first = m.cycles[i].start_ns;
	for (uint32_t i = 0; i < m.n; i++)
		if (m.cycles[i].start_ns >= 0)
			m.cycles[i].start_ns -= first;
	c->detector = CYCLES_TOLD;
	c->confidence = 1;
	if (t->pattern.anchor[rows.from])
		c->range = names_text(&t->names, t->pattern.anchor[rows.from]);
	c->cycles = m.cycles;
	c->n = c->kept_n = m.n;
	c->strata_n = 1;
	*c->strata = (struct stratum){ .text = "as the table tells them",
		.sequences = -1,
		.tokens = -1,
		.kv_tokens = -1,
		.cycles = m.n };
	return true;
}
