/* attribute_range.c - attributes launches by the ranges that were open around
 * them.
 *
 * One sweep opens ranges in order. Each thread has a stack of open ranges whose
 * names give an operator, a module or a layer. Each launch then reads the
 * ranges that were open when its API call began.
 *
 * Ranges are open while a CUDA graph is captured, but not while it is replayed.
 * Therefore a collector stores with each graph node the ranges that were open
 * when the node was made (rows `node` of the trace). A replayed kernel that
 * names its node belongs to the operator of the innermost of these ranges that
 * gives one. A range further out may add the shape, if it gives the same
 * operator. A range that gives a collective kernel an operator that is not a
 * collective is ignored, and vice versa.
 *
 * Consecutive kernels of one replay and stream are one operator call if the
 * same ranges were open at their nodes, from the range that gives the operator
 * outward. emit_nvtx numbers its ranges, so two calls have different ranges.
 * Each node is read once per operator that its kernel's name gives. */
#include "attribute_sources.h"
#include "correlation.h"
#include "range_operator.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Reads what the name of a range gives: nothing, an operator, a layer or a
 * module. Each name is read once; equal dims share one shape. */

enum range_gives {
	RANGE_GIVES_NOTHING,
	RANGE_GIVES_OPERATOR, /* and perhaps its sizes */
	RANGE_GIVES_LAYER,
	RANGE_GIVES_MODULE,
};

struct range_operator {
	enum range_gives gives;
	const struct operator_info *op; /* not of a layer */
	const struct shape *sizes; /* NULL unknown */
};

struct range_operator_reader {
	struct attribution *x;
	uint32_t *place_of; /* by name of the trace: index in `given`, + 1 */
	struct range_operator *given;
	uint32_t given_n, given_cap;
	struct names sized; /* host operator, NUL, dims: struct shape */
	const struct shape **shapes; /* by id */
	uint32_t shapes_cap;
	struct arena *arena; /* scratch */
	bool noting; /* add notes about sizes that cannot be read */
};

static bool attribute_range_reader_init(struct range_operator_reader *r,
	struct attribution *x, struct arena *scratch)
{
	*r = (struct range_operator_reader){ .x = x, .arena = scratch };
	r->place_of = arena_grow(scratch, NULL,
		x->trace->names.n * sizeof *r->place_of);
	return r->place_of && names_init(&r->sized, scratch);
}

static bool attribute_range_reader_reserve(struct arena *a, void **list,
	size_t each, uint32_t *cap, uint32_t n)
{
	uint32_t more = n * 2 + 64;

	if (n < *cap)
		return true;
	void *grown = arena_grow(a, *list, more * each);
	if (!grown)
		return false;
	*list = grown;
	*cap = more;
	return true;
}

/* Reads the shape from the dims with which an operator was called. False if the
 * arena is full. */
static bool attribute_range_reader_shape(struct range_operator_reader *r,
	const char *op, const struct operator_info *is, const char *dims,
	size_t len, const struct shape **out)
{
	size_t op_len = strlen(op) + 1;
	char *key = arena_grow(r->arena, NULL, op_len + len + 1);
	uint32_t known = r->sized.n;

	*out = NULL;
	if (!key)
		return false;
	memcpy(key, op, op_len);
	for (size_t i = 0; i < len; i++)
		if (dims[i] != ' ')
			key[op_len++] = dims[i];
	uint32_t id = names_put(&r->sized, key, op_len);
	arena_drop(r->arena, key);
	void *shapes = (void *)r->shapes;
	if (id == NAMES_NONE ||
		!attribute_range_reader_reserve(r->arena, &shapes,
			sizeof *r->shapes, &r->shapes_cap, id))
		return false;
	r->shapes = shapes;
	if (id == known) {
		const char *text = names_text(&r->sized, id) + strlen(op) + 1;
		r->shapes[id] = NULL;
		enum input_shape_result how =
			input_shape_from(&r->x->host->sizes, op, is,
				&(struct input_texts){ .dims = text },
				&r->shapes[id]);
		if (how == INPUT_SHAPE_FULL)
			return false;
		if (how != INPUT_SHAPE_FOUND)
			r->shapes[id] = NULL;
		if (how == INPUT_SHAPE_UNREADABLE && r->noting)
			note_add(&r->x->profile->notes, NOTE_dims_unreadable, 1,
				text, strlen(text));
	}
	*out = r->shapes[id];
	return true;
}

