/* embedded.h - files that are built into the program.
 *
 * server/embed.cmake converts a folder to one table of these structs, sorted by
 * path. The last entry has no path. The bytes are read-only and never freed; a
 * NUL follows them, which their length does not count. */
#pragma once
#include <stddef.h>

struct embedded {
	const char *path; /* relative to the folder, with '/' */
	const unsigned char *bytes;
	const unsigned long *len;
};
