/* names.h - kernel names, copied while their pointer is valid.
 *
 * The name in a record is a pointer into a module. The module may be unloaded
 * before the record is read. So the completion callback, while the pointer is
 * still valid, finds or copies the name and overwrites the 8 bytes of the
 * pointer with the number of the name. Names are found by pointer and by
 * content. All functions are lock-free: several threads call back at the same
 * time, and none of them waits. The table is bounded: after NAMES_MAX names or
 * NAMES_BYTES the number is NAMES_FULL, which is counted. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NAMES_MAX = 1 << 16, NAMES_BYTES = 16 << 20 };
enum { NAMES_NONE = 0, NAMES_FULL = NAMES_MAX };

struct kernel_names;

/* The table is mapped with mmap. NULL if there is no memory. */
struct kernel_names *names_new(void);
void names_free(struct kernel_names *n);

/* The number of the name, from 1. NAMES_NONE for NULL and for values that
 * cannot be an address. Never waits. Equal names have the same number. Names
 * longer than 64 KiB are cut. */
uint32_t names_pin(struct kernel_names *n, const char *name);

/* Call it when a module was unloaded or a buffer begins. When a pointer occurs
 * again after that, its complete name is compared once. From then on only the
 * first 16 bytes of the name are compared. */
void names_forget_pointers(struct kernel_names *n);

/* The text of a number that names_pin() returned. It ends in NUL and is valid
 * until the process ends. All other numbers, also NAMES_NONE and NAMES_FULL,
 * have an empty text. */
const char *names_text(const struct kernel_names *n, uint32_t id, size_t *len);
/* How many names found no room since the last call. */
int64_t names_lost(struct kernel_names *n);
