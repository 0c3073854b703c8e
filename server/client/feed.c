/* feed.c - reads and compresses the bytes of an upload; each file is one part,
 * and the parts are read one after the other. An archive is one part, too. */
#include "feed.h"
#include "buf.h"
#include "tar_header.h"
#include "utf8.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#include <zstd.h>

enum { ZSTD_LEVEL = 3, GZIP_LEVEL = 1 };

/* Compresses bytes piece by piece, with zstd or with ISA-L's gzip.
 *
 * The server recognizes an upload by the digest of the bytes that it stores. So
 * the same input must always give the same compressed bytes. For this reason
 * nothing about the file (name, time, size) is included. All pieces except the
 * last are full, so that a pipe and a file give the same bytes. This holds only
 * within one version of the library. */
struct pack {
	enum pack_kind kind;
	ZSTD_CCtx *zstd;
	ZSTD_inBuffer in;
	bool last, done;
	struct isal_zstream gzip;
	unsigned char level_buf[ISAL_DEF_LVL1_DEFAULT];
};

/* The compression of a file that begins with these bytes: PACK_NONE if it is
 * not compressed, PACK_OTHER if this module cannot write its format. */
static enum pack_kind feed_pack_found(const void *first, size_t len)
{
	static const struct {
		const char *magic;
		size_t len;
		enum pack_kind kind;
	} all[] = { { "\x1f\x8b", 2, PACK_GZIP },
		{ "\x28\xb5\x2f\xfd", 4, PACK_ZSTD }, { "BZh", 3, PACK_OTHER },
		{ "\xfd"
		  "7zXZ",
			5, PACK_OTHER },
		{ "PK\x03\x04", 4, PACK_OTHER },
		{ "\x04\x22\x4d\x18", 4, PACK_OTHER },
		{ "7z\xbc\xaf\x27\x1c", 6, PACK_OTHER } };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		if (len >= all[i].len &&
			!memcmp(first, all[i].magic, all[i].len))
			return all[i].kind;
	}
	return PACK_NONE;
}

static void feed_pack_gzip_begin(struct pack *p)
{
	isal_deflate_init(&p->gzip);
	p->gzip.level = GZIP_LEVEL;
	p->gzip.level_buf = p->level_buf;
	p->gzip.level_buf_size = sizeof p->level_buf;
	p->gzip.gzip_flag = IGZIP_GZIP;
}

/* Starts to compress again from the first byte. */
static void feed_pack_restart(struct pack *p)
{
	p->in = (ZSTD_inBuffer){ 0 };
	p->last = p->done = false;
	if (p->kind == PACK_GZIP) {
		feed_pack_gzip_begin(p);
		return;
	}
	ZSTD_CCtx_reset(p->zstd, ZSTD_reset_session_and_parameters);
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1);
}

/* `kind` must be PACK_ZSTD or PACK_GZIP. */
static struct pack *feed_pack_new(enum pack_kind kind)
{
	struct pack *p = calloc(1, sizeof *p);
	if (!p)
		abort();
	p->kind = kind;
	if (kind == PACK_ZSTD && !(p->zstd = ZSTD_createCCtx()))
		abort();
	feed_pack_restart(p);
	return p;
}

static void feed_pack_free(struct pack *p)
{
	if (!p)
		return;
	ZSTD_freeCCtx(p->zstd);
	free(p);
}

/* Adds the next piece. `last` marks the last piece, which may be empty. Its
 * bytes must not change until feed_pack_next() has returned 0 bytes. */
static void feed_pack_add(struct pack *p, const void *piece, size_t len,
	bool last)
{
	p->last = last;
	if (p->kind == PACK_GZIP) {
		/* the library only reads these bytes; its type lacks a const */
		p->gzip.next_in = (unsigned char *)(uintptr_t)piece;
		p->gzip.avail_in = (uint32_t)len;
		p->gzip.end_of_stream = last;
	} else {
		p->in = (ZSTD_inBuffer){ piece, len, 0 };
	}
}

