/* kineto_comms.c - finds the records of collective calls in host operators,
 * annotations and kernels.
 *
 * PyTorch 2.3 and later write named fields into the args of record_param_comms
 * and of the kernels that it launches. Earlier versions only have Input Dims
 * and positional Concrete Inputs, whose layouts are in kineto.def; they name
 * neither the collective nor, for a list of tensors, the element type. Both are
 * in the annotation that the backend opens around the launch, such as
 * nccl:all_reduce, with an argument for each input tensor. */
#include "kineto.h"
#include "shape.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Positions that all layouts share. */
enum { IN_SPLIT = 4, OUT_SPLIT = 5 };

enum { ITEMS_MAX = 16 };

/* A record while it is made; spans without a text are absent. */
struct kineto_comms_record {
	struct kineto_comm is;
	int64_t group_handle;
};

static bool kineto_comms_is_params(const struct text_span *name)
{
	static const char params[] = "record_param_comms";
	return name->len == sizeof params - 1 &&
	       !memcmp(name->at, params, name->len);
}

static bool kineto_comms_is_annotation(const struct text_span *name)
{
#define COMM_ANNOTATION(prefix)                               \
	if (name->len > sizeof prefix - 1 &&                  \
		!memcmp(name->at, prefix, sizeof prefix - 1)) \
		return true;
#include "kineto.def"
#undef COMM_ANNOTATION
	return false;
}

/* What a record is read from; none for most events. */
enum kineto_comms_source {
	SOURCE_NONE,
	SOURCE_PARAMS, /* record_param_comms */
	SOURCE_ANNOTATION,
	SOURCE_KERNEL,
};

static enum kineto_comms_source kineto_comms_source_of(
	const struct kineto_event *e)
{
	switch (e->category) {
	case CATEGORY_OP:
		if (kineto_comms_is_params(&e->name))
			return SOURCE_PARAMS;
		return kineto_comms_is_annotation(&e->name) ? SOURCE_ANNOTATION
							    : SOURCE_NONE;
	case CATEGORY_ANNOTATION:
		return kineto_comms_is_annotation(&e->name) ? SOURCE_ANNOTATION
							    : SOURCE_NONE;
	case CATEGORY_KERNEL:
		return e->has_comm && e->comm.name.at && e->correlation >= 0
			       ? SOURCE_KERNEL
			       : SOURCE_NONE;
	default:
		return SOURCE_NONE;
	}
}

/* Finds the values of a JSON list. Returns how many there are; 0 if there are
 * more than ITEMS_MAX. */
static uint32_t kineto_comms_items(const struct text_span *list,
	const char *at[ITEMS_MAX])
{
	if (!list->at)
		return 0;
	struct scan s = { .end = list->at + list->len };
	uint32_t n = 0;
	const char *p = scan_ws(list->at + 1);

	while (p && p < s.end && *p != ']' && n < ITEMS_MAX) {
		at[n++] = p;
		p = scan_skip(&s, p, false);
		p = p ? scan_ws(p) : NULL;
		if (p && *p == ',')
			p = scan_ws(p + 1);
	}
	return p && *p == ']' ? n : 0;
}

/* The whole number at p, with or without quotes; -1 for any other value. */
static int64_t kineto_comms_number(const char *p, const char *end)
{
	struct scan s = { .end = end };
	struct number n;
	assert(p); /* a position of a layout that fits */
	return number_int(&s, p, &n) && n.kind == NUMBER_OK && n.value >= 0
		       ? n.value
		       : -1;
}

/* Reads the dimensions of a tensor, [4, 2048], whose bracket is at p. Returns
 * the position after it, or NULL. *elements is their product, or -1 if it
 * exceeds 64 bits. */
static const char *kineto_comms_tensor(struct scan *s, const char *p,
	int64_t *elements)
{
	struct number n;

	*elements = 1;
	for (p = scan_ws(p + 1); p && *p != ']';) {
		p = number_int(s, p, &n);
		if (!p || n.kind != NUMBER_OK || n.value < 0)
			return NULL;
		if (*elements >= 0 &&
			__builtin_mul_overflow(*elements, n.value, elements))
			*elements = -1;
		p = scan_ws(p);
		if (*p == ',')
			p = scan_ws(p + 1);
		else if (*p != ']')
			return NULL;
	}
	return p ? p + 1 : NULL;
}

