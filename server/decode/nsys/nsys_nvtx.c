/* nsys_nvtx.c - decodes the NVTX ranges, marks and payloads of Nsight Systems exports */
#include "buf.h"
#include "nsys.h"
#include "utf8.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct nsys_payload {
	struct nsys *nsys;
	struct nsys_field *fields; /* fields of all schemas, sorted */
	uint32_t fields_n, fields_cap;
	struct buf buf;
};

/* The columns it reads from NVTX_EVENTS, in this order, from `first` on. */
/* clang-format off */
#define NSYS_PAYLOAD_COLUMNS(COLUMN)   \
	COLUMN(UINT64,  "uint64Value") \
	COLUMN(INT64,   "int64Value")  \
	COLUMN(DOUBLE,  "doubleValue") \
	COLUMN(UINT32,  "uint32Value") \
	COLUMN(INT32,   "int32Value")  \
	COLUMN(FLOAT,   "floatValue")  \
	COLUMN(JSON_ID, "jsonTextId")  \
	COLUMN(JSON,    "jsonText")    \
	COLUMN(BINARY,  "binaryData")
/* clang-format on */
enum nsys_payload_column {
#define COLUMN(code, name) NSYS_PAYLOAD_##code,
	NSYS_PAYLOAD_COLUMNS(COLUMN)
#undef COLUMN
		NSYS_PAYLOAD_COLUMNS_N
};

/* One end of a range. The export did not pair it with the other end. */
struct nsys_half {
	int64_t owner; /* thread of a push or pop, else process */
	int64_t domain, range, at_ns;
	/* index in the table; decides the order of equal times */
	uint32_t place;
	uint32_t name, payload, thread;
	uint16_t process;
	bool loose, end; /* start/end, not push/pop; the later end */
};

struct nsys_nvtx {
	struct nsys *nsys;
	struct nsys_payload payload;
	struct names domains; /* 16 bytes each: process, domain */
	uint32_t *domain_names; /* by their id */
	uint32_t domain_cap;
	struct nsys_half *halves;
	uint32_t halves_n, halves_cap;
};

static void nsys_nvtx_json_null(struct buf *b);
static bool nsys_nvtx_half_add(struct nsys_nvtx *x, const struct nsys_half *h);
static bool nsys_nvtx_halves(struct nsys_nvtx *x, struct err *e);
static bool nsys_nvtx_range(struct nsys_nvtx *x, struct range_row *row,
	struct err *e);

/* JSON: punctuation and escapes. */

static void nsys_nvtx_json_open(struct buf *b)
{
	buf_puts(b, "{");
}

static void nsys_nvtx_json_close(struct buf *b)
{
	buf_puts(b, "}");
}

static void nsys_nvtx_json_escape(struct buf *b, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	if (c == '"' || c == '\\') {
		buf_add(b, "\\", 1);
		buf_add(b, &c, 1);
	} else {
		buf_puts(b, "\\u00");
		buf_add(b, hex + (c >> 4), 1);
		buf_add(b, hex + (c & 15), 1);
	}
}

/* Bytes that are not valid text become U+FFFD, one piece at a time. */
static void nsys_nvtx_json_mended(struct buf *b, const char *s, size_t len)
{
	enum { PIECE = 64 };
	char text[3 * PIECE];
	while (len) {
		size_t n = utf8_clip(s, len, PIECE);
		n = n ? n : PIECE;
		buf_add(b, text, utf8_sanitize(text, s, n));
		s += n;
		len -= n;
	}
}

static void nsys_nvtx_json_text(struct buf *b, const char *s, size_t len)
{
	const char *end = s + len;
	buf_add(b, "\"", 1);
	while (s < end) {
		const char *from = s;
		while (s < end && (unsigned char)*s >= 0x20 && *s != '"' &&
			*s != '\\')
			s++;
		nsys_nvtx_json_mended(b, from, (size_t)(s - from));
		if (s < end)
			nsys_nvtx_json_escape(b, (unsigned char)*s++);
	}
	buf_add(b, "\"", 1);
}

