/* in_force.h - the catalogue that uploads are read with: the program's, with the
 * installation's own edits, as of now. */
#pragma once
#include "arena.h"
#include "catalog.h"
#include "db.h"

struct in_force {
	struct catalog *catalog; /* NULL: not made yet */
	int64_t version; /* of the own part */
	struct arena arena; /* the own documents */
};

/* Makes it anew where it was edited since. Edits that cannot be used are told
 * in the log, and those before them stay in force. */
bool in_force_renew(struct in_force *f, struct db *db, struct err *e);
void in_force_release(struct in_force *f);
