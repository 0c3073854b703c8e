/* source.c - reads an upload from a file or from memory */
#include "source.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Small enough that the buffer stays in the processor's cache. Most compressed
 * traces are smaller than 1 MiB, so a larger buffer would use each of its pages
 * once. */
enum { PIECE = 64 * 1024 };

struct source_file {
	int fd;
	char path[256]; /* for error sentences */
	char bytes[PIECE];
};

static bool source_file_next(void *ctx, const void **bytes, size_t *len,
	struct err *e)
{
	struct source_file *f = ctx;
	ssize_t n;
	do
		n = read(f->fd, f->bytes, sizeof f->bytes);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_set(e, ERR_INTERNAL, "cannot read '%s': %s", f->path,
			strerror(errno));
	*bytes = f->bytes;
	*len = (size_t)n;
	return true;
}

struct source_file *source_file_new(const char *path, struct source *s,
	struct err *e)
{
	return source_file_new_open(open(path, O_RDONLY | O_CLOEXEC), path, s,
		e);
}

struct source_file *source_file_new_open(int fd, const char *path,
	struct source *s, struct err *e)
{
	struct stat st;
	if (fd < 0 || fstat(fd, &st) < 0) {
		err_set(e, ERR_NOT_FOUND, "cannot open '%s': %s", path,
			strerror(errno));
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	struct source_file *f = malloc(sizeof *f);
	if (!f) {
		err_set(e, ERR_INTERNAL, "out of memory to read '%s'", path);
		close(fd);
		return NULL;
	}
	f->fd = fd;
	snprintf(f->path, sizeof f->path, "%s", path);
	*s = (struct source){ source_file_next, f,
		S_ISREG(st.st_mode) ? st.st_size : -1 };
	return f;
}

void source_file_free(struct source_file *f)
{
	if (!f)
		return;
	close(f->fd);
	free(f);
}

static bool source_memory_next(void *ctx, const void **bytes, size_t *len,
	struct err *e)
{
	struct source_memory *m = ctx;
	(void)e;
	*bytes = m->bytes;
	*len = m->read ? 0 : m->len;
	m->read = true;
	return true;
}

void source_memory_init(struct source_memory *m, struct source *s,
	const void *bytes, size_t len)
{
	*m = (struct source_memory){ bytes, len, false };
	*s = (struct source){ source_memory_next, m, (int64_t)len };
}
