/* sort.c - sorts numbers, smallest first */
#include "sort.h"
#include <stdlib.h>

static int sort_by_int64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static int sort_by_uint32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static int sort_by_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

void sort_int64(int64_t *v, size_t n)
{
	qsort(v, n, sizeof *v, sort_by_int64);
}

void sort_uint32(uint32_t *v, size_t n)
{
	qsort(v, n, sizeof *v, sort_by_uint32);
}

void sort_double(double *v, size_t n)
{
	qsort(v, n, sizeof *v, sort_by_double);
}
