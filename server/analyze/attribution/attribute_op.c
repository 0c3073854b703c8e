/* attribute_op.c - attributes launches by the host operator that made the call.
 *
 * A launch belongs to the innermost host operator that the catalog has and that
 * was open on the API call's thread when the call began. The dims of that host
 * operator give the shape. If it has no dims, a host operator around it gives
 * them that is the same operator of the catalog.
 *
 * A launch without such a call is joined with a host operator by its External
 * id. External ids are not used if they repeat the correlation in most kernels
 * of the file. Replayed kernels are not attributed here, because their call is
 * the one that launched the graph.
 *
 * The rule over the kernel's name is used instead of the host operator if
 * - the host operator has the kernel's own name, like Inductor's Triton
 *   kernels; its dims give the shape;
 * - the rule gives a collective and the host operator is none (aten::copy_
 *   around an exchange), or vice versa;
 * - the kernel is work of its own below the host operator (catalog_fit: routing
 *   below experts).
 *
 * Host operators nest on a thread. One sweep over host operators and API calls
 * stores for each host operator the innermost one around it (itself included)
 * that the catalog has, the one whose dims it uses, and its place in the backward
 * pass. A lookup then needs one step, however deep the host operators nest. The
 * sweep needs about 28 bytes per host operator.
 *
 * Host operators also show which launches compute again what was computed before.
 * Activation checkpointing runs parts of the forward pass again in the backward
 * pass. The innermost node of autograd around a launch decides:
 * - none: the launch is in no backward pass, so it computes for the first time;
 * - a node of reentrant checkpointing: the launch is recomputed. The backward pass
 *   of the recomputed part has nodes of its own inside of that node;
 * - a node in which it is not recorded what is computed again, like that of a
 *   compiled backward pass: unknown;
 * - any other node: its gradient. Checkpointing that is not reentrant also
 *   recomputes there, when the node reads a saved tensor. It then enables
 *   gradients, so that autograd numbers the operators, while those of the gradient
 *   itself have no number. So a launch below a numbered operator is recomputed, if
 *   the same node has launches below operators without a number. If it has none,
 *   gradients of gradients may have been requested, and it is unknown. It is also
 *   unknown if the trace has no numbers, as before PyTorch 1.9.
 * Launches without a host operator, and those of graph replays, are unknown. Compiled
 * autograd runs the backward pass outside of nodes, and is taken for a forward
 * pass. */
#include "attribute_sources.h"
#include "correlation.h"
#include "input_shape.h"
#include <ctype.h>
#include <string.h>

/* It is hashed as bytes, so it has no padding. */
struct attribute_op_shape_key {
	uint32_t name, dims, types, concrete, own, of_launch;
};

/* The catalog operator of a host operator; NULL if there is none. */
static const struct operator_info *attribute_op_operator(struct attribute_host
								 *h,
	uint32_t row)
{
	uint32_t name = h->op->name[row];

	if (!h->looked_up[name]) {
		const struct name *n = &h->at->trace->names.list[name];
		h->looked_up[name] = 1;
		h->of_name[name] = catalog_op(h->at->catalog, n->text, n->len);
	}
	return h->of_name[name];
}

static uint32_t attribute_op_first(const struct attribute_host *h)
{
	return h->at->proc->op.from;
}

static void attribute_op_close(struct attribute_host *h, uint32_t thread,
	int64_t at_ns)
{
	const struct op_rows *op = h->op;
	uint32_t *top = &h->top[thread];

	while (*top && op->start_ns[*top - 1] + op->dur_ns[*top - 1] <= at_ns)
		*top = h->below[*top - 1 - attribute_op_first(h)];
}

/* What the name of a host operator shows about the backward pass. */
enum attribute_op_pass {
	ATTRIBUTE_OP_UNREAD,
	ATTRIBUTE_OP_NO_NODE,
	ATTRIBUTE_OP_ENGINE, /* evaluates a node, which is inside of it */
	ATTRIBUTE_OP_NODE,
	ATTRIBUTE_OP_CHECKPOINT, /* a node that recomputes */
	ATTRIBUTE_OP_OPAQUE, /* a node that may recompute */
};

/* Nodes are named after the function whose gradient they compute: MmBackward0,
 * or FooBackward of a Python class Foo. */
static enum attribute_op_pass attribute_op_pass_of_name(const char *name)
{
	static const char engine[] = "autograd::engine::evaluate_function",
			  node[] = "Backward";
	size_t len = strlen(name), tail = sizeof node - 1;

