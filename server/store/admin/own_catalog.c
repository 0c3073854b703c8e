/* own_catalog.c - edits were checked when they were made, by the program that
 * took them. */
#include "own_catalog.h"

bool own_catalog(struct db *db, struct arena *a, struct catalog **out,
	int64_t *version, const char **fault, struct err *e)
{
	struct catalog_own own;
	struct err why = { 0 };
	*fault = NULL;
	if (!own_read(db, a, &own, e))
		return false;
	*version = own.version;
	*out = catalog_new(&own, &why);
	if (*out)
		return true;
	*fault = arena_strdup(a, why.text);
	*out = catalog_new(NULL, e);
	return *out;
}
