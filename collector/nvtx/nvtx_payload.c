/* nvtx_payload.c - walks a payload's bytes field by field.
 *
 * Each value is checked against the bytes that are there before it is read. A
 * JSON text that grew past its room is none. */
#include "nvtx_payload.h"
#include "nvtx_headers.h"
#include "nvtx_kind.h"
#include "nvtx_value.h"
#include <string.h>

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
enum { ZERO_MOST = 4096 }; /* bytes looked through for an end that is 0 */

#define UNKNOWN NVTX_PLACE_UNKNOWN

/* Bytes that may be read. */
struct bytes {
	const char *at;
	size_t len;
};

/* A schema on its way: where its fields were found. */
struct walk {
	const struct nvtx_schema *schema;
	struct bytes all;
	size_t behind; /* the field before */
	size_t place[NVTX_FIELDS_MAX];
	int depth;
};

static size_t put_schema(struct nvtx_payload *p, const struct nvtx_schema *s,
	struct bytes b, int depth);

/* One value; how many bytes it took, UNKNOWN where nobody knows. */
static size_t put_one(struct nvtx_payload *p, struct nvtx_kind k,
	struct bytes b, int depth)
{
	if (k.sort != NVTX_SCHEMA || k.schema->sort == NVTX_ENUM) {
		nvtx_value_put(p, k, b.at, b.len);
		return k.bytes ? k.bytes : UNKNOWN;
	}
	size_t used = put_schema(p, k.schema, b, depth);
	return k.bytes ? k.bytes : used;
}