	if (!strncmp(name, engine, sizeof engine - 1))
		return ATTRIBUTE_OP_ENGINE;
	while (len && isdigit((unsigned char)name[len - 1]))
		len--;
	if (len < tail || memcmp(name + len - tail, node, tail) != 0)
		return ATTRIBUTE_OP_NO_NODE;
	/* torch.utils.checkpoint, Megatron-LM, DeepSpeed and fairscale */
	if (!strcmp(name, "CheckpointFunctionBackward"))
		return ATTRIBUTE_OP_CHECKPOINT;
	/* torch.compile, which chooses what it saves, and other checkpoints, of
	 * which it is not known when they recompute */
	return !strcmp(name, "CompiledFunctionBackward") ||
			       strstr(name, "heckpoint") ||
			       strstr(name, "ecompute")
		       ? ATTRIBUTE_OP_OPAQUE
		       : ATTRIBUTE_OP_NODE;
}

static enum attribute_op_pass attribute_op_pass(const struct attribute_host *h,
	uint32_t row)
{
	uint32_t name = h->op->name[row];

	if (h->pass[name] == ATTRIBUTE_OP_UNREAD)
		h->pass[name] = (uint8_t)attribute_op_pass_of_name(
			names_text(&h->at->trace->names, name));
	return h->pass[name];
}

/* The place of a launch in the backward pass, by its innermost host operator. */
struct attribute_op_place {
	uint32_t node; /* its row, or that of the engine's operator directly
		around it: hooks of the node run there */
	uint8_t pass; /* enum attribute_op_pass of the innermost node */
	bool inside; /* there are operators inside of the node, */
	bool numbered; /* and autograd numbered one of them */
};

static struct attribute_op_place attribute_op_place_of(
	const struct attribute_host *h, uint32_t row, uint32_t around)
{
	struct attribute_op_place p = { .node = row,
		.pass = (uint8_t)attribute_op_pass(h, row) };

	if (p.pass == ATTRIBUTE_OP_NO_NODE) {
		if (around)
			p = h->place[around - 1 - attribute_op_first(h)];
		p.inside = true;
		p.numbered |= h->op->numbered[row];
	} else if (around &&
		   attribute_op_pass(h, around - 1) == ATTRIBUTE_OP_ENGINE) {
		p.node = around - 1;
	}
	return p;
}

/* Whether texts are dims that contain a number. */
enum attribute_op_dims {
	ATTRIBUTE_OP_DIMS_UNREAD,
	ATTRIBUTE_OP_NO_DIMS,
	ATTRIBUTE_OP_DIMS,
};

static bool attribute_op_has_dims(const struct attribute_host *h, uint32_t row)
{
	uint32_t name = h->op->dims[row];

	if (h->has_dims[name] == ATTRIBUTE_OP_DIMS_UNREAD) {
		const char *dims = names_text(&h->at->trace->names, name);
		h->has_dims[name] = dims[strcspn(dims, "0123456789")]
					    ? ATTRIBUTE_OP_DIMS
					    : ATTRIBUTE_OP_NO_DIMS;
	}
	return h->has_dims[name] == ATTRIBUTE_OP_DIMS;
}

/* The row + 1 whose dims a host operator uses that is the operator `is` of the
 * catalog; 0 if there is none. */
static uint32_t attribute_op_with_dims(struct attribute_host *h, uint32_t row,
	const struct operator_info *is)
{
	uint32_t around = h->below[row - attribute_op_first(h)];

	if (attribute_op_has_dims(h, row))
		return row + 1;
	return around && attribute_op_operator(h, around - 1) == is
		       ? h->sized[around - 1 - attribute_op_first(h)]
		       : 0;
}

static void attribute_op_open(struct attribute_host *h, uint32_t row)
{
	uint32_t thread = h->op->thread[row], i = row - attribute_op_first(h);

	attribute_op_close(h, thread, h->op->start_ns[row]);
	uint32_t around = h->top[thread];
	h->below[i] = around;
	h->known[i] = attribute_op_operator(h, row) ? row + 1
		      : around ? h->known[around - 1 - attribute_op_first(h)]
			       : 0;
	h->sized[i] =
		attribute_op_with_dims(h, row, attribute_op_operator(h, row));
	h->place[i] = attribute_op_place_of(h, row, around);
	h->top[thread] = row + 1;
}

static void attribute_op_sweep(struct attribute_host *h)
{
	const struct process *proc = h->at->proc;
	const struct call_rows *c = &h->at->trace->call;
	uint32_t row = proc->op.from;

	for (uint32_t i = proc->call.from; i < proc->call.to; i++) {
		while (row < proc->op.to &&
			h->op->start_ns[row] <= c->start_ns[i])
			attribute_op_open(h, row++);
		attribute_op_close(h, c->thread[i], c->start_ns[i]);
		h->open[i - proc->call.from] =
			c->thread[i] ? h->top[c->thread[i]] : 0;
	}
	while (row < proc->op.to)
		attribute_op_open(h, row++);
}

