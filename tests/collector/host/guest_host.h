/* guest_host.h - the declarations that the files of the host program share. */
#pragma once
#include "../fake/door.h"
#include <cuda.h>
#include <cudaProfiler.h>
#include <stdbool.h>

/* The functions of the driver; all NULL if there is none. */
struct cuda {
	void *handle;
#define CUDA(field, symbol) __typeof__(&symbol) field;
#include "cuda.def"
#undef CUDA
};

struct host {
	struct cuda cuda;
	CUmodule module;
	CUfunction kernel[8];
	long rate; /* launches per second and thread; 0: as fast as possible */
	long nvtx; /* ranges around each launch */
	bool emit; /* ranges such as emit_nvtx's around a graph's kernels */
	bool runtime; /* launches go through the runtime */
	char **rest; /* the words behind this one, for exec */
};

_Noreturn void host_fail(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* A possible word; `argument` is the text after its colon, or "". */
typedef void action_fn(struct host *h, const char *argument);
void host_do(struct host *h, const char *word);

/* host_work.c */
action_fn do_init, do_try, do_launch, do_threads, do_graph, do_copies, do_sets,
	do_reload, do_dlclose, do_reset, do_profiler, do_sync, do_ranges,
	do_flood;

/* host_life.c */
bool host_recording(void); /* kernels are, by libcupti */
action_fn do_fork, do_exec, do_spawn, do_daemon, do_exit, do_quick_exit,
	do_abort, do_raise, do_sleep, do_wait, do_touch, do_say, do_state,
	do_hold, do_steal, do_recording;
