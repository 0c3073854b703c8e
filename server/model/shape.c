/* shape.c - writes a shape as text and reads it back; looks up the words, names and
 * sizes of dtype.def. */
#include "shape.h"
#include "buf.h"
#include <assert.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *word, *names;
	int bits;
	bool counts;
} types[DTYPES] = {
#define DTYPE(code, word, bits, counts, names) \
	[DTYPE_##code] = { #word, names, bits, counts },
#include "dtype.def"
#undef DTYPE
};

const char *dtype_word(enum dtype d)
{
	return types[d].word;
}

int dtype_bits(enum dtype d)
{
	return types[d].bits;
}

bool dtype_counts(enum dtype d)
{
	return types[d].counts;
}

static bool dtype_is(const char *text, size_t len, const char *name,
	size_t name_len)
{
	return len == name_len && strncasecmp(text, name, len) == 0;
}

static bool dtype_among(const char *text, size_t len, const char *names)
{
	while (*names) {
		size_t n = strcspn(names, "|");
		if (dtype_is(text, len, names, n))
			return true;
		names += n + (names[n] == '|');
	}
	return false;
}

enum dtype dtype_from(const char *text, size_t len)
{
	static const char torch[] = "torch.";
	size_t in_front = sizeof torch - 1;

	if (len > in_front && strncasecmp(text, torch, in_front) == 0) {
		text += in_front;
		len -= in_front;
	}
	if (len == 0)
		return DTYPE_UNKNOWN;
	for (enum dtype d = DTYPE_UNKNOWN + 1; d < DTYPES; d++)
		if (dtype_is(text, len, types[d].word, strlen(types[d].word)) ||
			dtype_among(text, len, types[d].names))
			return d;
	return DTYPE_UNKNOWN;
}

enum {
	REPEATS = 4, /* at least this many equal neighbors: "value*count" */
	NAME_LEN = 63,
	SIZES = 64,
	TEXT_MAX = 2 << 20 /* SHAPE_VALUES of the longest numbers fit */
};

const struct size *shape_size(const struct shape *s, const char *name)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (strcmp(s->sizes[i].name, name) == 0)
			return &s->sizes[i];
	return NULL;
}

static void shape_number_add(struct buf *b, int64_t value)
{
	char digits[20];
	size_t at = sizeof digits;

	assert(value >= 0);
	do
		digits[--at] = (char)('0' + value % 10);
	while ((value /= 10) > 0);
	buf_add(b, digits + at, sizeof digits - at);
}

static uint32_t shape_equal_run(const struct size *s, uint32_t from)
{
	uint32_t i = from + 1;
	while (i < s->n && s->values[i] == s->values[from])
		i++;
	return i - from;
}

static void shape_list_add(struct buf *b, const struct size *s)
{
	buf_add(b, "[", 1);
	for (uint32_t i = 0; i < s->n;) {
		uint32_t n = shape_equal_run(s, i);
		if (i)
			buf_add(b, ",", 1);
		shape_number_add(b, s->values[i]);
		if (n < REPEATS) {
			i++;
			continue;
		}
		buf_add(b, "*", 1);
		shape_number_add(b, n);
		i += n;
	}
	buf_add(b, "]", 1);
}

const char *shape_text(const struct shape *s, struct arena *a)
{
	struct buf b;
	uint64_t values = 0;

	buf_init(&b, TEXT_MAX);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct size *size = &s->sizes[i];
		values += size->n;
		assert(values <= SHAPE_VALUES &&
			(size->is_list || size->n == 1));
		if (i)
			buf_add(&b, " ", 1);
		buf_puts(&b, size->name);
		buf_add(&b, "=", 1);
		if (size->is_list)
			shape_list_add(&b, size);
		else
			shape_number_add(&b, size->values[0]);
	}
	assert(!b.full);
	const char *text = arena_strndup(a, b.len ? b.at : "", b.len);
	buf_release(&b);
	return text;
}

/* ---- reading: the first pass counts the values, the second stores them */

struct shape_reader {
	const char *at;
	struct arena *arena;
	struct err *err;
	struct size *sizes; /* NULL while counting */
	int64_t *values; /* of all sizes, without gaps */
	uint32_t n, used;
};

