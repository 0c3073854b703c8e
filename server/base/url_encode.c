/* url_encode.c - percent-encodes text for a part of a URL (RFC 3986) */
#include "url_encode.h"

static bool url_encode_keeps(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_' ||
	       c == '~';
}

void url_encode(struct buf *b, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		if (url_encode_keeps(c))
			buf_add(b, &c, 1);
		else
			buf_printf(b, "%%%02X", c);
	}
}
