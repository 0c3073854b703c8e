/* visible.h - which GPU of the machine is which device of CUDA's.
 *
 * NVML counts GPUs by their place on the bus, CUDA those it was told to see, in
 * the order it was told: CUDA_VISIBLE_DEVICES, and CUDA_DEVICE_ORDER. Unless the
 * latter is PCI_BUS_ID, CUDA puts the fastest first; that is the bus's order
 * where all are alike, and anybody's guess where they are not. */
#pragma once
#include <stdbool.h>

enum { VISIBLE_MAX = 64, VISIBLE_TEXT = 96 };

struct visible_gpu { /* in NVML's order */
	char uuid[VISIBLE_TEXT], name[VISIBLE_TEXT];
};

struct visible {
	int n; /* devices of CUDA's */
	/* By CUDA's number: which GPU; -1 a part of one (MIG), whose UUID is in
	 * mig[]. */
	int gpu[VISIBLE_MAX];
	char mig[VISIBLE_MAX][VISIBLE_TEXT];
	bool unknown; /* nobody can tell: n is 0 */
};

/* `list` is CUDA_VISIBLE_DEVICES, `order` CUDA_DEVICE_ORDER; NULL not set. */
void visible_from(struct visible *v, const struct visible_gpu *gpus, int n,
	const char *list, const char *order);
