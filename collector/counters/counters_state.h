/* counters_state.h - the state of the sampling threads, for counters.c and its
 * test. */
#pragma once
#include "counters.h"
#include "host.h"
#include "nvml.h"
#include "thread.h"

enum { SAMPLER_HOST, SAMPLER_NVML, SAMPLER_PCIE, SAMPLERS };

struct sampler {
	struct counters *of;
	void *(*main)(void *sampler);
	const char *name;
	int64_t period_ns;
	struct samples *to; /* NULL: this sampler is not wanted */
	struct thread_event wake;
	_Atomic bool stop, running;
};

struct counters {
	struct sampler sampler[SAMPLERS];
	struct nvml nvml; /* belongs to ks-nvml; once ready, any thread may
			   * read it */
	struct host host; /* belongs to ks-host */
	struct nvml_place place;
	char library[512], visible[4096], order[64];
	bool opened; /* the files of `host` are open */
	/* For the writing thread: what the current capture contains already. */
	bool noted_gpus, noted_host, noted_tasks;
	int64_t text[COUNTERS]; /* ids of the counters' names; 0: not written
				 * yet */
};