static bool attribute_range_reader_from_nvtx(struct range_operator_reader *r,
	const char *text, const struct nvtx_op *op, struct range_operator *out)
{
	out->op = catalog_op(r->x->catalog, text, op->name_len);
	if (!out->op)
		return true;
	out->gives = RANGE_GIVES_OPERATOR;
	if (!op->sizes)
		return true;
	char *name = arena_grow(r->arena, NULL, op->name_len + 1);
	if (!name)
		return false;
	memcpy(name, text, op->name_len);
	bool ok = attribute_range_reader_shape(r, name, out->op, op->sizes,
		op->sizes_len, &out->sizes);
	arena_drop(r->arena, name);
	return ok;
}

/* Reads a user's range such as "rms_norm bf16 tokens=16 hidden=4096". */
static bool attribute_range_reader_from_user(struct range_operator_reader *r,
	const char *text, struct range_operator *out)
{
	struct arena *a = r->x->arena;
	enum { NAME = 64 };
	char name[NAME];
	size_t len = strcspn(text, " ");
	struct err e = { 0 };

	if (len >= NAME || !text[len] || !strchr(text + len, '='))
		return true;
	memcpy(name, text, len);
	name[len] = '\0';
	const struct operator_info *is = catalog_operator(r->x->catalog, name);
	if (!is)
		return true;
	const char *rest = text + len + 1;
	enum dtype dtype = dtype_from(rest, strcspn(rest, " "));
	if (dtype != DTYPE_UNKNOWN)
		rest += strcspn(rest, " ") + 1;
	struct shape *shape = arena_new(a, struct shape);
	if (!shape || !shape_read(rest, dtype, a, shape, &e))
		return !a->full;
	*out = (struct range_operator){ RANGE_GIVES_OPERATOR, is, shape };
	return true;
}

/* Reads a module's name such as "nn.Module: Qwen2RMSNorm_3". */
static void
attribute_range_reader_from_module(const struct range_operator_reader *r,
	const char *text, struct range_operator *out)
{
	static const char front[] = "nn.Module: ";

	if (!strncmp(text, front, sizeof front - 1))
		text += sizeof front - 1;
	size_t len = strlen(text), digits = len;
	while (digits && text[digits - 1] >= '0' && text[digits - 1] <= '9')
		digits--;
	if (digits && digits < len && text[digits - 1] == '_')
		len = digits - 1;
	out->op = catalog_module(r->x->catalog, text, len);
	if (out->op)
		out->gives = RANGE_GIVES_MODULE;
}

static bool attribute_range_reader_read(struct range_operator_reader *r,
	uint32_t id, bool module, struct range_operator *out)
{
	const struct name *name = &r->x->trace->names.list[id];
	struct layer_text layer;
	struct nvtx_op op;

	*out = (struct range_operator){ 0 };
	if (module) {
		attribute_range_reader_from_module(r, name->text, out);
		return true;
	}
	if (range_operator_parse_nvtx(name->text, &op))
		return attribute_range_reader_from_nvtx(r, name->text, &op,
			out);
	if (name->text[0] == '{') {
		if (range_operator_parse_layer(name->text, &layer))
			out->gives = RANGE_GIVES_LAYER;
		return true;
	}
	out->op = catalog_op(r->x->catalog, name->text, name->len);
	if (out->op) {
		out->gives = RANGE_GIVES_OPERATOR;
		return true;
	}
	return attribute_range_reader_from_user(r, name->text, out);
}

