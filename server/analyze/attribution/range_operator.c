/* range_operator.c - reads the operator and shape that the name of a range gives. Each
 * name is read once; equal dims are one shape. */
#include "range_operator.h"
#include "attribute_sources.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NVTX_OP_DEPTH = 4 };

static const char *const nvtx_op_keys[] = { "seq = ", "op_id = ", "sizes = ",
	"input_op_ids = " };
enum { SEQ, OP_ID, SIZES, INPUT_OP_IDS, NVTX_OP_KEYS };

static int range_operator_key(const char *s)
{
	int key = 0;
	while (key < NVTX_OP_KEYS &&
		strncmp(s, nvtx_op_keys[key], strlen(nvtx_op_keys[key])) != 0)
		key++;
	return key;
}

/* The ", " in front of the first key, or NULL. */
static const char *range_operator_first_key(const char *text)
{
	const char *at = strstr(text, ", ");

	while (at && range_operator_key(at + 2) == NVTX_OP_KEYS)
		at = strstr(at + 2, ", ");
	return at;
}

static const char *range_operator_number(const char *s)
{
	if (*s == '-')
		s++;
	size_t digits = strspn(s, "0123456789");
	return digits ? s + digits : NULL;
}

/* The end of a list of lists of whole numbers; NULL if it is none. */
static const char *range_operator_lists(const char *s)
{
	int depth = 0;

	if (*s != '[')
		return NULL;
	do {
		if (*s == '[' && ++depth > NVTX_OP_DEPTH)
			return NULL;
		depth -= *s == ']';
		if (!*s || !strchr("[], -0123456789", *s))
			return NULL;
		s++;
	} while (depth > 0);
	return s;
}

bool range_operator_parse_nvtx(const char *text, struct nvtx_op *out)
{
	const char *at = range_operator_first_key(text);
	int last = -1;

	if (!at || at == text)
		return false;
	*out = (struct nvtx_op){ .name_len = (size_t)(at - text) };
	while (at && !strncmp(at, ", ", 2)) {
		int key = range_operator_key(at + 2);
		if (key == NVTX_OP_KEYS || key <= last || key == INPUT_OP_IDS)
			break;
		last = key;
		const char *value = at + 2 + strlen(nvtx_op_keys[key]);
		at = key == SIZES ? range_operator_lists(value)
				  : range_operator_number(value);
		if (key == SIZES && at && (!*at || !strncmp(at, ", ", 2))) {
			out->sizes = value;
			out->sizes_len = (size_t)(at - value);
		}
	}
	return true;
}

enum { LAYER_TEXT_DEPTH = 32, DIGITS = 18, LAYER_TEXT_WORD = 64 };

struct layer_text_reader {
	const char *at;
	int depth;
};

static bool range_operator_layer_value(struct layer_text_reader *r);

static void range_operator_layer_blanks(struct layer_text_reader *r)
{
	r->at += strspn(r->at, " \t\n");
}

static bool range_operator_layer_take(struct layer_text_reader *r, char c)
{
	range_operator_layer_blanks(r);
	if (*r->at != c)
		return false;
	r->at++;
	return true;
}

/* Leaves the text between the quotes, escapes as they are. */
static bool range_operator_layer_string(struct layer_text_reader *r,
	const char **text, size_t *len)
{
	char quote = *r->at;

	if (quote != '\'' && quote != '"')
		return false;
	*text = ++r->at;
	while (*r->at && *r->at != quote)
		r->at += *r->at == '\\' && r->at[1] ? 2 : 1;
	*len = (size_t)(r->at - *text);
	return range_operator_layer_take(r, quote);
}

static bool range_operator_layer_whole(struct layer_text_reader *r,
	int64_t *out)
{
	size_t digits = strspn(r->at, "0123456789");

	if (digits == 0 || digits > DIGITS)
		return false;
	*out = 0;
	for (; digits; digits--)
		*out = *out * 10 + (*r->at++ - '0');
	return !*r->at || strchr(" ,])}", *r->at);
}

