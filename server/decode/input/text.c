/* text.c - makes JSON strings valid UTF-8 and interns them */
#include "text.h"
#include "sha256.h"
#include "utf8.h"
#include <assert.h>

static char *text_scratch(struct text *t, size_t len)
{
	if (len <= t->scratch_cap)
		return t->scratch;
	size_t cap = len < 4096 ? 4096 : len + len / 2;
	char *p = arena_grow(t->trace->arena, t->scratch, cap);
	if (p) {
		t->scratch = p;
		t->scratch_cap = cap;
	}
	return p;
}

static int text_hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The value of the four digits after a \u, or -1. */
static long text_unit(const char *p, const char *end)
{
	long v = 0;
	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int h = text_hex(p[i]);
		if (h < 0)
			return -1;
		v = v << 4 | h;
	}
	return v;
}

static char *text_utf8_put(char *to, long c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xC0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3F));
	} else if (c < 0x10000) {
		*to++ = (char)(0xE0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3F));
		*to++ = (char)(0x80 | (c & 0x3F));
	} else {
		*to++ = (char)(0xF0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3F));
		*to++ = (char)(0x80 | (c >> 6 & 0x3F));
		*to++ = (char)(0x80 | (c & 0x3F));
	}
	return to;
}

/* Reads a \u escape whose digits are at p. A pair of surrogates is one
 * character; half a pair and U+0000 are invalid. */
static const char *text_unescape_u(const char *p, const char *end, char **to,
	bool *mended)
{
	long c = text_unit(p, end);
	p += 4;
	if (c >= 0xD800 && c < 0xDC00 && end - p >= 6 && p[0] == '\\' &&
		p[1] == 'u') {
		long low = text_unit(p + 2, end);
		if (low >= 0xDC00 && low < 0xE000) {
			c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
			p += 6;
		}
	}
	if (c == 0 || (c >= 0xD800 && c < 0xE000)) {
		c = 0xFFFD;
		*mended = true;
	}
	*to = text_utf8_put(*to, c);
	return p;
}

/* Writes the unescaped text of s to `to`, which has room for s->len bytes. An
 * escape that JSON does not define is copied unchanged. Returns the length. */
static size_t text_unescape(char *to, const struct text_span *s, bool *mended)
{
	static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
	const char *p = s->at, *end = s->at + s->len;
	char *start = to;
	while (p < end) {
		const char *known;
		if (*p != '\\') {
			*mended |= (unsigned char)*p < 0x20;
			*to++ = *p++;
		} else if (p + 1 < end && p[1] == 'u' &&
			   text_unit(p + 2, end) >= 0) {
			p = text_unescape_u(p + 2, end, &to, mended);
		} else if (p + 1 < end && p[1] &&
			   (known = strchr(from, p[1]))) {
			*to++ = into[known - from];
			p += 2;
		} else {
			*mended = true;
			*to++ = *p++;
		}
	}
	return (size_t)(to - start);
}

/* Interns the beginning of a text, at most `max` bytes in total, with a mark
 * that distinguishes the text from others with the same beginning. */
static uint32_t text_put_clipped(struct text *t, const char *s, size_t len,
	size_t max)
{
	enum { DIGITS = 16, CUT = 3, MARK = CUT + DIGITS };
	uint8_t digest[SHA256_BYTES];
	char kept[TEXT_MAX], hex[SHA256_HEX];
	assert(max > MARK && max <= TEXT_MAX);
	size_t n = utf8_clip(s, len, max - MARK);
	sha256_of(s, len, digest);
	sha256_hex(digest, hex);
	memcpy(kept, s, n);
	memcpy(kept + n, "\xE2\x80\xA6", CUT);
	memcpy(kept + n + CUT, hex, DIGITS);
	return names_put(&t->trace->names, kept, n + MARK);
}

/* Interns a text that was not seen before; makes it valid and cuts it to at
 * most `max` bytes. */