static bool feed_pack_gzip_next(struct pack *p, void *out, size_t room,
	size_t *len, struct err *e)
{
	p->gzip.next_out = out;
	p->gzip.avail_out = (uint32_t)room;
	int rc = isal_deflate(&p->gzip);
	if (rc != COMP_OK)
		return err_set(e, ERR_INTERNAL, "gzip failed (%d)", rc);
	*len = room - p->gzip.avail_out;
	p->done = p->gzip.internal_state.state == ZSTATE_END;
	return true;
}

static bool feed_pack_zstd_next(struct pack *p, void *out, size_t room,
	size_t *len, struct err *e)
{
	ZSTD_outBuffer o = { out, room, 0 };
	size_t rest = ZSTD_compressStream2(p->zstd, &o, &p->in,
		p->last ? ZSTD_e_end : ZSTD_e_continue);
	if (ZSTD_isError(rest))
		return err_set(e, ERR_INTERNAL, "zstd failed (%s)",
			ZSTD_getErrorName(rest));
	*len = o.pos;
	p->done = p->last && rest == 0;
	return true;
}

/* Writes at most `room` compressed bytes to `out`; *len is 0 when the piece is
 * finished. */
static bool feed_pack_next(struct pack *p, void *out, size_t room, size_t *len,
	struct err *e)
{
	*len = 0;
	for (;;) {
		bool used_up = p->kind == PACK_GZIP ? !p->gzip.avail_in
						    : p->in.pos == p->in.size;
		if (p->done || (used_up && !p->last))
			return true;
		if (!(p->kind == PACK_GZIP
				    ? feed_pack_gzip_next(p, out, room, len, e)
				    : feed_pack_zstd_next(p, out, room, len,
					      e)))
			return false;
		if (*len)
			return true;
	}
}

/* Reads several files as one tar archive. Only one file is open at a time. */
struct feed_archive {
	struct feed_archive_file {
		char *path, *name; /* name: in the archive */
		int64_t size;
	} * files;
	int n;
	int at; /* the current file; n: the end mark */
	int fd; /* of the current file; -1: not open */
	/* bytes of the current member that were read, from its header on */
	int64_t done;
};

static void feed_archive_free(struct feed_archive *a)
{
	if (!a)
		return;
	for (int i = 0; i < a->n; i++) {
		free(a->files[i].path);
		free(a->files[i].name);
	}
	if (a->fd >= 0)
		close(a->fd);
	free(a->files);
	free(a);
}

static void feed_archive_rewind(struct feed_archive *a)
{
	if (a->fd >= 0)
		close(a->fd);
	a->fd = -1;
	a->at = 0;
	a->done = 0;
}

/* Opens the current file, whose size must be that of its header. */
static bool feed_archive_open(struct feed_archive *a, struct err *e)
{
	const struct feed_archive_file *f = &a->files[a->at];
	struct stat st;
	a->fd = open(f->path, O_RDONLY | O_CLOEXEC);
	if (a->fd < 0 || fstat(a->fd, &st))
		return err_set(e, ERR_FILE, "cannot open '%.200s': %s", f->path,
			strerror(errno));
	return st.st_size == f->size ||
	       err_set(e, ERR_FILE, "'%.200s' changed while it was sent",
		       f->path);
}

/* Reads bytes of the current file, at most `room`. */
static bool feed_archive_read_file(struct feed_archive *a, void *to,
	size_t room, size_t *len, struct err *e)
{
	const struct feed_archive_file *f = &a->files[a->at];
	int64_t left = TAR_BLOCK + f->size - a->done;
	ssize_t n;
	if (a->fd < 0 && !feed_archive_open(a, e))
		return false;
	do
		n = read(a->fd, to, (int64_t)room < left ? room : (size_t)left);
	while (n < 0 && errno == EINTR);
	*len = n > 0 ? (size_t)n : 0;
	if (n < 0)
		return err_set(e, ERR_FILE, "cannot read '%.200s': %s", f->path,
			strerror(errno));
	return n > 0 ||
	       err_set(e, ERR_FILE, "'%.200s' became shorter while it was sent",
		       f->path);
}

