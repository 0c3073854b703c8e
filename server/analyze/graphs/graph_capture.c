/* graph_capture.c - finds the launches that stream captures recorded, and
 * learns graphs from them.
 *
 * A learned graph lists the kernels of a capture in order, with their operators
 * and shapes. Its key is a SHA-256 hash over the kernels' names. Each name is
 * hashed with its NUL, so that two different lists of names never give the same
 * bytes. */
#include "graph_capture.h"
#include "correlation.h"
#include "sha256.h"
#include <stdlib.h>
#include <string.h>

static int graph_capture_key_by_text(const void *left, const void *right,
	void *texts)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a == b ? 0 : strcmp(names_text(texts, a), names_text(texts, b));
}

static void graph_capture_key_add(struct sha256 *s, const char *text)
{
	sha256_add(s, text ? text : "", strlen(text ? text : "") + 1);
}

void graph_capture_key(const struct names *texts, uint32_t *names, uint32_t n,
	uint8_t key[32])
{
	struct sha256 s;

	qsort_r(names, n, sizeof *names, graph_capture_key_by_text,
		(void *)texts);
	sha256_init(&s);
	for (uint32_t i = 0; i < n; i++)
		graph_capture_key_add(&s, names_text(texts, names[i]));
	sha256_end(&s, key);
}

/* Computes a hash over all fields of the nodes. */
static void graph_capture_content(const struct graph_node_known *nodes,
	uint32_t n, uint8_t content[32])
{
	struct sha256 s;

	sha256_init(&s);
	for (uint32_t i = 0; i < n; i++) {
		graph_capture_key_add(&s, nodes[i].kernel);
		graph_capture_key_add(&s, nodes[i].op);
		graph_capture_key_add(&s, nodes[i].shape);
		graph_capture_key_add(&s, dtype_word(nodes[i].dtype));
		sha256_add(&s, &nodes[i].call, sizeof nodes[i].call);
	}
	sha256_end(&s, content);
}

int graph_capture_compare(const struct graph_known *a,
	const struct graph_known *b)
{
	int key = memcmp(a->key, b->key, sizeof a->key);

	return key ? key : memcmp(a->content, b->content, sizeof a->content);
}

enum { OPEN_MOST = 64, NONE = UINT32_MAX };

enum graph_capture_call {
	OTHER,
	NOT_LOOKED_UP = OTHER,
	BEGIN,
	END,
	REPLAY,
	LAUNCH,
	NOTHING
};

/* When the last API call of each kind on a thread ended. A runtime call
 * contains a driver call that does the same; the driver call is ignored. */
struct graph_capture_thread {
	int64_t begun_ns, ended_ns, launched_ns; /* by kind of call */
};

struct graph_captures {
	uint32_t *call; /* rows of calls, ascending */
	uint32_t *of; /* parallel: its capture, from 0 in order of begin */
	uint32_t calls_n, n;
};

struct graph_capture_sweep {
	const struct trace *t;
	const struct process *proc;
	uint8_t *what; /* by name of the trace */
	struct graph_capture_thread *threads; /* by id of the thread's text */
	bool *ran; /* by call of the process: whether it launched a kernel */
	uint32_t
		*capture; /* by call of the process: its capture's number + 1 */
	bool *whole; /* by capture: whether it is complete so far */
	uint32_t captures;
	struct open {
		uint32_t thread, capture;
	} open[OPEN_MOST];
	uint32_t open_n;
};

static enum graph_capture_call graph_capture_kind(const char *name)
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

static enum graph_capture_call graph_capture_kind_of(struct graph_capture_sweep
							     *s,
	uint32_t call)
{
	uint32_t name = s->t->call.name[call];

	if (s->what[name] == NOT_LOOKED_UP)
		s->what[name] = (uint8_t)graph_capture_kind(
			names_text(&s->t->names, name));
	return s->t->call.kernel[call] ? LAUNCH : s->what[name];
}

/* The index of a thread's capture in s->open, or NONE. */
static uint32_t graph_capture_open_on(const struct graph_capture_sweep *s,
	uint32_t thread)
{
	for (uint32_t i = 0; i < s->open_n; i++)
		if (s->open[i].thread == thread)
			return i;
	return NONE;
}

static void graph_capture_close(struct graph_capture_sweep *s, uint32_t place,
	bool whole)
{
	if (!whole)
		s->whole[s->open[place].capture] = false;
	s->open[place] = s->open[--s->open_n];
}