/* Writes a field's name. One of the functions below writes its value. */
static void nsys_nvtx_json_key(struct buf *b, const char *s, size_t len)
{
	if (b->len > 1)
		buf_add(b, ",", 1);
	nsys_nvtx_json_text(b, s, len);
	buf_add(b, ":", 1);
}

static void nsys_nvtx_json_int(struct buf *b, int64_t v)
{
	buf_printf(b, "%lld", (long long)v);
}

static void nsys_nvtx_json_uint(struct buf *b, uint64_t v)
{
	buf_printf(b, "%llu", (unsigned long long)v);
}

/* Writes a number; null if it is not finite. */
static void nsys_nvtx_json_real(struct buf *b, double v)
{
	if (isfinite(v))
		buf_printf(b, "%.17g", v);
	else
		nsys_nvtx_json_null(b);
}

static void nsys_nvtx_json_null(struct buf *b)
{
	buf_puts(b, "null");
}

/* Finds the value of a payload, and decodes registered bytes.
 *
 * Registered bytes begin with a header of 32 bytes: domain, schema and the size
 * of the data after the header, each with padding. NVTX_PAYLOAD_SCHEMA_ENTRIES
 * has the type and the offset of each field. */

struct nsys_field {
	int64_t domain, schema, place, flags, type, offset, detail;
	uint32_t name;
};

enum { HEAD = 32, AT_DOMAIN = 0, AT_SCHEMA = 8, AT_SIZE = 16 };
enum { PAYLOAD_MOST = 16 << 10 };
/* Flags of a field (nvToolsExtPayload.h) whose value is stored elsewhere. */
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

static bool nsys_nvtx_payload_add_field(struct nsys_payload *p,
	struct sqlite_rows *r)
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

static int nsys_nvtx_payload_compare(const struct nsys_field *a,
	const struct nsys_field *b, bool place)
{
	if (a->domain != b->domain)
		return a->domain < b->domain ? -1 : 1;
	if (a->schema != b->schema)
		return a->schema < b->schema ? -1 : 1;
	if (!place || a->place == b->place)
		return 0;
	return a->place < b->place ? -1 : 1;
}

static int nsys_nvtx_payload_by_place(const void *a, const void *b)
{
	return nsys_nvtx_payload_compare(a, b, true);
}

/* Call nsys_nvtx_payload_release() in any case. */
static bool nsys_nvtx_payload_init(struct nsys_payload *p, struct nsys *n,
	struct err *e)
{
	struct sqlite_rows r;
	bool full = false;
	*p = (struct nsys_payload){ .nsys = n };
	buf_init(&p->buf, PAYLOAD_MOST);
	bool ok = sqlite_rows_open(&r, n->file, "NVTX_PAYLOAD_SCHEMA_ENTRIES",
		columns, COLUMNS, e);
	while (ok && !full && sqlite_rows_next(&r))
		full = !nsys_nvtx_payload_add_field(p, &r);
	ok = sqlite_rows_close(&r, e) && ok;
	if (p->fields_n)
		qsort(p->fields, p->fields_n, sizeof *p->fields,
			nsys_nvtx_payload_by_place);
	return ok && (!full || arena_err(n->trace->arena, e));
}

static void nsys_nvtx_payload_release(struct nsys_payload *p)
{
	buf_release(&p->buf);
	arena_drop(p->nsys->trace->arena, p->fields);
	p->fields = NULL;
}

static uint64_t nsys_nvtx_payload_little(const char *p, int bytes)
{
	uint64_t v = 0;
	for (int i = 0; i < bytes; i++)
		v |= (uint64_t)(unsigned char)p[i] << 8 * i;
	return v;
}

/* The types of fields by their numbers: s signed, u unsigned, f real, and their
 * size in bytes on the platforms of profiled programs (LP64). */
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

