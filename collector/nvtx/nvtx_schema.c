/* nvtx_schema.c - copies, and a table of pointers by domain and number. */
#include "nvtx_schema.h"
#include "nvtx_headers.h"
#include "nvtx_room.h"
#include <stdalign.h>
#include <stdatomic.h>
#include <string.h>

enum { NAME_MOST = 256 };

struct nvtx_schemas {
	_Atomic uint64_t given; /* numbers for those that came without */
	_Atomic uint64_t bytes; /* of `room`, in use */
	_Atomic(struct nvtx_schema *) places[2 * NVTX_SCHEMAS_MAX];
	alignas(16) char room[NVTX_SCHEMAS_BYTES];
};

struct nvtx_schemas *nvtx_schemas_new(void)
{
	return nvtx_room(sizeof(struct nvtx_schemas));
}

void nvtx_schemas_free(struct nvtx_schemas *s)
{
	munmap(s, sizeof *s);
}

static void *nvtx_schema_room_for(struct nvtx_schemas *s, size_t bytes)
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

static const char *nvtx_schema_copy_name(struct nvtx_schemas *s,
	const char *name)
{
	size_t len = name ? strnlen(name, NAME_MOST) : 0;
	char *copy = len ? nvtx_schema_room_for(s, len + 1) : NULL;
	if (!copy)
		return "";
	memcpy(copy, name, len);
	copy[len] = '\0';
	return copy;
}

/* Numbers given here are unique in the process, others in their domain. */
static uint16_t nvtx_schema_domain_of(uint16_t domain, uint64_t id)
{
	return id >= NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START ? 0 : domain;
}

static bool nvtx_schema_is(const struct nvtx_schema *x, uint16_t domain,
	uint64_t id)
{
	return x->id == id && x->domain == nvtx_schema_domain_of(domain, id);
}

static size_t nvtx_schema_place_of(uint16_t domain, uint64_t id, size_t n)
{
	uint64_t h = (id ^ (uint64_t)nvtx_schema_domain_of(domain, id) << 48) *
		     0x9E3779B97F4A7C15u;
	return ((h >> 32) + n) % (2 * NVTX_SCHEMAS_MAX);
}

static void nvtx_schema_publish(struct nvtx_schemas *s, struct nvtx_schema *x)
{
	x->domain = nvtx_schema_domain_of(x->domain, x->id);
	for (size_t n = 0; n < NVTX_SCHEMAS_MAX; n++) {
		_Atomic(struct nvtx_schema *) *place =
			&s->places[nvtx_schema_place_of(x->domain, x->id, n)];
		struct nvtx_schema *there =
			atomic_load_explicit(place, memory_order_acquire);
		while (!there || nvtx_schema_is(there, x->domain, x->id))
			if (atomic_compare_exchange_weak_explicit(place, &there,
				    x, memory_order_release,
				    memory_order_acquire))
				return;
	}
}

static struct nvtx_schema *nvtx_schema_make(struct nvtx_schemas *s,
	uint16_t domain, const char *name, size_t n, bool given, uint64_t id)
{
	bool cut = n > NVTX_FIELDS_MAX;
	n = cut ? NVTX_FIELDS_MAX : n;
	struct nvtx_schema *x =
		nvtx_schema_room_for(s, sizeof *x + n * sizeof *x->fields);
	if (!x)
		return NULL;
	*x = (struct nvtx_schema){ .id = id,
		.name = nvtx_schema_copy_name(s, given ? name : NULL),
		.n = (uint32_t)n,
		.domain = domain,
		.cut = cut };
	return x;
}

static uint64_t nvtx_schema_number(struct nvtx_schemas *s, bool given,
	uint64_t id)
{
	return given && id ? id
			   : NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START +
				     atomic_fetch_add_explicit(&s->given, 1,
					     memory_order_relaxed);
}

uint64_t nvtx_schema_register(struct nvtx_schemas *s, uint16_t domain,
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
		 id = nvtx_schema_number(s,
			 mask & NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID,
			 a->schemaId);
	struct nvtx_schema *x = nvtx_schema_make(s, domain, a->name,
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
		x->fields[i] = (struct nvtx_field){ nvtx_schema_copy_name(s,
							    e->name),
			e->flags, e->type, e->arrayOrUnionDetail, e->offset };
	}
	nvtx_schema_publish(s, x);
	return id;
}

uint64_t nvtx_enum_register(struct nvtx_schemas *s, uint16_t domain,
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
	uint64_t id = nvtx_schema_number(s,
		a->fieldMask & NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID,
		a->schemaId);
	struct nvtx_schema *x =
		nvtx_schema_make(s, domain, a->name, a->numEntries,
			a->fieldMask & NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME, id);
	if (!x)
		return id;
	x->sort = NVTX_ENUM;
	x->size = a->sizeOfEnum;
	for (uint32_t i = 0; i < x->n; i++)
		x->fields[i] =
			(struct nvtx_field){ .name = nvtx_schema_copy_name(s,
						     a->entries[i].name),
				.detail = a->entries[i].value };
	nvtx_schema_publish(s, x);
	return id;
}

const struct nvtx_schema *nvtx_schemas_find(const struct nvtx_schemas *s,
	uint16_t domain, uint64_t id)
{
	for (size_t n = 0; n < NVTX_SCHEMAS_MAX; n++) {
		const struct nvtx_schema *x = atomic_load_explicit(
			&s->places[nvtx_schema_place_of(domain, id, n)],
			memory_order_acquire);
		if (!x || nvtx_schema_is(x, domain, id))
			return x;
	}
	return NULL;
}
