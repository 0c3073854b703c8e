/* calibrate.c - finds the GPU, measures its memory, and calls the other
 * measurements. */
#include "calibration.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool calibrate_copy(struct bench *b, void *arg, struct err *e)
{
	(void)arg;
	return gpu_ok(b->lib,
		b->lib->cuda_copy(b->buffer[0], b->buffer[1], b->buffer_bytes,
			b->stream),
		"cuMemcpyDtoDAsync", e);
}

static bool calibrate_triad(struct bench *b, void *arg, struct err *e)
{
	enum { VECTOR = 16, THREADS = 256 };
	uint64_t n = b->buffer_bytes / VECTOR;
	float s = 3;
	void *parameters[] = { &b->buffer[0], &b->buffer[1], &b->buffer[2], &n,
		&s };

	(void)arg;
	return gpu_ok(b->lib,
		b->lib->cuda_launch(b->triad,
			(unsigned)((n + THREADS - 1) / THREADS), 1, 1, THREADS,
			1, 1, 0, b->stream, parameters, NULL),
		"cuLaunchKernel", e);
}

/* A copy reads and writes each byte once; the triad reads two and writes one. */
static void calibrate_memory(struct calibration *c)
{
	static const struct {
		const char *measurement, *method;
		bench_call *call;
		int buffers;
	} all[] = {
		{ "copy", "cuMemcpyDtoDAsync of", calibrate_copy, 2 },
		{ "triad", "a = b + s * c in fp32, each of", calibrate_triad,
			3 },
	};
	struct bench *b = &c->bench;
	int l2 = 0;

	if (c->lib.cuda_device_attribute(&l2, GPU_L2_BYTES, b->handle) ==
			GPU_OK &&
		(size_t)l2 * 4 > b->buffer_bytes) {
		calibration_say(c, true,
			"copy, triad: the free memory allows %zu MiB per "
			"array, and the L2 cache of %d MiB would hold too much "
			"of it",
			b->buffer_bytes >> 20, l2 >> 20);
		return;
	}
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct bench_clocks clocks;
		struct err e = { 0 };
		double s;

		if (!bench_time(b, all[i].call, NULL, &s, &clocks, &e)) {
			calibration_say(c, true, "%s: %s", all[i].measurement,
				e.text);
			continue;
		}
		struct calibrate_row *r = calibration_row_new(c,
			all[i].measurement, "bytes_per_s",
			(double)b->buffer_bytes * all[i].buffers / s, &clocks);
		snprintf(r->method, sizeof r->method,
			"%s %zu MiB, best of 5 batches", all[i].method,
			b->buffer_bytes >> 20);
	}
}

/* Without NVML the clocks and the driver's version are unknown. */
static void calibrate_versions(struct calibration *c)
{
	struct err e = { 0 };
	int version = 0;

	if (c->lib.cuda_version(&version) == GPU_OK && version > 0)
		snprintf(c->out->cuda, sizeof c->out->cuda, "%d.%d",
			version / 1000, version % 1000 / 10);
	if (!gpu_library_open(&c->lib, GPU_NVML, &e)) {
		calibration_say(c, false, "clocks: %s", e.text);
		return;
	}
	if (c->lib.nvml_driver(c->out->driver, sizeof c->out->driver) != GPU_OK)
		c->out->driver[0] = '\0';
}

static bool calibrate_device(struct calibration *c, int device, struct err *e)
{
	struct gpu_library *l = &c->lib;
	int handle, result;

	if (!gpu_library_open(l, GPU_CUDA, e))
		return false;
	result = l->cuda_init(0);
	if (result == GPU_OK)
		result = l->cuda_device_count(&c->devices);
	if (result == GPU_NO_DEVICE || (result == GPU_OK && !c->devices))
		return err_set(e, ERR_NOT_FOUND,
			"this machine has no GPU that CUDA can use");
	if (!gpu_ok(l, result, "cuInit", e))
		return false;
	if (device >= c->devices)
		return err_set(e, ERR_INPUT,
			"--device: there is no GPU %d; the machine has %d, "
			"counted from 0",
			device, c->devices);
	return gpu_ok(l, l->cuda_device(&handle, device), "cuDeviceGet", e) &&
	       gpu_ok(l,
		       l->cuda_device_name(c->out->device,
			       sizeof c->out->device, handle),
		       "cuDeviceGetName", e);
}

bool calibrate_run(int device, struct calibrate_result *out, struct err *e)
{
	struct calibration c = { .out = out };

	*out = (struct calibrate_result){ 0 };
	bool ok = calibrate_device(&c, device, e);
	if (ok) {
		calibrate_versions(&c);
		ok = bench_open(&c.bench, &c.lib, device, e);
		if (ok) {
			gemm_rates_measure(&c);
			calibrate_memory(&c);
			link_rates_measure(&c);
		}
		bench_close(&c.bench);
	}
	gpu_library_close(&c.lib);
	return ok;
}
