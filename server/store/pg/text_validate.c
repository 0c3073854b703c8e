/* text_validate.c - the check at the door of the schema. */
#include "text_validate.h"
#include "utf8.h"

bool said_check(const char *what, const char *text, struct err *e)
{
	size_t len = strlen(text);
	if (len > SAID_MAX)
		return err_set(e, ERR_INPUT,
			"%s has %zu bytes; at most %d are kept", what, len,
			SAID_MAX);
	if (!utf8_valid(text, len))
		return err_set(e, ERR_INPUT, "%s is not text in UTF-8", what);
	return true;
}

/* One of U+0001 to U+001F, U+007F to U+009F. */
static bool obeyed(const unsigned char *at)
{
	return *at < ' ' || *at == 0x7f ||
	       (*at == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0);
}

const char *said_shown(struct arena *a, const char *text)
{
	char *out = arena_strdup(a, text), *to = out;
	for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
		bool odd = obeyed(at);
		at += odd && *at == 0xc2;
		*to++ = odd ? '?' : (char)*at;
	}
	*to = '\0';
	return out;
}

bool said_print(const char *what, const char *text, struct err *e)
{
	for (const unsigned char *at = (const unsigned char *)text; *at; at++)
		if (obeyed(at))
			return err_set(e, ERR_INPUT,
				"%s has control characters", what);
	return true;
}
