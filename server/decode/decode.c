/* decode.c - takes an upload through decompression and its format to a sorted
 * trace; reads tar archives */
#include "decode.h"
#include "file_magic.h"
#include "format.h"
#include "sqlite.h"
#include "tar_header.h"
#include "utf8.h"

static const struct {
	const char *prefix;
	database_fn *read;
} databases[] = {
#define DATABASE(prefix, reader) { prefix, reader },
#include "formats.def"
#undef DATABASE
};

static database_fn *decode_database_reader(const struct sqlite_file *f)
{
	for (size_t i = 0; i < sizeof databases / sizeof *databases; i++) {
		size_t at = 0;
		if (sqlite_file_prefix(f, databases[i].prefix, &at))
			return databases[i].read;
	}
	return NULL;
}

/* Names the tables that were seen, at most the first few. */
static bool decode_strange_database(const struct sqlite_file *f, struct err *e)
{
	enum { SHOWN = 4, KEPT = 24, ROOM = 3 * KEPT + sizeof ", " };
	char seen[SHOWN * ROOM] = "";
	size_t len = 0;
	if (f->tables_n == 0)
		return err_set(e, ERR_TRACE,
			"this is an SQLite database without a table; upload "
			"an export of Nsight Systems, rocpd or rpd");
	for (size_t i = 0; i < f->tables_n && i < SHOWN; i++) {
		const char *name = f->tables[i];
		size_t n = strlen(name);
		if (i) {
			memcpy(seen + len, ", ", 2);
			len += 2;
		}
		len += utf8_sanitize(seen + len, name,
			utf8_clip(name, n, KEPT));
	}
	return err_set(e, ERR_TRACE,
		"this is an SQLite database of something else (its tables: "
		"%.*s%s); upload an export of Nsight Systems, rocpd or rpd",
		(int)len, seen, f->tables_n > SHOWN ? ", …" : "");
}

bool databases_decode(struct byte_window *w, struct trace *t, struct err *e)
{
	struct sqlite_file f;
	bool ok = sqlite_file_open(&f, w, t, e);
	database_fn *read = ok ? decode_database_reader(&f) : NULL;
	if (ok)
		ok = read ? read(&f, t, e) : decode_strange_database(&f, e);
	sqlite_file_close(&f);
	return ok;
}

/* What the window's bytes are; SNIFF_UNKNOWN, with *e, if that is unknown. */
static enum sniffed decode_sniff(const struct byte_window *w, struct err *e)
{
	size_t len = (size_t)(w->end - w->at);
	if (!plain_any(w->plain, e))
		return SNIFF_UNKNOWN;
	return file_magic_plain(w->at, len < 4096 ? len : 4096, true, e);
}

/* The decoder of a format; NULL if there is none. */
static format_fn *decode_format_of(enum sniffed s)
{
	switch (s) {
#define FORMAT(sniffed, decoder) \
	case sniffed:            \
		return decoder;
#include "formats.def"
#undef FORMAT
	default:
		return NULL;
	}
}

/* ---- the files of a tar archive (ustar, pax and GNU's formats)
 *
 * Only regular files are passed on; folders are skipped. Nothing is written to a
 * file system, but an archive that could harm one that unpacks it is rejected:
 * links, devices, absolute paths and `..`. So are sparse files, more than
 * TAR_MEMBERS_MOST members, sizes above the limit, and archives that end before
 * their end mark. Memory has a fixed size.
 *
 * A member of type x (pax) or L (GNU) has the name or size of the member after
 * it. Type M is GNU's continuation of a file in another volume. An upload of
 * several files is stored with it: the size of a file that arrives is known
 * only at its end (api/handlers/uploads.c). */

/* A folder of captures has one file per rank and batch size: SGLang with 8
 * ranks and 52 batch sizes writes 416. */
enum { TAR_MEMBERS_MOST = 512, TAR_NAME_MOST = 512 };

struct decode_tar {
	struct byte_window *window; /* at the archive's first byte */
	int64_t size_max; /* of one file */
	int64_t left; /* bytes of the current member that were not read */
	int64_t padding; /* bytes between them and the next header */
	uint32_t members;
	char name[TAR_NAME_MOST]; /* of the current file, as valid text */
	bool named; /* an extended header gives the name of the next member */
	int64_t size; /* that it gives; -1: none */
	bool end; /* the end mark was read */
};

/* The name of the current file, for `%.*s`. */
#define TAR_SHOWN(t) \
	(int)utf8_clip((t)->name, strlen((t)->name), 100), (t)->name

/* The largest extended header that is read: a path has at most 4 KiB. */
enum { EXTENDED_MOST = 8192 };

static void decode_tar_init(struct decode_tar *t, struct byte_window *w,
	int64_t size_max)
{
	*t = (struct decode_tar){ .window = w,
		.size_max = size_max,
		.size = -1 };
}

