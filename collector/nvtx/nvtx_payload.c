/* nvtx_payload.c - layouts of payloads that programs register, and the text or
 * JSON of a range's payload. */
#include "nvtx_payload.h"
#include "nvtx_headers.h"
#include "nvtx_room.h"
#include <assert.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <string.h>

/* Registered layouts: copies, and a table of pointers by domain and number. */

struct nvtx_field {
	const char *name; /* "" if it has none */
	uint64_t flags, type; /* as in nvtxPayloadSchemaEntry_t */
	uint64_t detail; /* arrayOrUnionDetail; for an enum: the value */
	uint64_t offset;
};

struct nvtx_schema {
	uint64_t id;
	enum nvtx_schema_sort sort;
	const char *name;
	size_t size; /* bytes of a static schema or an enum; 0: not given */
	size_t pack; /* maximum alignment of a field; 0: no maximum */
	uint32_t n;
	uint16_t domain;
	bool cut; /* it has more than NVTX_FIELDS_MAX */
	struct nvtx_field fields[];
};

enum { NAME_MOST = 256 };

struct nvtx_schemas {
	_Atomic uint64_t given; /* numbers assigned to schemas that had none */
	_Atomic uint64_t bytes; /* bytes of `room` in use */
	_Atomic(struct nvtx_schema *) places[2 * NVTX_SCHEMAS_MAX];
	alignas(16) char room[NVTX_SCHEMAS_BYTES];
};

struct nvtx_schemas *nvtx_payload_schemas_new(void)
{
	return nvtx_room(sizeof(struct nvtx_schemas));
}

void nvtx_payload_schemas_free(struct nvtx_schemas *s)
{
	munmap(s, sizeof *s);
}

static void *nvtx_payload_schema_room_for(struct nvtx_schemas *s, size_t bytes)
{
	bytes = (bytes + 15) & ~(size_t)15;
	uint64_t at = atomic_load_explicit(&s->bytes, memory_order_relaxed);
	do {
		if (bytes > NVTX_SCHEMAS_BYTES - at)
			return NULL;
	} while (!atomic_compare_exchange_weak_explicit(&s->bytes, &at,
		at + bytes, memory_order_relaxed, memory_order_relaxed));
	return s->room + at;
}

static const char *nvtx_payload_schema_copy_name(struct nvtx_schemas *s,
	const char *name)
{
	size_t len = name ? strnlen(name, NAME_MOST) : 0;
	char *copy = len ? nvtx_payload_schema_room_for(s, len + 1) : NULL;
	if (!copy)
		return "";
	memcpy(copy, name, len);
	copy[len] = '\0';
	return copy;
}

/* Numbers assigned here are unique in the process. All others are unique in
 * their domain. */
static uint16_t nvtx_payload_schema_domain_of(uint16_t domain, uint64_t id)
{
	return id >= NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START ? 0 : domain;
}

static bool nvtx_payload_schema_is(const struct nvtx_schema *x, uint16_t domain,
	uint64_t id)
{
	return x->id == id &&
	       x->domain == nvtx_payload_schema_domain_of(domain, id);
}

static size_t nvtx_payload_schema_place_of(uint16_t domain, uint64_t id,
	size_t n)
{
	uint64_t h = (id ^ (uint64_t)nvtx_payload_schema_domain_of(domain, id)
				     << 48) *
		     0x9E3779B97F4A7C15u;
	return ((h >> 32) + n) % (2 * NVTX_SCHEMAS_MAX);
}

static void nvtx_payload_schema_publish(struct nvtx_schemas *s,
	struct nvtx_schema *x)
{
	x->domain = nvtx_payload_schema_domain_of(x->domain, x->id);
	for (size_t n = 0; n < NVTX_SCHEMAS_MAX; n++) {
		_Atomic(struct nvtx_schema *) *place =
			&s->places[nvtx_payload_schema_place_of(x->domain,
				x->id, n)];
		struct nvtx_schema *there =
			atomic_load_explicit(place, memory_order_acquire);
		while (!there ||
			nvtx_payload_schema_is(there, x->domain, x->id))
			if (atomic_compare_exchange_weak_explicit(place, &there,
				    x, memory_order_release,
				    memory_order_acquire))
				return;
	}
}