/* The bytes of the current member, with its header and its padding. */
static int64_t feed_archive_member(const struct feed_archive *a)
{
	int64_t size = a->files[a->at].size;
	return TAR_BLOCK + size + tar_header_padding(size);
}

/* Steps to the next file at the end of a member. */
static void feed_archive_advance(struct feed_archive *a)
{
	if (a->at == a->n || a->done < feed_archive_member(a))
		return;
	if (a->fd >= 0)
		close(a->fd);
	a->fd = -1;
	a->at++;
	a->done = 0;
}

/* Reads bytes of the archive, at most `room`; *len is 0 at its end. */
static bool feed_archive_read(struct feed_archive *a, void *to, size_t room,
	size_t *len, struct err *e)
{
	unsigned char block[2 * TAR_BLOCK] = { 0 }; /* the end mark */
	const unsigned char *from = block;
	size_t n = sizeof block;
	feed_archive_advance(a);
	const struct feed_archive_file *f = &a->files[a->at];
	if (a->at == a->n || a->done < TAR_BLOCK) {
		if (a->at < a->n) {
			n = TAR_BLOCK;
			tar_header_write(block, f->name, f->size, TAR_FILE);
		}
		from += a->done;
		n -= (size_t)a->done;
	} else if (a->done < TAR_BLOCK + f->size) {
		if (!feed_archive_read_file(a, to, room, len, e))
			return false;
		a->done += (int64_t)*len;
		return true;
	} else {
		n = (size_t)(feed_archive_member(a) - a->done);
	}
	*len = n < room ? n : room;
	memcpy(to, from, *len);
	a->done += (int64_t)*len;
	return true;
}

/* Adds a regular file. `folder` is "" for a file of the current folder. */
static void feed_archive_add(struct feed_archive *a, const char *folder,
	const char *name, const char *name_inside, const struct stat *st)
{
	void *grown = realloc(a->files, (size_t)(a->n + 1) * sizeof *a->files);
	struct feed_archive_file f = { .size = st->st_size };
	if (!grown ||
		asprintf(&f.path, "%s%s%s", folder, *folder ? "/" : "", name) <
			0 ||
		!(f.name = strdup(name_inside)))
		abort();
	a->files = grown;
	a->files[a->n++] = f;
}

static int feed_archive_by_name(const void *left, const void *right)
{
	const struct feed_archive_file *a = left, *b = right;
	return strcmp(a->name, b->name);
}

/* Adds the files of a folder in the order of their names, without hidden
 * files, folders and `not`. */
static bool feed_archive_add_folder(struct feed_archive *a, const char *folder,
	const struct stat * not, struct err *e)
{
	int before = a->n;
	DIR *d = opendir(folder);
	struct dirent *entry;
	if (!d)
		return err_set(e, ERR_FILE, "cannot open '%.200s': %s", folder,
			strerror(errno));
	while ((entry = readdir(d))) {
		const char *name = entry->d_name;
		struct stat st;
		if (*name == '.' || fstatat(dirfd(d), name, &st, 0) ||
			!S_ISREG(st.st_mode) ||
			(st.st_dev == not ->st_dev &&
				st.st_ino == not ->st_ino))
			continue;
		feed_archive_add(a, folder, name, name, &st);
	}
	closedir(d);
	if (a->n == before)
		return err_set(e, ERR_INPUT,
			"'%.200s' has no files; give the folder of the graph "
			"captures",
			folder);
	qsort(a->files + before, (size_t)(a->n - before), sizeof *a->files,
		feed_archive_by_name);
	return true;
}