/* Copies `len` bytes to `to`, which may be NULL. *got is less than `len` only
 * at the end of the archive. */
static bool decode_tar_read(struct decode_tar *t, void *to, int64_t len,
	int64_t *got, struct err *e)
{
	struct byte_window *w = t->window;

	for (*got = 0; *got < len;) {
		int64_t n = w->end - w->at;
		if (n == 0) {
			enum window_state s = byte_window_more(w, e);
			if (s == WINDOW_END)
				return true;
			if (s != WINDOW_MORE)
				return false;
			continue;
		}
		n = n < len - *got ? n : len - *got;
		if (to)
			memcpy((char *)to + *got, w->at, (size_t)n);
		w->at += n;
		*got += n;
	}
	return true;
}

static bool decode_tar_cut(const struct decode_tar *t, struct err *e)
{
	if (!t->members)
		return err_set(e, ERR_FORMAT,
			"the tar archive breaks off in its first header; send "
			"it again");
	return err_set(e, ERR_FORMAT,
		"the tar archive breaks off in or after '%.*s'; send it "
		"again",
		TAR_SHOWN(t));
}

/* Reads bytes that must be there. */
static bool decode_tar_must(struct decode_tar *t, void *to, int64_t len,
	struct err *e)
{
	int64_t got;

	return decode_tar_read(t, to, len, &got, e) &&
	       (got == len || decode_tar_cut(t, e));
}

/* A number of a header; -1 if it is invalid or has more than 63 bits. */
static int64_t decode_tar_number(const unsigned char *p, size_t len)
{
	int64_t v = 0;
	size_t i = 0;

	if (p[0] & 0x80) {
		/* 0xFF begins a negative number */
		if (p[0] != 0x80)
			return -1;
		for (i = 1; i < len; i++) {
			if (v >> 55)
				return -1;
			v = v << 8 | p[i];
		}
		return v;
	}
	while (i < len && p[i] == ' ')
		i++;
	if (i == len || p[i] < '0' || p[i] > '7')
		return -1;
	for (; i < len && p[i] >= '0' && p[i] <= '7'; i++)
		v = v << 3 | (p[i] - '0');
	return i == len || p[i] == ' ' || p[i] == '\0' ? v : -1;
}

static void decode_tar_name_set(struct decode_tar *t, const char *raw,
	size_t len)
{
	char clean[3 * EXTENDED_MOST + 1];

	len = strnlen(raw, len < EXTENDED_MOST ? len : EXTENDED_MOST);
	len = utf8_sanitize(clean, raw, len);
	len = utf8_clip(clean, len, sizeof t->name - 1);
	memcpy(t->name, clean, len);
	t->name[len] = '\0';
	for (char *c = t->name; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7F)
			*c = '?';
}

static void decode_tar_name_of_header(struct decode_tar *t,
	const unsigned char *h)
{
	char both[TAR_PREFIX + 1 + TAR_NAME + 1];
	const char *prefix = (const char *)h + TAR_PREFIX_AT;
	const char *name = (const char *)h + TAR_NAME_AT;
	/* GNU's header ("ustar  ") has other fields in the prefix's place. */
	size_t before = memcmp(h + TAR_MAGIC_AT, "ustar\0", 6)
				? 0
				: strnlen(prefix, TAR_PREFIX);
	size_t len = strnlen(name, TAR_NAME);

	memcpy(both, prefix, before);
	if (before)
		both[before++] = '/';
	memcpy(both + before, name, len);
	decode_tar_name_set(t, both, before + len);
}

/* Whether a component of the path is `..`. */
static bool decode_tar_goes_up(const char *path)
{
	for (const char *at = path; (at = strstr(at, "..")); at += 2)
		if ((at == path || at[-1] == '/') &&
			(at[2] == '/' || at[2] == '\0'))
			return true;
	return false;
}

/* Reads one record of a pax header, "LENGTH KEY=VALUE\n". *record is behind it
 * afterwards. */
static bool decode_tar_pax_record(struct decode_tar *t, const char **record,
	const char *end)
{
	const char *p = *record;
	int64_t len = 0;

	while (p < end && *p >= '0' && *p <= '9' && len <= EXTENDED_MOST)
		len = len * 10 + (*p++ - '0');
	if (p == end || *p != ' ' || len > end - *record ||
		len < p - *record + 4)
		return false;
	const char *stop = *record + len - 1;
	const char *equal = memchr(p + 1, '=', (size_t)(stop - p - 1));
	if (*stop != '\n' || !equal)
		return false;
	size_t key = (size_t)(equal - p - 1);
	if (key == 4 && !memcmp(p + 1, "path", 4)) {
		decode_tar_name_set(t, equal + 1, (size_t)(stop - equal - 1));
		t->named = true;
	} else if (key == 4 && !memcmp(p + 1, "size", 4)) {
		t->size = 0;
		for (p = equal + 1; p < stop; p++) {
			if (*p < '0' || *p > '9' || t->size > INT64_MAX / 16)
				return false;
			t->size = t->size * 10 + (*p - '0');
		}
	} else if (key > 10 && !memcmp(p + 1, "GNU.sparse", 10)) {
		return false;
	}
	*record = stop + 1;
	return true;
}

