/* bench.c - opens a GPU, and times batches of calls on it. */
#include "bench.h"
#include <time.h>

enum {
	BUFFER_MAX = 512 << 20, /* four times the largest L2, about 128 MB */
	BUFFER_MIN = 16 << 20,
	THREADS = 256,
	BATCHES = 5,
	REPEATS = 1000,
	WAIT_MAX_S = 60,
};

/* Long enough for clocks to settle, and 100,000 ticks of the events' timer. */
static const double bench_batch_s = 0.1;

/* Compiled by the driver for the device. `kernsift_fill` writes hashes of the
 * positions, `kernsift_triad` computes a = b + s * c in vectors of four. */
static const char bench_ptx[] =
	".version 7.0\n"
	".target sm_70\n"
	".address_size 64\n"
	".visible .entry kernsift_fill(.param .u64 to, .param .u64 n,\n"
	"\t.param .u32 and0, .param .u32 or0, .param .u32 and1, .param .u32 or1)\n"
	"{\n"
	"\t.reg .pred %p<3>;\n"
	"\t.reg .b32 %r<14>;\n"
	"\t.reg .b64 %rd<8>;\n"
	"\tld.param.u64 %rd1, [to];\n"
	"\tcvta.to.global.u64 %rd1, %rd1;\n"
	"\tld.param.u64 %rd2, [n];\n"
	"\tld.param.u32 %r1, [and0];\n"
	"\tld.param.u32 %r2, [or0];\n"
	"\tld.param.u32 %r3, [and1];\n"
	"\tld.param.u32 %r4, [or1];\n"
	"\tmov.u32 %r5, %ctaid.x;\n"
	"\tmov.u32 %r6, %ntid.x;\n"
	"\tmov.u32 %r7, %tid.x;\n"
	"\tmov.u32 %r8, %nctaid.x;\n"
	"\tcvt.u64.u32 %rd3, %r7;\n"
	"\tmad.wide.u32 %rd3, %r5, %r6, %rd3;\n"
	"\tmul.wide.u32 %rd4, %r8, %r6;\n"
	"NEXT:\n"
	"\tsetp.ge.u64 %p1, %rd3, %rd2;\n"
	"\t@%p1 bra DONE;\n"
	"\tcvt.u32.u64 %r9, %rd3;\n"
	"\tmul.lo.u32 %r10, %r9, 0x9E3779B1;\n"
	"\tshr.u32 %r11, %r10, 15;\n"
	"\txor.b32 %r10, %r10, %r11;\n"
	"\tmul.lo.u32 %r10, %r10, 0x85EBCA77;\n"
	"\tshr.u32 %r11, %r10, 13;\n"
	"\txor.b32 %r10, %r10, %r11;\n"
	"\tand.b32 %r11, %r9, 1;\n"
	"\tsetp.eq.u32 %p2, %r11, 0;\n"
	"\tselp.b32 %r12, %r1, %r3, %p2;\n"
	"\tselp.b32 %r13, %r2, %r4, %p2;\n"
	"\tand.b32 %r10, %r10, %r12;\n"
	"\tor.b32 %r10, %r10, %r13;\n"
	"\tshl.b64 %rd5, %rd3, 2;\n"
	"\tadd.s64 %rd6, %rd1, %rd5;\n"
	"\tst.global.u32 [%rd6], %r10;\n"
	"\tadd.s64 %rd3, %rd3, %rd4;\n"
	"\tbra NEXT;\n"
	"DONE:\n"
	"\tret;\n"
	"}\n"
	".visible .entry kernsift_triad(.param .u64 a, .param .u64 b,\n"
	"\t.param .u64 c, .param .u64 n, .param .f32 s)\n"
	"{\n"
	"\t.reg .pred %p<2>;\n"
	"\t.reg .b32 %r<5>;\n"
	"\t.reg .f32 %f<14>;\n"
	"\t.reg .b64 %rd<12>;\n"
	"\tld.param.u64 %rd1, [a];\n"
	"\tld.param.u64 %rd2, [b];\n"
	"\tld.param.u64 %rd3, [c];\n"
	"\tld.param.u64 %rd4, [n];\n"
	"\tld.param.f32 %f1, [s];\n"
	"\tcvta.to.global.u64 %rd1, %rd1;\n"
	"\tcvta.to.global.u64 %rd2, %rd2;\n"
	"\tcvta.to.global.u64 %rd3, %rd3;\n"
	"\tmov.u32 %r1, %ctaid.x;\n"
	"\tmov.u32 %r2, %ntid.x;\n"
	"\tmov.u32 %r3, %tid.x;\n"
	"\tcvt.u64.u32 %rd5, %r3;\n"
	"\tmad.wide.u32 %rd5, %r1, %r2, %rd5;\n"
	"\tsetp.ge.u64 %p1, %rd5, %rd4;\n"
	"\t@%p1 bra OUT;\n"
	"\tshl.b64 %rd6, %rd5, 4;\n"
	"\tadd.s64 %rd7, %rd1, %rd6;\n"
	"\tadd.s64 %rd8, %rd2, %rd6;\n"
	"\tadd.s64 %rd9, %rd3, %rd6;\n"
	"\tld.global.v4.f32 {%f2, %f3, %f4, %f5}, [%rd8];\n"
	"\tld.global.v4.f32 {%f6, %f7, %f8, %f9}, [%rd9];\n"
	"\tfma.rn.f32 %f10, %f6, %f1, %f2;\n"
	"\tfma.rn.f32 %f11, %f7, %f1, %f3;\n"
	"\tfma.rn.f32 %f12, %f8, %f1, %f4;\n"
	"\tfma.rn.f32 %f13, %f9, %f1, %f5;\n"
	"\tst.global.v4.f32 [%rd7], {%f10, %f11, %f12, %f13};\n"
	"OUT:\n"
	"\tret;\n"
	"}\n";