static bool shape_wrong(const struct shape_reader *r, const char *what)
{
	return err_set(r->err, ERR_INPUT,
		*r->at ? "shape cannot be read: %s at '%.40s'"
		       : "shape cannot be read: %s at its end",
		what, r->at);
}

static bool shape_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool shape_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || shape_digit(c) || c == '_';
}

static bool shape_read_number(struct shape_reader *r, int64_t *out)
{
	int64_t v = 0;
	const char *p = r->at;

	if (!shape_digit(*p))
		return shape_wrong(r, "no whole number");
	if (*p == '0' && shape_digit(p[1]))
		return shape_wrong(r, "a number that begins with 0");
	for (; shape_digit(*p); p++)
		if (__builtin_mul_overflow(v, 10, &v) ||
			__builtin_add_overflow(v, *p - '0', &v))
			return shape_wrong(r, "a number that exceeds 64 bits");
	r->at = p;
	*out = v;
	return true;
}

/* "256" or "256*1882". */
static bool shape_read_item(struct shape_reader *r, bool in_list)
{
	int64_t value, times = 1;

	if (!shape_read_number(r, &value))
		return false;
	if (in_list && *r->at == '*') {
		r->at++;
		if (!shape_read_number(r, &times))
			return false;
	}
	if (times > SHAPE_VALUES - (int64_t)r->used)
		return err_set(r->err, ERR_TOO_LARGE,
			"shape has more than %d numbers", SHAPE_VALUES);
	for (int64_t i = 0; r->values && i < times; i++)
		r->values[r->used + i] = value;
	r->used += (uint32_t)times;
	return true;
}

static bool shape_read_list(struct shape_reader *r)
{
	r->at++;
	if (*r->at == ']') {
		r->at++;
		return true;
	}
	for (;;) {
		if (!shape_read_item(r, true))
			return false;
		char c = *r->at;
		if (c != ',' && c != ']')
			return shape_wrong(r, "a list that does not end");
		r->at++;
		if (c == ']')
			return true;
	}
}

static bool shape_read_name(struct shape_reader *r)
{
	const char *name = r->at;
	size_t len = 0;

	while (len <= NAME_LEN && shape_name_char(name[len]))
		len++;
	if (len == 0 || len > NAME_LEN || shape_digit(name[0]) ||
		name[len] != '=')
		return shape_wrong(r, "no name of a size");
	if (r->sizes) {
		const char *kept = arena_strndup(r->arena, name, len);
		if (!kept)
			return arena_err(r->arena, r->err);
		for (uint32_t i = 0; i < r->n; i++)
			if (strcmp(r->sizes[i].name, kept) == 0)
				return shape_wrong(r, "a size given twice");
		r->sizes[r->n].name = kept;
	}
	r->at += len + 1;
	return true;
}

static bool shape_read_size(struct shape_reader *r)
{
	uint32_t from = r->used;

	if (r->n == SIZES)
		return shape_wrong(r, "one size too many");
	if (!shape_read_name(r))
		return false;
	bool is_list = *r->at == '[';
	if (!(is_list ? shape_read_list(r) : shape_read_item(r, false)))
		return false;
	if (*r->at == ' ' && r->at[1])
		r->at++;
	else if (*r->at)
		return shape_wrong(r, "something that is no size");
	if (r->sizes) {
		struct size *s = &r->sizes[r->n];
		s->values = r->values + from;
		s->n = r->used - from;
		s->is_list = is_list;
	}
	r->n++;
	return true;
}

static bool shape_read_all(struct shape_reader *r, const char *text)
{
	r->at = text;
	r->n = r->used = 0;
	while (*r->at)
		if (!shape_read_size(r))
			return false;
	return true;
}

bool shape_read(const char *text, enum dtype dtype, struct arena *a,
	struct shape *out, struct err *e)
{
	struct shape_reader r = { .arena = a, .err = e };

	if (!shape_read_all(&r, text))
		return false;
	r.sizes = arena_array(a, struct size, r.n + 1);
	r.values = arena_array(a, int64_t, r.used + 1);
	if (!r.sizes || !r.values)
		return arena_err(a, e);
	if (!shape_read_all(&r, text))
		return false;
	*out = (struct shape){ dtype, r.sizes, r.n };
	return true;
}
