/* copies.h - names of memory copies and memory sets, and their tables. */
#pragma once
#include "patterns.h"
#include "profile.h"
#include "trace.h"
#include <stdbool.h>
#include <stddef.h>

/* Fills p->copy_stats from one process's copies. False if the arena is
 * full. */
bool copies_from(const struct trace *t, struct slice rows, struct profile *p);

/* Returns the name that nsys gives to an operation: "[CUDA memcpy
 * Host-to-Device]" for Kineto's "Memcpy HtoD (Pageable -> Device)" and for
 * ROCm's "CopyHostToDevice" and "MEMORY_COPY_HOST_TO_DEVICE"; "[CUDA memset]"
 * for every set. If the direction of a copy is unknown, its own name is
 * returned. */
const char *copies_operation(const char *name, size_t len, bool is_set);

/* Returns the function type of an operation, as in the table of time per
 * function and iteration. */
enum function_type copies_operation_type(const char *operation);
