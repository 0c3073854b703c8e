/* demangle_name.c - names: nested, templated, substituted. */
#include "demangle_node.h"
#include <string.h>

struct node *read_source_name(struct demangler *d)
{
	uint64_t len;
	if (!take_number(d, &len) || (uint64_t)(d->end - d->at) < len)
		return NULL;
	const char *s = d->at;
	d->at += len;
	if (len >= 10 && !memcmp(s, "_GLOBAL_", 8) && s[9] == 'N' &&
		(s[8] == '_' || s[8] == '.' || s[8] == '$'))
		return node_words(d, "(anonymous namespace)");
	return node_text(d, s, (size_t)len);
}

/* T_, T0_; TL0__ and the like are of an outer template. */
struct node *read_template_param(struct demangler *d)
{
	uint64_t i, level = 0;
	if (!take(d, "T"))
		return NULL;
	if (take(d, "L") && (!take_number(d, &level) || !take(d, "__")))
		return NULL;
	if (!take_index(d, &i))
		return NULL;
	if (d->in_lambda)
		return node_auto(d, i);
	return i < d->args_n ? node_of(d, NODE_PARAM, d->args[i], NULL) : NULL;
}

struct node *read_substitution(struct demangler *d)
{
	static const struct {
		char letter[3];
		const char *text;
	} standard[] = {
		{ "Sa", "std::allocator" },
		{ "Sb", "std::basic_string" },
		{ "Ss", "std::string" },
		{ "Si", "std::istream" },
		{ "So", "std::ostream" },
		{ "Sd", "std::iostream" },
	};
	for (size_t i = 0; i < sizeof standard / sizeof *standard; i++)
		if (take(d, standard[i].letter))
			return node_words(d, standard[i].text);
	if (!take(d, "S"))
		return NULL;

	uint64_t i = 0;
	bool any = false;
	for (char c; (c = peek(d)),
		(c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');) {
		i = i * 36 + (uint64_t)(c <= '9' ? c - '0' : c - 'A' + 10);
		if (i > DEMANGLE_ITEMS)
			return NULL;
		any = true;
		d->at++;
	}
	i += any;
	return take(d, "_") && i < d->subs_n ? d->subs[i] : NULL;
}

/* How a template parameter was declared (Ty, Tn <type>), told in front of the
 * argument; of no interest here, but for the substitutions in it. */
static bool skip_declaration(struct demangler *d)
{
	if (take(d, "Ty"))
		return true;
	return !take(d, "Tn") || read_type(d);
}

/* Items above `from` on the stack are what T_, T0_, … mean. */
static void remember_args(struct demangler *d, uint32_t from)
{
	d->args_n = d->stack_n - from;
	memcpy(d->args, d->stack + from, d->args_n * sizeof *d->args);
}

static struct node *template_arg(struct demangler *d)
{
	if (!skip_declaration(d))
		return NULL;
	if (take(d, "X")) {
		struct node *n = read_expr(d);
		return take(d, "E") ? n : NULL;
	}
	if (take(d, "J")) {
		uint32_t from = d->stack_n;
		while (!take(d, "E"))
			if (!stack_push(d, template_arg(d)))
				return NULL;
		return stack_pop(d, NODE_PACK, from);
	}
	return peek(d) == 'L' ? read_literal(d) : read_type(d);
}

/* I <template-arg>* E; `remember` them as what T_ and T0_ mean. */
struct node *read_template_args(struct demangler *d, bool remember)
{
	uint32_t from = d->stack_n;
	bool in_lambda = d->in_lambda;

	if (!enter(d))
		return NULL;
	d->in_lambda = in_lambda && !remember;
	if (!take(d, "I"))
		return NULL;
	while (!take(d, "E")) {
		/* A declaration may name the parameters before it. */
		if (remember && peek(d) == 'T' && peek_next(d) == 'n')
			remember_args(d, from);
		if (!stack_push(d, template_arg(d)))
			return NULL;
	}
	if (remember)
		remember_args(d, from);
	d->in_lambda = in_lambda;
	leave(d);
	return stack_pop(d, NODE_LIST, from);
}

static struct node *with_args(struct demangler *d, struct node *name,
	struct name_info *info)
{
	struct node *args = read_template_args(d, info != NULL);
	if (info)
		info->has_template_args = true;
	return args ? node_of(d, NODE_TEMPLATE, name, args) : NULL;
}

static const char *read_quals(struct demangler *d)
{
	static const char *const texts[2][3] = {
		{ "", " &", " &&" },
		{ " const", " const &", " const &&" },
	};
	take(d, "r");
	take(d, "V");
	bool is_const = take(d, "K");
	int ref = take(d, "R") ? 1 : take(d, "O") ? 2 : 0;
	return texts[is_const][ref];
}

/* One step of a nested name; *substituted where it is no new candidate. */
static struct node *nested_step(struct demangler *d, struct node *so_far,
	struct name_info *info, bool *substituted)
{
	char c = peek(d), next = peek_next(d);

	*substituted = false;
	if (c == 'I')
		return so_far ? with_args(d, so_far, info) : NULL;
	if (info)
		info->has_template_args = false;
	if (c == 'S' && next != 't') {
		*substituted = true;
		return so_far ? NULL : read_substitution(d);
	}
	if (c == 'T')
		return so_far ? NULL : read_template_param(d);
	if (c == 'D' && (next == 't' || next == 'T'))
		return so_far ? NULL : read_type(d);
	if (take(d, "St")) {
		*substituted = true;
		return so_far ? NULL : node_words(d, "std");
	}
	return read_unqualified(d, so_far, info);
}

static struct node *nested_name(struct demangler *d, struct name_info *info)
{
	struct node *n = NULL;
	bool substituted = false;
	const char *quals;

	if (!take(d, "N"))
		return NULL;
	quals = read_quals(d);
	if (info)
		info->quals = quals;
	while (!take(d, "E")) {
		bool decltype_step =
			peek(d) == 'D' &&
			(peek_next(d) == 't' || peek_next(d) == 'T');
		n = nested_step(d, n, info, &substituted);
		if (!n)
			return NULL;
		/* read_type() counted a decltype already; the whole name is
		 * counted by who needs it as a type. */
		if (!substituted && !decltype_step && peek(d) != 'E' &&
			!sub_add(d, n))
			return NULL;
		take(d, "M");
	}
	return n;
}

static struct node *name_inner(struct demangler *d, struct name_info *info)
{
	if (peek(d) == 'N')
		return nested_name(d, info);
	if (peek(d) == 'Z')
		return read_local(d, info);
	bool substituted = peek(d) == 'S' && peek_next(d) != 't';
	struct node *n;
	if (substituted) {
		n = read_substitution(d);
	} else {
		struct node *std = take(d, "St") ? node_words(d, "std") : NULL;
		n = read_unqualified(d, std, info);
	}
	if (!n || peek(d) != 'I')
		return substituted ? NULL : n;
	if (!substituted && !sub_add(d, n))
		return NULL;
	return with_args(d, n, info);
}

/* `info` is NULL where the name is that of a type. */
struct node *read_name(struct demangler *d, struct name_info *info)
{
	if (!enter(d))
		return NULL;
	struct node *n = name_inner(d, info);
	leave(d);
	return n;
}
