/* formula_read.c - from text to a tree, by descent. */
#include "formula_reader.h"
#include <string.h>

static uint32_t named(struct formula_reader *r)
{
	size_t len = formula_name(r);
	const char *name = r->at;
	uint32_t call;

	for (uint32_t i = 0; i < r->each_n; i++)
		if (formula_same(r->each[i], name, len)) {
			r->at += len;
			return formula_node(r,
				(struct formula_node){ F_EACH, .number = i });
		}
	for (uint32_t i = 0; i < r->f->names_n; i++)
		if (formula_same(r->f->names[i], name, len)) {
			r->at += len;
			return formula_node(r,
				(struct formula_node){ F_SHARED, .number = i });
		}
	if (formula_call(r, &call))
		return call;
	const char *size = formula_size(r);
	if (!size)
		return 0;
	if (formula_skip(r, "["))
		return formula_place(r, size);
	return formula_node(r, (struct formula_node){ F_SIZE, .name = size });
}

static uint32_t number(struct formula_reader *r)
{
	uint64_t v = 0;

	for (; *r->at >= '0' && *r->at <= '9'; r->at++)
		if (__builtin_mul_overflow(v, 10, &v) ||
			__builtin_add_overflow(v, (uint64_t)(*r->at - '0'),
				&v)) {
			formula_wrong(r, "a number that passes 64 bits");
			return 0;
		}
	return formula_node(r, (struct formula_node){ F_NUMBER, .number = v });
}

static uint32_t factor(struct formula_reader *r)
{
	uint32_t n = 0;

	if (++r->depth > FORMULA_DEPTH) {
		formula_wrong(r, "a formula that is too deep");
		return 0;
	}
	if (formula_skip(r, "(")) {
		n = formula_expression(r);
		n = n && formula_must(r, ")", "no ')'") ? n : 0;
	} else if (*r->at >= '0' && *r->at <= '9') {
		n = number(r);
	} else if (formula_name(r)) {
		n = named(r);
	} else {
		formula_wrong(r, "no number, size or '('");
	}
	if (n && formula_skip(r, "??"))
		n = formula_two(r, F_OR_ELSE, n, factor(r));
	r->depth--;
	return n;
}

static uint32_t term(struct formula_reader *r)
{
	uint32_t left = factor(r);

	while (left) {
		if (formula_skip(r, "*"))
			left = formula_two(r, F_MUL, left, factor(r));
		else if (formula_skip(r, "/"))
			left = formula_two(r, F_DIV, left, factor(r));
		else
			break;
	}
	return left;
}

static uint32_t sum(struct formula_reader *r)
{
	uint32_t left = term(r);

	while (left) {
		if (formula_skip(r, "+"))
			left = formula_two(r, F_ADD, left, term(r));
		else if (formula_skip(r, "-"))
			left = formula_two(r, F_SUB, left, term(r));
		else
			break;
	}
	return left;
}

uint32_t formula_expression(struct formula_reader *r)
{
	uint32_t left = sum(r);

	if (!left)
		return 0;
	if (formula_skip(r, "<="))
		return formula_two(r, F_LESS_EQUAL, left, sum(r));
	if (formula_skip(r, ">="))
		return formula_two(r, F_LESS_EQUAL, sum(r), left);
	if (formula_skip(r, "<"))
		return formula_two(r, F_LESS, left, sum(r));
	if (formula_skip(r, ">"))
		return formula_two(r, F_LESS, sum(r), left);
	if (formula_skip(r, "=="))
		return formula_two(r, F_EQUAL, left, sum(r));
	if (formula_skip(r, "!="))
		return formula_two(r, F_NOT_EQUAL, left, sum(r));
	return left;
}

void formula_init(struct formula_set *f, struct arena *a,
	const char *const *sizes, uint32_t sizes_n)
{
	*f = (struct formula_set){ .arena = a,
		.sizes = sizes,
		.sizes_n = sizes_n,
		.n = 1 };
}

static bool read_all(struct formula_reader *r, uint32_t *root)
{
	if (strlen(r->text) > FORMULA_LEN)
		return err_set(r->err, ERR_INPUT,
			"%s: the formula is longer than %d characters",
			r->where, FORMULA_LEN);
	*root = formula_expression(r);
	formula_skip(r, ""); /* blanks */
	return *root &&
	       (!*r->at || formula_wrong(r, "something that does not belong"));
}

bool formula_read(struct formula_set *f, const char *text, const char *where,
	uint32_t *root, struct err *e)
{
	struct formula_reader r = { .f = f,
		.text = text,
		.at = text,
		.where = where,
		.err = e };

	return read_all(&r, root);
}

bool formula_share(struct formula_set *f, const char *text, const char *where,
	struct err *e)
{
	struct formula_reader r = { .f = f,
		.text = text,
		.at = text,
		.where = where,
		.err = e };
	size_t len = formula_name(&r);
	const char *name = r.at;

	if (!len)
		return formula_wrong(&r, "no name before '='");
	for (uint32_t i = 0; i < f->sizes_n; i++)
		if (formula_same(f->sizes[i], name, len))
			return formula_wrong(&r, "the name of a size");
	for (uint32_t i = 0; i < f->names_n; i++)
		if (formula_same(f->names[i], name, len))
			return formula_wrong(&r, "a name that is told already");
	if (formula_function(name, len))
		return formula_wrong(&r, "the name of a function");
	if (f->names_n == FORMULA_SHARED)
		return formula_wrong(&r, "one shared name too many");
	r.at += len;
	if (!formula_must(&r, "=", "no '='") ||
		!read_all(&r, &f->roots[f->names_n]))
		return false;
	f->names[f->names_n++] = arena_strndup(f->arena, name, len);
	return true;
}
