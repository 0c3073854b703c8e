/* cuda_init.c - starts the fake driver, and injects a library as the real one
 * does. */
#include "fake_cuda.h"
#include <cudaProfiler.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

const char ledger_whose[] = "cuda";

static _Atomic(const struct fake_events *) events;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool ready, forked;
static _Thread_local bool inside;
static struct CUctx_st context;

void fake_cuda_attach(const struct fake_events *to)
{
	events = to;
}

uint64_t fake_cuda_node(CUgraphNode node)
{
	return node->id;
}

const struct fake_events *cuda_events(void)
{
	return events;
}

static void in_child(void)
{
	forked = true;
}

static void inject(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *library = path && *path ? dlopen(path, RTLD_NOW) : NULL;
	int (*initialize)(void) = NULL;

	pthread_atfork(NULL, NULL, in_child);
	if (library)
		*(void **)&initialize = dlsym(library, "InitializeInjection");
	if (initialize) {
		ledger_add(LEDGER_injected, 1);
		inside = true;
		initialize();
		inside = false;
	}
	ready = true;
}

CUresult cuInit(unsigned flags)
{
	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (inside)
		fake_die("cuInit inside cuInit deadlocks");
	if (forked)
		return CUDA_ERROR_NOT_INITIALIZED;
	pthread_once(&once, inject);
	return (CUresult)faults()->init;
}

CUresult cuDriverGetVersion(int *version)
{
	*version = (int)faults()->driver;
	return CUDA_SUCCESS;
}

CUresult cuda_usable(const char *function)
{
	if (inside)
		fake_die("%s inside cuInit deadlocks", function);
	if (!ready || forked || faults()->init)
		return CUDA_ERROR_NOT_INITIALIZED;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	CUresult r = cuda_usable("cuDeviceGet");

	if (r == CUDA_SUCCESS && ordinal != 0)
		r = CUDA_ERROR_INVALID_DEVICE;
	*device = 0;
	return r;
}

static CUresult context_event(const char *function,
	CUpti_CallbackIdResource what)
{
	CUresult r = cuda_usable(function);

	if (r == CUDA_SUCCESS && events)
		events->resource(what, NULL);
	return r;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *to, CUdevice device)
{
	(void)device;
	*to = &context;
	return context_event("cuDevicePrimaryCtxRetain",
		CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
}

CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
	(void)device;
	return context_event("cuDevicePrimaryCtxReset",
		CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
}

CUresult cuCtxSetCurrent(CUcontext to)
{
	(void)to;
	return cuda_usable("cuCtxSetCurrent");
}

static CUresult profiler(const char *function, uint32_t cbid)
{
	struct fake_call c = { .driver = true };
	CUresult r = cuda_usable(function);

	if (r != CUDA_SUCCESS)
		return r;
	cuda_begin(&c, cbid);
	return cuda_end(&c, r);
}

CUresult cuProfilerStart(void)
{
	return profiler("cuProfilerStart",
		CUPTI_DRIVER_TRACE_CBID_cuProfilerStart);
}

CUresult cuProfilerStop(void)
{
	return profiler("cuProfilerStop",
		CUPTI_DRIVER_TRACE_CBID_cuProfilerStop);
}
