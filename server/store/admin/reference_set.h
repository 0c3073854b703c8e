/* reference_set.h - reference sets: published figures of operators, stored as
 * the documents that were uploaded. */
#pragma once
#include "db.h"

struct reference_set_row {
	const char *name, *source, *sha256;
	int64_t runs, operators, shapes, bytes, created;
};
bool reference_set_list(struct db *db, struct arena *a,
	struct reference_set_row **rows, uint32_t *n, struct err *e);
/* Reads the document with this name; ERR_NOT_FOUND if there is none. */
bool reference_set_load(struct db *db, struct arena *a, const char *name,
	const char **json, size_t *len, const char **sha256, struct err *e);
/* Stores a document under a name; *made is false if an equal document already
 * has this name. ERR_CONFLICT if a different document has this name. */
bool reference_set_store(struct db *db, const struct reference_set_row *is,
	const char *json, size_t len, bool *made, struct err *e);
bool reference_set_delete(struct db *db, const char *name, struct err *e);
