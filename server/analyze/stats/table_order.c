/* table_order.c - comparators for qsort. */
#include "table_order.h"
#include <stdlib.h>
#include <string.h>

static int by_number(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int by_time(const struct time_stats *a, const struct time_stats *b)
{
	int c = by_number(b->total_ns, a->total_ns);
	return c ? c : by_number(a->instances, b->instances);
}

static int by_three(const int32_t a[3], const int32_t b[3])
{
	for (int i = 0; i < 3; i++)
		if (a[i] != b[i])
			return by_number(a[i], b[i]);
	return 0;
}

static int by_kernel(const void *left, const void *right, void *profile)
{
	const struct kernel_stat *a = left, *b = right;
	const struct profile *p = profile;
	int c = by_time(&a->time, &b->time);

	if (!c && a->kernel != b->kernel)
		c = strcmp(p->kernels[a->kernel].name,
			p->kernels[b->kernel].name);
	if (!c)
		c = by_number(a->device, b->device);
	if (!c)
		c = by_three(a->grid, b->grid);
	return c ? c : by_three(a->block, b->block);
}

void order_kernels(const struct profile *p, struct kernel_stat *s, uint32_t n)
{
	qsort_r(s, n, sizeof *s, by_kernel, (void *)(uintptr_t)p);
}

static int by_operation(const void *left, const void *right)
{
	const struct copy_stat *a = left, *b = right;
	int c = by_time(&a->time, &b->time);

	if (!c)
		c = strcmp(a->operation, b->operation);
	return c ? c : by_number(a->device, b->device);
}

void order_copies(struct copy_stat *s, uint32_t n)
{
	qsort(s, n, sizeof *s, by_operation);
}
