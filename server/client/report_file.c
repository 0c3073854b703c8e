/* report_file.c - a file beside it, then a new name; or the end of it. */
#include "report_file.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MODE = 0666 }; /* as the umask has it */

static bool fail(const char *path, struct err *e)
{
	return err_set(e, ERR_INPUT, "cannot write '%.200s': %s", path,
		strerror(errno));
}

/* /dev/stdout, whatever that is now: another descriptor of it would write over
 * what this program prints. */
static bool is_our_output(const struct stat *st)
{
	struct stat out;
	return fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == st->st_dev &&
	       out.st_ino == st->st_ino;
}

/* Whether the path is what GitHub gave the step to add to. */
static bool is_step_summary(const char *path)
{
	const char *summary = getenv("GITHUB_STEP_SUMMARY");
	struct stat a, b;
	return summary && *summary &&
	       (strcmp(path, summary) == 0 ||
		       (stat(path, &a) == 0 && stat(summary, &b) == 0 &&
			       a.st_dev == b.st_dev && a.st_ino == b.st_ino));
}

static char *temporary_name(const char *path)
{
	size_t room = strlen(path) + 32;
	char *name = malloc(room);
	if (!name)
		abort();
	snprintf(name, room, "%s.%ld.part", path, (long)getpid());
	return name;
}

bool report_file_init(struct report_file *f, const char *path, struct err *e)
{
	struct stat st;
	*f = (struct report_file){ .fd = -1 };
	if (!*path)
		return true;
	bool there = stat(path, &st) == 0;
	bool ours = there && is_our_output(&st);
	bool plain = there && !ours && S_ISREG(st.st_mode);
	f->path = plain ? realpath(path, NULL) : strdup(path);
	if (!f->path)
		return fail(path, e);
	f->adds = !ours && is_step_summary(path);
	if (ours) {
		f->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	} else if (f->adds) {
		f->fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC,
			MODE);
	} else if (there && !plain) {
		f->fd = open(path, O_WRONLY | O_CLOEXEC);
	} else {
		f->temporary = temporary_name(f->path);
		f->fd = open(f->temporary,
			O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
			MODE);
	}
	return f->fd >= 0 || fail(path, e);
}

static bool write_all(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);
		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
		}
	}
	return true;
}

/* An empty line between what was there and what comes. */
static bool part_from(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 &&
	       (st.st_size == 0 || write_all(fd, "\n", 1));
}

bool report_file_commit(struct report_file *f, const char *bytes, size_t len,
	struct err *e)
{
	bool ok =
		(!f->adds || part_from(f->fd)) && write_all(f->fd, bytes, len);
	ok = close(f->fd) == 0 && ok;
	f->fd = -1;
	if (!ok)
		return fail(f->path, e);
	if (!f->temporary)
		return true;
	if (rename(f->temporary, f->path) != 0)
		return fail(f->path, e);
	free(f->temporary);
	f->temporary = NULL;
	return true;
}

void report_file_release(struct report_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->temporary)
		unlink(f->temporary);
	free(f->temporary);
	free(f->path);
	*f = (struct report_file){ .fd = -1 };
}
