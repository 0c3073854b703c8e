/* pids.c - a table of (pid, rank), with a memo in front. */
#include "pids.h"

struct pid_key {
	int64_t number;
	uint32_t text;
	int32_t rank;
};

bool pids_init(struct pids *ps, struct trace *t)
{
	*ps = (struct pids){ .trace = t };
	return names_init(&ps->keys, t->arena) &&
	       names_init(&ps->named, t->arena);
}

static int64_t number_of(const struct event *e)
{
	return e->pid.kind == NUM_OK ? e->pid.value : -1;
}

static int32_t rank_of(const struct event *e)
{
	return e->rank >= 0 && e->rank <= INT32_MAX ? (int32_t)e->rank : -1;
}

static bool grow(struct pids *ps)
{
	if (ps->n < ps->cap)
		return true;
	uint32_t cap = ps->cap ? ps->cap * 2 : 16;
	struct pid *list =
		arena_grow(ps->trace->arena, ps->list, cap * sizeof *list);
	if (!list)
		return false;
	ps->list = list;
	ps->cap = cap;
	return true;
}

static uint32_t find(struct pids *ps, const struct pid_key *k)
{
	uint32_t known = ps->keys.n;
	if (!grow(ps))
		return NAMES_NONE;
	uint32_t id = names_find(&ps->keys, (const char *)k, sizeof *k);
	if (id != NAMES_NONE)
		return id - 1;
	if (ps->n == PIDS_MAX)
		return PIDS_MAX;
	id = names_put(&ps->keys, (const char *)k, sizeof *k);
	if (id != known)
		return NAMES_NONE;
	ps->list[ps->n++] = (struct pid){ .number = k->number,
		.text = k->text,
		.rank = k->rank,
		.raw = -1 };
	return id - 1;
}

uint32_t pids_of(struct pids *ps, const struct event *e, uint32_t text)
{
	struct pid_key k = { number_of(e), text, rank_of(e) };
	struct pid_memo *m = &ps->memo[(k.number ^ k.rank) & 7];
	if (m->good && m->pid == k.number && m->rank == k.rank && !text)
		return m->index;
	uint32_t i = find(ps, &k);
	if (i >= PIDS_MAX)
		return i;
	if (e->pid_raw >= 0)
		ps->list[i].raw = e->pid_raw;
	if (!text)
		*m = (struct pid_memo){ k.number, k.rank, i, true };
	return i;
}

bool pids_name(struct pids *ps, const struct event *e, uint32_t text,
	uint32_t name)
{
	struct pid_key k = { number_of(e), text, 0 };
	uint32_t id = names_put(&ps->named, (const char *)&k, sizeof k);
	if (id == NAMES_NONE)
		return false;
	if (id >= ps->process_names_cap) {
		uint32_t cap = id * 2 + 16;
		uint32_t *p = arena_grow(ps->trace->arena, ps->process_names,
			cap * sizeof *p);
		if (!p)
			return false;
		ps->process_names = p;
		ps->process_names_cap = cap;
	}
	ps->process_names[id] = name;
	return true;
}

uint32_t pids_name_of(const struct pids *ps, const struct pid *p)
{
	struct pid_key k = { p->number, p->text, 0 };
	uint32_t id = names_find(&ps->named, (const char *)&k, sizeof k);
	return id == NAMES_NONE ? 0 : ps->process_names[id];
}