static const struct range_operator *attribute_range_reader_lookup(
	struct range_operator_reader *r, uint32_t name, bool module)
{
	uint32_t *place = &r->place_of[name];

	if (!*place) {
		void *list = r->given;
		if (!attribute_range_reader_reserve(r->arena, &list,
			    sizeof *r->given, &r->given_cap, r->given_n))
			return NULL;
		r->given = list;
		if (!attribute_range_reader_read(r, name, module,
			    &r->given[r->given_n]))
			return NULL;
		*place = ++r->given_n;
	}
	return &r->given[*place - 1];
}

/* What a range gives, by its row. The result is valid until the next call of
 * this function or of attribute_range_reader_of_name(). NULL if the arena is
 * full. */
static const struct range_operator *
attribute_range_reader_of_row(struct range_operator_reader *r, uint32_t row)
{
	static const struct range_operator nothing = { 0 };
	const struct range_rows *rows = &r->x->trace->range;
	uint8_t kind = rows->kind[row];

	if (kind != RANGE_ANNOTATION && kind != RANGE_MODULE)
		return &nothing;
	return attribute_range_reader_lookup(r, rows->name[row],
		kind == RANGE_MODULE);
}

/* What an annotation gives, by its name's id in the trace. */
static const struct range_operator *
attribute_range_reader_of_name(struct range_operator_reader *r, uint32_t name)
{
	return attribute_range_reader_lookup(r, name, false);
}

/* Whether only one of the two, the kernel's name and the range, gives a
 * collective. */
static bool attribute_range_contradicted(const struct operator_info *is,
	const struct operator_info *by_rule)
{
	assert(is); /* a range that gives an operator or a module has one */
	return by_rule && by_rule->collective != is->collective;
}

struct attribute_range_dims_text {
	char text[2 * LAYER_DIMS * 24];
	size_t len;
};

