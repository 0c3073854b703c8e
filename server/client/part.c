/* part.c - reads full pieces, packs them or passes them on. */
#include "part.h"
#include "utf8.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A full piece, unless the file ends in it. */
static bool fill(struct part *p, struct err *e)
{
	p->at = p->len = 0;
	while (p->len < sizeof p->piece) {
		ssize_t n = read(p->fd, p->piece + p->len,
			sizeof p->piece - p->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(e, ERR_INPUT, "cannot read '%s': %s",
				p->label, strerror(errno));
		if (n == 0) {
			p->ended = true;
			break;
		}
		p->len += (size_t)n;
	}
	return true;
}

static bool open_file(struct part *p, struct err *e)
{
	struct stat st;
	bool standard = !strcmp(p->path, "-");
	if (p->fd < 0)
		p->fd = standard ? dup(STDIN_FILENO)
				 : open(p->path, O_RDONLY | O_CLOEXEC);
	if (p->fd < 0 || fstat(p->fd, &st))
		return err_set(e, ERR_INPUT, "cannot open '%s': %s", p->label,
			strerror(errno));
	if (S_ISDIR(st.st_mode))
		return err_set(e, ERR_INPUT,
			"'%s' is a directory; name the files in it", p->label);
	p->start = lseek(p->fd, 0, SEEK_CUR);
	p->total = S_ISREG(st.st_mode) && p->start >= 0 ? st.st_size - p->start
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

struct part *part_new_open(int fd, const char *path, struct err *e)
{
	struct part *p = calloc(1, sizeof *p);
	if (!p || !(p->path = strdup(path)))
		abort();
	p->fd = fd;
	p->label = text_of(strcmp(path, "-") ? path : "standard input");
	if (!open_file(p, e) || !fill(p, e)) {
		part_free(p);
		return NULL;
	}
	if (!p->len) {
		err_set(e, ERR_INPUT, "'%s' is empty", p->label);
		part_free(p);
		return NULL;
	}
	p->taken = (int64_t)p->len;
	return p;
}

struct part *part_new(const char *path, struct err *e)
{
	return part_new_open(-1, path, e);
}

struct part *part_newline(void)
{
	struct part *p = calloc(1, sizeof *p);
	if (!p)
		abort();
	p->fd = -1;
	p->piece[0] = '\n';
	p->len = 1;
	p->total = p->taken = 1;
	p->ended = true;
	return p;
}

void part_free(struct part *p)
{
	if (!p)
		return;
	if (p->fd >= 0)
		close(p->fd);
	pack_free(p->pack);
	free(p->path);
	free(p->label);
	free(p);
}

enum pack_kind part_found(const struct part *p)
{
	return pack_found(p->piece, p->len);
}

void part_pack(struct part *p, enum pack_kind kind)
{
	if (kind == PACK_NONE || part_found(p) != PACK_NONE)
		return;
	p->pack = pack_new(kind);
	pack_add(p->pack, p->piece, p->len, p->ended);
}

/* The next piece, while there is one. */
static bool advance(struct part *p, struct err *e)
{
	if (!fill(p, e))
		return false;
	p->taken += (int64_t)p->len;
	if (p->pack)
		pack_add(p->pack, p->piece, p->len, p->ended);
	return true;
}

static bool next_packed(struct part *p, void *out, size_t room, size_t *len,
	struct err *e)
{
	for (;;) {
		if (!pack_next(p->pack, out, room, len, e))
			return false;
		if (*len || p->ended)
			return true;
		if (!advance(p, e))
			return false;
	}
}

/* Passed on as they are; exactly as many as were promised. */
static bool next_plain(struct part *p, void *out, size_t room, size_t *len,
	struct err *e)
{
	if (p->at == p->len && !p->ended && !advance(p, e))
		return false;
	size_t n = p->len - p->at < room ? p->len - p->at : room;
	if (p->total >= 0 && (int64_t)n > p->total - p->given)
		n = (size_t)(p->total - p->given);
	if (p->total >= 0 && n == 0 && p->given < p->total)
		return err_set(e, ERR_INPUT,
			"'%s' became shorter while it was sent", p->label);
	memcpy(out, p->piece + p->at, n);
	p->at += n;
	*len = n;
	return true;
}

bool part_next(struct part *p, void *out, size_t room, size_t *len,
	struct err *e)
{
	*len = 0;
	if (!(p->pack ? next_packed(p, out, room, len, e)
		      : next_plain(p, out, room, len, e)))
		return false;
	p->given += (int64_t)*len;
	return true;
}

bool part_restart(struct part *p, struct err *e)
{
	if (p->given == 0)
		return true; /* the first piece is still here */
	if (p->fd >= 0 && p->start < 0)
		return err_set(e, ERR_INPUT,
			"'%s' is a pipe and cannot be sent a second time; save "
			"it to a file",
			p->label);
	if (p->fd >= 0 && lseek(p->fd, p->start, SEEK_SET) < 0)
		return err_set(e, ERR_INPUT, "cannot read '%s' again: %s",
			p->label, strerror(errno));
	p->given = 0;
	if (p->pack)
		pack_restart(p->pack);
	if (p->fd < 0) {
		p->at = 0;
		if (p->pack)
			pack_add(p->pack, p->piece, p->len, true);
		return true;
	}
	p->taken = 0;
	p->ended = false;
	return advance(p, e);
}