struct part {
	struct part *behind; /* the next part */
	struct feed_archive *archive; /* NULL: the part is one file */
	int fd; /* -1: held in memory, or an archive */
	char *path, *label;
	struct pack *pack; /* NULL: not packed */
	off_t start; /* offset at which the file began; -1: it cannot seek */
	int64_t total; /* -1 unknown */
	int64_t taken, given;
	bool ended; /* the last piece was read */
	size_t at, len; /* position in the piece, and its length */
	char piece[PACK_PIECE];
};

/* Reads bytes, at most `room`; *len is 0 at the end. */
static bool feed_part_read(struct part *p, void *to, size_t room, size_t *len,
	struct err *e)
{
	ssize_t n;
	if (p->archive)
		return feed_archive_read(p->archive, to, room, len, e);
	do
		n = read(p->fd, to, room);
	while (n < 0 && errno == EINTR);
	*len = n > 0 ? (size_t)n : 0;
	return n >= 0 || err_set(e, ERR_FILE, "cannot read '%s': %s", p->label,
				 strerror(errno));
}

/* Reads a full piece, or less at the end of the file. */
static bool feed_part_fill(struct part *p, struct err *e)
{
	p->at = p->len = 0;
	while (p->len < sizeof p->piece && !p->ended) {
		size_t n;
		if (!feed_part_read(p, p->piece + p->len,
			    sizeof p->piece - p->len, &n, e))
			return false;
		p->ended = n == 0;
		p->len += n;
	}
	return true;
}

static bool feed_part_open_file(struct part *p, struct err *e)
{
	struct stat st;
	bool standard = !strcmp(p->path, "-");
	if (p->fd < 0)
		p->fd = standard ? dup(STDIN_FILENO)
				 : open(p->path, O_RDONLY | O_CLOEXEC);
	if (p->fd < 0 || fstat(p->fd, &st))
		return err_set(e, ERR_FILE, "cannot open '%s': %s", p->label,
			strerror(errno));
	if (S_ISDIR(st.st_mode))
		return err_set(e, ERR_FILE,
			"'%s' is a directory; name the files in it", p->label);
	p->start = lseek(p->fd, 0, SEEK_CUR);
	p->total = S_ISREG(st.st_mode) && p->start >= 0 ? st.st_size - p->start
							: -1;
	return true;
}

static char *feed_part_text_of(const char *bytes)
{
	size_t len = strlen(bytes);
	char *text = malloc(len * 3 + 1);
	if (!text)
		abort();
	text[utf8_sanitize(text, bytes, len)] = '\0';
	for (char *c = text; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	}
	return text;
}

static void feed_part_free(struct part *p)
{
	if (!p)
		return;
	if (p->fd >= 0)
		close(p->fd);
	feed_archive_free(p->archive);
	feed_pack_free(p->pack);
	free(p->path);
	free(p->label);
	free(p);
}

/* A part of an open file, which it owns from now on; `path` is its name. */
static struct part *feed_part_new_open(int fd, const char *path, struct err *e)
{
	struct part *p = calloc(1, sizeof *p);
	if (!p || !(p->path = strdup(path)))
		abort();
	p->fd = fd;
	p->label =
		feed_part_text_of(strcmp(path, "-") ? path : "standard input");
	if (!feed_part_open_file(p, e) || !feed_part_fill(p, e)) {
		feed_part_free(p);
		return NULL;
	}
	if (!p->len) {
		err_set(e, ERR_INPUT, "'%s' is empty", p->label);
		feed_part_free(p);
		return NULL;
	}
	p->taken = (int64_t)p->len;
	return p;
}

/* Opens a file, or the standard input for "-", and reads its first piece.
 * Returns NULL with a message if it cannot be read, is a directory or is empty.
 */
static struct part *feed_part_new(const char *path, struct err *e)
{
	return feed_part_new_open(-1, path, e);
}

