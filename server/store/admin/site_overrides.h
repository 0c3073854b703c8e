/* site_overrides.h - an installation's overrides of the catalog: of its
 * operators, rules and platforms.
 *
 * The documents are stored as they were received; the catalog defines what they
 * mean. Each change appends a document with a new version. */
#pragma once
#include "catalog.h"
#include "db.h"

enum site_overrides_kind {
	SITE_OPERATORS,
	SITE_RULES,
	SITE_PLATFORMS,
	SITE_KINDS
};

/* Reads the current document of each kind into the arena. Without any document,
 * the version is 0 and the documents are NULL. */
bool site_overrides_read(struct db *db, struct arena *a,
	struct catalog_own *out, struct err *e);
/* Reads only the version, which is cheap. Workers call this before each
 * upload. */
bool site_overrides_version(struct db *db, int64_t *version, struct err *e);
/* Replaces the document of a kind. `expected` is the version that the edit
 * started from; ERR_CONFLICT if another edit was stored first. *version is the
 * new version. */
bool site_overrides_write(struct db *db, enum site_overrides_kind kind,
	const char *json, int64_t expected, int64_t *version, struct err *e);
/* Builds the catalog in force: the program's catalog with the overrides.
 * *version is the version of the overrides. Another version of the program may
 * have accepted overrides that this one rejects; then none is applied and
 * *fault, in the arena, says why. Otherwise *fault is NULL. The caller frees
 * *out. */
bool site_overrides_catalog(struct db *db, struct arena *a,
	struct catalog **out, int64_t *version, const char **fault,
	struct err *e);
