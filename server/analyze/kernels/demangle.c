/* demangle.c - libiberty's demangler, told beforehand what is too much.
 *
 * Its callback has no way to say "enough", so that is said with longjmp: what
 * writes keeps all of its state on the stack, so nothing is left behind. Its
 * own limit on nesting refuses harmless names past 1,024 bytes, and is
 * replaced by a limit on the name, which bounds how deep it can nest. */
#include "demangle.h"
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OPTIONS = DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT };

/* In a conversion, parameters with arguments are read twice each, and those
 * within them four times. No name of 125,000 in real libraries has one. */
enum { PARAMETERS_MAX = 8 };

/* For each template of a name and each reference to a parameter the demangler
 * takes 16 bytes of the stack, up to four times: 2 MiB at this product. The
 * most in 60,000 names of real libraries is 60. */
enum { STACK_MAX = 32 * 1024 };

/* Parts of a name refer to each other; written out as a tree it may have at
 * most this many. Before it writes a pack, the demangler walks that tree. */
enum { TREE_MAX = 1 << 18 };

/* How often T_I, T0_I, … stand in the name, be it in an identifier. */
static size_t parameters_with_arguments(const char *name)
{
	size_t n = 0;
	for (const char *p = name; (p = strchr(p, 'T'));) {
		p += 1 + strspn(p + 1, "0123456789");
		n += p[0] == '_' && p[1] == 'I';
	}
	return n;
}

static bool takes_too_long_to_read(const char *name)
{
	return strstr(name, "cv") &&
	       parameters_with_arguments(name) > PARAMETERS_MAX;
}

static bool takes_too_much_stack(const char *name)
{
	size_t templates = 0, parameters = 0;
	for (const char *p = name; *p; p++) {
		templates += *p == 'I';
		parameters += (*p == 'R' || *p == 'O') &&
			      (p[1] == 'T' || p[1] == 'S');
	}
	return templates * parameters > STACK_MAX;
}

/* What was read: an array of parts, and the size of each as a tree. */
struct parts {
	const struct demangle_component *list;
	uint32_t *size; /* 0 unknown, 1 being worked out */
	size_t n;
};

/* The index of a part; `n` of NULL, and of what lies elsewhere. */
static size_t part_index(const struct parts *ps, const void *p)
{
	uintptr_t at = (uintptr_t)p - (uintptr_t)ps->list;
	bool part = at % sizeof *ps->list == 0 && at / sizeof *ps->list < ps->n;
	return part ? at / sizeof *ps->list : ps->n;
}

/* The parts that one is made of; NULL where it has fewer than two. */
static void part_children(const struct demangle_component *c,
	const struct demangle_component *children[2])
{
	children[0] = children[1] = NULL;
	switch (c->type) {
	case DEMANGLE_COMPONENT_NAME:
	case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
	case DEMANGLE_COMPONENT_FUNCTION_PARAM:
	case DEMANGLE_COMPONENT_SUB_STD:
	case DEMANGLE_COMPONENT_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
	case DEMANGLE_COMPONENT_OPERATOR:
	case DEMANGLE_COMPONENT_CHARACTER:
	case DEMANGLE_COMPONENT_NUMBER:
	case DEMANGLE_COMPONENT_UNNAMED_TYPE:
		break;
	case DEMANGLE_COMPONENT_CTOR:
	case DEMANGLE_COMPONENT_DTOR:
		children[0] = c->u.s_ctor.name;
		break;
	case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
		children[0] = c->u.s_extended_operator.name;
		break;
	case DEMANGLE_COMPONENT_FIXED_TYPE:
		children[0] = c->u.s_fixed.length;
		break;
	case DEMANGLE_COMPONENT_LAMBDA:
	case DEMANGLE_COMPONENT_DEFAULT_ARG:
		children[0] = c->u.s_unary_num.sub;
		break;
	default:
		children[0] = c->u.s_binary.left;
		children[1] = c->u.s_binary.right;
	}
}

/* The parts below one, written out as a tree, or TREE_MAX. */
static uint32_t tree_size(struct parts *ps, const void *p)
{
	const struct demangle_component *children[2];
	size_t i = part_index(ps, p);

	if (i == ps->n)
		return 1;
	if (ps->size[i])
		return ps->size[i] == 1 ? TREE_MAX : ps->size[i];
	ps->size[i] = 1;
	part_children(&ps->list[i], children);
	uint32_t size = 1 + tree_size(ps, children[0]);
	if (size < TREE_MAX)
		size += tree_size(ps, children[1]);
	return ps->size[i] = size < TREE_MAX ? size : TREE_MAX;
}

/* `first` is where the demangler put its parts, two for each byte at most. */
static bool is_too_large(const struct demangle_component *top,
	const void *first, size_t len)
{
	struct parts ps = { first, calloc(2 * len, sizeof(uint32_t)), 2 * len };
	if (!ps.size)
		abort();
	bool large =
		part_index(&ps, top) == ps.n || tree_size(&ps, top) >= TREE_MAX;
	free(ps.size);
	return large;
}

struct sink {
	struct buf *out;
	jmp_buf enough;
};

static void put(const char *bytes, size_t len, void *ctx)
{
	struct sink *s = ctx;
	buf_add(s->out, bytes, len);
	if (s->out->full)
		longjmp(s->enough, 1);
}

/* Of the parts that were read or, where `top` is NULL, of the name. */
static bool print(struct demangle_component *top, const char *mangled,
	struct buf *out)
{
	struct sink s = { .out = out };
	if (setjmp(s.enough))
		return false;
	if (!top)
		return cplus_demangle_v3_callback(mangled, OPTIONS, put, &s) !=
		       0;
	return cplus_demangle_print_callback(OPTIONS, top, put, &s) != 0;
}

/* Names in an older form are read at the second try, of which the parts cannot
 * be had. They may be written where no pack is in them. */
static bool print_old(const char *mangled, struct buf *out)
{
	if (strstr(mangled, "Dp") || strstr(mangled, "sp"))
		return false;
	return print(NULL, mangled, out);
}

bool demangle(const char *mangled, size_t len, struct buf *out)
{
	void *parts = NULL;
	if (len == 0 || len > DEMANGLE_NAME_MAX || mangled[0] != '_' ||
		takes_too_long_to_read(mangled) ||
		takes_too_much_stack(mangled))
		return false;
	struct demangle_component *top =
		cplus_demangle_v3_components(mangled, OPTIONS, &parts);
	if (!top)
		return print_old(mangled, out);
	bool ok = !is_too_large(top, parts, len) && print(top, mangled, out);
	free(parts);
	return ok;
}
