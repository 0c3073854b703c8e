/* strips.c - sorts the records of a process into strips. */
#include "strips.h"
#include "correlation.h"
#include "kernels.h"
#include "profile_word.h"
#include "sort.h"
#include "wait_causes.h"
#include <stdlib.h>
#include <string.h>

enum { STRIPS_NONE = UINT32_MAX };

/* Identifies a strip while records are sorted. Hashed as bytes, so it must
 * contain no padding. */
struct strips_key {
	int64_t stream;
	uint32_t kind, thread, depth;
	int32_t device;
};

/* Identifies the name of a record that is no kernel: its text in the trace. */
struct strips_name_key {
	uint32_t kind, text;
};

struct strips_maker {
	const struct trace *t;
	const struct process *proc;
	struct arena a; /* for temporary data */
	struct arena *to;
	struct strips *out;
	struct names keys; /* of struct strips_key; id = its strip + 1 */
	struct names names; /* of struct strips_name_key; likewise */
	/* by strip: number of its items, and the end of its last item */
	uint32_t *count;
	int64_t *end_ns;
	uint32_t strips_cap;
	/* by row of the process */
	uint32_t *kernel_of, *strip_of[4];
	struct wait_part *parts;
	uint32_t parts_n;
	int64_t first_ns;
	uint32_t kernels_n;
};

/* The kinds of records that have strips, as indices of strip_of. */
enum strips_rows { STRIPS_KERNEL, STRIPS_COPY, STRIPS_GRAPH, STRIPS_RANGE };

/* ---- Strips */

/* The number of a strip, which is added if it is new; STRIPS_NONE if the arena is
 * full. */
static uint32_t strips_find(struct strips_maker *m, const struct strips_key *k)
{
	uint32_t id = names_put(&m->keys, (const char *)k, sizeof *k);

	if (id == NAMES_NONE)
		return STRIPS_NONE;
	if (id > m->strips_cap) {
		uint32_t cap = id * 2 + 16;
		uint32_t *count = arena_grow(&m->a, m->count,
			(size_t)cap * sizeof *count);
		int64_t *end_ns = count ? arena_grow(&m->a, m->end_ns,
						  (size_t)cap * sizeof *end_ns)
					: NULL;
		if (count)
			m->count = count;
		if (!end_ns)
			return STRIPS_NONE;
		m->end_ns = end_ns;
		for (uint32_t i = m->strips_cap; i < cap; i++) {
			m->count[i] = 0;
			m->end_ns[i] = INT64_MIN;
		}
		m->strips_cap = cap;
	}
	return id - 1;
}

static bool strips_count(struct strips_maker *m, const struct strips_key *k,
	uint32_t *strip)
{
	*strip = strips_find(m, k);
	if (*strip != STRIPS_NONE)
		m->count[*strip]++;
	return *strip != STRIPS_NONE;
}

static bool strips_streams(struct strips_maker *m, enum strips_rows rows,
	struct slice of, const int32_t *device, const int64_t *stream)
{
	uint32_t *strip_of = arena_grow(&m->a, NULL,
		((size_t)(of.to - of.from) + 1) * sizeof *strip_of);

	m->strip_of[rows] = strip_of;
	for (uint32_t i = of.from; strip_of && i < of.to; i++) {
		const struct strips_key k = { .kind = STRIP_STREAM,
			.device = device[i],
			.stream = stream[i] };
		if (!strips_count(m, &k, &strip_of[i - of.from]))
			return false;
	}
	return strip_of;
}

/* The strip of a range: the first nesting level of its thread in which no range
 * is open. */
static bool strips_range(struct strips_maker *m, uint32_t row, uint32_t *strip)
{
	const struct range_rows *r = &m->t->range;
	struct strips_key k = { .kind = r->kind[row] == RANGE_GPU_ANNOTATION
						? STRIP_GPU_RANGES
						: STRIP_RANGES,
		.thread = r->thread[row],
		.device = -1,
		.stream = -1 };

	*strip = STRIPS_NONE;
	if (r->kind[row] == RANGE_PYTHON)
		return true;
	for (; k.depth < STRIP_DEPTH_MAX; k.depth++) {
		uint32_t s = strips_find(m, &k);
		if (s == STRIPS_NONE)
			return false;
		if (m->end_ns[s] > r->start_ns[row])
			continue;
		m->end_ns[s] = r->start_ns[row] + r->dur_ns[row];
		m->count[s]++;
		*strip = s;
		return true;
	}
	m->out->deeper++;
	return true;
}