/* Whether External ids identify operators: at most half of them repeat the
 * kernel's correlation. */
static bool attribute_op_ids_are_operators(const struct attribution *at)
{
	const struct kernel_rows *k = &at->trace->kernel;
	uint32_t there = 0, repeated = 0;

	for (uint32_t i = at->proc->kernel.from; i < at->proc->kernel.to; i++) {
		there += k->external_id[i] > 0;
		repeated += k->external_id[i] > 0 &&
			    k->external_id[i] == k->correlation[i];
	}
	return repeated <= there / 2;
}

bool attribute_op_init(struct attribute_host *h, const struct attribution *at)
{
	struct arena *a = at->arena;
	size_t names = at->trace->names.n;
	size_t ops = (size_t)(at->proc->op.to - at->proc->op.from) + 1;
	size_t calls = (size_t)(at->proc->call.to - at->proc->call.from) + 1;

	*h = (struct attribute_host){ .at = at, .op = &at->trace->op };
	h->of_name = arena_grow(a, NULL, names * sizeof *h->of_name);
	h->looked_up = arena_grow(a, NULL, names);
	h->pass = arena_grow(a, NULL, names);
	h->has_dims = arena_grow(a, NULL, names);
	h->top = arena_grow(a, NULL, names * sizeof *h->top);
	h->below = arena_grow(a, NULL, ops * sizeof *h->below);
	h->known = arena_grow(a, NULL, ops * sizeof *h->known);
	h->sized = arena_grow(a, NULL, ops * sizeof *h->sized);
	h->place = arena_grow(a, NULL, ops * sizeof *h->place);
	h->call = arena_grow(a, NULL, ops * sizeof *h->call);
	h->open = arena_grow(a, NULL, calls * sizeof *h->open);
	h->by_id = attribute_op_ids_are_operators(at);
	bool ok = h->of_name && h->looked_up && h->pass && h->has_dims &&
		  h->top && h->below && h->known && h->sized && h->place &&
		  h->call && h->open && names_init(&h->keys, a) &&
		  input_shape_init(&h->sizes, a) &&
		  (!h->by_id || ids_from(&h->ids, a, at->trace->op.external_id,
					at->proc->op));
	if (ok)
		attribute_op_sweep(h);
	return ok;
}

void attribute_op_release(struct attribute_host *h)
{
	struct arena *a = h->at->arena;

	arena_drop(a, h->of_name);
	arena_drop(a, h->looked_up);
	arena_drop(a, h->pass);
	arena_drop(a, h->has_dims);
	arena_drop(a, h->top);
	arena_drop(a, h->below);
	arena_drop(a, h->known);
	arena_drop(a, h->sized);
	arena_drop(a, h->place);
	arena_drop(a, h->call);
	arena_drop(a, h->open);
	arena_drop(a, h->shapes);
	input_shape_release(&h->sizes);
	ids_release(&h->ids, a);
}

uint32_t attribute_op_innermost(const struct attribute_host *h, uint32_t call,
	int64_t external_id)
{
	uint32_t open = call == CORRELATION_NONE
				? 0
				: h->open[call - h->at->proc->call.from];

	if (open || !h->by_id)
		return open ? open - 1 : ATTRIBUTE_NO_OP;
	struct slice found = ids_find(&h->ids, external_id);
	return found.from < found.to ? h->ids.row[found.from] : ATTRIBUTE_NO_OP;
}

/* The innermost host operator around a row, itself included, that the catalog
 * has; ATTRIBUTE_NO_OP if there is none. */
static uint32_t attribute_op_known(const struct attribute_host *h, uint32_t row)
{
	uint32_t known = h->known[row - attribute_op_first(h)];
	return known ? known - 1 : ATTRIBUTE_NO_OP;
}

/* Makes room for the shape of a key. */
static bool attribute_op_reserve(struct attribute_host *h, uint32_t id)
{
	uint32_t cap = h->shapes_cap ? h->shapes_cap * 2 : 256;

	if (id < h->shapes_cap)
		return true;
	void *grown = arena_grow(h->at->arena, h->shapes,
		(size_t)cap * sizeof *h->shapes);
	if (!grown)
		return false;
	h->shapes = grown;
	h->shapes_cap = cap;
	return true;
}

/* Reads the shape of a key that was not seen before; false if the arena is
 * full. */
