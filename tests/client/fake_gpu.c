/* fake_gpu.c - the libraries that `kernsift calibrate` opens, with GPUs of known
 * speed. It is built once per library (FAKE_CUDA, FAKE_BLAS, FAKE_NCCL,
 * FAKE_NVML).
 *
 * Time is virtual: work advances a clock, and an event records it. So a test can
 * compute the rates:
 *   product of n x n matrices   the type's rate with n = 4096, half of it with
 *                               2048, 0.9 of it with 8192
 *   copy                        4e12 bytes/s, read and written
 *   triad                       3.5e12 bytes/s, all three arrays
 *   all-reduce                  4.5e11 bytes/s bus bandwidth
 * The first call of each kind takes 1 s more, and every second batch is slower
 * by a tenth: neither may change a result. NVML reports 1970 and 1990 MHz in
 * turn, and 2619 MHz of the memory.
 *
 * The environment variable FAKE_GPU has words:
 *   gpus=N            number of GPUs; 1
 *   mixed=N           the last N GPUs have another name
 *   memory=MIB        free memory of each; 4096
 *   init=CODE         what cuInit returns
 *   fail=SYMBOL:CODE  what a function returns */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Advances the clock; `kind` is a small number of the kind of work. */
void fake_gpu_work(int kind, double s);
/* What the function returns; `otherwise` if FAKE_GPU does not say. */
int fake_gpu_result(const char *symbol);

#ifdef FAKE_CUDA

/* CUDA's handle of a device is not its index. */
enum { KINDS = 64, MIB = 1 << 20, HANDLE = 1000 };

static double now_s;
static bool seen[KINDS];
static int records, pending;
static int64_t used[64];
static int current;

static int index_of(int handle)
{
	if (handle < HANDLE || handle >= HANDLE + 64) {
		fprintf(stderr, "fake: %d is no handle of a GPU\n", handle);
		abort();
	}
	return handle - HANDLE;
}

static long word(const char *name, long otherwise)
{
	const char *words = getenv("FAKE_GPU");
	size_t len = strlen(name);

	for (const char *p = words ? words : ""; *p; p += strspn(p, " ")) {
		if (!strncmp(p, name, len) && p[len] == '=')
			return strtol(p + len + 1, NULL, 10);
		p += strcspn(p, " ");
	}
	return otherwise;
}

int fake_gpu_result(const char *symbol)
{
	const char *words = getenv("FAKE_GPU"), *at;
	char key[100];

	snprintf(key, sizeof key, "fail=%s:", symbol);
	at = words ? strstr(words, key) : NULL;
	return at ? (int)strtol(at + strlen(key), NULL, 10) : 0;
}

void fake_gpu_work(int kind, double s)
{
	/* an end follows a begin: records counts both */
	now_s += s * (records / 2 % 2 ? 1.1 : 1);
	if (!seen[kind])
		now_s += 1;
	seen[kind] = true;
}

int cuInit(unsigned flags)
{
	(void)flags;
	return (int)word("init", 0);
}

int cuDriverGetVersion(int *version)
{
	*version = 13000;
	return 0;
}

int cuDeviceGetCount(int *n)
{
	*n = (int)word("gpus", 1);
	return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
	*device = HANDLE + ordinal;
	return fake_gpu_result("cuDeviceGet");
}

int cuDeviceGetName(char *to, int room, int device)
{
	bool other = index_of(device) >= word("gpus", 1) - word("mixed", 0);

	snprintf(to, (size_t)room, "NVIDIA %s", other ? "A10" : "H20");
	return 0;
}

int cuDeviceGetPCIBusId(char *to, int room, int device)
{
	snprintf(to, (size_t)room, "0000:%02x:00.0", index_of(device) + 1);
	return 0;
}

int cuDeviceGetAttribute(int *to, int attribute, int device)
{
	index_of(device);
	*to = attribute == 38 ? 50 * MIB : 0;
	return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
	static char contexts[64];

	current = index_of(device);
	*context = &contexts[current];
	return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
	int i = index_of(device);

	if (used[i]) {
		fprintf(stderr, "fake: %lld bytes of GPU %d are not freed\n",
			(long long)used[i], i);
		abort();
	}
	return 0;
}

int cuCtxSetCurrent(void *context)
{
	(void)context;
	return 0;
}

