/* record_prefix.h - the beginning of CUPTI's record structs, which is the same
 * in every version since 11.8.
 *
 * Only record_fields.h uses this file. It checks that the CUPTI headers of
 * this build agree, whatever their version. */
#pragma once
#include "records.h"
#include <cupti.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_prefix {
	uint32_t kind;
	uint8_t cache, shared_config;
	uint16_t registers;
	uint32_t partition[2];
	uint64_t start, end, completed;
	uint32_t device, context, stream;
	struct launch_numbers launch;
	uint32_t local, local_total, correlation;
	int64_t grid_id;
	uint64_t name, reserved;
	uint64_t queued, submitted;
	uint8_t launch_type[4];
	uint32_t cache_size;
	uint64_t graph_node;
	uint32_t cache_executed, graph;
};
struct copy_prefix {
	uint32_t kind;
	uint8_t copy_kind, src_kind, dst_kind, flags;
	uint64_t bytes, start, end;
	uint32_t device, context, stream, correlation, runtime_correlation, pad;
	uint64_t reserved, graph_node;
	uint32_t graph, channel;
};
struct peer_prefix {
	uint32_t kind;
	uint8_t copy_kind, src_kind, dst_kind, flags;
	uint64_t bytes, start, end;
	uint32_t device, context, stream, src[2], dst[2], correlation;
	uint64_t reserved, graph_node;
	uint32_t graph, channel;
};
struct set_prefix {
	uint32_t kind, value;
	uint64_t bytes, start, end;
	uint32_t device, context, stream, correlation;
	uint16_t flags, memory_kind;
	uint32_t pad;
	uint64_t reserved, graph_node;
	uint32_t graph, channel;
};
struct api_prefix {
	uint32_t kind, cbid;
	uint64_t start, end;
	uint32_t process, thread, correlation, result;
};
struct graph_prefix {
	uint32_t kind, correlation;
	uint64_t start, end;
	uint32_t device, graph, context, stream;
};
struct overhead_prefix {
	uint32_t kind, what, object, ids[3];
	uint64_t start, end;
};

#define SAME(own, field, theirs, member)                     \
	_Static_assert(offsetof(struct own, field) ==        \
			       offsetof(theirs, member),     \
		#theirs " has " #member " somewhere else");  \
	_Static_assert(sizeof((struct own){ 0 }.field) >=    \
			       sizeof((theirs){ 0 }.member), \
		#theirs " has a wider " #member)

SAME(kernel_prefix, registers, CUpti_ActivityKernel8, registersPerThread);
SAME(kernel_prefix, start, CUpti_ActivityKernel8, start);
SAME(kernel_prefix, end, CUpti_ActivityKernel8, end);
SAME(kernel_prefix, device, CUpti_ActivityKernel8, deviceId);
SAME(kernel_prefix, context, CUpti_ActivityKernel8, contextId);
SAME(kernel_prefix, stream, CUpti_ActivityKernel8, streamId);
SAME(kernel_prefix, launch.grid, CUpti_ActivityKernel8, gridX);
SAME(kernel_prefix, launch.block, CUpti_ActivityKernel8, blockX);
SAME(kernel_prefix, launch.static_shared, CUpti_ActivityKernel8,
	staticSharedMemory);
SAME(kernel_prefix, launch.dynamic_shared, CUpti_ActivityKernel8,
	dynamicSharedMemory);
SAME(kernel_prefix, correlation, CUpti_ActivityKernel8, correlationId);
_Static_assert(CUPTI_ACTIVITY_KIND_KERNEL == 3 &&
		       CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL == 10 &&
		       offsetof(struct kernel_prefix, name) == 104,
	"record_name() says the same");
SAME(kernel_prefix, name, CUpti_ActivityKernel8, name);
SAME(kernel_prefix, graph_node, CUpti_ActivityKernel8, graphNodeId);
SAME(kernel_prefix, graph, CUpti_ActivityKernel8, graphId);

#define SAME_COPY(own, theirs)                         \
	SAME(own, bytes, theirs, bytes);               \
	SAME(own, start, theirs, start);               \
	SAME(own, end, theirs, end);                   \
	SAME(own, device, theirs, deviceId);           \
	SAME(own, stream, theirs, streamId);           \
	SAME(own, correlation, theirs, correlationId); \
	SAME(own, graph_node, theirs, graphNodeId);    \
	SAME(own, graph, theirs, graphId)
SAME_COPY(copy_prefix, CUpti_ActivityMemcpy5);
SAME_COPY(peer_prefix, CUpti_ActivityMemcpyPtoP4);
SAME_COPY(set_prefix, CUpti_ActivityMemset4);
SAME(copy_prefix, copy_kind, CUpti_ActivityMemcpy5, copyKind);
SAME(copy_prefix, src_kind, CUpti_ActivityMemcpy5, srcKind);
SAME(copy_prefix, dst_kind, CUpti_ActivityMemcpy5, dstKind);
SAME(peer_prefix, copy_kind, CUpti_ActivityMemcpyPtoP4, copyKind);
SAME(peer_prefix, src_kind, CUpti_ActivityMemcpyPtoP4, srcKind);
SAME(peer_prefix, dst_kind, CUpti_ActivityMemcpyPtoP4, dstKind);
SAME(set_prefix, memory_kind, CUpti_ActivityMemset4, memoryKind);

SAME(api_prefix, cbid, CUpti_ActivityAPI, cbid);
SAME(api_prefix, start, CUpti_ActivityAPI, start);
SAME(api_prefix, end, CUpti_ActivityAPI, end);
SAME(api_prefix, process, CUpti_ActivityAPI, processId);
SAME(api_prefix, thread, CUpti_ActivityAPI, threadId);
SAME(api_prefix, correlation, CUpti_ActivityAPI, correlationId);
SAME(api_prefix, result, CUpti_ActivityAPI, returnValue);

SAME(graph_prefix, correlation, CUpti_ActivityGraphTrace, correlationId);
SAME(graph_prefix, start, CUpti_ActivityGraphTrace, start);
SAME(graph_prefix, end, CUpti_ActivityGraphTrace, end);
SAME(graph_prefix, device, CUpti_ActivityGraphTrace, deviceId);
SAME(graph_prefix, graph, CUpti_ActivityGraphTrace, graphId);
SAME(graph_prefix, stream, CUpti_ActivityGraphTrace, streamId);

SAME(overhead_prefix, what, CUpti_ActivityOverhead, overheadKind);
SAME(overhead_prefix, object, CUpti_ActivityOverhead, objectKind);
SAME(overhead_prefix, ids, CUpti_ActivityOverhead, objectId);
SAME(overhead_prefix, start, CUpti_ActivityOverhead, start);
SAME(overhead_prefix, end, CUpti_ActivityOverhead, end);
#undef SAME_COPY
#undef SAME
