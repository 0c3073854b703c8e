/* view_catalog.h - the catalogue, its edits and reference sets as JSON;
 * view.h has the rules. */
#pragma once
#include "catalog.h"
#include "own.h"
#include "view_compare.h"

json_t *view_operator(const struct operator_info *o);
json_t *view_rule(const struct rule_info *r, uint32_t place);
/* The list with what stands beside every one of the catalogue's: the version of
 * the edits, the catalogue in force, and this installation's own part, which is
 * JSON or NULL. Takes over `items`. */
json_t *view_catalog_list(json_t *items, int64_t version, const char *catalog,
	const char *fault, const char *own);
/* What the rules made of a kernel's name. */
json_t *view_trial(const char *name, const struct rule_trial *t);
/* What the catalogue makes of a host operator's; NULL: nothing. */
json_t *view_op_trial(const char *name, const struct operator_info *o);
json_t *view_set(const struct reference_row *r);
