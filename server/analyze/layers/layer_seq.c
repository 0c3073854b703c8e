/* layer_seq.c - a device's records merged, streams weighed, passes chosen. */
#include "layer_seq.h"
#include "layer_frames.h"
#include "layer_pass.h"
#include "operation.h"
#include <inttypes.h>
#include <stdlib.h>

/* A stream of the device. */
struct stream {
	int64_t number, ns;
	uint32_t computing; /* kernels that are no collectives, graphs */
	uint32_t id; /* in order of first sight */
};

struct maker {
	struct layer_seq *s;
	const struct attribution *at;
	const struct cycle_rows *cycles;
	struct names numbers; /* of streams; id = id + 1 */
	struct names operations; /* id = symbol - kernels_n + 1 */
	struct stream *streams;
	uint32_t cap;
};

static bool device_find(const struct profile *p, int32_t asked, int32_t *device,
	struct err *e)
{
	char used[120] = "";
	size_t len = 0;

	*device = asked;
	for (uint32_t i = 0; asked >= 0 && i < p->devices_n; i++) {
		if (p->devices[i].number == asked)
			return true;
		if (len < sizeof used - 24)
			len += (size_t)snprintf(used + len, sizeof used - len,
				"%s%" PRId32, len ? ", " : "",
				p->devices[i].number);
	}
	if (asked >= 0)
		return err_set(e, ERR_NOT_FOUND,
			"the run used no device %" PRId32
			"; devices it used: %s",
			asked, *used ? used : "none");
	int64_t most_ns = -1;
	for (uint32_t i = 0; i < p->devices_n; i++)
		if (p->devices[i].busy_ns > most_ns) {
			most_ns = p->devices[i].busy_ns;
			*device = p->devices[i].number;
		}
	return true;
}

static bool stream_of(struct maker *m, int64_t number, uint32_t *id)
{
	uint32_t found =
		names_put(&m->numbers, (const char *)&number, sizeof number);

	if (found == NAMES_NONE)
		return false;
	*id = found - 1;
	if (*id >= m->cap) {
		uint32_t cap = m->cap ? m->cap * 2 : 16;
		struct stream *grown = arena_grow(m->s->arena, m->streams,
			(size_t)cap * sizeof *grown);
		if (!grown)
			return false;
		m->streams = grown;
		m->cap = cap;
	}
	if (*id == m->s->lanes) {
		m->streams[*id] =
			(struct stream){ .number = number, .id = *id };
		m->s->lanes++;
	}
	return true;
}

/* `item` lacks its lane; its pass is a cycle for now. */
static bool add(struct maker *m, struct layer_item item, int64_t stream,
	bool computing)
{
	if (!stream_of(m, stream, &item.lane))
		return false;
	m->streams[item.lane].ns += item.dur_ns;
	m->streams[item.lane].computing += computing;
	m->s->items[m->s->n++] = item;
	return true;
}

static bool add_kernel(struct maker *m, uint32_t row)
{
	const struct attribution *at = m->at;
	const struct kernel_rows *k = &at->trace->kernel;
	uint32_t i = row - at->proc->kernel.from;
	uint32_t kernel = at->kernel_of[i];
	const struct operator_info *rule = at->by_rule[kernel];
	bool collective = family_is_collective(
		at->profile->kernels[kernel].source.family);

	return add(m,
		(struct layer_item){ .start_ns = k->start_ns[row],
			.dur_ns = k->dur_ns[row],
			.row = i,
			.symbol = kernel,
			.pass = m->cycles->kernel[i],
			.kind = LAYER_KERNEL,
			.is = &at->of[i] },
		k->stream[row], !collective && !(rule && rule->collective));
}

static bool symbol_of(struct maker *m, const char *operation, uint32_t *symbol)
{
	uint32_t id = names_put(&m->operations, operation, strlen(operation));

	*symbol = m->at->profile->kernels_n + id - 1;
	return id != NAMES_NONE;
}

static bool add_copy(struct maker *m, uint32_t row)
{
	const struct copy_rows *c = &m->at->trace->copy;
	const struct name *name = &m->at->trace->names.list[c->name[row]];
	const char *operation =
		operation_of(name->text, name->len, c->is_set[row]);
	uint32_t i = row - m->at->proc->copy.from, symbol;

	return symbol_of(m, *operation ? operation : "[copy]", &symbol) &&
	       add(m,
		       (struct layer_item){ .start_ns = c->start_ns[row],
			       .dur_ns = c->dur_ns[row],
			       .row = i,
			       .symbol = symbol,
			       .pass = m->cycles->copy[i],
			       .kind = LAYER_COPY },
		       c->stream[row], false);
}

