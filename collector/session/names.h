/* names.h - kernel names, copied while their pointer is valid.
 *
 * A record's name is a pointer into a module that may be gone when the
 * record is read. So the completion callback, while the pointer is still
 * valid, looks the name up by pointer and by content, keeps a copy, and
 * overwrites the 8 bytes with its number. Lock-free: several threads call
 * back at once, and nothing here waits. Bounded: past NAMES_MAX names or
 * NAMES_BYTES the number is NAMES_FULL, which is counted. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NAMES_MAX = 1 << 16, NAMES_BYTES = 16 << 20 };
enum { NAMES_NONE = 0, NAMES_FULL = NAMES_MAX };

struct kernel_names;

/* From mmap. NULL if there is no memory. */
struct kernel_names *names_new(void);
void names_free(struct kernel_names *n);

/* The number of the name, from 1; NAMES_NONE for NULL and for what can be no
 * address; never waits. Equal names have the same number. Of more than 64 KiB
 * the first are taken. */
uint32_t names_pin(struct kernel_names *n, const char *name);

/* Each pointer's name is compared whole when it comes again: a module was
 * unloaded, a buffer begins. Until then its first 16 bytes are. */
void names_forget_pointers(struct kernel_names *n);

/* Of a number that names_pin() gave; ends in NUL, stays for ever. Empty of any
 * other, NAMES_NONE and NAMES_FULL among them. */
const char *names_text(const struct kernel_names *n, uint32_t id, size_t *len);
/* How often there was no room for a name, since the last call. */
int64_t names_lost(struct kernel_names *n);
