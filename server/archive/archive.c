/* archive.c - writes and reads the file of a backup */
#include "archive.h"
#include "manifest.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum {
	FRAME_BYTES = 4096, /* before the stream */
	/* a number that zstd knows, and the number of bytes to skip */
	FRAME_HEAD = 8,
};

static const unsigned char frame_head[FRAME_HEAD] = { 0x50, 0x2a, 0x4d, 0x18,
	(FRAME_BYTES - FRAME_HEAD) & 0xff, (FRAME_BYTES - FRAME_HEAD) >> 8, 0,
	0 };

_Static_assert(MANIFEST_TEXT <= FRAME_BYTES - FRAME_HEAD, "it fits");

enum { LEVEL = 3, OUT = 1 << 20 };

struct archive_writer {
	char *path, *fresh; /* fresh: NULL once the file has its final name */
	int fd;
	ZSTD_CCtx *zstd;
	struct sha256 sha;
	int64_t bytes;
	char out[OUT];
};

static bool archive_writer_fail(const struct archive_writer *w, struct err *e)
{
	return err_set(e,
		errno == ENOSPC || errno == EDQUOT ? ERR_DISK_FULL
						   : ERR_INTERNAL,
		"'%.200s' cannot be written: %s", w->path, strerror(errno));
}

static bool archive_writer_put(struct archive_writer *w, const char *at,
	size_t len, struct err *e)
{
	while (len) {
		ssize_t n = write(w->fd, at, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return archive_writer_fail(w, e);
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
	bool ok =
		lstat(path, &st) != 0 ||
		err_set(e, ERR_CONFLICT,
			"'%.200s' already exists; a backup does not overwrite "
			"a file",
			path);
	if (ok) {
		w->fd = mkostemp(w->fresh, O_CLOEXEC); /* mode 0600 */
		ok = w->fd >= 0 ? archive_writer_put(w, room, sizeof room, e)
				: archive_writer_fail(w, e);
	}
	if (!ok) {
		archive_writer_free(w);
		return NULL;
	}
	return w;
}

static bool archive_writer_add(struct archive_writer *w, const void *bytes,
	size_t len, ZSTD_EndDirective how, struct err *e)
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
		if (!archive_writer_put(w, w->out, out.pos, e))
			return false;
	} while (in.pos < in.size || (how == ZSTD_e_end && left));
	return true;
}

bool archive_write(struct archive_writer *w, const void *bytes, size_t len,
	struct err *e)
{
	return archive_writer_add(w, bytes, len, ZSTD_e_continue, e);
}

/* A new name is on the disk only after its folder has been synced. */
static bool archive_writer_sync_folder(const struct archive_writer *w,
	struct err *e)
{
	char *folder = strdup(w->path);
	if (!folder)
		abort();
	char *slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
	int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	/* Not every file system supports this. */
	bool ok = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);
	if (!ok)
		archive_writer_fail(w, e);
	if (fd >= 0)
		close(fd);
	return ok;
}

