/* nvtx_value.c - numbers, enums' names and registered strings. */
#include "nvtx_value.h"
#include "nvtx_headers.h"
#include <string.h>

void nvtx_value_null(struct nvtx_payload *p)
{
	nvtx_json_raw(&p->json, "null", 4);
	p->odd++;
}

uint64_t nvtx_value_whole(const char *at, uint32_t bytes, bool is_signed)
{
	uint64_t v = 0;
	memcpy(&v, at, bytes);
	uint32_t unused = 64 - 8 * bytes;
	return is_signed ? (uint64_t)((int64_t)(v << unused) >> unused) : v;
}

static void put_real(struct nvtx_json *j, const char *at, uint32_t bytes)
{
	float small;
	double large;
	memcpy(&small, at, sizeof small);
	if (bytes == sizeof large)
		memcpy(&large, at, sizeof large);
	nvtx_json_real(j, bytes == sizeof large ? large : (double)small);
}

static void put_enum(struct nvtx_payload *p, const struct nvtx_schema *s,
	const char *at)
{
	uint64_t v = nvtx_value_whole(at, (uint32_t)s->size, false);
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

static void put_handle(struct nvtx_payload *p, const char *at)
{
	uint64_t id = nvtx_value_whole(at, 8, false);
	size_t len = 0;
	const char *text = "";
	if (id > 0 && id < NVTX_TEXTS_MAX)
		text = nvtx_texts_get(p->texts, (uint32_t)id, &len);
	if (len)
		nvtx_json_text(&p->json, text, len);
	else
		nvtx_value_null(p);
}

void nvtx_value_put(struct nvtx_payload *p, struct nvtx_kind k, const char *at,
	size_t len)
{
	if (k.bytes == 0 || k.bytes > len)
		nvtx_value_null(p);
	else if (k.sort == NVTX_SCHEMA)
		put_enum(p, k.schema, at);
	else if (k.sort == NVTX_SIGNED)
		nvtx_json_int(&p->json,
			(int64_t)nvtx_value_whole(at, k.bytes, true));
	else if (k.sort == NVTX_UNSIGNED)
		nvtx_json_uint(&p->json, nvtx_value_whole(at, k.bytes, false));
	else if (k.sort == NVTX_REAL)
		put_real(&p->json, at, k.bytes);
	else if (k.sort == NVTX_HANDLE)
		put_handle(p, at);
	else
		nvtx_value_null(p);
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
	nvtx_value_put(&p,
		(struct nvtx_kind){ as[type].sort, as[type].bytes, 1, NULL },
		at, as[type].bytes);
	*j = p.json;
	return !j->full;
}
