/* text_validate.c - length, encoding and control characters of a text. */
#include "text_validate.h"
#include "utf8.h"

bool text_validate(const char *what, const char *text, struct err *e)
{
	size_t len = strlen(text);
	if (len > TEXT_VALIDATE_MAX)
		return err_set(e, ERR_INPUT,
			"%s has %zu bytes; at most %d are kept", what, len,
			TEXT_VALIDATE_MAX);
	if (!utf8_valid(text, len))
		return err_set(e, ERR_INPUT, "%s is not text in UTF-8", what);
	return true;
}

/* Whether the character is one of U+0001 to U+001F, U+007F to U+009F. */
static bool text_validate_is_control(const unsigned char *at)
{
	return *at < ' ' || *at == 0x7f ||
	       (*at == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0);
}

bool text_validate_printable(const char *what, const char *text, struct err *e)
{
	for (const unsigned char *at = (const unsigned char *)text; *at; at++)
		if (text_validate_is_control(at))
			return err_set(e, ERR_INPUT,
				"%s has control characters", what);
	return true;
}

const char *text_validate_mask(struct arena *a, const char *text)
{
	char *out = arena_strdup(a, text), *to = out;
	for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
		bool control = text_validate_is_control(at);
		at += control && *at == 0xc2;
		*to++ = control ? '?' : (char)*at;
	}
	*to = '\0';
	return out;
}