static void nsys_nvtx_payload_put_number(struct buf *b, const char *at,
	char sort, int bytes)
{
	uint64_t v = nsys_nvtx_payload_little(at, bytes);
	if (sort == 'u') {
		nsys_nvtx_json_uint(b, v);
	} else if (sort == 's') {
		int unused = 64 - 8 * bytes;
		nsys_nvtx_json_int(b, (int64_t)(v << unused) >> unused);
	} else if (bytes == 4) {
		uint32_t bits = (uint32_t)v;
		float real;
		memcpy(&real, &bits, sizeof real);
		nsys_nvtx_json_real(b, (double)real);
	} else {
		double real;
		memcpy(&real, &v, sizeof real);
		nsys_nvtx_json_real(b, real);
	}
}

/* Writes the value of a field from its bytes; null if it has none of the plain
 * types or is out of bounds. */
static void nsys_nvtx_payload_put_value(struct buf *b,
	const struct nsys_field *f, const char *bytes, uint64_t len)
{
	uint64_t at = (uint64_t)f->offset, n = (uint64_t)f->detail;
	bool text = f->type == TEXT_LOCALE || f->type == TEXT_UTF8;
	if (f->offset < 0 || at > len || f->flags & ELSEWHERE) {
		nsys_nvtx_json_null(b);
		return;
	}
	if (text && f->detail > 0 && n <= len - at) {
		nsys_nvtx_json_text(b, bytes + at, strnlen(bytes + at, n));
		return;
	}
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i].type == f->type && types[i].bytes <= len - at &&
			!(f->flags & ARRAY)) {
			nsys_nvtx_payload_put_number(b, bytes + at,
				types[i].sort, types[i].bytes);
			return;
		}
	nsys_nvtx_json_null(b);
}

/* The first field of the schema that the bytes refer to; NULL if the schema is
 * unknown. */
static const struct nsys_field *
nsys_nvtx_payload_schema_of(const struct nsys_payload *p, const char *bytes)
{
	struct nsys_field want = {
		.domain =
			(int64_t)nsys_nvtx_payload_little(bytes + AT_DOMAIN, 4),
		.schema =
			(int64_t)nsys_nvtx_payload_little(bytes + AT_SCHEMA, 4)
	};
	uint32_t from = 0, to = p->fields_n;
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;
		if (nsys_nvtx_payload_compare(&p->fields[mid], &want, false) <
			0)
			from = mid + 1;
		else
			to = mid;
	}
	bool is =
		from < p->fields_n &&
		nsys_nvtx_payload_compare(&p->fields[from], &want, false) == 0;
	return is ? &p->fields[from] : NULL;
}

static bool nsys_nvtx_payload_put_fields(struct nsys_payload *p,
	const char *bytes, size_t len)
{
	struct buf *b = &p->buf;
	if (len < HEAD)
		return false;
	uint64_t size = nsys_nvtx_payload_little(bytes + AT_SIZE, 8);
	const struct nsys_field *f = nsys_nvtx_payload_schema_of(p, bytes);
	if (!f || size > len - HEAD)
		return false;
	const struct nsys_field *first = f, *end = p->fields + p->fields_n;
	nsys_nvtx_json_open(b);
	for (; f < end && !b->full &&
		nsys_nvtx_payload_compare(f, first, false) == 0;
		f++) {
		const struct name *name = &p->nsys->trace->names.list[f->name];
		if (f > first && f->place == f[-1].place)
			continue; /* each process registers it again */
		nsys_nvtx_json_key(b, name->text, name->len);
		nsys_nvtx_payload_put_value(b, f, bytes + HEAD, size);
	}
	nsys_nvtx_json_close(b);
	return !b->full;
}