static bool attribute_op_read(struct attribute_host *h,
	const struct attribute_op_shape_key *k, const struct operator_info *is,
	const struct shape **out)
{
	const struct names *texts = &h->at->trace->names;
	const struct name *dims = &texts->list[k->dims];
	const struct name *concrete = &texts->list[k->concrete];
	enum input_shape_result how = input_shape_from(&h->sizes,
		names_text(texts, k->name), is,
		&(struct input_texts){ dims->text, names_text(texts, k->types),
			concrete->text, k->of_launch },
		out);

	if (how == INPUT_SHAPE_FULL)
		return false;
	if (how == INPUT_SHAPE_UNREADABLE)
		note_add(&h->at->profile->notes, NOTE_dims_unreadable, 1,
			dims->text, dims->len);
	if (h->sizes.odd)
		note_add(&h->at->profile->notes, NOTE_concrete_unreadable, 1,
			concrete->text, concrete->len);
	return true;
}

/* Whether the name is one that TorchInductor gives to a kernel. It records the
 * launch of the kernel as a host operator of this name. */
static bool attribute_op_is_triton(const char *name)
{
	return !strncmp(name, "triton_", strlen("triton_"));
}

/* Whether a host operator is the launch of a kernel. A host operator that the
 * catalog lacks gives a shape only if it has the kernel's own name. */
static bool attribute_op_is_launch(struct attribute_host *h, uint32_t row)
{
	return !attribute_op_operator(h, row) ||
	       attribute_op_is_triton(
		       names_text(&h->at->trace->names, h->op->name[row]));
}

bool attribute_op_shape(struct attribute_host *h, uint32_t row,
	const struct operator_info *is, const struct shape **out)
{
	uint32_t sized = attribute_op_with_dims(h, row, is), x = sized - 1;
	uint32_t known = h->keys.n;

	*out = NULL;
	if (!sized)
		return true;
	struct attribute_op_shape_key k = { h->op->name[x], h->op->dims[x],
		h->op->types[x], h->op->concrete[x],
		attribute_op_operator(h, x) == is,
		attribute_op_is_launch(h, x) };
	uint32_t id = names_put(&h->keys, (const char *)&k, sizeof k);
	if (id == NAMES_NONE || !attribute_op_reserve(h, id))
		return false;
	if (id == known && !attribute_op_read(h, &k, is, &h->shapes[id]))
		return false;
	*out = h->shapes[id];
	return true;
}

static bool attribute_op_set(struct attribution *at, uint32_t row,
	const struct operator_info *is, struct attributed *to)
{
	uint32_t *call = &at->host->call[row - at->proc->op.from];

	if (!*call)
		*call = ++at->calls;
	to->op = is;
	to->call = *call - 1;
	bool ok = attribute_op_shape(at->host, row, is, &to->sizes);
	to->known = to->sizes ? KNOWN_OP_SIZES : KNOWN_OP;
	return ok;
}

/* Whether the rule over a kernel's name is used instead of the host operator:
 * the kernel is work of its own below that operator, or only one of the two is
 * a collective. */
static bool attribute_op_rule_wins(const struct operator_info *host,
	const struct operator_info *by_rule)
{
	return by_rule && (catalog_fit(host, by_rule) == FIT_HOLDS ||
				  by_rule->collective != host->collective);
}

static bool attribute_op_from_row(struct attribution *at, uint32_t row,
	const char *kernel, const struct operator_info *by_rule,
	struct attributed *to)
{
	if (row == ATTRIBUTE_NO_OP)
		return true;
	const struct name *op = &at->trace->names.list[at->trace->op.name[row]];
	bool own =
		!strcmp(op->text, kernel) || attribute_op_is_triton(op->text);
	if (own && by_rule && !attribute_op_operator(at->host, row))
		return attribute_op_set(at, row, by_rule, to);
	row = attribute_op_known(at->host, row);
	if (row == ATTRIBUTE_NO_OP)
		return true;
	const struct operator_info *is = attribute_op_operator(at->host, row);
	return attribute_op_rule_wins(is, by_rule) ||
	       attribute_op_set(at, row, is, to);
}

/* The operator that the rule over a name of the trace gives; NULL if none
 * does. */
static const struct operator_info *attribute_op_rule(const struct attribution
							     *at,
	uint32_t name)
{
	const struct name *n = &at->trace->names.list[name];
	return catalog_kernel_operator(at->catalog, n->text, n->len);
}

