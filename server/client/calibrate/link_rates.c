/* link_rates.c - all-reduces over all GPUs of one kind, with NCCL. */
#include "bench.h"
#include "calibration.h"
#include "gpu_library.h"
#include <string.h>

enum { MEMBERS = 64 };

struct link_ring {
	int n;
	int devices[MEMBERS], handles[MEMBERS]; /* indexes, and what CUDA
						 * calls them by */
	void *members[MEMBERS], *contexts[MEMBERS], *streams[MEMBERS];
	uint64_t from[MEMBERS], to[MEMBERS];
	size_t bytes;
};

static bool link_rates_ok(int result, const char *function, struct err *e)
{
	return result == GPU_OK ||
	       err_set(e, ERR_INPUT, "%s returns %d (NCCL_DEBUG=WARN says why)",
		       function, result);
}

/* Gives all GPUs numbers from 1/2 to 1 of both signs (bench_fill). The sums go
 * to another buffer, so that they stay finite however often they are made. */
static bool link_rates_fill(struct calibration *c, struct link_ring *r,
	struct err *e)
{
	static const uint32_t mask[4] = { 0x807fffff, 0x3f000000, 0x807fffff,
		0x3f000000 };
	struct gpu_library *l = &c->lib;

	if (!bench_fill(&c->bench, r->from[0], r->bytes, mask, e))
		return false;
	int result = l->nccl_begin();
	for (int i = 0; i < r->n && result == GPU_OK; i++)
		result = l->nccl_broadcast(r->from[i], r->from[i], r->bytes / 4,
			GPU_NCCL_FLOAT, 0, r->members[i], r->streams[i]);
	int ended = l->nccl_end();
	return link_rates_ok(result ? result : ended, "ncclBroadcast", e);
}

static bool link_rates_all_reduce(struct bench *b, void *arg, struct err *e)
{
	struct link_ring *r = arg;
	struct gpu_library *l = b->lib;
	int result = l->nccl_begin();

	for (int i = 0; i < r->n && result == GPU_OK; i++)
		result = l->nccl_all_reduce(r->from[i], r->to[i], r->bytes / 4,
			GPU_NCCL_FLOAT, GPU_NCCL_SUM, r->members[i],
			r->streams[i]);
	int ended = l->nccl_end();
	return link_rates_ok(result ? result : ended, "ncclAllReduce", e);
}

/* The GPUs with the same name, the measured one first. */
static void link_rates_find(struct calibration *c, struct link_ring *r)
{
	r->handles[r->n] = c->bench.handle;
	r->devices[r->n++] = c->bench.device;
	for (int i = 0; i < c->devices && r->n < MEMBERS; i++) {
		char name[256];
		int handle;

		if (i != c->bench.device &&
			c->lib.cuda_device(&handle, i) == GPU_OK &&
			c->lib.cuda_device_name(name, sizeof name, handle) ==
				GPU_OK &&
			!strcmp(name, c->out->device)) {
			r->handles[r->n] = handle;
			r->devices[r->n++] = i;
		}
	}
}

static bool link_rates_join(struct calibration *c, struct link_ring *r,
	struct err *e)
{
	struct gpu_library *l = &c->lib;

	r->bytes = c->bench.buffer_bytes;
	r->contexts[0] = c->bench.context;
	r->streams[0] = c->bench.stream;
	r->from[0] = c->bench.buffer[0];
	r->to[0] = c->bench.buffer[1];
	for (int i = 1; i < r->n; i++) {
		if (!gpu_ok(l,
			    l->cuda_context_retain(&r->contexts[i],
				    r->handles[i]),
			    "cuDevicePrimaryCtxRetain", e) ||
			!gpu_ok(l, l->cuda_context_use(r->contexts[i]),
				"cuCtxSetCurrent", e) ||
			!gpu_ok(l, l->cuda_stream_new(&r->streams[i], 1),
				"cuStreamCreate", e) ||
			!gpu_ok(l, l->cuda_memory_new(&r->from[i], r->bytes),
				"cuMemAlloc", e) ||
			!gpu_ok(l, l->cuda_memory_new(&r->to[i], r->bytes),
				"cuMemAlloc", e))
			return false;
	}
	return gpu_ok(l, l->cuda_context_use(c->bench.context),
		       "cuCtxSetCurrent", e) &&
	       link_rates_ok(l->nccl_group_new(r->members, r->n, r->devices),
		       "ncclCommInitAll", e);
}

static void link_rates_leave(struct calibration *c, struct link_ring *r)
{
	struct gpu_library *l = &c->lib;

	for (int i = 0; i < r->n; i++)
		if (r->members[i])
			l->nccl_member_free(r->members[i]);
	for (int i = 1; i < r->n; i++) {
		if (!r->contexts[i])
			continue;
		l->cuda_context_use(r->contexts[i]);
		if (r->from[i])
			l->cuda_memory_free(r->from[i]);
		if (r->to[i])
			l->cuda_memory_free(r->to[i]);
		if (r->streams[i])
			l->cuda_stream_free(r->streams[i]);
		l->cuda_context_release(r->handles[i]);
	}
	l->cuda_context_use(c->bench.context);
}

/* The bus bandwidth of nccl-tests: 2 (n - 1) / n bytes cross each link per byte
 * of the result. */
void link_rates_measure(struct calibration *c)
{
	struct link_ring ring = { 0 };
	struct bench_clocks clocks;
	struct err e = { 0 };
	double s;

	link_rates_find(c, &ring);
	if (ring.n < 2)
		return;
	if (!gpu_library_open(&c->lib, GPU_NCCL, &e)) {
		calibration_say(c, false, "all_reduce: %s", e.text);
		return;
	}
	bool ok = link_rates_join(c, &ring, &e) &&
		  link_rates_fill(c, &ring, &e) &&
		  bench_time(&c->bench, link_rates_all_reduce, &ring, &s,
			  &clocks, &e);
	link_rates_leave(c, &ring);
	if (!ok) {
		calibration_say(c, true, "all_reduce: %s", e.text);
		return;
	}
	struct calibrate_row *r = calibration_row_new(c, "all_reduce",
		"bytes_per_s",
		2.0 * (ring.n - 1) / ring.n * (double)ring.bytes / s, &clocks);
	r->devices = ring.n;
	snprintf(r->method, sizeof r->method,
		"ncclAllReduce of %zu MiB in fp32 over %d GPUs, bus "
		"bandwidth, best of 5 batches",
		ring.bytes >> 20, ring.n);
}
