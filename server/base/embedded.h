/* embedded.h - files that travel inside the program.
 *
 * server/embed.cmake turns a folder into one table of these, in the order of
 * their paths, ended by an entry without a path. The bytes are read-only, are
 * followed by a NUL that is not counted, and are never freed. */
#pragma once
#include <stddef.h>

struct embedded {
	const char *path; /* relative to the folder, with '/' */
	const unsigned char *bytes;
	const unsigned long *len;
};