static void attribute_range_dims_add(struct attribute_range_dims_text *d,
	const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void attribute_range_dims_add(struct attribute_range_dims_text *d,
	const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	int len =
		vsnprintf(d->text + d->len, sizeof d->text - d->len, fmt, args);
	va_end(args);
	assert(len >= 0 && (size_t)len < sizeof d->text - d->len);
	d->len += (size_t)len;
}

static void attribute_range_dims_add_tensor(struct attribute_range_dims_text *d,
	const struct layer_tensor *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		attribute_range_dims_add(d, "%c%lld", i ? ',' : '[',
			(long long)t->dims[i]);
	attribute_range_dims_add(d, "]");
}

/* Reads the shape from the first input and the weight of a layer's range. They
 * are written as the Input Dims of a host operator. */
static bool attribute_range_layer_shape(struct range_operator_reader *r,
	const char *op, const struct operator_info *is,
	const struct layer_text *l, const struct layer_tensor *weight,
	struct range_operator *out)
{
	struct attribute_range_dims_text d = { .len = 0 };

	attribute_range_dims_add(&d, "[");
	attribute_range_dims_add_tensor(&d, &l->inputs[0]);
	if (weight->n) {
		attribute_range_dims_add(&d, ",");
		attribute_range_dims_add_tensor(&d, weight);
	}
	attribute_range_dims_add(&d, "]");
	*out = (struct range_operator){ RANGE_GIVES_LAYER, is, NULL };
	bool ok = attribute_range_reader_shape(r, op, is, d.text, d.len,
		&out->sizes);
	if (!out->sizes)
		*out = (struct range_operator){ 0 };
	return ok;
}

static bool attribute_range_in_group(const struct operator_info *is,
	const char *group)
{
	return is && !strcmp(is->group, group);
}

/* Finds the operator and shape of a launch within a layer's range of this name.
 * `by_rule` is the operator that the kernel's name alone gives, or NULL.
 * out->op is NULL if the range gives no shape of that operator. False if the
 * arena is full. */
static bool attribute_range_reader_layer(struct range_operator_reader *r,
	uint32_t name, const struct operator_info *by_rule,
	struct range_operator *out)
{
	struct layer_text l;

	*out = (struct range_operator){ 0 };
	if (!range_operator_parse_layer(names_text(&r->x->trace->names, name),
		    &l) ||
		l.inputs[0].n == 0)
		return true;
	int64_t last = l.inputs[0].dims[l.inputs[0].n - 1];
	struct layer_tensor weight = l.weight;
	if (l.in_features >= 0 && l.out_features >= 0)
		weight = (struct layer_tensor){
			{ l.out_features, l.in_features }, 2
		};
	if (weight.n == 2 && weight.dims[1] == last &&
		attribute_range_in_group(by_rule, "gemm"))
		return attribute_range_layer_shape(r, "aten::linear", by_rule,
			&l, &weight, out);
	if (weight.n == 1 && weight.dims[0] == last &&
		attribute_range_in_group(by_rule, "norm"))
		return attribute_range_layer_shape(r, by_rule->name, by_rule,
			&l, &weight, out);
	if (l.params == 0 && l.inputs_n == 1 &&
		attribute_range_in_group(by_rule, "activation"))
		return attribute_range_layer_shape(r, by_rule->name, by_rule,
			&l, &weight, out);
	return true;
}

struct attribute_range_sweep {
	struct attribution *x;
	struct range_operator_reader reader;
	const struct range_rows *rows;
	uint32_t *top; /* by thread; row + 1 */
	uint32_t *
		below; /* by row of the slice: row + 1 of the range around it */
	uint32_t *open; /* by API call: row + 1 of the innermost open range */
	uint32_t *
		call; /* by row of the slice: number + 1 of its operator call */
	bool any;
};

static int64_t attribute_range_end_of(const struct attribute_range_sweep *s,
	uint32_t row)
{
	return s->rows->start_ns[row] + s->rows->dur_ns[row];
}

static void attribute_range_close(struct attribute_range_sweep *s,
	uint32_t thread, int64_t at_ns)
{
	uint32_t *top = &s->top[thread];

	while (*top && attribute_range_end_of(s, *top - 1) <= at_ns)
		*top = s->below[*top - 1 - s->x->proc->range.from];
}

static bool attribute_range_open(struct attribute_range_sweep *s, uint32_t row)
{
	uint32_t thread = s->rows->thread[row];
	const struct range_operator *given =
		attribute_range_reader_of_row(&s->reader, row);

	if (!given || given->gives == RANGE_GIVES_NOTHING || !thread)
		return given;
	attribute_range_close(s, thread, s->rows->start_ns[row]);
	s->below[row - s->x->proc->range.from] = s->top[thread];
	s->top[thread] = row + 1;
	s->any = true;
	return true;
}

static bool attribute_range_sweep_calls(struct attribute_range_sweep *s)
{
	const struct process *proc = s->x->proc;
	const struct call_rows *c = &s->x->trace->call;
	uint32_t row = proc->range.from;

	for (uint32_t i = proc->call.from; i < proc->call.to; i++) {
		while (row < proc->range.to &&
			s->rows->start_ns[row] <= c->start_ns[i])
			if (!attribute_range_open(s, row++))
				return false;
		attribute_range_close(s, c->thread[i], c->start_ns[i]);
		s->open[i - proc->call.from] =
			c->thread[i] ? s->top[c->thread[i]] : 0;
	}
	return true;
}

/* The shape of the same operator, if a range further out gives it. */
static const struct shape *
attribute_range_shape_around(struct attribute_range_sweep *s, uint32_t row,
	const struct operator_info *is, int64_t at_ns)
{
	for (uint32_t at = s->below[row - s->x->proc->range.from]; at;
		at = s->below[at - 1 - s->x->proc->range.from]) {
		const struct range_operator *given =
			attribute_range_reader_of_row(&s->reader, at - 1);
		if (!given || given->op != is)
			return NULL;
		if (given->sizes && attribute_range_end_of(s, at - 1) > at_ns)
			return given->sizes;
	}
	return NULL;
}

/* Finds what the innermost range around an API call gives; *row is that
 * range. */
static bool attribute_range_innermost(struct attribute_range_sweep *s,
	uint32_t call, const struct operator_info *by_rule,
	struct range_operator *out, uint32_t *row)
{
	int64_t at_ns = s->x->trace->call.start_ns[call];
	uint32_t at = s->open[call - s->x->proc->call.from];

	*out = (struct range_operator){ 0 };
	while (at && attribute_range_end_of(s, at - 1) <= at_ns)
		at = s->below[at - 1 - s->x->proc->range.from];
	if (!at)
		return true;
	const struct range_operator *given =
		attribute_range_reader_of_row(&s->reader, *row = at - 1);
	if (!given)
		return false;
	if (given->gives == RANGE_GIVES_LAYER)
		return attribute_range_reader_layer(&s->reader,
			s->rows->name[*row], by_rule, out);
	if (attribute_range_contradicted(given->op, by_rule))
		return true;
	/* A module may contain other operators than the one of its name. */
	if (given->gives == RANGE_GIVES_MODULE && by_rule &&
		by_rule->specific &&
		strcmp(by_rule->group, given->op->group) != 0)
		return true;
	*out = *given;
	if (!out->sizes && out->gives == RANGE_GIVES_OPERATOR)
		out->sizes =
			attribute_range_shape_around(s, *row, out->op, at_ns);
	return true;
}

/* Attributes a launch. `sized`: uses only ranges that give an operator with its
 * shape. */
static bool attribute_range_set(struct attribute_range_sweep *s, uint32_t call,
	const struct operator_info *by_rule, bool sized, struct attributed *to)
{
	struct range_operator is;
	uint32_t row = 0; /* set if `is` gives anything */

	if (to->op || call == CORRELATION_NONE)
		return true;
	if (!attribute_range_innermost(s, call, by_rule, &is, &row))
		return false;
	if (!is.op ||
		(sized && (is.gives != RANGE_GIVES_OPERATOR || !is.sizes)))
		return true;
	uint32_t *number = &s->call[row - s->x->proc->range.from];
	if (!*number)
		*number = ++s->x->calls;
	to->op = is.op;
	to->sizes = is.sizes;
	to->known = is.sizes ? KNOWN_SIZES : KNOWN_RANGE;
	to->call = *number - 1;
	return true;
}

static bool attribute_range_init(struct attribute_range_sweep *s,
	struct arena *a)
{
	const struct process *proc = s->x->proc;
	size_t ranges = (size_t)(proc->range.to - proc->range.from) + 1;
	size_t calls = (size_t)(proc->call.to - proc->call.from) + 1;

	s->top = arena_grow(a, NULL, s->x->trace->names.n * sizeof *s->top);
	s->below = arena_grow(a, NULL, ranges * sizeof *s->below);
	s->call = arena_grow(a, NULL, ranges * sizeof *s->call);
	s->open = arena_grow(a, NULL, calls * sizeof *s->open);
	return s->top && s->below && s->call && s->open &&
	       attribute_range_reader_init(&s->reader, s->x, a);
}

static bool attribute_range_launches(struct attribute_range_sweep *s,
	bool sized)
{
	struct attribution *x = s->x;
	const struct call_rows *c = &x->trace->call;

	for (uint32_t i = 0; i < x->proc->kernel.to - x->proc->kernel.from; i++)
		if (!attribute_op_replayed(x, i) &&
			!attribute_range_set(s, x->call_of[i],
				x->by_rule[x->kernel_of[i]], sized, &x->of[i]))
			return false;
	for (uint32_t i = 0; i < x->captured_n; i++) {
		uint32_t call = x->captured[i];
		const struct name *kernel =
			&x->trace->names.list[c->kernel[call]];
		if (!attribute_range_set(s, call,
			    catalog_kernel_operator(x->catalog, kernel->text,
				    kernel->len),
			    sized, &x->of_captured[i]))
			return false;
	}
	return true;
}

static bool attribute_range_pass(struct attribution *x, bool sized)
{
	struct arena scratch = arena_scratch(x->arena);
	struct attribute_range_sweep s = { .x = x, .rows = &x->trace->range };
	bool ok = true;

	if (x->proc->range.from < x->proc->range.to) {
		ok = attribute_range_init(&s, &scratch);
		s.reader.noting = sized; /* only in one of the two sweeps */
		ok = ok && attribute_range_sweep_calls(&s) &&
		     (!s.any || attribute_range_launches(&s, sized));
	}
	arena_scratch_release(&scratch, x->arena);
	return ok;
}

bool attribute_range_shapes(struct attribution *x)
{
	return attribute_range_pass(x, true);
}

enum {
	NODE_DEPTH = 64, /* rows of a node that are read */
	STREAMS = 8, /* streams of a replay that are distinguished */
};

struct attribute_range_node {
	const struct operator_info *by_rule; /* with which `is` was read */
	struct range_operator is;
	uint64_t open; /* hash of the ranges from the giving one outward */
	uint32_t from, to; /* rows of the node */
	bool read;
};

struct attribute_range_node_reader {
	struct attribution *x;
	struct range_operator_reader reader;
	const struct node_rows *rows;
	struct attribute_range_node *nodes; /* by node, ascending */
	uint32_t nodes_n;
	uint64_t *open; /* by kernel row of the process; 0 none */
};

static bool attribute_range_nodes_init(struct attribute_range_node_reader *s,
	struct arena *a)
{
	struct slice of = s->x->proc->node, kernels = s->x->proc->kernel;
	size_t n = of.to - of.from;

	s->nodes = arena_grow(a, NULL, n * sizeof *s->nodes);
	s->open = arena_grow(a, NULL,
		((size_t)(kernels.to - kernels.from) + 1) * sizeof *s->open);
	if (!s->nodes || !s->open ||
		!attribute_range_reader_init(&s->reader, s->x, a))
		return false;
	for (uint32_t i = of.from; i < of.to; i++) {
		if (i == of.from || s->rows->node[i] != s->rows->node[i - 1])
			s->nodes[s->nodes_n++].from = i;
		s->nodes[s->nodes_n - 1].to = i + 1;
	}
	return true;
}

static struct attribute_range_node *attribute_range_node_find(
	const struct attribute_range_node_reader *s, int64_t node)
{
	uint32_t low = 0, high = s->nodes_n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		int64_t is = s->rows->node[s->nodes[mid].from];
		if (is == node)
			return &s->nodes[mid];
		if (is < node)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* Stores the ids of a node's range names by depth; the first name of each depth
 * is used. */
static void attribute_range_node_stack(const struct attribute_range_node_reader
					       *s,
	const struct attribute_range_node *of,
	uint32_t names[static NODE_DEPTH])
{
	for (uint32_t i = of->from; i < of->to && i < of->from + NODE_DEPTH;
		i++) {
		uint8_t depth = s->rows->depth[i];
		if (depth < NODE_DEPTH && !names[depth])
			names[depth] = s->rows->name[i];
	}
}

static uint64_t attribute_range_node_hash(const uint32_t *names, uint32_t from)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (uint32_t i = from; i < NODE_DEPTH; i++)
		if (names[i])
			h = (h ^ names[i]) * 0x100000001b3u;
	return h ? h : 1;
}

/* Takes the shape of the same operator from a range further out, if one gives
 * it. */
static bool attribute_range_node_shape_around(struct attribute_range_node_reader
						      *s,
	const uint32_t *names, uint32_t at, struct range_operator *is)
{
	for (uint32_t i = at + 1; i < NODE_DEPTH; i++) {
		const struct range_operator *given =
			attribute_range_reader_of_name(&s->reader, names[i]);
		if (!given)
			return false;
		if (given->gives == RANGE_GIVES_NOTHING)
			continue;
		if (given->op != is->op)
			return true;
		if (given->sizes) {
			is->sizes = given->sizes;
			return true;
		}
	}
	return true;
}

static bool attribute_range_node_read(struct attribute_range_node_reader *s,
	struct attribute_range_node *n)
{
	uint32_t names[NODE_DEPTH] = { 0 }, at = 0;
	const struct range_operator *given = NULL;

	attribute_range_node_stack(s, n, names);
	n->is = (struct range_operator){ 0 };
	n->read = true;
	for (; at < NODE_DEPTH; at++) {
		given = attribute_range_reader_of_name(&s->reader, names[at]);
		if (!given)
			return false;
		if (given->gives != RANGE_GIVES_NOTHING)
			break;
	}
	if (at == NODE_DEPTH)
		return true;
	n->open = attribute_range_node_hash(names, at);
	if (given->gives == RANGE_GIVES_LAYER)
		return attribute_range_reader_layer(&s->reader, names[at],
			n->by_rule, &n->is);
	if (attribute_range_contradicted(given->op, n->by_rule))
		return true;
	n->is = *given;
	return n->is.sizes ||
	       attribute_range_node_shape_around(s, names, at, &n->is);
}

static bool attribute_range_node_set(struct attribute_range_node_reader *s,
	uint32_t i)
{
	struct attribution *x = s->x;
	struct attributed *to = &x->of[i];
	int64_t node = x->trace->kernel.graph_node[x->proc->kernel.from + i];
	struct attribute_range_node *n =
		node > 0 && !to->op ? attribute_range_node_find(s, node) : NULL;

	if (!n)
		return true;
	const struct operator_info *by_rule = x->by_rule[x->kernel_of[i]];
	if (!n->read || n->by_rule != by_rule) {
		n->by_rule = by_rule;
		if (!attribute_range_node_read(s, n))
			return false;
	}
	if (!n->is.op)
		return true;
	to->op = n->is.op;
	to->sizes = n->is.sizes;
	to->known = KNOWN_NODE;
	to->call = x->calls++;
	s->open[i] = n->open;
	return true;
}

/* Joins launches of one replay into operator calls. Rows are in order of
 * start. */
static void attribute_range_replay_calls(struct attribute_range_node_reader *s,
	const uint32_t *rows, uint32_t n)
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
			x->of[kernel].op == x->of[last[k].kernel].op)
			x->of[kernel].call = x->of[last[k].kernel].call;
		last[k].stream = stream;
		last[k].kernel = kernel;
		streams += k == streams;
	}
}