/* Reads an extended header of type x, g or L. */
static bool decode_tar_extended(struct decode_tar *t, char type, int64_t size,
	struct err *e)
{
	char text[EXTENDED_MOST];
	int64_t padding = tar_header_padding(size);
	bool ok = true;

	if (size > EXTENDED_MOST)
		return err_set(e, ERR_FORMAT,
			"the tar archive has an extended header of %lld bytes; "
			"the maximum is %d",
			(long long)size, EXTENDED_MOST);
	if (!decode_tar_must(t, text, size, e) ||
		!decode_tar_must(t, NULL, padding, e))
		return false;
	if (type == 'L') {
		decode_tar_name_set(t, text, (size_t)size);
		t->named = true;
	}
	/* What a global header says about all members has no effect here. */
	for (const char *at = text; ok && type == 'x' && at < text + size;)
		ok = decode_tar_pax_record(t, &at, text + size);
	return ok || err_set(e, ERR_FORMAT,
			     "the tar archive has an extended header that "
			     "cannot be read (a sparse file?); pack the files "
			     "with `tar -czf`");
}

/* What a member is that is neither a file nor a folder. */
static bool decode_tar_strange(const struct decode_tar *t, char type,
	struct err *e)
{
	const char *is = type == '1' || type == '2'   ? "a link"
			 : type >= '3' && type <= '6' ? "a device or pipe"
			 : type == 'S'		      ? "a sparse file"
						      : "of an unknown kind";

	return err_set(e, ERR_FORMAT,
		"'%.*s' in the tar archive is %s; pack regular files only "
		"(`tar -h` follows links)",
		TAR_SHOWN(t), is);
}

static bool decode_tar_name_good(const struct decode_tar *t, struct err *e)
{
	if (t->name[0] == '/')
		return err_set(e, ERR_FORMAT,
			"'%.*s' in the tar archive is an absolute path; pack "
			"the files with relative paths",
			TAR_SHOWN(t));
	if (decode_tar_goes_up(t->name))
		return err_set(e, ERR_FORMAT,
			"'%.*s' in the tar archive leads out of its folder; "
			"pack the files without '..'",
			TAR_SHOWN(t));
	return t->name[0] ||
	       err_set(e, ERR_FORMAT,
		       "a file in the tar archive has no name; pack the files "
		       "again");
}

/* Reads a header. *type is 0 at the end mark. */
static bool decode_tar_header_read(struct decode_tar *t, unsigned char *h,
	char *type, int64_t *size, struct err *e)
{
	static const unsigned char zeros[TAR_BLOCK];

	*type = 0;
	if (!decode_tar_must(t, h, TAR_BLOCK, e))
		return false;
	if (!memcmp(h, zeros, TAR_BLOCK))
		return true;
	*type = h[TAR_TYPE_AT] ? (char)h[TAR_TYPE_AT] : '0';
	*size = decode_tar_number(h + TAR_SIZE_AT, TAR_NUMBER);
	if (decode_tar_number(h + TAR_SUM_AT, TAR_SUM) != tar_header_sum(h) ||
		*size < 0)
		return err_set(e, ERR_FORMAT,
			"the tar archive is damaged: the header after '%.*s' is "
			"invalid; send it again",
			TAR_SHOWN(t));
	return true;
}

/* Sets the current member from its header. */
static bool decode_tar_member(struct decode_tar *t, const unsigned char *h,
	int64_t size, struct err *e)
{
	if (!t->named)
		decode_tar_name_of_header(t, h);
	size = t->size >= 0 ? t->size : size;
	t->named = false;
	t->size = -1;
	if (size > t->size_max)
		return err_set(e, ERR_TOO_LARGE,
			"'%.*s' in the tar archive has %lld MiB; the maximum "
			"is %lld, see --max-uncompressed-mib",
			TAR_SHOWN(t), (long long)(size >> 20),
			(long long)(t->size_max >> 20));
	t->left = size;
	t->padding = tar_header_padding(size);
	return true;
}

/* Steps to the next member; *type is 0 at the end. Extended headers are read on
 * the way. */
