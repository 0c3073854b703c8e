/* demangle_node.c - makes nodes, and knows how much each one expands to. */
#include "demangle_node.h"
#include <string.h>

/* A node of its parts, or NULL where it would be too large. */
static struct node *sized(struct demangler *d, struct node n, uint64_t size)
{
	/* Brackets, commas, colons of its own. */
	size += 8;
	if (size > DEMANGLE_SIZE)
		return NULL;
	struct node *p = arena_new(&d->arena, struct node);
	if (!p)
		return NULL;
	*p = n;
	p->size = (uint32_t)size;
	return p;
}

static uint64_t size_of(const struct node *n)
{
	return n ? n->size : 0;
}

static struct node *pack_in(const struct node *n)
{
	return n ? n->pack : NULL;
}

struct node *node_text(struct demangler *d, const char *s, size_t len)
{
	struct node n = { NODE_TEXT, .text = s, .len = (uint32_t)len };
	return sized(d, n, len);
}

struct node *node_words(struct demangler *d, const char *s)
{
	return node_text(d, s, strlen(s));
}

struct node *node_of(struct demangler *d, enum node_kind kind, struct node *a,
	struct node *b)
{
	struct node n = { kind, .a = a, .b = b };
	uint64_t size = size_of(a) + size_of(b);

	if (!a)
		return NULL;
	n.pack = pack_in(a) ? pack_in(a) : pack_in(b);
	if (kind == NODE_PARAM && a->kind == NODE_PACK)
		n.pack = a;
	if (kind == NODE_EXPAND && n.pack) {
		/* Expanded here, so not again further out. */
		n.c = n.pack;
		n.pack = NULL;
		size = (size + 8) * (n.c->n + 1);
	}
	return sized(d, n, size);
}

struct node *node_suffix(struct demangler *d, struct node *a, const char *text)
{
	if (!a)
		return NULL;
	struct node n = { NODE_SUFFIX, .a = a, .text = text,
		.len = (uint32_t)strlen(text), .pack = pack_in(a) };
	return sized(d, n, size_of(a) + n.len);
}

struct node *node_auto(struct demangler *d, uint64_t i)
{
	struct node n = { NODE_AUTO, .n = (uint32_t)i };
	return sized(d, n, 0);
}

struct node *node_number(struct demangler *d, uint64_t n)
{
	const char *s = arena_printf(&d->arena, "%llu", (unsigned long long)n);
	return s ? node_words(d, s) : NULL;
}

bool stack_push(struct demangler *d, struct node *item)
{
	if (!item || d->stack_n == DEMANGLE_ITEMS)
		return false;
	d->stack[d->stack_n++] = item;
	return true;
}

struct node *stack_pop(struct demangler *d, enum node_kind kind, uint32_t from)
{
	struct node n = { kind, .n = d->stack_n - from };
	uint64_t size = 0;

	n.items = arena_array(&d->arena, struct node *, n.n + 1);
	if (!n.items)
		return NULL;
	for (uint32_t i = 0; i < n.n; i++) {
		n.items[i] = d->stack[from + i];
		size += n.items[i]->size + 2;
		if (!n.pack)
			n.pack = pack_in(n.items[i]);
	}
	d->stack_n = from;
	return sized(d, n, size);
}

struct node *node_join(struct demangler *d, struct node *const parts[], int n)
{
	uint32_t from = d->stack_n;
	for (int i = 0; i < n; i++)
		if (!stack_push(d, parts[i]))
			return NULL;
	return stack_pop(d, NODE_SEQUENCE, from);
}

struct node *node_function(struct demangler *d, enum node_kind kind,
	struct node *result, struct node *name, struct node *params,
	const char *quals)
{
	if (!params)
		return NULL;
	struct node n = { kind, .a = result, .b = name, .c = params,
		.text = quals, .len = (uint32_t)strlen(quals) };
	if (kind == NODE_ENCODING) {
		n.n = d->args_n;
		n.items = arena_array(&d->arena, struct node *, n.n + 1);
		if (!n.items)
			return NULL;
		memcpy(n.items, d->args, n.n * sizeof *n.items);
	}
	n.pack = pack_in(result);
	if (!n.pack)
		n.pack = pack_in(name) ? pack_in(name) : pack_in(params);
	return sized(d, n,
		size_of(result) + size_of(name) + size_of(params) + n.len);
}

bool sub_add(struct demangler *d, struct node *n)
{
	if (!n || d->subs_n == DEMANGLE_ITEMS)
		return false;
	d->subs[d->subs_n++] = n;
	return true;
}
