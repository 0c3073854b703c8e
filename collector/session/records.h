/* records.h - CUPTI's activity records of any version, read field by field.
 *
 * From CUDA 11.8 to 13.x the structs of a kind have the same beginning, and
 * only their sizes differ (collector/README.md, *Versions*). So the sizes are
 * measured with the loaded libcupti, and fields are read by offset. A field
 * beyond the measured size is absent. Records of unknown kinds are skipped by
 * their size. record_fields.h fills the structs below. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RECORD_KINDS = 64, RECORD_ALIGN = 8 };

/* The sizes of the records that a libcupti writes. */
struct layout {
	uint32_t version; /* cuptiGetVersion */
	uint16_t size[RECORD_KINDS]; /* bytes of a record; 0: unknown kind */
};

/* The type of cuptiActivityGetNextRecord. */
typedef int records_next_fn(uint8_t *buffer, size_t bytes, void **record);

/* Measures the sizes: libcupti walks made-up records, for which it needs no
 * driver and no GPU. False if libcupti cannot walk any. */
bool layout_learn(struct layout *l, records_next_fn *next, uint32_t version);

struct record {
	uint32_t kind; /* CUpti_ActivityKind */
	uint8_t *at; /* in the buffer */
	size_t bytes;
};

/* Finds the record after `r`, or the first one if r->at is NULL. False at the
 * end and if the size is unknown. *unreadable is then the number of bytes
 * left. */
bool records_next(const struct layout *l, uint8_t *buffer, size_t bytes,
	struct record *r, size_t *unreadable);

struct launch_numbers { /* copied and compared as a whole */
	int32_t grid[3], block[3], static_shared, dynamic_shared;
};
struct kernel_record {
	uint64_t start_ns, end_ns; /* both 0: unknown */
	uint64_t name; /* the pointer, or the number that replaced it:
		        * names.h */
	uint32_t device, context, stream, correlation;
	struct launch_numbers launch;
	int32_t registers; /* per thread */
	uint64_t graph_node; /* 0: no graph */
	uint32_t graph;
};
struct copy_record {
	uint64_t start_ns, end_ns, bytes, graph_node;
	uint32_t device, stream, correlation, graph;
	uint8_t copy_kind, src_kind,
		dst_kind; /* CUpti_ActivityMemcpyKind, …MemoryKind */
	bool set, peer; /* a memory set; between devices */
};
struct api_record {
	uint64_t start_ns, end_ns;
	uint32_t cbid, process, thread, correlation, result;
	bool driver;
};
struct graph_record {
	uint64_t start_ns, end_ns;
	uint32_t device, stream, correlation, graph;
};
struct overhead_record {
	uint64_t start_ns, end_ns;
	uint32_t what; /* CUpti_ActivityOverheadKind */
	uint32_t thread; /* 0: of no thread */
};

/* The 8 bytes of a kernel's record that contain the pointer to its name, which
 * the caller replaces by the name's number. NULL if the record is not a
 * kernel's. */
static inline uint64_t *record_name(const struct record *r)
{
	enum { KERNEL = 3, CONCURRENT_KERNEL = 10, NAME_AT = 104 };
	if (r->kind != CONCURRENT_KERNEL && r->kind != KERNEL)
		return NULL;
	return (uint64_t *)(void *)(r->at + NAME_AT);
}
