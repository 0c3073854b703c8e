/* operation.h - what a memory copy or set is called, as nsys calls it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* "[CUDA memcpy Host-to-Device]" of Kineto's "Memcpy HtoD (Pageable ->
 * Device)" or ROCm's "CopyHostToDevice"; "[CUDA memset]" of any set. A copy
 * whose direction is not told keeps its own name. */
const char *operation_of(const char *name, size_t len, bool is_set);
