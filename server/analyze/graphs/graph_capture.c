/* graph_capture.c - one pass over the calls with the captures that are open,
 * and one that gathers what belongs to whole ones. */
#include "graph_capture.h"
#include "correlation.h"
#include <string.h>

enum { OPEN_MOST = 64, NONE = UINT32_MAX };

enum what { OTHER, UNASKED = OTHER, BEGIN, END, REPLAY, LAUNCH, NOTHING };

/* What was the last of its kind on a thread: calls of the driver lie within
 * those of the runtime, and tell the same again. */
struct thread {
	int64_t begun_ns, ended_ns, launched_ns; /* ends of the calls */
};

struct sweep {
	const struct trace *t;
	const struct process *proc;
	uint8_t *what; /* by name of the trace */
	struct thread *threads; /* by id of the thread's text */
	bool *ran; /* by call of the process: a kernel came of it */
	uint32_t *capture; /* likewise: number + 1 */
	bool *whole; /* by capture */
	uint32_t captures;
	struct open {
		uint32_t thread, capture;
	} open[OPEN_MOST];
	uint32_t open_n;
};

static enum what what_of(const char *name)
{
	if (strstr(name, "StreamBeginCapture"))
		return BEGIN;
	if (strstr(name, "StreamEndCapture"))
		return END;
	if (strstr(name, "GraphLaunch"))
		return REPLAY;
	if (strstr(name, "Launch") && strstr(name, "Kernel"))
		return LAUNCH;
	return NOTHING;
}

static enum what asked(struct sweep *s, uint32_t call)
{
	uint32_t name = s->t->call.name[call];

	if (s->what[name] == UNASKED)
		s->what[name] =
			(uint8_t)what_of(names_text(&s->t->names, name));
	return s->t->call.kernel[call] ? LAUNCH : s->what[name];
}

/* The place of a thread's capture in s->open, or NONE. */
static uint32_t open_on(const struct sweep *s, uint32_t thread)
{
	for (uint32_t i = 0; i < s->open_n; i++)
		if (s->open[i].thread == thread)
			return i;
	return NONE;
}

static void close(struct sweep *s, uint32_t place, bool whole)
{
	if (!whole)
		s->whole[s->open[place].capture] = false;
	s->open[place] = s->open[--s->open_n];
}

/* A thread that begins again has lost the end of what it had begun. */
static void begin(struct sweep *s, uint32_t thread)
{
	uint32_t place = open_on(s, thread);

	if (place != NONE)
		close(s, place, false);
	if (s->open_n == OPEN_MOST)
		return;
	s->whole[s->captures] = true;
	s->open[s->open_n++] = (struct open){ thread, s->captures++ };
}

/* Relaxed captures may be ended by another thread than began them. */
static void end(struct sweep *s, uint32_t thread)
{
	uint32_t place = open_on(s, thread);

	if (place == NONE && s->open_n == 1)
		place = 0;
	if (place != NONE)
		close(s, place, true);
}

static void launch(struct sweep *s, uint32_t call)
{
	uint32_t i = call - s->proc->call.from;
	uint32_t place = open_on(s, s->t->call.thread[call]);

	if (s->ran[i])
		return;
	if (place == NONE && s->open_n == 1)
		place = 0;
	if (place == NONE) {
		/* Of which of several nobody can tell. */
		for (uint32_t j = 0; j < s->open_n; j++)
			s->whole[s->open[j].capture] = false;
		return;
	}
	uint32_t capture = s->open[place].capture;
	s->capture[i] = capture + 1;
	if (!s->t->call.kernel[call])
		s->whole[capture] = false;
}

static void replay(struct sweep *s, uint32_t thread)
{
	uint32_t place = open_on(s, thread);

	if (place != NONE)
		s->whole[s->open[place].capture] = false;
}

/* Whether a call lies in an earlier one of its kind; else it is the one that
 * later ones may lie in. */
static bool within(int64_t *last_ns, int64_t start_ns, int64_t end_ns)
{
	if (start_ns < *last_ns)
		return true;
	*last_ns = end_ns;
	return false;
}

