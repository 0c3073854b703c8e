/* entries.h - a list of entries, carried in the program or an installation's
 * own, and the errors about one.
 *
 * An own document is {"items": […]} as PUT accepts it (other keys are ignored), or
 * the bare list. A fault there is ERR_INPUT and names the entry; a fault in carried
 * data is ERR_INTERNAL. Texts that the functions return belong to the document. */
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
/* `text` NULL: nothing. */
bool entries_own(struct entries *d, const char *text, struct err *e);
void entries_release(struct entries *d);

size_t entries_n(const struct entries *d);
const json_t *entries_at(const struct entries *d, size_t i);

/* The first entry of a name; entries_n() if there is none. */
size_t entries_find(const struct entries *d, const char *name);

/* Always false: sets "items[2], the rule 'x(': " and the formatted text. */
bool entries_fail(const struct entries *d, size_t i, struct err *e,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Entry i is an object with no keys but those of `keys`, blanks between. */
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