/* Opens a capture. If the thread has an open capture already, the end of that
 * one is missing in the trace. */
static void graph_capture_begin(struct graph_capture_sweep *s, uint32_t thread)
{
	uint32_t place = graph_capture_open_on(s, thread);

	if (place != NONE)
		graph_capture_close(s, place, false);
	if (s->open_n == OPEN_MOST)
		return;
	s->whole[s->captures] = true;
	s->open[s->open_n++] = (struct open){ thread, s->captures++ };
}

/* Closes a capture. In relaxed mode another thread than the one that began the
 * capture may end it. */
static void graph_capture_end(struct graph_capture_sweep *s, uint32_t thread)
{
	uint32_t place = graph_capture_open_on(s, thread);

	if (place == NONE && s->open_n == 1)
		place = 0;
	if (place != NONE)
		graph_capture_close(s, place, true);
}

static void graph_capture_launch(struct graph_capture_sweep *s, uint32_t call)
{
	uint32_t i = call - s->proc->call.from;
	uint32_t place = graph_capture_open_on(s, s->t->call.thread[call]);

	if (s->ran[i])
		return;
	if (place == NONE && s->open_n == 1)
		place = 0;
	if (place == NONE) {
		/* The launch may belong to any of the open captures. */
		for (uint32_t j = 0; j < s->open_n; j++)
			s->whole[s->open[j].capture] = false;
		return;
	}
	uint32_t capture = s->open[place].capture;
	s->capture[i] = capture + 1;
	if (!s->t->call.kernel[call])
		s->whole[capture] = false;
}

static void graph_capture_replay(struct graph_capture_sweep *s, uint32_t thread)
{
	uint32_t place = graph_capture_open_on(s, thread);

	if (place != NONE)
		s->whole[s->open[place].capture] = false;
}

/* Whether a call is within the last call of its kind. If it is not, it becomes
 * the last call: *last_ns is set to its end. */
static bool graph_capture_within(int64_t *last_ns, int64_t start_ns,
	int64_t end_ns)
{
	if (start_ns < *last_ns)
		return true;
	*last_ns = end_ns;
	return false;
}

static void graph_capture_call_add(struct graph_capture_sweep *s, uint32_t call)
{
	const struct call_rows *c = &s->t->call;
	uint32_t thread = c->thread[call];
	struct graph_capture_thread *on = &s->threads[thread];
	int64_t from_ns = c->start_ns[call];
	int64_t to_ns = from_ns + c->dur_ns[call];

	switch (graph_capture_kind_of(s, call)) {
	case BEGIN:
		if (!graph_capture_within(&on->begun_ns, from_ns, to_ns))
			graph_capture_begin(s, thread);
		break;
	case END:
		if (!graph_capture_within(&on->ended_ns, from_ns, to_ns))
			graph_capture_end(s, thread);
		break;
	case REPLAY:
		graph_capture_replay(s, thread);
		break;
	case LAUNCH:
		if (s->open_n &&
			!graph_capture_within(&on->launched_ns, from_ns, to_ns))
			graph_capture_launch(s, call);
		break;
	default:
		break;
	}
}

static uint32_t graph_capture_begins(struct graph_capture_sweep *s)
{
	uint32_t n = 0;
	for (uint32_t i = s->proc->call.from; i < s->proc->call.to; i++)
		n += graph_capture_kind_of(s, i) == BEGIN;
	return n;
}

static bool graph_capture_init(struct graph_capture_sweep *s, struct arena *a)
{
	size_t calls = (size_t)(s->proc->call.to - s->proc->call.from) + 1;
	size_t names = s->t->names.n;

	s->threads = arena_grow(a, NULL, names * sizeof *s->threads);
	s->ran = arena_grow(a, NULL, calls * sizeof *s->ran);
	s->capture = arena_grow(a, NULL, calls * sizeof *s->capture);
	return s->threads && s->ran && s->capture;
}

/* Collects the calls of complete captures, and numbers these captures from
 * 0. */
static bool graph_capture_gather(struct graph_capture_sweep *s, struct arena *a,
	struct graph_captures *out)
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

