/* rollup_table.h - rows of one rollup, with what is to be added to them. */
#pragma once
#include "db.h"
#include "int128.h"

/* A run's delta, as it was read. */
struct rollup_from {
	int64_t run;
	int32_t day;
	const uint8_t *cell; /* 32 bytes */
	const char *project, *workload, *platform, *framework;
	struct wide_bytes sums, shapes;
};

/* What of it goes into one row of one grain. */
struct rollup_entry {
	int64_t key;
	int32_t grain, first;
	const struct rollup_from *from;
	struct wide_bytes bytes; /* of a ledger */
};

struct rollup_entries {
	struct arena *arena;
	struct rollup_entry *rows;
	uint32_t n;
	size_t room;
};

/* Into a row of a table without grains and cells. */
void rollup_enter_all(struct rollup_entries *es, int64_t key,
	struct wide_bytes bytes);
/* One for each grain. */
void rollup_enter(struct rollup_entries *es, const struct rollup_from *from,
	int64_t key, struct wide_bytes bytes);

/* Statements over lists: $1 key, $2 grain, $3 first, $4 cell; to keep also $5
 * sums, $6 project, $7 workload, $8 platform, $9 framework. */
struct rollup_table {
	const char *read; /* place from 1, bytes; of those that are there */
	const char *keep, *drop;
};
extern const struct rollup_table rollup_cells, rollup_shapes, rollup_seen;

/* In a transaction of the only folder there is. Sorts the entries. */
bool rollup_table_add(struct db *db, const struct rollup_table *t,
	struct rollup_entries *es, struct err *e);
