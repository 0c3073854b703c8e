/* link.c - applies the rule of link.h. */
#include "link.h"
#include "votes.h"

enum { NOBODY = UINT16_MAX };

struct link {
	struct trace *trace;
	const struct pids *pids;
	uint16_t *host, *gpu; /* by pid: the process of its rows */
	uint32_t *owner; /* by process: its pid, or NAMES_NONE */
	uint32_t cap;
};

static uint16_t process_add(struct link *l, uint32_t pid, int32_t rank)
{
	struct trace *t = l->trace;
	struct process *p = &t->processes[t->processes_n];
	*p = (struct process){ .pid = -1, .rank = rank, .world_size = -1 };
	if (pid != NAMES_NONE) {
		const struct pid *q = &l->pids->list[pid];
		p->pid = q->raw >= 0 ? q->raw : q->number;
		p->name = pids_name_of(l->pids, q);
	}
	l->owner[t->processes_n] = pid;
	return (uint16_t)t->processes_n++;
}

static bool init(struct link *l)
{
	struct arena *a = l->trace->arena;
	/* A pid may become two: its host rows and its GPU rows. */
	l->cap = l->pids->n * 2 + 1;
	if (l->cap > NOBODY)
		l->cap = NOBODY;
	l->host = arena_grow(a, NULL, l->cap * sizeof *l->host);
	l->gpu = arena_grow(a, NULL, l->cap * sizeof *l->gpu);
	l->owner = arena_grow(a, NULL, l->cap * sizeof *l->owner);
	l->trace->processes =
		arena_grow(a, NULL, l->cap * sizeof *l->trace->processes);
	if (!l->host || !l->gpu || !l->owner || !l->trace->processes)
		return false;
	for (uint32_t i = 0; i < l->pids->n; i++)
		l->host[i] = l->gpu[i] = NOBODY;
	return true;
}

/* Rule 1. */
static void processes(struct link *l)
{
	uint32_t tasks = 0;
	for (uint32_t i = 0; i < l->pids->n; i++)
		tasks += l->pids->list[i].tasks;
	for (uint32_t i = 0; i < l->pids->n; i++) {
		const struct pid *p = &l->pids->list[i];
		if (tasks ? p->tasks : p->ranges)
			l->host[i] = process_add(l, i, p->rank);
	}
}

/* The only process of a rank; NOBODY where there are none or several. Where
 * no rank is told, the only process there is. */
static uint16_t only_of(const struct link *l, int32_t rank, uint32_t real)
{
	uint16_t found = NOBODY;
	for (uint32_t i = 0; i < real; i++) {
		int32_t its = l->trace->processes[i].rank;
		if (rank >= 0 && its >= 0 && its != rank)
			continue;
		if (found != NOBODY)
			return NOBODY;
		found = (uint16_t)i;
	}
	return found;
}

/* The process without a pid of a rank, made where there is none yet. */
static uint16_t nameless(struct link *l, int32_t rank, uint32_t real)
{
	for (uint32_t i = real; i < l->trace->processes_n; i++)
		if (l->owner[i] == NAMES_NONE &&
			l->trace->processes[i].rank == rank)
			return (uint16_t)i;
	return process_add(l, NAMES_NONE, rank);
}

/* Rules 2, 3 and 5 for ranges alone. */
static void ranges(struct link *l, uint32_t real)
{
	for (uint32_t i = 0; i < l->pids->n; i++) {
		const struct pid *p = &l->pids->list[i];
		if (l->host[i] != NOBODY || !p->ranges)
			continue;
		l->host[i] = only_of(l, p->rank, real);
		if (l->host[i] == NOBODY)
			l->host[i] = process_add(l, i, p->rank);
	}
}

/* Rules 2 to 5 for GPU events. */
static bool gpus(struct link *l, uint32_t real)
{
	bool vote = false;
	for (uint32_t i = 0; i < l->pids->n; i++) {
		const struct pid *p = &l->pids->list[i];
		if (p->gpu)
			l->gpu[i] = only_of(l, p->rank, real);
		vote |= p->gpu && l->gpu[i] == NOBODY;
	}
	if (vote && real && !votes_count(l->trace, l->host, l->pids->n, l->gpu))
		return false;
	for (uint32_t i = 0; i < l->pids->n; i++) {
		const struct pid *p = &l->pids->list[i];
		if (!p->gpu || l->gpu[i] != NOBODY)
			continue;
		l->gpu[i] = nameless(l, p->rank, real);
		note_add(&l->trace->notes, NOTE_no_process, p->gpu, NULL, 0);
	}
	return true;
}

static void apply(const struct link *l)
{
	struct trace *t = l->trace;
	for (uint32_t i = 0; i < t->kernel.n; i++)
		t->kernel.process[i] = l->gpu[t->kernel.process[i]];
	for (uint32_t i = 0; i < t->copy.n; i++)
		t->copy.process[i] = l->gpu[t->copy.process[i]];
	for (uint32_t i = 0; i < t->call.n; i++)
		t->call.process[i] = l->host[t->call.process[i]];
	for (uint32_t i = 0; i < t->op.n; i++)
		t->op.process[i] = l->host[t->op.process[i]];
	for (uint32_t i = 0; i < t->range.n; i++) {
		bool on_gpu = t->range.kind[i] == RANGE_GPU_ANNOTATION;
		t->range.process[i] =
			(on_gpu ? l->gpu : l->host)[t->range.process[i]];
	}
}

/* A sample taken under a GPU's pid is of that device; else the host's. */
static void counters(const struct link *l)
{
	struct counter_rows *c = &l->trace->counter;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct pid *p = &l->pids->list[c->process[i]];
		bool on_gpu = p->gpu && !p->tasks;
		int64_t number = p->raw >= 0 ? p->raw : p->number;
		uint16_t of = (on_gpu ? l->gpu : l->host)[c->process[i]];
		c->process[i] = of == NOBODY ? 0 : of;
		if (on_gpu && c->device[i] < 0 && number <= INT32_MAX)
			c->device[i] = (int32_t)number;
	}
}

static void release(struct link *l)
{
	arena_drop(l->trace->arena, l->host);
	arena_drop(l->trace->arena, l->gpu);
	arena_drop(l->trace->arena, l->owner);
}

bool link_processes(struct trace *t, const struct pids *ps)
{
	struct link l = { .trace = t, .pids = ps };
	bool ok = init(&l);
	if (ok) {
		processes(&l);
		uint32_t real = t->processes_n;
		ranges(&l, real);
		ok = gpus(&l, real);
	}
	if (ok) {
		if (t->processes_n == 0)
			process_add(&l, NAMES_NONE, -1);
		if (t->processes_n > 1)
			note_add(&t->notes, NOTE_fused, t->processes_n, NULL,
				0);
		apply(&l);
		counters(&l);
	}
	release(&l);
	return ok;
}
