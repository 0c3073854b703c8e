/* nvtx_json.c - JSON and UTF-8 text in memory of a fixed size. */
#include "nvtx_json.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

/* The allowed range of the second byte; empty if `lead` cannot be a first
 * byte. */
static void nvtx_json_second(unsigned char lead, unsigned char *low,
	unsigned char *high)
{
	*low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
	*high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
}

/* The number of bytes of the UTF-8 character at s, or 0 if it is not valid. */
static size_t nvtx_utf8_next(const char *s, size_t len)
{
	const unsigned char *p = (const unsigned char *)s;
	unsigned char low, high;
	if (len == 0 || p[0] == 0)
		return 0;
	if (p[0] < 0x80)
		return 1;
	size_t n = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
	nvtx_json_second(p[0], &low, &high);
	if (p[0] < 0xC2 || p[0] > 0xF4 || n > len || p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((p[i] & 0xC0) != 0x80)
			return 0;
	return n;
}

size_t nvtx_utf8_clip(const char *s, size_t len)
{
	for (size_t back = 1; back <= 3 && back <= len; back++) {
		unsigned char c = (unsigned char)s[len - back];
		if (c < 0x80)
			break;
		if (c >= 0xC0)
			return nvtx_utf8_next(s + len - back, back)
				       ? len
				       : len - back;
	}
	return len;
}

static size_t nvtx_json_encode(char to[static 4], uint32_t c)
{
	if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
		c = 0xFFFD;
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (size_t i = n; i-- > 1; c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3F));
	to[0] = (char)((0xF00 >> n & 0xFF) | c);
	return n;
}

size_t nvtx_utf8_from(char *to, size_t room, const void *wide)
{
	size_t len = 0;
	for (const wchar_t *w = wide; *w; w++) {
		char text[4];
		size_t n = nvtx_json_encode(text, (uint32_t)*w);
		if (n > room - len)
			break;
		for (size_t i = 0; i < n; i++)
			to[len++] = text[i];
	}
	return len;
}

void nvtx_json_raw(struct nvtx_json *j, const char *s, size_t len)
{
	if (len > j->room - j->len)
		j->full = true;
	if (j->full)
		return;
	memcpy(j->at + j->len, s, len);
	j->len += len;
}

void nvtx_json_comma(struct nvtx_json *j)
{
	char last = j->len ? j->at[j->len - 1] : '[';
	if (last != '{' && last != '[')
		nvtx_json_raw(j, ",", 1);
}

static void nvtx_json_escape(struct nvtx_json *j, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	char text[6] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };
	if (c == '"' || c == '\\')
		nvtx_json_raw(j, (const char[]){ '\\', (char)c }, 2);
	else
		nvtx_json_raw(j, text, sizeof text);
}

void nvtx_json_text(struct nvtx_json *j, const char *s, size_t len)
{
	nvtx_json_raw(j, "\"", 1);
	for (size_t i = 0; i < len && !j->full;) {
		unsigned char c = (unsigned char)s[i];
		size_t n = c < 0x80 ? 1 : nvtx_utf8_next(s + i, len - i);
		if (c < 0x20 || c == '"' || c == '\\')
			nvtx_json_escape(j, c);
		else if (n)
			nvtx_json_raw(j, s + i, n);
		else
			nvtx_json_raw(j, "\xEF\xBF\xBD", 3);
		i += n ? n : 1;
	}
	nvtx_json_raw(j, "\"", 1);
}

void nvtx_json_uint(struct nvtx_json *j, uint64_t v)
{
	char text[20];
	size_t at = sizeof text;
	do {
		text[--at] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	nvtx_json_raw(j, text + at, sizeof text - at);
}

void nvtx_json_int(struct nvtx_json *j, int64_t v)
{
	if (v < 0)
		nvtx_json_raw(j, "-", 1);
	nvtx_json_uint(j, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void nvtx_json_printed(struct nvtx_json *j, const char *text, size_t len)
{
	bool point = false;
	for (size_t i = 0; i < len; i++) {
		bool plain = text[i] && strchr("0123456789+-e", text[i]);
		if (plain || !point)
			nvtx_json_raw(j, plain ? &text[i] : ".", 1);
		point = !plain;
	}
}

void nvtx_json_real(struct nvtx_json *j, double v)
{
	char text[64];
	int n = isfinite(v) ? snprintf(text, sizeof text, "%.17g", v) : 0;
	if (n > 0)
		nvtx_json_printed(j, text, (size_t)n);
	else
		nvtx_json_raw(j, "null", 4);
}
