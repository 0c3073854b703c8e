/* bulk.c - fills a buffer with rows and sends it to COPY when full. */
#include "bulk.h"
#include "db_conn.h"
#include "packed.h"
#include "pgwire.h"
#include <assert.h>
#include <math.h>

static void bulk_flush(struct bulk *b)
{
	if (!b->broken && b->len &&
		PQputCopyData(b->db->pg, b->buf, (int)b->len) != 1)
		b->broken = true;
	b->len = 0;
}

/* Makes room for len bytes, at most a header and a number. */
static char *bulk_room(struct bulk *b, size_t len)
{
	if (sizeof b->buf - b->len < len)
		bulk_flush(b);
	b->len += len;
	return b->buf + b->len - len;
}

static void bulk_add(struct bulk *b, const char *bytes, size_t len)
{
	while (len) {
		size_t n = sizeof b->buf - b->len;
		if (n > len)
			n = len;
		memcpy(b->buf + b->len, bytes, n);
		b->len += n;
		bytes += n;
		len -= n;
		if (b->len == sizeof b->buf)
			bulk_flush(b);
	}
}

bool bulk_begin(struct bulk *b, struct db *db, const char *sql, struct err *e)
{
	static const char head[19] = "PGCOPY\n\377\r\n";
	b->db = db;
	b->len = 0;
	b->broken = false;
	PGresult *res = PQexec(db->pg, sql);
	bool ok = PQresultStatus(res) == PGRES_COPY_IN;
	if (!ok)
		db_fail(db, res, e);
	PQclear(res);
	bulk_add(b, head, sizeof head);
	return ok;
}

void bulk_row(struct bulk *b, int columns)
{
	pgwire_put16(bulk_room(b, 2), (int16_t)columns);
}

void bulk_int2(struct bulk *b, int v)
{
	char *at = bulk_room(b, 6);
	pgwire_put32(at, 2);
	pgwire_put16(at + 4, (int16_t)v);
}

void bulk_int4(struct bulk *b, int32_t v)
{
	char *at = bulk_room(b, 8);
	pgwire_put32(at, 4);
	pgwire_put32(at + 4, v);
}

void bulk_int8(struct bulk *b, int64_t v)
{
	char *at = bulk_room(b, 12);
	pgwire_put32(at, 8);
	pgwire_put64(at + 4, v);
}

void bulk_float8(struct bulk *b, double v)
{
	char *at = bulk_room(b, 12);
	pgwire_put32(at, 8);
	pgwire_put_double(at + 4, v);
}

void bulk_bool(struct bulk *b, bool v)
{
	char *at = bulk_room(b, 5);
	pgwire_put32(at, 1);
	at[4] = (char)v;
}

static void bulk_put_number(char *to, int64_t v, int width)
{
	if (width == 1)
		*to = (char)v;
	else if (width == 2)
		pgwire_put16(to, (int16_t)v);
	else if (width == 4)
		pgwire_put32(to, (int32_t)v);
	else
		pgwire_put64(to, v);
}

void bulk_packed(struct bulk *b, const void *eights, uint32_t n)
{
	int width = packed_width(eights, n);
	size_t len = packed_bytes(width, n);
	assert(len < INT32_MAX);
	char *at = bulk_room(b, 5);
	pgwire_put32(at, (int32_t)len);
	at[4] = (char)width;
	int64_t v = 0;
	if (!width) {
		if (n)
			memcpy(&v, eights, sizeof v);
		pgwire_put64(bulk_room(b, 8), v);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		memcpy(&v, (const char *)eights + (size_t)i * 8, sizeof v);
		bulk_put_number(bulk_room(b, (size_t)width), v, width);
	}
}

void bulk_null(struct bulk *b)
{
	pgwire_put32(bulk_room(b, 4), -1);
}

void bulk_text(struct bulk *b, const char *s)
{
	if (!s) {
		bulk_null(b);
		return;
	}
	size_t len = strlen(s);
	assert(len < INT32_MAX);
	pgwire_put32(bulk_room(b, 4), (int32_t)len);
	bulk_add(b, s, len);
}

enum { ARRAY_HEAD = 12, ARRAY_DIMENSION = 8 };

/* Writes the header of an array whose elements take `bytes` in total. */
static void bulk_array_head(struct bulk *b, enum pgwire_type type, uint32_t n,
	size_t bytes)
{
	assert(bytes < INT32_MAX - ARRAY_HEAD - ARRAY_DIMENSION);
	char *at = bulk_room(b, 4 + ARRAY_HEAD);
	pgwire_put32(at,
		ARRAY_HEAD + (n ? ARRAY_DIMENSION + (int32_t)bytes : 0));
	pgwire_put32(at + 4, n > 0); /* number of dimensions */
	pgwire_put32(at + 8, 0); /* there are no NULLs */
	pgwire_put32(at + 12, (int32_t)type);
	if (!n)
		return;
	at = bulk_room(b, ARRAY_DIMENSION);
	pgwire_put32(at, (int32_t)n);
	pgwire_put32(at + 4, 1); /* the first element's index */
}

void bulk_texts(struct bulk *b, const char *const *texts, uint32_t n)
{
	size_t bytes = 0;
	for (uint32_t i = 0; i < n; i++)
		bytes += 4 + strlen(texts[i]);
	bulk_array_head(b, PGWIRE_TEXT, n, bytes);
	for (uint32_t i = 0; i < n; i++)
		bulk_text(b, texts[i]);
}

void bulk_int8s(struct bulk *b, const int64_t *v, uint32_t n)
{
	bulk_array_head(b, PGWIRE_INT8, n, (size_t)n * 12);
	for (uint32_t i = 0; i < n; i++)
		bulk_int8(b, v[i]);
}

void bulk_bytes(struct bulk *b, const void *bytes, size_t len)
{
	assert(len < INT32_MAX);
	pgwire_put32(bulk_room(b, 4), (int32_t)len);
	bulk_add(b, bytes, len);
}

void bulk_index(struct bulk *b, uint32_t v)
{
	if (v == UINT32_MAX)
		bulk_null(b);
	else
		bulk_int4(b, (int32_t)v);
}

void bulk_int4_known(struct bulk *b, int32_t v)
{
	if (v == -1)
		bulk_null(b);
	else
		bulk_int4(b, v);
}

void bulk_int8_known(struct bulk *b, int64_t v)
{
	if (v == -1)
		bulk_null(b);
	else
		bulk_int8(b, v);
}

void bulk_float8_known(struct bulk *b, double v)
{
	if (isnan(v))
		bulk_null(b);
	else
		bulk_float8(b, v);
}

bool bulk_end(struct bulk *b, struct err *e)
{
	PGconn *pg = b->db->pg;
	pgwire_put16(bulk_room(b, 2), -1);
	bulk_flush(b);
	PQputCopyEnd(pg, b->broken ? "broken off" : NULL);

	PGresult *bad = NULL, *res;
	while ((res = PQgetResult(pg))) {
		bool ok = PQresultStatus(res) == PGRES_COMMAND_OK;
		if (ok || bad)
			PQclear(res);
		else
			bad = res;
	}
	bool ok = !bad && !b->broken;
	if (!ok)
		db_fail(b->db, bad, e);
	PQclear(bad);
	return ok;
}
