/* graph_replay.c - groups kernels by correlation and splits groups whose call
 * differs. */
#include "graph_replay.h"
#include "correlation.h"
#include "ids.h"
#include <string.h>

struct graph_replay_finder {
	const struct trace *t;
	const struct process *proc;
	const uint32_t *call_of;
	struct arena *arena;
	struct graph_replays *out;
	uint8_t *
		looked_up; /* by name of the trace: 1 a graph's launch, 2 not; of
		a kernel 4 the runtime's, 8 not */
	uint32_t *names; /* of one replay */
};

bool graph_replay_own(const char *kernel)
{
	return strncmp(kernel, "__amd_rocclr_", strlen("__amd_rocclr_")) == 0;
}

static bool graph_replay_launches_graph(struct graph_replay_finder *f,
	uint32_t call)
{
	uint32_t name = f->t->call.name[call];

	if (!(f->looked_up[name] & 3))
		f->looked_up[name] |=
			strstr(names_text(&f->t->names, name), "GraphLaunch")
				? 1
				: 2;
	return f->looked_up[name] & 1;
}

static bool graph_replay_runtimes_own(struct graph_replay_finder *f,
	uint32_t name)
{
	if (!(f->looked_up[name] & 12))
		f->looked_up[name] |=
			graph_replay_own(names_text(&f->t->names, name)) ? 4
									 : 8;
	return f->looked_up[name] & 4;
}

/* Whether rows of one correlation and call are a replay. */
static bool graph_replay_replayed(struct graph_replay_finder *f,
	const uint32_t *rows, uint32_t n)
{
	uint32_t call = f->call_of[rows[0] - f->proc->kernel.from];

	if (call != CORRELATION_NONE)
		return graph_replay_launches_graph(f, call);
	return n > 1 || f->t->kernel.graph_node[rows[0]] > 0;
}

static bool graph_replay_add(struct graph_replay_finder *f,
	const uint32_t *rows, uint32_t n)
{
	struct graph_replays *out = f->out;
	uint32_t first = out->from[out->n], kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t name = f->t->kernel.name[rows[i]];
		if (graph_replay_runtimes_own(f, name))
			continue;
		out->kernel[first + kept] = rows[i] - f->proc->kernel.from;
		f->names[kept++] = name;
	}
	if (kept == 0)
		return true;
	out->call[out->n] = f->call_of[rows[0] - f->proc->kernel.from];
	out->sequence[out->n] = names_put(&out->sequences,
		(const char *)f->names, kept * sizeof *f->names);
	out->from[++out->n] = first + kept;
	return out->sequence[out->n - 1] != NAMES_NONE;
}

static uint32_t graph_replay_same_until(const struct graph_replay_finder *f,
	const struct ids *x, uint32_t from)
{
	uint32_t first = f->proc->kernel.from, to = from + 1;

	while (to < x->n && x->id[to] == x->id[from] &&
		f->call_of[x->row[to] - first] ==
			f->call_of[x->row[from] - first])
		to++;
	return to;
}

static bool graph_replay_init(struct graph_replay_finder *f, uint32_t n)
{
	struct graph_replays *out = f->out;
	struct arena *a = f->arena;
	size_t room = ((size_t)n + 2) * sizeof(uint32_t);

	f->looked_up = arena_grow(a, NULL, f->t->names.n);
	f->names = arena_grow(a, NULL, room);
	out->kernel = arena_grow(a, NULL, room);
	out->from = arena_grow(a, NULL, room);
	out->call = arena_grow(a, NULL, room);
	out->sequence = arena_grow(a, NULL, room);
	return f->looked_up && f->names && out->kernel && out->from &&
	       out->call && out->sequence && names_init(&out->sequences, a);
}

bool graph_replays_find(const struct trace *t, const struct process *proc,
	const uint32_t *call_of, struct arena *a, struct graph_replays *out)
{
	struct graph_replay_finder f = { t, proc, call_of, a, out, NULL, NULL };
	struct ids x;

	*out = (struct graph_replays){ 0 };
	bool ok = ids_from(&x, a, t->kernel.correlation, proc->kernel);
	ok = ok && graph_replay_init(&f, x.n);
	for (uint32_t i = 0, to; ok && i < x.n; i = to) {
		to = graph_replay_same_until(&f, &x, i);
		if (graph_replay_replayed(&f, x.row + i, to - i))
			ok = graph_replay_add(&f, x.row + i, to - i);
	}
	ids_release(&x, a);
	arena_drop(a, f.looked_up);
	arena_drop(a, f.names);
	return ok;
}
