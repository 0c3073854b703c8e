/* fake_nvml.h - the declarations that the two files of the fake NVML share. */
#pragma once
#include "nvml_abi.h"
#include <stdatomic.h>
#include <stdbool.h>

#define CALL __attribute__((visibility("default"))) int
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

enum { GPUS = 16 };

struct nvml_handle {
	int index;
	atomic_int reads, energy, links;
};

extern struct fake {
	char words[1024];
	int gpus, absent, lost, lost_turn, slow_ms, pcie_ms;
	bool mixed, link32;
	atomic_int open, busy, pcie; /* readings under way; of PCIe so far */
	struct nvml_handle gpu[GPUS];
} fake;

/* The result of a call, from fail=CALL:CODE of FAKE_NVML. */
int fake_result(const char *call);
/* The same for a call that may be slow, of a GPU that may be lost. */
int fake_ask(struct nvml_handle *d, const char *call);
void fake_pause(int ms);
