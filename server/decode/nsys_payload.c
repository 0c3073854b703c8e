/* nsys_payload.c - finds the value that is there; lays out registered bytes.
 *
 * Such bytes begin with 32 of a head: domain, schema and the size of what
 * follows, each with padding. NVTX_PAYLOAD_SCHEMA_ENTRIES tells each field's
 * type and offset. */
#include "nsys_payload.h"
#include "json_put.h"
#include <math.h>
#include <stdlib.h>

struct nsys_field {
	int64_t domain, schema, place, flags, type, offset, detail;
	uint32_t name;
};

enum { HEAD = 32, AT_DOMAIN = 0, AT_SCHEMA = 8, AT_SIZE = 16 };
enum { PAYLOAD_MOST = 16 << 10 };
/* Flags of a field (nvToolsExtPayload.h): not a value lying in its place. */
enum { ELSEWHERE = 0x0E, ARRAY = 0x30 };

enum { DOMAIN, SCHEMA, PLACE, FLAGS, TYPE, NAME, DETAIL, OFFSET, COLUMNS };
static const struct sqlite_column columns[COLUMNS] = {
	[DOMAIN] = { "domainId", true },
	[SCHEMA] = { "schemaId", true },
	[PLACE] = { "idx", true },
	[FLAGS] = { "flags", false },
	[TYPE] = { "type", true },
	[NAME] = { "name", false },
	[DETAIL] = { "arrayOrUnionDetail", false },
	[OFFSET] = { "offset", false },
};

static bool add_field(struct nsys_payload *p, struct sqlite_rows *r)
{
	struct trace *t = p->nsys->trace;
	if (p->fields_n == p->fields_cap) {
		uint32_t cap = p->fields_cap ? p->fields_cap * 2 : 64;
		struct nsys_field *f =
			arena_grow(t->arena, p->fields, cap * sizeof *f);
		if (!f)
			return false;
		p->fields = f;
		p->fields_cap = cap;
	}
	struct nsys_field *f = &p->fields[p->fields_n++];
	*f = (struct nsys_field){ sqlite_int_or(r, DOMAIN, 0),
		sqlite_int_or(r, SCHEMA, 0), sqlite_int_or(r, PLACE, 0),
		sqlite_int_or(r, FLAGS, 0), sqlite_int_or(r, TYPE, 0),
		sqlite_int_or(r, OFFSET, 0), sqlite_int_or(r, DETAIL, 0),
		sqlite_text(r, NAME, &p->nsys->text) };
	return f->name != NAMES_NONE;
}

static int compare(const struct nsys_field *a, const struct nsys_field *b,
	bool place)
{
	if (a->domain != b->domain)
		return a->domain < b->domain ? -1 : 1;
	if (a->schema != b->schema)
		return a->schema < b->schema ? -1 : 1;
	if (!place || a->place == b->place)
		return 0;
	return a->place < b->place ? -1 : 1;
}

static int by_place(const void *a, const void *b)
{
	return compare(a, b, true);
}

bool nsys_payload_init(struct nsys_payload *p, struct nsys *n, struct err *e)
{
	struct sqlite_rows r;
	bool full = false;
	*p = (struct nsys_payload){ .nsys = n };
	buf_init(&p->buf, PAYLOAD_MOST);
	bool ok = sqlite_rows_open(&r, n->file, "NVTX_PAYLOAD_SCHEMA_ENTRIES",
		columns, COLUMNS, e);
	while (ok && !full && sqlite_rows_next(&r))
		full = !add_field(p, &r);
	ok = sqlite_rows_close(&r, e) && ok;
	if (p->fields_n)
		qsort(p->fields, p->fields_n, sizeof *p->fields, by_place);
	return ok && (!full || arena_err(n->trace->arena, e));
}

void nsys_payload_release(struct nsys_payload *p)
{
	buf_release(&p->buf);
	arena_drop(p->nsys->trace->arena, p->fields);
	p->fields = NULL;
}

static uint64_t little(const char *p, int bytes)
{
	uint64_t v = 0;
	for (int i = 0; i < bytes; i++)
		v |= (uint64_t)(unsigned char)p[i] << 8 * i;
	return v;
}

/* Types of fields, by their numbers: s signed, u unsigned, f real, and how many
 * bytes they take where the profiled programs run (LP64). */
static const struct {
	uint8_t type;
	char sort;
	uint8_t bytes;
} types[] = { { 1, 's', 1 }, { 2, 'u', 1 }, { 3, 's', 2 }, { 4, 'u', 2 },
	{ 5, 's', 4 }, { 6, 'u', 4 }, { 7, 's', 8 }, { 8, 'u', 8 },
	{ 9, 's', 8 }, { 10, 'u', 8 }, { 11, 's', 1 }, { 12, 'u', 1 },
	{ 13, 's', 2 }, { 14, 'u', 2 }, { 15, 's', 4 }, { 16, 'u', 4 },
	{ 17, 's', 8 }, { 18, 'u', 8 }, { 19, 'f', 4 }, { 20, 'f', 8 },
	{ 22, 'u', 8 }, { 23, 'u', 8 }, { 32, 'u', 1 }, { 43, 'f', 4 },
	{ 44, 'f', 8 }, { 90, 'u', 4 }, { 91, 's', 4 }, { 92, 'u', 4 },
	{ 128, 'u', 8 } };
