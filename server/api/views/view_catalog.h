/* view_catalog.h - operators and rules of the catalog, its edits, and rules tried. */
#pragma once
#include "catalog.h"
#include "site_overrides.h"
#include "view.h"

json_t *view_operator(const struct operator_info *o);
json_t *view_rule(const struct rule_info *r, uint32_t place);
/* A list of the catalog with the version of the edits, the catalog in force, and this
 * installation's own entries, which are JSON or NULL. Takes over `items`. */
json_t *view_catalog_list(json_t *items, int64_t version, const char *catalog,
	const char *fault, const char *own);
/* Which rule matched a kernel's name. */
json_t *view_trial(const char *name, const struct rule_trial *t);
/* The operator of a host operator's name; NULL: none. */
json_t *view_op_trial(const char *name, const struct operator_info *o);
