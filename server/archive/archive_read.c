/* archive_read.c - first the whole file's digest, then its stream. */
#include "archive_read.h"
#include "archive_frame.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

enum { PIECE = 1 << 20 };

struct archive_reader {
	char *path;
	int fd;
	ZSTD_DCtx *zstd;
	ZSTD_inBuffer in;
	char coming[PIECE], plain[PIECE];
};

static bool get(struct archive_reader *r, void *into, size_t room, size_t *len,
	struct err *e)
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

static bool read_manifest(struct archive_reader *r, struct manifest *m,
	struct err *e)
{
	struct err why = { 0 };
	char frame[FRAME_BYTES + 1] = { 0 };
	size_t have = 0, n = 1;
	while (n && have < FRAME_BYTES) {
		if (!get(r, frame + have, FRAME_BYTES - have, &n, e))
			return false;
		have += n;
	}
	if (memcmp(frame, frame_head, FRAME_HEAD) != 0)
		err_set(&why, ERR_FORMAT, "is no backup of kernsift");
	else if (have < FRAME_BYTES)
		err_set(&why, ERR_FORMAT, "is cut: a backup is longer");
	else
		manifest_from(m, frame + FRAME_HEAD, &why);
	return !why.code ||
	       err_set(e, why.code, "'%.150s' %s", r->path, why.text);
}

/* Every byte after the manifest. */
static bool check(struct archive_reader *r, const struct manifest *m,
	struct err *e)
{
	struct sha256 sha;
	uint8_t digest[SHA256_BYTES];
	char hex[SHA256_HEX];
	int64_t bytes = 0;
	size_t n = 1;
	sha256_init(&sha);
	while (n) {
		if (!get(r, r->coming, PIECE, &n, e))
			return false;
		sha256_add(&sha, r->coming, n);
		bytes += (int64_t)n;
	}
	sha256_end(&sha, digest);
	sha256_hex(digest, hex);
	if (bytes < m->bytes)
		return err_set(e, ERR_FORMAT,
			"'%.150s' is cut: it has %lld of %lld bytes", r->path,
			(long long)bytes + FRAME_BYTES,
			(long long)m->bytes + FRAME_BYTES);
	if (bytes > m->bytes || strcmp(hex, m->sha256) != 0)
		return err_set(e, ERR_FORMAT,
			"'%.150s' is damaged: its bytes are not those that "
			"were written",
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
	if (ok && read_manifest(r, m, e) && check(r, m, e))
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
			if (!get(r, r->coming, PIECE, &n, e))
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
