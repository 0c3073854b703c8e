/* copies.h - memory copies and sets: their names and the tables over them. */
#pragma once
#include "patterns.h"
#include "profile.h"
#include "trace.h"
#include <stdbool.h>
#include <stddef.h>

/* Fills p->copy_stats from one process's copies. False if the arena is
 * full. */
bool copies_from(const struct trace *t, struct slice rows, struct profile *p);

/* "[CUDA memcpy Host-to-Device]" for Kineto's "Memcpy HtoD (Pageable ->
 * Device)", ROCm's "CopyHostToDevice" or "MEMORY_COPY_HOST_TO_DEVICE"; "[CUDA
 * memset]" for any set. A copy whose direction is unknown keeps its own name. */
const char *copies_operation(const char *name, size_t len, bool is_set);

/* Which function of an iteration such an operation is. */
enum function_type copies_operation_type(const char *operation);