static uint32_t text_intern(struct text *t, const char *s, size_t len,
	bool mended, size_t max)
{
	struct names *ns = &t->trace->names;
	uint32_t known = ns->n;
	if (!utf8_valid(s, len)) {
		size_t at = s == t->scratch ? len : 0;
		char *to = text_scratch(t, at + 3 * len);
		if (!to)
			return NAMES_NONE;
		s = at ? to : s;
		len = utf8_sanitize(to + at, s, len);
		s = to + at;
		mended = true;
	}
	uint32_t id = len > max ? text_put_clipped(t, s, len, max)
				: names_put(ns, s, len);
	if (mended)
		note_add(&t->trace->notes, NOTE_name_mended, 1, s, len);
	if (id == known && len > TEXT_LONG)
		note_add(&t->trace->notes, NOTE_name_long, 1, s, len);
	if (id == known && len > max)
		note_add(&t->trace->notes, NOTE_name_clipped, 1, s, len);
	return id;
}

uint32_t text_id(struct text *t, const struct text_span *s)
{
	bool mended = false;
	if (!s->escaped) {
		uint32_t id = names_find(&t->trace->names, s->at, s->len);
		if (id != NAMES_NONE)
			return id;
		return text_intern(t, s->at, s->len, false, TEXT_MAX);
	}
	char *to = text_scratch(t, s->len);
	if (!to)
		return NAMES_NONE;
	size_t len = text_unescape(to, s, &mended);
	return text_intern(t, to, len, mended, TEXT_MAX);
}

/* Copies JSON without the white space between its tokens. */
static size_t text_squeeze(char *to, const struct text_span *s)
{
	const char *p = s->at, *end = s->at + s->len;
	char *start = to;
	while (p < end) {
		if ((unsigned char)*p <= ' ') {
			p = scan_ws(p + 1);
			continue;
		}
		if (*p != '"') {
			*to++ = *p++;
			continue;
		}
		const char *q = scan_plain(p + 1);
		while (q < end && *q != '"')
			q = scan_plain(q + (*q == '\\' ? 2 : 1));
		q = q < end ? q + 1 : end;
		memcpy(to, p, (size_t)(q - p));
		to += q - p;
		p = q;
	}
	return (size_t)(to - start);
}

static uint32_t text_squeezed_id(struct text *t, const struct text_span *s)
{
	char *to = text_scratch(t, s->len);
	if (!to)
		return NAMES_NONE;
	size_t len = text_squeeze(to, s);
	uint32_t id = names_find(&t->trace->names, to, len);
	return id != NAMES_NONE ? id : text_intern(t, to, len, false, SIZE_MAX);
}

static bool text_written_init(struct text *t)
{
	struct arena *a = t->trace->arena;
	if (!names_init(&t->written, a))
		return false;
	t->ids = arena_array(a, uint32_t, TEXT_WRITTEN_MAX);
	return t->ids;
}

/* Stores a value as it is written, unless there are too many already. False if
 * the arena is full. */
static bool text_written_add(struct text *t, const struct text_span *s,
	uint32_t id)
{
	if (s->len > TEXT_WRITTEN_BYTES || t->written.n == TEXT_WRITTEN_MAX)
		return true;
	uint32_t at = names_put(&t->written, s->at, s->len);
	if (at == NAMES_NONE)
		return false;
	t->ids[at] = id;
	return true;
}

uint32_t text_json_id(struct text *t, const struct text_span *s)
{
	if (!t->ids && !text_written_init(t))
		return NAMES_NONE;
	uint32_t at = names_find(&t->written, s->at, s->len);
	if (at != NAMES_NONE)
		return t->ids[at];
	uint32_t id = text_squeezed_id(t, s);
	return id != NAMES_NONE && text_written_add(t, s, id) ? id : NAMES_NONE;
}

uint32_t text_put(struct text *t, const char *s, size_t len, size_t max)
{
	uint32_t id = names_find(&t->trace->names, s, len);
	return id != NAMES_NONE && len <= max
		       ? id
		       : text_intern(t, s, len, false, max);
}

size_t text_kernel_len(const char *name, size_t len)
{
	static const char *const suffixes[] = { " [clone .kd]", ".kd" };
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		size_t n = strlen(suffixes[i]);
		if (len > n && !memcmp(name + len - n, suffixes[i], n))
			return len - n;
	}
	return len;
}
