/* demangle_node.h - between reading a mangled name and writing it out.
 *
 * Private to the files demangle*.c. Reading makes a graph of nodes; a part
 * that is referred to again is the same node. `size` is at least the number
 * of steps, and of bytes, that writing the node costs, so that a bomb is
 * known when it is read. A reading function returns NULL where it cannot go
 * on. */
#pragma once
#include "arena.h"
#include "buf.h"
#include <stdint.h>

enum node_kind {
	NODE_TEXT, /* text */
	NODE_SEQUENCE, /* items, one after the other */
	NODE_LIST, /* items, with commas */
	NODE_PACK, /* items of a parameter pack, with commas */
	NODE_PARAM, /* a template parameter that stands for a */
	NODE_AUTO, /* the n-th parameter of a lambda: there auto:n, but what
		      it stands for in the call operator, which says S_ */
	NODE_LAMBDA, /* {lambda(a)#b} */
	NODE_EXPAND, /* a, once for each item of the pack c; or a... */
	NODE_NESTED, /* a::b */
	NODE_TEMPLATE, /* a<b>, b a list */
	NODE_TAGGED, /* a[abi:text] */
	NODE_POINTER,
	NODE_LVALUE,
	NODE_RVALUE, /* a*, a&, a&& */
	NODE_SUFFIX, /* a text: const, _Complex, AS1 */
	NODE_MEMBER, /* b a::* */
	NODE_ARRAY, /* a [b], b may be NULL */
	NODE_FUNCTION, /* a (c) text: a type, a its result */
	NODE_ENCODING, /* a b(c) text: a, the result, may be NULL; the items
			  are what its template parameters stand for */
};

struct node {
	enum node_kind kind;
	uint32_t size;
	uint32_t n; /* of items */
	uint32_t len; /* of text */
	const char *text;
	struct node *a, *b, *c;
	struct node **items;
	struct node *pack; /* what a parameter inside stands for, if a pack */
};

enum { DEMANGLE_DEPTH = 256, DEMANGLE_SIZE = 1 << 20, DEMANGLE_ITEMS = 4096 };

struct demangler {
	const char *at, *end;
	struct arena arena;
	struct node *subs[DEMANGLE_ITEMS]; /* S_, S0_, … */
	struct node *args[DEMANGLE_ITEMS]; /* what T_, T0_, … are */
	struct node *stack[DEMANGLE_ITEMS]; /* items of lists being read */
	uint32_t subs_n, args_n, stack_n;
	int depth;
	bool in_lambda; /* T_ is an `auto` */
};

/* What the name of a function tells of its type. */
struct name_info {
	bool has_template_args; /* so a result type follows */
	bool no_result; /* constructor, destructor, conversion */
	const char *quals; /* " const &" */
};

/* demangle_node.c: NULL where it grows too large. Text is not copied. */
struct node *node_text(struct demangler *d, const char *s, size_t len);
struct node *node_words(struct demangler *d, const char *s);
struct node *node_of(struct demangler *d, enum node_kind kind, struct node *a,
	struct node *b);
struct node *node_suffix(struct demangler *d, struct node *a, const char *text);
struct node *node_auto(struct demangler *d, uint64_t i);
struct node *node_number(struct demangler *d, uint64_t n);
/* The parts, one after the other; NULL where one of them is. */
struct node *node_join(struct demangler *d, struct node *const parts[], int n);
#define JOIN(d, ...)                                            \
	node_join(d, (struct node *const[]){ __VA_ARGS__ },     \
		sizeof((struct node *const[]){ __VA_ARGS__ }) / \
			sizeof(struct node *))
/* The items above `from` on the stack become a list, a pack or a sequence. */
bool stack_push(struct demangler *d, struct node *item);
struct node *stack_pop(struct demangler *d, enum node_kind kind, uint32_t from);
/* A function: NODE_FUNCTION, `name` NULL, or NODE_ENCODING. */
struct node *node_function(struct demangler *d, enum node_kind kind,
	struct node *result, struct node *name, struct node *params,
	const char *quals);
bool sub_add(struct demangler *d, struct node *n);

/* Reading: demangle.c */
static inline char peek(const struct demangler *d)
{
	return d->at < d->end ? *d->at : '\0';
}
static inline char peek_next(const struct demangler *d)
{
	return d->end - d->at > 1 ? d->at[1] : '\0';
}
bool take(struct demangler *d, const char *word);
/* Decimal digits; false where there are none or too many. */
bool take_number(struct demangler *d, uint64_t *n);
/* [<number>] _ : 0 for "_", n + 1 for "n_". */
bool take_index(struct demangler *d, uint64_t *n);
/* False where the nesting is too deep; each true is followed by leave(). */
bool enter(struct demangler *d);
void leave(struct demangler *d);
struct node *read_encoding(struct demangler *d, bool top);
struct node *read_params(struct demangler *d);

/* demangle_name.c */
struct node *read_name(struct demangler *d, struct name_info *info);
struct node *read_unqualified(struct demangler *d, struct node *scope,
	struct name_info *info);
struct node *read_source_name(struct demangler *d);
struct node *read_template_args(struct demangler *d, bool remember);
struct node *read_template_param(struct demangler *d);
struct node *read_substitution(struct demangler *d);

/* demangle_special.c: names without letters */
struct node *read_special_name(struct demangler *d, struct node *scope,
	struct name_info *info);
struct node *read_local(struct demangler *d, struct name_info *info);

/* demangle_type.c */
struct node *read_type(struct demangler *d);

/* demangle_expr.c */
struct node *read_expr(struct demangler *d);
struct operator
{
	char code[3];
	char arity; /* 1 before, 'p' after, 2, 3 */
	const char *text;
};
const struct operator* operator_at(const struct demangler *d);

/* demangle_value.c */
struct node *read_literal(struct demangler *d);
struct node *read_unresolved(struct demangler *d);

/* demangle_print.c */
void node_print(struct buf *out, const struct node *n);