/* A part with this text, which is shorter than a piece. */
static struct part *feed_part_text(const char *text)
{
	struct part *p = calloc(1, sizeof *p);
	if (!p)
		abort();
	p->fd = -1;
	p->len = strlen(text);
	memcpy(p->piece, text, p->len);
	p->total = p->taken = (int64_t)p->len;
	p->ended = true;
	return p;
}

/* The compression of the file itself. */
static enum pack_kind feed_part_found(const struct part *p)
{
	return feed_pack_found(p->piece, p->len);
}

/* Compresses the bytes, unless they are compressed already. Call it before the
 * first feed_part_next(). */
static void feed_part_pack(struct part *p, enum pack_kind kind)
{
	if (kind == PACK_NONE || feed_part_found(p) != PACK_NONE)
		return;
	p->pack = feed_pack_new(kind);
	feed_pack_add(p->pack, p->piece, p->len, p->ended);
}

/* Reads the next piece, if there is one. */
static bool feed_part_advance(struct part *p, struct err *e)
{
	if (!feed_part_fill(p, e))
		return false;
	p->taken += (int64_t)p->len;
	if (p->pack)
		feed_pack_add(p->pack, p->piece, p->len, p->ended);
	return true;
}

static bool feed_part_next_packed(struct part *p, void *out, size_t room,
	size_t *len, struct err *e)
{
	for (;;) {
		if (!feed_pack_next(p->pack, out, room, len, e))
			return false;
		if (*len || p->ended)
			return true;
		if (!feed_part_advance(p, e))
			return false;
	}
}

/* Reads bytes without compressing them; the total must be the announced size.
 */
static bool feed_part_next_plain(struct part *p, void *out, size_t room,
	size_t *len, struct err *e)
{
	if (p->at == p->len && !p->ended && !feed_part_advance(p, e))
		return false;
	size_t n = p->len - p->at < room ? p->len - p->at : room;
	if (p->total >= 0 && (int64_t)n > p->total - p->given)
		n = (size_t)(p->total - p->given);
	if (p->total >= 0 && n == 0 && p->given < p->total)
		return err_set(e, ERR_FILE,
			"'%s' became shorter while it was sent", p->label);
	memcpy(out, p->piece + p->at, n);
	p->at += n;
	*len = n;
	return true;
}

/* Reads the next bytes, at most `room`; *len is 0 at the end. */
static bool feed_part_next(struct part *p, void *out, size_t room, size_t *len,
	struct err *e)
{
	*len = 0;
	if (!(p->pack ? feed_part_next_packed(p, out, room, len, e)
		      : feed_part_next_plain(p, out, room, len, e)))
		return false;
	p->given += (int64_t)*len;
	return true;
}

/* Starts again from the first byte; returns false with a message if that is
 * impossible. */
static bool feed_part_restart(struct part *p, struct err *e)
{
	if (p->given == 0)
		return true; /* the first piece is still in memory */
	if (p->fd >= 0 && p->start < 0)
		/* the reason is that the server did not take it the first time */
		return err_set(e, ERR_UNREACHABLE,
			"'%s' is a pipe and cannot be sent a second time; save "
			"it to a file",
			p->label);
	if (p->archive)
		feed_archive_rewind(p->archive);
	if (p->fd >= 0 && lseek(p->fd, p->start, SEEK_SET) < 0)
		return err_set(e, ERR_FILE, "cannot read '%s' again: %s",
			p->label, strerror(errno));
	p->given = 0;
	if (p->pack)
		feed_pack_restart(p->pack);
	if (p->fd < 0 && !p->archive) {
		p->at = 0;
		if (p->pack)
			feed_pack_add(p->pack, p->piece, p->len, true);
		return true;
	}
	p->taken = 0;
	p->ended = false;
	return feed_part_advance(p, e);
}

enum { FEED_BOUNDARY = 40, FEED_TYPE = 100 };

struct feed {
	struct part *first;
	struct part *named; /* the part of the file whose name it has */
	char boundary[FEED_BOUNDARY], type[FEED_TYPE]; /* of a form; or "" */
};

