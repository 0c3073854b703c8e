/* attribute_host.c - one sweep over operators and calls, a stack a thread. */
#include "attribute_host.h"
#include "correlation.h"
#include <string.h>

/* Hashed as bytes, so it has no gaps. */
struct shape_key {
	uint32_t name, dims, types, own;
};

const struct operator_info *host_operator(struct host *h, uint32_t row)
{
	uint32_t name = h->op->name[row];

	if (!h->asked[name]) {
		const struct name *n = &h->at->trace->names.list[name];
		h->asked[name] = 1;
		h->of_name[name] = catalog_op(h->at->catalog, n->text, n->len);
	}
	return h->of_name[name];
}

static uint32_t first_of(const struct host *h)
{
	return h->at->proc->op.from;
}

static void close(struct host *h, uint32_t thread, int64_t at_ns)
{
	const struct op_rows *op = h->op;
	uint32_t *top = &h->top[thread];

	while (*top && op->start_ns[*top - 1] + op->dur_ns[*top - 1] <= at_ns)
		*top = h->below[*top - 1 - first_of(h)];
}

static void open(struct host *h, uint32_t row)
{
	uint32_t thread = h->op->thread[row], i = row - first_of(h);

	close(h, thread, h->op->start_ns[row]);
	uint32_t around = h->top[thread];
	h->below[i] = around;
	h->known[i] = host_operator(h, row) ? row + 1
		      : around		    ? h->known[around - 1 - first_of(h)]
					    : 0;
	h->top[thread] = row + 1;
}

static void sweep(struct host *h)
{
	const struct process *proc = h->at->proc;
	const struct call_rows *c = &h->at->trace->call;
	uint32_t row = proc->op.from;

	for (uint32_t i = proc->call.from; i < proc->call.to; i++) {
		while (row < proc->op.to &&
			h->op->start_ns[row] <= c->start_ns[i])
			open(h, row++);
		close(h, c->thread[i], c->start_ns[i]);
		h->open[i - proc->call.from] =
			c->thread[i] ? h->top[c->thread[i]] : 0;
	}
	while (row < proc->op.to)
		open(h, row++);
}

/* Whether External ids are more than the correlation again. */
static bool ids_tell(const struct attribution *at)
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

bool host_init(struct host *h, const struct attribution *at)
{
	struct arena *a = at->arena;
	size_t names = at->trace->names.n;
	size_t ops = (size_t)(at->proc->op.to - at->proc->op.from) + 1;
	size_t calls = (size_t)(at->proc->call.to - at->proc->call.from) + 1;

	*h = (struct host){ .at = at, .op = &at->trace->op };
	h->of_name = arena_grow(a, NULL, names * sizeof *h->of_name);
	h->asked = arena_grow(a, NULL, names);
	h->top = arena_grow(a, NULL, names * sizeof *h->top);
	h->below = arena_grow(a, NULL, ops * sizeof *h->below);
	h->known = arena_grow(a, NULL, ops * sizeof *h->known);
	h->call = arena_grow(a, NULL, ops * sizeof *h->call);
	h->open = arena_grow(a, NULL, calls * sizeof *h->open);
	h->by_id = ids_tell(at);
	bool ok = h->of_name && h->asked && h->top && h->below && h->known &&
		  h->call && h->open && names_init(&h->keys, a) &&
		  sizes_init(&h->sizes, a) &&
		  (!h->by_id || ids_from(&h->ids, a, at->trace->op.external_id,
					at->proc->op));
	if (ok)
		sweep(h);
	return ok;
}

void host_release(struct host *h)
{
	struct arena *a = h->at->arena;

	arena_drop(a, h->of_name);
	arena_drop(a, h->asked);
	arena_drop(a, h->top);
	arena_drop(a, h->below);
	arena_drop(a, h->known);
	arena_drop(a, h->call);
	arena_drop(a, h->open);
	arena_drop(a, h->shapes);
	sizes_release(&h->sizes);
	ids_release(&h->ids, a);
}

uint32_t host_innermost(const struct host *h, uint32_t call,
	int64_t external_id)
{
	uint32_t open = call == CORRELATION_NONE
				? 0
				: h->open[call - h->at->proc->call.from];

	if (open || !h->by_id)
		return open ? open - 1 : HOST_NONE;
	struct slice found = ids_find(&h->ids, external_id);
	return found.from < found.to ? h->ids.row[found.from] : HOST_NONE;
}

uint32_t host_known(const struct host *h, uint32_t row)
{
	uint32_t known = h->known[row - first_of(h)];
	return known ? known - 1 : HOST_NONE;
}

/* Whether there is a number among its dims. */
static bool told(const struct host *h, uint32_t row)
{
	const char *dims = names_text(&h->at->trace->names, h->op->dims[row]);
	return dims[strcspn(dims, "0123456789")];
}

static uint32_t with_dims(struct host *h, uint32_t row,
	const struct operator_info *is)
{
	for (uint32_t x = row + 1; x; x = h->below[x - 1 - first_of(h)]) {
		if (x - 1 != row && host_operator(h, x - 1) != is)
			break;
		if (told(h, x - 1))
			return x - 1;
	}
	return HOST_NONE;
}

/* Room for the shape of a key. */
static bool reserve(struct host *h, uint32_t id)
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

bool host_shape(struct host *h, uint32_t row, const struct operator_info *is,
	const struct shape **out)
{
	const struct names *texts = &h->at->trace->names;
	uint32_t x = with_dims(h, row, is), known = h->keys.n;

	*out = NULL;
	if (x == HOST_NONE)
		return true;
	struct shape_key k = { h->op->name[x], h->op->dims[x], h->op->types[x],
		host_operator(h, x) == is };
	uint32_t id = names_put(&h->keys, (const char *)&k, sizeof k);
	if (id == NAMES_NONE || !reserve(h, id))
		return false;
	if (id == known) {
		const struct name *dims = &texts->list[k.dims];
		enum sizes_how how = sizes_from(&h->sizes,
			names_text(texts, k.name), is, dims->text,
			names_text(texts, k.types), &h->shapes[id]);
		if (how == SIZES_FULL)
			return false;
		if (how == SIZES_UNREADABLE)
			note_add(&h->at->profile->notes, NOTE_dims_unreadable,
				1, dims->text, dims->len);
	}
	*out = h->shapes[id];
	return true;
}
