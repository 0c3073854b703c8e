/* attribute_graph.c - attributes kernels by their place in a CUDA graph.
 *
 * A stream capture shows launches with kernel names, operators and dims, and
 * runs nothing; a replay shows kernels, and only one call for all of them. Both
 * have the same names in the same order, which joins them.
 *
 * Only complete captures teach: begun and ended in the trace, each launch with
 * its kernel's name, no graph within the graph. Launches of other threads belong
 * to a capture if it is the only one open and they ran nothing.
 *
 * A replay is all kernels that one graph launch caused, in order of start,
 * without the runtime's own (copies and sets that run as kernels). Of the captures
 * with its names, those of this run count before those of others, and those in
 * its order before those in another (streams of a graph may overtake each
 * other). If several remain, the step around the launch may decide: the shapes
 * grow with the tokens they were captured for, and engines take the least number
 * that holds the step's. Otherwise only what all of them agree on is used. */
#include "attribute_sources.h"
#include "attribute.h"
#include "correlation.h"
#include "graph_capture.h"
#include "graph_choice.h"
#include "graph_key.h"
#include "graph_replay.h"
#include "serving_steps.h"
#include <string.h>

bool attribute_graph_captures(struct attribution *x)
{
	struct graph_captures c;

	if (!graph_captures_find(x->trace, x->proc, x->call_of, x->arena, &c))
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

/* What is work of its own below an operator of another kind, as the kernel's
 * name says, has that operator's dims for sizes. Launches of one operator and
 * kind that follow each other are one call. */
static bool attribute_graph_captured_by_rule(struct attribution *x)
{
	const struct trace *t = x->trace;
	const struct operator_info *last = NULL;
	uint32_t last_row = ATTRIBUTE_NO_OP;

	for (uint32_t i = 0; x->host && i < x->captured_n; i++) {
		struct attributed *to = &x->of_captured[i];
		uint32_t call = x->captured[i];
		const struct name *kernel =
			&t->names.list[t->call.kernel[call]];
		uint32_t row = attribute_op_innermost(x->host, call,
			t->call.external_id[call]);
		if (to->op || row == ATTRIBUTE_NO_OP)
			continue;
		const struct operator_info *is =
			catalog_kernel_operator(x->catalog, kernel->text,
				kernel->len);
		if (!is)
			continue;
		if (!attribute_op_shape(x->host, row, is, &to->sizes))
			return false;
		if (!to->sizes)
			continue;
		x->calls += row != last_row || is != last;
		last = is;
		last_row = row;
		to->op = is;
		to->known = KNOWN_OP_SIZES;
		to->call = x->calls - 1;
	}
	return true;
}

struct attribute_graph_counts {
	int64_t replayed, known, strange, differ;
};

/* Gives a replay's kernels what its graph is known to do. */
static void attribute_graph_fill(struct attribution *x, const uint32_t *kernels,
	uint32_t n, const struct graph_choice *is,
	struct attribute_graph_counts *count)
{
	count->replayed += n;
	for (uint32_t i = 0; i < n; i++) {
		struct attributed *to = &x->of[kernels[i]];
		count->known += to->known == KNOWN_NODE;
		count->strange += to->known != KNOWN_NODE && !is->places;
		if (to->op || !is->places || !is->places[i].op)
			continue;
		const struct graph_place *place = &is->places[i];
		to->op = place->op;
		to->sizes = place->sizes;
		to->known = KNOWN_GRAPH;
		to->call = x->calls + place->call;
		count->known++;
		count->differ += place->differ && !place->sizes;
	}
	x->calls += is->calls;
}

static int64_t attribute_graph_tokens_at(const struct attribution *x,
	const struct serving_steps *steps, uint32_t call)
{
	const struct call_rows *c = &x->trace->call;

	if (call == CORRELATION_NONE)
		return -1;
	const struct serving_work *work =
		serving_steps_at(steps, c->thread[call], c->start_ns[call]);
	return work ? work->tokens : -1;
}

static bool attribute_graph_replays(struct attribution *x,
	const struct graph_replays *r, struct arena *scratch,
	struct attribute_graph_counts *count)
{
	struct graph_choice_state chooser;
	struct serving_steps steps;

	if (!serving_steps_find(x->trace, x->proc, scratch, &steps) ||
		!graph_choice_init(&chooser, x, scratch))
		return false;
	for (uint32_t i = 0; i < r->n; i++) {
		const uint32_t *names =
			(const void *)names_text(&r->sequences, r->sequence[i]);
		uint32_t n = r->from[i + 1] - r->from[i];
		const struct graph_choice *is = graph_choice_of(&chooser,
			r->sequence[i], names, n,
			attribute_graph_tokens_at(x, &steps, r->call[i]));
		if (!is)
			return false;
		attribute_graph_fill(x, r->kernel + r->from[i], n, is, count);
	}
	return true;
}

static void attribute_graph_note(const struct attribute_graph_counts *count,
	struct profile *p)
{
	p->operators.replayed = count->replayed;
	p->operators.replayed_known = count->known;
	if (count->strange)
		note_add(&p->notes, NOTE_graph_strange, count->strange, NULL,
			0);
	if (count->differ)
		note_add(&p->notes, NOTE_graph_sizes, count->differ, NULL, 0);
}

bool attribute_graph(struct attribution *x)
{
	struct arena scratch = arena_scratch(x->arena);
	struct graph_replays r = { 0 };
	struct attribute_graph_counts count = { 0 };

	bool ok = attribute_graph_captured_by_rule(x) &&
		  graph_capture_learn(x) &&
		  graph_replays_find(x->trace, x->proc, x->call_of, &scratch,
			  &r) &&
		  (!r.n || attribute_graph_replays(x, &r, &scratch, &count));
	if (ok)
		attribute_graph_note(&count, x->profile);
	arena_scratch_release(&scratch, x->arena);
	return ok;
}

static bool attribute_graph_keys_of(const struct trace *t,
	const struct graph_replays *r, struct arena *scratch,
	struct names *keys)
{
	uint8_t key[32];

	for (uint32_t i = 1; i < r->sequences.n; i++) {
		const struct name *is = &r->sequences.list[i];
		uint32_t *names = arena_grow(scratch, NULL, is->len);
		if (!names)
			return false;
		memcpy(names, is->text, is->len);
		graph_key(&t->names, names, (uint32_t)(is->len / sizeof *names),
			key);
		arena_drop(scratch, names);
		if (names_put(keys, (const char *)key, sizeof key) ==
			NAMES_NONE)
			return false;
	}
	return true;
}

static bool attribute_graph_find_keys(const struct trace *t,
	const struct process *proc, struct arena *scratch, struct names *keys)
{
	uint32_t *call_of;
	struct graph_replays r = { 0 };

	return names_init(keys, scratch) &&
	       correlation_join(t, proc, scratch, &call_of) &&
	       graph_replays_find(t, proc, call_of, scratch, &r) &&
	       attribute_graph_keys_of(t, &r, scratch, keys);
}

bool attribute_keys(const struct trace *t, uint32_t process, struct arena *a,
	uint8_t (**keys)[32], uint32_t *n)
{
	struct arena scratch = arena_scratch(a);
	struct names found;

	*keys = NULL;
	*n = 0;
	bool ok = attribute_graph_find_keys(t, &t->processes[process], &scratch,
		&found);
	if (ok && found.n > 1) {
		*n = found.n - 1;
		*keys = arena_alloc(a, *n, sizeof **keys);
		ok = *keys;
		for (uint32_t i = 0; ok && i < *n; i++)
			memcpy((*keys)[i], names_text(&found, i + 1), 32);
	}
	arena_scratch_release(&scratch, a);
	return ok;
}