static struct feed *feed_chain_new(struct part *first)
{
	struct feed *f = calloc(1, sizeof *f);
	if (!f)
		abort();
	f->first = f->named = first;
	return f;
}

struct feed *feed_new_open(int fd, const char *path, enum pack_kind kind,
	struct err *e)
{
	struct part *p = feed_part_new_open(fd, path, e);
	if (!p)
		return NULL;
	feed_part_pack(p, kind);
	return feed_chain_new(p);
}

struct feed *feed_new(const char *path, enum pack_kind kind, struct err *e)
{
	return feed_new_open(-1, path, kind, e);
}

/* The compression for both files; PACK_OTHER with a message if they cannot be
 * joined. */
static enum pack_kind feed_joint_kind(const struct part *p,
	const struct part *q, enum pack_kind kind, struct err *e)
{
	enum pack_kind a = feed_part_found(p), b = feed_part_found(q);
	enum pack_kind both = a == PACK_NONE ? b : a;
	if (both == PACK_OTHER || (b != PACK_NONE && b != both)) {
		err_set(e, ERR_INPUT,
			"the compressions of '%s' and '%s' cannot be sent "
			"as one; decompress them, or compress both with gzip "
			"or zstd",
			p->label, q->label);
		return PACK_OTHER;
	}
	return both == PACK_NONE ? kind : both;
}

struct feed *feed_joined(const char *path, const char *behind,
	enum pack_kind kind, struct err *e)
{
	struct part *p = feed_part_new(path, e);
	struct part *q = p ? feed_part_new(behind, e) : NULL;
	if (q)
		kind = feed_joint_kind(p, q, kind, e);
	if (!q || kind == PACK_OTHER) {
		feed_part_free(p);
		feed_part_free(q);
		return NULL;
	}
	p->behind = feed_part_text("\n");
	p->behind->behind = q;
	for (struct part *each = p; each; each = each->behind)
		feed_part_pack(each, kind);
	return feed_chain_new(p);
}

/* Lists the files of an archive: `path` and the files of `folder`. */
static bool feed_archive_fill(struct feed_archive *a, const char *path,
	const char *folder, struct err *e)
{
	const char *slash = strrchr(path, '/');
	struct stat st;
	if (stat(path, &st))
		return err_set(e, ERR_FILE, "cannot open '%.200s': %s", path,
			strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_FILE,
			"'%.200s' is not a regular file; save the trace to a "
			"file",
			path);
	feed_archive_add(a, "", path, slash ? slash + 1 : path, &st);
	return feed_archive_add_folder(a, folder, &st, e);
}

static int64_t feed_archive_total(struct feed_archive *a)
{
	int64_t total = 2 * TAR_BLOCK;
	for (a->at = 0; a->at < a->n; a->at++)
		total += feed_archive_member(a);
	feed_archive_rewind(a);
	return total;
}

static struct part *feed_part_new_archive(const char *path, const char *folder,
	struct err *e)
{
	struct part *p = calloc(1, sizeof *p);
	if (!p || !(p->path = strdup(path)) ||
		!(p->archive = calloc(1, sizeof *p->archive)))
		abort();
	p->fd = p->archive->fd = -1;
	p->label = feed_part_text_of(path);
	bool ok = feed_archive_fill(p->archive, path, folder, e);
	if (ok)
		p->total = feed_archive_total(p->archive);
	if (ok && feed_part_fill(p, e))
		return p;
	feed_part_free(p);
	return NULL;
}

struct feed *feed_archived(const char *path, const char *folder,
	enum pack_kind kind, struct err *e)
{
	struct part *p = feed_part_new_archive(path, folder, e);
	if (!p)
		return NULL;
	p->taken = (int64_t)p->len;
	feed_part_pack(p, kind);
	return feed_chain_new(p);
}

