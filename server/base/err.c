/* err.c - stores the code and the sentence of the first failure. */
#include "err.h"
#include "utf8.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
	int http;
	const char *name;
} codes[] = { [ERR_NONE] = { 200, "ok" },
#define X(code, http, name) [ERR_##code] = { http, name },
	ERR_CODES(X)
#undef X
};

bool err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	if (e->code != ERR_NONE)
		return false;
	e->code = code;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	e->text[utf8_trim(e->text, strlen(e->text))] = '\0';
	return false;
}

const char *err_public(const struct err *e)
{
	if (e->code == ERR_DATABASE)
		return "the database is not available or rejected a statement; "
		       "try again later (the server's log has the details)";
	if (e->code == ERR_INTERNAL)
		return "the server failed (its log has the details)";
	return e->text;
}

int err_http(enum err_code code)
{
	return codes[code].http;
}

const char *err_name(enum err_code code)
{
	return codes[code].name;
}