static bool attribute_range_node_calls(struct attribute_range_node_reader *s,
	struct arena *a)
{
	const struct trace *t = s->x->trace;
	struct ids x;

	if (!ids_from(&x, a, t->kernel.correlation, s->x->proc->kernel))
		return false;
	for (uint32_t i = 0, to; i < x.n; i = to) {
		for (to = i + 1; to < x.n && x.id[to] == x.id[i];)
			to++;
		attribute_range_replay_calls(s, x.row + i, to - i);
	}
	ids_release(&x, a);
	return true;
}

static bool attribute_range_nodes(struct attribution *x)
{
	struct arena scratch = arena_scratch(x->arena);
	struct attribute_range_node_reader s = { .x = x,
		.rows = &x->trace->node };
	bool ok = true;

	if (x->proc->node.from < x->proc->node.to) {
		ok = attribute_range_nodes_init(&s, &scratch);
		for (uint32_t i = 0;
			ok && i < x->proc->kernel.to - x->proc->kernel.from;
			i++)
			ok = attribute_range_node_set(&s, i);
		ok = ok && attribute_range_node_calls(&s, &scratch);
	}
	arena_scratch_release(&scratch, x->arena);
	return ok;
}

bool attribute_range_modules(struct attribution *x)
{
	return attribute_range_pass(x, false) && attribute_range_nodes(x);
}
