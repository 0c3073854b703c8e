/* bulk.c - fills a buffer with rows and hands it to COPY when full. */
#include "bulk.h"
#include "conn.h"
#include "pgwire.h"
#include <assert.h>

static void flush(struct bulk *b)
{
	if (!b->broken && b->len &&
		PQputCopyData(b->db->pg, b->buf, (int)b->len) != 1)
		b->broken = true;
	b->len = 0;
}

/* len bytes to write to, at most a value's head and a number. */
static char *room(struct bulk *b, size_t len)
{
	if (sizeof b->buf - b->len < len)
		flush(b);
	b->len += len;
	return b->buf + b->len - len;
}

static void add(struct bulk *b, const char *bytes, size_t len)
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
			flush(b);
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
		conn_err(db, res, e);
	PQclear(res);
	add(b, head, sizeof head);
	return ok;
}

void bulk_row(struct bulk *b, int columns)
{
	pgwire_put16(room(b, 2), (int16_t)columns);
}

void bulk_int2(struct bulk *b, int v)
{
	char *at = room(b, 6);
	pgwire_put32(at, 2);
	pgwire_put16(at + 4, (int16_t)v);
}

void bulk_int4(struct bulk *b, int32_t v)
{
	char *at = room(b, 8);
	pgwire_put32(at, 4);
	pgwire_put32(at + 4, v);
}

void bulk_int8(struct bulk *b, int64_t v)
{
	char *at = room(b, 12);
	pgwire_put32(at, 8);
	pgwire_put64(at + 4, v);
}

void bulk_float8(struct bulk *b, double v)
{
	char *at = room(b, 12);
	pgwire_put32(at, 8);
	pgwire_put_double(at + 4, v);
}

void bulk_null(struct bulk *b)
{
	pgwire_put32(room(b, 4), -1);
}

void bulk_text(struct bulk *b, const char *s)
{
	if (!s) {
		bulk_null(b);
		return;
	}
	size_t len = strlen(s);
	assert(len < INT32_MAX);
	pgwire_put32(room(b, 4), (int32_t)len);
	add(b, s, len);
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

bool bulk_end(struct bulk *b, struct err *e)
{
	PGconn *pg = b->db->pg;
	pgwire_put16(room(b, 2), -1);
	flush(b);
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
		conn_err(b->db, bad, e);
	PQclear(bad);
	return ok;
}
