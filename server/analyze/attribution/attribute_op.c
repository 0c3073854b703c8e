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
 * that the catalog has. A lookup then needs one step. The sweep needs about 16
 * bytes per host operator. */
#include "attribute_sources.h"
#include "correlation.h"
#include "input_shape.h"
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

static void attribute_op_open(struct attribute_host *h, uint32_t row)
{
	uint32_t thread = h->op->thread[row], i = row - attribute_op_first(h);

	attribute_op_close(h, thread, h->op->start_ns[row]);
	uint32_t around = h->top[thread];
	h->below[i] = around;
	h->known[i] = attribute_op_operator(h, row) ? row + 1
		      : around ? h->known[around - 1 - attribute_op_first(h)]
			       : 0;
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
	h->top = arena_grow(a, NULL, names * sizeof *h->top);
	h->below = arena_grow(a, NULL, ops * sizeof *h->below);
	h->known = arena_grow(a, NULL, ops * sizeof *h->known);
	h->call = arena_grow(a, NULL, ops * sizeof *h->call);
	h->open = arena_grow(a, NULL, calls * sizeof *h->open);
	h->by_id = attribute_op_ids_are_operators(at);
	bool ok = h->of_name && h->looked_up && h->top && h->below &&
		  h->known && h->call && h->open && names_init(&h->keys, a) &&
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
	arena_drop(a, h->top);
	arena_drop(a, h->below);
	arena_drop(a, h->known);
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

/* Whether the dims of a host operator contain a number. */
static bool attribute_op_has_dims(const struct attribute_host *h, uint32_t row)
{
	const char *dims = names_text(&h->at->trace->names, h->op->dims[row]);
	return dims[strcspn(dims, "0123456789")];
}

static uint32_t attribute_op_with_dims(struct attribute_host *h, uint32_t row,
	const struct operator_info *is)
{
	for (uint32_t x = row + 1; x;
		x = h->below[x - 1 - attribute_op_first(h)]) {
		if (x - 1 != row && attribute_op_operator(h, x - 1) != is)
			break;
		if (attribute_op_has_dims(h, x - 1))
			return x - 1;
	}
	return ATTRIBUTE_NO_OP;
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
	uint32_t x = attribute_op_with_dims(h, row, is), known = h->keys.n;

	*out = NULL;
	if (x == ATTRIBUTE_NO_OP)
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

/* Notes the innermost host operator of each launch, which identifies its
 * tensors. */
static bool attribute_op_tensors(struct attribution *at)
{
	const struct kernel_rows *k = &at->trace->kernel;
	uint32_t from = at->proc->kernel.from, n = at->proc->kernel.to - from;

	if (!at->trace->tensor_uses_n)
		return true;
	at->op_of = arena_grow(at->arena, NULL, (n + 1) * sizeof *at->op_of);
	for (uint32_t i = 0; at->op_of && i < n; i++) {
		uint32_t row = attribute_op_replayed(at, i)
				       ? ATTRIBUTE_NO_OP
				       : attribute_op_innermost(at->host,
						 at->call_of[i],
						 k->external_id[from + i]);
		at->op_of[i] = row == ATTRIBUTE_NO_OP ? 0 : row + 1;
	}
	return at->op_of;
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
	return attribute_op_captured(at) && attribute_op_tensors(at);
}
