/* site_overrides.h - an installation's overrides of the catalog: of its operators,
 * rules and platforms.
 *
 * They are facts that are stored as they came; the catalog says what they mean.
 * Each change appends a document with a new version. */
#pragma once
#include "catalog.h"
#include "db.h"

enum site_overrides_kind {
	SITE_OPERATORS,
	SITE_RULES,
	SITE_PLATFORMS,
	SITE_KINDS
};

/* The current document of each kind, in the arena; version 0 and NULLs without
 * any. */
bool site_overrides_read(struct db *db, struct arena *a,
	struct catalog_own *out, struct err *e);
/* Only the version, which is cheap: read before each upload is worked on. */
bool site_overrides_version(struct db *db, int64_t *version, struct err *e);
/* Replaces the document of a kind. `expected` is the version that it was edited
 * from; ERR_CONFLICT if another edit came first. *version: the new one. */
bool site_overrides_write(struct db *db, enum site_overrides_kind kind,
	const char *json, int64_t expected, int64_t *version, struct err *e);
/* The catalog in force: the program's with the overrides. *version is theirs.
 * If the program does not accept them any more (they were checked by another
 * version of it), none is applied and *fault says why, in the arena; NULL
 * otherwise. The caller frees *out. */
bool site_overrides_catalog(struct db *db, struct arena *a,
	struct catalog **out, int64_t *version, const char **fault,
	struct err *e);
