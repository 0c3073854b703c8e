/* layer_text.c - Python literals by descent; of a failed read nothing is used. */
#include "layer_text.h"
#include <string.h>

enum { DEPTH = 32, DIGITS = 18, WORD = 64 };

struct reader {
	const char *at;
	int depth;
};

static bool value(struct reader *r);

static void blanks(struct reader *r)
{
	r->at += strspn(r->at, " \t\n");
}

static bool take(struct reader *r, char c)
{
	blanks(r);
	if (*r->at != c)
		return false;
	r->at++;
	return true;
}

/* Leaves the text between the quotes, escapes as they are. */
static bool string(struct reader *r, const char **text, size_t *len)
{
	char quote = *r->at;

	if (quote != '\'' && quote != '"')
		return false;
	*text = ++r->at;
	while (*r->at && *r->at != quote)
		r->at += *r->at == '\\' && r->at[1] ? 2 : 1;
	*len = (size_t)(r->at - *text);
	return take(r, quote);
}

static bool whole(struct reader *r, int64_t *out)
{
	size_t digits = strspn(r->at, "0123456789");

	if (digits == 0 || digits > DIGITS)
		return false;
	*out = 0;
	for (; digits; digits--)
		*out = *out * 10 + (*r->at++ - '0');
	return !*r->at || strchr(" ,])}", *r->at);
}

/* What stands between brackets: values, and behind colons more of them. */
static bool within(struct reader *r, char end)
{
	if (++r->depth > DEPTH)
		return false;
	r->at++;
	while (!take(r, end)) {
		if (!value(r))
			return false;
		if (take(r, ':') && !value(r))
			return false;
		blanks(r);
		if (*r->at != end && !take(r, ','))
			return false;
	}
	r->depth--;
	return true;
}

/* None, True, -1.5e3, torch.float16, Size([1]), <object at 0x1> */
static bool word(struct reader *r)
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
	return len && (*r->at != '(' || within(r, ')'));
}

static bool value(struct reader *r)
{
	const char *text;
	size_t len;

	blanks(r);
	switch (*r->at) {
	case '\'':
	case '"':
		return string(r, &text, &len);
	case '[':
		return within(r, ']');
	case '(':
		return within(r, ')');
	case '{':
		return within(r, '}');
	default:
		return word(r);
	}
}

static char closing(char c)
{
	return c == '[' ? ']' : c == '(' ? ')' : 0;
}

static bool tensor(struct reader *r, struct layer_tensor *t)
{
	char end = closing(*r->at);

	*t = (struct layer_tensor){ 0 };
	if (!end)
		return false;
	r->at++;
	while (!take(r, end)) {
		if (t->n == LAYER_DIMS || !whole(r, &t->dims[t->n++]))
			return false;
		blanks(r);
		if (*r->at != end && !take(r, ','))
			return false;
	}
	return true;
}

/* Inputs: a list of shapes. */
static bool inputs(struct reader *r, struct layer_text *out)
{
	char end;

	blanks(r);
	end = closing(*r->at);
	if (!end)
		return false;
	r->at++;
	while (!take(r, end)) {
		if (out->inputs_n == LAYER_TENSORS ||
			!tensor(r, &out->inputs[out->inputs_n++]))
			return false;
		blanks(r);
		if (*r->at != end && !take(r, ','))
			return false;
		blanks(r);
	}
	return true;
}

static bool is(const char *text, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(text, word, len);
}

static bool param(struct reader *r, const char *name, size_t len,
	struct layer_text *out)
{
	out->params++;
	blanks(r);
	return is(name, len, "weight") ? tensor(r, &out->weight) : value(r);
}

static bool fixed(struct reader *r, const char *name, size_t len,
	struct layer_text *out)
{
	blanks(r);
	if (is(name, len, "in_features"))
		return whole(r, &out->in_features);
	if (is(name, len, "out_features"))
		return whole(r, &out->out_features);
	return value(r);
}

typedef bool entry_fn(struct reader *r, const char *name, size_t len,
	struct layer_text *out);

static bool dict(struct reader *r, entry_fn *each, struct layer_text *out)
{
	const char *name;
	size_t len;

	if (!take(r, '{'))
		return false;
	while (!take(r, '}')) {
		blanks(r);
		if (!string(r, &name, &len) || !take(r, ':') ||
			!each(r, name, len, out))
			return false;
		blanks(r);
		if (*r->at != '}' && !take(r, ','))
			return false;
	}
	return true;
}

static bool entry(struct reader *r, const char *name, size_t len,
	struct layer_text *out)
{
	blanks(r);
	if (is(name, len, "Module"))
		return string(r, &out->module, &out->module_len);
	if (is(name, len, "Inputs"))
		return !out->inputs_n && inputs(r, out);
	if (is(name, len, "TrainableParams"))
		return dict(r, param, out);
	if (is(name, len, "StaticParams"))
		return dict(r, fixed, out);
	return value(r);
}

bool layer_text_read(const char *text, struct layer_text *out)
{
	struct reader r = { text, 0 };

	*out = (struct layer_text){ .in_features = -1, .out_features = -1 };
	if (strncmp(text, "{'Module': ", strlen("{'Module': ")) != 0 ||
		!dict(&r, entry, out))
		return false;
	blanks(&r);
	return !*r.at && out->module && out->inputs_n;
}
