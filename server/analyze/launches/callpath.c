/* callpath.c - one sweep over each thread, with the open spans in a list. */
#include "callpath.h"
#include "lanes.h"

/* A span that is open at some moment. They lie in a list from the outermost to
 * the innermost; one that has ended is taken out when somebody comes by, so
 * that each is passed once only. Element 0 is both ends of the list. */
struct open {
	int64_t end_ns;
	uint32_t out, in; /* neighbours */
	uint32_t name, op;
	enum frame_kind kind;
	uint32_t under, node; /* its node, if what it lies in is `under` */
};

struct sweep {
	struct frame_tree *ft;
	struct lanes lanes;
	struct open *open;
	uint32_t cap, used, spare; /* spare: free elements, by `in` */
	struct slice *of_lane; /* places in `moment` */
	uint32_t *moment; /* indices of paths, lane by lane */
};

static bool grow(struct sweep *s)
{
	uint32_t cap = s->cap ? s->cap * 2 : 256;
	struct open *grown =
		arena_grow(s->ft->arena, s->open, (size_t)cap * sizeof *grown);

	if (!grown)
		return false;
	s->open = grown;
	s->cap = cap;
	return true;
}

/* A free element, 0 where the arena is full. */
static uint32_t element(struct sweep *s)
{
	uint32_t e = s->spare;

	if (e) {
		s->spare = s->open[e].in;
		return e;
	}
	return s->used < s->cap || grow(s) ? s->used++ : 0;
}

static void take_out(struct sweep *s, uint32_t e)
{
	struct open *o = &s->open[e];

	s->open[o->out].in = o->in;
	s->open[o->in].out = o->out;
	o->in = s->spare;
	s->spare = e;
}

/* Takes out what has ended, as far as it is innermost. */
static void close(struct sweep *s, int64_t at_ns)
{
	while (s->open[0].out && s->open[s->open[0].out].end_ns <= at_ns)
		take_out(s, s->open[0].out);
}

static bool push(struct sweep *s, const struct span *p)
{
	uint32_t e = element(s), innermost = s->open[0].out;

	if (!e)
		return false;
	s->open[e] = (struct open){ .end_ns = p->end_ns,
		.out = innermost,
		.name = p->name,
		.op = p->op,
		.kind = p->kind };
	s->open[innermost].in = e;
	s->open[0].out = e;
	return true;
}

/* The node of an open span below another; 0 and NAMES_NONE as
 * frame_tree_child(). */
static uint32_t node_of(struct sweep *s, uint32_t e, uint32_t under)
{
	struct open *o = &s->open[e];

	if (!o->node || o->under != under) {
		o->under = under;
		o->node = frame_tree_child(s->ft, under, o->kind, o->name);
	}
	return o->node;
}

/* The operator a path ends with, where no open span was it: it lasted no time
 * or its thread is not told. */
static uint32_t last(struct sweep *s, const struct callpath *p)
{
	return frame_tree_child(s->ft, p->frame, FRAME_OP,
		s->lanes.t->op.name[p->op]);
}

/* Follows the list from the outermost on. */
static bool walk(struct sweep *s, struct callpath *p)
{
	bool met = p->op == CALLPATH_NO_OP;
	int depth = 0;

	for (uint32_t e = s->open[0].in, next; e; e = next) {
		next = s->open[e].in;
		if (s->open[e].end_ns <= p->at_ns) {
			take_out(s, e);
			continue;
		}
		uint32_t node =
			depth++ == CALLPATH_DEPTH ? 0 : node_of(s, e, p->frame);
		if (node == NAMES_NONE)
			return false;
		p->cut = !node;
		if (p->cut)
			break;
		p->frame = node;
		met |= s->open[e].op == p->op;
		if (met && p->op != CALLPATH_NO_OP)
			break;
	}
	if (!met && !p->cut) {
		uint32_t node = last(s, p);
		p->cut = !node;
		p->frame = node ? node : p->frame;
	}
	if (p->cut && !p->frame)
		p->frame = frame_tree_overflow(s->ft);
	return p->frame != NAMES_NONE;
}

/* The moments of one lane. What begins and ends between two of them is in no
 * path. */
static bool lane(struct sweep *s, uint32_t number, struct callpath *paths)
{
	uint32_t at = s->lanes.from[number], end = s->lanes.from[number + 1];
	struct slice own = s->of_lane[number];

	s->open[0] = (struct open){ 0 };
	s->used = 1;
	s->spare = 0;
	for (uint32_t i = own.from; i < own.to; i++) {
		struct callpath *p = &paths[s->moment[i]];
		close(s, p->at_ns);
		for (; at < end; at++) {
			struct span span =
				lanes_span(&s->lanes, s->lanes.spans[at]);
			if (span.start_ns > p->at_ns)
				break;
			if (span.end_ns > p->at_ns && !push(s, &span))
				return false;
		}
		if (!walk(s, p))
			return false;
	}
	return true;
}

/* Which moments are whose; those of no lane come first. */
static bool deal(struct sweep *s, const struct callpath *paths, uint32_t n)
{
	struct arena *a = s->ft->arena;
	uint32_t at = 0;

	s->of_lane = arena_grow(a, NULL,
		((size_t)s->lanes.n + 1) * sizeof *s->of_lane);
	s->moment = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *s->moment);
	if (!s->of_lane || !s->moment)
		return false;
	for (uint32_t i = 0; i < n; i++)
		s->of_lane[s->lanes.lane_of[paths[i].thread]].to++;
	for (uint32_t l = 0; l <= s->lanes.n; l++) {
		uint32_t count = s->of_lane[l].to;
		s->of_lane[l] = (struct slice){ at, at };
		at += count;
	}
	for (uint32_t i = 0; i < n; i++)
		s->moment[s->of_lane[s->lanes.lane_of[paths[i].thread]].to++] =
			i;
	return true;
}

bool callpath_find(struct frame_tree *ft, const struct process *proc,
	struct callpath *paths, uint32_t n)
{
	struct sweep s = { .ft = ft };
	bool ok = lanes_init(&s.lanes, ft->t, ft->arena);

	for (uint32_t i = 0; ok && i < n; i++) {
		paths[i].frame = 0;
		paths[i].cut = false;
		lanes_want(&s.lanes, paths[i].thread);
	}
	ok = ok && lanes_fill(&s.lanes, proc, ft->arena) && grow(&s) &&
	     deal(&s, paths, n);
	for (uint32_t l = 0; ok && l <= s.lanes.n; l++)
		ok = lane(&s, l, paths);
	arena_drop(ft->arena, s.open);
	arena_drop(ft->arena, s.of_lane);
	arena_drop(ft->arena, s.moment);
	lanes_release(&s.lanes, ft->arena);
	return ok;
}
