/* demangle_expr.c - expressions in template arguments. */
#include "demangle_node.h"
#include <string.h>

static const struct operator operators[] = {
	{ "aN", 2, "&=" },
	{ "aS", 2, "=" },
	{ "aa", 2, "&&" },
	{ "ad", 1, "&" },
	{ "an", 2, "&" },
	{ "aw", 1, "co_await" },
	{ "cl", 0, "()" },
	{ "cm", 2, "," },
	{ "co", 1, "~" },
	{ "dV", 2, "/=" },
	{ "da", 1, "delete[]" },
	{ "de", 1, "*" },
	{ "dl", 1, "delete" },
	{ "ds", 2, ".*" },
	{ "dv", 2, "/" },
	{ "eO", 2, "^=" },
	{ "eo", 2, "^" },
	{ "eq", 2, "==" },
	{ "ge", 2, ">=" },
	{ "gt", 2, ">" },
	{ "ix", 0, "[]" },
	{ "lS", 2, "<<=" },
	{ "le", 2, "<=" },
	{ "ls", 2, "<<" },
	{ "lt", 2, "<" },
	{ "mI", 2, "-=" },
	{ "mL", 2, "*=" },
	{ "mi", 2, "-" },
	{ "ml", 2, "*" },
	{ "mm", 'p', "--" },
	{ "na", 0, "new[]" },
	{ "ne", 2, "!=" },
	{ "ng", 1, "-" },
	{ "nt", 1, "!" },
	{ "nw", 0, "new" },
	{ "oR", 2, "|=" },
	{ "oo", 2, "||" },
	{ "or", 2, "|" },
	{ "pL", 2, "+=" },
	{ "pl", 2, "+" },
	{ "pm", 2, "->*" },
	{ "pp", 'p', "++" },
	{ "ps", 1, "+" },
	{ "pt", 0, "->" },
	{ "rM", 2, "%=" },
	{ "rS", 2, ">>=" },
	{ "rm", 2, "%" },
	{ "rs", 2, ">>" },
	{ "ss", 2, "<=>" },
};

const struct operator* operator_at(const struct demangler *d)
{
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (d->end - d->at >= 2 && !memcmp(d->at, operators[i].code, 2))
			return &operators[i];
	return NULL;
}

/* In brackets, unless it is a name. */
static struct node *bracketed(struct demangler *d, struct node *n)
{
	if (!n || n->kind == NODE_TEXT || n->kind == NODE_NESTED)
		return n;
	return JOIN(d, node_words(d, "("), n, node_words(d, ")"));
}

static struct node *around(struct demangler *d, const char *before,
	struct node *n, const char *after)
{
	return JOIN(d, node_words(d, before), n, node_words(d, after));
}

/* <expr>* E, with commas. */
static struct node *list(struct demangler *d)
{
	uint32_t from = d->stack_n;
	while (!take(d, "E"))
		if (!stack_push(d, read_expr(d)))
			return NULL;
	return stack_pop(d, NODE_LIST, from);
}

/* fp [n] _ , fL <level> p [n] _ : a parameter of the function. */
static struct node *function_param(struct demangler *d)
{
	uint64_t n;

	if (take(d, "fpT"))
		return node_words(d, "this");
	if (take(d, "fL")) {
		if (!take_number(d, &n) || !take(d, "p"))
			return NULL;
	} else if (!take(d, "fp")) {
		return NULL;
	}
	take(d, "K");
	if (!take_index(d, &n))
		return NULL;
	struct node *number = node_number(d, n + 1);
	struct node *whole = around(d, "{parm#", number, "}");
	/* One word, so that it needs no brackets. */
	return whole ? node_of(d, NODE_NESTED, whole, NULL) : NULL;
}

static struct node *fold(struct demangler *d)
{
	bool left = peek_next(d) == 'l' || peek_next(d) == 'L';
	bool both = peek_next(d) == 'L' || peek_next(d) == 'R';

	d->at++;
	d->at++;
	const struct operator* op = operator_at(d);
	if (!op)
		return NULL;
	d->at += 2;
	struct node *a = bracketed(d, read_expr(d));
	struct node *sign = node_words(d, op->text);
	if (both) {
		struct node *b = a ? bracketed(d, read_expr(d)) : NULL;
		return JOIN(d, node_words(d, "("), a, sign,
			node_words(d, "..."), sign, b, node_words(d, ")"));
	}
	if (left)
		return JOIN(d, node_words(d, "(..."), sign, a,
			node_words(d, ")"));
	return JOIN(d, node_words(d, "("), a, sign, node_words(d, "...)"));
}

