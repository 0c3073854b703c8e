/* breakdown_overlap.c - computes exclusive, overlapped and idle time. */
#include "breakdown_overlap.h"
#include "breakdown_work.h"
#include "catalog.h"
#include <assert.h>
#include <stdlib.h>

/* The sweep uses a clock that runs only within windows. Therefore spans need
 * not be clipped to the windows. */

struct overlap_edge {
	int64_t end_ns;
	uint32_t span;
};

/* How many spans are running, and the clock when the first of them began. */
struct overlap_running {
	int64_t since_ns;
	uint32_t n;
};

struct overlap_sweep {
	struct overlap *o;
	struct overlap_edge *ends;
	struct overlap_running *strands, *sets;
	uint32_t active[OVERLAP_SETS_MOST], active_n; /* sets */
	uint32_t kinds[OVERLAP_KINDS], spans; /* numbers of running spans */
	uint64_t whose; /* sum of the strands of all running spans */
	int64_t clock_ns, over_ns; /* over_ns: clock of finished windows */
	uint32_t window;
};

static int breakdown_overlap_by_end(const void *left, const void *right)
{
	const struct overlap_edge *a = left, *b = right;

	if (a->end_ns != b->end_ns)
		return a->end_ns < b->end_ns ? -1 : 1;
	return a->span < b->span ? -1 : a->span > b->span;
}

static bool breakdown_overlap_outputs(struct overlap *o, struct arena *a)
{
	size_t sets = (size_t)o->sets_n + 1, strands = (size_t)o->strands_n + 1;

	o->wall_ns = o->idle_ns = o->overlap_ns = o->other_ns = 0;
	o->exposed_ns = 0;
	o->exclusive_ns = arena_grow(a, NULL, strands * sizeof(int64_t));
	o->busy_ns = arena_grow(a, NULL, strands * sizeof(int64_t));
	o->set_busy_ns = arena_grow(a, NULL, sets * sizeof(int64_t));
	o->together_ns =
		arena_grow(a, NULL, sets * (o->family + 1) * sizeof(int64_t));
	return o->exclusive_ns && o->busy_ns && o->set_busy_ns &&
	       o->together_ns;
}

void overlap_release(struct overlap *o, struct arena *a)
{
	arena_drop(a, o->exclusive_ns);
	arena_drop(a, o->busy_ns);
	arena_drop(a, o->set_busy_ns);
	arena_drop(a, o->together_ns);
}

static bool breakdown_overlap_begin(struct overlap_sweep *s, struct arena *a)
{
	const struct overlap *o = s->o;

	s->ends =
		arena_grow(a, NULL, ((size_t)o->spans_n + 1) * sizeof *s->ends);
	s->strands = arena_grow(a, NULL,
		((size_t)o->strands_n + 1) * sizeof *s->strands);
	s->sets =
		arena_grow(a, NULL, ((size_t)o->sets_n + 1) * sizeof *s->sets);
	if (!s->ends || !s->strands || !s->sets)
		return false;
	for (uint32_t i = 0; i < o->spans_n; i++) {
		assert(o->spans[i].end_ns >= o->spans[i].start_ns);
		s->ends[i] = (struct overlap_edge){ o->spans[i].end_ns, i };
	}
	qsort(s->ends, o->spans_n, sizeof *s->ends, breakdown_overlap_by_end);
	return true;
}

static void breakdown_overlap_pairs(const struct overlap_sweep *s,
	int64_t len_ns)
{
	uint32_t family = s->o->family;

	for (uint32_t i = 0; i < s->active_n; i++)
		for (uint32_t k = 0; k < s->active_n; k++) {
			uint32_t a = s->active[i], b = s->active[k];
			if (a != b && a / family == b / family)
				s->o->together_ns[(size_t)a * family +
						  b % family] += len_ns;
		}
}

/* Adds a time during which the set of running spans does not change. */
static void breakdown_overlap_count(struct overlap_sweep *s, int64_t len_ns)
{
	struct overlap *o = s->o;

	if (s->spans == 0)
		o->idle_ns += len_ns;
	else if (s->spans > 1)
		o->overlap_ns += len_ns;
	else if (s->whose == OVERLAP_NO_STRAND)
		o->other_ns += len_ns;
	else
		o->exclusive_ns[s->whose] += len_ns;
	if (s->kinds[OVERLAP_COMM] && !s->kinds[OVERLAP_COMPUTE])
		o->exposed_ns += len_ns;
	if (s->active_n > 1)
		breakdown_overlap_pairs(s, len_ns);
}

/* Moves the clock to a moment. */
static void breakdown_overlap_run_to(struct overlap_sweep *s, int64_t to_ns)
{
	const struct overlap_window *w = s->o->windows;
	uint32_t n = s->o->windows_n;
	int64_t before_ns = s->clock_ns;

	while (s->window < n && w[s->window].end_ns <= to_ns) {
		s->over_ns += w[s->window].end_ns - w[s->window].start_ns;
		s->window++;
	}
	s->clock_ns = s->over_ns;
	if (s->window < n && to_ns > w[s->window].start_ns)
		s->clock_ns += to_ns - w[s->window].start_ns;
	if (s->clock_ns > before_ns)
		breakdown_overlap_count(s, s->clock_ns - before_ns);
}

