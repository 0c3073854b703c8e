/* pytorch_script.c - finds the functions that an operator needs in
 * data/pytorch_operators.py, and writes a script with them and the sizes of a
 * shape. */
#include "pytorch_script.h"
#include "buf.h"
#include "embedded.h"
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

extern const struct embedded catalog_data[];

/* A part of a file. */
struct pytorch_part {
	const char *at;
	size_t len;
};

struct pytorch_function {
	struct pytorch_part name, sizes, text;
	bool used;
};

enum {
	PYTORCH_FUNCTIONS = 32,
	/* Text of sizes that a comment shows; SIZES has all of them. */
	PYTORCH_SIZES_SHOWN = 300,
	/* Numbers of a list per line, so that a line has at most 100
	 * characters if they have up to six digits. */
	PYTORCH_NUMBERS_PER_LINE = 12,
	/* The number of equal neighbors that are written as [value] * count, as
	 * in the text of a shape. */
	PYTORCH_REPEATS = 4,
	/* SHAPE_VALUES of the longest numbers, and the functions. */
	PYTORCH_TEXT = 4 << 20,
};

/* The functions that operators share are in front of this line. */
static const char sections[] = "\n# ---- ";

static const char *pytorch_file(const char *path)
{
	const struct embedded *f = catalog_data;
	while (f->path && strcmp(f->path, path) != 0)
		f++;
	assert(f->path);
	return (const char *)f->bytes; /* a NUL follows */
}

static bool pytorch_part_is(struct pytorch_part p, const char *text)
{
	return strlen(text) == p.len && !memcmp(p.at, text, p.len);
}

/* ---- functions */

static struct pytorch_part pytorch_until(const char *at, const char *end)
{
	while (end > at && isspace((unsigned char)end[-1]))
		end--;
	return (struct pytorch_part){ at, (size_t)(end - at) };
}

/* Reads the function whose "def " is at `at`. It ends at the next line that is
 * not indented, after its parameters. */
static struct pytorch_function pytorch_function_at(const char *at)
{
	const char *open = strchr(at, '('), *close = strchr(open, ')');
	const char *end = strchr(close, '\n');
	struct pytorch_function f = {
		.name = pytorch_until(at + strlen("def "), open),
		.sizes = pytorch_until(open + 1, close),
	};
	while (*end && (*end == '\n' || isspace((unsigned char)*end))) {
		const char *line = end + strspn(end, "\n");
		if (*line != ' ')
			break;
		end = line + strcspn(line, "\n");
	}
	f.text = pytorch_until(at, end);
	return f;
}

/* Finds the next function; NULL if there is none before `end`, which may be
 * NULL. */
static const char *pytorch_next(const char *at, const char *end)
{
	at = strstr(at, "\ndef ");
	return at && (!end || at < end) ? at + 1 : NULL;
}

/* Steps to the next parameter and says whether it has no default. `at` is
 * where the search begins. */
static bool pytorch_size_next(struct pytorch_part all, size_t *at,
	struct pytorch_part *name, bool *required)
{
	const char *from = all.at + *at, *end = all.at + all.len;
	while (from < end && (*from == ',' || isspace((unsigned char)*from)))
		from++;
	const char *to = from;
	while (to < end && *to != ',')
		to++;
	const char *equals = memchr(from, '=', (size_t)(to - from));
	*name = (struct pytorch_part){ from,
		(size_t)((equals ? equals : to) - from) };
	*required = !equals;
	*at = (size_t)(to - all.at);
	return from < end;
}

static const struct size *pytorch_size_of(const struct shape *s,
	struct pytorch_part name)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (pytorch_part_is(name, s->sizes[i].name))
			return &s->sizes[i];
	return NULL;
}

/* The first size that the function requires and the shape lacks. */
static bool pytorch_lacks(const struct pytorch_function *f,
	const struct shape *s, struct pytorch_part *name)
{
	bool required;
	size_t at = 0;
	pytorch_size_next(f->sizes, &at, name, &required); /* device */
	while (pytorch_size_next(f->sizes, &at, name, &required))
		if (required && !pytorch_size_of(s, *name))
			return true;
	return false;
}

static bool pytorch_is_of(const struct pytorch_function *f, const char *op)
{
	static const char of[] = "_of_";
	size_t len = strlen(op);
	return !strncmp(f->name.at, op, len) &&
	       (f->name.len == len ||
		       (f->name.len > len &&
			       !strncmp(f->name.at + len, of, strlen(of))));
}

