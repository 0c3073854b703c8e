/* attribute.c - calls the attribution sources in order, completes the shapes of
 * attention from serving steps, and makes rows. Its own sources are host operators
 * and the rules over kernels' names.
 *
 * A launch belongs to the innermost host operator that the catalog has and that was
 * open on the call's thread when the call began. The operator's shape comes from
 * its own dims or, if it has none, from those of one around it that is the same
 * catalog operator. A launch without such a call is joined by its External id, in
 * files whose kernels carry more there than a copy of their correlation. The call
 * of a replayed kernel is the graph's launch, which gives no operator.
 *
 * Inductor's Triton kernels are host operators of the kernel's own name: the
 * operator is what the name's rule says, with the given dims. The rule also
 * decides if it says that a kernel is a collective and the operator is none
 * (aten::copy_ around an exchange) or vice versa, and if the kernel is
 * work of its own below the operator (catalog_fit: routing below experts).
 *
 * Operators nest on a thread. One sweep over operators and calls notes for each
 * operator the innermost one around it (itself included) that the catalog knows,
 * so that a lookup takes one step. It takes about 16 bytes per operator. */
#include "attribute.h"
#include "attribute_sources.h"
#include "correlation.h"
#include "profile.h"
#include "serving_steps.h"
#include <string.h>

