/* sort.h - sorts numbers, smallest first */
#pragma once
#include <stddef.h>
#include <stdint.h>

void sort_int64(int64_t *v, size_t n);
void sort_uint32(uint32_t *v, size_t n);
/* No value may be NaN. */
void sort_double(double *v, size_t n);
