/* platform_ceilings.h - measured ceilings of platforms, stored as the documents
 * that were uploaded. catalog/ceilings.h defines what they mean. */
#pragma once
#include "db.h"

struct platform_ceilings_row {
	const char *platform, *document;
	int64_t measured, stored; /* microseconds since 1970 */
};

/* Reads the document of a platform, or of all platforms (NULL), by name. */
bool platform_ceilings_list(struct db *db, struct arena *a,
	const char *platform, struct platform_ceilings_row **rows, uint32_t *n,
	struct err *e);
/* Replaces the document of a platform. ERR_CONFLICT if the stored one was
 * measured later. */
bool platform_ceilings_store(struct db *db,
	const struct platform_ceilings_row *row, struct err *e);
bool platform_ceilings_delete(struct db *db, const char *platform,
	struct err *e);