static void step(struct sweep *s, uint32_t call)
{
	const struct call_rows *c = &s->t->call;
	uint32_t thread = c->thread[call];
	struct thread *on = &s->threads[thread];
	int64_t from_ns = c->start_ns[call];
	int64_t to_ns = from_ns + c->dur_ns[call];

	switch (asked(s, call)) {
	case BEGIN:
		if (!within(&on->begun_ns, from_ns, to_ns))
			begin(s, thread);
		break;
	case END:
		if (!within(&on->ended_ns, from_ns, to_ns))
			end(s, thread);
		break;
	case REPLAY:
		replay(s, thread);
		break;
	case LAUNCH:
		if (s->open_n && !within(&on->launched_ns, from_ns, to_ns))
			launch(s, call);
		break;
	default:
		break;
	}
}

static uint32_t begins(struct sweep *s)
{
	uint32_t n = 0;
	for (uint32_t i = s->proc->call.from; i < s->proc->call.to; i++)
		n += asked(s, i) == BEGIN;
	return n;
}

static bool init(struct sweep *s, struct arena *a)
{
	size_t calls = (size_t)(s->proc->call.to - s->proc->call.from) + 1;
	size_t names = s->t->names.n;

	s->threads = arena_grow(a, NULL, names * sizeof *s->threads);
	s->ran = arena_grow(a, NULL, calls * sizeof *s->ran);
	s->capture = arena_grow(a, NULL, calls * sizeof *s->capture);
	return s->threads && s->ran && s->capture;
}

/* The calls of whole captures, which are numbered anew. */
static bool gather(struct sweep *s, struct arena *a, struct graph_captures *out)
{
	uint32_t calls = s->proc->call.to - s->proc->call.from, n = 0;
	uint32_t *number =
		arena_grow(a, NULL, ((size_t)s->captures + 1) * sizeof *number);

	if (!number)
		return false;
	for (uint32_t i = 0; i < calls; i++)
		n += s->capture[i] && s->whole[s->capture[i] - 1];
	out->call = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *out->call);
	out->of = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *out->of);
	if (!out->call || !out->of)
		return false;
	for (uint32_t i = 0; i < s->captures; i++)
		number[i] = s->whole[i] ? out->n++ : NONE;
	for (uint32_t i = 0; i < calls; i++) {
		if (!s->capture[i] || !s->whole[s->capture[i] - 1])
			continue;
		out->call[out->calls_n] = s->proc->call.from + i;
		out->of[out->calls_n++] = number[s->capture[i] - 1];
	}
	arena_drop(a, number);
	return true;
}

static bool find(struct sweep *s, const uint32_t *call_of, struct arena *a,
	struct graph_captures *out)
{
	const struct process *proc = s->proc;

	for (uint32_t i = 0; i < proc->kernel.to - proc->kernel.from; i++)
		if (call_of[i] != CORRELATION_NONE)
			s->ran[call_of[i] - proc->call.from] = true;
	for (uint32_t i = proc->call.from; i < proc->call.to; i++)
		step(s, i);
	while (s->open_n)
		close(s, 0, false);
	return gather(s, a, out);
}

bool graph_captures_find(const struct trace *t, const struct process *proc,
	const uint32_t *call_of, struct arena *a, struct graph_captures *out)
{
	struct sweep s = { .t = t, .proc = proc };

	*out = (struct graph_captures){ 0 };
	s.what = arena_grow(a, NULL, t->names.n);
	if (!s.what)
		return false;
	uint32_t n = begins(&s);
	bool ok = true;
	if (n) {
		s.whole = arena_grow(a, NULL, n * sizeof *s.whole);
		ok = s.whole && init(&s, a) && find(&s, call_of, a, out);
	}
	arena_drop(a, s.what);
	arena_drop(a, s.whole);
	arena_drop(a, s.threads);
	arena_drop(a, s.ran);
	arena_drop(a, s.capture);
	return ok;
}

void graph_captures_release(struct graph_captures *c, struct arena *a)
{
	arena_drop(a, c->call);
	arena_drop(a, c->of);
	*c = (struct graph_captures){ 0 };
}