static bool graph_capture_find(struct graph_capture_sweep *s,
	const uint32_t *call_of, struct arena *a, struct graph_captures *out)
{
	const struct process *proc = s->proc;

	for (uint32_t i = 0; i < proc->kernel.to - proc->kernel.from; i++)
		if (call_of[i] != CORRELATION_NONE)
			s->ran[call_of[i] - proc->call.from] = true;
	for (uint32_t i = proc->call.from; i < proc->call.to; i++)
		graph_capture_call_add(s, i);
	while (s->open_n)
		graph_capture_close(s, 0, false);
	return graph_capture_gather(s, a, out);
}

static bool graph_capture_find_calls(const struct trace *t,
	const struct process *proc, const uint32_t *call_of, struct arena *a,
	struct graph_captures *out)
{
	struct graph_capture_sweep s = { .t = t, .proc = proc };

	*out = (struct graph_captures){ 0 };
	s.what = arena_grow(a, NULL, t->names.n);
	if (!s.what)
		return false;
	uint32_t n = graph_capture_begins(&s);
	bool ok = true;
	if (n) {
		s.whole = arena_grow(a, NULL, n * sizeof *s.whole);
		ok = s.whole && graph_capture_init(&s, a) &&
		     graph_capture_find(&s, call_of, a, out);
	}
	arena_drop(a, s.what);
	arena_drop(a, s.whole);
	arena_drop(a, s.threads);
	arena_drop(a, s.ran);
	arena_drop(a, s.capture);
	return ok;
}

struct graph_capture_learner {
	const struct attribution *x;
	struct arena *arena;
	struct names shapes; /* pointers to shapes, as bytes */
	const char **texts; /* texts of the shapes, by id */
	uint32_t texts_cap;
	/* The current capture. */
	struct graph_node_known *nodes;
	uint32_t *names;
	uint32_t n, calls, capture;
	/* By operator call of the attribution: the last capture that contains
	 * it, from 1, and its number in that capture. */
	uint32_t *call_in, *call_is;
	struct names seen; /* keys and contents */
	struct graph_known *graphs;
	uint32_t graphs_n, graphs_cap;
};

/* The text of a shape. Launches with the same shape share one text. NULL if the
 * arena is full. */
static const char *graph_capture_text(struct graph_capture_learner *l,
	const struct shape *s)
{
	uint32_t known = l->shapes.n;
	uint32_t id = names_put(&l->shapes, (const char *)&s, sizeof s);

	if (id == NAMES_NONE)
		return NULL;
	if (id >= l->texts_cap) {
		uint32_t cap = id * 2 + 64;
		void *grown = arena_grow(l->arena, l->texts,
			(size_t)cap * sizeof *l->texts);
		if (!grown)
			return NULL;
		l->texts = grown;
		l->texts_cap = cap;
	}
	if (id == known)
		l->texts[id] = shape_text(s, l->x->arena);
	return l->texts[id];
}

/* Numbers the operator calls of a capture from 0, in order of occurrence. A
 * launch whose operator call is unknown gets a number of its own. */
static uint32_t graph_capture_call_number(struct graph_capture_learner *l,
	uint32_t call)
{
	if (call == LAUNCH_NO_CALL)
		return l->calls++;
	if (l->call_in[call] != l->capture) {
		l->call_in[call] = l->capture;
		l->call_is[call] = l->calls++;
	}
	return l->call_is[call];
}

static bool graph_capture_node(struct graph_capture_learner *l, uint32_t i)
{
	const struct attribution *x = l->x;
	const struct attributed *is = &x->of_captured[i];
	uint32_t name = x->trace->call.kernel[x->captured[i]];
	const char *kernel = names_text(&x->trace->names, name);

	if (graph_capture_is_runtime_kernel(kernel))
		return true;
	struct graph_node_known *to = &l->nodes[l->n];
	*to = (struct graph_node_known){
		.kernel = kernel,
		.call = graph_capture_call_number(l,
			is->op ? is->call : LAUNCH_NO_CALL),
	};
	l->names[l->n++] = name;
	if (is->op)
		to->op = is->op->name;
	if (!is->op || !is->sizes)
		return true;
	to->dtype = is->sizes->dtype;
	return (to->shape = graph_capture_text(l, is->sizes));
}

/* Stores the capture's nodes as a graph, unless an equal graph is stored
 * already. */