/* An address is a counter of bytes; its size is before it. */
int cuMemAlloc_v2(uint64_t *at, size_t bytes)
{
	int result = fake_gpu_result("cuMemAlloc_v2");
	uint64_t *block;

	if (result)
		return result;
	if (used[current] + (int64_t)bytes > word("memory", 4096) * MIB)
		return 2;
	used[current] += (int64_t)bytes;
	block = malloc(2 * sizeof *block);
	block[0] = bytes;
	block[1] = (uint64_t)current;
	*at = (uint64_t)(uintptr_t)block;
	return 0;
}

int cuMemFree_v2(uint64_t at)
{
	uint64_t *block = (uint64_t *)(uintptr_t)at;

	used[block[1]] -= (int64_t)block[0];
	free(block);
	return 0;
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream)
{
	(void)stream;
	if (to == from)
		abort();
	fake_gpu_work(0, 2 * (double)bytes / 4e12);
	return fake_gpu_result("cuMemcpyDtoDAsync_v2");
}

int cuStreamCreate(void **stream, unsigned flags)
{
	static char stream_there;

	(void)flags;
	*stream = &stream_there;
	return 0;
}

int cuStreamDestroy_v2(void *stream)
{
	(void)stream;
	return 0;
}

int cuEventCreate(void **event, unsigned flags)
{
	(void)flags;
	*event = calloc(1, sizeof(double));
	return 0;
}

int cuEventDestroy_v2(void *event)
{
	free(event);
	return 0;
}

int cuEventRecord(void *event, void *stream)
{
	(void)stream;
	*(double *)event = now_s;
	records++;
	pending = 2;
	return 0;
}

int cuEventQuery(void *event)
{
	int result = fake_gpu_result("cuEventQuery");

	(void)event;
	return result ? result : pending-- > 0 ? 600 : 0;
}

int cuEventElapsedTime(float *ms, void *from, void *to)
{
	*ms = (float)((*(double *)to - *(double *)from) * 1e3);
	return 0;
}

int cuGetErrorName(int error, const char **name)
{
	*name = error == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
		: error == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
			       : NULL;
	return *name ? 0 : 1;
}

int cuModuleLoadData(void **module, const void *image)
{
	*module = (void *)(uintptr_t)image;
	return fake_gpu_result("cuModuleLoadData");
}

int cuModuleUnload(void *module)
{
	(void)module;
	return 0;
}

/* A function is its name in the module's text. */
int cuModuleGetFunction(void **function, void *module, const char *name)
{
	*function = strstr(module, name);
	return *function ? 0 : 500;
}

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
	unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream,
	void **parameters, void **extra)
{
	uint64_t n;

	(void)gy, (void)gz, (void)by, (void)bz, (void)shared, (void)stream,
		(void)extra;
	if (strncmp(function, "kernsift_triad", 14) != 0)
		return 0; /* fills take no time */
	n = *(uint64_t *)parameters[3];
	if ((uint64_t)gx * bx < n || *(float *)parameters[4] != 3)
		abort();
	fake_gpu_work(1, 3 * 16 * (double)n / 3.5e12);
	return fake_gpu_result("cuLaunchKernel");
}

#endif
#ifdef FAKE_BLAS

struct matrix {
	int type;
	uint64_t size;
};

struct product {
	int compute, scale;
	bool transposed;
};

/* The rates of the types of A, by CUDA's numbers of types. */
static double rate(const struct product *p, int type)
{
	return type == 1		       ? 6e13
	       : type == 0 && p->compute == 68 ? 5e13
	       : type == 0		       ? 4e14
	       : type == 2		       ? 8e14
	       : type == 14		       ? 7e14
	       : type == 28		       ? 1.5e15
	       : type == 29		       ? 1.4e15
					       : 0;
}

int cublasLtCreate(void **handle)
{
	static char there;

	*handle = &there;
	return fake_gpu_result("cublasLtCreate");
}

int cublasLtDestroy(void *handle)
{
	(void)handle;
	return 0;
}

int cublasLtMatmulDescCreate(void **product, int compute, int scale)
{
	struct product *p = calloc(1, sizeof *p);

	p->compute = compute;
	p->scale = scale;
	*product = p;
	return 0;
}

int cublasLtMatmulDescDestroy(void *product)
{
	free(product);
	return 0;
}

int cublasLtMatmulDescSetAttribute(void *product, int attribute,
	const void *value, size_t size)
{
	struct product *p = product;

	if (attribute != 3 || size != 4 || *(const int32_t *)value != 1)
		abort();
	p->transposed = true;
	return 0;
}

int cublasLtMatrixLayoutCreate(void **matrix, int type, uint64_t rows,
	uint64_t columns, int64_t stride)
{
	struct matrix *m = calloc(1, sizeof *m);

	if (rows != columns || (int64_t)rows != stride)
		abort();
	m->type = type;
	m->size = rows;
	*matrix = m;
	return 0;
}