static struct nvtx_schema *nvtx_payload_schema_make(struct nvtx_schemas *s,
	uint16_t domain, const char *name, size_t n, bool given, uint64_t id)
{
	bool cut = n > NVTX_FIELDS_MAX;
	n = cut ? NVTX_FIELDS_MAX : n;
	struct nvtx_schema *x = nvtx_payload_schema_room_for(s,
		sizeof *x + n * sizeof *x->fields);
	if (!x)
		return NULL;
	*x = (struct nvtx_schema){ .id = id,
		.name = nvtx_payload_schema_copy_name(s, given ? name : NULL),
		.n = (uint32_t)n,
		.domain = domain,
		.cut = cut };
	return x;
}

static uint64_t nvtx_payload_schema_number(struct nvtx_schemas *s, bool given,
	uint64_t id)
{
	return given && id ? id
			   : NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START +
				     atomic_fetch_add_explicit(&s->given, 1,
					     memory_order_relaxed);
}

uint64_t nvtx_payload_register_schema(struct nvtx_schemas *s, uint16_t domain,
	const void *attributes)
{
	enum {
		MUST = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
		       NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
		       NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES
	};
	const nvtxPayloadSchemaAttr_t *a = attributes;
	if (!a || (a->fieldMask & MUST) != MUST || !a->entries)
		return 0;
	uint64_t mask = a->fieldMask,
		 id = nvtx_payload_schema_number(s,
			 mask & NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID,
			 a->schemaId);
	struct nvtx_schema *x = nvtx_payload_schema_make(s, domain, a->name,
		a->numEntries, mask & NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME, id);
	if (!x)
		return id;
	x->sort = (enum nvtx_schema_sort)a->type;
	if (mask & NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE)
		x->size = a->payloadStaticSize;
	if (mask & NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ALIGNMENT)
		x->pack = a->packAlign;
	for (uint32_t i = 0; i < x->n; i++) {
		const nvtxPayloadSchemaEntry_t *e = &a->entries[i];
		x->fields[i] = (struct nvtx_field){
			nvtx_payload_schema_copy_name(s, e->name), e->flags,
			e->type, e->arrayOrUnionDetail, e->offset
		};
	}
	nvtx_payload_schema_publish(s, x);
	return id;
}

uint64_t nvtx_payload_register_enum(struct nvtx_schemas *s, uint16_t domain,
	const void *attributes)
{
	enum {
		MUST = NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
		       NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES |
		       NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE
	};
	const nvtxPayloadEnumAttr_t *a = attributes;
	if (!a || (a->fieldMask & MUST) != MUST || !a->entries)
		return 0;
	uint64_t id = nvtx_payload_schema_number(s,
		a->fieldMask & NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID,
		a->schemaId);
	struct nvtx_schema *x =
		nvtx_payload_schema_make(s, domain, a->name, a->numEntries,
			a->fieldMask & NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME, id);
	if (!x)
		return id;
	x->sort = NVTX_ENUM;
	x->size = a->sizeOfEnum;
	for (uint32_t i = 0; i < x->n; i++)
		x->fields[i] = (struct nvtx_field){
			.name = nvtx_payload_schema_copy_name(s,
				a->entries[i].name),
			.detail = a->entries[i].value
		};
	nvtx_payload_schema_publish(s, x);
	return id;
}

/* NULL if the schema is unknown. */
static const struct nvtx_schema *nvtx_payload_schema_find(
	const struct nvtx_schemas *s, uint16_t domain, uint64_t id)
{
	for (size_t n = 0; n < NVTX_SCHEMAS_MAX; n++) {
		const struct nvtx_schema *x = atomic_load_explicit(
			&s->places[nvtx_payload_schema_place_of(domain, id, n)],
			memory_order_acquire);
		if (!x || nvtx_payload_schema_is(x, domain, id))
			return x;
	}
	return NULL;
}