static void breakdown_overlap_leave(struct overlap_sweep *s, uint32_t set)
{
	for (uint32_t i = 0; i < s->active_n; i++)
		if (s->active[i] == set)
			s->active[i] = s->active[--s->active_n];
}

static void breakdown_overlap_start(struct overlap_sweep *s,
	const struct overlap_span *span)
{
	s->spans++;
	s->kinds[span->kind]++;
	s->whose += span->strand;
	if (span->strand == OVERLAP_NO_STRAND)
		return;
	uint32_t set = s->o->set_of[span->strand];
	struct overlap_running *strand = &s->strands[span->strand],
			       *of = &s->sets[set];
	if (!strand->n++)
		strand->since_ns = s->clock_ns;
	if (of->n++)
		return;
	of->since_ns = s->clock_ns;
	if (s->active_n < OVERLAP_SETS_MOST)
		s->active[s->active_n++] = set;
}

static void breakdown_overlap_end(struct overlap_sweep *s,
	const struct overlap_span *span)
{
	s->spans--;
	s->kinds[span->kind]--;
	s->whose -= span->strand;
	if (span->strand == OVERLAP_NO_STRAND)
		return;
	uint32_t set = s->o->set_of[span->strand];
	struct overlap_running *strand = &s->strands[span->strand],
			       *of = &s->sets[set];
	if (!--strand->n)
		s->o->busy_ns[span->strand] += s->clock_ns - strand->since_ns;
	if (--of->n)
		return;
	s->o->set_busy_ns[set] += s->clock_ns - of->since_ns;
	breakdown_overlap_leave(s, set);
}

/* A start precedes an end at the same moment. Otherwise a span of length 0
 * would end before it begins. */
static void breakdown_overlap_sweep_run(struct overlap_sweep *s)
{
	const struct overlap_span *spans = s->o->spans;
	uint32_t n = s->o->spans_n;

	for (uint32_t i = 0, k = 0; k < n;) {
		if (i < n && spans[i].start_ns <= s->ends[k].end_ns) {
			breakdown_overlap_run_to(s, spans[i].start_ns);
			breakdown_overlap_start(s, &spans[i++]);
		} else {
			breakdown_overlap_run_to(s, s->ends[k].end_ns);
			breakdown_overlap_end(s, &spans[s->ends[k++].span]);
		}
	}
	breakdown_overlap_run_to(s, INT64_MAX);
	s->o->wall_ns = s->clock_ns;
}

bool overlap_sweep(struct overlap *o, struct arena *a)
{
	struct overlap_sweep s = { .o = o };
	bool ok = breakdown_overlap_outputs(o, a) &&
		  breakdown_overlap_begin(&s, a);

	if (ok)
		breakdown_overlap_sweep_run(&s);
	arena_drop(a, s.ends);
	arena_drop(a, s.strands);
	arena_drop(a, s.sets);
	return ok;
}

/* Converts items to spans for the sweep, and the sums of the sweep to fields of
 * the breakdown. Marks blocks that mostly run at the same time as another
 * block. */

static enum overlap_kind breakdown_overlap_unions_kind_of(
	const struct breakdown_work *w, const struct layer_item *i)
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

static bool breakdown_overlap_unions_spans(struct breakdown_work *w,
	struct overlap *o)
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
			breakdown_overlap_unions_kind_of(w, item) };
	}
	o->windows_n = w->s->passes_n;
	for (uint32_t i = 0; i < w->s->passes_n; i++)
		windows[i] = (struct overlap_window){ w->s->passes[i].start_ns,
			w->s->passes[i].end_ns };
	return true;
}

/* In the sweep, rows are strands, blocks are sets and sections are families. */
static bool breakdown_overlap_unions_sets(struct breakdown_work *w,
	struct overlap *o)
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

/* Returns the block during which this block runs. Candidates are busy for
 * longer than this block, and run during most of its time. Of several, the one
 * that overlaps this block longest is returned. */
static uint32_t breakdown_overlap_block_around(const struct breakdown *out,
	const struct overlap *o, uint32_t block)
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
		int64_t both_ns = o->together_ns[(size_t)set * BLOCKS +
						 (uint32_t)x->kind];
		if (both_ns <= most_ns || o->set_busy_ns[other] < busy_ns ||
			(o->set_busy_ns[other] == busy_ns && i > block))
			continue;
		most_ns = both_ns;
		best = i;
	}
	return best;
}

static void breakdown_overlap_unions_tell(struct breakdown *out,
	const struct overlap *o)
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
		b->parallel_to = breakdown_overlap_block_around(out, o, i);
	}
}

bool breakdown_overlap_fill(struct breakdown_work *w)
{
	struct overlap o = { 0 };
	bool ok = breakdown_overlap_unions_spans(w, &o) &&
		  breakdown_overlap_unions_sets(w, &o) &&
		  overlap_sweep(&o, w->a);

	if (ok)
		breakdown_overlap_unions_tell(w->out, &o);
	overlap_release(&o, w->a);
	return ok;
}
