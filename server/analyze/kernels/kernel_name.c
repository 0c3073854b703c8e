/* kernel_name.c - demangles a name within bounds and shortens it.
 *
 * Substitutions let a name of 250 bytes expand to hundreds of megabytes.
 * __cxa_demangle() writes all of them, but rejects harmless names longer than
 * 1,024 bytes. Therefore libiberty's demangler is used, which parses and prints
 * in two steps. Between the steps, the size of the parsed name as a tree is
 * computed: the demangler walks the whole tree before it prints a parameter
 * pack. It prints piece by piece, so printing stops when `out` is full. The
 * result is spelled like c++filt's. */
#include "kernel_name.h"
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OPTIONS = DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT };

/* Most template parameters with arguments in a conversion operator. The
 * demangler parses each of them twice, those nested in them four times, and so
 * on. None of 125,000 names in real libraries has one. */
enum { PARAMETERS_MAX = 8 };

/* Largest product of templates and parameter references in a name. The
 * demangler uses 16 bytes of stack for each pair, up to four times: 2 MiB at
 * this product. The largest product in 60,000 names of real libraries is 60. */
enum { STACK_MAX = 32 * 1024 };

/* Most nodes that a parsed name may have as a tree. Its parts refer to each
 * other, so the tree can be much larger than the number of parts. The demangler
 * walks the tree before it prints a parameter pack. */
enum { TREE_MAX = 1 << 18 };

/* How often T_I, T0_I, … occur in the name, including within identifiers. */
static size_t kernel_name_demangle_parameters_with_arguments(const char *name)
{
	size_t n = 0;
	for (const char *p = name; (p = strchr(p, 'T'));) {
		p += 1 + strspn(p + 1, "0123456789");
		n += p[0] == '_' && p[1] == 'I';
	}
	return n;
}

static bool kernel_name_demangle_takes_too_long_to_read(const char *name)
{
	return strstr(name, "cv") &&
	       kernel_name_demangle_parameters_with_arguments(name) >
		       PARAMETERS_MAX;
}

static bool kernel_name_demangle_takes_too_much_stack(const char *name)
{
	size_t templates = 0, parameters = 0;
	for (const char *p = name; *p; p++) {
		templates += *p == 'I';
		parameters += (*p == 'R' || *p == 'O') &&
			      (p[1] == 'T' || p[1] == 'S');
	}
	return templates * parameters > STACK_MAX;
}

/* A parsed name: an array of parts, and the size of each part as a tree. */
struct kernel_name_demangle_parts {
	const struct demangle_component *list;
	uint32_t *size; /* 0: unknown; 1: being computed */
	size_t n;
};

/* The index of a part; `n` if it is NULL or not in the list. */
static size_t kernel_name_demangle_part_index(
	const struct kernel_name_demangle_parts *ps, const void *p)
{
	uintptr_t at = (uintptr_t)p - (uintptr_t)ps->list;
	bool part = at % sizeof *ps->list == 0 && at / sizeof *ps->list < ps->n;
	return part ? at / sizeof *ps->list : ps->n;
}

