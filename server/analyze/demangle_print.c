/* demangle_print.c - writes nodes out. */
#include "demangle_print.h"

static void text(struct printer *p, const struct node *n)
{
	buf_add(p->out, n->text, n->len);
}

void print_whole(struct printer *p, const struct node *n)
{
	print_left(p, n);
	print_right(p, n);
}

char print_last(const struct printer *p)
{
	return p->out->len ? p->out->at[p->out->len - 1] : '\0';
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
	print_whole(p, n);
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
		print_whole(p, n->a);
		buf_puts(p->out, "...");
		return;
	}
	for (p->item = 0; p->item < pack->n && !p->out->full; p->item++)
		listed(p, n->a, from);
	p->item = item;
}

static void template_args(struct printer *p, const struct node *n)
{
	print_whole(p, n->a);
	if (print_last(p) == '<')
		buf_puts(p->out, " ");
	buf_puts(p->out, "<");
	separated(p, n->b->items, n->b->n);
	/* GNU forgets the space where an empty pack came last. */
	if (print_last(p) == '>' && p->dropped != p->out->len)
		buf_puts(p->out, " ");
	buf_puts(p->out, ">");
}

static void function_left(struct printer *p, const struct node *n)
{
	if (!n->a)
		return;
	print_left(p, n->a);
	if (!print_has_right(p, n->a) || n->kind == NODE_FUNCTION)
		buf_puts(p->out, " ");
}

void print_function_right(struct printer *p, const struct node *n)
{
	buf_puts(p->out, "(");
	separated(p, n->c->items, n->c->n);
	buf_puts(p->out, ")");
	if (n->a)
		print_right(p, n->a);
	text(p, n);
}

static void encoding(struct printer *p, const struct node *n)
{
	const struct node *function = p->function;
	bool in_lambda = p->in_lambda;

	p->function = n;
	p->in_lambda = false;
	function_left(p, n);
	p->function = function;
	p->in_lambda = in_lambda;
	print_whole(p, n->b);
	p->function = n;
	p->in_lambda = false;
	print_function_right(p, n);
	p->function = function;
	p->in_lambda = in_lambda;
}

static void lambda(struct printer *p, const struct node *n)
{
	bool in_lambda = p->in_lambda;

	buf_puts(p->out, "{lambda(");
	p->in_lambda = true;
	print_whole(p, n->a);
	p->in_lambda = in_lambda;
	buf_puts(p->out, ")#");
	print_whole(p, n->b);
	buf_puts(p->out, "}");
}

void print_left(struct printer *p, const struct node *n)
{
	/* A size foretold is not what a lambda's parameter turns into. */
	if (p->steps++ > DEMANGLE_SIZE)
		p->out->full = true;
	if (p->out->full)
		return;
	switch (n->kind) {
	case NODE_TEXT:
		text(p, n);
		break;
	case NODE_SEQUENCE:
		for (uint32_t i = 0; i < n->n; i++)
			print_whole(p, n->items[i]);
		break;
	case NODE_LIST:
	case NODE_PACK:
		separated(p, n->items, n->n);
		break;
	case NODE_EXPAND:
		expansion(p, n);
		break;
	case NODE_NESTED:
		print_whole(p, n->a);
		if (n->b) {
			buf_puts(p->out, "::");
			print_whole(p, n->b);
		}
		break;
	case NODE_TEMPLATE:
		template_args(p, n);
		break;
	case NODE_TAGGED:
		print_whole(p, n->a);
		buf_puts(p->out, "[abi:");
		print_whole(p, n->b);
		buf_puts(p->out, "]");
		break;
	case NODE_PARAM:
	case NODE_AUTO:
	case NODE_POINTER:
	case NODE_LVALUE:
	case NODE_RVALUE:
	case NODE_SUFFIX:
	case NODE_MEMBER:
	case NODE_ARRAY:
		print_type(p, n);
		break;
	case NODE_FUNCTION:
		function_left(p, n);
		break;
	case NODE_ENCODING:
		encoding(p, n);
		break;
	case NODE_LAMBDA:
		lambda(p, n);
		break;
	}
}

void node_print(struct buf *out, const struct node *n)
{
	struct printer p = { .out = out, .item = -1, .dropped = SIZE_MAX };
	print_whole(&p, n);
}
