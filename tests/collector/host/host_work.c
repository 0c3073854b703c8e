/* host_work.c - the words that make the host program use the GPU. */
#include "guest_host.h"
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { KERNELS = 8 };

static void need(CUresult r, const char *what)
{
	if (r != CUDA_SUCCESS)
		host_fail("guest_host: %s: %d", what, (int)r);
}

static void load_module(struct host *h, const char *prefix)
{
	need(h->cuda.load(&h->module, ""), "cuModuleLoadData");
	for (int i = 0; i < KERNELS; i++) {
		char name[64];
		snprintf(name, sizeof(name), "%s_kernel_%d", prefix, i);
		need(h->cuda.function(&h->kernel[i], h->module, name),
			"cuModuleGetFunction");
	}
}

static bool open_driver(struct cuda *c, const char *path)
{
	c->handle = dlopen(path, RTLD_NOW);
	if (!c->handle)
		return false;
#define STRING(symbol) #symbol
#define CUDA(field, symbol)                                     \
	*(void **)&c->field = dlsym(c->handle, STRING(symbol)); \
	if (!c->field)                                          \
		host_fail("guest_host: no '%s'", STRING(symbol));
#include "cuda.def"
#undef CUDA
#undef STRING
	return true;
}

void do_try(struct host *h, const char *argument)
{
	CUcontext context;

	if (!open_driver(&h->cuda, *argument ? argument : "libcuda.so.1")) {
		puts("no driver");
		return;
	}
	CUresult r = h->cuda.init(0);
	if (r != CUDA_SUCCESS) {
		printf("cuInit: %d\n", (int)r);
		return;
	}
	need(h->cuda.retain(&context, 0), "cuDevicePrimaryCtxRetain");
	load_module(h, "first");
}

void do_init(struct host *h, const char *argument)
{
	do_try(h, argument);
	if (!h->module)
		host_fail("guest_host: the driver is of no use");
}

