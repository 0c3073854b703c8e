/* utf8.c - checks and repairs text, with the tables of Unicode 15, section 3.9.
 */
#include "utf8.h"
#include <stdint.h>
#include <string.h>

/* The number of bytes of the well-formed character at s; 0 if it is malformed.
 */
static size_t utf8_character(const unsigned char *s, size_t len)
{
	unsigned char a = s[0];
	if (a < 0x80)
		return a != 0;
	size_t n = a >= 0xF0 ? 4 : a >= 0xE0 ? 3 : 2;
	if (a < 0xC2 || a > 0xF4 || n > len)
		return 0;
	unsigned char low = 0x80, high = 0xBF;
	if (a == 0xE0)
		low = 0xA0;
	else if (a == 0xED)
		high = 0x9F;
	else if (a == 0xF0)
		low = 0x90;
	else if (a == 0xF4)
		high = 0x8F;
	if (s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((s[i] & 0xC0) != 0x80)
			return 0;
	return n;
}

/* The number of bytes from s on that are ASCII without a NUL; checks eight
 * bytes at a time. */
static size_t utf8_ascii(const unsigned char *s, size_t len)
{
	size_t i = 0;
	for (; i + 8 <= len; i += 8) {
		uint64_t w;
		memcpy(&w, s + i, 8);
		uint64_t zero = (w - 0x0101010101010101u) & ~w;
		if ((w | zero) & 0x8080808080808080u)
			break;
	}
	while (i < len && s[i] && s[i] < 0x80)
		i++;
	return i;
}

bool utf8_valid(const char *s, size_t len)
{
	const unsigned char *p = (const unsigned char *)s;
	for (size_t i = utf8_ascii(p, len); i < len;
		i += utf8_ascii(p + i, len - i)) {
		size_t n = utf8_character(p + i, len - i);
		if (n == 0)
			return false;
		i += n;
	}
	return true;
}

size_t utf8_sanitize(char *out, const char *s, size_t len)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t to = 0;
	for (size_t i = 0; i < len;) {
		size_t n = utf8_character(p + i, len - i);
		if (n) {
			memcpy(out + to, s + i, n);
			to += n;
			i += n;
			continue;
		}
		memcpy(out + to, "\xEF\xBF\xBD", 3);
		to += 3;
		i++;
	}
	return to;
}

size_t utf8_trim(const char *s, size_t len)
{
	size_t back = 0;
	while (back < 3 && back < len && (s[len - 1 - back] & 0xC0) == 0x80)
		back++;
	if (back == len)
		return len;
	unsigned char lead = (unsigned char)s[len - 1 - back];
	size_t want = lead >= 0xF0   ? 4
		      : lead >= 0xE0 ? 3
		      : lead >= 0xC0 ? 2
				     : 1;
	return want > back + 1 ? len - 1 - back : len;
}

size_t utf8_clip(const char *s, size_t len, size_t max)
{
	return len <= max ? len : utf8_trim(s, max);
}