/* Hashed as bytes, so it has no gaps. */
struct attribute_op_shape_key {
	uint32_t name, dims, types, own;
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

/* Whether External ids are more than the correlation again. */
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

/* False if the arena is full; release in any case. */
static bool attribute_op_init(struct attribute_host *h,
	const struct attribution *at)
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

static void attribute_op_release(struct attribute_host *h)
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

/* The innermost one from there on outwards that the catalog knows; ATTRIBUTE_NO_OP. */
static uint32_t attribute_op_known(const struct attribute_host *h, uint32_t row)
{
	uint32_t known = h->known[row - attribute_op_first(h)];
	return known ? known - 1 : ATTRIBUTE_NO_OP;
}

/* Whether there is a number among its dims. */
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

/* Room for the shape of a key. */
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

bool attribute_op_shape(struct attribute_host *h, uint32_t row,
	const struct operator_info *is, const struct shape **out)
{
	const struct names *texts = &h->at->trace->names;
	uint32_t x = attribute_op_with_dims(h, row, is), known = h->keys.n;

	*out = NULL;
	if (x == ATTRIBUTE_NO_OP)
		return true;
	struct attribute_op_shape_key k = { h->op->name[x], h->op->dims[x],
		h->op->types[x], attribute_op_operator(h, x) == is };
	uint32_t id = names_put(&h->keys, (const char *)&k, sizeof k);
	if (id == NAMES_NONE || !attribute_op_reserve(h, id))
		return false;
	if (id == known) {
		const struct name *dims = &texts->list[k.dims];
		enum input_shape_result how = input_shape_from(&h->sizes,
			names_text(texts, k.name), is, dims->text,
			names_text(texts, k.types), &h->shapes[id]);
		if (how == INPUT_SHAPE_FULL)
			return false;
		if (how == INPUT_SHAPE_UNREADABLE)
			note_add(&h->at->profile->notes, NOTE_dims_unreadable,
				1, dims->text, dims->len);
	}
	*out = h->shapes[id];
	return true;
}

bool attribute_op_replayed(const struct attribution *at, uint32_t i)
{
	const struct trace *t = at->trace;
	uint32_t row = at->proc->kernel.from + i, call = at->call_of[i];

	if (t->kernel.graph_node[row] > 0)
		return true;
	return call != CORRELATION_NONE &&
	       strstr(names_text(&t->names, t->call.name[call]), "GraphLaunch");
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

/* Whether a kernel's name knows better than the operator around it: work of
 * its own that was only called from there, or an exchange between devices. */
static bool attribute_op_rule_wins(const struct operator_info *host,
	const struct operator_info *by_rule)
{
	return by_rule && (catalog_fit(host, by_rule) == FIT_HELD ||
				  by_rule->collective != host->collective);
}

static bool attribute_op_from_row(struct attribution *at, uint32_t row,
	const char *kernel, const struct operator_info *by_rule,
	struct attributed *to)
{
	if (row == ATTRIBUTE_NO_OP)
		return true;
	const struct name *op = &at->trace->names.list[at->trace->op.name[row]];
	bool own = !strcmp(op->text, kernel) ||
		   !strncmp(op->text, "triton_", strlen("triton_"));
	if (own && by_rule && !attribute_op_operator(at->host, row))
		return attribute_op_set(at, row, by_rule, to);
	row = attribute_op_known(at->host, row);
	if (row == ATTRIBUTE_NO_OP)
		return true;
	const struct operator_info *is = attribute_op_operator(at->host, row);
	return attribute_op_rule_wins(is, by_rule) ||
	       attribute_op_set(at, row, is, to);
}

/* What the rule over a kernel's name as the trace has it says. */
static const struct operator_info *attribute_op_rule(const struct attribution
							     *at,
	uint32_t name)
{
	const struct name *n = &at->trace->names.list[name];
	return catalog_kernel_operator(at->catalog, n->text, n->len);
}

/* Calls that only recorded their launch, for a graph. */
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

/* All launches, and calls captured for a graph, that have no operator yet.
 * False if the arena is full. */
static bool attribute_op(struct attribution *at)
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
	return attribute_op_captured(at);
}

enum { SIZES_MOST = 32 };

struct attribute_totals {
	int64_t seqs, tokens, kv_tokens; /* -1 unknown */
};

/* One shape for each way in which sizes and a step came together. */
struct attribute_joined {
	const struct operator_info *op;
	const struct shape *before;
	struct attribute_totals totals;
};

struct attribute_filler {
	struct attribution *x;
	struct serving_steps steps;
	struct names joined; /* struct attribute_joined */
	const struct shape **shapes; /* by id */
	uint32_t cap;
};

/* The totals of a step that an operator works on. A mixed step does not say how
 * many of its keys belong to operators that only decode or only prefill. */
static bool attribute_step_totals(const struct operator_info *is,
	const struct serving_work *work, struct attribute_totals *out)
{
	*out = (struct attribute_totals){ work->sequences, work->tokens,
		work->kv_tokens };
	if (!strcmp(is->name, "unified_attention"))
		return true;
	if (!strcmp(is->name, "attention_forward"))
		return work->phase == PHASE_PREFILL;
	if (strcmp(is->name, "paged_attention_decode") != 0 &&
		strcmp(is->name, "mla_decode_attention") != 0)
		return false;
	if (work->phase != PHASE_MIXED)
		return work->phase == PHASE_DECODE;
	out->kv_tokens = -1;
	out->seqs = work->context < 0 ? -1 : work->sequences - work->context;
	return out->seqs > 0;
}

static const struct size *attribute_size(const struct shape *s,
	const char *name)
{
	return s ? shape_size(s, name) : NULL;
}

/* The operator's sizes in its order: its own, and the step's if it has none. */
static bool attribute_join_shape(struct attribute_filler *f,
	const struct attribute_joined *j, const struct shape **out)
{
	const struct {
		const char *name;
		const int64_t *value;
	} adds[] = { { "seqs", &j->totals.seqs },
		{ "tokens", &j->totals.tokens },
		{ "kv_tokens", &j->totals.kv_tokens } };
	const struct operator_info *is = j->op;
	bool keys = attribute_size(j->before, "seq_lens") ||
		    attribute_size(j->before, "context");
	struct arena *a = f->x->arena;
	struct size *list = arena_array(a, struct size, SIZES_MOST + 1);
	struct shape *shape = arena_new(a, struct shape);
	uint64_t values = 0;
	uint32_t n = 0;

	*out = j->before;
	if (!list || !shape)
		return false;
	for (uint32_t i = 0; i < is->sizes_n && n < SIZES_MOST; i++) {
		const struct size *has =
			attribute_size(j->before, is->sizes[i]);
		if (has) {
			list[n++] = *has;
			continue;
		}
		for (size_t k = 0; k < sizeof adds / sizeof *adds; k++) {
			if (strcmp(adds[k].name, is->sizes[i]) != 0 ||
				*adds[k].value < 0 ||
				(keys && !strcmp(adds[k].name, "kv_tokens")))
				continue;
			int64_t *value = arena_new(a, int64_t);
			if (!value)
				return false;
			*value = *adds[k].value;
			list[n++] =
				(struct size){ is->sizes[i], value, 1, false };
		}
	}
	for (uint32_t i = 0; i < n; i++)
		values += list[i].n;
	/* Sizes that the catalog does not name are all there is; a shape that
	 * is full already takes none on. */
	if ((j->before && n <= j->before->n) || values > SHAPE_VALUES)
		return true;
	*shape = (struct shape){ j->before ? j->before->dtype : DTYPE_UNKNOWN,
		list, n };
	*out = n ? shape : j->before;
	return true;
}

static bool attribute_joined_shape(struct attribute_filler *f,
	const struct attribute_joined *j, const struct shape **out)
{
	uint32_t known = f->joined.n;
	uint32_t id = names_put(&f->joined, (const char *)j, sizeof *j);

	if (id == NAMES_NONE)
		return false;
	if (id >= f->cap) {
		uint32_t cap = id * 2 + 64;
		void *grown = arena_grow(f->joined.arena, f->shapes,
			cap * sizeof *f->shapes);
		if (!grown)
			return false;
		f->shapes = grown;
		f->cap = cap;
	}
	if (id == known && !attribute_join_shape(f, j, &f->shapes[id]))
		return false;
	*out = f->shapes[id];
	return true;
}

static bool attribute_serving_launch(struct attribute_filler *f, uint32_t call,
	struct attributed *to)
{
	const struct call_rows *c = &f->x->trace->call;
	struct attribute_joined j = { to->op, to->sizes, { -1, -1, -1 } };