enum { TEXT_LOCALE = 75, TEXT_UTF8 = 76 };

static void put_number(struct buf *b, const char *at, char sort, int bytes)
{
	uint64_t v = little(at, bytes);
	if (sort == 'u') {
		json_put_uint(b, v);
	} else if (sort == 's') {
		int unused = 64 - 8 * bytes;
		json_put_int(b, (int64_t)(v << unused) >> unused);
	} else if (bytes == 4) {
		uint32_t bits = (uint32_t)v;
		float real;
		memcpy(&real, &bits, sizeof real);
		json_put_real(b, (double)real);
	} else {
		double real;
		memcpy(&real, &v, sizeof real);
		json_put_real(b, real);
	}
}

/* The value of a field in its bytes; null where it is none of the plain types
 * or does not lie there. */
static void put_value(struct buf *b, const struct nsys_field *f,
	const char *bytes, uint64_t len)
{
	uint64_t at = (uint64_t)f->offset, n = (uint64_t)f->detail;
	bool text = f->type == TEXT_LOCALE || f->type == TEXT_UTF8;
	if (f->offset < 0 || at > len || f->flags & ELSEWHERE) {
		json_put_null(b);
		return;
	}
	if (text && f->detail > 0 && n <= len - at) {
		json_put_text(b, bytes + at, strnlen(bytes + at, n));
		return;
	}
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i].type == f->type && types[i].bytes <= len - at &&
			!(f->flags & ARRAY)) {
			put_number(b, bytes + at, types[i].sort,
				types[i].bytes);
			return;
		}
	json_put_null(b);
}

/* The first field of the schema that the bytes name; NULL where it is
 * unknown. */
static const struct nsys_field *schema_of(const struct nsys_payload *p,
	const char *bytes)
{
	struct nsys_field want = { .domain = (int64_t)little(bytes + AT_DOMAIN,
					   4),
		.schema = (int64_t)little(bytes + AT_SCHEMA, 4) };
	uint32_t from = 0, to = p->fields_n;
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;
		if (compare(&p->fields[mid], &want, false) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	bool is = from < p->fields_n &&
		  compare(&p->fields[from], &want, false) == 0;
	return is ? &p->fields[from] : NULL;
}

static bool put_fields(struct nsys_payload *p, const char *bytes, size_t len)
{
	struct buf *b = &p->buf;
	if (len < HEAD)
		return false;
	uint64_t size = little(bytes + AT_SIZE, 8);
	const struct nsys_field *f = schema_of(p, bytes);
	if (!f || size > len - HEAD)
		return false;
	const struct nsys_field *first = f, *end = p->fields + p->fields_n;
	json_put_open(b);
	for (; f < end && !b->full && compare(f, first, false) == 0; f++) {
		const struct name *name = &p->nsys->trace->names.list[f->name];
		if (f > first && f->place == f[-1].place)
			continue; /* each process registers it again */
		json_put_key(b, name->text, name->len);
		put_value(b, f, bytes + HEAD, size);
	}
	json_put_close(b);
	return !b->full;
}

static bool put_scalar(struct nsys_payload *p, struct sqlite_rows *r, int first)
{
	int64_t v;
	for (int c = NSYS_PAYLOAD_UINT64; c <= NSYS_PAYLOAD_FLOAT; c++) {
		bool real = c == NSYS_PAYLOAD_DOUBLE || c == NSYS_PAYLOAD_FLOAT;
		double d = real ? sqlite_real_or(r, first + c, NAN) : NAN;
		if (real && !isnan(d))
			json_put_real(&p->buf, d);
		else if (real || !sqlite_int(r, first + c, &v))
			continue;
		else if (c == NSYS_PAYLOAD_UINT64)
			json_put_uint(&p->buf, (uint64_t)v);
		else
			json_put_int(&p->buf, v);
		return true;
	}
	return false;
}

bool nsys_payload_of(struct nsys_payload *p, struct sqlite_rows *r, int first,
	uint32_t *id, struct err *e)
{
	const char *at;
	size_t len;
	struct names *names = &p->nsys->trace->names;
	*id = sqlite_text(r, first + NSYS_PAYLOAD_JSON, &p->nsys->text);
	if (*id == 0 &&
		!nsys_name(p->nsys, r, first + NSYS_PAYLOAD_JSON_ID, id, e))
		return false;
	if (*id == 0) {
		p->buf.len = 0;
		p->buf.full = false;
		bool there = put_scalar(p, r, first);
		if (!there && sqlite_bytes(r, first + NSYS_PAYLOAD_BINARY, &at,
				      &len)) {
			there = put_fields(p, at, len);
			if (!there)
				note_add(&p->nsys->trace->notes,
					NOTE_nvtx_payload, 1, NULL, 0);
		}
		if (there)
			*id = names_put(names, p->buf.at, p->buf.len);
	}
	return *id != NAMES_NONE || arena_err(p->nsys->trace->arena, e);
}