static bool strips_ranges(struct strips_maker *m)
{
	struct slice of = m->proc->range;
	uint32_t *strip_of = arena_grow(&m->a, NULL,
		((size_t)(of.to - of.from) + 1) * sizeof *strip_of);

	m->strip_of[STRIPS_RANGE] = strip_of;
	for (uint32_t i = of.from; strip_of && i < of.to; i++)
		if (!strips_range(m, i, &strip_of[i - of.from]))
			return false;
	return strip_of;
}

/* ---- Names */

static bool strips_kernels(struct strips_maker *m, const struct catalog *f)
{
	struct slice of = m->proc->kernel;
	struct profile p = { .arena = &m->a };
	struct kernel_list list;
	bool ok = true;

	m->kernel_of = arena_grow(&m->a, NULL,
		((size_t)(of.to - of.from) + 1) * sizeof *m->kernel_of);
	if (!m->kernel_of || !kernels_list_init(&list, m->t, f, &p))
		return false;
	for (uint32_t i = of.from; ok && i < of.to; i++)
		ok = kernels_list_find(&list, m->t->kernel.name[i],
			&m->kernel_of[i - of.from]);
	kernels_list_release(&list);
	m->kernels_n = p.kernels_n;
	m->out->names = arena_grow(m->to, NULL,
		((size_t)p.kernels_n + 1) * sizeof *m->out->names);
	ok = ok && m->out->names;
	for (uint32_t i = 0; ok && i < p.kernels_n; i++) {
		const char *text = arena_strdup(m->to, p.kernels[i].name);
		m->out->names[i] =
			(struct strip_name){ text, STRIP_NAME_KERNEL };
		ok = text;
	}
	return ok;
}

/* The index of the name of a record that is no kernel. Names follow those of
 * kernels; STRIPS_NONE if the arena is full. */
static uint32_t strips_name(struct strips_maker *m, enum strip_name_kind kind,
	uint32_t text)
{
	const struct strips_name_key k = { kind, text };
	uint32_t id = names_put(&m->names, (const char *)&k, sizeof k);

	return id == NAMES_NONE ? STRIPS_NONE : m->kernels_n + id - 1;
}

static const char *strips_name_text(const struct strips_maker *m,
	const struct strips_name_key *k, const struct iterations *iterations)
{
	const struct iteration *it;

	if (k->kind == STRIP_NAME_CAUSE)
		return profile_word_wait[k->text];
	if (k->kind != STRIP_NAME_ITERATION && k->kind != STRIP_NAME_EXCLUDED)
		return arena_strdup(m->to, names_text(&m->t->names, k->text));
	it = &iterations->iterations[k->text];
	return it->label ? arena_strdup(m->to, it->label)
			 : arena_printf(m->to, "iteration %lld",
				   (long long)it->number);
}

static bool strips_names(struct strips_maker *m,
	const struct iterations *iterations)
{
	struct strips *out = m->out;
	struct strip_name *grown;

	out->names_n = m->kernels_n + m->names.n - 1;
	grown = arena_grow(m->to, out->names,
		((size_t)out->names_n + 1) * sizeof *grown);
	if (!grown)
		return false;
	out->names = grown;
	for (uint32_t i = m->kernels_n; i < out->names_n; i++) {
		struct strips_name_key k;
		memcpy(&k, names_text(&m->names, i - m->kernels_n + 1),
			sizeof k);
		out->names[i] = (struct strip_name){ strips_name_text(m, &k,
							     iterations),
			(enum strip_name_kind)k.kind };
		if (!out->names[i].text)
			return false;
	}
	return true;
}

/* ---- Items */

