/* idle.c - the processes left get the numbers from 0 on, in their order. */
#include "idle.h"

/* Surroundings are no record: facts, and what was open around graphs' nodes. */
#define SURROUNDS(kind)                                      \
	((const void *)&t->kind == (const void *)&t->fact || \
		(const void *)&t->kind == (const void *)&t->node)

/* They go with their process. */
#define COLUMN(type, field, what) r->field[to] = r->field[i];
#define DROP(kind, COLUMNS)                                            \
	static void kind##s_drop(struct trace *t, const uint16_t *now) \
	{                                                              \
		struct kind##_rows *r = &t->kind;                      \
		uint32_t to = 0;                                       \
		for (uint32_t i = 0; i < r->n; i++)                    \
			if (now[r->process[i]] != UINT16_MAX) {        \
				COLUMNS(COLUMN)                        \
				to++;                                  \
			}                                              \
		r->n = to;                                             \
	}
DROP(fact, FACT_COLUMNS)
DROP(node, NODE_COLUMNS)
#undef DROP
#undef COLUMN

/* A process's new index; none of the idle is asked for. */
static void renumber(struct trace *t, const uint16_t *now)
{
#define KIND(kind, COLUMNS, what)                \
	for (uint32_t i = 0; i < t->kind.n; i++) \
		t->kind.process[i] = now[t->kind.process[i]];
	TRACE_KINDS(KIND)
	TRACE_TABLES(KIND)
#undef KIND
	uint32_t to = 0;
	for (uint32_t i = 0; i < t->devices_n; i++) {
		struct device d = t->devices[i];
		if (d.process >= 0 && now[d.process] == UINT16_MAX)
			continue;
		if (d.process >= 0)
			d.process = now[d.process];
		t->devices[to++] = d;
	}
	t->devices_n = to;
}

bool idle_drop(struct trace *t)
{
	uint32_t to = 0;
	uint16_t *now =
		arena_grow(t->arena, NULL, (t->processes_n + 1) * sizeof *now);
	if (!now)
		return false;
#define KIND(kind, COLUMNS, what)                                    \
	for (uint32_t i = 0; !SURROUNDS(kind) && i < t->kind.n; i++) \
		now[t->kind.process[i]] = 1;
	TRACE_KINDS(KIND)
	TRACE_TABLES(KIND)
#undef KIND
	for (uint32_t i = 0; i < t->processes_n; i++) {
		bool used = now[i];
		now[i] = used ? (uint16_t)to : UINT16_MAX;
		if (used)
			t->processes[to++] = t->processes[i];
	}
	int64_t *fused = &t->notes.count[NOTE_fused];
	if (*fused && to < t->processes_n)
		*fused = to > 1 ? to : 0;
	t->processes_n = to;
	facts_drop(t, now);
	nodes_drop(t, now);
	renumber(t, now);
	arena_drop(t->arena, now);
	return true;
}
