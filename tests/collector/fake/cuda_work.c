/* cuda_work.c - streams, launches and copies of the fake driver: each
 * operation takes its time on a simulated GPU. */
#include "fake_cuda.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static _Atomic uint32_t streams = 7;
static struct CUstream_st stream_of_all = { .number = 7 };

int64_t cuda_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void cuda_begin(struct fake_call *c, uint32_t cbid)
{
	const struct fake_events *e = cuda_events();

	c->cbid = cbid;
	if (e)
		e->begin(c);
}

CUresult cuda_end(struct fake_call *c, CUresult r)
{
	const struct fake_events *e = cuda_events();

	/* libcupti may have attached itself during the call. */
	if (e && c->start_ns)
		e->end(c);
	return r;
}

CUstream cuda_stream(CUstream stream)
{
	return stream ? stream : &stream_of_all;
}

void cuda_run(CUstream stream, struct fake_work *w, int64_t takes_ns)
{
	const struct fake_events *e = cuda_events();
	int64_t busy = stream->busy_ns, start;

	do {
		int64_t now = cuda_now_ns();
		start = busy > now ? busy : now;
	} while (!atomic_compare_exchange_weak(&stream->busy_ns, &busy,
		start + takes_ns));
	w->stream = stream->number;
	w->start_ns = (uint64_t)start;
	w->end_ns = (uint64_t)(start + takes_ns);
	if (w->what == FAKE_KERNEL) {
		ledger_add(LEDGER_launched, 1);
		ledger_set(LEDGER_last_launch_ns, cuda_now_ns());
	}
	if (e)
		e->work(w);
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
	CUresult r = cuda_usable("cuStreamCreate");

	(void)flags;
	if (r != CUDA_SUCCESS)
		return r;
	*stream = calloc(1, sizeof(**stream));
	(*stream)->number = ++streams;
	return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream stream)
{
	free(stream);
	return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream of)
{
	struct fake_call c = { .driver = true };
	CUstream stream = cuda_stream(of);
	CUresult r = cuda_usable("cuStreamSynchronize");

	if (r != CUDA_SUCCESS)
		return r;
	cuda_begin(&c, CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize);
	int64_t left;
	while ((left = stream->busy_ns - cuda_now_ns()) > 0) {
		struct timespec t = { left / 1000000000, left % 1000000000 };
		nanosleep(&t, NULL);
	}
	return cuda_end(&c, r);
}

/* Immediately, or into the graph that is being captured. */
static CUresult submit(CUstream of, struct fake_call *c, uint32_t cbid,
	struct fake_work *w, int64_t takes_ns)
{
	CUstream stream = cuda_stream(of);

	c->acts = true;
	cuda_begin(c, cbid);
	w->correlation = c->correlation;
	if (stream->capture)
		cuda_capture(stream->capture, w, takes_ns);
	else
		cuda_run(stream, w, takes_ns);
	return cuda_end(c, CUDA_SUCCESS);
}

static CUresult launch(struct fake_call *c, uint32_t cbid, CUfunction f,
	unsigned grid, unsigned block, unsigned shared, CUstream stream)
{
	struct fake_work w = { .what = FAKE_KERNEL,
		.name = f->name,
		.grid = { (int32_t)grid, 1, 1 },
		.block = { (int32_t)block, 1, 1 },
		.shared = (int32_t)shared };

	return submit(stream, c, cbid, &w, faults()->kernel_ns);
}

CUresult cuLaunchKernel(CUfunction f, unsigned grid_x, unsigned grid_y,
	unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
	unsigned shared, CUstream stream, void **parameters, void **extra)
{
	struct fake_call c = { .driver = true };
	CUresult r = cuda_usable("cuLaunchKernel");

	(void)parameters;
	(void)extra;
	if (r != CUDA_SUCCESS)
		return r;
	return launch(&c, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, f,
		grid_x * grid_y * grid_z, block_x * block_y * block_z, shared,
		stream);
}

/* A launch of the runtime: its call number changed with CUDA 13. */
int fake_runtime_launch(CUfunction f, unsigned grid, unsigned block,
	CUstream stream)
{
	struct fake_call c = { .driver = false };
	CUresult r = cuda_usable("cudaLaunchKernel");

	if (r != CUDA_SUCCESS)
		return (int)r;
	return (int)launch(&c,
		faults()->version >= 130000
			? CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000
			: CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
		f, grid, block, 0, stream);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
	CUstream stream)
{
	struct fake_call c = { .driver = true };
	struct fake_work w = { .what = FAKE_COPY, .bytes = bytes };
	CUresult r = cuda_usable("cuMemcpyAsync");

	(void)to;
	(void)from;
	if (r != CUDA_SUCCESS)
		return r;
	return submit(stream, &c, CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync, &w,
		1000);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes,
	CUstream stream)
{
	struct fake_call c = { .driver = true };
	struct fake_work w = { .what = FAKE_SET, .bytes = bytes };
	CUresult r = cuda_usable("cuMemsetD8Async");

	(void)to;
	(void)value;
	if (r != CUDA_SUCCESS)
		return r;
	return submit(stream, &c, CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async, &w,
		500);
}
