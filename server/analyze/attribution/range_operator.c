/* range_operator.c - each name is read once; equal dims are one shape. */
#include "range_operator.h"
#include "attribute_host.h"
#include "nvtx_op.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool range_reader_init(struct range_reader *r, struct attribution *x,
	struct arena *scratch)
{
	*r = (struct range_reader){ .x = x, .arena = scratch };
	r->told_of = arena_grow(scratch, NULL,
		x->trace->names.n * sizeof *r->told_of);
	return r->told_of && names_init(&r->sized, scratch);
}

static bool room(struct arena *a, void **list, size_t each, uint32_t *cap,
	uint32_t n)
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

/* The shape of dims that an operator was called with. False where the arena is
 * full. */
static bool shape_of(struct range_reader *r, const char *op,
	const struct operator_info *is, const char *dims, size_t len,
	const struct shape **out)
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
		!room(r->arena, &shapes, sizeof *r->shapes, &r->shapes_cap, id))
		return false;
	r->shapes = shapes;
	if (id == known) {
		const char *text = names_text(&r->sized, id) + strlen(op) + 1;
		r->shapes[id] = NULL;
		enum sizes_how how = sizes_from(&r->x->host->sizes, op, is,
			text, NULL, &r->shapes[id]);
		if (how == SIZES_FULL)
			return false;
		if (how != SIZES_TOLD)
			r->shapes[id] = NULL;
		if (how == SIZES_UNREADABLE && r->noting)
			note_add(&r->x->profile->notes, NOTE_dims_unreadable, 1,
				text, strlen(text));
	}
	*out = r->shapes[id];
	return true;
}

static bool from_nvtx(struct range_reader *r, const char *text,
	const struct nvtx_op *op, struct range_told *out)
{
	out->operator= catalog_op(r->x->catalog, text, op->name_len);
	if (!out->operator)
		return true;
	out->tells = RANGE_TELLS_OPERATOR;
	if (!op->sizes)
		return true;
	char *name = arena_grow(r->arena, NULL, op->name_len + 1);
	if (!name)
		return false;
	memcpy(name, text, op->name_len);
	bool ok = shape_of(r, name, out->operator, op->sizes, op->sizes_len,
		&out->sizes);
	arena_drop(r->arena, name);
	return ok;
}

/* "rms_norm bf16 tokens=16 hidden=4096" */
static bool from_people(struct range_reader *r, const char *text,
	struct range_told *out)
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
	*out = (struct range_told){ RANGE_TELLS_OPERATOR, is, shape };
	return true;
}

/* "nn.Module: Qwen2RMSNorm_3" */
static void from_module(const struct range_reader *r, const char *text,
	struct range_told *out)
{
	static const char front[] = "nn.Module: ";

	if (!strncmp(text, front, sizeof front - 1))
		text += sizeof front - 1;
	size_t len = strlen(text), digits = len;
	while (digits && text[digits - 1] >= '0' && text[digits - 1] <= '9')
		digits--;
	if (digits && digits < len && text[digits - 1] == '_')
		len = digits - 1;
	out->operator= catalog_module(r->x->catalog, text, len);
	if (out->operator)
		out->tells = RANGE_TELLS_MODULE;
}

static bool read(struct range_reader *r, uint32_t id, bool module,
	struct range_told *out)
{
	const struct name *name = &r->x->trace->names.list[id];
	struct layer_text layer;
	struct nvtx_op op;

	*out = (struct range_told){ 0 };
	if (module) {
		from_module(r, name->text, out);
		return true;
	}
	if (nvtx_op_read(name->text, &op))
		return from_nvtx(r, name->text, &op, out);
	if (name->text[0] == '{') {
		if (layer_text_read(name->text, &layer))
			out->tells = RANGE_TELLS_LAYER;
		return true;
	}
	out->operator= catalog_op(r->x->catalog, name->text, name->len);
	if (out->operator) {
		out->tells = RANGE_TELLS_OPERATOR;
		return true;
	}
	return from_people(r, name->text, out);
}

