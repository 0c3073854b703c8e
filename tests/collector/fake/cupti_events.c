/* cupti_events.c - turns actions of the driver into records, if these are
 * enabled. */
#include "fake_cupti.h"
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic uint32_t correlations;
static _Atomic int64_t kernels, reversed, timeless, strange, all;
static _Atomic uint64_t dice;

int64_t fake_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A step of a Weyl sequence, mixed, so that threads need no lock. */
uint32_t fake_dice(uint32_t sides)
{
	uint64_t x = (dice += 0x9e3779b97f4a7c15) + (uint64_t)faults()->seed;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return sides ? (uint32_t)((x >> 33) % sides) : 0;
}

/* Counts a record and returns its place; under the lane's lock. */
static void *make(struct fake_lane *l, uint32_t kind, enum ledger_field field,
	int64_t until_ns)
{
	ledger_add(field, 1);
	all++;
	uint8_t *at = fake_lane_put(l, kind, until_ns);
	if (at)
		memcpy(at, &kind, sizeof(kind));
	return at;
}

static void make_strange(struct fake_lane *l)
{
	if (fault_every(&strange, faults()->strange))
		make(l, FAKE_STRANGE, LEDGER_made_strange, 0);
}

static const char *name_of(const struct fake_work *w)
{
	static char noise[4096];

	if (faults()->name == 1)
		return NULL;
	if (faults()->name != 2)
		return w->name;
	if (!noise[0])
		for (size_t i = sizeof(noise) - 1; i-- > 0;)
			noise[i] = (char)(128 + i % 100);
	return noise;
}

static void make_kernel(struct fake_lane *l, const struct fake_work *w)
{
	CUpti_ActivityKernel10 *k =
		make(l, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
			LEDGER_made_kernel, (int64_t)w->end_ns);
	uint64_t back = faults()->back_after && ++kernels > faults()->back_after
				? (uint64_t)faults()->back_ms * 1000000
				: 0;

	ledger_set(LEDGER_last_made_ns, fake_now_ns());
	if (!k)
		return;
	k->start = w->start_ns - back;
	k->end = w->end_ns - back;
	if (fault_every(&reversed, faults()->reversed)) {
		k->end = w->start_ns - back;
		k->start = w->end_ns - back;
	}
	if (fault_every(&timeless, faults()->timeless))
		k->start = k->end = 0;
	k->registersPerThread = 64;
	k->contextId = 1;
	k->streamId = w->stream;
	k->gridX = w->grid[0];
	k->gridY = w->grid[1];
	k->gridZ = w->grid[2];
	k->blockX = w->block[0];
	k->blockY = w->block[1];
	k->blockZ = w->block[2];
	k->staticSharedMemory = 1024;
	k->dynamicSharedMemory = w->shared;
	k->correlationId = w->correlation;
	k->name = name_of(w);
	k->graphNodeId = w->node;
	k->graphId = w->graph;
}

static void make_copy(struct fake_lane *l, const struct fake_work *w)
{
	CUpti_ActivityMemcpy6 *c = make(l, CUPTI_ACTIVITY_KIND_MEMCPY,
		LEDGER_made_copy, (int64_t)w->end_ns);

	if (!c)
		return;
	c->copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
	c->srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
	c->dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
	c->bytes = w->bytes;
	c->start = w->start_ns;
	c->end = w->end_ns;
	c->contextId = 1;
	c->streamId = w->stream;
	c->correlationId = w->correlation;
	c->graphNodeId = w->node;
	c->graphId = w->graph;
}

static void make_set(struct fake_lane *l, const struct fake_work *w)
{
	CUpti_ActivityMemset4 *s = make(l, CUPTI_ACTIVITY_KIND_MEMSET,
		LEDGER_made_set, (int64_t)w->end_ns);

	if (!s)
		return;
	s->bytes = w->bytes;
	s->start = w->start_ns;
	s->end = w->end_ns;
	s->contextId = 1;
	s->streamId = w->stream;
	s->memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
	s->correlationId = w->correlation;
	s->graphNodeId = w->node;
	s->graphId = w->graph;
}

static void make_replay(struct fake_lane *l, const struct fake_work *w)
{
	CUpti_ActivityGraphTrace2 *g = make(l, CUPTI_ACTIVITY_KIND_GRAPH_TRACE,
		LEDGER_made_graph, (int64_t)w->end_ns);

	if (!g)
		return;
	g->correlationId = w->correlation;
	g->start = w->start_ns;
	g->end = w->end_ns;
	g->graphId = w->graph;
	g->contextId = 1;
	g->streamId = w->stream;
}

