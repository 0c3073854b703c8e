/* sqlite_copy.c - spills, and reads the hundred bytes of the header. */
#include "sqlite_copy.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* Places in the header (sqlite.org/fileformat.html, 1.3). */
enum {
	HEADER = 100,
	AT_PAGE_BYTES = 16,
	AT_WRITE_VERSION = 18,
	AT_READ_VERSION = 19,
	AT_CHANGES = 24,
	AT_PAGES = 28,
	AT_VALID_FOR = 92,
	VERSION_WAL = 2,
};

static const char *folder(void)
{
	const char *told = getenv("TMPDIR");
	return told && told[0] == '/' ? told : "/tmp";
}

static bool disk(struct err *e, int why)
{
	if (why == ENOSPC || why == EDQUOT || why == EFBIG)
		return err_set(e, ERR_DISK_FULL,
			"%s has no room for a copy of the database while it "
			"is read; make room, or set TMPDIR",
			folder());
	return err_set(e, ERR_BUSY,
		"a temporary file in %s cannot be used: %s; set TMPDIR",
		folder(), strerror(why));
}

/* A file without a name: at once where the file system can, else by taking
 * the name away. */
static int nameless(void)
{
	char path[PATH_MAX];
	int fd = open(folder(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR &&
			       errno != ENOENT && errno != EINVAL))
		return fd;
	if (snprintf(path, sizeof path, "%s/kernsift-XXXXXX", folder()) >=
		(int)sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

static bool put(struct sqlite_copy *c, const char *at, size_t len,
	struct err *e)
{
	while (len) {
		ssize_t n = write(c->fd, at, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return disk(e, n ? errno : ENOSPC);
		at += n;
		len -= (size_t)n;
		c->bytes += n;
	}
	return true;
}

static bool spill(struct sqlite_copy *c, struct window *w, struct err *e)
{
	enum window_state state;
	do {
		if (!put(c, w->at, (size_t)(w->end - w->at), e))
			return false;
		w->at = w->end;
		state = window_more(w, e);
	} while (state == WINDOW_MORE);
	return state == WINDOW_END;
}

static uint32_t big32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

static bool header(struct sqlite_copy *c, struct err *e)
{
	unsigned char h[HEADER];
	if (pread(c->fd, h, sizeof h, 0) != (ssize_t)sizeof h)
		return err_set(e, ERR_TRACE,
			"the file breaks off inside its SQLite header");
	int32_t page = h[AT_PAGE_BYTES] << 8 | h[AT_PAGE_BYTES + 1];
	c->page_bytes = page == 1 ? 65536 : page;
	if (c->page_bytes < 512 || (c->page_bytes & (c->page_bytes - 1)))
		return err_set(e, ERR_TRACE,
			"the SQLite header is damaged (pages of %d bytes)",
			(int)page);
	if (!memcmp(h + AT_CHANGES, h + AT_VALID_FOR, 4))
		c->pages_told = big32(h + AT_PAGES);
	c->wal = h[AT_READ_VERSION] == VERSION_WAL;
	if (c->wal)
		h[AT_READ_VERSION] = h[AT_WRITE_VERSION] = 1;
	memset(h + AT_PAGES, 0, 4);
	if (pwrite(c->fd, h, sizeof h, 0) != (ssize_t)sizeof h)
		return disk(e, errno);
	return true;
}

bool sqlite_copy_new(struct sqlite_copy *c, struct window *w, struct err *e)
{
	*c = (struct sqlite_copy){ .fd = nameless() };
	if (c->fd < 0)
		return disk(e, errno);
	if (spill(c, w, e) && header(c, e))
		return true;
	sqlite_copy_free(c);
	return false;
}

void sqlite_copy_free(struct sqlite_copy *c)
{
	if (c->fd >= 0)
		close(c->fd);
	*c = (struct sqlite_copy){ .fd = -1 };
}
