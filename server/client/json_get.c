/* json_get.c - reads members of a JSON object by name. */
#include "json_get.h"
#include <math.h>

static char *json_get_copy(struct arena *a, const json_t *v)
{
	const char *s = json_string_value(v);
	char *copy = arena_strdup(a, s ? s : "");
	for (char *at = copy; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = ' ';
	return copy;
}

char *json_get_text(struct arena *a, const json_t *v, const char *key)
{
	return json_get_copy(a, json_object_get(v, key));
}

char *json_get_item(struct arena *a, const json_t *list, size_t i)
{
	return json_get_copy(a, json_array_get(list, i));
}

const char *json_get_joined(struct arena *a, const json_t *v, const char *key,
	const char *separator)
{
	const json_t *list = json_object_get(v, key);
	const char *text = "";

	for (size_t i = 0; i < json_array_size(list); i++)
		text = arena_printf(a, "%s%s%s", text, i ? separator : "",
			json_get_item(a, list, i));
	return text;
}

double json_get_real(const json_t *v, const char *key)
{
	const json_t *x = json_object_get(v, key);
	return json_is_number(x) ? json_number_value(x) : (double)NAN;
}

int64_t json_get_whole(const json_t *v, const char *key)
{
	return json_integer_value(json_object_get(v, key));
}
