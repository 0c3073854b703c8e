/* site_overrides.h - what an installation knows of its own: edits of the catalogue, graphs
 * that captures taught, reference sets. All of it facts: no rebuild makes them.
 *
 * Documents are kept as they came; what they mean is the catalogue's to say. */
#pragma once
#include "catalog.h"
#include "db.h"

enum own_kind { OWN_OPERATORS, OWN_RULES, OWN_PLATFORMS, OWN_KINDS };

/* All kinds in force, in the arena; version 0 and NULLs where there are none. */
bool own_read(struct db *db, struct arena *a, struct catalog_own *out,
	struct err *e);
/* The version alone, cheap: to be asked before each upload is worked on. */
bool own_version(struct db *db, int64_t *version, struct err *e);
/* Replaces one kind's document. `expected` is the version that it was made
 * from; ERR_CONFLICT where another edit came between. *version: the new one. */
bool own_write(struct db *db, enum own_kind kind, const char *json,
	int64_t expected, int64_t *version, struct err *e);

/* Graphs by key, of those that were learnt: of each key the 257 contents that were
 * seen last, each as it was learnt last. Of more than 500,000 nodes in all, the
 * oldest contents of their keys are left out. */
bool own_graphs(struct db *db, struct arena *a, const uint8_t (*keys)[32],
	uint32_t n, struct graph_known **graphs, uint32_t *found,
	struct err *e);

struct reference_row {
	const char *name, *source, *sha256;
	int64_t runs, operators, shapes, bytes, created;
};
bool reference_list(struct db *db, struct arena *a, struct reference_row **rows,
	uint32_t *n, struct err *e);
/* The document of a name; ERR_NOT_FOUND. */
bool reference_load(struct db *db, struct arena *a, const char *name,
	const char **json, size_t *len, const char **sha256, struct err *e);
/* Keeps a document under a name; *made false where the same is there already.
 * ERR_CONFLICT where another is. */
bool reference_keep(struct db *db, const struct reference_row *is,
	const char *json, size_t len, bool *made, struct err *e);
bool reference_drop(struct db *db, const char *name, struct err *e);
