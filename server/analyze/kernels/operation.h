/* operation.h - what a memory copy or set is called, as nsys calls it. */
#pragma once
#include "patterns.h"
#include <stdbool.h>
#include <stddef.h>

/* "[CUDA memcpy Host-to-Device]" of Kineto's "Memcpy HtoD (Pageable ->
 * Device)", ROCm's "CopyHostToDevice" or "MEMORY_COPY_HOST_TO_DEVICE"; "[CUDA memset]" of any set. A copy
 * whose direction is not told keeps its own name. */
const char *operation_of(const char *name, size_t len, bool is_set);

/* Which function of a cycle such an operation is. */
enum function_type operation_type(const char *operation);