static size_t put_list(struct nvtx_payload *p, struct nvtx_kind k,
	struct bytes b, uint64_t n, int depth)
{
	size_t at = 0;
	nvtx_json_raw(&p->json, "[", 1);
	for (uint64_t i = 0; i < n && !p->json.full; i++) {
		struct bytes rest = { b.at + at, b.len - at };
		if (i)
			nvtx_json_raw(&p->json, ",", 1);
		size_t used = put_one(p, k, rest, depth);
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

/* Elements before the one that is 0. False where none is. */
static bool to_zero(struct nvtx_kind k, struct bytes b, uint64_t *n)
{
	size_t most = b.len < ZERO_MOST ? b.len : ZERO_MOST;
	if (k.bytes == 0 || k.bytes > 8)
		return false;
	for (*n = 0; (*n + 1) * k.bytes <= most; ++*n)
		if (nvtx_value_whole(b.at + *n * k.bytes, k.bytes, false) == 0)
			return true;
	return false;
}

/* The length that another field of the schema, before this one, tells. */
static bool given(struct nvtx_payload *p, const struct walk *w,
	const struct nvtx_field *f, uint64_t *n)
{
	if (f->detail >= w->schema->n || &w->schema->fields[f->detail] >= f)
		return false;
	const struct nvtx_field *length = &w->schema->fields[f->detail];
	struct nvtx_kind k = nvtx_kind_of(p, length->type, w->depth);
	size_t at = w->place[f->detail];
	bool is = (k.sort == NVTX_SIGNED || k.sort == NVTX_UNSIGNED) &&
		  !(length->flags & (ARRAY | POINTER | OFFSET)) &&
		  at <= w->all.len && k.bytes <= w->all.len - at;
	if (is)
		*n = nvtx_value_whole(w->all.at + at, k.bytes,
			k.sort == NVTX_SIGNED);
	return is;
}

/* How many elements a field has: of an array, or of a text the bytes. */
static bool count(struct nvtx_payload *p, const struct walk *w,
	const struct nvtx_field *f, struct nvtx_kind k, struct bytes b,
	uint64_t *n)
{
	uint64_t array = f->flags & ARRAY;
	bool text = k.sort == NVTX_TEXT;
	if (text && array == 0 && f->detail == 0)
		return f->flags & POINTER && to_zero(k, b, n);
	if (array == 0 && !text)
		return true;
	if (array == TO_ZERO)
		return !(text && f->detail) && to_zero(k, b, n);
	*n = f->detail;
	if (array != 0 && array != FIXED &&
		(array != GIVEN || !given(p, w, f, n)))
		return false;
	return k.bytes == 0 || *n <= b.len / k.bytes;
}

/* Where a pointer leads: into a payload of the event, or, where the layout
 * says that this is to be copied, wherever it does. */
static bool follow(const struct nvtx_payload *p, const struct nvtx_field *f,
	struct bytes *b)
{
	const nvtxPayloadData_t *blobs = p->blobs;
	if (b->len < sizeof b->at)
		return false;
	uintptr_t to = (uintptr_t)nvtx_value_whole(b->at, 8, false);
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

static size_t put_text(struct nvtx_payload *p, const struct nvtx_field *f,
	struct bytes b, uint64_t n)
{
	if (n > b.len || n > NVTX_TEXTS_BYTES) {
		nvtx_value_null(p);
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

/* The value of a field; how many bytes it has in its place. */
static size_t put_field(struct nvtx_payload *p, const struct walk *w,
	const struct nvtx_field *f, struct nvtx_kind k, struct bytes b)
{
	uint64_t n = 1;
	bool pointer = f->flags & POINTER, there = !(f->flags & OFFSET);
	bool chars = f->type == NVTX_PAYLOAD_ENTRY_TYPE_CHAR &&
		     f->flags & ARRAY && (f->flags & ARRAY) != ELSEWHERE;
	size_t used = UNKNOWN;

	if (there && pointer)
		there = follow(p, f, &b);
	if (there)
		there = count(p, w, f, k, b, &n);
	if (!there)
		nvtx_value_null(p);
	else if (k.sort == NVTX_TEXT || chars)
		used = put_text(p, f, b, n);
	else if (f->flags & ARRAY)
		used = put_list(p, k, b, n, w->depth);
	else
		used = put_one(p, k, b, w->depth);
	if (used != UNKNOWN && (f->flags & ARRAY) == TO_ZERO)
		used += k.bytes;
	return pointer ? sizeof(void *) : used;
}

static size_t put_schema(struct nvtx_payload *p, const struct nvtx_schema *s,
	struct bytes b, int depth)
{
	struct walk w = { .schema = s, .all = b, .depth = depth - 1 };
	if (depth == 0 || (s->sort != NVTX_STATIC && s->sort != NVTX_DYNAMIC)) {
		nvtx_value_null(p);
		return UNKNOWN;
	}
	p->odd += s->cut;
	nvtx_json_raw(&p->json, "{", 1);
	for (uint32_t i = 0; i < s->n && !p->json.full; i++) {
		const struct nvtx_field *f = &s->fields[i];
		struct nvtx_kind k = nvtx_kind_of(p, f->type, w.depth);
		uint32_t align = f->flags & POINTER ? sizeof(void *) : k.align;
		size_t at = nvtx_kind_place(s, i, w.behind, align);
		w.place[i] = at;
		nvtx_json_comma(&p->json);
		nvtx_json_text(&p->json, f->name, strlen(f->name));
		nvtx_json_raw(&p->json, ":", 1);
		w.behind = UNKNOWN;
		if (at > b.len) {
			nvtx_value_null(p);
			continue;
		}
		size_t used = put_field(p, &w, f, k,
			(struct bytes){ b.at + at, b.len - at });
		if (used <= b.len - at)
			w.behind = at + used;
	}
	nvtx_json_raw(&p->json, "}", 1);
	return w.behind;
}

/* A payload that is no schema's: a number, several, or a text. */
static void put_plain(struct nvtx_payload *p, struct nvtx_kind k,
	struct bytes b)
{
	if (k.sort == NVTX_TEXT)
		nvtx_json_text(&p->json, b.at, strnlen(b.at, b.len));
	else if (k.bytes == 0 || b.len < 2 * (size_t)k.bytes)
		put_one(p, k, b, DEPTH);
	else
		put_list(p, k, b, b.len / k.bytes, DEPTH);
}

static bool shown(const nvtxPayloadData_t *d)
{
	return d->schemaId != NVTX_TYPE_PAYLOAD_SCHEMA_REFERENCED &&
	       d->schemaId != NVTX_TYPE_PAYLOAD_SCHEMA_RAW;
}

static void put_blob(struct nvtx_payload *p, const nvtxPayloadData_t *d)
{
	struct nvtx_kind k = nvtx_kind_of(p, d->schemaId, DEPTH);
	struct bytes b = { d->payload, d->size };
	if (d->size == SIZE_MAX)
		b.len = k.sort == NVTX_TEXT ? ZERO_MOST : k.bytes;
	if (k.sort == NVTX_NOTHING || !b.at || b.len == 0)
		nvtx_value_null(p);
	else if (k.sort == NVTX_SCHEMA)
		put_one(p, k, b, DEPTH);
	else
		put_plain(p, k, b);
}

void nvtx_payload_put(struct nvtx_payload *p)
{
	const nvtxPayloadData_t *blobs = p->blobs;
	size_t n = 0;
	for (size_t i = 0; i < p->blobs_n; i++)
		n += shown(&blobs[i]);
	if (n > 1)
		nvtx_json_raw(&p->json, "[", 1);
	for (size_t i = 0; i < p->blobs_n; i++) {
		if (!shown(&blobs[i]))
			continue;
		nvtx_json_comma(&p->json);
		put_blob(p, &blobs[i]);
	}
	if (n > 1)
		nvtx_json_raw(&p->json, "]", 1);
	if (p->json.full) {
		p->json.len = 0;
		p->odd++;
	}
}