/* How many bytes a payload's types take, and what they hold. */

/* The order of the values: none, signed, unsigned, real, not shown, text,
 * handle of a registered string, schema or enum. */
enum nvtx_sort {
	NVTX_NOTHING,
	NVTX_SIGNED,
	NVTX_UNSIGNED,
	NVTX_REAL,
	NVTX_OPAQUE,
	NVTX_TEXT,
	NVTX_HANDLE,
	NVTX_SCHEMA
};

struct nvtx_kind {
	enum nvtx_sort sort;
	uint32_t bytes; /* 0: depends on the value, or unknown */
	uint32_t align;
	const struct nvtx_schema *schema; /* if `sort` is NVTX_SCHEMA */
};

/* A field begins at its own offset. If it has none, it begins after the
 * previous field, aligned. The place is unknown if the end of the previous
 * field is. */
#define NVTX_PLACE_UNKNOWN SIZE_MAX

/* One value of a payload's bytes. */

static struct nvtx_kind nvtx_payload_kind_of(struct nvtx_payload *p,
	uint64_t type, int depth);

static const struct {
	uint8_t type, sort, bytes;
} known[] = {
	{ NVTX_PAYLOAD_ENTRY_TYPE_CHAR, NVTX_SIGNED, 1 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_UCHAR, NVTX_UNSIGNED, 1 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_SHORT, NVTX_SIGNED, 2 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_USHORT, NVTX_UNSIGNED, 2 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_INT, NVTX_SIGNED, 4 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_UINT, NVTX_UNSIGNED, 4 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_LONG, NVTX_SIGNED, 8 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_ULONG, NVTX_UNSIGNED, 8 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_LONGLONG, NVTX_SIGNED, 8 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_ULONGLONG, NVTX_UNSIGNED, 8 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_INT8, NVTX_SIGNED, 1 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_UINT8, NVTX_UNSIGNED, 1 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_INT16, NVTX_SIGNED, 2 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_UINT16, NVTX_UNSIGNED, 2 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_INT32, NVTX_SIGNED, 4 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_UINT32, NVTX_UNSIGNED, 4 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_INT64, NVTX_SIGNED, 8 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_UINT64, NVTX_UNSIGNED, 8 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_FLOAT, NVTX_REAL, 4 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, NVTX_REAL, 8 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_LONGDOUBLE, NVTX_OPAQUE, 16 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_SIZE, NVTX_UNSIGNED, 8 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_ADDRESS, NVTX_UNSIGNED, 8 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_WCHAR, NVTX_OPAQUE, 4 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_CHAR8, NVTX_OPAQUE, 1 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_CHAR16, NVTX_OPAQUE, 2 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_CHAR32, NVTX_OPAQUE, 4 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_BYTE, NVTX_UNSIGNED, 1 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_INT128, NVTX_OPAQUE, 16 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_UINT128, NVTX_OPAQUE, 16 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_FLOAT16, NVTX_OPAQUE, 2 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_FLOAT32, NVTX_REAL, 4 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_FLOAT64, NVTX_REAL, 8 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_FLOAT128, NVTX_OPAQUE, 16 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_BF16, NVTX_OPAQUE, 2 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_TF32, NVTX_OPAQUE, 4 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_CATEGORY, NVTX_UNSIGNED, 4 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_COLOR_ARGB, NVTX_UNSIGNED, 4 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_SCOPE_ID, NVTX_UNSIGNED, 8 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_PID_UINT32, NVTX_UNSIGNED, 4 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_PID_UINT64, NVTX_UNSIGNED, 8 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_TID_UINT32, NVTX_UNSIGNED, 4 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_TID_UINT64, NVTX_UNSIGNED, 8 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, NVTX_TEXT, 1 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8, NVTX_TEXT, 1 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF16, NVTX_OPAQUE, 2 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32, NVTX_OPAQUE, 4 },
	{ NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE, NVTX_HANDLE,
		8 },
};