/* The children of a part; NULL for each child that is missing. */
static void kernel_name_demangle_part_children(const struct demangle_component
						       *c,
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

/* The number of parts below a part as a tree, at most TREE_MAX. */
static uint32_t kernel_name_demangle_tree_size(struct kernel_name_demangle_parts
						       *ps,
	const void *p)
{
	const struct demangle_component *children[2];
	size_t i = kernel_name_demangle_part_index(ps, p);

	if (i == ps->n)
		return 1;
	if (ps->size[i])
		return ps->size[i] == 1 ? TREE_MAX : ps->size[i];
	ps->size[i] = 1;
	kernel_name_demangle_part_children(&ps->list[i], children);
	uint32_t size = 1 + kernel_name_demangle_tree_size(ps, children[0]);
	if (size < TREE_MAX)
		size += kernel_name_demangle_tree_size(ps, children[1]);
	return ps->size[i] = size < TREE_MAX ? size : TREE_MAX;
}

/* Whether the tree of a parsed name is too large. `first` is the demangler's
 * array of parts: at most two for each byte of the name. */
static bool kernel_name_demangle_is_too_large(const struct demangle_component
						      *top,
	const void *first, size_t len)
{
	struct kernel_name_demangle_parts ps = { first,
		calloc(2 * len, sizeof(uint32_t)), 2 * len };
	if (!ps.size)
		abort();
	bool large = kernel_name_demangle_part_index(&ps, top) == ps.n ||
		     kernel_name_demangle_tree_size(&ps, top) >= TREE_MAX;
	free(ps.size);
	return large;
}

struct kernel_name_demangle_sink {
	struct buf *out;
	jmp_buf enough;
};

static void kernel_name_demangle_put(const char *bytes, size_t len, void *ctx)
{
	struct kernel_name_demangle_sink *s = ctx;
	buf_add(s->out, bytes, len);
	if (s->out->full)
		longjmp(s->enough, 1);
}

/* Prints the parsed name `top` or, if it is NULL, the mangled name. */
static bool kernel_name_demangle_print(struct demangle_component *top,
	const char *mangled, struct buf *out)
{
	struct kernel_name_demangle_sink s = { .out = out };
	if (setjmp(s.enough))
		return false;
	if (!top)
		return cplus_demangle_v3_callback(mangled, OPTIONS,
			       kernel_name_demangle_put, &s) != 0;
	return cplus_demangle_print_callback(OPTIONS, top,
		       kernel_name_demangle_put, &s) != 0;
}

/* Prints a name in an older mangling, which the demangler accepts only on a
 * second attempt. That attempt does not return the parts. Therefore such names
 * are printed only if they contain no parameter pack. */
static bool kernel_name_demangle_print_old(const char *mangled, struct buf *out)
{
	if (strstr(mangled, "Dp") || strstr(mangled, "sp"))
		return false;
	return kernel_name_demangle_print(NULL, mangled, out);
}

bool kernel_name_demangle(const char *mangled, size_t len, struct buf *out)
{
	void *parts = NULL;
	if (len == 0 || len > DEMANGLE_NAME_MAX || mangled[0] != '_' ||
		kernel_name_demangle_takes_too_long_to_read(mangled) ||
		kernel_name_demangle_takes_too_much_stack(mangled))
		return false;
	struct demangle_component *top =
		cplus_demangle_v3_components(mangled, OPTIONS, &parts);
	if (!top)
		return kernel_name_demangle_print_old(mangled, out);
	bool ok = !kernel_name_demangle_is_too_large(top, parts, len) &&
		  kernel_name_demangle_print(top, mangled, out);
	free(parts);
	return ok;
}

enum kernel_name kernel_name_from(struct arena *a, const char *raw, size_t len,
	const char **text, size_t *text_len)
{
	*text = raw;
	*text_len = len;
	if (len < 3 || memcmp(raw, "_Z", 2) != 0)
		return NAME_PLAIN;

	struct buf out;
	buf_init(&out, KERNEL_NAME_MAX);
	enum kernel_name how = NAME_REFUSED;
	if (kernel_name_demangle(raw, len, &out)) {
		how = NAME_DEMANGLED;
		*text_len = out.len;
		*text = arena_strndup(a, out.at, out.len);
		if (!*text)
			how = NAME_FULL;
	}
	buf_release(&out);
	return how;
}

static bool kernel_name_word_char(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (c & 0x80);
}

static bool kernel_name_at(const char *s, const char *end, const char *word)
{
	size_t len = strlen(word);
	return (size_t)(end - s) >= len && !memcmp(s, word, len);
}

/* Returns the position after the bracket that closes the one at `s`, or `end`
 * if none closes it (names may be truncated). */
static const char *kernel_name_past(const char *s, const char *end)
{
	char open[64];
	size_t depth = 0;

	for (; s < end; s++) {
		char c = *s, want = c == ')' ? '(' : c == ']' ? '[' : '{';
		if (c == '(' || c == '[' || c == '{' || c == '<') {
			if (depth == sizeof open)
				return end;
			if (c == '<' && depth && open[depth - 1] == '(' &&
				s[-1] != '_' && !kernel_name_word_char(s[-1]))
				continue; /* a < b */
			open[depth++] = c;
		} else if (c == ')' || c == ']' || c == '}') {
			while (depth && open[depth - 1] != want)
				depth--;
			if (depth && --depth == 0)
				return s + 1;
		} else if (c == '>' && s[-1] != '-' && depth &&
			   open[depth - 1] == '<') {
			if (--depth == 0)
				return s + 1;
		}
	}
	return end;
}

/* Returns the position after "operator" and its sign or type. */
static const char *kernel_name_past_operator(const char *s, const char *end)
{
	s += strlen("operator");
	while (s < end && *s == ' ')
		s++;
	if (kernel_name_at(s, end, "()") || kernel_name_at(s, end, "[]"))
		return s + 2;
	while (s < end && !kernel_name_word_char(*s) && *s != '(' && *s != ' ')
		s++;
	while (s < end && kernel_name_word_char(*s))
		s++;
	return s;
}

/* Narrows *from…*to to the last component outside of brackets. It begins after
 * the last "::" or space and ends before the template arguments or
 * parameters. */
static void kernel_name_shorten(const char **from, const char **to,
	const char *end)
{
	const char *s = *from, *begin = s, *stop = NULL;

	while (s < end) {
		bool fresh = s == begin || !kernel_name_word_char(s[-1]);
		if (kernel_name_at(s, end, "::")) {
			s += 2;
			begin = s;
			stop = NULL;
		} else if (fresh && kernel_name_at(s, end, "operator") &&
			   !(s + 8 < end && kernel_name_word_char(s[8]))) {
			s = kernel_name_past_operator(s, end);
			/* operator< <int>: the name ends at the space. */
			stop = kernel_name_at(s, end, " <") ? s++ : NULL;
		} else if (kernel_name_at(s, end, "(anonymous namespace)") ||
			   kernel_name_at(s, end, "<unnamed>") || *s == '{') {
			s = kernel_name_past(s, end);
			stop = NULL;
		} else if (*s == '<' || *s == '(') {
			if (!stop)
				stop = s;
			s = kernel_name_past(s, end);
		} else if (*s == ' ') {
			/* "const" and clone suffixes follow the parameters. */
			if (stop > begin && s[-1] == ')')
				break;
			s++;
			begin = s;
			stop = NULL;
		} else {
			s++;
		}
	}
	*from = begin;
	*to = stop ? stop : s;
}

char *kernel_name_short(struct arena *a, const char *name, size_t len)
{
	const char *from = name, *to = name + len;
	const char *first = memchr(name, '(', len);

	if (!first && !memchr(name, '<', len) && !memchr(name, ':', len))
		return arena_strndup(a, name, len);
	kernel_name_shorten(&from, &to, name + len);
	if (from >= to) {
		from = name;
		to = name + len;
	}
	return arena_strndup(a, from, (size_t)(to - from));
}
