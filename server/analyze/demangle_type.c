/* demangle_type.c - types. */
#include "demangle_node.h"

static const char *builtin(char c)
{
	static const char *const names[26] = {
		['v' - 'a'] = "void",
		['w' - 'a'] = "wchar_t",
		['b' - 'a'] = "bool",
		['c' - 'a'] = "char",
		['a' - 'a'] = "signed char",
		['h' - 'a'] = "unsigned char",
		['s' - 'a'] = "short",
		['t' - 'a'] = "unsigned short",
		['i' - 'a'] = "int",
		['j' - 'a'] = "unsigned int",
		['l' - 'a'] = "long",
		['m' - 'a'] = "unsigned long",
		['x' - 'a'] = "long long",
		['y' - 'a'] = "unsigned long long",
		['n' - 'a'] = "__int128",
		['o' - 'a'] = "unsigned __int128",
		['f' - 'a'] = "float",
		['d' - 'a'] = "double",
		['e' - 'a'] = "long double",
		['g' - 'a'] = "__float128",
		['z' - 'a'] = "...",
	};
	return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

/* Types that begin with D and are no candidates for substitution. */
static const char *extended(struct demangler *d)
{
	static const struct {
		const char *code, *text;
	} types[] = {
		{ "Da", "auto" },
		{ "Dc", "decltype(auto)" },
		{ "Dn", "decltype(nullptr)" },
		{ "Di", "char32_t" },
		{ "Ds", "char16_t" },
		{ "Du", "char8_t" },
		{ "Dd", "decimal64" },
		{ "De", "decimal128" },
		{ "Df", "decimal32" },
		{ "Dh", "half" },
		{ "DF16b", "std::bfloat16_t" },
		{ "DF16_", "_Float16" },
		{ "DF32_", "_Float32" },
		{ "DF64_", "_Float64" },
		{ "DF128_", "_Float128" },
		{ "DF32x", "_Float32x" },
		{ "DF64x", "_Float64x" },
	};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (take(d, types[i].code))
			return types[i].text;
	return NULL;
}

/* [<exception spec>] F [Y] <result> <params> [R | O] E */
static struct node *function_type(struct demangler *d, bool is_const)
{
	bool noexcept_ = take(d, "Do");
	if (!take(d, "F"))
		return NULL;
	take(d, "Y");
	struct node *result = read_type(d);
	struct node *params = result ? read_params(d) : NULL;
	bool lvalue = take(d, "R"), rvalue = !lvalue && take(d, "O");
	if (!params || !take(d, "E"))
		return NULL;
	static const char *const quals[2][3][2] = {
		{ { "", " noexcept" }, { " &", " & noexcept" },
			{ " &&", " && noexcept" } },
		{ { " const", " const noexcept" },
			{ " const &", " const & noexcept" },
			{ " const &&", " const && noexcept" } },
	};
	return node_function(d, NODE_FUNCTION, result, NULL, params,
		quals[is_const][lvalue	 ? 1
				: rvalue ? 2
					 : 0][noexcept_]);
}

/* [r] [V] [K] <type> */
static struct node *qualified(struct demangler *d)
{
	bool restrict_ = take(d, "r");
	bool volatile_ = take(d, "V");
	bool const_ = take(d, "K");
	struct node *n;

	if (peek(d) == 'F' || (peek(d) == 'D' && peek_next(d) == 'o'))
		return function_type(d, const_);
	n = read_type(d);
	if (n && const_)
		n = node_suffix(d, n, " const");
	if (n && volatile_)
		n = node_suffix(d, n, " volatile");
	if (n && restrict_)
		n = node_suffix(d, n, " restrict");
	return n;
}

/* A [<number or expression>] _ <type> */
static struct node *array(struct demangler *d)
{
	struct node *size = NULL;
	uint64_t n;

	if (peek(d) >= '0' && peek(d) <= '9')
		size = take_number(d, &n) ? node_number(d, n) : NULL;
	else if (peek(d) != '_')
		size = read_expr(d);
	else
		size = node_words(d, "");
	if (!size || !take(d, "_"))
		return NULL;
	struct node *of = read_type(d);
	return of ? node_of(d, NODE_ARRAY, of, size) : NULL;
}

/* Dv <number> _ <type> */
static struct node *vector(struct demangler *d)
{
	struct node *size;
	uint64_t n;

	if (take(d, "_"))
		size = read_expr(d);
	else
		size = take_number(d, &n) ? node_number(d, n) : NULL;
	if (!size || !take(d, "_"))
		return NULL;
	struct node *of = read_type(d);
	return JOIN(d, of, node_words(d, " __vector("), size,
		node_words(d, ")"));
}

static struct node *pointer(struct demangler *d, enum node_kind kind)
{
	d->at++;
	return node_of(d, kind, read_type(d), NULL);
}

/* M <class> <type> */
static struct node *member(struct demangler *d)
{
	struct node *of = read_type(d), *type = of ? read_type(d) : NULL;
	return type ? node_of(d, NODE_MEMBER, of, type) : NULL;
}

/* U <source-name> [<template-args>] <type> */
static struct node *vendor(struct demangler *d)
{
	struct node *word = read_source_name(d);
	if (word && peek(d) == 'I') {
		struct node *args = read_template_args(d, false);
		word = args ? node_of(d, NODE_TEMPLATE, word, args) : NULL;
	}
	struct node *type = word ? read_type(d) : NULL;
	return JOIN(d, type, node_words(d, " "), word);
}

static struct node *with_args(struct demangler *d, struct node *n)
{
	struct node *args = read_template_args(d, false);
	return args ? node_of(d, NODE_TEMPLATE, n, args) : NULL;
}

/* Types that begin with D and may be substituted. */
static struct node *derived(struct demangler *d)
{
	if (take(d, "Dp"))
		return node_of(d, NODE_EXPAND, read_type(d), NULL);
	if (take(d, "Dv"))
		return vector(d);
	if (take(d, "Dt") || take(d, "DT")) {
		struct node *of = read_expr(d);
		if (!take(d, "E"))
			return NULL;
		return JOIN(d, node_words(d, "decltype ("), of,
			node_words(d, ")"));
	}
	return function_type(d, false);
}

static struct node *candidate(struct demangler *d)
{
	char next = peek_next(d);

	switch (peek(d)) {
	case 'r':
	case 'V':
	case 'K':
		return qualified(d);
	case 'P':
		return pointer(d, NODE_POINTER);
	case 'R':
		return pointer(d, NODE_LVALUE);
	case 'O':
		return pointer(d, NODE_RVALUE);
	case 'C':
		d->at++;
		return node_suffix(d, read_type(d), " _Complex");
	case 'G':
		d->at++;
		return node_suffix(d, read_type(d), " _Imaginary");
	case 'U':
		d->at++;
		return vendor(d);
	case 'u':
		d->at++;
		return read_source_name(d);
	case 'A':
		d->at++;
		return array(d);
	case 'M':
		d->at++;
		return member(d);
	case 'F':
		return function_type(d, false);
	case 'D':
		return derived(d);
	case 'T':
		if (next != 's' && next != 'u' && next != 'e')
			return read_template_param(d);
		d->at += 2;
		return read_name(d, NULL);
	default:
		return read_name(d, NULL);
	}
}

static struct node *type(struct demangler *d)
{
	const char *plain = builtin(peek(d));
	if (plain) {
		d->at++;
		return node_words(d, plain);
	}
	plain = peek(d) == 'D' ? extended(d) : NULL;
	if (plain)
		return node_words(d, plain);

	struct node *n;
	bool param = peek(d) == 'T' && peek_next(d) != 's' &&
		     peek_next(d) != 'u' && peek_next(d) != 'e';
	if (peek(d) == 'S' && peek_next(d) != 't') {
		n = read_substitution(d);
		if (!n || peek(d) != 'I')
			return n;
		n = with_args(d, n);
	} else {
		n = candidate(d);
		if (n && param && peek(d) == 'I')
			n = sub_add(d, n) ? with_args(d, n) : NULL;
	}
	return n && sub_add(d, n) ? n : NULL;
}

struct node *read_type(struct demangler *d)
{
	if (!enter(d))
		return NULL;
	struct node *n = type(d);
	leave(d);
	return n;
}