bool archive_writer_end(struct archive_writer *w, struct manifest *m,
	struct err *e)
{
	char frame[FRAME_BYTES] = { 0 };
	uint8_t digest[SHA256_BYTES];
	if (!archive_writer_add(w, NULL, 0, ZSTD_e_end, e))
		return false;
	sha256_end(&w->sha, digest);
	sha256_hex(digest, m->sha256);
	m->bytes = w->bytes;
	memcpy(frame, frame_head, FRAME_HEAD);
	manifest_text(m, frame + FRAME_HEAD);
	if (lseek(w->fd, 0, SEEK_SET) != 0)
		return archive_writer_fail(w, e);
	if (!archive_writer_put(w, frame, sizeof frame, e))
		return false;
	if (fsync(w->fd) != 0 || rename(w->fresh, w->path) != 0)
		return archive_writer_fail(w, e);
	free(w->fresh);
	w->fresh = NULL;
	return archive_writer_sync_folder(w, e);
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

enum { PIECE = 1 << 20 };

struct archive_reader {
	char *path;
	int fd;
	ZSTD_DCtx *zstd;
	ZSTD_inBuffer in;
	char coming[PIECE], plain[PIECE];
};

static bool archive_reader_get(struct archive_reader *r, void *into,
	size_t room, size_t *len, struct err *e)
{
	ssize_t n;
	do
		n = read(r->fd, into, room);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_set(e, ERR_INPUT, "'%.200s' cannot be read: %s",
			r->path, strerror(errno));
	*len = (size_t)n;
	return true;
}

static bool archive_reader_manifest(struct archive_reader *r,
	struct manifest *m, struct err *e)
{
	struct err why = { 0 };
	char frame[FRAME_BYTES + 1] = { 0 };
	size_t have = 0, n = 1;
	while (n && have < FRAME_BYTES) {
		if (!archive_reader_get(r, frame + have, FRAME_BYTES - have, &n,
			    e))
			return false;
		have += n;
	}
	if (memcmp(frame, frame_head, FRAME_HEAD) != 0)
		err_set(&why, ERR_FORMAT, "is not a backup of kernsift");
	else if (have < FRAME_BYTES)
		err_set(&why, ERR_FORMAT, "is truncated: a backup is longer");
	else
		manifest_from(m, frame + FRAME_HEAD, &why);
	return !why.code ||
	       err_set(e, why.code, "'%.150s' %s", r->path, why.text);
}

/* Reads every byte after the manifest. */
static bool archive_reader_check(struct archive_reader *r,
	const struct manifest *m, struct err *e)
{
	struct sha256 sha;
	uint8_t digest[SHA256_BYTES];
	char hex[SHA256_HEX];
	int64_t bytes = 0;
	size_t n = 1;
	sha256_init(&sha);
	while (n) {
		if (!archive_reader_get(r, r->coming, PIECE, &n, e))
			return false;
		sha256_add(&sha, r->coming, n);
		bytes += (int64_t)n;
	}
	sha256_end(&sha, digest);
	sha256_hex(digest, hex);
	if (bytes < m->bytes)
		return err_set(e, ERR_FORMAT,
			"'%.150s' is truncated: it has %lld of %lld bytes",
			r->path, (long long)bytes + FRAME_BYTES,
			(long long)m->bytes + FRAME_BYTES);
	if (bytes > m->bytes || strcmp(hex, m->sha256) != 0)
		return err_set(e, ERR_FORMAT,
			"'%.150s' is damaged: its bytes do not match their "
			"checksum",
			r->path);
	if (lseek(r->fd, FRAME_BYTES, SEEK_SET) != FRAME_BYTES)
		return err_set(e, ERR_INPUT, "'%.200s' cannot be read: %s",
			r->path, strerror(errno));
	return true;
}

struct archive_reader *archive_reader_new(const char *path, struct manifest *m,
	struct err *e)
{
	struct archive_reader *r = calloc(1, sizeof *r);
	if (!r || !(r->path = strdup(path)) || !(r->zstd = ZSTD_createDCtx()))
		abort();
	r->in.src = r->coming;
	r->fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ok = r->fd >= 0 ||
		  err_set(e, ERR_INPUT, "'%.200s' cannot be opened: %s", path,
			  strerror(errno));
	if (ok && archive_reader_manifest(r, m, e) &&
		archive_reader_check(r, m, e))
		return r;
	archive_reader_free(r);
	return NULL;
}

bool archive_read(struct archive_reader *r, const void **bytes, size_t *len,
	struct err *e)
{
	ZSTD_outBuffer out = { r->plain, PIECE, 0 };
	while (!out.pos) {
		size_t n = r->in.size;
		if (r->in.pos == n) {
			if (!archive_reader_get(r, r->coming, PIECE, &n, e))
				return false;
			r->in.size = n;
			r->in.pos = 0;
		}
		if (!n)
			break;
		size_t got = ZSTD_decompressStream(r->zstd, &out, &r->in);
		if (ZSTD_isError(got))
			return err_set(e, ERR_FORMAT,
				"'%.150s' cannot be read: %s", r->path,
				ZSTD_getErrorName(got));
	}
	*bytes = r->plain;
	*len = out.pos;
	return true;
}

void archive_reader_free(struct archive_reader *r)
{
	if (!r)
		return;
	if (r->fd >= 0)
		close(r->fd);
	ZSTD_freeDCtx(r->zstd);
	free(r->path);
	free(r);
}
