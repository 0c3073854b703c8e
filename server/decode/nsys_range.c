/* nsys_range.c - a range's row, and the names PyTorch makes up.
 *
 * torch.autograd.profiler.emit_nvtx() numbers every operator in its range's
 * name: "aten::mm, seq = 7, op_id = 12, sizes = [[2, 3], [3, 4]]". As they are,
 * no two of them would be the same operator. */
#include "nsys_nvtx.h"

struct parts {
	size_t name; /* bytes of it */
	int64_t op; /* -1: the name is no such name */
	const char *sizes;
	size_t sizes_len;
};

/* Passes over the text where it stands next. */
static bool skip(const char **p, const char *end, const char *text)
{
	size_t n = strlen(text);
	if ((size_t)(end - *p) < n || memcmp(*p, text, n) != 0)
		return false;
	*p += n;
	return true;
}

static bool number(const char **p, const char *end, int64_t *v)
{
	enum { DIGITS_MOST = 18 };
	const char *from = *p;
	*v = 0;
	for (; *p < end && **p >= '0' && **p <= '9'; (*p)++) {
		if (*p - from == DIGITS_MOST)
			return false;
		*v = *v * 10 + (**p - '0');
	}
	return *p > from;
}

/* A list in brackets, from its first to behind its last. */
static bool list(const char **p, const char *end)
{
	int depth = 0;
	for (; *p < end; (*p)++) {
		char c = **p;
		depth += c == '[';
		depth -= c == ']';
		if (c == ']' && depth == 0) {
			(*p)++;
			return true;
		}
		if (!strchr("[]0123456789-, ()", c) || c == '\0')
			return false;
	}
	return false;
}

static struct parts parts_of(const char *s, size_t len)
{
	static const char op[] = ", op_id = ", seq[] = ", seq = ";
	const struct parts none = { .name = len, .op = -1 };
	const char *end = s + len;
	const char *p = memmem(s, len, op, sizeof op - 1);
	struct parts parts = { 0 };
	int64_t v;
	if (!p)
		return none;
	const char *q = memmem(s, (size_t)(p - s), seq, sizeof seq - 1);
	parts.name = (size_t)((q ? q : p) - s);
	if (q && (!skip(&q, p, seq) || !number(&q, p, &v) || q != p))
		return none;
	if (!skip(&p, end, op) || !number(&p, end, &parts.op))
		return none;
	if (skip(&p, end, ", sizes = ")) {
		parts.sizes = p;
		if (!list(&p, end))
			return none;
		parts.sizes_len = (size_t)(p - parts.sizes);
	}
	if (skip(&p, end, ", input_op_ids = ") && !list(&p, end))
		return none;
	return p == end ? parts : none;
}

bool nsys_range(struct nsys_nvtx *x, struct range_row *row, struct err *e)
{
	struct trace *t = x->nsys->trace;
	/* A copy: what is put below moves the entry. */
	const struct name name = t->names.list[row->name];
	struct parts parts = parts_of(name.text, name.len);
	if (parts.op >= 0) {
		row->id = parts.op;
		if (parts.sizes_len && !row->payload)
			row->payload = names_put(&t->names, parts.sizes,
				parts.sizes_len);
		row->name = names_put(&t->names, name.text, parts.name);
		x->nsys->pytorch = true;
	}
	return (row->name != NAMES_NONE && row->payload != NAMES_NONE &&
		       trace_range_add(t, row)) ||
	       arena_err(t->arena, e);
}
