/* json_text.c - writes JSON that is too large for memory piece by piece. */
#include "json_text.h"
#include "utf8.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Adds a comma if a value precedes. */
static void json_text_comma(struct buf *b)
{
	if (b->len && !strchr("{[:,", b->at[b->len - 1]))
		buf_add(b, ",", 1);
}

void json_text_open(struct buf *b, char bracket)
{
	json_text_comma(b);
	buf_add(b, &bracket, 1);
}

void json_text_close(struct buf *b, char bracket)
{
	buf_add(b, &bracket, 1);
}

void json_text_key(struct buf *b, const char *key)
{
	json_text_string(b, key, strlen(key));
	buf_add(b, ":", 1);
}

static bool json_text_plain(unsigned char c)
{
	return c >= 0x20 && c != '"' && c != '\\' && c != 0x7F;
}

static void json_text_escape(struct buf *b, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	char out[6] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };
	if (c == '"' || c == '\\') {
		out[1] = (char)c;
		buf_add(b, out, 2);
	} else {
		buf_add(b, out, sizeof out);
	}
}

void json_text_string(struct buf *b, const char *s, size_t len)
{
	char *clean = NULL;
	if (!utf8_valid(s, len)) {
		clean = malloc(3 * len);
		if (!clean)
			abort();
		len = utf8_sanitize(clean, s, len);
		s = clean;
	}
	json_text_comma(b);
	buf_add(b, "\"", 1);
	for (size_t from = 0, i = 0; i <= len; i++) {
		if (i < len && json_text_plain((unsigned char)s[i]))
			continue;
		buf_add(b, s + from, i - from);
		if (i < len)
			json_text_escape(b, (unsigned char)s[i]);
		from = i + 1;
	}
	buf_add(b, "\"", 1);
	free(clean);
}

/* Writes the digits of v before `end`; returns where they begin. */
static char *json_text_digits(char *end, uint64_t v)
{
	do
		*--end = (char)('0' + v % 10);
	while (v /= 10);
	return end;
}

static uint64_t json_text_magnitude(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

void json_text_whole(struct buf *b, int64_t v)
{
	char text[24], *end = text + sizeof text;
	char *at = json_text_digits(end, json_text_magnitude(v));
	if (v < 0)
		*--at = '-';
	json_text_comma(b);
	buf_add(b, at, (size_t)(end - at));
}

void json_text_real(struct buf *b, double v)
{
	json_t *value = isfinite(v) ? json_real(v) : json_null();
	char text[64];
	size_t n = json_dumpb(value, text, sizeof text,
		JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
	json_decref(value);
	json_text_comma(b);
	buf_add(b, text, n);
}

void json_text_us(struct buf *b, int64_t ns)
{
	char text[24], *end = text + sizeof text;
	uint64_t v = json_text_magnitude(ns), part = 1000 + v % 1000;
	char *at = json_text_digits(end, part);
	*at = '.'; /* replaces the leading 1 */
	at = json_text_digits(at, v / 1000);
	if (ns < 0)
		*--at = '-';
	json_text_comma(b);
	buf_add(b, at, (size_t)(end - at));
}

void json_text_raw(struct buf *b, const char *json, size_t len)
{
	json_text_comma(b);
	buf_add(b, json, len);
}