static bool nsys_nvtx_payload_put_scalar(struct nsys_payload *p,
	struct sqlite_rows *r, int first)
{
	int64_t v;
	for (int c = NSYS_PAYLOAD_UINT64; c <= NSYS_PAYLOAD_FLOAT; c++) {
		bool real = c == NSYS_PAYLOAD_DOUBLE || c == NSYS_PAYLOAD_FLOAT;
		double d = real ? sqlite_real_or(r, first + c, NAN) : NAN;
		if (real && !isnan(d))
			nsys_nvtx_json_real(&p->buf, d);
		else if (real || !sqlite_int(r, first + c, &v))
			continue;
		else if (c == NSYS_PAYLOAD_UINT64)
			nsys_nvtx_json_uint(&p->buf, (uint64_t)v);
		else
			nsys_nvtx_json_int(&p->buf, v);
		return true;
	}
	return false;
}

/* The row's payload; 0 if it has none. False only with *e. */
static bool nsys_nvtx_payload_of(struct nsys_payload *p, struct sqlite_rows *r,
	int first, uint32_t *id, struct err *e)
{
	const char *at;
	size_t len;
	struct names *names = &p->nsys->trace->names;
	*id = sqlite_text(r, first + NSYS_PAYLOAD_JSON, &p->nsys->text);
	if (*id == 0 && !nsys_event_name(p->nsys, r,
				first + NSYS_PAYLOAD_JSON_ID, id, e))
		return false;
	if (*id == 0) {
		p->buf.len = 0;
		p->buf.full = false;
		bool there = nsys_nvtx_payload_put_scalar(p, r, first);
		if (!there && sqlite_bytes(r, first + NSYS_PAYLOAD_BINARY, &at,
				      &len)) {
			there = nsys_nvtx_payload_put_fields(p, at, len);
			if (!there)
				note_add(&p->nsys->trace->notes,
					NOTE_nvtx_payload, 1, NULL, 0);
		}
		if (there)
			*id = names_put(names, p->buf.at, p->buf.len);
	}
	return *id != NAMES_NONE || arena_err(p->nsys->trace->arena, e);
}

enum {
	START,
	END,
	NSYS_NVTX_TYPE,
	RANGE,
	TEXT,
	TEXT_ID,
	TID,
	NSYS_NVTX_DOMAIN,
	PAYLOAD,
	NSYS_NVTX_COLUMNS = PAYLOAD + NSYS_PAYLOAD_COLUMNS_N
};
static const struct sqlite_column nsys_nvtx_columns[NSYS_NVTX_COLUMNS] = {
	[START] = { "start", true },
	[END] = { "end", true },
	[NSYS_NVTX_TYPE] = { "eventType", true },
	[RANGE] = { "rangeId", false },
	[TEXT] = { "text", false },
	[TEXT_ID] = { "textId", false },
	[TID] = { "globalTid", false },
	[NSYS_NVTX_DOMAIN] = { "domainId", false },
#define COLUMN(code, name) [PAYLOAD + NSYS_PAYLOAD_##code] = { name, false },
	NSYS_PAYLOAD_COLUMNS(COLUMN)
#undef COLUMN
};

/* ENUM_NSYS_EVENT_TYPE. If a type has two numbers, the second is that of NVTX
 * text files. */
enum { TYPE_FIRST = 32, TYPE_LAST = 99 };
static const enum sort {
	OTHER,
	PUSH_POP,
	START_END,
	HALF_PUSH,
	HALF_POP,
	HALF_START,
	HALF_END,
	MARK,
	DOMAIN_NEW,
	ABOUT, /* names of threads, categories, devices: no event */
} sorts[TYPE_LAST + 1] = {
	[32] = ABOUT,
	[33] = ABOUT,
	[34] = MARK,
	[35] = HALF_PUSH,
	[36] = HALF_POP,
	[37] = HALF_START,
	[38] = HALF_END,
	[39] = ABOUT,
	[59] = PUSH_POP,
	[60] = START_END,
	[64] = ABOUT,
	[65] = MARK,
	[66] = HALF_PUSH,
	[67] = HALF_POP,
	[68] = HALF_START,
	[69] = HALF_END,
	[70] = PUSH_POP,
	[71] = START_END,
	[72] = ABOUT,
	[73] = ABOUT,
	[74] = ABOUT,
	[75] = DOMAIN_NEW,
	[76] = ABOUT,
	[97] = ABOUT,
	[98] = ABOUT,
	[99] = ABOUT,
};

