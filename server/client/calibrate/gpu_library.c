/* gpu_library.c - opens the libraries by the names under which they are
 * installed, and looks their functions up. */
#include "gpu_library.h"
#include <dlfcn.h>
#include <string.h>

struct gpu_library_symbol {
	const char *name;
	size_t at; /* of the pointer in struct gpu_library */
};

static const struct gpu_library_symbol gpu_library_cuda[] = {
#define CUDA(member, symbol, parameters) \
	{ #symbol, offsetof(struct gpu_library, cuda_##member) },
#define BLAS(member, symbol, parameters)
#define NCCL(member, symbol, parameters)
#define NVML(member, symbol, parameters)
#include "gpu_calls.def"
#undef CUDA
#undef BLAS
	{ NULL, 0 }
}, gpu_library_blas[] = {
#define CUDA(member, symbol, parameters)
#define BLAS(member, symbol, parameters) \
	{ #symbol, offsetof(struct gpu_library, blas_##member) },
#include "gpu_calls.def"
#undef BLAS
#undef NCCL
	{ NULL, 0 }
}, gpu_library_nccl[] = {
#define BLAS(member, symbol, parameters)
#define NCCL(member, symbol, parameters) \
	{ #symbol, offsetof(struct gpu_library, nccl_##member) },
#include "gpu_calls.def"
#undef NCCL
#undef NVML
	{ NULL, 0 }
}, gpu_library_nvml[] = {
#define NCCL(member, symbol, parameters)
#define NVML(member, symbol, parameters) \
	{ #symbol, offsetof(struct gpu_library, nvml_##member) },
#include "gpu_calls.def"
#undef CUDA
#undef BLAS
#undef NCCL
#undef NVML
	{ NULL, 0 }
};

static const struct {
	const char *what, *names[5]; /* the newest first */
	const struct gpu_library_symbol *symbols;
} gpu_library_all[] = {
	[GPU_CUDA] = { "NVIDIA's driver", { "libcuda.so.1" },
		gpu_library_cuda },
	[GPU_BLAS] = { "cuBLASLt",
		{ "libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11",
			"libcublasLt.so" },
		gpu_library_blas },
	[GPU_NCCL] = { "NCCL", { "libnccl.so.2", "libnccl.so" },
		gpu_library_nccl },
	[GPU_NVML] = { "NVML", { "libnvidia-ml.so.1" }, gpu_library_nvml },
};

bool gpu_library_open(struct gpu_library *l, enum gpu_which which,
	struct err *e)
{
	const char *what = gpu_library_all[which].what;
	void *handle = NULL;

	/* They stay loaded: cuBLASLt and NCCL do not free all of their memory
	 * when they are unloaded. */
	for (int i = 0; !handle && gpu_library_all[which].names[i]; i++)
		handle = dlopen(gpu_library_all[which].names[i],
			RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!handle)
		return err_set(e, ERR_NOT_FOUND,
			"%s was not found: no %s on the library path "
			"(LD_LIBRARY_PATH can name its folder)",
			what, gpu_library_all[which].names[0]);
	for (const struct gpu_library_symbol *s =
			gpu_library_all[which].symbols;
		s->name; s++) {
		void *found = dlsym(handle, s->name);

		if (!found) {
			dlclose(handle);
			return err_set(e, ERR_NOT_FOUND,
				"%s has no %s; is it older than CUDA 11?", what,
				s->name);
		}
		memcpy((char *)l + s->at, &found, sizeof found);
	}
	int result = which == GPU_NVML ? l->nvml_init() : GPU_OK;
	if (result != GPU_OK) {
		dlclose(handle);
		return err_set(e, ERR_INPUT, "nvmlInit returns %d", result);
	}
	l->handles[which] = handle;
	return true;
}

void gpu_library_close(struct gpu_library *l)
{
	if (l->handles[GPU_NVML])
		l->nvml_shutdown();
	for (int i = GPU_NVML; i >= GPU_CUDA; i--)
		if (l->handles[i])
			dlclose(l->handles[i]);
	*l = (struct gpu_library){ 0 };
}

bool gpu_ok(const struct gpu_library *l, int result, const char *function,
	struct err *e)
{
	const char *name = NULL;

	if (result == GPU_OK)
		return true;
	if (l->cuda_error_name(result, &name) != GPU_OK || !name)
		return err_set(e, ERR_INPUT, "%s: the driver returns %d",
			function, result);
	return err_set(e, ERR_INPUT, "%s: the driver returns %s", function,
		name);
}