/* Allocates the buffers, as large as the free memory allows. */
static bool bench_memory(struct bench *b, struct err *e)
{
	struct gpu_library *l = b->lib;
	int result = l->cuda_memory_new(&b->workspace, BENCH_WORKSPACE);
	size_t bytes = BUFFER_MAX;

	for (int n = 0; result == GPU_OK && n < BENCH_BUFFERS;) {
		result = l->cuda_memory_new(&b->buffer[n], bytes);
		if (result == GPU_OK) {
			n++;
		} else if (result == GPU_OUT_OF_MEMORY && bytes > BUFFER_MIN) {
			while (n)
				l->cuda_memory_free(b->buffer[--n]);
			bytes /= 2;
			result = GPU_OK;
		} else
			b->buffer[n] = 0;
	}
	b->buffer_bytes = bytes;
	if (result == GPU_OUT_OF_MEMORY)
		return err_set(e, ERR_INPUT,
			"GPU %d has not enough free memory: %d MiB are needed "
			"at least (CUDA_ERROR_OUT_OF_MEMORY)",
			b->device,
			(BENCH_WORKSPACE + BENCH_BUFFERS * BUFFER_MIN) >> 20);
	return gpu_ok(l, result, "cuMemAlloc", e);
}

/* Without NVML the clocks are unknown. */
static void bench_nvml(struct bench *b)
{
	if (!b->lib->handles[GPU_NVML] ||
		b->lib->nvml_device(b->bus, &b->nvml) != GPU_OK)
		b->nvml = NULL;
}

bool bench_open(struct bench *b, struct gpu_library *lib, int device,
	struct err *e)
{
	*b = (struct bench){ .lib = lib, .device = device };
	if (!gpu_ok(lib, lib->cuda_device(&b->handle, device), "cuDeviceGet",
		    e) ||
		!gpu_ok(lib,
			lib->cuda_device_bus(b->bus, sizeof b->bus, b->handle),
			"cuDeviceGetPCIBusId", e) ||
		!gpu_ok(lib, lib->cuda_context_retain(&b->context, b->handle),
			"cuDevicePrimaryCtxRetain", e) ||
		!gpu_ok(lib, lib->cuda_context_use(b->context),
			"cuCtxSetCurrent", e) ||
		!gpu_ok(lib, lib->cuda_stream_new(&b->stream, 1),
			"cuStreamCreate", e) ||
		!gpu_ok(lib, lib->cuda_event_new(&b->begin, 0), "cuEventCreate",
			e) ||
		!gpu_ok(lib, lib->cuda_event_new(&b->end, 0), "cuEventCreate",
			e) ||
		!gpu_ok(lib, lib->cuda_module_new(&b->module, bench_ptx),
			"cuModuleLoadData", e) ||
		!gpu_ok(lib,
			lib->cuda_function(&b->fill, b->module,
				"kernsift_fill"),
			"cuModuleGetFunction", e) ||
		!gpu_ok(lib,
			lib->cuda_function(&b->triad, b->module,
				"kernsift_triad"),
			"cuModuleGetFunction", e))
		return false;
	bench_nvml(b);
	return bench_memory(b, e);
}

