/* view_catalog.h - operators and rules of the catalog, its edits, and rules tried. */
#pragma once
#include "catalog.h"
#include "site_overrides.h"
#include "view.h"

/* The catalog in force as a list of one kind, with the version of the edits and this
 * installation's own entries, which are JSON or NULL. */
json_t *view_catalog_list(const struct catalog *k,
	enum site_overrides_kind kind, int64_t version, const char *fault,
	const char *own);
/* Which rule matched a kernel's name, or the operator of a host operator's. */
json_t *view_trial(const char *name, const struct rule_trial *t);