/* The number of elements of a tensor or of a list of tensors, of which p is an
 * item of Input Dims; -1 unknown. An empty list is unknown, too: a tensor
 * without dimensions is written in the same way. */
static int64_t kineto_comms_elements(const char *p, const char *end)
{
	struct scan s = { .end = end };
	int64_t sum = 0, each;

	if (*p != '[')
		return -1;
	const char *q = scan_ws(p + 1);
	if (*q != '[')
		return *q != ']' && kineto_comms_tensor(&s, p, &each) ? each
								      : -1;
	while (*q == '[') {
		q = kineto_comms_tensor(&s, q, &each);
		if (!q || each < 0 || __builtin_add_overflow(sum, each, &sum))
			return -1;
		q = scan_ws(q);
		if (*q == ',')
			q = scan_ws(q + 1);
	}
	return *q == ']' ? sum : -1;
}

/* The type of the first argument; no text if there is none. */
static struct text_span kineto_comms_type(const struct kineto_event *e)
{
	struct text_span t = { 0 };

	if (!e->types.at)
		return t;
	struct scan s = { .end = e->types.at + e->types.len };
	if (!scan_text(&s, scan_ws(e->types.at + 1), &t))
		t = (struct text_span){ 0 };
	return t;
}

/* Reads the element type from that of the first argument: that of a list of
 * tensors is none. */
static void kineto_comms_dtype(const struct kineto_event *e,
	struct kineto_comms_record *to)
{
	struct text_span t = kineto_comms_type(e);

	if (t.at && dtype_from(t.at, t.len) != DTYPE_UNKNOWN)
		to->is.dtype = t;
}

/* The number of elements of the first `most` arguments; -1 unknown. */
static int64_t kineto_comms_sum(const struct kineto_event *e, uint32_t most)
{
	const char *dims[ITEMS_MAX];
	uint32_t n = kineto_comms_items(&e->dims, dims);
	int64_t sum = 0;

	if (!n)
		return -1;
	const char *end = e->dims.at + e->dims.len;
	for (uint32_t i = 0; i < n && i < most && sum >= 0; i++) {
		int64_t each = kineto_comms_elements(dims[i], end);
		if (each < 0 || __builtin_add_overflow(sum, each, &sum))
			sum = -1;
	}
	return sum;
}

struct kineto_comms_layout {
	uint32_t arguments;
	int sequence, group, size;
};

static const struct kineto_comms_layout *kineto_comms_layout_of(uint32_t n)
{
	static const struct kineto_comms_layout layouts[] = {
#define COMM_LAYOUT(arguments, sequence, group, size, versions) \
	{ arguments, sequence, group, size },
#include "kineto.def"
#undef COMM_LAYOUT
	};
	for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
		if (layouts[i].arguments == n)
			return &layouts[i];
	return NULL;
}

/* Whether argument 0 is the communicated tensors: its type is neither a
 * number's nor unknown. */
static bool kineto_comms_has_data(const struct kineto_event *e)
{
	static const char number[] = "Scalar";
	struct text_span t = kineto_comms_type(e);

	return t.len &&
	       !(t.len == sizeof number - 1 && !memcmp(t.at, number, t.len));
}

/* Reads the Concrete Inputs of record_param_comms. */
static void kineto_comms_positions(const struct kineto_event *e,
	struct kineto_comms_record *to)
{
	const char *at[ITEMS_MAX] = { NULL };
	uint32_t n = kineto_comms_items(&e->concrete, at);
	if (!n)
		return;
	const char *end = e->concrete.at + e->concrete.len;
	bool data = kineto_comms_has_data(e);
	const struct kineto_comms_layout *l =
		kineto_comms_layout_of(n - (uint32_t)data);

