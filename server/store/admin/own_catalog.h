/* own_catalog.h - the catalogue in force: the program's with this installation's
 * edits on top, built from what is stored. */
#pragma once
#include "site_overrides.h"

/* *version is that of the edits it was built with. Edits that the program no
 * longer understands (it was replaced by another) are left out, all of them, and
 * *fault says why, in the arena; NULL otherwise. The caller frees *out. */
bool own_catalog(struct db *db, struct arena *a, struct catalog **out,
	int64_t *version, const char **fault, struct err *e);