/* Attributes the launches that a stream capture recorded. */
static bool attribute_op_captured(struct attribution *at)
{
	const struct call_rows *c = &at->trace->call;

	for (uint32_t i = 0; i < at->captured_n; i++) {
		uint32_t call = at->captured[i];
		if (at->of_captured[i].op)
			continue;
		uint32_t row = attribute_op_innermost(at->host, call,
			c->external_id[call]);
		if (!attribute_op_from_row(at, row,
			    names_text(&at->trace->names, c->kernel[call]),
			    attribute_op_rule(at, c->kernel[call]),
			    &at->of_captured[i]))
			return false;
	}
	return true;
}

/* The innermost host operator of a launch; ATTRIBUTE_NO_OP if there is none, or
 * if it was replayed. */
static uint32_t attribute_op_of_launch(const struct attribution *at, uint32_t i)
{
	return attribute_op_replayed(at, i)
		       ? ATTRIBUTE_NO_OP
		       : attribute_op_innermost(at->host, at->call_of[i],
				 at->trace->kernel
					 .external_id[at->proc->kernel.from +
						      i]);
}

/* Notes the innermost host operator of each launch, which identifies its
 * tensors. */
static bool attribute_op_tensors(struct attribution *at)
{
	uint32_t n = at->proc->kernel.to - at->proc->kernel.from;

	if (!at->trace->tensor_uses_n)
		return true;
	at->op_of = arena_grow(at->arena, NULL, (n + 1) * sizeof *at->op_of);
	for (uint32_t i = 0; at->op_of && i < n; i++) {
		uint32_t row = attribute_op_of_launch(at, i);
		at->op_of[i] = row == ATTRIBUTE_NO_OP ? 0 : row + 1;
	}
	return at->op_of;
}

/* `gradient`: by row of the slice, whether a node has launches below operators
 * without a number; NULL if no operator has one. */
static enum recompute attribute_op_recompute_of(const struct attribution *at,
	uint32_t row, const uint8_t *gradient)
{
	if (row == ATTRIBUTE_NO_OP)
		return RECOMPUTE_UNKNOWN;
	struct attribute_op_place p =
		at->host->place[row - attribute_op_first(at->host)];
	if (p.pass == ATTRIBUTE_OP_NO_NODE)
		return RECOMPUTE_NO;
	if (p.pass == ATTRIBUTE_OP_CHECKPOINT)
		return RECOMPUTE_YES;
	if (p.pass == ATTRIBUTE_OP_OPAQUE || !gradient)
		return RECOMPUTE_UNKNOWN;
	if (!p.numbered)
		return RECOMPUTE_NO;
	return gradient[p.node - attribute_op_first(at->host)]
		       ? RECOMPUTE_YES
		       : RECOMPUTE_UNKNOWN;
}

static bool attribute_op_recompute(struct attribution *at)
{
	const struct op_rows *op = &at->trace->op;
	uint32_t n = at->proc->kernel.to - at->proc->kernel.from;
	uint32_t first = at->proc->op.from, ops = at->proc->op.to - first;
	uint8_t *gradient = NULL;
	bool ok = true;

	if (ops && memchr(op->numbered + first, 1, ops)) {
		gradient = arena_grow(at->arena, NULL, ops);
		ok = gradient;
	}
	for (uint32_t i = 0; gradient && i < n; i++) {
		uint32_t row = attribute_op_of_launch(at, i);
		if (row == ATTRIBUTE_NO_OP)
			continue;
		struct attribute_op_place p = at->host->place[row - first];
		if (p.pass != ATTRIBUTE_OP_NO_NODE && p.inside && !p.numbered)
			gradient[p.node - first] = 1;
	}
	for (uint32_t i = 0; ok && i < n; i++)
		at->of[i].recompute = attribute_op_recompute_of(at,
			attribute_op_of_launch(at, i), gradient);
	arena_drop(at->arena, gradient);
	return ok;
}

bool attribute_op(struct attribution *at)
{
	uint32_t n = at->proc->kernel.to - at->proc->kernel.from;
	const int64_t *external_id = at->trace->kernel.external_id;
	uint32_t from = at->proc->kernel.from;

	for (uint32_t i = 0; i < n; i++) {
		if (at->of[i].op || attribute_op_replayed(at, i))
			continue;
		uint32_t kernel = at->kernel_of[i];
		uint32_t row = attribute_op_innermost(at->host, at->call_of[i],
			external_id[from + i]);
		if (!attribute_op_from_row(at, row,
			    at->profile->kernels[kernel].name,
			    at->by_rule[kernel], &at->of[i]))
			return false;
	}
	return attribute_op_captured(at) && attribute_op_tensors(at) &&
	       attribute_op_recompute(at);
}
