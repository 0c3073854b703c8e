/* votes.c - correlation → process, then a majority per GPU pid (Boyer and
 * Moore: one candidate each, counted again). */
#include "votes.h"

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

static struct launcher *slot(const struct votes *v, int64_t correlation)
{
	size_t i = (size_t)((uint64_t)correlation * 0x9E3779B97F4A7C15u >> 20);
	for (;; i++) {
		struct launcher *l = &v->slots[i & v->mask];
		if (!l->used || l->correlation == correlation)
			return l;
	}
}

static bool launchers(struct votes *v, const uint16_t *host)
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
		struct launcher *l = slot(v, c->correlation[i]);
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
static void cast(struct votes *v, uint16_t pid, int64_t correlation, bool count)
{
	struct tally *t = &v->tallies[pid];
	const struct launcher *l = slot(v, correlation);
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

static void round_of(struct votes *v, const uint16_t *gpu, bool count)
{
	const struct kernel_rows *k = &v->trace->kernel;
	const struct copy_rows *c = &v->trace->copy;
	for (uint32_t i = 0; i < k->n; i++)
		if (gpu[k->process[i]] == NOBODY)
			cast(v, k->process[i], k->correlation[i], count);
	for (uint32_t i = 0; i < c->n; i++)
		if (gpu[c->process[i]] == NOBODY)
			cast(v, c->process[i], c->correlation[i], count);
}

bool votes_count(struct trace *t, const uint16_t *host, uint32_t pids,
	uint16_t *gpu)
{
	struct votes v = { .trace = t };
	v.tallies = arena_grow(t->arena, NULL, pids * sizeof *v.tallies);
	bool ok = v.tallies && launchers(&v, host);
	if (ok) {
		round_of(&v, gpu, false);
		round_of(&v, gpu, true);
		for (uint32_t i = 0; i < pids; i++)
			if (v.tallies[i].votes * 2 > v.tallies[i].total)
				gpu[i] = v.tallies[i].candidate;
	}
	arena_drop(t->arena, v.slots);
	arena_drop(t->arena, v.tallies);
	return ok;
}
