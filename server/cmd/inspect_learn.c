/* inspect_learn.c - each process' graphs, in one book. */
#include "inspect_learn.h"
#include "analyze.h"
#include "graph_key.h"
#include <stdlib.h>

static int by_key(const void *left, const void *right)
{
	return graph_compare(left, right);
}

static bool add(struct inspect_learnt *l, const struct operators *o)
{
	void *grown = arena_grow(&l->arena, l->graphs,
		((size_t)l->book.n + o->learnt_n + 1) * sizeof *l->graphs);

	if (!grown)
		return false;
	l->graphs = grown;
	for (uint32_t i = 0; i < o->learnt_n; i++)
		l->graphs[l->book.n++] = o->learnt[i];
	return true;
}

bool inspect_learn(const char *path, const struct catalog *f,
	const struct inspect_limits *limits, struct inspect_learnt *out,
	struct err *e)
{
	struct arena *a = &out->arena;

	*out = (struct inspect_learnt){
		.arena = { .ceiling = (size_t)limits->arena_mib << 20 }
	};
	if (!trace_init(&out->trace, a))
		return arena_err(a, e);
	if (!inspect_read(path, limits, &out->trace, e))
		return false;
	for (uint32_t i = 0; i < out->trace.processes_n; i++) {
		struct profile *p = arena_new(a, struct profile);
		if (!p)
			return arena_err(a, e);
		if (!profile_from(&out->trace, i, f, NULL, a, p, e))
			return false;
		if (!add(out, &p->operators))
			return arena_err(a, e);
	}
	if (!out->book.n)
		return err_set(e, ERR_INPUT,
			"'%s' teaches no graphs: no stream capture in it names "
			"its kernels",
			path);
	qsort(out->graphs, out->book.n, sizeof *out->graphs, by_key);
	out->book.graphs = out->graphs;
	return true;
}

void inspect_learnt_release(struct inspect_learnt *l)
{
	arena_release(&l->arena);
}
