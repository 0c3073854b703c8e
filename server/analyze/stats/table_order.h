/* table_order.h - the order of a table: nsys', made total.
 *
 * Total time descending, instances ascending, name bytewise; then device, grid
 * and block ascending, so that equal rows come the same way every time. */
#pragma once
#include "profile.h"

void order_kernels(const struct profile *p, struct kernel_stat *s, uint32_t n);
void order_copies(struct copy_stat *s, uint32_t n);
