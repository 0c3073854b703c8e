/* layer_seq.c - reads a device's launches as one sequence. */
#include "layer_seq.h"
#include "copies.h"
#include "correlation.h"
#include "frame_tree.h"
#include <inttypes.h>
#include <stdlib.h>

/* Frames: the ranges around each launch. They are the ranges around its API
 * call, as callers.h found them. For a kernel whose graph node the collector
 * recorded, they are the ranges that were open when the node was made,
 * outermost first. */

struct layer_frames_maker {
	struct layer_seq *s;
	const struct node_rows *rows;
	struct slice of;
	struct frame_tree tree; /* of nodes */
	uint32_t *first; /* rows at which each node begins, and the end */
	uint32_t *frame; /* by node: index in `tree` + 1; 0 not made yet */
	uint32_t nodes;
};

enum { DEPTH_MAX = 64 };

/* Finds the first row of each node. */
static bool layer_seq_frames_begin(struct layer_frames_maker *m,
	struct arena *scratch)
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

/* Returns the index of a node; `nodes` if the trace has no rows for it. */
static uint32_t layer_seq_frames_find(const struct layer_frames_maker *m,
	int64_t node)
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

/* Adds the path of a node, from the outermost range inward. If the tree is
 * full, the inner ranges are left out. */
static bool layer_seq_frames_make(struct layer_frames_maker *m, uint32_t at)
{
	uint32_t names[DEPTH_MAX] = { 0 }, frame = 0;

	for (uint32_t i = m->first[at]; i < m->first[at + 1]; i++) {
		uint8_t depth = m->rows->depth[i];
		if (depth < DEPTH_MAX && !names[depth])
			names[depth] = m->rows->name[i];
	}
	for (uint32_t depth = DEPTH_MAX; depth-- > 0;) {
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

/* Joins the run's frames and the frames of nodes under one root. */
static bool layer_seq_frames_join(struct layer_frames_maker *m)
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

static bool layer_seq_frames_nodes(struct layer_frames_maker *m,
	struct arena *scratch)
{
	struct layer_seq *s = m->s;
	const int64_t *node = s->trace->kernel.graph_node;
	uint32_t from = s->proc->kernel.from;
	uint32_t before = s->profile->frames_n ? s->profile->frames_n : 1;
	bool ok = layer_seq_frames_begin(m, scratch);

	for (uint32_t i = 0; ok && i < s->n; i++) {
		struct layer_item *it = &s->items[i];
		if (it->kind != LAYER_KERNEL || node[from + it->row] <= 0)
			continue;
		uint32_t at = layer_seq_frames_find(m, node[from + it->row]);
		if (at == m->nodes)
			continue;
		ok = m->frame[at] || layer_seq_frames_make(m, at);
		if (ok && m->frame[at] > 1)
			it->frame = before + m->frame[at] - 2;
	}
	return ok && layer_seq_frames_join(m);
}

static void layer_seq_frames_moments(struct layer_seq *s,
	const struct attribution *at)
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

/* Fills s->frames and the items' `frame`. Returns false if the arena is
 * full. */
static bool layer_seq_frames(struct layer_seq *s, const struct attribution *at)
{
	const struct profile *p = at->profile;
	struct layer_frames_maker m = { .s = s,
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
	layer_seq_frames_moments(s, at);
	if (m.of.from == m.of.to)
		return true;
	struct arena scratch = arena_scratch(s->arena);
	bool ok = frame_tree_init(&m.tree, at->trace, s->arena) &&
		  layer_seq_frames_nodes(&m, &scratch);
	frame_tree_release(&m.tree);
	arena_scratch_release(&scratch, s->arena);
	return ok;
}

/* A stream of the device. */
struct layer_stream {
	int64_t number, ns;
	uint32_t computing; /* number of graphs and of kernels that are not
		collectives */
	uint32_t id; /* in order of first occurrence */
};

struct layer_seq_maker {
	struct layer_seq *s;
	const struct attribution *at;
	const struct iteration_rows *iterations;
	struct names numbers; /* of streams; id = id + 1 */
	struct names operations; /* id = symbol - kernels_n + 1 */
	struct layer_stream *streams;
	uint32_t cap;
};

static bool layer_seq_device_find(const struct profile *p, int32_t wanted,
	int32_t *device, struct err *e)
{
	char used[120] = "";
	size_t len = 0;

	*device = wanted;
	for (uint32_t i = 0; wanted >= 0 && i < p->devices_n; i++) {
		if (p->devices[i].number == wanted)
			return true;
		if (len < sizeof used - 24)
			len += (size_t)snprintf(used + len, sizeof used - len,
				"%s%" PRId32, len ? ", " : "",
				p->devices[i].number);
	}
	if (wanted >= 0)
		return err_set(e, ERR_NOT_FOUND,
			"the run used no device %" PRId32
			"; devices it used: %s",
			wanted, *used ? used : "none");
	int64_t most_ns = -1;
	for (uint32_t i = 0; i < p->devices_n; i++)
		if (p->devices[i].busy_ns > most_ns) {
			most_ns = p->devices[i].busy_ns;
			*device = p->devices[i].number;
		}
	return true;
}

static bool layer_seq_stream_of(struct layer_seq_maker *m, int64_t number,
	uint32_t *id)
{
	uint32_t found =
		names_put(&m->numbers, (const char *)&number, sizeof number);

	if (found == NAMES_NONE)
		return false;
	*id = found - 1;
	if (*id >= m->cap) {
		uint32_t cap = m->cap ? m->cap * 2 : 16;
		struct layer_stream *grown = arena_grow(m->s->arena, m->streams,
			(size_t)cap * sizeof *grown);
		if (!grown)
			return false;
		m->streams = grown;
		m->cap = cap;
	}
	if (*id == m->s->lanes) {
		m->streams[*id] =
			(struct layer_stream){ .number = number, .id = *id };
		m->s->lanes++;
	}
	return true;
}

/* Adds an item, which has no lane yet. Its `pass` is an iteration for now. */
static bool layer_seq_add(struct layer_seq_maker *m, struct layer_item item,
	int64_t stream, bool computing)
{
	if (!layer_seq_stream_of(m, stream, &item.lane))
		return false;
	m->streams[item.lane].ns += item.dur_ns;
	m->streams[item.lane].computing += computing;
	m->s->items[m->s->n++] = item;
	return true;
}

static bool layer_seq_add_kernel(struct layer_seq_maker *m, uint32_t row)
{
	const struct attribution *at = m->at;
	const struct kernel_rows *k = &at->trace->kernel;
	uint32_t i = row - at->proc->kernel.from;
	uint32_t kernel = at->kernel_of[i];
	const struct operator_info *rule = at->by_rule[kernel];
	bool collective = family_is_collective(
		at->profile->kernels[kernel].source.family);

	return layer_seq_add(m,
		(struct layer_item){ .start_ns = k->start_ns[row],
			.dur_ns = k->dur_ns[row],
			.row = i,
			.symbol = kernel,
			.pass = m->iterations->kernel[i],
			.kind = LAYER_KERNEL,
			.is = &at->of[i] },
		k->stream[row], !collective && !(rule && rule->collective));
}

static bool layer_seq_symbol_of(struct layer_seq_maker *m,
	const char *operation, uint32_t *symbol)
{
	uint32_t id = names_put(&m->operations, operation, strlen(operation));

	*symbol = m->at->profile->kernels_n + id - 1;
	return id != NAMES_NONE;
}

static bool layer_seq_add_copy(struct layer_seq_maker *m, uint32_t row)
{
	const struct copy_rows *c = &m->at->trace->copy;
	const struct name *name = &m->at->trace->names.list[c->name[row]];
	const char *operation =
		copies_operation(name->text, name->len, c->is_set[row]);
	uint32_t i = row - m->at->proc->copy.from, symbol;

	return layer_seq_symbol_of(m, *operation ? operation : "[copy]",
		       &symbol) &&
	       layer_seq_add(m,
		       (struct layer_item){ .start_ns = c->start_ns[row],
			       .dur_ns = c->dur_ns[row],
			       .row = i,
			       .symbol = symbol,
			       .pass = m->iterations->copy[i],
			       .kind = LAYER_COPY },
		       c->stream[row], false);
}

/* Adds a graph replay. All instantiations of a graph have the same symbol. */
static bool layer_seq_add_graph(struct layer_seq_maker *m, uint32_t row)
{
	const struct graph_rows *g = &m->at->trace->graph;
	uint32_t i = row - m->at->proc->graph.from, symbol;
	char operation[64] = "[CUDA graph]";

	if (g->graph_id[row] >= 0)
		snprintf(operation, sizeof operation,
			"[CUDA graph %" PRId64 "]", g->graph_id[row]);
	return layer_seq_symbol_of(m, operation, &symbol) &&
	       layer_seq_add(m,
		       (struct layer_item){ .start_ns = g->start_ns[row],
			       .dur_ns = g->dur_ns[row],
			       .row = i,
			       .symbol = symbol,
			       .pass = m->iterations->graph[i],
			       .kind = LAYER_GRAPH },
		       g->stream[row], true);
}

/* Finds the next row of a kind on the device, and its start. */
static int64_t layer_seq_next(const int64_t *start_ns, const int32_t *device,
	int32_t on, uint32_t to, uint32_t *row)
{
	while (*row < to && device[*row] != on)
		++*row;
	return *row < to ? start_ns[*row] : INT64_MAX;
}

static bool layer_seq_merge(struct layer_seq_maker *m)
{
	const struct trace *t = m->at->trace;
	const struct process *p = m->at->proc;
	uint32_t k = p->kernel.from, c = p->copy.from, g = p->graph.from;
	int32_t on = m->s->device;

	for (;;) {
		int64_t kernel = layer_seq_next(t->kernel.start_ns,
			t->kernel.device, on, p->kernel.to, &k);
		int64_t copy = layer_seq_next(t->copy.start_ns, t->copy.device,
			on, p->copy.to, &c);
		int64_t graph = layer_seq_next(t->graph.start_ns,
			t->graph.device, on, p->graph.to, &g);
		bool ok = true;
		if (k < p->kernel.to && kernel <= copy && kernel <= graph)
			ok = layer_seq_add_kernel(m, k++);
		else if (c < p->copy.to && copy <= graph)
			ok = layer_seq_add_copy(m, c++);
		else if (g < p->graph.to)
			ok = layer_seq_add_graph(m, g++);
		else
			return true;
		if (!ok)
			return false;
	}
}

static int layer_seq_by_time(const void *left, const void *right)
{
	const struct layer_stream *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static void layer_seq_main_first(struct layer_stream *list, uint32_t n)
{
	uint32_t best = 0;

	qsort(list, n, sizeof *list, layer_seq_by_time);
	for (uint32_t i = 1; i < n; i++)
		if (list[i].computing > list[best].computing)
			best = i;
	struct layer_stream first = list[best];
	memmove(list + 1, list, best * sizeof *list);
	list[0] = first;
}

static bool layer_seq_number_lanes(struct layer_seq_maker *m)
{
	struct layer_seq *s = m->s;
	size_t n = (size_t)s->lanes + 1;
	int64_t *streams = arena_array(s->arena, int64_t, n);
	uint32_t *lane_of = arena_grow(s->arena, NULL, n * sizeof *lane_of);

	if (streams && lane_of && s->lanes)
		layer_seq_main_first(m->streams, s->lanes);
	for (uint32_t i = 0; streams && lane_of && i < s->lanes; i++) {
		streams[i] = m->streams[i].number;
		lane_of[m->streams[i].id] = i;
	}
	for (uint32_t i = 0; streams && lane_of && i < s->n; i++)
		s->items[i].lane = lane_of[s->items[i].lane];
	s->streams = streams;
	bool ok = streams && lane_of;
	arena_drop(s->arena, lane_of);
	return ok;
}

static bool layer_seq_name_symbols(struct layer_seq_maker *m)
{
	struct layer_seq *s = m->s;
	uint32_t n = m->operations.n - 1;
	const char **texts = arena_array(s->arena, const char *, (size_t)n + 1);

	for (uint32_t i = 0; texts && i < n; i++)
		texts[i] = names_text(&m->operations, i + 1);
	s->operations = texts;
	s->symbols = m->at->profile->kernels_n + n;
	return texts;
}

static bool layer_seq_items_from(struct layer_seq_maker *m)
{
	const struct process *p = m->at->proc;
	struct layer_seq *s = m->s;
	size_t n = (size_t)(p->kernel.to - p->kernel.from) +
		   (p->copy.to - p->copy.from) + (p->graph.to - p->graph.from);

	s->items = arena_grow(s->arena, NULL, (n + 1) * sizeof *s->items);
	bool ok = s->items && names_init(&m->numbers, s->arena) &&
		  names_init(&m->operations, s->arena) && layer_seq_merge(m) &&
		  layer_seq_number_lanes(m) && layer_seq_name_symbols(m);
	arena_drop(s->arena, m->streams);
	return ok;
}

/* Chooses the analyzed passes of a sequence. */

static bool layer_seq_kept(const struct layer_seq *s, uint32_t iteration)
{
	const struct iterations *c = &s->profile->iterations;

	return iteration < c->n &&
	       c->iterations[iteration].use == ITERATION_KEPT;
}

/* Computes the time of each stratum's kept iterations; -1 if they contain no
 * item. */
static void layer_seq_weigh(const struct layer_seq *s, int64_t *ns)
{
	const struct iterations *c = &s->profile->iterations;

	for (uint32_t i = 0; i < c->strata_n; i++)
		ns[i] = -1;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct layer_item *it = &s->items[i];
		if (!layer_seq_kept(s, it->pass))
			continue;
		int64_t *of = &ns[c->iterations[it->pass].stratum];
		*of = (*of < 0 ? 0 : *of) + it->dur_ns;
	}
}

static bool layer_seq_choose(struct layer_seq *s, int64_t wanted,
	const int64_t *ns, struct err *e)
{
	const struct iterations *c = &s->profile->iterations;

	if (wanted >= c->strata_n)
		return err_set(e, ERR_NOT_FOUND,
			"there is no stratum %" PRId64 "; the run has %" PRIu32
			", counted from 0",
			wanted, c->strata_n);
	if (wanted >= 0 && ns[wanted] < 0)
		return err_set(e, ERR_NOT_FOUND,
			"no iteration of stratum %" PRId64
			" that counts did anything on device %" PRId32,
			wanted, s->device);
	if (wanted >= 0) {
		s->stratum = (uint32_t)wanted;
		return true;
	}
	for (uint32_t i = 0; i < c->strata_n; i++)
		if (ns[i] >= 0 &&
			(s->stratum == LAYER_NONE || ns[i] > ns[s->stratum]))
			s->stratum = i;
	return true;
}

/* Makes one pass from the first record's start to the last one's end. */
bool layer_seq_whole(struct layer_seq *s)
{
	s->passes = arena_array(s->arena, struct layer_pass, 1);
	if (!s->passes)
		return false;
	s->passes_n = s->n > 0;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct layer_item *it = &s->items[i];
		int64_t end_ns = it->start_ns + it->dur_ns;
		if (!i)
			s->passes[0] = (struct layer_pass){ it->start_ns,
				end_ns, LAYER_NONE };
		if (end_ns > s->passes[0].end_ns)
			s->passes[0].end_ns = end_ns;
		s->items[i].pass = 0;
	}
	return true;
}

static bool layer_seq_passes_of_stratum(struct layer_seq *s, uint32_t *pass_of)
{
	const struct iterations *c = &s->profile->iterations;
	int64_t first_ns = trace_first_ns(s->trace, s->proc);

	s->passes = arena_array(s->arena, struct layer_pass, (size_t)c->n + 1);
	if (!s->passes)
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct iteration *y = &c->iterations[i];
		pass_of[i] = LAYER_NONE;
		if (y->use != ITERATION_KEPT || y->stratum != s->stratum)
			continue;
		int64_t start_ns = first_ns + y->start_ns;
		pass_of[i] = s->passes_n;
		s->passes[s->passes_n++] = (struct layer_pass){ start_ns,
			start_ns + y->dur_ns, i };
	}
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t iteration = s->items[i].pass;
		s->items[i].pass =
			iteration < c->n ? pass_of[iteration] : LAYER_NONE;
	}
	return true;
}