/* The id of a process's domain in x->domains; 0 for the domain without a
 * name. */
static bool nsys_nvtx_domain_of(struct nsys_nvtx *x, uint16_t process,
	int64_t domain, uint32_t *id)
{
	const int64_t key[2] = { process, domain };
	*id = 0;
	if (domain == 0)
		return true;
	*id = names_put(&x->domains, (const char *)key, sizeof key);
	if (*id == NAMES_NONE || *id < x->domain_cap)
		return *id != NAMES_NONE;
	uint32_t cap = *id * 2 + 16;
	uint32_t *p = arena_grow(x->nsys->trace->arena, x->domain_names,
		cap * sizeof *p);
	if (!p)
		return false;
	memset(p + x->domain_cap, 0, (cap - x->domain_cap) * sizeof *p);
	x->domain_names = p;
	x->domain_cap = cap;
	return true;
}

static bool nsys_nvtx_name_of(struct nsys_nvtx *x, struct sqlite_rows *r,
	uint32_t *name, struct err *e)
{
	*name = sqlite_text(r, TEXT, &x->nsys->text);
	if (*name == NAMES_NONE)
		return arena_err(x->nsys->trace->arena, e);
	return *name || nsys_event_name(x->nsys, r, TEXT_ID, name, e);
}

static bool nsys_nvtx_take_half(struct nsys_nvtx *x, struct sqlite_rows *r,
	enum sort s, const struct range_row *row, struct err *e)
{
	struct nsys_half h = { .process = row->process,
		.name = row->name,
		.payload = row->payload,
		.domain = row->domain,
		.thread = row->thread,
		.loose = s == HALF_START || s == HALF_END,
		.end = s == HALF_POP || s == HALF_END };
	h.owner = h.loose ? row->process : sqlite_int_or(r, TID, 0);
	h.range = h.loose ? sqlite_int_or(r, RANGE, -1) : 0;
	if (!sqlite_int(r, START, &h.at_ns)) {
		note_add(&x->nsys->trace->notes, NOTE_no_duration, 1, NULL, 0);
		return true;
	}
	return nsys_nvtx_half_add(x, &h) || arena_err(x->nsys->trace->arena, e);
}

static bool nsys_nvtx_take_range(struct nsys_nvtx *x, struct sqlite_rows *r,
	enum sort s, struct range_row *row, struct err *e)
{
	struct nsys *n = x->nsys;
	if (!sqlite_has(r, END)) {
		note_add(&n->trace->notes, NOTE_nvtx_open, 1, NULL, 0);
		return true;
	}
	if (!nsys_event_span(n, r, NSYS_RANGE, row->name, &row->start_ns,
		    &row->dur_ns))
		return true;
	row->kind = s == PUSH_POP ? RANGE_ANNOTATION : RANGE_LOOSE;
	row->id = s == PUSH_POP ? -1 : sqlite_int_or(r, RANGE, -1);
	return nsys_nvtx_range(x, row, e);
}

static enum sort nsys_nvtx_sort_of(struct nsys *n, struct sqlite_rows *r)
{
	int64_t type = sqlite_int_or(r, NSYS_NVTX_TYPE, -1);
	enum sort s = type >= 0 && type <= TYPE_LAST ? sorts[type] : OTHER;
	char text[40];
	if (s == OTHER) {
		int len = snprintf(text, sizeof text, "NVTX type %lld",
			(long long)type);
		note_add(&n->trace->notes, NOTE_category_unknown, 1, text,
			(size_t)len);
	} else if (s == MARK) {
		note_add(&n->trace->notes, NOTE_nvtx_mark, 1, NULL, 0);
	}
	return s;
}

