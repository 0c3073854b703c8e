/* execution.c - rows become executions; a function is added when first seen. */
#include "execution.h"
#include "catalog.h"
#include "operation.h"
#include "sync_call.h"
#include <string.h>

enum kind { KERNEL, GRAPH, COPY, CALL, THREADS = EXECUTION_THREADS };

/* What tells functions apart; hashed as bytes, so it has no gaps. */
struct key {
	uint32_t kind, what;
	int32_t device;
};

struct maker {
	struct executions *x;
	const struct trace *t;
	const struct process *proc;
	const struct profile *p;
	const struct cycle_rows *rows;
	const struct thread_time *threads;
	struct arena *a;
	struct key last_key;
	uint32_t last; /* function of last_key; rows in a row are often alike */
};

static const char *shown(const char *text)
{
	return *text ? text : "(unnamed)";
}

static const char *device_text(struct arena *a, int32_t number)
{
	return number < 0 ? "GPU" : arena_printf(a, "GPU %d", (int)number);
}

static struct pattern function_of(const struct maker *m, const struct key *k)
{
	struct pattern f = { .number = k->device };
	const struct profile_kernel *kernel;
	const struct name *n;

	switch ((enum kind)k->kind) {
	case KERNEL:
		kernel = &m->p->kernels[k->what];
		f.name = kernel->name;
		f.type = family_is_collective(kernel->source.family)
				 ? FUNCTION_gpu_comm
				 : FUNCTION_gpu_compute;
		break;
	case GRAPH:
		f.name = shown(names_text(&m->t->names, k->what));
		f.type = FUNCTION_gpu_graph;
		break;
	case COPY:
		n = &m->t->names.list[k->what >> 1];
		f.name = shown(n->text);
		f.type = operation_type(
			operation_of(n->text, n->len, k->what & 1));
		break;
	case CALL:
		n = &m->t->names.list[k->what];
		f.name = sync_call_of(n->text, n->len);
		f.type = FUNCTION_sync;
		break;
	case THREADS:
		f.name = m->threads->total[k->what].name;
		f.type = m->threads->total[k->what].type;
		break;
	}
	f.device = k->kind >= CALL ? "Host" : device_text(m->a, k->device);
	return f;
}

static bool function_add(struct maker *m, const struct key *k)
{
	struct executions *x = m->x;
	if (x->functions_n == x->functions_cap) {
		uint32_t cap = x->functions_cap ? x->functions_cap * 2 : 64;
		void *grown = arena_grow(m->a, x->functions,
			(size_t)cap * sizeof *x->functions);
		if (!grown)
			return false;
		x->functions = grown;
		x->functions_cap = cap;
	}
	struct pattern_function *f = &x->functions[x->functions_n++];
	*f = (struct pattern_function){ function_of(m, k), -1 };
	return f->is.device;
}

/* The function of a key, added if new; false where the arena is full. */
static bool find(struct maker *m, const struct key *k)
{
	struct executions *x = m->x;
	if (x->functions_n && !memcmp(k, &m->last_key, sizeof *k))
		return true;
	uint32_t id = names_put(&x->keys, (const char *)k, sizeof *k);
	if (id == NAMES_NONE || (id > x->functions_n && !function_add(m, k)))
		return false;
	m->last_key = *k;
	m->last = id - 1;
	return true;
}

static bool add(struct maker *m, const struct key *k, int64_t start_ns,
	int64_t dur_ns, uint32_t cycle)
{
	if (cycle == CYCLE_OF_NONE)
		return true;
	if (!find(m, k))
		return false;
	m->x->list[m->x->n++] =
		(struct execution){ start_ns, dur_ns, m->last, cycle };
	return true;
}

static bool kernels_add(struct maker *m, const uint32_t *kernel_of)
{
	const struct kernel_rows *k = &m->t->kernel;
	struct slice rows = m->proc->kernel;
	for (uint32_t i = 0; i < rows.to - rows.from; i++)
		if (!add(m,
			    &(struct key){ KERNEL, kernel_of[i],
				    k->device[rows.from + i] },
			    k->start_ns[rows.from + i],
			    k->dur_ns[rows.from + i], m->rows->kernel[i]))
			return false;
	m->x->end[KERNEL] = m->x->n;
	return true;
}