/* The lines before a file of a form. */
static struct part *feed_form_head(const struct feed *f, bool first,
	const char *field, const char *label)
{
	const char *slash = strrchr(label, '/');
	struct part *p;
	struct buf text;
	buf_init(&text, PACK_PIECE / 2);
	buf_printf(&text,
		"%s--%s\r\nContent-Disposition: form-data; name=\"%s\"; "
		"filename=\"",
		first ? "" : "\r\n", f->boundary, field);
	for (const char *c = slash ? slash + 1 : label; *c; c++) {
		buf_puts(&text, *c == '"' || *c == '\\' ? "\\" : "");
		buf_add(&text, c, 1);
	}
	buf_puts(&text, "\"\r\n\r\n");
	p = feed_part_text(text.at);
	buf_release(&text);
	return p;
}

/* A boundary that no file contains, except by a chance of 2^-128. */
static void feed_form_boundary(struct feed *f)
{
	unsigned char bytes[16];
	int at = snprintf(f->boundary, sizeof f->boundary, "form");
	if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
		abort();
	for (size_t i = 0; i < sizeof bytes; i++)
		at += snprintf(f->boundary + at,
			sizeof f->boundary - (size_t)at, "%02x", bytes[i]);
	snprintf(f->type, sizeof f->type, "multipart/form-data; boundary=%s",
		f->boundary);
}

const char *feed_form(struct feed *f, const char *field,
	const char *const *paths, int n, struct err *e)
{
	struct part *last = f->first, *end;
	char closing[FEED_BOUNDARY + 16];
	feed_form_boundary(f);
	f->first = feed_form_head(f, true, "file", f->named->label);
	f->first->behind = f->named;
	while (last->behind)
		last = last->behind;
	for (int i = 0; i < n; i++) {
		struct part *p = feed_part_new(paths[i], e);
		if (!p)
			return NULL;
		last->behind = feed_form_head(f, false, field, p->label);
		last->behind->behind = p;
		last = p;
	}
	snprintf(closing, sizeof closing, "\r\n--%s--\r\n", f->boundary);
	end = feed_part_text(closing);
	last->behind = end;
	return f->type;
}

void feed_free(struct feed *f)
{
	if (!f)
		return;
	for (struct part *p = f->first; p;) {
		struct part *behind = p->behind;
		feed_part_free(p);
		p = behind;
	}
	free(f);
}

const char *feed_label(const struct feed *f)
{
	return f->named->label;
}

const char *feed_base_name(const struct feed *f)
{
	const char *path = f->named->path, *slash = strrchr(path, '/');
	if (!strcmp(path, "-"))
		return NULL;
	return slash ? slash + 1 : path;
}

enum pack_kind feed_found(const struct feed *f)
{
	return feed_part_found(f->named);
}

bool feed_next(struct feed *f, void *out, size_t room, size_t *len,
	struct err *e)
{
	*len = 0;
	for (struct part *p = f->first; p && !*len; p = p->behind)
		if (!feed_part_next(p, out, room, len, e))
			return false;
	return true;
}

bool feed_restart(struct feed *f, struct err *e)
{
	for (struct part *p = f->first; p; p = p->behind)
		if (!feed_part_restart(p, e))
			return false;
	return true;
}

int64_t feed_bytes_read(const struct feed *f)
{
	int64_t taken = 0;
	for (const struct part *p = f->first; p; p = p->behind)
		taken += p->taken;
	return taken;
}

int64_t feed_total(const struct feed *f)
{
	int64_t total = 0;
	for (const struct part *p = f->first; p; p = p->behind) {
		if (p->total < 0)
			return -1;
		total += p->total;
	}
	return total;
}

int64_t feed_length(const struct feed *f)
{
	for (const struct part *p = f->first; p; p = p->behind)
		if (p->pack)
			return -1;
	return feed_total(f);
}

int64_t feed_bytes_sent(const struct feed *f)
{
	int64_t given = 0;
	for (const struct part *p = f->first; p; p = p->behind)
		given += p->given;
	return given;
}
