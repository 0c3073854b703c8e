/* sql_params.c - values become parameters in PostgreSQL's binary forms. */
#include "sql.h"
#include "query.h"
#include "pgwire.h"
#include <assert.h>
#include <limits.h>

static void add(struct sql_params *p, enum pgwire_type type, const void *at,
	size_t len, int format)
{
	assert(p->n < SQL_PARAMS && len <= INT_MAX);
	p->types[p->n] = type;
	p->values[p->n] = at;
	p->lengths[p->n] = (int)len;
	p->formats[p->n] = format;
	p->n++;
}

void sql_bool(struct sql_params *p, bool v)
{
	char *room = p->room[p->n];
	*room = (char)v;
	add(p, PGWIRE_BOOL, room, 1, 1);
}

void sql_int4(struct sql_params *p, int32_t v)
{
	char *room = p->room[p->n];
	pgwire_put32(room, v);
	add(p, PGWIRE_INT4, room, 4, 1);
}

void sql_int8(struct sql_params *p, int64_t v)
{
	char *room = p->room[p->n];
	pgwire_put64(room, v);
	add(p, PGWIRE_INT8, room, 8, 1);
}

void sql_float8(struct sql_params *p, double v)
{
	char *room = p->room[p->n];
	pgwire_put_double(room, v);
	add(p, PGWIRE_FLOAT8, isnan(v) ? NULL : room, 8, 1);
}

void sql_text(struct sql_params *p, const char *s)
{
	add(p, PGWIRE_TEXT, s, s ? strlen(s) : 0, 1);
}

void sql_json(struct sql_params *p, const char *s)
{
	add(p, PGWIRE_JSON, s, s ? strlen(s) : 0, 0);
}

void sql_bytes(struct sql_params *p, const void *bytes, size_t len)
{
	add(p, PGWIRE_BYTES, bytes, len, 1);
}

void sql_moment(struct sql_params *p, int64_t us)
{
	char *room = p->room[p->n];
	pgwire_put64(room, us == NO_MOMENT ? 0 : us - PGWIRE_EPOCH_US);
	add(p, PGWIRE_MOMENT, us == NO_MOMENT ? NULL : room, 8, 1);
}

void sql_int4_known(struct sql_params *p, int32_t v)
{
	sql_int4(p, v);
	if (v == -1)
		p->values[p->n - 1] = NULL;
}

void sql_int8_known(struct sql_params *p, int64_t v)
{
	sql_int8(p, v);
	if (v == -1)
		p->values[p->n - 1] = NULL;
}

/* Dimensions, whether there are NULLs, element type, length, lower bound. */
enum { ARRAY_HEAD = 20, ARRAY_BYTES_MAX = 1 << 30 };

void sql_array_init(struct sql_array *a, enum sql_element type)
{
	static const char head[ARRAY_HEAD];
	*a = (struct sql_array){ .type = type };
	buf_init(&a->body, ARRAY_BYTES_MAX);
	buf_add(&a->body, head, ARRAY_HEAD);
}

void sql_array_add(struct sql_array *a, const void *bytes, int64_t len)
{
	char size[4];
	assert(len >= SQL_NULL && len < ARRAY_BYTES_MAX);
	pgwire_put32(size, (int32_t)len);
	buf_add(&a->body, size, sizeof size);
	if (len > 0)
		buf_add(&a->body, bytes, (size_t)len);
	a->n++;
}

void sql_array_text(struct sql_array *a, const char *s)
{
	sql_array_add(a, s, s ? (int64_t)strlen(s) : SQL_NULL);
}

void sql_array_int8(struct sql_array *a, int64_t v)
{
	char bytes[8];
	pgwire_put64(bytes, v);
	sql_array_add(a, bytes, sizeof bytes);
}

void sql_array(struct sql_params *p, struct sql_array *a)
{
	static const struct {
		enum pgwire_type element, array;
	} types[] = {
		[SQL_BYTES] = { PGWIRE_BYTES, PGWIRE_BYTES_ARRAY },
		[SQL_TEXT] = { PGWIRE_TEXT, PGWIRE_TEXT_ARRAY },
		[SQL_INT8] = { PGWIRE_INT8, PGWIRE_INT8_ARRAY },
	};
	char *head = a->body.at;
	/* Who fills an array bounds it; a quarter of the ceiling is usual. */
	assert(!a->body.full);
	pgwire_put32(head, a->n ? 1 : 0);
	pgwire_put32(head + 4, 1);
	pgwire_put32(head + 8, (int32_t)types[a->type].element);
	pgwire_put32(head + 12, (int32_t)a->n);
	pgwire_put32(head + 16, 1);
	add(p, types[a->type].array, head, a->n ? a->body.len : 12, 1);
}

void sql_array_release(struct sql_array *a)
{
	buf_release(&a->body);
}
