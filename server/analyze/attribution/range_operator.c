/* range_operator.c - parses the names of ranges that give operators: those of
 * emit_nvtx and layerwise ranges. */
#include "range_operator.h"
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

/* The ", " before the first key, or NULL. */
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

/* The end of a list of lists of whole numbers; NULL if the text is not such a
 * list. */
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

/* Parses a string. The result is the text between the quotes, with its
 * escapes. */
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

/* Skips the values between brackets, which may be separated by commas and
 * colons. */
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

/* Skips a word such as None, True, -1.5e3, torch.float16, Size([1]) or <object
 * at 0x1>. */
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

/* Parses the value of Inputs, a list of shapes. */
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