	if (data && !to->is.name.at) {
		to->is.in_elements = kineto_comms_sum(e, 1);
		kineto_comms_dtype(e, to);
	}
	if (!l)
		return;
	const char **from = at + data;
	struct scan s = { .end = end };
	assert(from[IN_SPLIT] && from[OUT_SPLIT]); /* each layout has them */
	if (!to->is.in_split.at &&
		scan_text(&s, from[IN_SPLIT], &to->is.in_split))
		scan_text(&s, from[OUT_SPLIT], &to->is.out_split);
	if (to->is.sequence < 0)
		to->is.sequence = kineto_comms_number(from[l->sequence], end);
	if (to->is.group_size < 0 && l->size >= 0)
		to->is.group_size = kineto_comms_number(from[l->size], end);
	if (!to->is.group.at && l->group >= 0)
		to->group_handle = kineto_comms_number(from[l->group], end);
}

/* The id of both split sizes, "[4, 4] [4, 4]"; 0 without any. */
static bool kineto_comms_splits(struct kineto_rows *r,
	const struct kineto_comm *c, uint32_t *id)
{
	const struct text_span *in = &c->in_split, *out = &c->out_split;
	size_t size = (size_t)in->len + out->len + 2;

	*id = 0;
	if (!in->at || !out->at || !in->len || !out->len || in->escaped ||
		out->escaped)
		return true;
	if (size > r->label_cap) {
		char *grown = arena_grow(r->trace->arena, r->label, size * 2);
		if (!grown)
			return false;
		r->label = grown;
		r->label_cap = size * 2;
	}
	int len = snprintf(r->label, size, "%.*s %.*s", (int)in->len, in->at,
		(int)out->len, out->at);
	*id = text_put(&r->text, r->label, (size_t)len, TEXT_MAX);
	return *id != NAMES_NONE;
}

static uint32_t kineto_comms_text(struct kineto_rows *r,
	const struct text_span *s)
{
	return s->at && s->len ? text_id(&r->text, s) : 0;
}

static bool kineto_comms_row(struct kineto_rows *r,
	const struct kineto_event *e, const struct kineto_comms_record *of,
	uint16_t pid)
{
	const struct kineto_comm *c = &of->is;
	bool kernel = e->category == CATEGORY_KERNEL;
	struct comm_row row = { .process = pid,
		.start_ns = e->ts.value,
		.dur_ns = e->dur.value,
		.thread = kernel ? 0 : kineto_comms_text(r, &e->tid),
		.correlation = kernel ? e->correlation : -1,
		.external_id = e->external_id,
		.name = kineto_comms_text(r, &c->name),
		.dtype = kineto_comms_text(r, &c->dtype),
		.in_elements = c->in_elements,
		.out_elements = c->out_elements,
		.group = kineto_comms_text(r, &c->group),
		.group_ranks = kineto_comms_text(r, &c->ranks),
		.group_handle = of->group_handle > 0 ? of->group_handle : -1,
		.group_size = c->group_size > 0 ? c->group_size : -1,
		.sequence = c->sequence,
		.in_bytes = -1,
		.out_bytes = -1 };

	return row.thread != NAMES_NONE && row.name != NAMES_NONE &&
	       row.dtype != NAMES_NONE && row.group != NAMES_NONE &&
	       row.group_ranks != NAMES_NONE &&
	       kineto_comms_splits(r, c, &row.splits) &&
	       trace_comm_add(r->trace, &row);
}

bool kineto_comms_add(struct kineto_rows *r, const struct kineto_event *e,
	uint16_t pid)
{
	enum kineto_comms_source source = kineto_comms_source_of(e);
	struct kineto_comms_record of;

	if (source == SOURCE_NONE)
		return true;
	of = (struct kineto_comms_record){ .is = e->has_comm ? e->comm
							     : kineto_comm_none,
		.group_handle = -1 };
	if (source == SOURCE_PARAMS)
		kineto_comms_positions(e, &of);
	if (source == SOURCE_ANNOTATION) {
		of.is.name = e->name;
		of.is.in_elements = kineto_comms_sum(e, ITEMS_MAX);
		kineto_comms_dtype(e, &of);
	}
	return kineto_comms_row(r, e, &of, pid);
}
