/* xml_text.c - five characters that mean something, and those that may not be. */
#include "xml_text.h"
#include <string.h>

void xml_text(struct buf *b, const char *s, size_t len)
{
	for (const char *end = s + len; s < end; s++) {
		unsigned char c = (unsigned char)*s;
		if (c == '&')
			buf_puts(b, "&amp;");
		else if (c == '<')
			buf_puts(b, "&lt;");
		else if (c == '>')
			buf_puts(b, "&gt;");
		else if (c == '"')
			buf_puts(b, "&quot;");
		else if (c == '\t' || c == '\n' || c == '\r')
			buf_printf(b, "&#%d;", c);
		else if (c < 0x20)
			buf_puts(b, "\xef\xbf\xbd");
		else if (end - s > 2 &&
			 (!memcmp(s, "\xef\xbf\xbe", 3) ||
				 !memcmp(s, "\xef\xbf\xbf", 3))) {
			buf_puts(b, "\xef\xbf\xbd");
			s += 2;
		} else
			buf_add(b, s, 1);
	}
}
