/* nvtx_host.c - a program with two libraries that use NVTX, each with its own
 * copy.
 *
 * The program waits until the collector records. Then both libraries open
 * ranges, nested and in two threads. At the end the program launches a kernel
 * inside each range that a framework would open. */
#include "nvtx_client.h"
#include <cuda.h>
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct nvtx_client {
	__typeof__(&nvtx_client_say) say;
	__typeof__(&nvtx_client_recorded) recorded;
};

static struct cuda {
	__typeof__(&cuInit) init;
	__typeof__(&cuDevicePrimaryCtxRetain) retain;
	__typeof__(&cuModuleLoadData) load;
	__typeof__(&cuModuleGetFunction) function;
	__typeof__(&cuLaunchKernel) launch;
	__typeof__(&cuStreamSynchronize) sync;
	CUfunction kernel;
} cuda;

static void *symbol(void *library, const char *name)
{
	void *at = library ? dlsym(library, name) : NULL;
	if (!at) {
		fprintf(stderr, "nvtx_host: %s\n", dlerror());
		exit(2);
	}
	return at;
}

static void begin(void)
{
	void *l = dlopen("libcuda.so.1", RTLD_NOW);
	CUcontext context;
	CUmodule module;
	*(void **)&cuda.init = symbol(l, "cuInit");
	*(void **)&cuda.retain = symbol(l, "cuDevicePrimaryCtxRetain");
	*(void **)&cuda.load = symbol(l, "cuModuleLoadData");
	*(void **)&cuda.function = symbol(l, "cuModuleGetFunction");
	*(void **)&cuda.launch = symbol(l, "cuLaunchKernel");
	*(void **)&cuda.sync = symbol(l, "cuStreamSynchronize");
	if (cuda.init(0) || cuda.retain(&context, 0) ||
		cuda.load(&module, "") ||
		cuda.function(&cuda.kernel, module, "gemm"))
		exit(3);
}

static struct nvtx_client open_teller(const char *path)
{
	void *l = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	struct nvtx_client t;
	*(void **)&t.say = symbol(l, "nvtx_client_say");
	*(void **)&t.recorded = symbol(l, "nvtx_client_recorded");
	return t;
}

/* Ranges as PyTorch, SGLang and vLLM write them, a kernel in each. */
static void launch_in_ranges(void)
{
	static const char *const ranges[] = {
		"aten::mm, op_id = 1529997, sizes = [[4, 1024], [1024, 2048]], "
		"input_op_ids = [(1529991,0), (1529993,0)]",
		"aten::mul, seq = 5, op_id = 871, sizes = [[4, 256], [4, 1]]",
		"{'Module': 'model.layers.0.self_attn.qkv_proj', "
		"'TrainableParams': {'weight': [6144, 4096]}, 'Inputs': "
		"[[1, 4096]], 'StaticParams': {'in_features': 4096, "
		"'out_features': 6144}}",
		"gpu_model_runner: forward",
	};
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
		nvtxRangePushA(ranges[i]);
		printf("pushed\t%ld\t\t%s\t\n", (long)syscall(SYS_gettid),
			ranges[i]);
		if (cuda.launch(cuda.kernel, 8, 1, 1, 128, 1, 1, 0, NULL, NULL,
			    NULL))
			exit(4);
		nvtxRangePop();
	}
	cuda.sync(NULL);
}

static void say(void *ctx)
{
	const struct nvtx_client *t = ctx;
	t->say(NULL, NULL);
}

static void *in_a_thread(void *ctx)
{
	say(ctx);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t id;
	if (argc != 3)
		return 1;
	begin();
	struct nvtx_client a = open_teller(argv[1]), b = open_teller(argv[2]);
	while (!a.recorded())
		usleep(1000);
	while (!b.recorded())
		usleep(1000);
	a.say(say, &b);
	if (pthread_create(&id, NULL, in_a_thread, &b) ||
		pthread_join(id, NULL))
		return 5;
	launch_in_ranges();
	return 0;
}