/* Ranges of processes without CUDA work belong to no run. If no process has
 * CUDA work, such ranges are the only contents and are stored. */
static bool nsys_nvtx_take(struct nsys_nvtx *x, struct sqlite_rows *r, bool any,
	struct err *e)
{
	struct nsys *n = x->nsys;
	struct range_row row = { .id = -1, .parent = -1 };
	enum sort s = nsys_nvtx_sort_of(n, r);
	if (s == OTHER || s == MARK || s == ABOUT)
		return true;
	int64_t tid = sqlite_int_or(r, TID, 0);
	if (!nsys_event_process(n, tid, any, &row.process, e))
		return false;
	if (row.process == NSYS_NOBODY) {
		if (s != DOMAIN_NEW)
			note_add(&n->trace->notes, NOTE_nvtx_elsewhere, 1, NULL,
				0);
		return true;
	}
	if (!nsys_nvtx_name_of(x, r, &row.name, e))
		return false;
	row.thread = nsys_event_thread(n, tid);
	if (row.thread == NAMES_NONE ||
		!nsys_nvtx_domain_of(x, row.process,
			sqlite_int_or(r, NSYS_NVTX_DOMAIN, 0), &row.domain))
		return arena_err(n->trace->arena, e);
	if (s == DOMAIN_NEW) {
		if (row.domain)
			x->domain_names[row.domain] = row.name;
		return true;
	}
	if (!nsys_nvtx_payload_of(&x->payload, r, PAYLOAD, &row.payload, e))
		return false;
	return s == PUSH_POP || s == START_END
		       ? nsys_nvtx_take_range(x, r, s, &row, e)
		       : nsys_nvtx_take_half(x, r, s, &row, e);
}

static bool nsys_nvtx_read_events(struct nsys_nvtx *x, struct err *e)
{
	struct nsys *n = x->nsys;
	bool any = n->processes.n == 1; /* only the empty text is known */
	struct sqlite_rows r;
	bool ok = sqlite_rows_open(&r, n->file, "NVTX_EVENTS",
		nsys_nvtx_columns, NSYS_NVTX_COLUMNS, e);
	while (ok && sqlite_rows_next(&r)) {
		n->rows++;
		ok = nsys_nvtx_take(x, &r, any, e);
	}
	return sqlite_rows_close(&r, e) && ok;
}

static void nsys_nvtx_name_domains(struct nsys_nvtx *x)
{
	struct range_rows *r = &x->nsys->trace->range;
	for (uint32_t i = 0; i < r->n; i++)
		if (r->domain[i])
			r->domain[i] = x->domain_names[r->domain[i]];
}

bool nsys_nvtx(struct nsys *n, struct err *e)
{
	struct arena *a = n->trace->arena;
	struct nsys_nvtx x = { .nsys = n };
	if (!sqlite_file_table(n->file, "NVTX_EVENTS"))
		return true;
	if (!names_init(&x.domains, a))
		return arena_err(a, e);
	bool ok = nsys_nvtx_payload_init(&x.payload, n, e) &&
		  nsys_nvtx_read_events(&x, e) && nsys_nvtx_halves(&x, e);
	nsys_nvtx_name_domains(&x);
	ok = ok && nsys_nccl(n, e);
	nsys_nvtx_payload_release(&x.payload);
	arena_drop(a, x.halves);
	arena_drop(a, x.domain_names);
	return ok;
}

