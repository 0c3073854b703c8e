/* demangle.c - encodings, and what all of reading needs. */
#include "demangle.h"
#include "demangle_node.h"
#include <string.h>

bool take(struct demangler *d, const char *word)
{
	size_t len = strlen(word);
	if ((size_t)(d->end - d->at) < len || memcmp(d->at, word, len) != 0)
		return false;
	d->at += len;
	return true;
}

bool take_number(struct demangler *d, uint64_t *n)
{
	const char *from = d->at;
	*n = 0;
	while (peek(d) >= '0' && peek(d) <= '9' && *n < UINT32_MAX)
		*n = *n * 10 + (uint64_t)(*d->at++ - '0');
	return d->at > from && *n < UINT32_MAX;
}

bool take_index(struct demangler *d, uint64_t *n)
{
	*n = 0;
	if (take(d, "_"))
		return true;
	if (!take_number(d, n) || !take(d, "_"))
		return false;
	(*n)++;
	return true;
}

bool enter(struct demangler *d)
{
	if (d->depth == DEMANGLE_DEPTH)
		return false;
	d->depth++;
	return true;
}

void leave(struct demangler *d)
{
	d->depth--;
}

/* <type>+ up to the end of the list; a single `void` is no parameter. */
struct node *read_params(struct demangler *d)
{
	uint32_t from = d->stack_n;

	if (peek(d) == 'v' && (peek_next(d) == 'E' || peek_next(d) == '.' ||
				      d->end - d->at == 1)) {
		d->at++;
		return stack_pop(d, NODE_LIST, from);
	}
	while (d->at < d->end && *d->at != 'E' && *d->at != '.') {
		/* A function type's & or &&, not a parameter's. */
		if ((*d->at == 'R' || *d->at == 'O') && peek_next(d) == 'E')
			break;
		if (!stack_push(d, read_type(d)))
			return NULL;
	}
	return d->stack_n > from ? stack_pop(d, NODE_LIST, from) : NULL;
}

static struct node *encoding(struct demangler *d, bool top)
{
	struct name_info info = { .quals = "" };
	struct node *result = NULL;
	struct node *name = read_name(d, &info);

	if (!name)
		return NULL;
	if (d->at == d->end || *d->at == 'E' || *d->at == '.')
		return name;
	if (info.has_template_args && !info.no_result) {
		result = read_type(d);
		if (!result)
			return NULL;
	}
	/* Only the outermost function shows its result, as GNU has it. */
	return node_function(d, NODE_ENCODING, top ? result : NULL, name,
		read_params(d), info.quals);
}

struct node *read_encoding(struct demangler *d, bool top)
{
	/* The template parameters within are this function's own. */
	uint32_t args_n = d->args_n;
	struct node **args = NULL;
	bool in_lambda = d->in_lambda;

	if (!enter(d))
		return NULL;
	if (args_n) {
		args = arena_array(&d->arena, struct node *, args_n);
		if (!args)
			return NULL;
		memcpy(args, d->args, args_n * sizeof *args);
	}
	d->args_n = 0;
	d->in_lambda = false;
	struct node *n = encoding(d, top);
	if (args_n)
		memcpy(d->args, args, args_n * sizeof *args);
	d->args_n = args_n;
	d->in_lambda = in_lambda;
	leave(d);
	return n;
}

/* What compilers hang on: ".constprop.0", ".kd". */
static bool print_clones(struct demangler *d, struct buf *out)
{
	while (peek(d) == '.') {
		const char *from = d->at++;
		while (d->at < d->end &&
			(*d->at == '_' || (*d->at >= 'a' && *d->at <= 'z')))
			d->at++;
		if (d->at - from == 1)
			return false;
		while (peek(d) == '.' && peek_next(d) >= '0' &&
			peek_next(d) <= '9') {
			d->at += 2;
			while (peek(d) >= '0' && peek(d) <= '9')
				d->at++;
		}
		buf_puts(out, " [clone ");
		buf_add(out, from, (size_t)(d->at - from));
		buf_puts(out, "]");
	}
	return d->at == d->end;
}

bool demangle(const char *mangled, size_t len, struct buf *out)
{
	struct demangler d = {
		.at = mangled,
		.end = mangled + len,
		.arena = { .ceiling = (size_t)16 << 20 },
	};
	bool ok = false;

	if (take(&d, "_Z")) {
		struct node *n = read_encoding(&d, true);
		if (n) {
			node_print(out, n);
			ok = print_clones(&d, out) && !out->full;
		}
	}
	arena_release(&d.arena);
	return ok;
}