/* Finds the first function of the operator whose sizes the shape has. */
static bool pytorch_function_for(const char *op, const struct shape *s,
	struct pytorch_function *out, struct err *e)
{
	const char *at = strstr(pytorch_file("pytorch_operators.py"), sections);
	struct pytorch_part lacks, first = { 0 };
	while ((at = pytorch_next(at, NULL))) {
		*out = pytorch_function_at(at);
		if (!pytorch_is_of(out, op))
			continue;
		if (!pytorch_lacks(out, s, &lacks))
			return true;
		first = first.at ? first : lacks;
	}
	if (!first.at)
		err_set(e, ERR_NOT_FOUND,
			"there is no PyTorch script of the operator '%.100s'",
			op);
	else
		err_set(e, ERR_NOT_FOUND,
			"the shape has no size '%.*s', which the PyTorch "
			"script of '%.100s' needs",
			(int)first.len, first.at, op);
	return false;
}

/* Whether the text calls the function. A name after a dot is another one. */
static bool pytorch_calls(struct pytorch_part text, struct pytorch_part name)
{
	for (size_t i = 1; i + name.len < text.len; i++) {
		char before = text.at[i - 1];
		if (!memcmp(text.at + i, name.at, name.len) &&
			text.at[i + name.len] == '(' &&
			!isalnum((unsigned char)before) && before != '_' &&
			before != '.')
			return true;
	}
	return false;
}

/* Reads the shared functions, and marks those that `f` calls, directly or
 * not. */
static uint32_t pytorch_shared(const struct pytorch_function *f,
	struct pytorch_function shared[PYTORCH_FUNCTIONS])
{
	const char *at = pytorch_file("pytorch_operators.py"),
		   *end = strstr(at, sections);
	uint32_t n = 0;
	while ((at = pytorch_next(at, end))) {
		assert(n < PYTORCH_FUNCTIONS);
		shared[n++] = pytorch_function_at(at);
	}
	for (bool more = true; more;) {
		more = false;
		for (uint32_t i = 0; i < n; i++) {
			bool called = pytorch_calls(f->text, shared[i].name);
			for (uint32_t k = 0; k < n && !called; k++)
				called = shared[k].used && k != i &&
					 pytorch_calls(shared[k].text,
						 shared[i].name);
			more |= called && !shared[i].used;
			shared[i].used |= called;
		}
	}
	return n;
}

static bool pytorch_needs_dtype(struct pytorch_part text)
{
	static const char word[] = "DTYPE";
	return memmem(text.at, text.len, word, strlen(word)) != NULL;
}

/* Everything that a script consists of, except its sizes. */
struct pytorch_parts {
	struct pytorch_function main, shared[PYTORCH_FUNCTIONS];
	uint32_t n;
};

static bool pytorch_parts_for(const char *op, const struct shape *s,
	struct pytorch_parts *p, struct err *e)
{
	if (!pytorch_function_for(op, s, &p->main, e))
		return false;
	p->n = pytorch_shared(&p->main, p->shared);
	bool needs = pytorch_needs_dtype(p->main.text);
	for (uint32_t i = 0; i < p->n; i++)
		needs |= p->shared[i].used &&
			 pytorch_needs_dtype(p->shared[i].text);
	return !needs || s->dtype != DTYPE_UNKNOWN ||
	       err_set(e, ERR_NOT_FOUND,
		       "the shape has no dtype, which the PyTorch script of "
		       "'%.100s' needs",
		       op);
}

bool pytorch_script_fits(const char *op, const struct shape *s, struct err *e)
{
	struct pytorch_parts p;
	return pytorch_parts_for(op, s, &p, e);
}

/* ---- text */

static void pytorch_write_part(struct buf *b, struct pytorch_part p)
{
	buf_add(b, p.at, p.len);
}

/* Printable ASCII can end neither a comment nor a line, except a quote and a
 * backslash. */
static void pytorch_write_comment(struct buf *b, const char *text, size_t len)
{
	for (size_t i = 0; i < len && text[i]; i++) {
		char c = text[i];
		bool plain = (c >= ' ' && c <= '~' && c != '"' && c != '\\') ||
			     c == '\n';
		buf_add(b, plain ? &c : "?", 1);
	}
}

static void pytorch_write_list(struct buf *b, const struct size *z)
{
	uint32_t open = 0; /* numbers of the list that is not closed yet */
	if (!z->n)
		buf_puts(b, "[]");
	for (uint32_t i = 0, k; i < z->n; i = k) {
		for (k = i + 1; k < z->n && z->values[k] == z->values[i];)
			k++;
		if (k - i < PYTORCH_REPEATS)
			k = i + 1;
		const char *before = !i ? "" : open ? "] + " : " + ";
		if (k - i > 1) {
			buf_printf(b, "%s[%lld] * %u", before,
				(long long)z->values[i], k - i);
			open = 0;
			continue;
		}
		before = !open ? i ? " + [" : "["
			 : open % PYTORCH_NUMBERS_PER_LINE
				 ? ", "
				 : ",\n               ";
		buf_printf(b, "%s%lld", before, (long long)z->values[i]);
		open++;
	}
	if (open)
		buf_puts(b, "]");
}