enum {
	OTHER_PLACE = NVTX_PAYLOAD_ENTRY_FLAG_POINTER |
		      NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE |
		      NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_HERE
};
enum {
	NOT_FIXED = NVTX_PAYLOAD_ENTRY_FLAG_IS_ARRAY |
		    NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_PAYLOAD_INDEX
};

enum { STEPS_MOST = 4096 }; /* schemas measured for one payload */

/* The types that NVTX defines in nvToolsExtPayload.h, with their sizes in
 * 64-bit programs. */
static struct nvtx_kind nvtx_payload_kind_known(uint64_t type)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].type == type)
			return (struct nvtx_kind){ known[i].sort,
				known[i].bytes, known[i].bytes, NULL };
	return (struct nvtx_kind){ NVTX_NOTHING, 0, 1, NULL };
}

static size_t nvtx_payload_kind_place(const struct nvtx_schema *s,
	uint32_t field, size_t behind, uint32_t align)
{
	if (field == 0 || s->fields[field].offset)
		return s->fields[field].offset;
	if (behind == NVTX_PLACE_UNKNOWN)
		return behind;
	size_t to = s->pack && s->pack < align ? s->pack : align;
	return to > 1 ? (behind + to - 1) / to * to : behind;
}

/* The bytes and alignment of a schema: as registered, or as its fields
 * require. */
static struct nvtx_kind nvtx_payload_measure(struct nvtx_payload *p,
	const struct nvtx_schema *s, int depth)
{
	struct nvtx_kind all = { NVTX_SCHEMA, 0, 1, s };
	size_t end = 0;
	bool known_size = s->sort == NVTX_STATIC;

	for (uint32_t i = 0; i < s->n; i++) {
		const struct nvtx_field *f = &s->fields[i];
		struct nvtx_kind k = nvtx_payload_kind_of(p, f->type, depth);
		size_t n = 1;
		if (f->flags & OTHER_PLACE)
			k = nvtx_payload_kind_known(
				NVTX_PAYLOAD_ENTRY_TYPE_ADDRESS);
		else if ((f->flags & NOT_FIXED) ==
				 NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE ||
			 (k.sort == NVTX_TEXT && !(f->flags & NOT_FIXED)))
			n = f->detail;
		else if (f->flags & NOT_FIXED)
			known_size = false;
		if (k.bytes == 0 || n > UINT32_MAX / k.bytes)
			known_size = false;
		else
			end = nvtx_payload_kind_place(s, i, end, k.align) +
			      n * k.bytes;
		all.align = k.align > all.align ? k.align : all.align;
	}
	if (s->pack && s->pack < all.align)
		all.align = (uint32_t)s->pack;
	end = (end + all.align - 1) / all.align * all.align;
	if (known_size && end <= UINT32_MAX)
		all.bytes = (uint32_t)end;
	if (s->size && s->size <= UINT32_MAX && s->sort != NVTX_DYNAMIC)
		all.bytes = (uint32_t)s->size;
	return all;
}

/* The kind of any type. `depth` limits schemas within schemas. */
static struct nvtx_kind nvtx_payload_kind_of(struct nvtx_payload *p,
	uint64_t type, int depth)
{
	if (type < NVTX_PAYLOAD_SCHEMA_ID_STATIC_START)
		return nvtx_payload_kind_known(type);
	const struct nvtx_schema *s =
		nvtx_payload_schema_find(p->schemas, p->domain, type);
	if (!s || depth == 0 || p->steps++ > STEPS_MOST)
		return nvtx_payload_kind_known(NVTX_PAYLOAD_ENTRY_TYPE_INVALID);
	if (s->sort != NVTX_ENUM)
		return nvtx_payload_measure(p, s, depth - 1);
	uint32_t bytes = s->size <= 8 ? (uint32_t)s->size : 0;
	return (struct nvtx_kind){ NVTX_SCHEMA, bytes, bytes ? bytes : 1, s };
}