static bool graph_capture_keep(struct graph_capture_learner *l)
{
	struct arena *a = l->x->arena;
	struct graph_known g = { .n = l->n };
	uint32_t known = l->seen.n;
	uint8_t both[64];

	if (l->n == 0)
		return true;
	graph_capture_key(&l->x->trace->names, l->names, l->n, g.key);
	graph_capture_content(l->nodes, l->n, g.content);
	memcpy(both, g.key, 32);
	memcpy(both + 32, g.content, 32);
	uint32_t id = names_put(&l->seen, (const char *)both, sizeof both);
	if (id != known)
		return id != NAMES_NONE;
	struct graph_node_known *nodes =
		arena_array(a, struct graph_node_known, l->n);
	if (!nodes)
		return false;
	memcpy(nodes, l->nodes, l->n * sizeof *nodes);
	g.nodes = nodes;
	if (l->graphs_n == l->graphs_cap) {
		uint32_t cap = l->graphs_cap * 2 + 16;
		void *grown = arena_grow(a, l->graphs, cap * sizeof *l->graphs);
		if (!grown)
			return false;
		l->graphs = grown;
		l->graphs_cap = cap;
	}
	l->graphs[l->graphs_n++] = g;
	return true;
}

static int graph_capture_by_key(const void *left, const void *right)
{
	return graph_capture_compare(left, right);
}

/* Lists the indices of captured launches, capture by capture, each capture's in
 * order. */
static void graph_capture_assign(const struct attribution *x, uint32_t *from,
	uint32_t *places)
{
	for (uint32_t i = 0; i < x->captured_n; i++)
		from[x->capture_of[i] + 2]++;
	for (uint32_t i = 1; i < x->captures_n; i++)
		from[i + 1] += from[i];
	for (uint32_t i = 0; i < x->captured_n; i++)
		places[from[x->capture_of[i] + 1]++] = i;
}

static bool graph_capture_learner_init(struct graph_capture_learner *l)
{
	struct arena *a = l->arena;
	size_t launches = (size_t)l->x->captured_n + 1;
	size_t calls = (size_t)l->x->calls + 1;

	l->nodes = arena_grow(a, NULL, launches * sizeof *l->nodes);
	l->names = arena_grow(a, NULL, launches * sizeof *l->names);
	l->call_in = arena_grow(a, NULL, calls * sizeof *l->call_in);
	l->call_is = arena_grow(a, NULL, calls * sizeof *l->call_is);
	return l->nodes && l->names && l->call_in && l->call_is &&
	       names_init(&l->shapes, a) && names_init(&l->seen, a);
}

static bool graph_capture_learn_all(struct graph_capture_learner *l)
{
	const struct attribution *x = l->x;
	uint32_t *from = arena_grow(l->arena, NULL,
		((size_t)x->captures_n + 2) * sizeof *from);
	uint32_t *places = arena_grow(l->arena, NULL,
		((size_t)x->captured_n + 1) * sizeof *places);

	if (!from || !places || !graph_capture_learner_init(l))
		return false;
	graph_capture_assign(x, from, places);
	for (uint32_t i = 0; i < x->captures_n; i++) {
		l->n = l->calls = 0;
		l->capture = i + 1;
		for (uint32_t j = from[i]; j < from[i + 1]; j++)
			if (!graph_capture_node(l, places[j]))
				return false;
		if (!graph_capture_keep(l))
			return false;
	}
	return true;
}

bool graph_capture_learn(const struct attribution *x)
{
	struct operators *to = &x->profile->operators;
	struct arena scratch = arena_scratch(x->arena);
	struct graph_capture_learner l = { .x = x, .arena = &scratch };

	bool ok = graph_capture_learn_all(&l);
	if (ok && l.graphs_n)
		qsort(l.graphs, l.graphs_n, sizeof *l.graphs,
			graph_capture_by_key);
	to->learned = l.graphs;
	to->learned_n = l.graphs_n;
	arena_scratch_release(&scratch, x->arena);
	return ok;
}

bool graph_captures_find(struct attribution *x)
{
	struct graph_captures c;

	if (!graph_capture_find_calls(x->trace, x->proc, x->call_of, x->arena,
		    &c))
		return false;
	x->captured = c.call;
	x->capture_of = c.of;
	x->captured_n = c.calls_n;
	x->captures_n = c.n;
	x->of_captured = arena_grow(x->arena, NULL,
		((size_t)c.calls_n + 1) * sizeof *x->of_captured);
	for (uint32_t i = 0; x->of_captured && i < c.calls_n; i++)
		x->of_captured[i] = (struct attributed){ .known = KNOWN_NOT,
			.call = LAUNCH_NO_CALL };
	return x->of_captured;
}
