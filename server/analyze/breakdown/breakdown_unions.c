/* breakdown_unions.c - items become spans for the sweep, its sums the
 * breakdown's; a block that is mostly under way with another is beside it. */
#include "breakdown_overlap.h"
#include "breakdown_work.h"
#include "catalog.h"

static enum overlap_kind kind_of(const struct breakdown_work *w,
	const struct layer_item *i)
{
	const struct profile_kernel *k = w->s->profile->kernels;

	if (i->kind == LAYER_COPY)
		return OVERLAP_COPY;
	if (i->kind == LAYER_GRAPH)
		return OVERLAP_COMPUTE;
	if (family_is_collective(k[i->symbol].source.family) ||
		(w->at->by_rule[i->symbol] &&
			w->at->by_rule[i->symbol]->collective))
		return OVERLAP_COMM;
	return OVERLAP_COMPUTE;
}

static bool spans(struct breakdown_work *w, struct overlap *o)
{
	struct overlap_span *spans =
		arena_grow(w->a, NULL, ((size_t)w->s->n + 1) * sizeof *spans);
	struct overlap_window *windows = arena_grow(w->a, NULL,
		((size_t)w->s->passes_n + 1) * sizeof *windows);

	o->spans = spans;
	o->windows = windows;
	if (!spans || !windows)
		return false;
	o->spans_n = w->s->n;
	for (uint32_t i = 0; i < w->s->n; i++) {
		const struct layer_item *item = &w->s->items[i];
		uint32_t row = breakdown_row_of(w, i);
		spans[i] = (struct overlap_span){ item->start_ns,
			item->start_ns + item->dur_ns,
			row == LAYER_NONE ? OVERLAP_NO_STRAND : row,
			kind_of(w, item) };
	}
	o->windows_n = w->s->passes_n;
	for (uint32_t i = 0; i < w->s->passes_n; i++)
		windows[i] = (struct overlap_window){ w->s->passes[i].start_ns,
			w->s->passes[i].end_ns };
	return true;
}

/* A row is a strand, a block a set, a section a family. */
static bool sets(struct breakdown_work *w, struct overlap *o)
{
	const struct breakdown *out = w->out;
	uint32_t *set =
		arena_grow(w->a, NULL, ((size_t)out->rows_n + 1) * sizeof *set);

	o->set_of = set;
	o->strands_n = out->rows_n;
	o->family = BLOCKS;
	o->sets_n = out->sections_n * BLOCKS;
	for (uint32_t r = 0; set && r < out->rows_n; r++) {
		const struct breakdown_block *b =
			&out->blocks[out->rows[r].block];
		set[r] = b->section * BLOCKS + (uint32_t)b->kind;
	}
	return set;
}

/* Of a block that is busy for less time than another, and under way with it for
 * most of that: the one it is so with longest. */
static uint32_t beside(const struct breakdown *out, const struct overlap *o,
	uint32_t block)
{
	const struct breakdown_block *b = &out->blocks[block];
	uint32_t set = b->section * BLOCKS + (uint32_t)b->kind,
		 best = UINT32_MAX;
	int64_t busy_ns = o->set_busy_ns[set], most_ns = busy_ns / 2;
	uint32_t from = block;

	while (from && out->blocks[from - 1].section == b->section)
		from--;
	for (uint32_t i = from;
		i < out->blocks_n && out->blocks[i].section == b->section;
		i++) {
		const struct breakdown_block *x = &out->blocks[i];
		if (i == block)
			continue;
		uint32_t other = x->section * BLOCKS + (uint32_t)x->kind;
		int64_t both_ns =
			o->beside_ns[(size_t)set * BLOCKS + (uint32_t)x->kind];
		if (both_ns <= most_ns || o->set_busy_ns[other] < busy_ns ||
			(o->set_busy_ns[other] == busy_ns && i > block))
			continue;
		most_ns = both_ns;
		best = i;
	}
	return best;
}

static void tell(struct breakdown *out, const struct overlap *o)
{
	out->wall_ns = o->wall_ns;
	out->idle_ns = o->idle_ns;
	out->overlap_ns = o->overlap_ns;
	out->other_ns = o->other_ns;
	out->exposed_comm_ns = o->exposed_ns;
	for (uint32_t r = 0; r < out->rows_n; r++) {
		struct breakdown_row *row = &out->rows[r];
		row->exclusive_ns = o->exclusive_ns[r];
		row->overlapped_ns = o->busy_ns[r] - o->exclusive_ns[r];
		out->blocks[row->block].exclusive_ns += o->exclusive_ns[r];
	}
	for (uint32_t i = 0; i < out->blocks_n; i++) {
		struct breakdown_block *b = &out->blocks[i];
		uint32_t set = b->section * BLOCKS + (uint32_t)b->kind;
		b->overlapped_ns = o->set_busy_ns[set] - b->exclusive_ns;
		b->beside = beside(out, o, i);
	}
}

bool breakdown_unions(struct breakdown_work *w)
{
	struct overlap o = { 0 };
	bool ok = spans(w, &o) && sets(w, &o) && overlap_sweep(&o, w->a);

	if (ok)
		tell(w->out, &o);
	overlap_release(&o, w->a);
	return ok;
}