/* Skips what is between brackets: values, and after colons more of them. */
static bool range_operator_layer_within(struct layer_text_reader *r, char end)
{
	if (++r->depth > LAYER_TEXT_DEPTH)
		return false;
	r->at++;
	while (!range_operator_layer_take(r, end)) {
		if (!range_operator_layer_value(r))
			return false;
		if (range_operator_layer_take(r, ':') &&
			!range_operator_layer_value(r))
			return false;
		range_operator_layer_blanks(r);
		if (*r->at != end && !range_operator_layer_take(r, ','))
			return false;
	}
	r->depth--;
	return true;
}

/* None, True, -1.5e3, torch.float16, Size([1]), <object at 0x1> */
static bool range_operator_layer_word(struct layer_text_reader *r)
{
	const char *const letters =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789_.+-";
	if (*r->at == '<') {
		const char *end = strchr(r->at, '>');
		r->at = end ? end + 1 : r->at;
		return end;
	}
	size_t len = strspn(r->at, letters);
	r->at += len;
	return len && (*r->at != '(' || range_operator_layer_within(r, ')'));
}

static bool range_operator_layer_value(struct layer_text_reader *r)
{
	const char *text;
	size_t len;

	range_operator_layer_blanks(r);
	switch (*r->at) {
	case '\'':
	case '"':
		return range_operator_layer_string(r, &text, &len);
	case '[':
		return range_operator_layer_within(r, ']');
	case '(':
		return range_operator_layer_within(r, ')');
	case '{':
		return range_operator_layer_within(r, '}');
	default:
		return range_operator_layer_word(r);
	}
}

static char range_operator_layer_closing(char c)
{
	return c == '[' ? ']' : c == '(' ? ')' : 0;
}

static bool range_operator_layer_tensor(struct layer_text_reader *r,
	struct layer_tensor *t)
{
	char end = range_operator_layer_closing(*r->at);

	*t = (struct layer_tensor){ 0 };
	if (!end)
		return false;
	r->at++;
	while (!range_operator_layer_take(r, end)) {
		if (t->n == LAYER_DIMS ||
			!range_operator_layer_whole(r, &t->dims[t->n++]))
			return false;
		range_operator_layer_blanks(r);
		if (*r->at != end && !range_operator_layer_take(r, ','))
			return false;
	}
	return true;
}

/* Inputs: a list of shapes. */
static bool range_operator_layer_inputs(struct layer_text_reader *r,
	struct layer_text *out)
{
	char end;

	range_operator_layer_blanks(r);
	end = range_operator_layer_closing(*r->at);
	if (!end)
		return false;
	r->at++;
	while (!range_operator_layer_take(r, end)) {
		if (out->inputs_n == LAYER_TENSORS ||
			!range_operator_layer_tensor(r,
				&out->inputs[out->inputs_n++]))
			return false;
		range_operator_layer_blanks(r);
		if (*r->at != end && !range_operator_layer_take(r, ','))
			return false;
		range_operator_layer_blanks(r);
	}
	return true;
}

static bool range_operator_layer_is(const char *text, size_t len,
	const char *word)
{
	return len == strlen(word) && !memcmp(text, word, len);
}

static bool range_operator_layer_param(struct layer_text_reader *r,
	const char *name, size_t len, struct layer_text *out)
{
	out->params++;
	range_operator_layer_blanks(r);
	return range_operator_layer_is(name, len, "weight")
		       ? range_operator_layer_tensor(r, &out->weight)
		       : range_operator_layer_value(r);
}

static bool range_operator_layer_fixed(struct layer_text_reader *r,
	const char *name, size_t len, struct layer_text *out)
{
	range_operator_layer_blanks(r);
	if (range_operator_layer_is(name, len, "in_features"))
		return range_operator_layer_whole(r, &out->in_features);
	if (range_operator_layer_is(name, len, "out_features"))
		return range_operator_layer_whole(r, &out->out_features);
	return range_operator_layer_value(r);
}

