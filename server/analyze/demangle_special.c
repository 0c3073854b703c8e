/* demangle_special.c - names without letters: operators, constructors,
 * lambdas, and what is local to a function. */
#include "demangle_node.h"
#include <string.h>

/* Ul <params> E [n] _ ; Ut [n] _ */
static struct node *closure(struct demangler *d)
{
	bool lambda = take(d, "Ul"), in_lambda = d->in_lambda;
	struct node *params = NULL;
	uint64_t n;

	if (!lambda && !take(d, "Ut"))
		return NULL;
	if (lambda) {
		d->in_lambda = true;
		params = read_params(d);
		d->in_lambda = in_lambda;
		if (!params || !take(d, "E"))
			return NULL;
	}
	if (!take_index(d, &n))
		return NULL;
	struct node *number = node_number(d, n + 1);
	if (!lambda)
		return JOIN(d, node_words(d, "{unnamed type#"), number,
			node_words(d, "}"));
	return number ? node_of(d, NODE_LAMBDA, params, number) : NULL;
}

/* A name without its scope and template arguments, for constructors. */
static struct node *last_name(struct node *n)
{
	for (;;)
		if (n->kind == NODE_NESTED)
			n = n->b;
		else if (n->kind == NODE_TEMPLATE || n->kind == NODE_TAGGED)
			n = n->a;
		else
			return n;
}

static struct node *operator_name(struct demangler *d, struct name_info *info)
{
	if (take(d, "cv")) {
		if (info)
			info->no_result = true;
		struct node *to = read_type(d);
		return JOIN(d, node_words(d, "operator "), to);
	}
	if (take(d, "li")) {
		struct node *suffix = read_source_name(d);
		return JOIN(d, node_words(d, "operator\"\" "), suffix);
	}
	const struct operator* op = operator_at(d);
	if (!op)
		return NULL;
	d->at += 2;
	bool letters = op->text[0] >= 'a' && op->text[0] <= 'z';
	return JOIN(d, node_words(d, letters ? "operator " : "operator"),
		node_words(d, op->text));
}

struct node *read_special_name(struct demangler *d, struct node *scope,
	struct name_info *info)
{
	char c = peek(d), next = peek_next(d);

	if (c == 'U')
		return closure(d);
	if ((c == 'C' || c == 'D') && next >= '0' && next <= '5') {
		if (!scope)
			return NULL;
		d->at += 2;
		if (info)
			info->no_result = true;
		struct node *name = last_name(scope);
		return c == 'C' ? name : JOIN(d, node_words(d, "~"), name);
	}
	return operator_name(d, info);
}

/* [<tags>]: B <source-name>, any number. */
static struct node *tagged(struct demangler *d, struct node *n)
{
	while (n && take(d, "B")) {
		struct node *tag = read_source_name(d);
		n = tag ? node_of(d, NODE_TAGGED, n, tag) : NULL;
	}
	return n;
}

struct node *read_unqualified(struct demangler *d, struct node *scope,
	struct name_info *info)
{
	struct node *n;

	take(d, "L");
	if (peek(d) >= '0' && peek(d) <= '9')
		n = read_source_name(d);
	else
		n = read_special_name(d, scope, info);
	n = tagged(d, n);
	return n && scope ? node_of(d, NODE_NESTED, scope, n) : n;
}

/* _ <digit> or __ <number> _ : which of several of a name; not shown. */
static void skip_discriminator(struct demangler *d)
{
	const char *from = d->at;
	uint64_t n;

	if (take(d, "__")) {
		if (!take_number(d, &n) || !take(d, "_"))
			d->at = from;
	} else if (peek(d) == '_' && peek_next(d) >= '0' &&
		   peek_next(d) <= '9') {
		d->at += 2;
	}
}

/* Z <encoding> E <name> */
static struct node *local(struct demangler *d, struct name_info *info)
{
	struct node *function = read_encoding(d, false);
	if (!function || !take(d, "E"))
		return NULL;
	if (take(d, "s")) {
		skip_discriminator(d);
		return node_of(d, NODE_NESTED, function,
			node_words(d, "string literal"));
	}
	if (take(d, "d")) {
		uint64_t n;
		if (!take_index(d, &n))
			return NULL;
		struct node *arg = JOIN(d, node_words(d, "{default arg#"),
			node_number(d, n + 1), node_words(d, "}"));
		struct node *name = read_name(d, info);
		return arg && name ? node_of(d, NODE_NESTED, function,
					     node_of(d, NODE_NESTED, arg, name))
				   : NULL;
	}
	struct node *name = read_name(d, info);
	skip_discriminator(d);
	return name ? node_of(d, NODE_NESTED, function, name) : NULL;
}

struct node *read_local(struct demangler *d, struct name_info *info)
{
	return take(d, "Z") ? local(d, info) : NULL;
}
