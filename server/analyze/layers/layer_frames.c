/* layer_frames.c - frames of calls, and behind them those of graphs' nodes. */
#include "layer_frames.h"
#include "correlation.h"
#include "frame_tree.h"

struct maker {
	struct layer_seq *s;
	const struct node_rows *rows;
	struct slice of;
	struct frame_tree tree; /* of nodes */
	uint32_t *first; /* rows at which a node begins, and the end */
	uint32_t *frame; /* beside each: in `tree`, plus one; 0 not made */
	uint32_t nodes;
};

enum { DEPTH_MOST = 64 };

/* The first row of each node. */
static bool begin(struct maker *m, struct arena *scratch)
{
	size_t n = (size_t)(m->of.to - m->of.from) + 1;

	m->first = arena_grow(scratch, NULL, n * sizeof *m->first);
	m->frame = arena_grow(scratch, NULL, n * sizeof *m->frame);
	if (!m->first || !m->frame)
		return false;
	for (uint32_t i = m->of.from; i < m->of.to; i++)
		if (i == m->of.from || m->rows->node[i] != m->rows->node[i - 1])
			m->first[m->nodes++] = i;
	m->first[m->nodes] = m->of.to;
	return true;
}

/* Index of a node; `nodes` where nothing is told of it. */
static uint32_t find(const struct maker *m, int64_t node)
{
	uint32_t low = 0, high = m->nodes;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (m->rows->node[m->first[mid]] < node)
			low = mid + 1;
		else
			high = mid;
	}
	bool found = low < m->nodes && m->rows->node[m->first[low]] == node;
	return found ? low : m->nodes;
}

/* The path of a node, from the outermost range in; a tree that takes no more
 * leaves out what is within. */
static bool make(struct maker *m, uint32_t at)
{
	uint32_t names[DEPTH_MOST] = { 0 }, frame = 0;

	for (uint32_t i = m->first[at]; i < m->first[at + 1]; i++) {
		uint8_t depth = m->rows->depth[i];
		if (depth < DEPTH_MOST && !names[depth])
			names[depth] = m->rows->name[i];
	}
	for (uint32_t depth = DEPTH_MOST; depth-- > 0;) {
		if (!names[depth])
			continue;
		uint32_t child = frame_tree_child(&m->tree, frame,
			FRAME_ANNOTATION, names[depth]);
		if (child == NAMES_NONE)
			return false;
		if (!child)
			break;
		frame = child;
	}
	m->frame[at] = frame + 1;
	return true;
}

/* The run's frames, then the nodes', whose root is the same. */
static bool join(struct maker *m)
{
	struct layer_seq *s = m->s;
	const struct profile *p = s->profile;
	uint32_t before = p->frames_n ? p->frames_n : 1, n;
	struct frame *made, *all;

	if (!frame_tree_frames(&m->tree, &made, &n))
		return false;
	all = arena_array(s->arena, struct frame, (size_t)before + n - 1);
	if (!all)
		return false;
	all[0] = made[0];
	for (uint32_t i = 1; i < before; i++)
		all[i] = p->frames[i];
	for (uint32_t i = 1; i < n; i++) {
		struct frame *f = &all[before + i - 1];
		*f = made[i];
		f->parent = f->parent ? before + f->parent - 1 : 0;
	}
	s->frames = all;
	s->frames_n = before + n - 1;
	return true;
}

static bool nodes(struct maker *m, struct arena *scratch)
{
	struct layer_seq *s = m->s;
	const int64_t *node = s->trace->kernel.graph_node;
	uint32_t from = s->proc->kernel.from;
	uint32_t before = s->profile->frames_n ? s->profile->frames_n : 1;
	bool ok = begin(m, scratch);

	for (uint32_t i = 0; ok && i < s->n; i++) {
		struct layer_item *it = &s->items[i];
		if (it->kind != LAYER_KERNEL || node[from + it->row] <= 0)
			continue;
		uint32_t at = find(m, node[from + it->row]);
		if (at == m->nodes)
			continue;
		ok = m->frame[at] || make(m, at);
		if (ok && m->frame[at] > 1)
			it->frame = before + m->frame[at] - 2;
	}
	return ok && join(m);
}

static void moments(struct layer_seq *s, const struct attribution *at)
{
	const struct call_rows *c = &s->trace->call;

	for (uint32_t i = 0; i < s->n; i++) {
		struct layer_item *it = &s->items[i];
		uint32_t call = it->kind == LAYER_KERNEL ? at->call_of[it->row]
							 : CORRELATION_NONE;
		bool known = call != CORRELATION_NONE;
		it->host_ns = known ? c->start_ns[call] : -1;
		it->thread = known ? c->thread[call] : 0;
	}
}

bool layer_frames(struct layer_seq *s, const struct attribution *at)
{
	const struct profile *p = at->profile;
	struct maker m = { .s = s,
		.rows = &at->trace->node,
		.of = at->proc->node };

	s->frames = p->frames;
	s->frames_n = p->frames_n;
	if (!s->frames_n) {
		s->frames = arena_array(s->arena, struct frame, 1);
		if (!s->frames)
			return false;
		s->frames[0].name = "";
		s->frames_n = 1;
	}
	for (uint32_t i = 0; at->frame_of && i < s->n; i++)
		if (s->items[i].kind == LAYER_KERNEL)
			s->items[i].frame = at->frame_of[s->items[i].row];
	moments(s, at);
	if (m.of.from == m.of.to)
		return true;
	struct arena scratch = arena_scratch(s->arena);
	bool ok = frame_tree_init(&m.tree, at->trace, s->arena) &&
		  nodes(&m, &scratch);
	frame_tree_release(&m.tree);
	arena_scratch_release(&scratch, s->arena);
	return ok;
}
