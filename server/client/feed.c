/* feed.c - reads full pieces, packs them or passes them on. */
#include "feed.h"
#include "utf8.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct feed {
	int fd;
	char *path, *label;
	struct pack *pack; /* NULL: passed on as they are */
	off_t start; /* where the file began; -1 cannot seek */
	int64_t total; /* -1 unknown */
	int64_t taken, given;
	bool ended; /* the last piece was read */
	size_t at, len; /* of piece */
	char piece[PACK_PIECE];
};

/* A full piece, unless the file ends in it. */
static bool fill(struct feed *f, struct err *e)
{
	f->at = f->len = 0;
	while (f->len < sizeof f->piece) {
		ssize_t n = read(f->fd, f->piece + f->len,
			sizeof f->piece - f->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(e, ERR_INPUT, "cannot read '%s': %s",
				f->label, strerror(errno));
		if (n == 0) {
			f->ended = true;
			break;
		}
		f->len += (size_t)n;
	}
	return true;
}

static bool open_file(struct feed *f, struct err *e)
{
	struct stat st;
	bool standard = !strcmp(f->path, "-");
	f->fd = standard ? dup(STDIN_FILENO)
			 : open(f->path, O_RDONLY | O_CLOEXEC);
	if (f->fd < 0 || fstat(f->fd, &st))
		return err_set(e, ERR_INPUT, "cannot open '%s': %s", f->label,
			strerror(errno));
	if (S_ISDIR(st.st_mode))
		return err_set(e, ERR_INPUT,
			"'%s' is a directory; name the files in it", f->label);
	f->start = lseek(f->fd, 0, SEEK_CUR);
	f->total = S_ISREG(st.st_mode) && f->start >= 0 ? st.st_size - f->start
							: -1;
	return true;
}

static char *text_of(const char *bytes)
{
	size_t len = strlen(bytes);
	char *text = malloc(len * 3 + 1);
	if (!text)
		abort();
	text[utf8_mend(text, bytes, len)] = '\0';
	for (char *c = text; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	}
	return text;
}

struct feed *feed_new(const char *path, enum pack_kind kind, struct err *e)
{
	struct feed *f = calloc(1, sizeof *f);
	if (!f || !(f->path = strdup(path)))
		abort();
	f->fd = -1;
	f->label = text_of(strcmp(path, "-") ? path : "standard input");
	if (!open_file(f, e) || !fill(f, e)) {
		feed_free(f);
		return NULL;
	}
	if (!f->len) {
		err_set(e, ERR_INPUT, "'%s' is empty", f->label);
		feed_free(f);
		return NULL;
	}
	if (kind != PACK_NONE && !pack_is_packed(f->piece, f->len)) {
		f->pack = pack_new(kind);
		pack_add(f->pack, f->piece, f->len, f->ended);
	}
	f->taken = (int64_t)f->len;
	return f;
}

void feed_free(struct feed *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	pack_free(f->pack);
	free(f->path);
	free(f->label);
	free(f);
}

const char *feed_label(const struct feed *f)
{
	return f->label;
}

const char *feed_base_name(const struct feed *f)
{
	const char *slash = strrchr(f->path, '/');
	if (!strcmp(f->path, "-"))
		return NULL;
	return slash ? slash + 1 : f->path;
}

/* The next piece, while there is one. */
static bool advance(struct feed *f, struct err *e)
{
	if (!fill(f, e))
		return false;
	f->taken += (int64_t)f->len;
	if (f->pack)
		pack_add(f->pack, f->piece, f->len, f->ended);
	return true;
}

static bool next_packed(struct feed *f, void *out, size_t room, size_t *len,
	struct err *e)
{
	for (;;) {
		if (!pack_next(f->pack, out, room, len, e))
			return false;
		if (*len || f->ended)
			return true;
		if (!advance(f, e))
			return false;
	}
}

/* Passed on as they are; exactly as many as were promised. */
static bool next_plain(struct feed *f, void *out, size_t room, size_t *len,
	struct err *e)
{
	if (f->at == f->len && !f->ended && !advance(f, e))
		return false;
	size_t n = f->len - f->at < room ? f->len - f->at : room;
	if (f->total >= 0 && (int64_t)n > f->total - f->given)
		n = (size_t)(f->total - f->given);
	if (f->total >= 0 && n == 0 && f->given < f->total)
		return err_set(e, ERR_INPUT,
			"'%s' became shorter while it was sent", f->label);
	memcpy(out, f->piece + f->at, n);
	f->at += n;
	*len = n;
	return true;
}

bool feed_next(struct feed *f, void *out, size_t room, size_t *len,
	struct err *e)
{
	*len = 0;
	if (!(f->pack ? next_packed(f, out, room, len, e)
		      : next_plain(f, out, room, len, e)))
		return false;
	f->given += (int64_t)*len;
	return true;
}

bool feed_restart(struct feed *f, struct err *e)
{
	if (f->given == 0)
		return true; /* the first piece is still here */
	if (f->start < 0)
		return err_set(e, ERR_INPUT,
			"'%s' is a pipe and cannot be sent a second time; save "
			"it to a file",
			f->label);
	if (lseek(f->fd, f->start, SEEK_SET) < 0)
		return err_set(e, ERR_INPUT, "cannot read '%s' again: %s",
			f->label, strerror(errno));
	f->taken = f->given = 0;
	f->ended = false;
	if (f->pack)
		pack_restart(f->pack);
	return advance(f, e);
}

int64_t feed_taken(const struct feed *f)
{
	return f->taken;
}

int64_t feed_total(const struct feed *f)
{
	return f->total;
}

int64_t feed_length(const struct feed *f)
{
	return f->pack ? -1 : f->total;
}

int64_t feed_given(const struct feed *f)
{
	return f->given;
}
