/* nvml.h - counters of this machine's GPUs, read through NVML if it is
 * installed.
 *
 * The thread that reads NVML also opens it, because opening may take long. If
 * a library lacks a function or a GPU refuses a query, only that series is
 * switched off, for the rest of the window. A lost GPU is not read again. Once
 * nvml_ready() is true, two threads may read at the same time, one with
 * nvml_round() and the other with nvml_pcie(). */
#pragma once
#include "nvml_abi.h"
#include "samples.h"
#include "visible.h"
#include <stdatomic.h>

enum { NVML_PROCESSES = 256 };

struct nvml_gpu {
	nvml_device handle;
	int32_t number; /* CUDA's device number */
	char name[VISIBLE_TEXT], uuid[VISIBLE_TEXT]; /* "" unknown */
	int major, minor; /* -1 unknown, likewise below */
	int64_t sm_count, memory_bytes, sm_clock_max_mhz, power_cap_mw;
	_Atomic bool lost;
	_Atomic uint32_t off; /* one bit per counter that is switched off */
	struct rate energy, transmit, receive;
	unsigned long long since_us;
};

struct nvml {
	struct nvml_calls {
#define NVML(field, symbol, older, arguments) int(*field) arguments;
#include "nvml.def"
#undef NVML
	} call;
	void *handle;
	_Atomic bool ready;
	_Atomic uint32_t
		logged; /* one bit per series whose absence is in the log */
	char driver[96];
	int n;
	int order_unknown; /* GPUs whose CUDA number is unknown */
	bool first_namespace; /* this process is in the first pid namespace */
	int64_t slow_due_ns;
	struct nvml_gpu gpu[VISIBLE_MAX];
	struct nvml_process process[NVML_PROCESSES];
};

struct nvml_place { /* the process's settings, copied */
	const char *library, *proc;
	const char *visible, *order; /* NULL not set */
};

/* Opens NVML if it is not open, and begins a window. Returns false and a
 * sentence if NVML cannot be used. */
bool nvml_open(struct nvml *n, const struct nvml_place *p,
	char sentence[static 256]);
bool nvml_ready(struct nvml *n);
void nvml_close(struct nvml *n);

/* nvml_round() reads all GPUs. It calls `stop` before each GPU and ends if
 * that returns true. */
typedef bool nvml_stop_fn(void *ctx);
void nvml_round(struct nvml *n, struct samples *to, nvml_stop_fn *stop,
	void *ctx);
void nvml_pcie(struct nvml *n, struct samples *to, nvml_stop_fn *stop,
	void *ctx);