static bool strips_allocate(struct strips_maker *m)
{
	struct strips *out = m->out;
	size_t n = 0;

	out->n = m->keys.n - 1;
	out->list = arena_grow(m->to, NULL,
		((size_t)out->n + 1) * sizeof *out->list);
	for (uint32_t i = 0; out->list && i < out->n; i++) {
		struct strips_key k;
		memcpy(&k, names_text(&m->keys, i + 1), sizeof k);
		out->list[i] = (struct strip){ .kind = (enum strip_kind)k.kind,
			.device = k.device,
			.stream = k.stream,
			.depth = k.depth,
			.items = { (uint32_t)n, (uint32_t)n } };
		if (k.kind == STRIP_RANGES || k.kind == STRIP_GPU_RANGES)
			out->list[i].thread = arena_strdup(m->to,
				names_text(&m->t->names, k.thread));
		n += m->count[i];
	}
	n += n == 0;
	out->start_ns = arena_grow(m->to, NULL, n * sizeof *out->start_ns);
	out->dur_ns = arena_grow(m->to, NULL, n * sizeof *out->dur_ns);
	out->name = arena_grow(m->to, NULL, n * sizeof *out->name);
	return !m->to->full;
}

/* Adds the next item of a strip. `start_ns` counts from the first record. */
static bool strips_add(struct strips_maker *m, uint32_t strip, int64_t start_ns,
	int64_t dur_ns, uint32_t name)
{
	struct strips *out = m->out;
	struct strip *s = &out->list[strip];
	uint32_t at = s->items.to++;

	if (name == STRIPS_NONE)
		return false;
	out->start_ns[at] = start_ns;
	out->dur_ns[at] = dur_ns;
	out->name[at] = name;
	out->items_n++;
	/* An item without duration must be before the end, too. */
	if (start_ns + dur_ns + (dur_ns == 0) > out->end_ns)
		out->end_ns = start_ns + dur_ns + (dur_ns == 0);
	if (dur_ns > s->longest_ns)
		s->longest_ns = dur_ns;
	return true;
}

/* Adds the records of all streams. Those of each kind are sorted; the next one is
 * the earliest of the three kinds. */
static bool strips_add_streams(struct strips_maker *m)
{
	const struct trace *t = m->t;
	const struct process *proc = m->proc;
	uint32_t k = proc->kernel.from, c = proc->copy.from,
		 g = proc->graph.from;
	bool ok = true;

	while (ok) {
		int64_t kernel =
			k < proc->kernel.to ? t->kernel.start_ns[k] : INT64_MAX;
		int64_t copy =
			c < proc->copy.to ? t->copy.start_ns[c] : INT64_MAX;
		int64_t graph =
			g < proc->graph.to ? t->graph.start_ns[g] : INT64_MAX;
		if (k < proc->kernel.to && kernel <= copy && kernel <= graph) {
			uint32_t i = k++ - proc->kernel.from;
			ok = strips_add(m, m->strip_of[STRIPS_KERNEL][i],
				kernel - m->first_ns, t->kernel.dur_ns[k - 1],
				m->kernel_of[i]);
		} else if (c < proc->copy.to && copy <= graph) {
			uint32_t i = c++ - proc->copy.from;
			ok = strips_add(m, m->strip_of[STRIPS_COPY][i],
				copy - m->first_ns, t->copy.dur_ns[c - 1],
				strips_name(m,
					t->copy.is_set[c - 1] ? STRIP_NAME_SET
							      : STRIP_NAME_COPY,
					t->copy.name[c - 1]));
		} else if (g < proc->graph.to) {
			uint32_t i = g++ - proc->graph.from;
			ok = strips_add(m, m->strip_of[STRIPS_GRAPH][i],
				graph - m->first_ns, t->graph.dur_ns[g - 1],
				strips_name(m, STRIP_NAME_GRAPH,
					t->graph.name[g - 1]));
		} else {
			break;
		}
	}
	return ok;
}

static bool strips_add_ranges(struct strips_maker *m)
{
	const struct range_rows *r = &m->t->range;
	struct slice of = m->proc->range;

	for (uint32_t i = of.from; i < of.to; i++) {
		uint32_t strip = m->strip_of[STRIPS_RANGE][i - of.from];
		if (strip != STRIPS_NONE &&
			!strips_add(m, strip, r->start_ns[i] - m->first_ns,
				r->dur_ns[i],
				strips_name(m,
					r->kind[i] == RANGE_MODULE
						? STRIP_NAME_MODULE
						: STRIP_NAME_RANGE,
					r->name[i])))
			return false;
	}
	return true;
}

static bool strips_add_iterations(struct strips_maker *m, uint32_t strip,
	const struct iterations *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		const struct iteration *it = &c->iterations[i];
		if (it->start_ns >= 0 &&
			!strips_add(m, strip, it->start_ns, it->dur_ns,
				strips_name(m,
					it->use == ITERATION_KEPT
						? STRIP_NAME_ITERATION
						: STRIP_NAME_EXCLUDED,
					i)))
			return false;
	}
	return true;
}

