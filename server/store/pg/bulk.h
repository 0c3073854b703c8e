/* bulk.h - many rows into one table, by COPY in binary form.
 *
 * Values are written column by column. The first failure is kept until
 * bulk_end(), so that callers check only bulk_begin() and bulk_end(). */
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
void bulk_bytes(struct bulk *b, const void *bytes, size_t len);
void bulk_bool(struct bulk *b, bool v);
/* n numbers, int64_t or double, written as a packed column (packed.h). */
void bulk_packed(struct bulk *b, const void *eights, uint32_t n);
void bulk_null(struct bulk *b);
/* Arrays of one dimension, written element by element. */
void bulk_texts(struct bulk *b, const char *const *texts, uint32_t n);
void bulk_int8s(struct bulk *b, const int64_t *v, uint32_t n);
/* An index; NULL if it is UINT32_MAX, the models' "none". */
void bulk_index(struct bulk *b, uint32_t v);
/* NULL if v is -1 or NaN, the models' "unknown". */
void bulk_int4_known(struct bulk *b, int32_t v);
void bulk_int8_known(struct bulk *b, int64_t v);
void bulk_float8_known(struct bulk *b, double v);
bool bulk_end(struct bulk *b, struct err *e);
