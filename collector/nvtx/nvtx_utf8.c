/* nvtx_utf8.c - what is UTF-8 (Unicode 15, table 3-7), and wide text made so. */
#include "nvtx_json.h"
#include <wchar.h>

/* The second byte may be these only; a lead byte that is none: nothing. */
static void second(unsigned char lead, unsigned char *low, unsigned char *high)
{
	*low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
	*high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
}

size_t nvtx_utf8_next(const char *s, size_t len)
{
	const unsigned char *p = (const unsigned char *)s;
	unsigned char low, high;
	if (len == 0 || p[0] == 0)
		return 0;
	if (p[0] < 0x80)
		return 1;
	size_t n = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
	second(p[0], &low, &high);
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

static size_t encode(char to[static 4], uint32_t c)
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
		size_t n = encode(text, (uint32_t)*w);
		if (n > room - len)
			break;
		for (size_t i = 0; i < n; i++)
			to[len++] = text[i];
	}
	return len;
}
