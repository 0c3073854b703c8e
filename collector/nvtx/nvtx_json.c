/* nvtx_json.c - numbers, texts and commas. */
#include "nvtx_json.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

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

static void escape(struct nvtx_json *j, unsigned char c)
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
			escape(j, c);
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
