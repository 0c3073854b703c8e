/* records.c - measures the sizes of CUPTI's records and walks through
 * buffers. */
#include "records.h"
#include "record_prefix.h"
#include <string.h>

bool layout_learn(struct layout *l, records_next_fn *next, uint32_t version)
{
	enum {
		ROOM = 4096,
		NAME_ENDS = offsetof(struct kernel_prefix, reserved)
	};
	_Alignas(RECORD_ALIGN) uint8_t made_up[ROOM];
	bool any = false;

	*l = (struct layout){ .version = version };
	for (uint32_t kind = 1; kind < RECORD_KINDS; kind++) {
		void *record = made_up;
		memset(made_up, 0, sizeof made_up);
		/* Wherever libcupti looks for the next record, it finds this
		 * kind. */
		for (size_t at = 0; at < ROOM; at += RECORD_ALIGN)
			memcpy(made_up + at, &kind, sizeof kind);
		if (next(made_up, ROOM, &record) != CUPTI_SUCCESS)
			continue;
		size_t size = (uintptr_t)record - (uintptr_t)made_up;
		bool kernel = kind == CUPTI_ACTIVITY_KIND_KERNEL ||
			      kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
		if (size < (kernel ? NAME_ENDS : 1) || size >= ROOM ||
			size % RECORD_ALIGN)
			continue;
		l->size[kind] = (uint16_t)size;
		any = true;
	}
	return any;
}

bool records_next(const struct layout *l, uint8_t *buffer, size_t bytes,
	struct record *r, size_t *unreadable)
{
	uint8_t *at = r->at ? r->at + r->bytes : buffer;
	size_t left = bytes - (size_t)(at - buffer);
	uint32_t kind;

	*unreadable = left;
	if (left < sizeof kind)
		return false;
	memcpy(&kind, at, sizeof kind);
	size_t size = kind < RECORD_KINDS ? l->size[kind] : 0;
	if (size == 0 || size > left)
		return false;
	*unreadable = 0;
	*r = (struct record){ kind, at, size };
	return true;
}
