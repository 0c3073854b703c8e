/* visible.h - which GPU of the machine is which CUDA device.
 *
 * NVML numbers GPUs by their position on the bus. CUDA numbers the GPUs that
 * CUDA_VISIBLE_DEVICES lists, in that order, and reads CUDA_DEVICE_ORDER.
 * Unless CUDA_DEVICE_ORDER is PCI_BUS_ID, CUDA sorts the fastest GPUs first.
 * That is the order of the bus if all GPUs are equal, and unknown if they are
 * not. */
#pragma once
#include <stdbool.h>

enum { VISIBLE_MAX = 64, VISIBLE_TEXT = 96 };

struct visible_gpu { /* in NVML's order */
	char uuid[VISIBLE_TEXT], name[VISIBLE_TEXT];
};

struct visible {
	int n; /* number of CUDA devices */
	/* The index of the GPU, by CUDA's device number. -1 for a part of a
	 * GPU (MIG), whose UUID is in mig[]. */
	int gpu[VISIBLE_MAX];
	char mig[VISIBLE_MAX][VISIBLE_TEXT];
	bool unknown; /* the mapping is unknown: n is 0 */
};

/* `list` is CUDA_VISIBLE_DEVICES, `order` CUDA_DEVICE_ORDER; NULL: not set. */
void visible_from(struct visible *v, const struct visible_gpu *gpus, int n,
	const char *list, const char *order);
