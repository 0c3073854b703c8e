/* link.c - joins calls, launches and kernels of a Kineto trace */
#include "link.h"
#include "trace.h"

/* correlation → process, then a majority per GPU pid (Boyer and
 * Moore: one candidate each, counted again). */

enum { NOBODY = UINT16_MAX, SEVERAL = UINT16_MAX - 1 };

struct launcher {
	int64_t correlation;
	uint16_t process;
	bool used;
};

struct tally {
	uint16_t candidate;
	int64_t lead, votes, total;
};

struct votes {
	struct trace *trace;
	struct launcher *slots;
	size_t mask;
	struct tally *tallies;
};

static struct launcher *votes_slot(const struct votes *v, int64_t correlation)
{
	size_t i = (size_t)((uint64_t)correlation * 0x9E3779B97F4A7C15u >> 20);
	for (;; i++) {
		struct launcher *l = &v->slots[i & v->mask];
		if (!l->used || l->correlation == correlation)
			return l;
	}
}

static bool votes_launchers(struct votes *v, const uint16_t *host)
{
	const struct call_rows *c = &v->trace->call;
	size_t cap = 1024;
	while (cap < (size_t)c->n * 2)
		cap *= 2;
	v->mask = cap - 1;
	v->slots = arena_grow(v->trace->arena, NULL, cap * sizeof *v->slots);
	if (!v->slots)
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		uint16_t process = host[c->process[i]];
		struct launcher *l = votes_slot(v, c->correlation[i]);
		if (c->correlation[i] <= 0)
			continue;
		if (!l->used)
			*l = (struct launcher){ c->correlation[i], process,
				true };
		else if (l->process != process)
			l->process = SEVERAL;
	}
	return true;
}

/* One GPU event casts its vote: first to find a candidate, then to count. */
static void votes_cast(struct votes *v, uint16_t pid, int64_t correlation,
	bool count)
{
	struct tally *t = &v->tallies[pid];
	const struct launcher *l = votes_slot(v, correlation);
	if (!l->used || l->process == SEVERAL)
		return;
	if (count) {
		t->total++;
		t->votes += l->process == t->candidate;
	} else if (t->lead == 0) {
		t->candidate = l->process;
		t->lead = 1;
	} else {
		t->lead += l->process == t->candidate ? 1 : -1;
	}
}

static void votes_round_of(struct votes *v, const uint16_t *gpu, bool count)
{
	const struct kernel_rows *k = &v->trace->kernel;
	const struct copy_rows *c = &v->trace->copy;
	for (uint32_t i = 0; i < k->n; i++)
		if (gpu[k->process[i]] == NOBODY)
			votes_cast(v, k->process[i], k->correlation[i], count);
	for (uint32_t i = 0; i < c->n; i++)
		if (gpu[c->process[i]] == NOBODY)
			votes_cast(v, c->process[i], c->correlation[i], count);
}

/* For each GPU pid without a process (NOBODY, UINT16_MAX, in gpu[]) that of
 * more than half of its launched events, counting those whose correlation
 * occurs in one process only. `host` gives the process of a call's pid. False
 * where the arena is full. */
static bool votes_count(struct trace *t, const uint16_t *host, uint32_t pids,
	uint16_t *gpu)
{
	struct votes v = { .trace = t };
	v.tallies = arena_grow(t->arena, NULL, pids * sizeof *v.tallies);
	bool ok = v.tallies && votes_launchers(&v, host);
	if (ok) {
		votes_round_of(&v, gpu, false);
		votes_round_of(&v, gpu, true);
		for (uint32_t i = 0; i < pids; i++)
			if (v.tallies[i].votes * 2 > v.tallies[i].total)
				gpu[i] = v.tallies[i].candidate;
	}
	arena_drop(t->arena, v.slots);
	arena_drop(t->arena, v.tallies);
	return ok;
}

enum { LINK_NOBODY = UINT16_MAX };

struct link {
	struct trace *trace;
	const struct pids *pids;
	uint16_t *host, *gpu; /* by pid: the process of its rows */
	uint32_t *owner; /* by process: its pid, or NAMES_NONE */
	uint32_t cap;
};

static uint16_t link_process_add(struct link *l, uint32_t pid, int32_t rank)
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