typedef bool entry_fn(struct layer_text_reader *r, const char *name, size_t len,
	struct layer_text *out);

static bool range_operator_layer_dict(struct layer_text_reader *r,
	entry_fn *each, struct layer_text *out)
{
	const char *name;
	size_t len;

	if (!range_operator_layer_take(r, '{'))
		return false;
	while (!range_operator_layer_take(r, '}')) {
		range_operator_layer_blanks(r);
		if (!range_operator_layer_string(r, &name, &len) ||
			!range_operator_layer_take(r, ':') ||
			!each(r, name, len, out))
			return false;
		range_operator_layer_blanks(r);
		if (*r->at != '}' && !range_operator_layer_take(r, ','))
			return false;
	}
	return true;
}

static bool range_operator_layer_entry(struct layer_text_reader *r,
	const char *name, size_t len, struct layer_text *out)
{
	range_operator_layer_blanks(r);
	if (range_operator_layer_is(name, len, "Module"))
		return range_operator_layer_string(r, &out->module,
			&out->module_len);
	if (range_operator_layer_is(name, len, "Inputs"))
		return !out->inputs_n && range_operator_layer_inputs(r, out);
	if (range_operator_layer_is(name, len, "TrainableParams"))
		return range_operator_layer_dict(r, range_operator_layer_param,
			out);
	if (range_operator_layer_is(name, len, "StaticParams"))
		return range_operator_layer_dict(r, range_operator_layer_fixed,
			out);
	return range_operator_layer_value(r);
}

bool range_operator_parse_layer(const char *text, struct layer_text *out)
{
	struct layer_text_reader r = { text, 0 };

	*out = (struct layer_text){ .in_features = -1, .out_features = -1 };
	if (strncmp(text, "{'Module': ", strlen("{'Module': ")) != 0 ||
		!range_operator_layer_dict(&r, range_operator_layer_entry, out))
		return false;
	range_operator_layer_blanks(&r);
	return !*r.at && out->module && out->inputs_n;
}

bool range_operator_init(struct range_operator_reader *r, struct attribution *x,
	struct arena *scratch)
{
	*r = (struct range_operator_reader){ .x = x, .arena = scratch };
	r->place_of = arena_grow(scratch, NULL,
		x->trace->names.n * sizeof *r->place_of);
	return r->place_of && names_init(&r->sized, scratch);
}

static bool range_operator_reserve(struct arena *a, void **list, size_t each,
	uint32_t *cap, uint32_t n)
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

/* The shape of dims that an operator was called with. False if the arena is
 * full. */