int cublasLtMatrixLayoutDestroy(void *matrix)
{
	free(matrix);
	return 0;
}

int cublasLtMatmulPreferenceCreate(void **preference)
{
	*preference = calloc(1, 1);
	return 0;
}

int cublasLtMatmulPreferenceDestroy(void *preference)
{
	free(preference);
	return 0;
}

int cublasLtMatmulPreferenceSetAttribute(void *preference, int attribute,
	const void *value, size_t size)
{
	(void)preference;
	if (attribute != 1 || size != 8 || *(const uint64_t *)value != 32 << 20)
		abort();
	return 0;
}

/* The layout of cublasLtMatmulHeuristicResult_t. */
struct choice {
	uint64_t algorithm[8];
	size_t workspace;
	int status;
	float waves;
	int reserved[4];
};

int cublasLtMatmulAlgoGetHeuristic(void *handle, void *product, void *a,
	void *b, void *c, void *d, void *preference, int most,
	struct choice *choices, int *n)
{
	struct product *p = product;

	(void)handle, (void)b, (void)c, (void)d, (void)preference;
	if (!p->transposed || most != 1)
		abort();
	if (!(rate(p, ((struct matrix *)a)->type) > 0))
		return 15;
	*choices = (struct choice){ .algorithm = { 77 } };
	*n = 1;
	return fake_gpu_result("cublasLtMatmulAlgoGetHeuristic");
}

int cublasLtMatmul(void *handle, void *product, const void *alpha, uint64_t a,
	void *a_layout, uint64_t b, void *b_layout, const void *beta,
	uint64_t c, void *c_layout, uint64_t d, void *d_layout,
	const uint64_t *algorithm, uint64_t workspace, size_t workspace_bytes,
	void *stream)
{
	struct product *p = product;
	struct matrix *m = a_layout;
	double n = (double)m->size, part = n < 3000 ? 0.5 : n < 5000 ? 1 : 0.9;
	bool one = p->scale == 1 ? *(const double *)alpha == 1
				 : *(const float *)alpha == 1;

	(void)handle, (void)b_layout, (void)beta, (void)c_layout,
		(void)d_layout, (void)stream;
	if (!one || a == b || b == d || c != d || *algorithm != 77 ||
		!workspace || workspace_bytes != 32 << 20)
		abort();
	fake_gpu_work(2 + m->type, 2 * n * n * n / (part * rate(p, m->type)));
	return fake_gpu_result("cublasLtMatmul");
}

#endif
#ifdef FAKE_NCCL

static int members;
static char there[64];
static double bytes;
static uint64_t filled[64];

int ncclCommInitAll(void **list, int n, const int *devices)
{
	for (int i = 0; i < n; i++)
		list[i] = &there[devices[i]];
	members = n;
	return fake_gpu_result("ncclCommInitAll");
}

int ncclCommDestroy(void *member)
{
	(void)member;
	return 0;
}

int ncclGroupStart(void)
{
	bytes = 0;
	return 0;
}

/* Only the members' inputs that were broadcast may be summed. */
int ncclBroadcast(uint64_t from, uint64_t to, size_t n, int type, int root,
	char *member, void *stream)
{
	(void)stream, (void)n;
	if (from != to || type != 7 || root)
		abort();
	filled[member - there] = to;
	return fake_gpu_result("ncclBroadcast");
}

int ncclAllReduce(uint64_t from, uint64_t to, size_t n, int type, int operation,
	char *member, void *stream)
{
	(void)stream;
	if (from == to || from != filled[member - there] || type != 7 ||
		operation)
		abort();
	bytes += 4 * (double)n;
	return fake_gpu_result("ncclAllReduce");
}

int ncclGroupEnd(void)
{
	double each = bytes / members;

	fake_gpu_work(40, 2.0 * (members - 1) / members * each / 4.5e11);
	return 0;
}

#endif
#ifdef FAKE_NVML

int nvmlInit_v2(void)
{
	return 0;
}

int nvmlShutdown(void)
{
	return 0;
}

int nvmlSystemGetDriverVersion(char *to, unsigned room)
{
	snprintf(to, room, "580.65.06");
	return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device)
{
	static char there;

	*device = &there;
	return strncmp(bus, "0000:", 5) ? 6 : 0;
}

int nvmlDeviceGetClockInfo(void *device, int domain, unsigned *mhz)
{
	static int reading;

	(void)device;
	*mhz = domain == 2 ? 2619 : reading++ % 2 ? 1990 : 1970;
	return 0;
}

#endif
