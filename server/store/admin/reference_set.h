/* reference_set.h - reference sets: published figures of operators, as documents
 * that are stored as they came. */
#pragma once
#include "db.h"

struct reference_set_row {
	const char *name, *source, *sha256;
	int64_t runs, operators, shapes, bytes, created;
};
bool reference_set_list(struct db *db, struct arena *a,
	struct reference_set_row **rows, uint32_t *n, struct err *e);
/* The document of a name; ERR_NOT_FOUND. */
bool reference_set_load(struct db *db, struct arena *a, const char *name,
	const char **json, size_t *len, const char **sha256, struct err *e);
/* Stores a document under a name; *made false if the same one exists already.
 * ERR_CONFLICT if another one has the name. */
bool reference_set_store(struct db *db, const struct reference_set_row *is,
	const char *json, size_t len, bool *made, struct err *e);
bool reference_set_delete(struct db *db, const char *name, struct err *e);