/* The sizes that the function uses. */
static void pytorch_write_sizes(struct buf *b, const struct pytorch_function *f,
	const struct shape *s)
{
	struct pytorch_part name;
	bool required;
	size_t at = 0;
	buf_puts(b, "SIZES = {\n");
	pytorch_size_next(f->sizes, &at, &name, &required); /* device */
	while (pytorch_size_next(f->sizes, &at, &name, &required)) {
		const struct size *z = pytorch_size_of(s, name);
		if (!z)
			continue;
		buf_printf(b, "    \"%.*s\": ", (int)name.len, name.at);
		if (z->is_list)
			pytorch_write_list(b, z);
		else
			buf_printf(b, "%lld", (long long)z->values[0]);
		buf_puts(b, ",\n");
	}
	buf_puts(b, "}\n");
}

static bool pytorch_uses(const struct pytorch_function *f, const char *size)
{
	struct pytorch_part name;
	bool required;
	for (size_t at = 0; pytorch_size_next(f->sizes, &at, &name, &required);)
		if (pytorch_part_is(name, size))
			return true;
	return false;
}

static void pytorch_write_opening(struct buf *b, const char *op,
	const struct pytorch_function *f, const struct shape *s,
	const char *facts)
{
	struct arena a = { 0 };
	const char *text = shape_text(s, &a);
	const char *dtype = dtype_word(s->dtype), *before = "";
	buf_puts(b, "#!/usr/bin/env python3\n\"\"\"Runs ");
	pytorch_write_comment(b, op, strlen(op));
	buf_printf(b, " with PyTorch at one shape, and measures it.\n\n");
	buf_printf(b, "dtype: %s\nSizes: ", dtype ? dtype : "unknown");
	pytorch_write_comment(b, text, PYTORCH_SIZES_SHOWN);
	buf_puts(b, strlen(text) > PYTORCH_SIZES_SHOWN ? " ...\n" : "\n");
	for (uint32_t i = 0; i < s->n; i++) {
		if (pytorch_uses(f, s->sizes[i].name))
			continue;
		buf_printf(b, "%s%s", *before ? before : "Not reproduced: ",
			s->sizes[i].name);
		before = ", ";
	}
	buf_puts(b, *before ? "\n" : "");
	pytorch_write_comment(b, facts, strlen(facts));
	buf_puts(b, "\"\"\"\n");
	arena_release(&a);
}

/* The frame without its first comment: the imports, and what follows them. */
static void pytorch_frame(struct pytorch_part *imports,
	struct pytorch_part *rest)
{
	const char *at = strstr(pytorch_file("pytorch_frame.py"), "\nimport ");
	const char *end = strstr(at, "\n\n\n");
	*imports = pytorch_until(at + 1, end);
	*rest = pytorch_until(end, end + strlen(end));
}

char *pytorch_script_write(const char *op, const struct shape *s,
	const char *facts, struct err *e)
{
	struct pytorch_part imports, rest;
	struct pytorch_parts p;
	struct buf b;
	size_t len;
	if (!pytorch_parts_for(op, s, &p, e))
		return NULL;
	pytorch_frame(&imports, &rest);
	buf_init(&b, PYTORCH_TEXT);
	pytorch_write_opening(&b, op, &p.main, s, facts);
	pytorch_write_part(&b, imports);
	buf_puts(&b, "\n\n");
	pytorch_write_sizes(&b, &p.main, s);
	const char *dtype = dtype_word(s->dtype);
	if (dtype)
		buf_printf(&b, "DTYPE = \"%s\"\n", dtype);
	else
		buf_puts(&b, "DTYPE = None\n");
	for (uint32_t i = 0; i < p.n; i++) {
		if (!p.shared[i].used)
			continue;
		buf_puts(&b, "\n\n");
		pytorch_write_part(&b, p.shared[i].text);
		buf_puts(&b, "\n");
	}
	buf_puts(&b, "\n\n");
	pytorch_write_part(&b, p.main.text);
	pytorch_write_part(&b, rest);
	buf_printf(&b,
		"\n\n\nif __name__ == \"__main__\":\n"
		"    main(lambda device: %.*s(device, **SIZES), \"",
		(int)p.main.name.len, p.main.name.at);
	pytorch_write_comment(&b, op, strlen(op));
	buf_puts(&b, "\", DTYPE)\n");
	if (b.full) {
		buf_release(&b);
		err_set(e, ERR_TOO_LARGE, "the shape is too long for a script");
		return NULL;
	}
	return buf_take(&b, &len);
}
