/* save.h - profiles become rows: the moment a run becomes visible.
 *
 * Names are interned first, in a short transaction of their own: look up, then
 * insert what is missing in sorted order, so that ingests that meet the same
 * new names neither deadlock nor make them twice. Then one transaction, by
 * COPY BINARY: identities (made once per upload and ordinal, and found again
 * by a rebuild), derived rows, and last the upload's state, *where the token
 * is still mine*; else all of it is rolled back with ERR_CONFLICT. Rows of an
 * earlier ingest of the same upload are replaced in the same transaction;
 * deleted runs stay deleted. */
#pragma once
#include "profile.h"
#include "upload.h"

bool save(struct db *db, const struct claim *c, const struct profile *runs,
	uint32_t n, struct err *e);
