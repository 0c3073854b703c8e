/* attribute_graph.c - captures found, learnt from, and looked up replay by
 * replay. */
#include "attribute_graph.h"
#include "attribute_host.h"
#include "correlation.h"
#include "graph_capture.h"
#include "graph_choice.h"
#include "graph_learn.h"
#include "graph_replay.h"
#include "serving_steps.h"

bool attribute_captures(struct attribution *x)
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
static bool captured_by_rule(struct attribution *x)
{
	const struct trace *t = x->trace;
	const struct operator_info *last = NULL;
	uint32_t last_row = HOST_NONE;

	for (uint32_t i = 0; x->host && i < x->captured_n; i++) {
		struct attributed *to = &x->of_captured[i];
		uint32_t call = x->captured[i];
		const struct name *kernel =
			&t->names.list[t->call.kernel[call]];
		uint32_t row = host_innermost(x->host, call,
			t->call.external_id[call]);
		if (to->operator|| row == HOST_NONE)
			continue;
		const struct operator_info *is =
			catalog_kernel_operator(x->catalog, kernel->text,
				kernel->len);
		if (!is)
			continue;
		if (!host_shape(x->host, row, is, &to->sizes))
			return false;
		if (!to->sizes)
			continue;
		x->calls += row != last_row || is != last;
		last = is;
		last_row = row;
		to->operator= is;
		to->known = KNOWN_OP_SIZES;
		to->call = x->calls - 1;
	}
	return true;
}

struct tally {
	int64_t replayed, known, strange, differ;
};

/* Gives a replay's kernels what its graph is known to do. */
static void fill(struct attribution *x, const uint32_t *kernels, uint32_t n,
	const struct graph_choice *is, struct tally *count)
{
	count->replayed += n;
	for (uint32_t i = 0; i < n; i++) {
		struct attributed *to = &x->of[kernels[i]];
		count->known += to->known == KNOWN_NODE;
		count->strange += to->known != KNOWN_NODE && !is->places;
		if (to->operator|| !is->places || !is->places[i].operator)
			continue;
		const struct graph_place *place = &is->places[i];
		to->operator= place->operator;
		to->sizes = place->sizes;
		to->known = KNOWN_GRAPH;
		to->call = x->calls + place->call;
		count->known++;
		count->differ += place->differ && !place->sizes;
	}
	x->calls += is->calls;
}

static int64_t tokens_at(const struct attribution *x,
	const struct serving_steps *steps, uint32_t call)
{
	const struct call_rows *c = &x->trace->call;

	if (call == CORRELATION_NONE)
		return -1;
	const struct serving *work =
		serving_steps_at(steps, c->thread[call], c->start_ns[call]);
	return work ? work->tokens : -1;
}

static bool replays(struct attribution *x, const struct graph_replays *r,
	struct arena *scratch, struct tally *count)
{
	struct graph_chooser chooser;
	struct serving_steps steps;

	if (!serving_steps_find(x->trace, x->proc, scratch, &steps) ||
		!graph_chooser_init(&chooser, x, scratch))
		return false;
	for (uint32_t i = 0; i < r->n; i++) {
		const uint32_t *names =
			(const void *)names_text(&r->sequences, r->sequence[i]);
		uint32_t n = r->from[i + 1] - r->from[i];
		const struct graph_choice *is =
			graph_choose(&chooser, r->sequence[i], names, n,
				tokens_at(x, &steps, r->call[i]));
		if (!is)
			return false;
		fill(x, r->kernel + r->from[i], n, is, count);
	}
	return true;
}

static void note(const struct tally *count, struct profile *p)
{
	p->operators.replayed = count->replayed;
	p->operators.replayed_known = count->known;
	if (count->strange)
		note_add(&p->notes, NOTE_graph_strange, count->strange, NULL,
			0);
	if (count->differ)
		note_add(&p->notes, NOTE_graph_sizes, count->differ, NULL, 0);
}

bool attribute_graphs(struct attribution *x)
{
	struct arena scratch = arena_scratch(x->arena);
	struct graph_replays r = { 0 };
	struct tally count = { 0 };

	bool ok = captured_by_rule(x) && graph_learn(x) &&
		  graph_replays_find(x->trace, x->proc, x->call_of, &scratch,
			  &r) &&
		  (!r.n || replays(x, &r, &scratch, &count));
	if (ok)
		note(&count, x->profile);
	arena_scratch_release(&scratch, x->arena);
	return ok;
}
