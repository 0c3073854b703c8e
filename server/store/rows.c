/* rows.c - PostgreSQL's binary forms become values. */
#include "rows.h"
#include "query.h"
#include "wire.h"
#include <assert.h>
#include <libpq-fe.h>

bool rows_next(struct rows *r)
{
	r->at++;
	r->col = 0;
	return r->at < r->n;
}

void rows_release(struct rows *r)
{
	PQclear(r->res);
	*r = (struct rows){ 0 };
}

/* The next column's bytes; NULL where NULL. */
static const char *next(struct rows *r, enum wire_type type, size_t *len)
{
	int col = r->col++;
	assert(r->at >= 0 && r->at < r->n && col < PQnfields(r->res));
	assert(PQftype(r->res, col) == (Oid)type);
	if (PQgetisnull(r->res, r->at, col))
		return NULL;
	*len = (size_t)PQgetlength(r->res, r->at, col);
	return PQgetvalue(r->res, r->at, col);
}

bool rows_bool(struct rows *r)
{
	size_t len;
	const char *at = next(r, WIRE_BOOL, &len);
	return at && *at;
}

int32_t rows_int4(struct rows *r, int32_t absent)
{
	size_t len;
	const char *at = next(r, WIRE_INT4, &len);
	return at ? wire_get32(at) : absent;
}

int64_t rows_int8(struct rows *r, int64_t absent)
{
	size_t len;
	const char *at = next(r, WIRE_INT8, &len);
	return at ? wire_get64(at) : absent;
}

double rows_float8(struct rows *r, double absent)
{
	size_t len;
	const char *at = next(r, WIRE_FLOAT8, &len);
	return at ? wire_get_double(at) : absent;
}

int64_t rows_moment(struct rows *r)
{
	size_t len;
	const char *at = next(r, WIRE_MOMENT, &len);
	return at ? wire_get64(at) + WIRE_EPOCH_US : NO_MOMENT;
}

const char *rows_text(struct rows *r, struct arena *a)
{
	size_t len;
	const char *at = next(r, WIRE_TEXT, &len);
	return at ? arena_strndup(a, at, len) : NULL;
}

const void *rows_bytes(struct rows *r, size_t *len)
{
	return next(r, WIRE_BYTES, len);
}

/* Elements of a one-dimensional array, and the first one's place. */
static uint32_t elements(struct rows *r, enum wire_type type, const char **at)
{
	size_t len;
	*at = next(r, type, &len);
	if (!*at || wire_get32(*at) == 0)
		return 0;
	assert(wire_get32(*at) == 1);
	uint32_t n = (uint32_t)wire_get32(*at + 12);
	*at += 20;
	return n;
}

/* The next element, whose length stands before it; never NULL in ours. */
static const char *element(const char **at, size_t *len)
{
	int32_t size = wire_get32(*at);
	assert(size >= 0);
	const char *value = *at + 4;
	*len = (size_t)size;
	*at = value + size;
	return value;
}

const int64_t *rows_int8s(struct rows *r, struct arena *a, uint32_t *n)
{
	const char *at;
	size_t len;
	*n = elements(r, WIRE_INT8_ARRAY, &at);
	int64_t *list = arena_array(a, int64_t, *n);
	for (uint32_t i = 0; i < *n; i++)
		list[i] = wire_get64(element(&at, &len));
	return list;
}

const char *const *rows_texts(struct rows *r, struct arena *a, uint32_t *n)
{
	const char *at;
	*n = elements(r, WIRE_TEXT_ARRAY, &at);
	const char **list = arena_array(a, const char *, *n);
	for (uint32_t i = 0; i < *n; i++) {
		size_t len;
		const char *s = element(&at, &len);
		list[i] = arena_strndup(a, s, len);
	}
	return list;
}
