/* nvtx_kind.c - the list of types, and schemas measured field by field. */
#include "nvtx_kind.h"
#include "nvtx_headers.h"

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
	ARRAY = NVTX_PAYLOAD_ENTRY_FLAG_IS_ARRAY |
		NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_PAYLOAD_INDEX
};

enum { STEPS_MOST = 4096 }; /* schemas measured for one payload */

struct nvtx_kind nvtx_kind_known(uint64_t type)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].type == type)
			return (struct nvtx_kind){ known[i].sort,
				known[i].bytes, known[i].bytes, NULL };
	return (struct nvtx_kind){ NVTX_NOTHING, 0, 1, NULL };
}

size_t nvtx_kind_place(const struct nvtx_schema *s, uint32_t field,
	size_t behind, uint32_t align)
{
	if (field == 0 || s->fields[field].offset)
		return s->fields[field].offset;
	if (behind == NVTX_PLACE_UNKNOWN)
		return behind;
	size_t to = s->pack && s->pack < align ? s->pack : align;
	return to > 1 ? (behind + to - 1) / to * to : behind;
}

/* A schema's bytes and alignment: as told, else as its fields lie. */
static struct nvtx_kind measure(struct nvtx_payload *p,
	const struct nvtx_schema *s, int depth)
{
	struct nvtx_kind all = { NVTX_SCHEMA, 0, 1, s };
	size_t end = 0;
	bool known_size = s->sort == NVTX_STATIC;

	for (uint32_t i = 0; i < s->n; i++) {
		const struct nvtx_field *f = &s->fields[i];
		struct nvtx_kind k = nvtx_kind_of(p, f->type, depth);
		size_t n = 1;
		if (f->flags & OTHER_PLACE)
			k = nvtx_kind_known(NVTX_PAYLOAD_ENTRY_TYPE_ADDRESS);
		else if ((f->flags & ARRAY) ==
				 NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE ||
			 (k.sort == NVTX_TEXT && !(f->flags & ARRAY)))
			n = f->detail;
		else if (f->flags & ARRAY)
			known_size = false;
		if (k.bytes == 0 || n > UINT32_MAX / k.bytes)
			known_size = false;
		else
			end = nvtx_kind_place(s, i, end, k.align) + n * k.bytes;
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

struct nvtx_kind nvtx_kind_of(struct nvtx_payload *p, uint64_t type, int depth)
{
	if (type < NVTX_PAYLOAD_SCHEMA_ID_STATIC_START)
		return nvtx_kind_known(type);
	const struct nvtx_schema *s =
		nvtx_schemas_find(p->schemas, p->domain, type);
	if (!s || depth == 0 || p->steps++ > STEPS_MOST)
		return nvtx_kind_known(NVTX_PAYLOAD_ENTRY_TYPE_INVALID);
	if (s->sort != NVTX_ENUM)
		return measure(p, s, depth - 1);
	uint32_t bytes = s->size <= 8 ? (uint32_t)s->size : 0;
	return (struct nvtx_kind){ NVTX_SCHEMA, bytes, bytes ? bytes : 1, s };
}
