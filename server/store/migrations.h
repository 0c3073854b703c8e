/* migrations.h - the numbered files, compared with what the database says it
 * has, and applied. The caller holds the lock. */
#pragma once
#include "db.h"

struct embedded;
bool migrations_apply(struct db *db, const struct embedded *files, int *applied,
	struct err *e);
