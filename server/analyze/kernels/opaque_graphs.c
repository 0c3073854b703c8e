/* opaque_graphs.c - groups replays by graph and device and adds the note. */
#include "opaque_graphs.h"
#include "row_groups.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The key of a line. It is hashed as bytes, so it has no padding. */
struct opaque_graphs_key {
	int64_t graph_id, graph_exec, device;
};

/* Converts to hundredths of a millisecond, rounding half up. */
static long long opaque_graphs_hundredths(int64_t ns)
{
	return (ns + 5000) / 10000;
}

static void opaque_graphs_opaque_add(struct profile *p)
{
	long long in = opaque_graphs_hundredths(p->graph_ns),
		  out = opaque_graphs_hundredths(p->kernel_ns);
	char detail[80];
	int len = snprintf(detail, sizeof detail,
		"they took %lld.%02lld ms, the kernels listed %lld.%02lld ms",
		in / 100, in % 100, out / 100, out % 100);

	note_add(&p->notes, NOTE_graph_opaque, p->graphs, detail, (size_t)len);
}

/* Finds the line of each row. */
static bool opaque_graphs_lines(const struct graph_rows *g, struct slice rows,
	struct names *keys, uint32_t *line)
{
	for (uint32_t i = rows.from; i < rows.to; i++) {
		struct opaque_graphs_key k = { g->graph_id[i], g->graph_exec[i],
			g->device[i] };
		uint32_t id = names_put(keys, (const char *)&k, sizeof k);
		if (id == NAMES_NONE)
			return false;
		line[i - rows.from] = id - 1;
	}
	return true;
}

static int opaque_graphs_by_time(const void *left, const void *right)
{
	const struct graph_stat *a = left, *b = right;
	const int64_t x[] = { b->time.total_ns, a->graph_id, a->graph_exec,
		a->device };
	const int64_t y[] = { a->time.total_ns, b->graph_id, b->graph_exec,
		b->device };

	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static bool opaque_graphs_stats_fill(const struct graph_rows *g,
	struct slice rows, struct row_group_key line, struct profile *p)
{
	struct row_group *groups;
	uint32_t n;

	if (!row_groups_from(p->arena, line, (struct row_group_key){ 0 },
		    g->dur_ns + rows.from, rows.to - rows.from, &groups, &n,
		    NULL))
		return false;
	p->graph_stats = arena_array(p->arena, struct graph_stat, n);
	for (uint32_t i = 0; p->graph_stats && i < n; i++) {
		uint32_t row = rows.from + groups[i].row;
		p->graph_stats[i] = (struct graph_stat){ g->graph_id[row],
			g->graph_exec[row], g->device[row], groups[i].time };
		p->graph_stats_n++;
	}
	if (p->graph_stats)
		qsort(p->graph_stats, n, sizeof *p->graph_stats,
			opaque_graphs_by_time);
	arena_drop(p->arena, groups);
	return p->graph_stats;
}

bool opaque_graphs_from(const struct trace *t, struct slice rows,
	struct profile *p)
{
	uint32_t n = rows.to - rows.from;
	struct names keys;

	if (n == 0)
		return true;
	opaque_graphs_opaque_add(p);
	uint32_t *line = arena_grow(p->arena, NULL, n * sizeof *line);
	bool ok = line && names_init(&keys, p->arena) &&
		  opaque_graphs_lines(&t->graph, rows, &keys, line) &&
		  opaque_graphs_stats_fill(&t->graph, rows,
			  (struct row_group_key){ line, keys.n - 1 }, p);
	arena_drop(p->arena, line);
	return ok;
}
