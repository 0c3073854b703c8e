/* table_order.h - the order of the rows of nsys' tables, extended to a total
 * order.
 *
 * Rows are sorted by total time descending, instances ascending and name
 * bytewise. Then device, grid and block (ascending) make the order of equal
 * rows deterministic. */
#pragma once
#include "profile.h"

void table_order_kernels(const struct profile *p, struct kernel_stat *s,
	uint32_t n);
void table_order_copies(struct copy_stat *s, uint32_t n);
