/* tar_header.h - the header of a member of a tar archive (POSIX ustar).
 *
 * A header has 512 bytes. Texts end in NUL unless they fill their field.
 * Numbers are octal text; sizes of 8 GiB and more are binary, with the first
 * bit set (GNU). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { TAR_BLOCK = 512 };

/* Where fields are, and their lengths. */
enum {
	TAR_NAME_AT = 0,
	TAR_NAME = 100,
	TAR_MODE_AT = 100,
	TAR_SIZE_AT = 124,
	TAR_TIME_AT = 136,
	TAR_NUMBER = 12,
	TAR_SUM_AT = 148,
	TAR_SUM = 8,
	TAR_TYPE_AT = 156,
	TAR_MAGIC_AT = 257,
	TAR_PREFIX_AT = 345,
	TAR_PREFIX = 155
};

/* GNU's type of the continuation of the file before it. */
enum { TAR_FILE = '0', TAR_CONTINUED = 'M' };

/* The sum of the header's bytes, with blanks in the place of the sum. */
int64_t tar_header_sum(const unsigned char header[TAR_BLOCK]);

/* Writes the header of a regular file, or of a continuation. A name that is too
 * long is cut at its beginning. */
void tar_header_write(unsigned char out[TAR_BLOCK], const char *name,
	int64_t size, char type);

/* The number of bytes from the end of a file to the next header. */
static inline int64_t tar_header_padding(int64_t size)
{
	return (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK;
}
