/* archive_write.c - compressed, hashed, written; named last. */
#include "archive_write.h"
#include "archive_frame.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum { LEVEL = 3, OUT = 1 << 20 };

struct archive_writer {
	char *path, *fresh; /* fresh: NULL once it has its name */
	int fd;
	ZSTD_CCtx *zstd;
	struct sha256 sha;
	int64_t bytes;
	char out[OUT];
};

static bool fail(const struct archive_writer *w, struct err *e)
{
	return err_set(e,
		errno == ENOSPC || errno == EDQUOT ? ERR_DISK_FULL
						   : ERR_INTERNAL,
		"'%.200s' cannot be written: %s", w->path, strerror(errno));
}

static bool put_all(struct archive_writer *w, const char *at, size_t len,
	struct err *e)
{
	while (len) {
		ssize_t n = write(w->fd, at, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail(w, e);
		at += n;
		len -= (size_t)n;
	}
	return true;
}

struct archive_writer *archive_writer_new(const char *path, struct err *e)
{
	static const char room[FRAME_BYTES];
	struct archive_writer *w = calloc(1, sizeof *w);
	size_t size = strlen(path) + sizeof ".XXXXXX";
	if (!w || !(w->path = strdup(path)) || !(w->fresh = malloc(size)) ||
		!(w->zstd = ZSTD_createCCtx()))
		abort();
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, LEVEL);
	sha256_init(&w->sha);
	snprintf(w->fresh, size, "%s.XXXXXX", path);
	w->fd = -1;
	struct stat st;
	bool ok = lstat(path, &st) != 0 ||
		  err_set(e, ERR_CONFLICT,
			  "'%.200s' is there already; a backup is not written "
			  "over another file",
			  path);
	if (ok) {
		w->fd = mkostemp(w->fresh, O_CLOEXEC); /* mode 0600 */
		ok = w->fd >= 0 ? put_all(w, room, sizeof room, e) : fail(w, e);
	}
	if (!ok) {
		archive_writer_free(w);
		return NULL;
	}
	return w;
}

static bool add(struct archive_writer *w, const void *bytes, size_t len,
	ZSTD_EndDirective how, struct err *e)
{
	ZSTD_inBuffer in = { bytes, len, 0 };
	size_t left;
	do {
		ZSTD_outBuffer out = { w->out, OUT, 0 };
		left = ZSTD_compressStream2(w->zstd, &out, &in, how);
		if (ZSTD_isError(left))
			return err_set(e, ERR_INTERNAL,
				"the backup cannot be compressed: %s",
				ZSTD_getErrorName(left));
		sha256_add(&w->sha, w->out, out.pos);
		w->bytes += (int64_t)out.pos;
		if (!put_all(w, w->out, out.pos, e))
			return false;
	} while (in.pos < in.size || (how == ZSTD_e_end && left));
	return true;
}

bool archive_write(struct archive_writer *w, const void *bytes, size_t len,
	struct err *e)
{
	return add(w, bytes, len, ZSTD_e_continue, e);
}

/* The name is on the disk once its folder is. */
static bool keep_folder(const struct archive_writer *w, struct err *e)
{
	char *folder = strdup(w->path);
	if (!folder)
		abort();
	char *slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
	int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	/* Not every file system can. */
	bool ok = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);
	if (!ok)
		fail(w, e);
	if (fd >= 0)
		close(fd);
	return ok;
}

bool archive_writer_end(struct archive_writer *w, struct manifest *m,
	struct err *e)
{
	char frame[FRAME_BYTES] = { 0 };
	uint8_t digest[SHA256_BYTES];
	if (!add(w, NULL, 0, ZSTD_e_end, e))
		return false;
	sha256_end(&w->sha, digest);
	sha256_hex(digest, m->sha256);
	m->bytes = w->bytes;
	memcpy(frame, frame_head, FRAME_HEAD);
	manifest_text(m, frame + FRAME_HEAD);
	if (lseek(w->fd, 0, SEEK_SET) != 0)
		return fail(w, e);
	if (!put_all(w, frame, sizeof frame, e))
		return false;
	if (fsync(w->fd) != 0 || rename(w->fresh, w->path) != 0)
		return fail(w, e);
	free(w->fresh);
	w->fresh = NULL;
	return keep_folder(w, e);
}

void archive_writer_free(struct archive_writer *w)
{
	if (!w)
		return;
	if (w->fd >= 0) {
		close(w->fd);
		if (w->fresh)
			unlink(w->fresh);
	}
	ZSTD_freeCCtx(w->zstd);
	free(w->fresh);
	free(w->path);
	free(w);
}
