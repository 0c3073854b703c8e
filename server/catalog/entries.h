/* entries.h - reads a list of entries from JSON, and reports errors in an
 * entry.
 *
 * A list is carried in the program or belongs to the installation ("own"). An
 * own document is {"items": […]} as PUT accepts it (other keys are ignored), or
 * only the list. An error in an own document is ERR_INPUT and names the entry.
 * An error in carried data is ERR_INTERNAL. The document owns the texts that
 * the functions return. */
#pragma once
#include "err.h"
#include <jansson.h>
#include <stdint.h>

struct entries {
	json_t *root;
	const json_t *items; /* a list; NULL if there is none */
	const char *entry; /* "rule", "operator", "platform" */
	const char *called; /* the key that names an entry: "match", "name" */
	bool own;
};

enum { OWN, CARRIED, PARTS };

enum { ENTRIES_ITEMS = 2000, ENTRIES_TEXT = 2000 };

bool entries_carried(struct entries *d, const char *file, const char *key,
	struct err *e);
/* `text` NULL: an empty list. */
bool entries_own(struct entries *d, const char *text, struct err *e);
void entries_release(struct entries *d);

size_t entries_n(const struct entries *d);
const json_t *entries_at(const struct entries *d, size_t i);

/* The first entry of a name; entries_n() if there is none. */
size_t entries_find(const struct entries *d, const char *name);

/* Always false: sets "items[2], the rule 'x(': " and the formatted text. */
bool entries_fail(const struct entries *d, size_t i, struct err *e,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Checks that entry i is an object and has only keys in `keys`, a text with
 * blanks between the keys. */
bool entries_keys(const struct entries *d, size_t i, const char *keys,
	struct err *e);
/* A text of 1 to ENTRIES_TEXT bytes; *out is NULL if it is absent or null,
 * unless `must`. */
bool entries_text(const struct entries *d, size_t i, const char *key, bool must,
	const char **out, struct err *e);
bool entries_bool(const struct entries *d, size_t i, const char *key,
	bool absent, bool *out, struct err *e);
/* A list of texts; *out is NULL if it is absent. */
bool entries_list(const struct entries *d, size_t i, const char *key,
	const json_t **out, struct err *e);
/* A name of 1 to 64 letters, digits and _ - . : + */
bool entries_name(const struct entries *d, size_t i, const char **name,
	struct err *e);

/* Whether an installation's own entries have that name: such an entry replaces
 * the carried one. */
bool entries_own_has(const struct entries parts[PARTS], const char *name);