/* Pairs the ends and adds the ranges; an end without the other end is noted. */
static bool nsys_nvtx_half_add(struct nsys_nvtx *x, const struct nsys_half *h)
{
	if (x->halves_n == x->halves_cap) {
		if (x->halves_cap > UINT32_MAX / 4)
			return false;
		uint32_t cap = x->halves_cap ? x->halves_cap * 2 : 256;
		struct nsys_half *p = arena_grow(x->nsys->trace->arena,
			x->halves, cap * sizeof *p);
		if (!p)
			return false;
		x->halves = p;
		x->halves_cap = cap;
	}
	x->halves[x->halves_n] = *h;
	x->halves[x->halves_n].place = x->halves_n;
	x->halves_n++;
	return true;
}

/* Whether two halves may belong to one range. */
static bool nsys_nvtx_half_related(const struct nsys_half *a,
	const struct nsys_half *b)
{
	return a->loose == b->loose && a->owner == b->owner &&
	       a->domain == b->domain && a->range == b->range;
}

#define ORDER(field)              \
	if (x->field != y->field) \
		return x->field < y->field ? -1 : 1;
static int nsys_nvtx_half_by_owner(const void *a, const void *b)
{
	const struct nsys_half *x = a, *y = b;
	ORDER(loose)
	ORDER(owner)
	ORDER(domain)
	ORDER(range)
	ORDER(at_ns)
	ORDER(place)
	return 0;
}
#undef ORDER

static bool nsys_nvtx_add(struct nsys_nvtx *x, const struct nsys_half *from,
	const struct nsys_half *to, struct err *e)
{
	struct nsys *n = x->nsys;
	struct range_row row = { .process = from->process,
		.start_ns = from->at_ns,
		.name = from->name,
		.payload = from->payload,
		.domain = (uint32_t)from->domain,
		.kind = from->loose ? RANGE_LOOSE : RANGE_ANNOTATION,
		.id = from->loose ? from->range : -1,
		.parent = -1,
		.thread = from->thread };
	if (__builtin_sub_overflow(to->at_ns, from->at_ns, &row.dur_ns) ||
		row.dur_ns > TRACE_TIME_MAX_NS - n->total_ns[NSYS_RANGE]) {
		note_add(&n->trace->notes, NOTE_huge_time, 1, NULL, 0);
		return true;
	}
	n->total_ns[NSYS_RANGE] += row.dur_ns;
	return nsys_nvtx_range(x, &row, e);
}

/* Pairs the halves [from, to), which belong to one thread and domain, or to one
 * range; `open` has room for all of them. */
static bool nsys_nvtx_half_pair(struct nsys_nvtx *x, uint32_t from, uint32_t to,
	uint32_t *open, struct err *e)
{
	uint32_t depth = 0;
	int64_t alone = 0;
	for (uint32_t i = from; i < to; i++) {
		const struct nsys_half *h = &x->halves[i];
		if (!h->end)
			open[depth++] = i;
		else if (depth == 0)
			alone++;
		else if (!nsys_nvtx_add(x, &x->halves[open[--depth]], h, e))
			return false;
	}
	if (alone + depth)
		note_add(&x->nsys->trace->notes, NOTE_nvtx_open, alone + depth,
			NULL, 0);
	return true;
}

static bool nsys_nvtx_halves(struct nsys_nvtx *x, struct err *e)
{
	struct arena *a = x->nsys->trace->arena;
	uint32_t from = 0;
	bool ok = true;
	if (x->halves_n == 0)
		return true;
	uint32_t *open = arena_grow(a, NULL, x->halves_n * sizeof *open);
	if (!open)
		return arena_err(a, e);
	qsort(x->halves, x->halves_n, sizeof *x->halves,
		nsys_nvtx_half_by_owner);
	for (uint32_t i = 1; ok && i <= x->halves_n; i++) {
		if (i < x->halves_n &&
			nsys_nvtx_half_related(&x->halves[i], &x->halves[from]))
			continue;
		ok = nsys_nvtx_half_pair(x, from, i, open, e);
		from = i;
	}
	arena_drop(a, open);
	return ok;
}

