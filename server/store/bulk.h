/* bulk.h - many rows into one table, by COPY in binary form.
 *
 * Values go column by column; the first failure stays, so that only
 * bulk_begin() and bulk_end() are checked. */
#pragma once
#include "db.h"
#include <stddef.h>
#include <stdint.h>

struct bulk {
	struct db *db;
	size_t len;
	bool broken;
	char buf[64 * 1024];
};

/* `sql` is COPY table (columns) FROM STDIN (FORMAT binary). */
bool bulk_begin(struct bulk *b, struct db *db, const char *sql, struct err *e);
void bulk_row(struct bulk *b, int columns);
void bulk_int2(struct bulk *b, int v);
void bulk_int4(struct bulk *b, int32_t v);
void bulk_int8(struct bulk *b, int64_t v);
void bulk_float8(struct bulk *b, double v);
void bulk_text(struct bulk *b, const char *s); /* NULL: NULL */
void bulk_null(struct bulk *b);
/* NULL where v is -1, the models' "unknown". */
void bulk_int4_known(struct bulk *b, int32_t v);
void bulk_int8_known(struct bulk *b, int64_t v);
bool bulk_end(struct bulk *b, struct err *e);
