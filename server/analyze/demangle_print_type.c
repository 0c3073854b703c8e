/* demangle_print_type.c - types, around what they are types of. */
#include "demangle_print.h"

/* What a parameter stands for, while one item of its pack is written. */
static const struct node *meant(const struct printer *p, const struct node *n)
{
	for (;;) {
		const struct node *of = n->a;
		if (n->kind == NODE_AUTO && !p->in_lambda && p->function &&
			n->n < p->function->n)
			of = p->function->items[n->n];
		else if (n->kind != NODE_PARAM)
			return n;
		if (of->kind == NODE_PACK && p->item >= 0 && p->item < of->n)
			of = of->items[p->item];
		n = of;
	}
}

/* What a type is below its qualifiers. */
static const struct node *unqualified(const struct printer *p,
	const struct node *n)
{
	n = meant(p, n);
	while (n->kind == NODE_SUFFIX)
		n = meant(p, n->a);
	return n;
}

static bool wraps(const struct printer *p, const struct node *n)
{
	n = unqualified(p, n);
	return n->kind == NODE_FUNCTION || n->kind == NODE_ARRAY;
}

/* Whether something of the type follows what is of that type. */
bool print_has_right(const struct printer *p, const struct node *n)
{
	n = unqualified(p, n);
	while (n->kind == NODE_POINTER || n->kind == NODE_LVALUE ||
		n->kind == NODE_RVALUE || n->kind == NODE_MEMBER)
		n = unqualified(p, n->kind == NODE_MEMBER ? n->b : n->a);
	return wraps(p, n);
}

static void opened(struct printer *p, const struct node *of)
{
	print_left(p, of);
	if (unqualified(p, of)->kind == NODE_ARRAY)
		buf_puts(p->out, " ");
	if (wraps(p, of))
		buf_puts(p->out, "(");
}

static void closed(struct printer *p, const struct node *of)
{
	if (wraps(p, of))
		buf_puts(p->out, ")");
	print_right(p, of);
}

/* & of & or && is &, && of & is &: what a reference refers to in the end. */
static void reference(struct printer *p, const struct node *n, bool is_left)
{
	int64_t item = p->item;
	bool lvalue = n->kind == NODE_LVALUE;
	const struct node *of = n->a, *m = meant(p, of);

	while (m->kind == NODE_LVALUE || m->kind == NODE_RVALUE) {
		lvalue |= m->kind == NODE_LVALUE;
		if (m != of)
			p->item = -1;
		of = m->a;
		m = meant(p, of);
	}
	if (is_left) {
		opened(p, of);
		buf_puts(p->out, lvalue ? "&" : "&&");
	} else {
		closed(p, of);
	}
	p->item = item;
}

/* An argument is written without the expansion that its parameter is in. */
static void param(struct printer *p, const struct node *n, bool is_left)
{
	const struct node *of = meant(p, n);
	struct printer kept = *p;

	if (of->kind == NODE_AUTO) {
		if (is_left)
			buf_printf(p->out, "auto:%u", of->n + 1);
		return;
	}
	p->item = -1;
	p->function = NULL;
	p->in_lambda = false;
	if (is_left)
		print_left(p, of);
	else
		print_right(p, of);
	p->item = kept.item;
	p->function = kept.function;
	p->in_lambda = kept.in_lambda;
}

static void member_left(struct printer *p, const struct node *n)
{
	opened(p, n->b);
	if (!wraps(p, n->b))
		buf_puts(p->out, " ");
	print_whole(p, n->a);
	buf_puts(p->out, "::*");
}

void print_type(struct printer *p, const struct node *n)
{
	switch (n->kind) {
	case NODE_POINTER:
		opened(p, n->a);
		buf_puts(p->out, "*");
		break;
	case NODE_LVALUE:
	case NODE_RVALUE:
		reference(p, n, true);
		break;
	case NODE_SUFFIX:
		print_left(p, n->a);
		buf_add(p->out, n->text, n->len);
		break;
	case NODE_MEMBER:
		member_left(p, n);
		break;
	case NODE_ARRAY:
		print_left(p, n->a);
		break;
	default:
		param(p, n, true);
	}
}

void print_right(struct printer *p, const struct node *n)
{
	if (n->kind == NODE_PARAM || n->kind == NODE_AUTO)
		param(p, n, false);
	else if (n->kind == NODE_POINTER)
		closed(p, n->a);
	else if (n->kind == NODE_LVALUE || n->kind == NODE_RVALUE)
		reference(p, n, false);
	else if (n->kind == NODE_MEMBER)
		closed(p, n->b);
	else if (n->kind == NODE_SUFFIX)
		print_right(p, n->a);
	else if (n->kind == NODE_FUNCTION)
		print_function_right(p, n);
	else if (n->kind == NODE_ARRAY) {
		if (print_last(p) != ']')
			buf_puts(p->out, " ");
		buf_puts(p->out, "[");
		print_whole(p, n->b);
		buf_puts(p->out, "]");
		print_right(p, n->a);
	}
}
