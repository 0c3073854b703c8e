/* demangle_value.c - what expressions are made of: literals, and names that
 * depend on a template parameter. */
#include "demangle_node.h"

/* The literal's digits, with a type that C++ can spell, or "(type)digits". */
static struct node *literal_value(struct demangler *d, char letter,
	struct node *type, const char *digits, size_t len)
{
	static const char *const suffix[] = { ['i' - 'i'] = "",
		['j' - 'i'] = "u",
		['l' - 'i'] = "l",
		['m' - 'i'] = "ul",
		['x' - 'i'] = "ll",
		['y' - 'i'] = "ull" };
	bool minus = len && *digits == 'n';
	struct node *sign = node_words(d, minus ? "-" : "");
	struct node *value = node_text(d, digits + minus, len - minus);

	if (letter == 'b' && len == 1 && (*digits == '0' || *digits == '1'))
		return JOIN(d,
			node_words(d, *digits == '1' ? "true" : "false"));
	if (letter >= 'i' && letter <= 'y' && suffix[letter - 'i'])
		return JOIN(d, sign, value,
			node_words(d, suffix[letter - 'i']));
	if (letter == 'f' || letter == 'd' || letter == 'e')
		return JOIN(d, node_words(d, "("), type, node_words(d, ")["),
			sign, value, node_words(d, "]"));
	return JOIN(d, node_words(d, "("), type, node_words(d, ")"), sign,
		value);
}

/* L <type> <value> E, L [_] Z <encoding> E */
struct node *read_literal(struct demangler *d)
{
	if (!take(d, "L"))
		return NULL;
	if (take(d, "_Z") || take(d, "Z")) {
		struct node *n = read_encoding(d, true);
		return take(d, "E") ? n : NULL;
	}
	const char *from = d->at;
	struct node *type = read_type(d);
	char letter = d->at - from == 1 ? *from : '\0';
	const char *digits = d->at;

	if (!type)
		return NULL;
	while (d->at < d->end && *d->at != 'E')
		d->at++;
	size_t len = (size_t)(d->at - digits);
	if (!take(d, "E"))
		return NULL;
	return literal_value(d, letter, type, digits, len);
}

static struct node *with_args(struct demangler *d, struct node *name)
{
	if (!name || peek(d) != 'I')
		return name;
	struct node *args = read_template_args(d, false);
	return args ? node_of(d, NODE_TEMPLATE, name, args) : NULL;
}

/* A name that depends on a parameter: <name> [<args>], on <operator>, or
 * behind a scope, sr <type or names> <name>. */
static struct node *simple_id(struct demangler *d)
{
	take(d, "on");
	return with_args(d, read_unqualified(d, NULL, NULL));
}

struct node *read_unresolved(struct demangler *d)
{
	struct node *scope, *name;

	if (!take(d, "sr"))
		return simple_id(d);
	if (peek(d) >= '0' && peek(d) <= '9') {
		scope = simple_id(d);
		while (scope && !take(d, "E")) {
			name = simple_id(d);
			scope = name ? node_of(d, NODE_NESTED, scope, name)
				     : NULL;
		}
	} else {
		bool several = take(d, "N");
		scope = read_type(d);
		while (several && scope && !take(d, "E")) {
			name = simple_id(d);
			scope = name ? node_of(d, NODE_NESTED, scope, name)
				     : NULL;
		}
	}
	name = scope ? simple_id(d) : NULL;
	return name ? node_of(d, NODE_NESTED, scope, name) : NULL;
}
