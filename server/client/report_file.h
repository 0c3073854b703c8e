/* report_file.h - a file that is written whole or not at all.
 *
 * Opened before anything is asked, so that a folder which is not there is said
 * in time; what it held stays until report_file_commit(), which puts the new one
 * in its place. What is no plain file (a pipe), and our own standard output, is
 * written to as it is; flush that first. The summary of a GitHub step is other steps' too and is added to, in
 * one piece. */
#pragma once
#include "err.h"
#include <stddef.h>

struct report_file {
	char *path; /* with symbolic links followed */
	char *temporary; /* NULL: written to in place */
	int fd; /* -1: nothing is to be written */
	bool adds;
};

/* "" is none. False with a sentence where it cannot be written. */
bool report_file_init(struct report_file *f, const char *path, struct err *e);
static inline bool report_file_wanted(const struct report_file *f)
{
	return f->fd >= 0;
}
bool report_file_commit(struct report_file *f, const char *bytes, size_t len,
	struct err *e);
/* What was not committed leaves no trace. */
void report_file_release(struct report_file *f);