static void pace(const struct timespec *from, long done, long rate)
{
	if (!rate)
		return;
	int64_t ns = (int64_t)done * 1000000000 / rate + from->tv_nsec;
	struct timespec until = { from->tv_sec + ns / 1000000000,
		ns % 1000000000 };
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void launch(struct host *h, long i, CUstream stream)
{
	CUfunction f = h->kernel[i % KERNELS];
	unsigned grid = (unsigned)(1 + i % 5);

	if (h->runtime)
		need((CUresult)h->cuda.runtime_launch(f, grid, 128, stream),
			"cudaLaunchKernel");
	else
		need(h->cuda.launch(f, grid, 1, 1, 128, 1, 1, 256, stream, NULL,
			     NULL),
			"cuLaunchKernel");
}

static void launches(struct host *h, long n, CUstream stream)
{
	struct timespec from;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (long i = 0; i < n; i++) {
		pace(&from, i, h->rate);
		for (long r = 0; r < h->nvtx; r++)
			nvtxRangePushA(r ? "inner" : "step");
		launch(h, i, stream);
		for (long r = 0; r < h->nvtx; r++)
			nvtxRangePop();
	}
}

void do_launch(struct host *h, const char *argument)
{
	launches(h, atol(argument), NULL);
}

void do_ranges(struct host *h, const char *argument)
{
	(void)h;
	for (long i = atol(argument); i > 0; i--) {
		nvtxRangePushA("nothing");
		nvtxRangePop();
	}
}

struct worker {
	pthread_t thread;
	pid_t tid;
	struct host *host;
	long n; /* kernels; -1: a flood */
};

/* Until the collector closes its window. */
static void flood(struct host *h, CUstream stream)
{
	struct timespec from, now;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do {
		launches(h, 1000, stream);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (host_recording() && now.tv_sec - from.tv_sec < 30);
}

static void *work(void *p)
{
	struct worker *w = p;
	CUstream stream;

	w->tid = gettid();
	need(w->host->cuda.stream(&stream, 0), "cuStreamCreate");
	if (w->n < 0)
		flood(w->host, stream);
	else
		launches(w->host, w->n, stream);
	need(w->host->cuda.sync(stream), "cuStreamSynchronize");
	w->host->cuda.stream_free(stream);
	return NULL;
}

/* pthread_join() returns before the kernel removes the thread from /proc. A
 * thread that is still listed there would be counted as one that is left over. */
static void join(struct worker *w)
{
	pthread_join(w->thread, NULL);
	while (!tgkill(getpid(), w->tid, 0))
		sched_yield();
}

static void work_on_threads(struct host *h, long threads, long n)
{
	static struct worker workers[256];

	if (threads < 1 || threads > 256)
		host_fail("guest_host: %ld threads", threads);
	for (long t = 0; t < threads; t++) {
		workers[t].host = h;
		workers[t].n = n;
		if (pthread_create(&workers[t].thread, NULL, work, &workers[t]))
			host_fail("guest_host: no thread");
	}
	for (long t = 0; t < threads; t++)
		join(&workers[t]);
}

void do_threads(struct host *h, const char *argument)
{
	char *end;
	long threads = strtol(argument, &end, 10);

	work_on_threads(h, threads, *end == ':' ? atol(end + 1) : 0);
}

void do_flood(struct host *h, const char *argument)
{
	work_on_threads(h, atol(argument), -1);
}

/* One operator of a graph. */
static void captured(struct host *h, long i, CUstream s)
{
	char text[96];

	snprintf(text, sizeof text,
		"aten::mm, seq = 5, op_id = %ld, sizes = [[4, 8], [8, 2]]", i);
	if (h->emit)
		nvtxRangePushA(text);
	launch(h, i, s);
	if (h->emit)
		nvtxRangePop();
}

void do_graph(struct host *h, const char *argument)
{
	struct cuda *c = &h->cuda;
	CUgraph graph;
	CUgraphExec exec;
	CUstream s;
	char *end;
	long kernels = strtol(argument, &end, 10);
	long replays = *end == ':' ? strtol(end + 1, &end, 10) : 1;

	need(c->stream(&s, 0), "cuStreamCreate");
	need(c->capture(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "capture");
	nvtxRangePushA("captured");
	nvtxRangePushA("layer");
	for (long i = 0; i < kernels; i++)
		captured(h, i, s);
	nvtxRangePop();
	need(c->copy(0, 0, 4096, s), "cuMemcpyAsync");
	need(c->set(0, 0, 4096, s), "cuMemsetD8Async");
	nvtxRangePop();
	need(c->captured(s, &graph), "cuStreamEndCapture");
	need(c->instantiate(&exec, graph, 0), "cuGraphInstantiate");
	c->graph_free(graph);
	if (*end == ':') {
		do_touch(h, end + 1);
		do_recording(h, "1");
	}
	for (long i = 0; i < replays; i++)
		need(c->replay(exec, s), "cuGraphLaunch");
	need(c->sync(s), "cuStreamSynchronize");
	c->exec_free(exec);
	c->stream_free(s);
}

void do_copies(struct host *h, const char *argument)
{
	for (long i = atol(argument); i > 0; i--)
		need(h->cuda.copy(0, 0, (size_t)i * 256, NULL), "copy");
}

void do_sets(struct host *h, const char *argument)
{
	for (long i = atol(argument); i > 0; i--)
		need(h->cuda.set(0, 0, (size_t)i * 128, NULL), "set");
}

void do_sync(struct host *h, const char *argument)
{
	(void)argument;
	need(h->cuda.sync(NULL), "cuStreamSynchronize");
}

void do_reload(struct host *h, const char *argument)
{
	need(h->cuda.unload(h->module), "cuModuleUnload");
	load_module(h, *argument ? argument : "second");
}

void do_dlclose(struct host *h, const char *argument)
{
	(void)argument;
	dlclose(h->cuda.handle);
}

void do_reset(struct host *h, const char *argument)
{
	(void)argument;
	need(h->cuda.reset(0), "cuDevicePrimaryCtxReset");
}

void do_profiler(struct host *h, const char *argument)
{
	need(*argument == '0' ? h->cuda.profiler_stop()
			      : h->cuda.profiler_start(),
		"cuProfiler");
}
