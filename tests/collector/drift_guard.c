/* drift_guard.c - checks that the real libcupti reads records as the collector
 * does, and that the installed headers have the fields that the collector
 * reads.
 *
 *   drift_guard LIBCUPTI     exits with 77 if there is no libcupti
 *
 * It needs neither a driver nor a GPU, because the records are generated. */
#include "record_fields.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* Every kind that becomes a row, and one that is skipped. */
static const struct {
	uint32_t kind;
	const char *name;
	size_t newest; /* as the headers have it */
} kinds[] = {
#define KIND(kind, type)                             \
	{                                            \
		CUPTI_ACTIVITY_KIND_##kind, #kind,   \
			sizeof(CUpti_Activity##type) \
	}
#if CUPTI_API_VERSION >= 130000
	KIND(CONCURRENT_KERNEL, Kernel10),
	KIND(KERNEL, Kernel10),
	KIND(MEMCPY, Memcpy6),
	KIND(OVERHEAD, Overhead3),
	KIND(GRAPH_TRACE, GraphTrace2),
#endif
	KIND(MEMCPY2, MemcpyPtoP4),
	KIND(MEMSET, Memset4),
	KIND(RUNTIME, API),
	KIND(DRIVER, API),
	KIND(EXTERNAL_CORRELATION, ExternalCorrelation),
#undef KIND
};
enum { KINDS = sizeof kinds / sizeof *kinds, RECORDS = 2000 };

static records_next_fn *true_next;
static int failures;

#define EXPECT(is, ought, what)                                          \
	do {                                                             \
		unsigned long long is_ = (unsigned long long)(is),       \
				   ought_ = (unsigned long long)(ought); \
		if (is_ != ought_) {                                     \
			printf("%s: %llu here, %llu there\n", what, is_, \
				ought_);                                 \
			failures++;                                      \
		}                                                        \
	} while (0)

static void sizes(const struct layout *l)
{
	for (int i = 0; i < KINDS; i++) {
		printf("%s: %u bytes\n", kinds[i].name, l->size[kinds[i].kind]);
		if (!l->size[kinds[i].kind]) {
			printf("%s: libcupti does not know it\n",
				kinds[i].name);
			failures++;
		} else if (l->version == CUPTI_API_VERSION) {
			EXPECT(l->size[kinds[i].kind], kinds[i].newest,
				kinds[i].name);
		}
	}
}

/* Records of random kinds with random content. */
static size_t fill(const struct layout *l, uint8_t *buffer, size_t bytes)
{
	size_t at = 0;
	for (size_t i = 0; i < bytes; i++)
		buffer[i] = (uint8_t)rand();
	for (int i = 0; i < RECORDS; i++) {
		uint32_t kind = kinds[rand() % KINDS].kind;
		if (at + l->size[kind] > bytes)
			break;
		memcpy(buffer + at, &kind, sizeof kind);
		at += l->size[kind];
	}
	return at;
}

static void fields_of_a_kernel(const struct record *r)
{
	const CUpti_ActivityKernel8 *t = (const void *)r->at;
	struct kernel_record k;
	record_kernel(r, &k);
	EXPECT(k.start_ns, t->start, "kernel's start");
	EXPECT(k.end_ns, t->end, "kernel's end");
	EXPECT(k.name, (uintptr_t)t->name, "kernel's name");
	EXPECT((uintptr_t)record_name(r), (uintptr_t)&t->name, "its place");
	EXPECT(k.device, t->deviceId, "kernel's device");
	EXPECT(k.context, t->contextId, "kernel's context");
	EXPECT(k.stream, t->streamId, "kernel's stream");
	EXPECT(k.correlation, t->correlationId, "kernel's correlation");
	EXPECT(k.launch.grid[0], t->gridX, "kernel's grid");
	EXPECT(k.launch.grid[1], t->gridY, "kernel's grid");
	EXPECT(k.launch.grid[2], t->gridZ, "kernel's grid");
	EXPECT(k.launch.block[0], t->blockX, "kernel's block");
	EXPECT(k.launch.block[1], t->blockY, "kernel's block");
	EXPECT(k.launch.block[2], t->blockZ, "kernel's block");
	EXPECT(k.launch.static_shared, t->staticSharedMemory, "static memory");
	EXPECT(k.launch.dynamic_shared, t->dynamicSharedMemory,
		"dynamic memory");
	EXPECT(k.registers, t->registersPerThread, "kernel's registers");
	EXPECT(k.graph_node, t->graphNodeId, "kernel's graph node");
	EXPECT(k.graph, t->graphId, "kernel's graph");
}

#define EXPECT_COPY(t)                                                       \
	do {                                                                 \
		EXPECT(c.start_ns, (t)->start, "copy's start");              \
		EXPECT(c.end_ns, (t)->end, "copy's end");                    \
		EXPECT(c.bytes, (t)->bytes, "copy's bytes");                 \
		EXPECT(c.device, (t)->deviceId, "copy's device");            \
		EXPECT(c.stream, (t)->streamId, "copy's stream");            \
		EXPECT(c.correlation, (t)->correlationId,                    \
			"copy's correlation");                               \
		EXPECT(c.graph_node, (t)->graphNodeId, "copy's graph node"); \
		EXPECT(c.graph, (t)->graphId, "copy's graph");               \
	} while (0)

static void fields_of_a_copy(const struct record *r)
{
	const CUpti_ActivityMemcpy5 *t = (const void *)r->at;
	const CUpti_ActivityMemcpyPtoP4 *peer = (const void *)r->at;
	const CUpti_ActivityMemset4 *set = (const void *)r->at;
	struct copy_record c;
	record_copy(r, &c);
	if (r->kind == CUPTI_ACTIVITY_KIND_MEMCPY)
		EXPECT_COPY(t);
	else if (r->kind == CUPTI_ACTIVITY_KIND_MEMCPY2)
		EXPECT_COPY(peer);
	else
		EXPECT_COPY(set);
	if (r->kind == CUPTI_ACTIVITY_KIND_MEMSET)
		EXPECT(c.dst_kind, (uint8_t)set->memoryKind, "set's memory");
	if (r->kind != CUPTI_ACTIVITY_KIND_MEMCPY)
		return;
	EXPECT(c.copy_kind, t->copyKind, "copy's direction");
	EXPECT(c.src_kind, t->srcKind, "copy's source");
	EXPECT(c.dst_kind, t->dstKind, "copy's destination");
}

static void fields_of_others(const struct record *r)
{
	const CUpti_ActivityAPI *call = (const void *)r->at;
	const CUpti_ActivityGraphTrace *graph = (const void *)r->at;
	const CUpti_ActivityOverhead *over = (const void *)r->at;
	struct api_record a;
	struct graph_record g;
	struct overhead_record o;
	switch (r->kind) {
	case CUPTI_ACTIVITY_KIND_RUNTIME:
	case CUPTI_ACTIVITY_KIND_DRIVER:
		record_api(r, &a);
		EXPECT(a.start_ns, call->start, "call's start");
		EXPECT(a.end_ns, call->end, "call's end");
		EXPECT(a.cbid, (uint32_t)call->cbid, "call's number");
		EXPECT(a.thread, call->threadId, "call's thread");
		EXPECT(a.correlation, call->correlationId, "its correlation");
		break;
	case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
		record_graph(r, &g);
		EXPECT(g.start_ns, graph->start, "graph's start");
		EXPECT(g.end_ns, graph->end, "graph's end");
		EXPECT(g.graph, graph->graphId, "graph's number");
		EXPECT(g.stream, graph->streamId, "graph's stream");
		break;
	case CUPTI_ACTIVITY_KIND_OVERHEAD:
		record_overhead(r, &o);
		EXPECT(o.start_ns, over->start, "overhead's start");
		EXPECT(o.end_ns, over->end, "overhead's end");
		EXPECT(o.what, (uint32_t)over->overheadKind, "its kind");
		break;
	default:
		break;
	}
}

static void fields(const struct record *r)
{
	switch (r->kind) {
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
	case CUPTI_ACTIVITY_KIND_KERNEL:
		fields_of_a_kernel(r);
		break;
	case CUPTI_ACTIVITY_KIND_MEMCPY:
	case CUPTI_ACTIVITY_KIND_MEMCPY2:
	case CUPTI_ACTIVITY_KIND_MEMSET:
		fields_of_a_copy(r);
		break;
	default:
		fields_of_others(r);
	}
}

/* Both walk the same buffer and stop at the same places. */
static void walk(const struct layout *l, uint8_t *buffer, size_t bytes)
{
	struct record r = { .at = NULL };
	void *theirs = NULL;
	size_t unreadable;
	int n = 0;
	while (true_next(buffer, bytes, &theirs) == CUPTI_SUCCESS) {
		if (!records_next(l, buffer, bytes, &r, &unreadable) ||
			r.at != theirs) {
			printf("record %d: another place\n", n);
			failures++;
			return;
		}
		fields(&r);
		n++;
	}
	if (records_next(l, buffer, bytes, &r, &unreadable) || unreadable) {
		printf("after record %d: libcupti ends here\n", n);
		failures++;
	}
	if (n < 100) {
		printf("only %d records were walked\n", n);
		failures++;
	}
}

int main(int argc, char **argv)
{
	enum { BYTES = 1 << 18 };
	CUptiResult (*version)(uint32_t *);
	uint32_t is = 0;
	struct layout l;
	void *lib = argc > 1 && *argv[1] ? dlopen(argv[1], RTLD_NOW) : NULL;
	if (!lib) {
		printf("no libcupti is installed here: nothing to compare "
		       "with\n");
		return 77;
	}
	*(void **)&true_next = dlsym(lib, "cuptiActivityGetNextRecord");
	*(void **)&version = dlsym(lib, "cuptiGetVersion");
	if (!true_next || !version || version(&is) != CUPTI_SUCCESS) {
		printf("%s lacks what every libcupti has\n", argv[1]);
		return 1;
	}
	printf("%s: version %u, headers %d\n", argv[1], is, CUPTI_API_VERSION);
	uint8_t *buffer = aligned_alloc(64, BYTES);
	if (!buffer || !layout_learn(&l, true_next, is)) {
		printf("nothing is measured with it\n");
		return 1;
	}
	sizes(&l);
	srand(1);
	for (int i = 0; i < 20 && !failures; i++)
		walk(&l, buffer, fill(&l, buffer, BYTES));
	free(buffer);
	return failures > 0;
}
