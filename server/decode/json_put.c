/* json_put.c - punctuation and escapes. */
#include "json_put.h"
#include "utf8.h"
#include <math.h>
#include <string.h>

void json_put_open(struct buf *b)
{
	buf_puts(b, "{");
}

void json_put_close(struct buf *b)
{
	buf_puts(b, "}");
}

static void escape(struct buf *b, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	if (c == '"' || c == '\\') {
		buf_add(b, "\\", 1);
		buf_add(b, &c, 1);
	} else {
		buf_puts(b, "\\u00");
		buf_add(b, hex + (c >> 4), 1);
		buf_add(b, hex + (c & 15), 1);
	}
}

/* Bytes that are no text become U+FFFD, a piece at a time. */
static void put_mended(struct buf *b, const char *s, size_t len)
{
	enum { PIECE = 64 };
	char text[3 * PIECE];
	while (len) {
		size_t n = utf8_clip(s, len, PIECE);
		n = n ? n : PIECE;
		buf_add(b, text, utf8_mend(text, s, n));
		s += n;
		len -= n;
	}
}

void json_put_text(struct buf *b, const char *s, size_t len)
{
	const char *end = s + len;
	buf_add(b, "\"", 1);
	while (s < end) {
		const char *from = s;
		while (s < end && (unsigned char)*s >= 0x20 && *s != '"' &&
			*s != '\\')
			s++;
		put_mended(b, from, (size_t)(s - from));
		if (s < end)
			escape(b, (unsigned char)*s++);
	}
	buf_add(b, "\"", 1);
}

void json_put_key(struct buf *b, const char *s, size_t len)
{
	if (b->len > 1)
		buf_add(b, ",", 1);
	json_put_text(b, s, len);
	buf_add(b, ":", 1);
}

void json_put_int(struct buf *b, int64_t v)
{
	buf_printf(b, "%lld", (long long)v);
}

void json_put_uint(struct buf *b, uint64_t v)
{
	buf_printf(b, "%llu", (unsigned long long)v);
}

void json_put_real(struct buf *b, double v)
{
	if (isfinite(v))
		buf_printf(b, "%.17g", v);
	else
		json_put_null(b);
}

void json_put_null(struct buf *b)
{
	buf_puts(b, "null");
}
