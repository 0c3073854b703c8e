/* record_fields.h - reads the fields of a record, for each kind.
 *
 * These functions are inline and read the record in place, because they run a
 * million times per second. Fields that the record's version lacks are 0. */
#pragma once
#include "record_prefix.h"
#include "records.h"
#include <string.h>

/* The record itself, or a copy with zeros at the end if the record is short. */
static inline const void *record_whole(const struct record *r, void *room,
	size_t bytes)
{
	if (__builtin_expect(r->bytes >= bytes, 1))
		return r->at;
	memset(room, 0, bytes);
	return memcpy(room, r->at, r->bytes);
}

static inline void record_kernel(const struct record *r,
	struct kernel_record *to)
{
	struct kernel_prefix room;
	const struct kernel_prefix *p = record_whole(r, &room, sizeof room);
	*to = (struct kernel_record){ .start_ns = p->start,
		.end_ns = p->end,
		.name = p->name,
		.device = p->device,
		.context = p->context,
		.stream = p->stream,
		.correlation = p->correlation,
		.launch = p->launch,
		.registers = p->registers,
		.graph_node = p->graph_node,
		.graph = p->graph };
}

#define COPY(p)                                                      \
	(struct copy_record)                                         \
	{                                                            \
		.start_ns = (p)->start, .end_ns = (p)->end,          \
		.bytes = (p)->bytes, .graph_node = (p)->graph_node,  \
		.device = (p)->device, .stream = (p)->stream,        \
		.correlation = (p)->correlation, .graph = (p)->graph \
	}

static inline void record_set(const struct record *r, struct copy_record *to)
{
	struct set_prefix room;
	const struct set_prefix *p = record_whole(r, &room, sizeof room);
	*to = COPY(p);
	to->dst_kind = (uint8_t)p->memory_kind;
	to->set = true;
}

static inline void record_peer(const struct record *r, struct copy_record *to)
{
	struct peer_prefix room;
	const struct peer_prefix *p = record_whole(r, &room, sizeof room);
	*to = COPY(p);
	to->copy_kind = p->copy_kind;
	to->src_kind = p->src_kind;
	to->dst_kind = p->dst_kind;
	to->peer = true;
}

static inline void record_copy(const struct record *r, struct copy_record *to)
{
	struct copy_prefix room;
	if (r->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
		record_set(r, to);
		return;
	}
	if (r->kind == CUPTI_ACTIVITY_KIND_MEMCPY2) {
		record_peer(r, to);
		return;
	}
	const struct copy_prefix *p = record_whole(r, &room, sizeof room);
	*to = COPY(p);
	to->copy_kind = p->copy_kind;
	to->src_kind = p->src_kind;
	to->dst_kind = p->dst_kind;
}

static inline void record_api(const struct record *r, struct api_record *to)
{
	struct api_prefix room;
	const struct api_prefix *p = record_whole(r, &room, sizeof room);
	*to = (struct api_record){ .start_ns = p->start,
		.end_ns = p->end,
		.cbid = p->cbid,
		.process = p->process,
		.thread = p->thread,
		.correlation = p->correlation,
		.result = p->result,
		.driver = r->kind == CUPTI_ACTIVITY_KIND_DRIVER };
}

static inline void record_graph(const struct record *r, struct graph_record *to)
{
	struct graph_prefix room;
	const struct graph_prefix *p = record_whole(r, &room, sizeof room);
	*to = (struct graph_record){ .start_ns = p->start,
		.end_ns = p->end,
		.device = p->device,
		.stream = p->stream,
		.correlation = p->correlation,
		.graph = p->graph };
}

static inline void record_overhead(const struct record *r,
	struct overhead_record *to)
{
	struct overhead_prefix room;
	const struct overhead_prefix *p = record_whole(r, &room, sizeof room);
	*to = (struct overhead_record){ .start_ns = p->start,
		.end_ns = p->end,
		.what = p->what,
		.thread = p->object == CUPTI_ACTIVITY_OBJECT_THREAD ? p->ids[1]
								    : 0 };
}
#undef COPY
