/* formula_text.c - the characters of a formula, and what is wrong with them. */
#include "formula_reader.h"
#include <string.h>

enum { NODES = 2000, DEPTH = 200, NAME_LEN = 63 };

bool formula_wrong(struct formula_reader *r, const char *what)
{
	return err_set(r->err, ERR_INPUT,
		"%s: %s at character %d of the formula '%.120s'", r->where,
		what, (int)(r->at - r->text) + 1, r->text);
}

/* Below what it may be, since trees are walked by recursion. */
static bool shallow(const struct formula_set *f, struct formula_node *n)
{
	const uint32_t below[] = { n->a, n->b, n->c,
		n->op == F_SHARED ? f->roots[n->number] : 0 };

	n->depth = 1;
	for (size_t i = 0; i < sizeof below / sizeof *below; i++)
		if (below[i] && f->nodes[below[i]].depth >= n->depth)
			n->depth = f->nodes[below[i]].depth + 1;
	return n->depth <= DEPTH;
}

uint32_t formula_node(struct formula_reader *r, struct formula_node n)
{
	struct formula_set *f = r->f;

	if (f->n == NODES || !shallow(f, &n)) {
		formula_wrong(r, "more than a formula may hold");
		return 0;
	}
	if (f->n >= f->cap) {
		f->cap = f->cap ? 2 * f->cap : 64;
		f->nodes = arena_grow(f->arena, f->nodes,
			f->cap * sizeof *f->nodes);
	}
	f->nodes[f->n] = n;
	return f->n++;
}

uint32_t formula_two(struct formula_reader *r, enum formula_op op, uint32_t a,
	uint32_t b)
{
	return a && b ? formula_node(r,
				(struct formula_node){ op, .a = a, .b = b })
		      : 0;
}

static bool name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static void blanks(struct formula_reader *r)
{
	while (*r->at == ' ')
		r->at++;
}

bool formula_skip(struct formula_reader *r, const char *what)
{
	size_t len = strlen(what);

	blanks(r);
	if (strncmp(r->at, what, len) != 0)
		return false;
	r->at += len;
	return true;
}

bool formula_must(struct formula_reader *r, const char *what,
	const char *sentence)
{
	return formula_skip(r, what) || formula_wrong(r, sentence);
}

size_t formula_name(struct formula_reader *r)
{
	size_t len = 0;

	blanks(r);
	if (*r->at >= '0' && *r->at <= '9')
		return 0;
	while (name_char(r->at[len]))
		len++;
	return len > NAME_LEN ? 0 : len;
}

bool formula_same(const char *name, const char *text, size_t len)
{
	return strlen(name) == len && memcmp(name, text, len) == 0;
}

const char *formula_size(struct formula_reader *r)
{
	size_t len = formula_name(r);

	for (uint32_t i = 0; len && i < r->f->sizes_n; i++)
		if (formula_same(r->f->sizes[i], r->at, len)) {
			r->at += len;
			return r->f->sizes[i];
		}
	formula_wrong(r, len ? "a name that is no size of the operator"
			     : "no name of a size");
	return NULL;
}