/* Adds a range's row, and handles names that PyTorch generates.
 *
 * torch.autograd.profiler.emit_nvtx() numbers every operator in its range's
 * name: "aten::mm, seq = 7, op_id = 12, sizes = [[2, 3], [3, 4]]". With
 * unchanged names, no two ranges would be the same operator. */

struct nsys_parts {
	size_t name; /* length of the name */
	int64_t op; /* -1: the name does not have this form */
	const char *sizes;
	size_t sizes_len;
};

/* Moves past the text if it is at *p. */
static bool nsys_nvtx_range_skip(const char **p, const char *end,
	const char *text)
{
	size_t n = strlen(text);
	if ((size_t)(end - *p) < n || memcmp(*p, text, n) != 0)
		return false;
	*p += n;
	return true;
}

static bool nsys_nvtx_range_number(const char **p, const char *end, int64_t *v)
{
	enum { DIGITS_MOST = 18 };
	const char *from = *p;
	*v = 0;
	for (; *p < end && **p >= '0' && **p <= '9'; (*p)++) {
		if (*p - from == DIGITS_MOST)
			return false;
		*v = *v * 10 + (**p - '0');
	}
	return *p > from;
}

/* Reads a list in brackets, from its first byte to the position after it. */
static bool nsys_nvtx_range_list(const char **p, const char *end)
{
	int depth = 0;
	for (; *p < end; (*p)++) {
		char c = **p;
		depth += c == '[';
		depth -= c == ']';
		if (c == ']' && depth == 0) {
			(*p)++;
			return true;
		}
		if (!strchr("[]0123456789-, ()", c) || c == '\0')
			return false;
	}
	return false;
}

static struct nsys_parts nsys_nvtx_range_parts_of(const char *s, size_t len)
{
	static const char op[] = ", op_id = ", seq[] = ", seq = ";
	const struct nsys_parts none = { .name = len, .op = -1 };
	const char *end = s + len;
	const char *p = memmem(s, len, op, sizeof op - 1);
	struct nsys_parts parts = { 0 };
	int64_t v;
	if (!p)
		return none;
	const char *q = memmem(s, (size_t)(p - s), seq, sizeof seq - 1);
	parts.name = (size_t)((q ? q : p) - s);
	if (q && (!nsys_nvtx_range_skip(&q, p, seq) ||
			 !nsys_nvtx_range_number(&q, p, &v) || q != p))
		return none;
	if (!nsys_nvtx_range_skip(&p, end, op) ||
		!nsys_nvtx_range_number(&p, end, &parts.op))
		return none;
	if (nsys_nvtx_range_skip(&p, end, ", sizes = ")) {
		parts.sizes = p;
		if (!nsys_nvtx_range_list(&p, end))
			return none;
		parts.sizes_len = (size_t)(p - parts.sizes);
	}
	if (nsys_nvtx_range_skip(&p, end, ", input_op_ids = ") &&
		!nsys_nvtx_range_list(&p, end))
		return none;
	return p == end ? parts : none;
}

/* Adds a range to the trace; `domain` is an id of x->domains. From a name of
 * PyTorch's form, the number becomes the row's id, and the sizes become the
 * payload. */
static bool nsys_nvtx_range(struct nsys_nvtx *x, struct range_row *row,
	struct err *e)
{
	struct trace *t = x->nsys->trace;
	/* A copy, because adding names below moves the entry. */
	const struct name name = t->names.list[row->name];
	struct nsys_parts parts = nsys_nvtx_range_parts_of(name.text, name.len);
	if (parts.op >= 0) {
		row->id = parts.op;
		if (parts.sizes_len && !row->payload)
			row->payload = names_put(&t->names, parts.sizes,
				parts.sizes_len);
		row->name = names_put(&t->names, name.text, parts.name);
		x->nsys->pytorch = true;
	}
	return (row->name != NAMES_NONE && row->payload != NAMES_NONE &&
		       trace_range_add(t, row)) ||
	       arena_err(t->arena, e);
}