/* Writes null and counts the value as unreadable. */
static void nvtx_payload_value_null(struct nvtx_payload *p)
{
	nvtx_json_raw(&p->json, "null", 4);
	p->odd++;
}

/* 1 to 8 bytes as a number. */
static uint64_t nvtx_payload_value_whole(const char *at, uint32_t bytes,
	bool is_signed)
{
	uint64_t v = 0;
	memcpy(&v, at, bytes);
	uint32_t unused = 64 - 8 * bytes;
	return is_signed ? (uint64_t)((int64_t)(v << unused) >> unused) : v;
}

static void nvtx_payload_put_real(struct nvtx_json *j, const char *at,
	uint32_t bytes)
{
	float small;
	double large;
	memcpy(&small, at, sizeof small);
	if (bytes == sizeof large)
		memcpy(&large, at, sizeof large);
	nvtx_json_real(j, bytes == sizeof large ? large : (double)small);
}

static void nvtx_payload_put_enum(struct nvtx_payload *p,
	const struct nvtx_schema *s, const char *at)
{
	uint64_t v = nvtx_payload_value_whole(at, (uint32_t)s->size, false);
	uint64_t unused = 64 - 8 * s->size;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->fields[i].detail << unused == v << unused &&
			*s->fields[i].name) {
			nvtx_json_text(&p->json, s->fields[i].name,
				strlen(s->fields[i].name));
			return;
		}
	nvtx_json_uint(&p->json, v);
}

static void nvtx_payload_put_handle(struct nvtx_payload *p, const char *at)
{
	uint64_t id = nvtx_payload_value_whole(at, 8, false);
	size_t len = 0;
	const char *text = "";
	if (id > 0 && id < NVTX_TEXTS_MAX)
		text = nvtx_texts_get(p->texts, (uint32_t)id, &len);
	if (len)
		nvtx_json_text(&p->json, text, len);
	else
		nvtx_payload_value_null(p);
}

/* Writes a value that is not a schema with fields. */
static void nvtx_payload_value_put(struct nvtx_payload *p, struct nvtx_kind k,
	const char *at, size_t len)
{
	if (k.bytes == 0 || k.bytes > len)
		nvtx_payload_value_null(p);
	else if (k.sort == NVTX_SCHEMA)
		nvtx_payload_put_enum(p, k.schema, at);
	else if (k.sort == NVTX_SIGNED)
		nvtx_json_int(&p->json,
			(int64_t)nvtx_payload_value_whole(at, k.bytes, true));
	else if (k.sort == NVTX_UNSIGNED)
		nvtx_json_uint(&p->json,
			nvtx_payload_value_whole(at, k.bytes, false));
	else if (k.sort == NVTX_REAL)
		nvtx_payload_put_real(&p->json, at, k.bytes);
	else if (k.sort == NVTX_HANDLE)
		nvtx_payload_put_handle(p, at);
	else
		nvtx_payload_value_null(p);
}

bool nvtx_payload_number(struct nvtx_json *j, int32_t type, const void *at)
{
	static const struct {
		enum nvtx_sort sort;
		uint32_t bytes;
	} as[] = { [NVTX_PAYLOAD_TYPE_UNSIGNED_INT64] = { NVTX_UNSIGNED, 8 },
		[NVTX_PAYLOAD_TYPE_INT64] = { NVTX_SIGNED, 8 },
		[NVTX_PAYLOAD_TYPE_DOUBLE] = { NVTX_REAL, 8 },
		[NVTX_PAYLOAD_TYPE_UNSIGNED_INT32] = { NVTX_UNSIGNED, 4 },
		[NVTX_PAYLOAD_TYPE_INT32] = { NVTX_SIGNED, 4 },
		[NVTX_PAYLOAD_TYPE_FLOAT] = { NVTX_REAL, 4 } };
	if (type <= 0 || (size_t)type >= sizeof as / sizeof *as)
		return false;
	struct nvtx_payload p = { .json = *j };
	nvtx_payload_value_put(&p,
		(struct nvtx_kind){ as[type].sort, as[type].bytes, 1, NULL },
		at, as[type].bytes);
	*j = p.json;
	return !j->full;
}