static bool range_operator_shape(struct range_operator_reader *r,
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
	if (id == NAMES_NONE || !range_operator_reserve(r->arena, &shapes,
					sizeof *r->shapes, &r->shapes_cap, id))
		return false;
	r->shapes = shapes;
	if (id == known) {
		const char *text = names_text(&r->sized, id) + strlen(op) + 1;
		r->shapes[id] = NULL;
		enum input_shape_result how =
			input_shape_from(&r->x->host->sizes, op, is, text, NULL,
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

static bool range_operator_from_nvtx(struct range_operator_reader *r,
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
	bool ok = range_operator_shape(r, name, out->op, op->sizes,
		op->sizes_len, &out->sizes);
	arena_drop(r->arena, name);
	return ok;
}

/* "rms_norm bf16 tokens=16 hidden=4096" */
static bool range_operator_from_user(struct range_operator_reader *r,
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

/* "nn.Module: Qwen2RMSNorm_3" */
static void range_operator_from_module(const struct range_operator_reader *r,
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

static bool range_operator_read(struct range_operator_reader *r, uint32_t id,
	bool module, struct range_operator *out)
{
	const struct name *name = &r->x->trace->names.list[id];
	struct layer_text layer;
	struct nvtx_op op;

	*out = (struct range_operator){ 0 };
	if (module) {
		range_operator_from_module(r, name->text, out);
		return true;
	}
	if (range_operator_parse_nvtx(name->text, &op))
		return range_operator_from_nvtx(r, name->text, &op, out);
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
	return range_operator_from_user(r, name->text, out);
}

static const struct range_operator *range_operator_lookup(
	struct range_operator_reader *r, uint32_t name, bool module)
{
	uint32_t *place = &r->place_of[name];

	if (!*place) {
		void *list = r->given;
		if (!range_operator_reserve(r->arena, &list, sizeof *r->given,
			    &r->given_cap, r->given_n))
			return NULL;
		r->given = list;
		if (!range_operator_read(r, name, module,
			    &r->given[r->given_n]))
			return NULL;
		*place = ++r->given_n;
	}
	return &r->given[*place - 1];
}

const struct range_operator *range_operator_of_row(struct range_operator_reader
							   *r,
	uint32_t row)
{
	static const struct range_operator nothing = { 0 };
	const struct range_rows *rows = &r->x->trace->range;
	uint8_t kind = rows->kind[row];

	if (kind != RANGE_ANNOTATION && kind != RANGE_MODULE)
		return &nothing;
	return range_operator_lookup(r, rows->name[row], kind == RANGE_MODULE);
}

const struct range_operator *range_operator_of_name(struct range_operator_reader
							    *r,
	uint32_t name)
{
	return range_operator_lookup(r, name, false);
}

bool range_operator_contradicted(const struct operator_info *is,
	const struct operator_info *by_rule)
{
	return by_rule && by_rule->collective != is->collective;
}

struct range_operator_dims_text {
	char text[2 * LAYER_DIMS * 24];
	size_t len;
};

static void range_operator_dims_add(struct range_operator_dims_text *d,
	const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void range_operator_dims_add(struct range_operator_dims_text *d,
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

static void range_operator_dims_add_tensor(struct range_operator_dims_text *d,
	const struct layer_tensor *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		range_operator_dims_add(d, "%c%lld", i ? ',' : '[',
			(long long)t->dims[i]);
	range_operator_dims_add(d, "]");
}

/* The first input and a weight, as dims of a host operator. */
static bool range_operator_layer_shape(struct range_operator_reader *r,
	const char *op, const struct operator_info *is,
	const struct layer_text *l, const struct layer_tensor *weight,
	struct range_operator *out)
{
	struct range_operator_dims_text d = { .len = 0 };

	range_operator_dims_add(&d, "[");
	range_operator_dims_add_tensor(&d, &l->inputs[0]);
	if (weight->n) {
		range_operator_dims_add(&d, ",");
		range_operator_dims_add_tensor(&d, weight);
	}
	range_operator_dims_add(&d, "]");
	*out = (struct range_operator){ RANGE_GIVES_LAYER, is, NULL };
	bool ok = range_operator_shape(r, op, is, d.text, d.len, &out->sizes);
	if (!out->sizes)
		*out = (struct range_operator){ 0 };
	return ok;
}

static bool range_operator_in_group(const struct operator_info *is,
	const char *group)
{
	return is && !strcmp(is->group, group);
}

bool range_operator_layer(struct range_operator_reader *r, uint32_t name,
	const struct operator_info *by_rule, struct range_operator *out)
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
		range_operator_in_group(by_rule, "gemm"))
		return range_operator_layer_shape(r, "aten::linear", by_rule,
			&l, &weight, out);
	if (weight.n == 1 && weight.dims[0] == last &&
		range_operator_in_group(by_rule, "norm"))
		return range_operator_layer_shape(r, by_rule->name, by_rule, &l,
			&weight, out);
	if (l.params == 0 && l.inputs_n == 1 &&
		range_operator_in_group(by_rule, "activation"))
		return range_operator_layer_shape(r, by_rule->name, by_rule, &l,
			&weight, out);
	return true;
}