static void work(const struct fake_work *w)
{
	static const struct {
		CUpti_ActivityKind kind;
		void (*make)(struct fake_lane *l, const struct fake_work *w);
	} of[] = {
		[FAKE_KERNEL] = { CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
			make_kernel },
		[FAKE_COPY] = { CUPTI_ACTIVITY_KIND_MEMCPY, make_copy },
		[FAKE_SET] = { CUPTI_ACTIVITY_KIND_MEMSET, make_set },
		[FAKE_REPLAY] = { CUPTI_ACTIVITY_KIND_GRAPH_TRACE,
			make_replay },
	};
	struct fake_lane *l = fake_lane_lock();

	if (fake_enabled(of[w->what].kind)) {
		of[w->what].make(l, w);
		make_strange(l);
	}
	fake_lane_unlock(l);
	fake_deliver_here();
}

static void api_callback(const struct fake_call *c, CUpti_ApiCallbackSite site)
{
	CUpti_CallbackDomain domain = c->driver ? CUPTI_CB_DOMAIN_DRIVER_API
						: CUPTI_CB_DOMAIN_RUNTIME_API;
	CUpti_CallbackData data = { .callbackSite = site,
		.correlationId = c->correlation };

	cuptiGetCallbackName(domain, c->cbid, &data.functionName);
	fake_callback(domain, c->cbid, &data);
}

static void begin(struct fake_call *c)
{
	c->correlation = ++correlations;
	c->start_ns = (uint64_t)fake_now_ns();
	api_callback(c, CUPTI_API_ENTER);
}

static void end(struct fake_call *c)
{
	struct fake_lane *l = fake_lane_lock();

	if (fake_call_enabled(c->driver, c->cbid)) {
		CUpti_ActivityAPI *a = make(l,
			c->driver ? CUPTI_ACTIVITY_KIND_DRIVER
				  : CUPTI_ACTIVITY_KIND_RUNTIME,
			c->acts ? LEDGER_made_launch : LEDGER_made_call, 0);
		if (a) {
			a->cbid = c->cbid;
			a->start = c->start_ns;
			a->end = (uint64_t)fake_now_ns();
			a->processId = (uint32_t)getpid();
			a->threadId = (uint32_t)syscall(SYS_gettid);
			a->correlationId = c->correlation;
		}
	}
	fake_lane_unlock(l);
	api_callback(c, CUPTI_API_EXIT);
	if (faults()->fatal_after && all >= faults()->fatal_after)
		fake_fatal();
}

static bool replays_whole(void)
{
	return fake_enabled(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
}

static void resource(CUpti_CallbackIdResource what, void *descriptor)
{
	CUpti_ResourceData data = { .resourceDescriptor = descriptor };

	if (what == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED)
		ledger_add(LEDGER_nodes_created, 1);
	if (what == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED)
		ledger_add(LEDGER_nodes_cloned, 1);
	fake_callback(CUPTI_CB_DOMAIN_RESOURCE, (CUpti_CallbackId)what, &data);
}

const struct fake_events fake_events = { begin, end, work, replays_whole,
	resource, fake_names_gone };

int fake_cupti_recording(void)
{
	return fake_enabled(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) ||
	       fake_enabled(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
}

/* An error of libcupti itself, once per flush. */
static void make_overhead(int64_t from_ns)
{
	struct fake_lane *l = fake_lane_lock();

	if (fake_enabled(CUPTI_ACTIVITY_KIND_OVERHEAD)) {
		CUpti_ActivityOverhead3 *o = make(l,
			CUPTI_ACTIVITY_KIND_OVERHEAD, LEDGER_made_overhead, 0);
		if (o) {
			o->overheadKind =
				CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH;
			o->start = (uint64_t)from_ns;
			o->end = (uint64_t)fake_now_ns();
		}
	}
	fake_lane_unlock(l);
}

CUptiResult cuptiActivityFlushAll(uint32_t flags)
{
	static _Atomic int64_t flushes;

	fake_enter("cuptiActivityFlushAll", MAY_SUBSCRIBED);
	if (!fake_registered())
		return CUPTI_ERROR_INVALID_OPERATION;
	ledger_add(LEDGER_flushes, 1);
	if (faults()->flush && !(flags & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED))
		return (CUptiResult)faults()->flush;
	make_overhead(fake_now_ns());
	if (faults()->block_after && ++flushes == faults()->block_after) {
		struct timespec t = { faults()->block_ms / 1000,
			faults()->block_ms % 1000 * 1000000 };
		nanosleep(&t, NULL);
	}
	fake_deliver_all(flags & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	return fake_is_fatal() ? CUPTI_ERROR_UNKNOWN : CUPTI_SUCCESS;
}
