/* attribute_node.c - each node is asked once per operator that its kernel's name
 * tells; then the kernels of each replay are put together into calls. */
#include "attribute_node.h"
#include "ids.h"
#include "range_operator.h"

enum {
	DEPTH = 64, /* rows of a node that are looked at */
	STREAMS = 8, /* of a replay that are told apart */
};

struct node_told {
	const struct operator_info *by_rule; /* asked with this */
	struct range_told is;
	uint64_t open; /* stands for the ranges from the telling one outward */
	uint32_t from, to; /* rows of the node */
	bool asked;
};

struct nodes {
	struct attribution *x;
	struct range_reader reader;
	const struct node_rows *rows;
	struct node_told *told; /* by node, ascending */
	uint32_t told_n;
	uint64_t *open; /* by kernel row of the process; 0 none */
};

static bool nodes_init(struct nodes *s, struct arena *a)
{
	struct slice of = s->x->proc->node, kernels = s->x->proc->kernel;
	size_t n = of.to - of.from;

	s->told = arena_grow(a, NULL, n * sizeof *s->told);
	s->open = arena_grow(a, NULL,
		((size_t)(kernels.to - kernels.from) + 1) * sizeof *s->open);
	if (!s->told || !s->open || !range_reader_init(&s->reader, s->x, a))
		return false;
	for (uint32_t i = of.from; i < of.to; i++) {
		if (i == of.from || s->rows->node[i] != s->rows->node[i - 1])
			s->told[s->told_n++].from = i;
		s->told[s->told_n - 1].to = i + 1;
	}
	return true;
}

static struct node_told *find(const struct nodes *s, int64_t node)
{
	uint32_t low = 0, high = s->told_n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		int64_t is = s->rows->node[s->told[mid].from];
		if (is == node)
			return &s->told[mid];
		if (is < node)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* The texts by depth, the first told of each. */
static void stack_of(const struct nodes *s, const struct node_told *of,
	uint32_t names[static DEPTH])
{
	for (uint32_t i = of->from; i < of->to && i < of->from + DEPTH; i++) {
		uint8_t depth = s->rows->depth[i];
		if (depth < DEPTH && !names[depth])
			names[depth] = s->rows->name[i];
	}
}

static uint64_t mixed(const uint32_t *names, uint32_t from)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (uint32_t i = from; i < DEPTH; i++)
		if (names[i])
			h = (h ^ names[i]) * 0x100000001b3u;
	return h ? h : 1;
}

/* Sizes of the same operator told by a range further out. */
static bool sizes_around(struct nodes *s, const uint32_t *names, uint32_t at,
	struct range_told *is)
{
	for (uint32_t i = at + 1; i < DEPTH; i++) {
		const struct range_told *told =
			range_told_name(&s->reader, names[i]);
		if (!told)
			return false;
		if (told->tells == RANGE_TELLS_NOTHING)
			continue;
		if (told->operator!= is->operator)
			return true;
		if (told->sizes) {
			is->sizes = told->sizes;
			return true;
		}
	}
	return true;
}

static bool ask(struct nodes *s, struct node_told *n)
{
	uint32_t names[DEPTH] = { 0 }, at = 0;
	const struct range_told *told = NULL;

	stack_of(s, n, names);
	n->is = (struct range_told){ 0 };
	n->asked = true;
	for (; at < DEPTH; at++) {
		told = range_told_name(&s->reader, names[at]);
		if (!told)
			return false;
		if (told->tells != RANGE_TELLS_NOTHING)
			break;
	}
	if (at == DEPTH)
		return true;
	n->open = mixed(names, at);
	if (told->tells == RANGE_TELLS_LAYER)
		return range_layer(&s->reader, names[at], n->by_rule, &n->is);
	if (range_contradicted(told->operator, n->by_rule))
		return true;
	n->is = *told;
	return n->is.sizes || sizes_around(s, names, at, &n->is);
}

static bool take(struct nodes *s, uint32_t i)
{
	struct attribution *x = s->x;
	struct attributed *to = &x->of[i];
	int64_t node = x->trace->kernel.graph_node[x->proc->kernel.from + i];
	struct node_told *n = node > 0 && !to->operator? find(s, node) : NULL;

	if (!n)
		return true;
	const struct operator_info *by_rule = x->by_rule[x->kernel_of[i]];
	if (!n->asked || n->by_rule != by_rule) {
		n->by_rule = by_rule;
		if (!ask(s, n))
			return false;
	}
	if (!n->is.operator)
		return true;
	to->operator= n->is.operator;
	to->sizes = n->is.sizes;
	to->known = KNOWN_NODE;
	to->call = x->calls++;
	s->open[i] = n->open;
	return true;
}

/* The launches of one replay, in order of start. */
static void replay_calls(struct nodes *s, const uint32_t *rows, uint32_t n)
{
	struct attribution *x = s->x;
	struct {
		int64_t stream;
		uint32_t kernel;
	} last[STREAMS];
	uint32_t streams = 0, k;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t kernel = rows[i] - x->proc->kernel.from;
		int64_t stream = x->trace->kernel.stream[rows[i]];
		for (k = 0; k < streams && last[k].stream != stream; k++)
			;
		if (k == STREAMS)
			continue;
		if (k < streams && s->open[kernel] &&
			s->open[kernel] == s->open[last[k].kernel] &&
			x->of[kernel].operator== x->of[last[k].kernel].operator)
			x->of[kernel].call = x->of[last[k].kernel].call;
		last[k].stream = stream;
		last[k].kernel = kernel;
		streams += k == streams;
	}
}

static bool calls(struct nodes *s, struct arena *a)
{
	const struct trace *t = s->x->trace;
	struct ids x;

	if (!ids_from(&x, a, t->kernel.correlation, s->x->proc->kernel))
		return false;
	for (uint32_t i = 0, to; i < x.n; i = to) {
		for (to = i + 1; to < x.n && x.id[to] == x.id[i];)
			to++;
		replay_calls(s, x.row + i, to - i);
	}
	ids_release(&x, a);
	return true;
}

bool attribute_nodes(struct attribution *x)
{
	struct arena scratch = arena_scratch(x->arena);
	struct nodes s = { .x = x, .rows = &x->trace->node };
	bool ok = true;

	if (x->proc->node.from < x->proc->node.to) {
		ok = nodes_init(&s, &scratch);
		for (uint32_t i = 0;
			ok && i < x->proc->kernel.to - x->proc->kernel.from;
			i++)
			ok = take(&s, i);
		ok = ok && calls(&s, &scratch);
	}
	arena_scratch_release(&scratch, x->arena);
	return ok;
}
