/* demangle_print.c - writes nodes out; types around what they are types of. */
#include "demangle_node.h"

struct printer {
	struct buf *out;
	int64_t item; /* of packs, while one is expanded; -1 all of it */
	size_t dropped; /* where a comma was taken back last */
};

static void left(struct printer *p, const struct node *n);
static void right(struct printer *p, const struct node *n);

static void whole(struct printer *p, const struct node *n)
{
	left(p, n);
	right(p, n);
}

static void text(struct printer *p, const struct node *n)
{
	buf_add(p->out, n->text, n->n);
}

static char last(const struct printer *p)
{
	return p->out->len ? p->out->at[p->out->len - 1] : '\0';
}

/* What a parameter stands for, while one item of its pack is written. */
static const struct node *meant(const struct printer *p, const struct node *n)
{
	while (n->kind == NODE_PARAM) {
		const struct node *of = n->a;
		if (of->kind == NODE_PACK && p->item >= 0 && p->item < of->n)
			of = of->items[p->item];
		n = of;
	}
	return n;
}

/* One more of a list that began at `from`; what writes nothing, as an empty
 * pack does, leaves no comma behind. */
static void listed(struct printer *p, const struct node *n, size_t from)
{
	struct buf *out = p->out;
	size_t before = out->len;

	if (before > from)
		buf_puts(out, ", ");
	size_t comma = out->len;
	whole(p, n);
	if (!out->full && out->len == comma && out->at) {
		out->len = p->dropped = before;
		out->at[before] = '\0';
	}
}

static void separated(struct printer *p, struct node *const *items, uint32_t n)
{
	size_t from = p->out->len;
	for (uint32_t i = 0; i < n && !p->out->full; i++)
		listed(p, items[i], from);
}

static void expansion(struct printer *p, const struct node *n)
{
	const struct node *pack = n->c;
	int64_t item = p->item;
	size_t from = p->out->len;

	if (!pack) {
		whole(p, n->a);
		buf_puts(p->out, "...");
		return;
	}
	for (p->item = 0; p->item < pack->n && !p->out->full; p->item++)
		listed(p, n->a, from);
	p->item = item;
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
static bool has_right(const struct printer *p, const struct node *n)
{
	n = unqualified(p, n);
	while (n->kind == NODE_POINTER || n->kind == NODE_LVALUE ||
		n->kind == NODE_RVALUE || n->kind == NODE_MEMBER)
		n = unqualified(p, n->kind == NODE_MEMBER ? n->b : n->a);
	return wraps(p, n);
}

static void template_args(struct printer *p, const struct node *n)
{
	whole(p, n->a);
	if (last(p) == '<')
		buf_puts(p->out, " ");
	buf_puts(p->out, "<");
	separated(p, n->b->items, n->b->n);
	/* GNU forgets the space where an empty pack came last. */
	if (last(p) == '>' && p->dropped != p->out->len)
		buf_puts(p->out, " ");
	buf_puts(p->out, ">");
}

static void opened(struct printer *p, const struct node *of)
{
	left(p, of);
	if (unqualified(p, of)->kind == NODE_ARRAY)
		buf_puts(p->out, " ");
	if (wraps(p, of))
		buf_puts(p->out, "(");
}

static void closed(struct printer *p, const struct node *of)
{
	if (wraps(p, of))
		buf_puts(p->out, ")");
	right(p, of);
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
	int64_t item = p->item;

	p->item = -1;
	if (is_left)
		left(p, of);
	else
		right(p, of);
	p->item = item;
}

static void function_left(struct printer *p, const struct node *n)
{
	if (!n->a)
		return;
	left(p, n->a);
	if (!has_right(p, n->a) || n->kind == NODE_FUNCTION)
		buf_puts(p->out, " ");
}

static void function_right(struct printer *p, const struct node *n)
{
	buf_puts(p->out, "(");
	separated(p, n->c->items, n->c->n);
	buf_puts(p->out, ")");
	if (n->a)
		right(p, n->a);
	text(p, n);
}

static void member_left(struct printer *p, const struct node *n)
{
	opened(p, n->b);
	if (!wraps(p, n->b))
		buf_puts(p->out, " ");
	whole(p, n->a);
	buf_puts(p->out, "::*");
}

static void left(struct printer *p, const struct node *n)
{
	if (p->out->full)
		return;
	switch (n->kind) {
	case NODE_TEXT:
		text(p, n);
		break;
	case NODE_SEQUENCE:
		for (uint32_t i = 0; i < n->n; i++)
			whole(p, n->items[i]);
		break;
	case NODE_LIST:
	case NODE_PACK:
		separated(p, n->items, n->n);
		break;
	case NODE_PARAM:
		param(p, n, true);
		break;
	case NODE_EXPAND:
		expansion(p, n);
		break;
	case NODE_NESTED:
		whole(p, n->a);
		if (n->b) {
			buf_puts(p->out, "::");
			whole(p, n->b);
		}
		break;
	case NODE_TEMPLATE:
		template_args(p, n);
		break;
	case NODE_TAGGED:
		whole(p, n->a);
		buf_puts(p->out, "[abi:");
		whole(p, n->b);
		buf_puts(p->out, "]");
		break;
	case NODE_POINTER:
		opened(p, n->a);
		buf_puts(p->out, "*");
		break;
	case NODE_LVALUE:
	case NODE_RVALUE:
		reference(p, n, true);
		break;
	case NODE_SUFFIX:
		left(p, n->a);
		text(p, n);
		break;
	case NODE_MEMBER:
		member_left(p, n);
		break;
	case NODE_ARRAY:
		left(p, n->a);
		break;
	case NODE_FUNCTION:
		function_left(p, n);
		break;
	case NODE_ENCODING:
		function_left(p, n);
		whole(p, n->b);
		function_right(p, n);
		break;
	}
}

static void right(struct printer *p, const struct node *n)
{
	if (n->kind == NODE_PARAM)
		param(p, n, false);
	else if (n->kind == NODE_POINTER)
		closed(p, n->a);
	else if (n->kind == NODE_LVALUE || n->kind == NODE_RVALUE)
		reference(p, n, false);
	else if (n->kind == NODE_MEMBER)
		closed(p, n->b);
	else if (n->kind == NODE_SUFFIX)
		right(p, n->a);
	else if (n->kind == NODE_FUNCTION)
		function_right(p, n);
	else if (n->kind == NODE_ARRAY) {
		if (last(p) != ']')
			buf_puts(p->out, " ");
		buf_puts(p->out, "[");
		whole(p, n->b);
		buf_puts(p->out, "]");
		right(p, n->a);
	}
}

void node_print(struct buf *out, const struct node *n)
{
	struct printer p = { out, -1, SIZE_MAX };
	whole(&p, n);
}