/* Fills s->passes and s->stratum. Changes the items' `pass` from an iteration
 * to an index into s->passes. `wanted` is a stratum or -1. Returns false if the
 * arena is full, and with ERR_NOT_FOUND if the sequence contains nothing of the
 * wanted stratum. */
static bool layer_seq_passes(struct layer_seq *s, int64_t wanted, struct err *e)
{
	const struct iterations *c = &s->profile->iterations;
	struct arena scratch = arena_scratch(s->arena);
	int64_t *ns = arena_array(&scratch, int64_t, (size_t)c->strata_n + 1);
	uint32_t *pass_of = arena_array(&scratch, uint32_t, (size_t)c->n + 1);
	bool room = ns && pass_of, found = true;

	if (room)
		layer_seq_weigh(s, ns);
	found = !room || layer_seq_choose(s, wanted, ns, e);
	if (room && found)
		room = s->stratum == LAYER_NONE
			       ? layer_seq_whole(s)
			       : layer_seq_passes_of_stratum(s, pass_of);
	arena_scratch_release(&scratch, s->arena);
	return found && (room || arena_err(s->arena, e));
}

bool layer_seq_from(struct layer_seq *s, const struct attribution *at,
	const struct iteration_rows *iterations,
	const struct breakdown_params *params, struct err *e)
{
	static const struct breakdown_params nothing = { .device = -1,
		.stratum = -1 };
	struct layer_seq_maker m = { .s = s,
		.at = at,
		.iterations = iterations };

	if (!params)
		params = &nothing;
	*s = (struct layer_seq){ .trace = at->trace,
		.proc = at->proc,
		.profile = at->profile,
		.catalog = at->catalog,
		.stratum = LAYER_NONE,
		.arena = at->arena };
	if (!layer_seq_device_find(at->profile, params->device, &s->device, e))
		return false;
	if (!layer_seq_items_from(&m) || !layer_seq_frames(s, at))
		return arena_err(s->arena, e);
	return layer_seq_passes(s, params->stratum, e);
}

void layer_seq_release(struct layer_seq *s)
{
	if (s->arena)
		arena_drop(s->arena, s->items);
	s->items = NULL;
	s->n = 0;
}