static bool strips_add_idle(struct strips_maker *m, uint32_t strip)
{
	for (uint32_t i = 0; i < m->parts_n; i++)
		if (!strips_add(m, strip, m->parts[i].start_ns - m->first_ns,
			    m->parts[i].dur_ns,
			    strips_name(m, STRIP_NAME_CAUSE,
				    m->parts[i].cause)))
			return false;
	return true;
}

/* ---- Idle time */

/* The time from the first record of any device to the end of the last. */
static void strips_span(const struct strips_maker *m, int64_t *from_ns,
	int64_t *to_ns)
{
	const struct trace *t = m->t;
	const struct process *proc = m->proc;

	*from_ns = INT64_MAX;
	*to_ns = INT64_MIN;
#define SPAN(kind)                                                    \
	for (uint32_t i = proc->kind.from; i < proc->kind.to; i++) {  \
		int64_t start_ns = t->kind.start_ns[i];               \
		int64_t end_ns = start_ns + t->kind.dur_ns[i];        \
		*from_ns = start_ns < *from_ns ? start_ns : *from_ns; \
		*to_ns = end_ns > *to_ns ? end_ns : *to_ns;           \
	}
	SPAN(kernel)
	SPAN(copy)
	SPAN(graph)
#undef SPAN
}

static bool strips_idle(struct strips_maker *m)
{
	uint32_t *call_of;
	int64_t from_ns, to_ns;

	strips_span(m, &from_ns, &to_ns);
	if (from_ns >= to_ns)
		return true;
	return correlation_join(m->t, m->proc, &m->a, &call_of) &&
	       wait_causes_parts(m->t, m->proc, call_of, from_ns, to_ns, &m->a,
		       &m->parts, &m->parts_n);
}

/* ---- The result */

static int strips_order(const void *left, const void *right)
{
	const struct strip *a = left, *b = right;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	int threads = a->thread && b->thread ? strcmp(a->thread, b->thread) : 0;
	if (threads)
		return threads;
	return a->depth < b->depth ? -1 : a->depth > b->depth;
}

static bool strips_fill(struct strips_maker *m,
	const struct iterations *iterations)
{
	const struct strips_key idle = { .kind = STRIP_IDLE, .device = -1 };
	const struct strips_key its = { .kind = STRIP_ITERATIONS,
		.device = -1 };
	uint32_t idle_strip = strips_find(m, &idle),
		 its_strip = strips_find(m, &its);

	if (idle_strip == STRIPS_NONE || its_strip == STRIPS_NONE)
		return false;
	m->count[idle_strip] = m->parts_n;
	m->count[its_strip] = iterations->n;
	return strips_allocate(m) && strips_add_idle(m, idle_strip) &&
	       strips_add_iterations(m, its_strip, iterations) &&
	       strips_add_ranges(m) && strips_add_streams(m) &&
	       strips_names(m, iterations);
}

bool strips_from(const struct trace *t, uint32_t process,
	const struct catalog *f, const struct iterations *iterations,
	struct arena *a, struct strips *out)
{
	const struct process *proc = &t->processes[process];
	int64_t first_ns = trace_first_ns(t, proc);
	struct strips_maker m = { .t = t,
		.proc = proc,
		.a = arena_scratch(a),
		.to = a,
		.out = out,
		.first_ns = first_ns == INT64_MAX ? 0 : first_ns };

	*out = (struct strips){ .end_ns = 1 };
	bool ok = names_init(&m.keys, &m.a) && names_init(&m.names, &m.a) &&
		  strips_kernels(&m, f) && strips_idle(&m) &&
		  strips_streams(&m, STRIPS_KERNEL, proc->kernel,
			  t->kernel.device, t->kernel.stream) &&
		  strips_streams(&m, STRIPS_COPY, proc->copy, t->copy.device,
			  t->copy.stream) &&
		  strips_streams(&m, STRIPS_GRAPH, proc->graph, t->graph.device,
			  t->graph.stream) &&
		  strips_ranges(&m) && strips_fill(&m, iterations);
	if (ok && out->n)
		qsort(out->list, out->n, sizeof *out->list, strips_order);
	arena_scratch_release(&m.a, a);
	return ok;
}
