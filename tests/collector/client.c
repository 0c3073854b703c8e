/* client.c - loads the fakes like any client, and breaks their contract where
 * a test case says so. */
#include "client.h"
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct client client;
static enum client_habit habit;
static CUfunction kernel;
static atomic_long records, timeless;
static _Alignas(8) uint8_t memory[1 << 16];

static void request(uint8_t **buffer, size_t *size, size_t *most)
{
	*most = 0;
	*size = 4096;
	*buffer = habit == NONE	     ? NULL
		  : habit == CROOKED ? memory + 4
		  : habit == TWICE   ? memory
				     : aligned_alloc(8, *size);
	if (habit == GOOD || habit == FLUSHES)
		memset(*buffer, 0, *size);
	if (habit == DIRTY)
		memset(*buffer, 1, *size);
}

static void complete(CUcontext context, uint32_t stream, uint8_t *buffer,
	size_t size, size_t valid)
{
	CUpti_Activity *record = NULL;

	(void)context;
	(void)stream;
	(void)size;
	if (habit == FLUSHES)
		client.flush(0);
	while (client.next(buffer, valid, &record) == CUPTI_SUCCESS) {
		records++;
		timeless += ((CUpti_ActivityKernel10 *)record)->end == 0;
	}
	if (buffer != memory)
		free(buffer);
}

static void callback(void *ctx, CUpti_CallbackDomain domain,
	CUpti_CallbackId id, const void *data)
{
	(void)ctx;
	(void)domain;
	(void)id;
	(void)data;
}

void client_begin(const char *version)
{
	CUmodule module;

	setenv("FAKE_CUPTI_VERSION", version, 1);
	void *cuda = dlopen(FAKES "/libcuda.so.1", RTLD_NOW);
	void *cupti = dlopen(FAKES "/libcupti.so.13", RTLD_NOW);
#define GET(from, field, symbol) *(void **)&client.field = dlsym(from, #symbol)
	GET(cupti, subscribe, cuptiSubscribe);
	GET(cupti, unsubscribe, cuptiUnsubscribe);
	GET(cupti, reg, cuptiActivityRegisterCallbacks);
	GET(cupti, enable, cuptiActivityEnable);
	GET(cupti, disable, cuptiActivityDisable);
	GET(cupti, flush, cuptiActivityFlushAll);
	GET(cupti, next, cuptiActivityGetNextRecord);
	GET(cupti, attribute, cuptiActivitySetAttribute);
	GET(cupti, driver_call, cuptiActivityEnableDriverApi);
	GET(cupti, finalize, cuptiFinalize);
	GET(cuda, init, cuInit);
	GET(cuda, load, cuModuleLoadData);
	GET(cuda, function, cuModuleGetFunction);
	GET(cuda, launch, cuLaunchKernel);
	GET(cuda, sync, cuStreamSynchronize);
#undef GET
	client.init(0);
	client.load(&module, "");
	client.function(&kernel, module, "k");
	client.subscribe(&client.handle, callback, NULL);
	client.reg(request, complete);
}

void client_launch(int n)
{
	while (n--)
		client.launch(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
}

void client_record(enum client_habit how, int n)
{
	habit = how;
	client.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	client_launch(n);
}

void client_end(void)
{
	client.disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	client.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	client.unsubscribe(client.handle);
	printf("%ld records, %ld without times\n", (long)records,
		(long)timeless);
}

long client_records(void)
{
	return records;
}
