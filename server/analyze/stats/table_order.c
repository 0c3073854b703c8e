/* table_order.c - comparison functions for qsort in the order of nsys'
 * tables. */
#include "table_order.h"
#include <stdlib.h>
#include <string.h>

static int table_order_by_number(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int table_order_by_time(const struct time_stats *a,
	const struct time_stats *b)
{
	int c = table_order_by_number(b->total_ns, a->total_ns);
	return c ? c : table_order_by_number(a->instances, b->instances);
}

static int table_order_by_three(const int32_t a[3], const int32_t b[3])
{
	for (int i = 0; i < 3; i++)
		if (a[i] != b[i])
			return table_order_by_number(a[i], b[i]);
	return 0;
}

static int table_order_by_kernel(const void *left, const void *right,
	void *profile)
{
	const struct kernel_stat *a = left, *b = right;
	const struct profile *p = profile;
	int c = table_order_by_time(&a->time, &b->time);

	if (!c && a->kernel != b->kernel)
		c = strcmp(p->kernels[a->kernel].name,
			p->kernels[b->kernel].name);
	if (!c)
		c = table_order_by_number(a->device, b->device);
	if (!c)
		c = table_order_by_three(a->grid, b->grid);
	return c ? c : table_order_by_three(a->block, b->block);
}

void table_order_kernels(const struct profile *p, struct kernel_stat *s,
	uint32_t n)
{
	qsort_r(s, n, sizeof *s, table_order_by_kernel, (void *)(uintptr_t)p);
}

static int table_order_by_operation(const void *left, const void *right)
{
	const struct copy_stat *a = left, *b = right;
	int c = table_order_by_time(&a->time, &b->time);

	if (!c)
		c = strcmp(a->operation, b->operation);
	return c ? c : table_order_by_number(a->device, b->device);
}

void table_order_copies(struct copy_stat *s, uint32_t n)
{
	qsort(s, n, sizeof *s, table_order_by_operation);
}
