/* unattributed_kernels.h - the unattributed kernels of all runs, where compilers
 * gave one kernel several names. */
#pragma once
#include "query_operator.h"
#include "service.h"

/* Lists the unattributed kernels of all runs, the most time first, at most
 * `limit`. Kernels whose names differ only in the number that a compiler gave
 * them (kernel_stem) are one row: it has the id and the texts of the kernel with
 * the most time, and the sums of all. */
bool unattributed_kernels_read(struct service_call *c, int limit,
	struct unattributed_line **rows, uint32_t *n, struct err *e);
