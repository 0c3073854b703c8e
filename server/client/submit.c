/* submit.c - the digest first, then the bytes, then the two compared. */
#include "submit.h"
#include "sha256.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct capture_told hand_over_told(const struct spool *s, const char *name)
{
	struct err e = { 0 };
	int fd = spool_read(s, name, &e);
	struct capture_told t = { .rank = -1 };

	if (fd >= 0) {
		t = capture_told_from(fd);
		close(fd);
	}
	return t;
}

bool hand_over_empty(const struct spool *s, const char *name, bool keep,
	char sentence[static 400])
{
	struct capture_told t = hand_over_told(s, name);
	struct err e = { 0 };

	if (!t.whole || t.records || (!keep && !spool_remove(s, name, &e)))
		return false;
	snprintf(sentence, 400,
		"'%.256s' held no record and is %s; lost while recording: %lld",
		name, keep ? "not sent" : "gone", (long long)t.dropped);
	return true;
}

struct capture {
	int fd;
	struct stat st;
	char sha256[SHA256_HEX];
	int64_t bytes;
};

static bool digest(struct capture *c, const char *name, struct err *e)
{
	char piece[64 * 1024];
	uint8_t out[SHA256_BYTES];
	struct sha256 sha;
	ssize_t n;

	sha256_init(&sha);
	while ((n = read(c->fd, piece, sizeof piece)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(e, ERR_INPUT, "cannot read '%s': %s",
				name, strerror(errno));
		sha256_add(&sha, piece, (size_t)n);
		c->bytes += n;
	}
	sha256_end(&sha, out);
	sha256_hex(out, c->sha256);
	if (lseek(c->fd, 0, SEEK_SET) || fstat(c->fd, &c->st))
		return err_set(e, ERR_INPUT, "cannot read '%s': %s", name,
			strerror(errno));
	return true;
}

/* Whether the name is still that file, as it was. */
static bool unchanged(const struct spool *s, const char *name,
	const struct stat *was)
{
	struct stat is;

	return !fstatat(s->folder, name, &is, AT_SYMLINK_NOFOLLOW) &&
	       is.st_dev == was->st_dev && is.st_ino == was->st_ino &&
	       is.st_size == was->st_size &&
	       is.st_mtim.tv_sec == was->st_mtim.tv_sec &&
	       is.st_mtim.tv_nsec == was->st_mtim.tv_nsec;
}

bool hand_over(struct wire *w, const struct options *o, const struct spool *s,
	const char *name, int most, struct meter *m, struct upload_answer *out,
	struct attempt *last, struct err *e)
{
	struct capture c = { .fd = spool_read(s, name, e) };

	*last = (struct attempt){ .end = ATTEMPT_HOPELESS };
	if (c.fd < 0)
		return false;
	if (!digest(&c, name, e)) {
		close(c.fd);
		return false;
	}
	struct feed *f = feed_new_open(c.fd, name, PACK_NONE, e);
	if (!f || !deliver_feed(w, o, f, most, m, out, last, e))
		return false;
	if (out->bytes == c.bytes && !strcmp(out->sha256, c.sha256) &&
		unchanged(s, name, &c.st))
		return true;
	last->end = ATTEMPT_BROKEN;
	return err_set(e, ERR_CONFLICT,
		"%s: it changed while it was sent; upload %lld is not all of "
		"it",
		name, (long long)out->id);
}
