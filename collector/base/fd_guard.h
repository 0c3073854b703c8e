/* fd_guard.h - detects whether an open descriptor still refers to the file
 * that the collector opened.
 *
 * A host may close all descriptors, also the collector's, and open its own
 * files under their numbers. The collector must not read, write or close those
 * files. */
#pragma once
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

struct fd_guard {
	dev_t device;
	ino_t inode;
};

/* For a descriptor that was just opened; -1 means none. */
static inline struct fd_guard fd_guard_of(int fd)
{
	struct stat st = { 0 };
	if (fd >= 0)
		fstat(fd, &st);
	return (struct fd_guard){ st.st_dev, st.st_ino };
}

static inline bool fd_guard_holds(const struct fd_guard *o, int fd)
{
	struct stat st;
	return fd >= 0 && !fstat(fd, &st) && st.st_dev == o->device &&
	       st.st_ino == o->inode;
}

static inline void fd_guard_close(const struct fd_guard *o, int fd)
{
	if (fd_guard_holds(o, fd))
		close(fd);
}