static const struct range_told *told(struct range_reader *r, uint32_t name,
	bool module)
{
	uint32_t *place = &r->told_of[name];

	if (!*place) {
		void *list = r->told;
		if (!room(r->arena, &list, sizeof *r->told, &r->told_cap,
			    r->told_n))
			return NULL;
		r->told = list;
		if (!read(r, name, module, &r->told[r->told_n]))
			return NULL;
		*place = ++r->told_n;
	}
	return &r->told[*place - 1];
}

const struct range_told *range_told(struct range_reader *r, uint32_t row)
{
	static const struct range_told nothing = { 0 };
	const struct range_rows *rows = &r->x->trace->range;
	uint8_t kind = rows->kind[row];

	if (kind != RANGE_ANNOTATION && kind != RANGE_MODULE)
		return &nothing;
	return told(r, rows->name[row], kind == RANGE_MODULE);
}

const struct range_told *range_told_name(struct range_reader *r, uint32_t name)
{
	return told(r, name, false);
}

bool range_contradicted(const struct operator_info *is,
	const struct operator_info *by_rule)
{
	return by_rule && by_rule->collective != is->collective;
}

struct dims_text {
	char text[2 * LAYER_DIMS * 24];
	size_t len;
};

static void put(struct dims_text *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void put(struct dims_text *d, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	int len =
		vsnprintf(d->text + d->len, sizeof d->text - d->len, fmt, args);
	va_end(args);
	assert(len >= 0 && (size_t)len < sizeof d->text - d->len);
	d->len += (size_t)len;
}

static void put_tensor(struct dims_text *d, const struct layer_tensor *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		put(d, "%c%lld", i ? ',' : '[', (long long)t->dims[i]);
	put(d, "]");
}

/* The first input and a weight, as dims of a host operator. */
static bool layer_shape(struct range_reader *r, const char *op,
	const struct operator_info *is, const struct layer_text *l,
	const struct layer_tensor *weight, struct range_told *out)
{
	struct dims_text d = { .len = 0 };

	put(&d, "[");
	put_tensor(&d, &l->inputs[0]);
	if (weight->n) {
		put(&d, ",");
		put_tensor(&d, weight);
	}
	put(&d, "]");
	*out = (struct range_told){ RANGE_TELLS_LAYER, is, NULL };
	bool ok = shape_of(r, op, is, d.text, d.len, &out->sizes);
	if (!out->sizes)
		*out = (struct range_told){ 0 };
	return ok;
}

static bool in_group(const struct operator_info *is, const char *group)
{
	return is && !strcmp(is->group, group);
}

bool range_layer(struct range_reader *r, uint32_t name,
	const struct operator_info *by_rule, struct range_told *out)
{
	struct layer_text l;

	*out = (struct range_told){ 0 };
	if (!layer_text_read(names_text(&r->x->trace->names, name), &l) ||
		l.inputs[0].n == 0)
		return true;
	int64_t last = l.inputs[0].dims[l.inputs[0].n - 1];
	struct layer_tensor weight = l.weight;
	if (l.in_features >= 0 && l.out_features >= 0)
		weight = (struct layer_tensor){
			{ l.out_features, l.in_features }, 2
		};
	if (weight.n == 2 && weight.dims[1] == last &&
		in_group(by_rule, "gemm"))
		return layer_shape(r, "aten::linear", by_rule, &l, &weight,
			out);
	if (weight.n == 1 && weight.dims[0] == last &&
		in_group(by_rule, "norm"))
		return layer_shape(r, by_rule->name, by_rule, &l, &weight, out);
	if (l.params == 0 && l.inputs_n == 1 && in_group(by_rule, "activation"))
		return layer_shape(r, by_rule->name, by_rule, &l, &weight, out);
	return true;
}