static struct node *operation(struct demangler *d)
{
	const struct operator* op = operator_at(d);
	if (!op || !op->arity)
		return NULL;
	d->at += 2;
	bool before = op->arity == 1 || (op->arity == 'p' && take(d, "_"));
	struct node *a = read_expr(d);
	struct node *sign = node_words(d, op->text);
	/* The address of a function is that of its name. */
	if (a && a->kind == NODE_ENCODING && a->b->kind == NODE_NESTED &&
		!strcmp(op->code, "ad"))
		a = a->b;
	a = bracketed(d, a);
	bool letters = op->text[0] >= 'a' && op->text[0] <= 'z';
	if (before)
		return JOIN(d, sign, node_words(d, letters ? " " : ""), a);
	if (op->arity == 'p')
		return JOIN(d, a, sign);
	struct node *b = a ? bracketed(d, read_expr(d)) : NULL;
	struct node *n = JOIN(d, a, sign, b);
	/* > would end the template arguments. */
	return !strcmp(op->text, ">") ? around(d, "(", n, ")") : n;
}

static struct node *ternary(struct demangler *d)
{
	struct node *a = bracketed(d, read_expr(d));
	struct node *b = a ? bracketed(d, read_expr(d)) : NULL;
	struct node *c = b ? bracketed(d, read_expr(d)) : NULL;
	return JOIN(d, a, node_words(d, "?"), b, node_words(d, " : "), c);
}

static struct node *call(struct demangler *d)
{
	struct node *f = bracketed(d, read_expr(d));
	struct node *args = f ? list(d) : NULL;
	return JOIN(d, f, node_words(d, "("), args, node_words(d, ")"));
}

/* cv <type> <expr>, cv <type> _ <expr>* E */
static struct node *conversion(struct demangler *d)
{
	struct node *to = read_type(d), *of = NULL;
	if (to && take(d, "_"))
		of = around(d, "(", list(d), ")");
	else if (to)
		of = bracketed(d, read_expr(d));
	return JOIN(d, node_words(d, "("), to, node_words(d, ")"), of);
}

static struct node *cast(struct demangler *d, const char *word)
{
	struct node *to = read_type(d), *of = to ? read_expr(d) : NULL;
	return JOIN(d, node_words(d, word), node_words(d, "<"), to,
		node_words(d, ">("), of, node_words(d, ")"));
}

/* dt <expr> <name>, pt <expr> <name> */
static struct node *access(struct demangler *d, const char *sign)
{
	struct node *of = bracketed(d, read_expr(d));
	struct node *name = of ? read_unresolved(d) : NULL;
	return JOIN(d, of, node_words(d, sign), name);
}

static struct node *braces(struct demangler *d, bool typed)
{
	struct node *type = typed ? read_type(d) : node_words(d, "");
	struct node *items = type ? list(d) : NULL;
	return JOIN(d, type, node_words(d, "{"), items, node_words(d, "}"));
}

static struct node *pack_length(struct demangler *d)
{
	struct node *of = read_template_param(d);
	if (of && of->pack)
		return node_number(d, of->pack->n);
	return around(d, "sizeof...(", of, ")");
}

static struct node *expr(struct demangler *d)
{
	char c = peek(d), next = peek_next(d);

	if (c == 'L')
		return read_literal(d);
	if (c == 'T')
		return read_template_param(d);
	if (c == 'f' &&
		(next == 'p' || (next == 'L' && d->end - d->at > 2 &&
					d->at[2] >= '0' && d->at[2] <= '9')))
		return function_param(d);
	if (c == 'f')
		return fold(d);
	if ((c >= '0' && c <= '9') || (c == 's' && next == 'r') ||
		(c == 'o' && next == 'n'))
		return read_unresolved(d);
	if (take(d, "gs"))
		return around(d, "::", read_expr(d), "");
	if (take(d, "cl"))
		return call(d);
	if (take(d, "cv"))
		return conversion(d);
	if (take(d, "qu"))
		return ternary(d);
	if (take(d, "tl"))
		return braces(d, true);
	if (take(d, "il"))
		return braces(d, false);
	if (take(d, "dt"))
		return access(d, ".");
	if (take(d, "pt"))
		return access(d, "->");
	if (take(d, "sp"))
		return node_of(d, NODE_EXPAND, read_expr(d), NULL);
	if (take(d, "sZ"))
		return pack_length(d);
	if (take(d, "sc"))
		return cast(d, "static_cast");
	if (take(d, "cc"))
		return cast(d, "const_cast");
	if (take(d, "rc"))
		return cast(d, "reinterpret_cast");
	if (take(d, "st"))
		return around(d, "sizeof (", read_type(d), ")");
	if (take(d, "sz"))
		return around(d, "sizeof (", read_expr(d), ")");
	if (take(d, "at"))
		return around(d, "alignof (", read_type(d), ")");
	if (take(d, "az"))
		return around(d, "alignof (", read_expr(d), ")");
	if (take(d, "nx"))
		return around(d, "noexcept (", read_expr(d), ")");
	return operation(d);
}

struct node *read_expr(struct demangler *d)
{
	if (!enter(d))
		return NULL;
	struct node *n = expr(d);
	leave(d);
	return n;
}