void bench_close(struct bench *b)
{
	struct gpu_library *l = b->lib;

	if (!b->context)
		return;
	l->cuda_context_use(b->context);
	for (int i = 0; i < BENCH_BUFFERS; i++)
		if (b->buffer[i])
			l->cuda_memory_free(b->buffer[i]);
	if (b->workspace)
		l->cuda_memory_free(b->workspace);
	if (b->module)
		l->cuda_module_free(b->module);
	if (b->begin)
		l->cuda_event_free(b->begin);
	if (b->end)
		l->cuda_event_free(b->end);
	if (b->stream)
		l->cuda_stream_free(b->stream);
	l->cuda_context_release(b->handle);
	*b = (struct bench){ 0 };
}

bool bench_fill(struct bench *b, uint64_t to, size_t bytes,
	const uint32_t mask[4], struct err *e)
{
	uint64_t n = bytes / 4;
	uint32_t m[4] = { mask[0], mask[1], mask[2], mask[3] };
	void *parameters[] = { &to, &n, &m[0], &m[1], &m[2], &m[3] };
	unsigned blocks = 65535;

	return gpu_ok(b->lib,
		b->lib->cuda_launch(b->fill, blocks, 1, 1, THREADS, 1, 1, 0,
			b->stream, parameters, NULL),
		"cuLaunchKernel", e);
}

/* Sums of the readings of NVML during a batch. */
struct bench_readings {
	double sm, memory;
	int n;
};

static void bench_read_clocks(const struct bench *b, struct bench_readings *r)
{
	unsigned sm, memory;

	if (!b->nvml ||
		b->lib->nvml_clock(b->nvml, GPU_CLOCK_SM, &sm) != GPU_OK ||
		b->lib->nvml_clock(b->nvml, GPU_CLOCK_MEMORY, &memory) !=
			GPU_OK)
		return;
	r->sm += sm;
	r->memory += memory;
	r->n++;
}

/* Waits for the end of a batch and reads the clocks meanwhile. */
static bool bench_wait(const struct bench *b, struct bench_readings *r,
	struct err *e)
{
	const struct timespec pause = { 0, 1000000 };
	time_t until = time(NULL) + WAIT_MAX_S;
	int result;

	while ((result = b->lib->cuda_event_query(b->end)) == GPU_NOT_READY) {
		if (time(NULL) > until)
			return err_set(e, ERR_INPUT,
				"GPU %d does not finish a measurement within "
				"%d s",
				b->device, WAIT_MAX_S);
		bench_read_clocks(b, r);
		nanosleep(&pause, NULL);
	}
	return gpu_ok(b->lib, result, "cuEventQuery", e);
}

/* Seconds of one of n calls. */
static bool bench_batch(struct bench *b, bench_call *call, void *arg, int n,
	double *s, struct bench_readings *r, struct err *e)
{
	float ms = 0;

	*r = (struct bench_readings){ 0 };
	if (!gpu_ok(b->lib, b->lib->cuda_event_record(b->begin, b->stream),
		    "cuEventRecord", e))
		return false;
	for (int i = 0; i < n; i++)
		if (!call(b, arg, e))
			return false;
	if (!gpu_ok(b->lib, b->lib->cuda_event_record(b->end, b->stream),
		    "cuEventRecord", e) ||
		!bench_wait(b, r, e) ||
		!gpu_ok(b->lib,
			b->lib->cuda_event_elapsed(&ms, b->begin, b->end),
			"cuEventElapsedTime", e))
		return false;
	*s = (double)ms / 1e3 / n;
	return *s > 0 || err_set(e, ERR_INPUT,
				 "GPU %d reports that a measurement took no "
				 "time",
				 b->device);
}

bool bench_time(struct bench *b, bench_call *call, void *arg, double *s,
	struct bench_clocks *clocks, struct err *e)
{
	struct bench_readings r;
	double once = 0;

	/* the first call also loads code, so the second one is timed */
	for (int i = 0; i < 2; i++)
		if (!bench_batch(b, call, arg, 1, &once, &r, e))
			return false;
	int n = once * REPEATS < bench_batch_s ? REPEATS
					       : (int)(bench_batch_s / once);
	*s = 0;
	*clocks = (struct bench_clocks){ -1, -1 };
	for (int i = 0; i < BATCHES; i++) {
		double batch;

		if (!bench_batch(b, call, arg, n ? n : 1, &batch, &r, e))
			return false;
		if (*s > 0 && batch >= *s)
			continue;
		*s = batch;
		if (r.n)
			*clocks =
				(struct bench_clocks){ (int)(r.sm / r.n + 0.5),
					(int)(r.memory / r.n + 0.5) };
		else
			*clocks = (struct bench_clocks){ -1, -1 };
	}
	return true;
}