static bool graphs_add(struct maker *m)
{
	const struct graph_rows *g = &m->t->graph;
	struct slice rows = m->proc->graph;
	for (uint32_t i = rows.from; i < rows.to; i++)
		if (!add(m, &(struct key){ GRAPH, g->name[i], g->device[i] },
			    g->start_ns[i], g->dur_ns[i],
			    m->rows->graph[i - rows.from]))
			return false;
	m->x->end[GRAPH] = m->x->n;
	return true;
}

static bool copies_add(struct maker *m)
{
	const struct copy_rows *c = &m->t->copy;
	struct slice rows = m->proc->copy;
	for (uint32_t i = rows.from; i < rows.to; i++)
		if (!add(m,
			    &(struct key){ COPY,
				    c->name[i] << 1 | (c->is_set[i] != 0),
				    c->device[i] },
			    c->start_ns[i], c->dur_ns[i],
			    m->rows->copy[i - rows.from]))
			return false;
	m->x->end[COPY] = m->x->n;
	return true;
}

/* Names of one call with and without a suffix are one function: the first
 * name's id stands for all. */
static bool calls_add(struct maker *m, const uint32_t *sync, int64_t first_ns)
{
	const struct call_rows *c = &m->t->call;
	const struct cycles *all = &m->p->cycles;
	struct slice rows = m->proc->call;
	uint32_t at = 0;
	for (uint32_t i = rows.from; i < rows.to; i++) {
		int64_t start_ns = c->start_ns[i] - first_ns;
		if (sync[c->name[i]] == NAMES_NONE)
			continue;
		while (at < all->n &&
			all->cycles[at].start_ns + all->cycles[at].dur_ns <=
				start_ns)
			at++;
		if (at == all->n)
			break;
		if (start_ns >= all->cycles[at].start_ns &&
			!add(m, &(struct key){ CALL, sync[c->name[i]], -1 },
				c->start_ns[i], c->dur_ns[i], at))
			return false;
	}
	m->x->end[CALL] = m->x->n;
	return true;
}

/* Cycle by cycle, so that starts are in order. */
static bool thread_time_add(struct maker *m, int64_t first_ns)
{
	const struct cycles *all = &m->p->cycles;
	for (uint32_t i = 0; i < all->n; i++)
		for (uint32_t k = 0; k < THREAD_TOTALS; k++) {
			const int64_t *dur_ns = m->threads->total[k].dur_ns;
			if (dur_ns && dur_ns[i] >= 0 &&
				!add(m, &(struct key){ THREADS, k, -1 },
					first_ns + all->cycles[i].start_ns,
					dur_ns[i], i))
				return false;
		}
	m->x->end[THREADS] = m->x->n;
	return true;
}

bool executions_from(struct executions *x, const struct trace *t,
	uint32_t process, const uint32_t *kernel_of,
	const struct cycle_rows *rows, const struct thread_time *threads,
	const struct profile *p)
{
	const struct process *proc = &t->processes[process];
	struct maker m = { .x = x,
		.t = t,
		.proc = proc,
		.p = p,
		.rows = rows,
		.threads = threads,
		.a = p->arena };
	*x = (struct executions){ 0 };
	uint32_t *sync = sync_calls_of(t, m.a);
	size_t most = (size_t)(proc->kernel.to - proc->kernel.from) +
		      (proc->graph.to - proc->graph.from) +
		      (proc->copy.to - proc->copy.from) +
		      (size_t)p->cycles.n * THREAD_TOTALS;
	for (uint32_t i = proc->call.from; sync && i < proc->call.to; i++)
		most += sync[t->call.name[i]] != NAMES_NONE;
	x->list = arena_grow(m.a, NULL, (most + 1) * sizeof *x->list);
	bool ok = sync && x->list && names_init(&x->keys, m.a) &&
		  kernels_add(&m, kernel_of) && graphs_add(&m) &&
		  copies_add(&m) &&
		  calls_add(&m, sync, trace_first_ns(t, proc)) &&
		  thread_time_add(&m, trace_first_ns(t, proc));
	arena_drop(m.a, sync);
	return ok;
}

void executions_release(struct executions *x, struct arena *a)
{
	arena_drop(a, x->list);
	arena_drop(a, x->functions);
}
