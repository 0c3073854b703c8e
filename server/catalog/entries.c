/* entries.c - reads entries and checks each value before it is used, because an
 * installation's documents are untrusted. */
#include "entries.h"
#include "embedded.h"
#include "nearest.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

extern const struct embedded catalog_data[];

static bool entries_damaged(struct err *e, const char *file, const char *what)
{
	return err_set(e, ERR_INTERNAL,
		"the built-in catalog is damaged: %s: %s", file, what);
}

bool entries_carried(struct entries *d, const char *file, const char *key,
	struct err *e)
{
	const struct embedded *f = catalog_data;
	json_error_t why;

	while (f->path && strcmp(f->path, file) != 0)
		f++;
	if (!f->path)
		return entries_damaged(e, file, "it is not there");
	d->root = json_loadb((const char *)f->bytes, *f->len,
		JSON_REJECT_DUPLICATES, &why);
	if (!d->root)
		return entries_damaged(e, file, why.text);
	d->items = json_object_get(d->root, key);
	if (!json_is_array(d->items))
		return entries_damaged(e, file, "it has no list");
	return true;
}

bool entries_own(struct entries *d, const char *text, struct err *e)
{
	json_error_t why;

	d->own = true;
	if (!text)
		return true;
	d->root = json_loads(text, JSON_REJECT_DUPLICATES, &why);
	if (!d->root)
		return err_set(e, ERR_INPUT,
			"the list of %ss is no JSON: line %d, column %d: %s",
			d->entry, why.line, why.column, why.text);
	d->items = json_is_array(d->root) ? d->root
					  : json_object_get(d->root, "items");
	if (!json_is_array(d->items))
		return err_set(e, ERR_INPUT,
			"the %ss are to be a list, or an object with a list "
			"'items'",
			d->entry);
	if (json_array_size(d->items) > ENTRIES_ITEMS)
		return err_set(e, ERR_TOO_LARGE,
			"%zu %ss are too many; %d is the limit",
			json_array_size(d->items), d->entry, ENTRIES_ITEMS);
	return true;
}

void entries_release(struct entries *d)
{
	json_decref(d->root);
	d->root = NULL;
	d->items = NULL;
}

size_t entries_n(const struct entries *d)
{
	return json_array_size(d->items);
}

const json_t *entries_at(const struct entries *d, size_t i)
{
	return json_array_get(d->items, i);
}

size_t entries_find(const struct entries *d, const char *name)
{
	for (size_t i = 0; i < entries_n(d); i++) {
		const char *is = json_string_value(
			json_object_get(entries_at(d, i), "name"));
		if (is && strcmp(is, name) == 0)
			return i;
	}
	return entries_n(d);
}

bool entries_fail(const struct entries *d, size_t i, struct err *e,
	const char *fmt, ...)
{
	char text[300];
	va_list args;
	const char *called =
		json_string_value(json_object_get(entries_at(d, i), d->called));

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	if (!d->own)
		return err_set(e, ERR_INTERNAL,
			"the built-in catalog is damaged: the %s '%.60s': %s",
			d->entry, called ? called : "", text);
	if (!called)
		return err_set(e, ERR_INPUT, "items[%zu]: %s", i, text);
	return err_set(e, ERR_INPUT, "items[%zu], the %s '%.60s': %s", i,
		d->entry, called, text);
}

/* Whether `word` is one of `words`, which are separated by spaces. An empty
 * word is never found. */
static bool entries_has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = words; *at; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ");
		if (n == len && !memcmp(at, word, len))
			return true;
		at += n;
	}
	return false;
}

/* Always false: names the unknown key, the nearest one, and all keys. */
static bool entries_key_fail(const struct entries *d, size_t i, const char *key,
	const char *keys, struct err *e)
{
	struct nearest n = nearest_to(key, strlen(key));

	for (const char *at = keys; *at; at += strspn(at, " ")) {
		size_t len = strcspn(at, " ");
		nearest_offer(&n, at, len);
		at += len;
	}
	if (n.name)
		return entries_fail(d, i, e,
			"there is no key '%.40s'; did you mean '%.*s'? The "
			"keys are %s",
			key, (int)n.name_len, n.name, keys);
	return entries_fail(d, i, e, "there is no key '%.40s'; the keys are %s",
		key, keys);
}

bool entries_keys(const struct entries *d, size_t i, const char *keys,
	struct err *e)
{
	json_t *item = json_array_get(d->items, i);

	if (!json_is_object(item))
		return entries_fail(d, i, e, "it is not an object");
	for (void *k = json_object_iter(item); k;
		k = json_object_iter_next(item, k))
		if (!entries_has_word(keys, json_object_iter_key(k)))
			return entries_key_fail(d, i, json_object_iter_key(k),
				keys, e);
	return true;
}

bool entries_text(const struct entries *d, size_t i, const char *key, bool must,
	const char **out, struct err *e)
{
	const json_t *v = json_object_get(entries_at(d, i), key);

	*out = NULL;
	if (!v || json_is_null(v))
		return !must || entries_fail(d, i, e, "it has no '%s'", key);
	size_t len = json_string_length(v);
	if (!json_is_string(v) || len == 0)
		return entries_fail(d, i, e, "'%s' is no text", key);
	if (len > ENTRIES_TEXT)
		return entries_fail(d, i, e,
			"'%s' has %zu bytes; %d is the limit", key, len,
			ENTRIES_TEXT);
	*out = json_string_value(v);
	return true;
}

bool entries_bool(const struct entries *d, size_t i, const char *key,
	bool absent, bool *out, struct err *e)
{
	const json_t *v = json_object_get(entries_at(d, i), key);

	*out = v ? json_is_true(v) : absent;
	return !v || json_is_boolean(v) ||
	       entries_fail(d, i, e, "'%s' is neither true nor false", key);
}

bool entries_list(const struct entries *d, size_t i, const char *key,
	const json_t **out, struct err *e)
{
	const json_t *v = json_object_get(entries_at(d, i), key);

	*out = v;
	if (!v)
		return true;
	bool texts = json_is_array(v);
	for (size_t k = 0; texts && k < json_array_size(v); k++) {
		size_t len = json_string_length(json_array_get(v, k));
		texts = len > 0 && len <= ENTRIES_TEXT;
	}
	return texts || entries_fail(d, i, e, "'%s' is no list of texts", key);
}

bool entries_own_has(const struct entries parts[PARTS], const char *name)
{
	return entries_find(&parts[OWN], name) < entries_n(&parts[OWN]);
}

bool entries_name(const struct entries *d, size_t i, const char **name,
	struct err *e)
{
	if (!entries_text(d, i, "name", true, name, e))
		return false;
	assert(*name);
	if (strlen(*name) > 64 ||
		(*name)[strspn(*name, "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_-.:+")])
		return entries_fail(d, i, e,
			"a name has 64 letters, digits and _-.:+ at most");
	if (strcmp(*name, "unattributed") == 0)
		return entries_fail(d, i, e,
			"that is what launches without an operator are called");
	size_t first = entries_find(d, *name);
	if (first < i)
		return entries_fail(d, i, e, "items[%zu] has that name too",
			first);
	return true;
}