	if (!to->op || call == CORRELATION_NONE ||
		strcmp(to->op->group, "attention") != 0)
		return true;
	const struct serving_work *work =
		serving_steps_at(&f->steps, c->thread[call], c->start_ns[call]);
	if (!work || !attribute_step_totals(to->op, work, &j.totals))
		return true;
	const struct shape *before = to->sizes;
	if (!attribute_joined_shape(f, &j, &to->sizes))
		return false;
	if (to->sizes != before && to->known != KNOWN_GRAPH &&
		to->known != KNOWN_NODE)
		to->known = KNOWN_SIZES;
	return true;
}

/* Fills in sizes that are not known yet. False if the arena is full. */
static bool attribute_serving(struct attribution *x)
{
	struct arena scratch = arena_scratch(x->arena);
	struct attribute_filler f = { .x = x };
	uint32_t n = x->proc->kernel.to - x->proc->kernel.from;

	bool ok = serving_steps_find(x->trace, x->proc, &scratch, &f.steps) &&
		  names_init(&f.joined, &scratch);
	for (uint32_t i = 0; ok && f.steps.n && i < n; i++)
		ok = attribute_serving_launch(&f, x->call_of[i], &x->of[i]);
	arena_scratch_release(&scratch, x->arena);
	return ok;
}

/* The platform of a device's name; NULL. */
static const struct platform *attribute_platform_by_name(const struct catalog
								 *c,
	const char *name)
{
	return name && *name ? catalog_device(c, name) : NULL;
}

/* The platform of all devices that the file lists for a process; NULL if
 * they differ. ROCm's traces number the devices that ran differently from
 * those they list, but a process only runs on devices that it sees. */
static const struct platform *attribute_listed_platform(
	const struct attribution *at)
{
	const struct trace *t = at->trace;
	const struct platform *all = NULL;

	for (uint32_t i = 0; i < t->devices_n; i++) {
		const struct device *d = &t->devices[i];
		if (d->process >= 0 && (uint32_t)d->process != at->process)
			continue;
		const struct platform *own =
			attribute_platform_by_name(at->catalog,
				names_text(&t->names, d->name));
		if (!own || (all && own != all))
			return NULL;
		all = own;
	}
	return all;
}

/* The platform of all devices that ran something; NULL if one is unknown or
 * differs. */
static const struct platform *attribute_platform(const struct attribution *at)
{
	const struct profile *p = at->profile;
	const struct platform *all = NULL;

	for (uint32_t i = 0; i < p->devices_n; i++) {
		const struct platform *own =
			p->devices[i].name
				? attribute_platform_by_name(at->catalog,
					  p->devices[i].name)
				: attribute_listed_platform(at);
		if (!own || (all && own != all))
			return NULL;
		all = own;
	}
	return all;
}

static void attribute_begin(struct attribution *at,
	const struct iteration_rows *iterations)
{
	const struct profile *p = at->profile;
	uint32_t n = at->proc->kernel.to - at->proc->kernel.from;

	for (uint32_t i = 0; i < p->kernels_n; i++)
		if (p->kernels[i].op)
			at->by_rule[i] =
				catalog_operator(at->catalog, p->kernels[i].op);
	for (uint32_t i = 0; i < n; i++)
		at->of[i] = (struct attributed){ .known = KNOWN_NOT,
			.phase = attribute_rows_phase(p, iterations->kernel[i]),
			.call = LAUNCH_NO_CALL };
}

static void attribute_by_rule(struct attribution *at)
{
	for (uint32_t i = 0; i < at->proc->kernel.to - at->proc->kernel.from;
		i++) {
		struct attributed *to = &at->of[i];
		if (to->op || !at->by_rule[at->kernel_of[i]])
			continue;
		to->op = at->by_rule[at->kernel_of[i]];
		to->known = KNOWN_RULE;
	}
}

bool attribute_from(struct attribution *at,
	const struct iteration_rows *iterations)
{
	struct profile *p = at->profile;
	struct attribute_host host;

	at->proc = &at->trace->processes[at->process];
	at->arena = p->arena;
	at->host = &host;
	size_t n = (size_t)(at->proc->kernel.to - at->proc->kernel.from) + 1;
	at->platform = attribute_platform(at);
	at->of = arena_grow(p->arena, NULL, n * sizeof *at->of);
	at->by_rule = arena_grow(p->arena, NULL,
		((size_t)p->kernels_n + 1) * sizeof *at->by_rule);
	bool ok = attribute_op_init(&host, at) && at->of && at->by_rule;
	if (ok)
		attribute_begin(at, iterations);
	ok = ok && attribute_graph_captures(at) && attribute_range_shapes(at) &&
	     attribute_op(at) && attribute_range_modules(at) &&
	     attribute_range_nodes(at) && attribute_graph(at);
	if (ok)
		attribute_by_rule(at);
	ok = ok && attribute_serving(at) && attribute_rows(at, iterations);
	attribute_op_release(&host);
	at->host = NULL;
	return ok;
}

void attribute_release(struct attribution *at)
{
	if (!at->arena)
		return;
	arena_drop(at->arena, at->of);
	arena_drop(at->arena, at->by_rule);
}
