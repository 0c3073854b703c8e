/* query_string.c - percent decoding, strictly. */
#include "query_string.h"
#include "utf8.h"
#include <string.h>

static int query_string_hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static const char *query_string_decode(const char *s, size_t len, bool form,
	struct arena *a)
{
	char *out = arena_alloc(a, len + 1, 1);
	size_t n = 0;
	for (size_t i = 0; i < len; i++, n++) {
		if (s[i] != '%') {
			out[n] = form && s[i] == '+' ? ' ' : s[i];
			continue;
		}
		int high = len - i > 2 ? query_string_hex(s[i + 1]) : -1;
		int low = len - i > 2 ? query_string_hex(s[i + 2]) : -1;
		if (high < 0 || low < 0)
			return NULL;
		out[n] = (char)(high << 4 | low);
		i += 2;
	}
	return utf8_valid(out, n) ? out : NULL;
}

const char *query_string_percent_decode(const char *s, size_t len,
	struct arena *a)
{
	return query_string_decode(s, len, false, a);
}

bool query_string_next(const char **query, struct arena *a,
	struct query_pair *p, struct err *e)
{
	const char *s = *query;
	while (s && *s == '&')
		s++;
	*p = (struct query_pair){ 0 };
	if (!s || !*s)
		return true;
	size_t len = strcspn(s, "&");
	size_t key = strcspn(s, "=&");
	*query = s + len;
	p->key = query_string_decode(s, key, true, a);
	p->value = key < len ? query_string_decode(s + key + 1, len - key - 1,
				       true, a)
			     : "";
	if (p->key && p->value)
		return true;
	return err_set(e, ERR_INPUT,
		"'%.*s' in the query is not percent-encoded UTF-8 text",
		len > 80 ? 80 : (int)len, s);
}
