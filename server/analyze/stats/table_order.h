/* table_order.h - the order of a table: that of nsys, made total.
 *
 * Total time descending, instances ascending, name bytewise; then device,
 * grid and block ascending, so that equal rows always come in the same order. */
#pragma once
#include "profile.h"

void table_order_kernels(const struct profile *p, struct kernel_stat *s,
	uint32_t n);
void table_order_copies(struct copy_stat *s, uint32_t n);
