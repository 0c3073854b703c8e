/* result.c - converts PostgreSQL's binary forms to values. */
#include "result.h"
#include "db.h"
#include "pgwire.h"
#include <assert.h>
#include <libpq-fe.h>

bool result_next(struct result *r)
{
	r->at++;
	r->col = 0;
	return r->at < r->n;
}

void result_release(struct result *r)
{
	PQclear(r->res);
	*r = (struct result){ 0 };
}

/* The bytes of the next column; NULL if the column is NULL. */
static const char *result_column(struct result *r, enum pgwire_type type,
	size_t *len)
{
	int col = r->col++;
	assert(r->at >= 0 && r->at < r->n && col < PQnfields(r->res));
	assert(PQftype(r->res, col) == (Oid)type);
	if (PQgetisnull(r->res, r->at, col))
		return NULL;
	*len = (size_t)PQgetlength(r->res, r->at, col);
	return PQgetvalue(r->res, r->at, col);
}

bool result_bool(struct result *r)
{
	size_t len;
	const char *at = result_column(r, PGWIRE_BOOL, &len);
	return at && *at;
}

int32_t result_int4(struct result *r, int32_t absent)
{
	size_t len;
	const char *at = result_column(r, PGWIRE_INT4, &len);
	return at ? pgwire_get32(at) : absent;
}

int64_t result_int8(struct result *r, int64_t absent)
{
	size_t len;
	const char *at = result_column(r, PGWIRE_INT8, &len);
	return at ? pgwire_get64(at) : absent;
}

double result_float8(struct result *r, double absent)
{
	size_t len;
	const char *at = result_column(r, PGWIRE_FLOAT8, &len);
	return at ? pgwire_get_double(at) : absent;
}

int128 result_numeric(struct result *r)
{
	size_t len;
	const char *at = result_column(r, PGWIRE_NUMERIC, &len);
	return at ? int128_from_numeric(at, len) : 0;
}

int64_t result_moment(struct result *r)
{
	size_t len;
	const char *at = result_column(r, PGWIRE_MOMENT, &len);
	return at ? pgwire_get64(at) + PGWIRE_EPOCH_US : NO_MOMENT;
}

const char *result_text(struct result *r, struct arena *a)
{
	size_t len;
	const char *at = result_column(r, PGWIRE_TEXT, &len);
	return at ? arena_strndup(a, at, len) : NULL;
}

const void *result_bytes(struct result *r, size_t *len)
{
	return result_column(r, PGWIRE_BYTES, len);
}

/* The number of elements of a one-dimensional array; *at: the first one. */
static uint32_t result_elements(struct result *r, enum pgwire_type type,
	const char **at)
{
	size_t len;
	*at = result_column(r, type, &len);
	if (!*at || pgwire_get32(*at) == 0)
		return 0;
	assert(pgwire_get32(*at) == 1);
	uint32_t n = (uint32_t)pgwire_get32(*at + 12);
	*at += 20;
	return n;
}

/* The next element, which follows its length. Our arrays contain no NULL. */
static const char *result_element(const char **at, size_t *len)
{
	int32_t size = pgwire_get32(*at);
	assert(size >= 0);
	const char *value = *at + 4;
	*len = (size_t)size;
	*at = value + size;
	return value;
}

const int64_t *result_int8s(struct result *r, struct arena *a, uint32_t *n)
{
	const char *at;
	size_t len;
	*n = result_elements(r, PGWIRE_INT8_ARRAY, &at);
	int64_t *list = arena_array(a, int64_t, *n);
	for (uint32_t i = 0; list && i < *n; i++)
		list[i] = pgwire_get64(result_element(&at, &len));
	return list;
}

const char *const *result_texts(struct result *r, struct arena *a, uint32_t *n)
{
	const char *at;
	*n = result_elements(r, PGWIRE_TEXT_ARRAY, &at);
	const char **list = arena_array(a, const char *, *n);
	for (uint32_t i = 0; list && i < *n; i++) {
		size_t len;
		const char *s = result_element(&at, &len);
		list[i] = arena_strndup(a, s, len);
	}
	return list;
}