/* A graph that is made executable again is the same graph. */
static bool add_graph(struct maker *m, uint32_t row)
{
	const struct graph_rows *g = &m->at->trace->graph;
	uint32_t i = row - m->at->proc->graph.from, symbol;
	char operation[64] = "[CUDA graph]";

	if (g->graph_id[row] >= 0)
		snprintf(operation, sizeof operation,
			"[CUDA graph %" PRId64 "]", g->graph_id[row]);
	return symbol_of(m, operation, &symbol) &&
	       add(m,
		       (struct layer_item){ .start_ns = g->start_ns[row],
			       .dur_ns = g->dur_ns[row],
			       .row = i,
			       .symbol = symbol,
			       .pass = m->cycles->graph[i],
			       .kind = LAYER_GRAPH },
		       g->stream[row], true);
}

/* The next row of a kind on the device, and when it starts. */
static int64_t next(const int64_t *start_ns, const int32_t *device, int32_t on,
	uint32_t to, uint32_t *row)
{
	while (*row < to && device[*row] != on)
		++*row;
	return *row < to ? start_ns[*row] : INT64_MAX;
}

static bool merge(struct maker *m)
{
	const struct trace *t = m->at->trace;
	const struct process *p = m->at->proc;
	uint32_t k = p->kernel.from, c = p->copy.from, g = p->graph.from;
	int32_t on = m->s->device;

	for (;;) {
		int64_t kernel = next(t->kernel.start_ns, t->kernel.device, on,
			p->kernel.to, &k);
		int64_t copy = next(t->copy.start_ns, t->copy.device, on,
			p->copy.to, &c);
		int64_t graph = next(t->graph.start_ns, t->graph.device, on,
			p->graph.to, &g);
		bool ok = true;
		if (k < p->kernel.to && kernel <= copy && kernel <= graph)
			ok = add_kernel(m, k++);
		else if (c < p->copy.to && copy <= graph)
			ok = add_copy(m, c++);
		else if (g < p->graph.to)
			ok = add_graph(m, g++);
		else
			return true;
		if (!ok)
			return false;
	}
}

static int by_time(const void *left, const void *right)
{
	const struct stream *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static void main_first(struct stream *list, uint32_t n)
{
	uint32_t best = 0;

	qsort(list, n, sizeof *list, by_time);
	for (uint32_t i = 1; i < n; i++)
		if (list[i].computing > list[best].computing)
			best = i;
	struct stream first = list[best];
	memmove(list + 1, list, best * sizeof *list);
	list[0] = first;
}

static bool number_lanes(struct maker *m)
{
	struct layer_seq *s = m->s;
	size_t n = (size_t)s->lanes + 1;
	int64_t *streams = arena_array(s->arena, int64_t, n);
	uint32_t *lane_of = arena_grow(s->arena, NULL, n * sizeof *lane_of);

	if (streams && lane_of && s->lanes)
		main_first(m->streams, s->lanes);
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

static bool name_symbols(struct maker *m)
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

static bool items_from(struct maker *m)
{
	const struct process *p = m->at->proc;
	struct layer_seq *s = m->s;
	size_t n = (size_t)(p->kernel.to - p->kernel.from) +
		   (p->copy.to - p->copy.from) + (p->graph.to - p->graph.from);

	s->items = arena_grow(s->arena, NULL, (n + 1) * sizeof *s->items);
	bool ok = s->items && names_init(&m->numbers, s->arena) &&
		  names_init(&m->operations, s->arena) && merge(m) &&
		  number_lanes(m) && name_symbols(m);
	arena_drop(s->arena, m->streams);
	return ok;
}

bool layer_seq_from(struct layer_seq *s, const struct attribution *at,
	const struct cycle_rows *cycles, const struct breakdown_asked *asked,
	struct err *e)
{
	static const struct breakdown_asked nothing = { .device = -1,
		.stratum = -1 };
	struct maker m = { .s = s, .at = at, .cycles = cycles };

	if (!asked)
		asked = &nothing;
	*s = (struct layer_seq){ .trace = at->trace,
		.proc = at->proc,
		.profile = at->profile,
		.catalog = at->catalog,
		.stratum = LAYER_NONE,
		.arena = at->arena };
	if (!device_find(at->profile, asked->device, &s->device, e))
		return false;
	if (!items_from(&m) || !layer_frames(s, at))
		return arena_err(s->arena, e);
	return layer_passes(s, asked->stratum, e);
}

void layer_seq_release(struct layer_seq *s)
{
	if (s->arena)
		arena_drop(s->arena, s->items);
	s->items = NULL;
	s->n = 0;
}
