/* said.c - the check at the door of the schema. */
#include "said.h"
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

bool said_print(const char *what, const char *text, struct err *e)
{
	for (const unsigned char *at = (const unsigned char *)text; *at; at++)
		if (*at < ' ' || *at == 0x7f ||
			(*at == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0))
			return err_set(e, ERR_INPUT,
				"%s has control characters", what);
	return true;
}