static bool decode_tar_step(struct decode_tar *t, char *type, struct err *e)
{
	unsigned char h[TAR_BLOCK] = { 0 };
	int64_t size = 0;

	for (;;) {
		if (!decode_tar_must(t, NULL, t->left, e) ||
			!decode_tar_must(t, NULL, t->padding, e))
			return false;
		t->left = t->padding = 0;
		if (!decode_tar_header_read(t, h, type, &size, e))
			return false;
		if (!*type)
			return true;
		if (strchr("xgL", *type)) {
			if (!decode_tar_extended(t, *type, size, e))
				return false;
			continue;
		}
		if (*type != TAR_CONTINUED && ++t->members > TAR_MEMBERS_MOST)
			return err_set(e, ERR_TOO_LARGE,
				"the tar archive has more than %d members; "
				"pack one execution trace and its captures",
				TAR_MEMBERS_MOST);
		return decode_tar_member(t, h, size, e);
	}
}

/* The next bytes of the current file. */
static bool decode_tar_file_next(void *ctx, const void **bytes, size_t *len,
	struct err *e)
{
	struct decode_tar *t = ctx;
	struct byte_window *w = t->window;
	char type;

	*len = 0;
	*bytes = w->at;
	/* The end of a file is known only from the header after it. Archives of
	 * other programs have no continuations: their next header is read
	 * later, by decode_tar_next(). */
	while (t->left == 0) {
		enum window_state s = WINDOW_MORE;
		while (w->end - w->at < t->padding + TAR_BLOCK &&
			s == WINDOW_MORE)
			s = byte_window_more(w, e);
		if (s != WINDOW_MORE ||
			w->at[t->padding + TAR_TYPE_AT] != TAR_CONTINUED)
			return s != WINDOW_ERR;
		if (!decode_tar_step(t, &type, e))
			return false;
	}
	if (w->at == w->end) {
		enum window_state s = byte_window_more(w, e);
		if (s != WINDOW_MORE)
			return s == WINDOW_END && decode_tar_cut(t, e);
	}
	*bytes = w->at;
	*len = (size_t)(w->end - w->at);
	if ((int64_t)*len > t->left)
		*len = (size_t)t->left;
	w->at += *len;
	t->left -= (int64_t)*len;
	return true;
}

/* Steps to the next regular file. *file is its bytes; it is valid until the
 * next call. At the end, *more is false. */
static bool decode_tar_next(struct decode_tar *t, struct source *file,
	bool *more, struct err *e)
{
	int64_t after;
	char type = 0;

	*more = false;
	while (!t->end) {
		if (!decode_tar_step(t, &type, e))
			return false;
		if (type && !decode_tar_name_good(t, e))
			return false;
		t->end = !type;
		/* What follows may be padding; how it ends is noted. */
		if (t->end && !decode_tar_read(t, NULL, INT64_MAX, &after, e))
			return false;
		/* A continuation is the rest of a file that its reader did not
		 * want. */
		if (t->end || type == '5' ||
			(type == TAR_CONTINUED && t->members))
			continue;
		if (type != TAR_FILE && type != '7')
			return decode_tar_strange(t, type, e);
		*more = true;
		*file = (struct source){ decode_tar_file_next, t, -1 };
		return true;
	}
	return true;
}

static bool decode_tar_files(struct byte_window *w,
	const struct decode_target *to, struct err *e)
{
	struct source file;
	struct decode_tar t;
	bool more = true;

	if (!to->file)
		return err_set(e, ERR_FORMAT,
			"this is a tar archive; give `inspect` or an upload "
			"the archive, or unpack it");
	decode_tar_init(&t, w, w->plain->limits->plain_bytes);
	while (more) {
		if (!decode_tar_next(&t, &file, &more, e) ||
			(more && !to->file(to->ctx, t.name, &file, e)))
			return false;
	}
	return true;
}

static bool decode_plain(struct plain *p, const struct decode_target *to,
	bool *archive, struct err *e)
{
	struct byte_window w;
	bool ok = byte_window_init(&w, p, e);
	enum sniffed is = ok ? decode_sniff(&w, e) : SNIFF_UNKNOWN;
	format_fn *format = decode_format_of(is);
	*archive = is == SNIFF_TAR;
	if (*archive)
		ok = decode_tar_files(&w, to, e);
	else
		ok = format && format(&w, to->trace, e);
	byte_window_release(&w);
	return ok;
}

bool decode_files(struct source *s, const struct decode_limits *limits,
	const struct decode_progress *progress, const struct decode_target *to,
	bool *archive, struct err *e)
{
	struct trace *t = to->trace;
	struct plain p;
	plain_init(&p, s, limits, progress, t->arena, &t->notes);
	bool ok = decode_plain(&p, to, archive, e);
	plain_release(&p);
	return ok && (*archive || trace_sort(t) || arena_err(t->arena, e));
}

bool decode(struct source *s, const struct decode_limits *limits,
	const struct decode_progress *progress, struct trace *t, struct err *e)
{
	const struct decode_target one = { .trace = t };
	bool archive;
	return decode_files(s, limits, progress, &one, &archive, e);
}
