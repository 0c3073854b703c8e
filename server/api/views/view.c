/* view.c - the small values all views are made of. */
#include "view.h"
#include "utc_time.h"
#include "utf8.h"
#include <assert.h>
#include <math.h>
#include <string.h>

#define WHOLE_MAX (INT64_C(1) << 53)

json_t *view_text(const char *s)
{
	return s ? json_string(s) : json_null();
}

json_t *view_whole(int64_t v)
{
	return v < 0 || v >= WHOLE_MAX ? json_null() : json_integer(v);
}

json_t *view_real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

json_t *view_moment(int64_t us)
{
	char text[MOMENT_TEXT];
	if (us == NO_MOMENT)
		return json_null();
	moment_text(us, text);
	return json_string(text);
}

json_t *view_labels(const char *labels)
{
	json_t *v = labels ? json_loads(labels, 0, NULL) : NULL;
	return v ? v : json_object();
}

json_t *view_error(const struct err *e)
{
	char text[3 * sizeof e->text];
	size_t len = utf8_mend(text, e->text, strlen(e->text));
	return json_pack("{s:{s:s, s:s%}}", "error", "code", err_name(e->code),
		"message", text, len);
}

void view_append(json_t *list, json_t *item)
{
	assert(item);
	json_array_append_new(list, item);
}

json_t *view_list(json_t *items, const char *next)
{
	return json_pack("{s:o, s:o}", "items", items, "next", view_text(next));
}

json_t *view_note(const struct note_row *n)
{
	return json_pack("{s:s, s:s, s:o, s:s}", "code", n->code, "severity",
		n->severity, "count", view_whole(n->count), "message",
		n->message);
}