/* Each value is checked against the available bytes before it is read. A JSON
 * text that does not fit into its memory is discarded. */

enum { DEPTH = 4, POINTER = NVTX_PAYLOAD_ENTRY_FLAG_POINTER };
enum {
	OFFSET = NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE |
		 NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_HERE
};
enum {
	FIXED = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE,
	TO_ZERO = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED,
	GIVEN = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX,
	ELSEWHERE = NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_PAYLOAD_INDEX,
	ARRAY = FIXED | TO_ZERO | GIVEN | ELSEWHERE
};
enum { ZERO_MOST = 4096 }; /* bytes to search for a final 0 */

#define UNKNOWN NVTX_PLACE_UNKNOWN

/* Bytes that may be read. */
struct bytes {
	const char *at;
	size_t len;
};

/* A schema that is being read, and the positions of its fields. */
struct walk {
	const struct nvtx_schema *schema;
	struct bytes all;
	size_t behind; /* end of the previous field */
	size_t place[NVTX_FIELDS_MAX];
	int depth;
};

static size_t nvtx_payload_put_schema(struct nvtx_payload *p,
	const struct nvtx_schema *s, struct bytes b, int depth);

/* Writes one value. Returns its number of bytes, UNKNOWN if that is not
 * known. */
static size_t nvtx_payload_put_one(struct nvtx_payload *p, struct nvtx_kind k,
	struct bytes b, int depth)
{
	assert(k.sort != NVTX_SCHEMA || k.schema);
	if (k.sort != NVTX_SCHEMA || k.schema->sort == NVTX_ENUM) {
		nvtx_payload_value_put(p, k, b.at, b.len);
		return k.bytes ? k.bytes : UNKNOWN;
	}
	size_t used = nvtx_payload_put_schema(p, k.schema, b, depth);
	return k.bytes ? k.bytes : used;
}

static size_t nvtx_payload_put_list(struct nvtx_payload *p, struct nvtx_kind k,
	struct bytes b, uint64_t n, int depth)
{
	size_t at = 0;
	nvtx_json_raw(&p->json, "[", 1);
	for (uint64_t i = 0; i < n && !p->json.full; i++) {
		struct bytes rest = { b.at + at, b.len - at };
		if (i)
			nvtx_json_raw(&p->json, ",", 1);
		size_t used = nvtx_payload_put_one(p, k, rest, depth);
		if (used > rest.len) {
			p->odd += i + 1 < n;
			at = UNKNOWN;
			break;
		}
		at += used;
	}
	nvtx_json_raw(&p->json, "]", 1);
	return at;
}

/* The number of elements before the first 0. False if there is no 0. */
static bool nvtx_payload_to_zero(struct nvtx_kind k, struct bytes b,
	uint64_t *n)
{
	size_t most = b.len < ZERO_MOST ? b.len : ZERO_MOST;
	if (k.bytes == 0 || k.bytes > 8)
		return false;
	for (*n = 0; (*n + 1) * k.bytes <= most; ++*n)
		if (nvtx_payload_value_whole(b.at + *n * k.bytes, k.bytes,
			    false) == 0)
			return true;
	return false;
}

/* Reads the length from another field of the schema, which precedes this
 * one. */
static bool nvtx_payload_given(struct nvtx_payload *p, const struct walk *w,
	const struct nvtx_field *f, uint64_t *n)
{
	if (f->detail >= w->schema->n || &w->schema->fields[f->detail] >= f)
		return false;
	const struct nvtx_field *length = &w->schema->fields[f->detail];
	struct nvtx_kind k = nvtx_payload_kind_of(p, length->type, w->depth);
	size_t at = w->place[f->detail];
	bool is = (k.sort == NVTX_SIGNED || k.sort == NVTX_UNSIGNED) &&
		  !(length->flags & (ARRAY | POINTER | OFFSET)) &&
		  at <= w->all.len && k.bytes <= w->all.len - at;
	if (is)
		*n = nvtx_payload_value_whole(w->all.at + at, k.bytes,
			k.sort == NVTX_SIGNED);
	return is;
}