static bool link_init(struct link *l)
{
	struct arena *a = l->trace->arena;
	/* A pid may become two: its host rows and its GPU rows. */
	l->cap = l->pids->n * 2 + 1;
	if (l->cap > LINK_NOBODY)
		l->cap = LINK_NOBODY;
	l->host = arena_grow(a, NULL, l->cap * sizeof *l->host);
	l->gpu = arena_grow(a, NULL, l->cap * sizeof *l->gpu);
	l->owner = arena_grow(a, NULL, l->cap * sizeof *l->owner);
	l->trace->processes =
		arena_grow(a, NULL, l->cap * sizeof *l->trace->processes);
	if (!l->host || !l->gpu || !l->owner || !l->trace->processes)
		return false;
	for (uint32_t i = 0; i < l->pids->n; i++)
		l->host[i] = l->gpu[i] = LINK_NOBODY;
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
			l->host[i] = link_process_add(l, i, p->rank);
	}
}

/* The only process of a rank; NOBODY where there are none or several. Where
 * no rank is told, the only process there is. */
static uint16_t link_only_of(const struct link *l, int32_t rank, uint32_t real)
{
	uint16_t found = LINK_NOBODY;
	for (uint32_t i = 0; i < real; i++) {
		int32_t its = l->trace->processes[i].rank;
		if (rank >= 0 && its >= 0 && its != rank)
			continue;
		if (found != LINK_NOBODY)
			return LINK_NOBODY;
		found = (uint16_t)i;
	}
	return found;
}

/* The process without a pid of a rank, made where there is none yet. */
static uint16_t link_nameless(struct link *l, int32_t rank, uint32_t real)
{
	for (uint32_t i = real; i < l->trace->processes_n; i++)
		if (l->owner[i] == NAMES_NONE &&
			l->trace->processes[i].rank == rank)
			return (uint16_t)i;
	return link_process_add(l, NAMES_NONE, rank);
}

/* Rules 2, 3 and 5 for ranges alone. */
static void link_ranges(struct link *l, uint32_t real)
{
	for (uint32_t i = 0; i < l->pids->n; i++) {
		const struct pid *p = &l->pids->list[i];
		if (l->host[i] != LINK_NOBODY || !p->ranges)
			continue;
		l->host[i] = link_only_of(l, p->rank, real);
		if (l->host[i] == LINK_NOBODY)
			l->host[i] = link_process_add(l, i, p->rank);
	}
}

/* Rules 2 to 5 for GPU events. */
static bool link_gpus(struct link *l, uint32_t real)
{
	bool vote = false;
	for (uint32_t i = 0; i < l->pids->n; i++) {
		const struct pid *p = &l->pids->list[i];
		if (p->gpu)
			l->gpu[i] = link_only_of(l, p->rank, real);
		vote |= p->gpu && l->gpu[i] == LINK_NOBODY;
	}
	if (vote && real && !votes_count(l->trace, l->host, l->pids->n, l->gpu))
		return false;
	for (uint32_t i = 0; i < l->pids->n; i++) {
		const struct pid *p = &l->pids->list[i];
		if (!p->gpu || l->gpu[i] != LINK_NOBODY)
			continue;
		l->gpu[i] = link_nameless(l, p->rank, real);
		note_add(&l->trace->notes, NOTE_no_process, p->gpu, NULL, 0);
	}
	return true;
}

static void link_apply(const struct link *l)
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
static void link_counters(const struct link *l)
{
	struct counter_rows *c = &l->trace->counter;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct pid *p = &l->pids->list[c->process[i]];
		bool on_gpu = p->gpu && !p->tasks;
		int64_t number = p->raw >= 0 ? p->raw : p->number;
		uint16_t of = (on_gpu ? l->gpu : l->host)[c->process[i]];
		c->process[i] = of == LINK_NOBODY ? 0 : of;
		if (on_gpu && c->device[i] < 0 && number <= INT32_MAX)
			c->device[i] = (int32_t)number;
	}
}

static void link_release(struct link *l)
{
	arena_drop(l->trace->arena, l->host);
	arena_drop(l->trace->arena, l->gpu);
	arena_drop(l->trace->arena, l->owner);
}

bool link_processes(struct trace *t, const struct pids *ps)
{
	struct link l = { .trace = t, .pids = ps };
	bool ok = link_init(&l);
	if (ok) {
		processes(&l);
		uint32_t real = t->processes_n;
		link_ranges(&l, real);
		ok = link_gpus(&l, real);
	}
	if (ok) {
		if (t->processes_n == 0)
			link_process_add(&l, NAMES_NONE, -1);
		if (t->processes_n > 1)
			note_add(&t->notes, NOTE_fused, t->processes_n, NULL,
				0);
		link_apply(&l);
		link_counters(&l);
	}
	link_release(&l);
	return ok;
}
