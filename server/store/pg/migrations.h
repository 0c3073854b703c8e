/* migrations.h - the numbered files, compared with what the database says it
 * has, and applied. The caller holds the lock. */
#pragma once
#include "db.h"
#include "sha256.h"

struct embedded;
bool migrations_apply(struct db *db, const struct embedded *files, int *applied,
	struct err *e);

/* How many there are among the files; `hex`: the sha256 over the hashes of the
 * first `n` of them. */
int migrations_digest(const struct embedded *files, int64_t n,
	char hex[SHA256_HEX]);