/* The number of elements of a field: of an array, or the bytes of a text. */
static bool nvtx_payload_count(struct nvtx_payload *p, const struct walk *w,
	const struct nvtx_field *f, struct nvtx_kind k, struct bytes b,
	uint64_t *n)
{
	uint64_t array = f->flags & ARRAY;
	bool text = k.sort == NVTX_TEXT;
	if (text && array == 0 && f->detail == 0)
		return f->flags & POINTER && nvtx_payload_to_zero(k, b, n);
	if (array == 0 && !text)
		return true;
	if (array == TO_ZERO)
		return !(text && f->detail) && nvtx_payload_to_zero(k, b, n);
	*n = f->detail;
	if (array != 0 && array != FIXED &&
		(array != GIVEN || !nvtx_payload_given(p, w, f, n)))
		return false;
	return k.bytes == 0 || *n <= b.len / k.bytes;
}

/* The target of a pointer. It must be inside a payload of the event, unless
 * the layout requests a deep copy; then it may be anywhere. */
static bool nvtx_payload_follow(const struct nvtx_payload *p,
	const struct nvtx_field *f, struct bytes *b)
{
	const nvtxPayloadData_t *blobs = p->blobs;
	if (b->len < sizeof b->at)
		return false;
	uintptr_t to = (uintptr_t)nvtx_payload_value_whole(b->at, 8, false);
	for (size_t i = 0; i < p->blobs_n; i++) {
		uintptr_t from = (uintptr_t)blobs[i].payload;
		if (blobs[i].size == SIZE_MAX || !from || to < from ||
			to - from > blobs[i].size)
			continue;
		*b = (struct bytes){ (const char *)blobs[i].payload +
					     (to - from),
			blobs[i].size - (to - from) };
		return true;
	}
	*b = (struct bytes){ (const char *)to, SIZE_MAX / 2 };
	return to && f->flags & NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY;
}

static size_t nvtx_payload_put_text(struct nvtx_payload *p,
	const struct nvtx_field *f, struct bytes b, uint64_t n)
{
	if (n > b.len || n > NVTX_TEXTS_BYTES) {
		nvtx_payload_value_null(p);
		return UNKNOWN;
	}
	size_t len = strnlen(b.at, n);
	nvtx_json_text(&p->json, b.at, len);
	if (f->flags & NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE) {
		p->message = b.at;
		p->message_len = len;
	}
	return n;
}

/* Writes the value of a field. Returns the bytes that it has in its schema. */
static size_t nvtx_payload_put_field(struct nvtx_payload *p,
	const struct walk *w, const struct nvtx_field *f, struct nvtx_kind k,
	struct bytes b)
{
	uint64_t n = 1;
	bool pointer = f->flags & POINTER, there = !(f->flags & OFFSET);
	bool chars = f->type == NVTX_PAYLOAD_ENTRY_TYPE_CHAR &&
		     f->flags & ARRAY && (f->flags & ARRAY) != ELSEWHERE;
	size_t used = UNKNOWN;

	if (there && pointer)
		there = nvtx_payload_follow(p, f, &b);
	if (there)
		there = nvtx_payload_count(p, w, f, k, b, &n);
	if (!there)
		nvtx_payload_value_null(p);
	else if (k.sort == NVTX_TEXT || chars)
		used = nvtx_payload_put_text(p, f, b, n);
	else if (f->flags & ARRAY)
		used = nvtx_payload_put_list(p, k, b, n, w->depth);
	else
		used = nvtx_payload_put_one(p, k, b, w->depth);
	if (used != UNKNOWN && (f->flags & ARRAY) == TO_ZERO)
		used += k.bytes;
	return pointer ? sizeof(void *) : used;
}

