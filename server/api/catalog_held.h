/* catalog_held.h - the catalogue in force, which an edit replaces while other
 * calls still read the former one.
 *
 * An edit may come through any server process, so a call that needs the
 * catalogue asks the database for the version of the edits, which is cheap, and
 * builds it anew where that is another. Whoever holds one may read it until the
 * call is closed; the last reader of a replaced one frees it. The lock protects
 * which is in force and how many read each; nothing is taken under it. */
#pragma once
#include "catalog.h"
#include "handler.h"

struct catalog_held;

/* Holds the program's own. */
struct catalog_held *catalog_held_new(struct err *e);
void catalog_held_free(struct catalog_held *h);

/* The catalogue in force, the call's until it is closed; borrows its database
 * connection. The same one however often a call asks. */
const struct catalog *call_catalog(struct call *c, struct err *e);
void call_catalog_return(struct call *c);
/* After call_catalog(): the version of the edits, and why they are not in force,
 * NULL where they are. */
int64_t call_catalog_version(const struct call *c);
const char *call_catalog_fault(const struct call *c);
