/* pattern_split.c - one sweep over the edges of all spans and cycles. */
#include "pattern_split.h"
#include "catalog.h"
#include "spans.h"
#include "sync_call.h"
#include <assert.h>

/* What a moment counts for: the first of these that is under way. */
enum part { COMPUTE, COMM, COPY, PARTS };

struct sweep {
	struct spans part[PARTS], sync;
	int64_t first_ns; /* cycles count from here */
};

/* Of `len` nanoseconds from `at`, which all parts spend alike, who has them. */
static void count(const struct sweep *s, struct cycle *c, int64_t at,
	int64_t len)
{
	int64_t *const to[] = { &c->compute_ns, &c->comm_ns, &c->copy_ns };
	for (int i = 0; i < PARTS; i++)
		if (s->part[i].start_ns <= at) {
			*to[i] += len;
			return;
		}
	c->idle_ns += len;
}

/* Lets go of what ended by `at`; the first edge behind it, at most `end`. */
static int64_t edge(struct spans *s, int64_t at, int64_t end)
{
	while (s->end_ns <= at && spans_next(s)) {
	}
	int64_t next = s->start_ns > at ? s->start_ns : s->end_ns;
	return next < end ? next : end;
}

static void split(struct sweep *s, struct cycle *c)
{
	int64_t at = s->first_ns + c->start_ns, end = at + c->dur_ns;

	c->compute_ns = c->comm_ns = c->copy_ns = c->idle_ns = 0;
	while (at < end) {
		int64_t next = end;
		for (int i = 0; i < PARTS; i++)
			next = edge(&s->part[i], at, next);
		count(s, c, at, next - at);
		at = next;
	}
	assert(c->compute_ns + c->comm_ns + c->copy_ns + c->idle_ns ==
		c->dur_ns);
}

static void wait(struct sweep *s, struct cycle *c)
{
	int64_t at = s->first_ns + c->start_ns, end = at + c->dur_ns;

	c->sync_ns = 0;
	while (at < end) {
		int64_t next = edge(&s->sync, at, end);
		if (s->sync.start_ns <= at)
			c->sync_ns += next - at;
		at = next;
	}
}

static struct span_rows rows_of(const int64_t *start_ns, const int64_t *dur_ns,
	struct slice rows)
{
	return (struct span_rows){ .start_ns = start_ns,
		.dur_ns = dur_ns,
		.from = rows.from,
		.to = rows.to };
}

/* Whether each kernel of the run is a collective. */
static bool *collectives_of(const struct profile *p)
{
	bool *is = arena_grow(p->arena, NULL, (size_t)p->kernels_n + 1);
	for (uint32_t i = 0; is && i < p->kernels_n; i++)
		is[i] = family_is_collective(p->kernels[i].source.family);
	return is;
}

/* By id of a name of the trace, whether it is a call in which the host waits. */
static bool *syncs_of(const struct trace *t, struct arena *a)
{
	uint32_t *sync = sync_calls_of(t, a);
	bool *is = sync ? arena_grow(a, NULL, t->names.n) : NULL;
	for (uint32_t i = 0; is && i < t->names.n; i++)
		is[i] = sync[i] != NAMES_NONE;
	arena_drop(a, sync);
	return is;
}

static void sweep_start(struct sweep *s, const struct trace *t,
	const struct process *proc, const uint32_t *kernel_of,
	const bool *collective, const bool *sync)
{
	struct span_rows kernels =
		rows_of(t->kernel.start_ns, t->kernel.dur_ns, proc->kernel);
	kernels.of = kernel_of;
	kernels.which = collective;
	s->part[COMPUTE].rows[0] = kernels;
	s->part[COMPUTE].rows[1] =
		rows_of(t->graph.start_ns, t->graph.dur_ns, proc->graph);
	kernels.wanted = true;
	s->part[COMM].rows[0] = kernels;
	s->part[COPY].rows[0] =
		rows_of(t->copy.start_ns, t->copy.dur_ns, proc->copy);
	s->sync.rows[0] = rows_of(t->call.start_ns, t->call.dur_ns, proc->call);
	s->sync.rows[0].of = t->call.n ? t->call.name + proc->call.from : NULL;
	s->sync.rows[0].which = sync;
	s->sync.rows[0].wanted = true;
	for (int i = 0; i < PARTS; i++)
		spans_start(&s->part[i]);
	spans_start(&s->sync);
	s->first_ns = trace_first_ns(t, proc);
}

bool pattern_split(const struct trace *t, const struct process *proc,
	const uint32_t *kernel_of, struct profile *p)
{
	struct sweep s = { 0 };
	bool *collective = collectives_of(p), *sync = syncs_of(t, p->arena);
	bool ok = collective && sync;
	bool calls = proc->call.from < proc->call.to;
	int64_t end_ns = INT64_MIN;

	if (ok)
		sweep_start(&s, t, proc, kernel_of, collective, sync);
	for (uint32_t i = 0; ok && i < p->cycles.n; i++) {
		struct cycle *c = &p->cycles.cycles[i];
		assert(c->dur_ns >= 0 && c->start_ns >= end_ns);
		end_ns = c->start_ns + c->dur_ns;
		split(&s, c);
		if (calls)
			wait(&s, c);
		else
			c->sync_ns = -1;
	}
	arena_drop(p->arena, collective);
	arena_drop(p->arena, sync);
	return ok;
}