static size_t nvtx_payload_put_schema(struct nvtx_payload *p,
	const struct nvtx_schema *s, struct bytes b, int depth)
{
	struct walk w = { .schema = s, .all = b, .depth = depth - 1 };
	if (depth == 0 || (s->sort != NVTX_STATIC && s->sort != NVTX_DYNAMIC)) {
		nvtx_payload_value_null(p);
		return UNKNOWN;
	}
	p->odd += s->cut;
	nvtx_json_raw(&p->json, "{", 1);
	for (uint32_t i = 0; i < s->n && !p->json.full; i++) {
		const struct nvtx_field *f = &s->fields[i];
		struct nvtx_kind k = nvtx_payload_kind_of(p, f->type, w.depth);
		uint32_t align = f->flags & POINTER ? sizeof(void *) : k.align;
		size_t at = nvtx_payload_kind_place(s, i, w.behind, align);
		w.place[i] = at;
		nvtx_json_comma(&p->json);
		nvtx_json_text(&p->json, f->name, strlen(f->name));
		nvtx_json_raw(&p->json, ":", 1);
		w.behind = UNKNOWN;
		if (at > b.len) {
			nvtx_payload_value_null(p);
			continue;
		}
		size_t used = nvtx_payload_put_field(p, &w, f, k,
			(struct bytes){ b.at + at, b.len - at });
		if (used <= b.len - at)
			w.behind = at + used;
	}
	nvtx_json_raw(&p->json, "}", 1);
	return w.behind;
}

/* Writes a payload without a schema: one number, several numbers, or a text. */
static void nvtx_payload_put_plain(struct nvtx_payload *p, struct nvtx_kind k,
	struct bytes b)
{
	if (k.sort == NVTX_TEXT)
		nvtx_json_text(&p->json, b.at, strnlen(b.at, b.len));
	else if (k.bytes == 0 || b.len < 2 * (size_t)k.bytes)
		nvtx_payload_put_one(p, k, b, DEPTH);
	else
		nvtx_payload_put_list(p, k, b, b.len / k.bytes, DEPTH);
}

static bool nvtx_payload_shown(const nvtxPayloadData_t *d)
{
	return d->schemaId != NVTX_TYPE_PAYLOAD_SCHEMA_REFERENCED &&
	       d->schemaId != NVTX_TYPE_PAYLOAD_SCHEMA_RAW;
}

static void nvtx_payload_put_blob(struct nvtx_payload *p,
	const nvtxPayloadData_t *d)
{
	struct nvtx_kind k = nvtx_payload_kind_of(p, d->schemaId, DEPTH);
	struct bytes b = { d->payload, d->size };
	if (d->size == SIZE_MAX)
		b.len = k.sort == NVTX_TEXT ? ZERO_MOST : k.bytes;
	if (k.sort == NVTX_NOTHING || !b.at || b.len == 0)
		nvtx_payload_value_null(p);
	else if (k.sort == NVTX_SCHEMA)
		nvtx_payload_put_one(p, k, b, DEPTH);
	else
		nvtx_payload_put_plain(p, k, b);
}

void nvtx_payload_put(struct nvtx_payload *p)
{
	const nvtxPayloadData_t *blobs = p->blobs;
	size_t n = 0;
	for (size_t i = 0; i < p->blobs_n; i++)
		n += nvtx_payload_shown(&blobs[i]);
	if (n > 1)
		nvtx_json_raw(&p->json, "[", 1);
	for (size_t i = 0; i < p->blobs_n; i++) {
		if (!nvtx_payload_shown(&blobs[i]))
			continue;
		nvtx_json_comma(&p->json);
		nvtx_payload_put_blob(p, &blobs[i]);
	}
	if (n > 1)
		nvtx_json_raw(&p->json, "]", 1);
	if (p->json.full) {
		p->json.len = 0;
		p->odd++;
	}
}
