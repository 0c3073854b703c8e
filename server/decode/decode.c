/* decode.c - takes an upload through decompression and its format to a sorted trace */
#include "decode.h"
#include "file_magic.h"
#include "format.h"
#include "sqlite.h"
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

/* The decoder of the sniffed format; NULL, with *e, if there is none. */
static format_fn *decode_format_of(const struct byte_window *w, struct err *e)
{
	size_t len = (size_t)(w->end - w->at);
	if (!plain_any(w->plain, e))
		return NULL;
	enum sniffed s =
		file_magic_plain(w->at, len < 4096 ? len : 4096, true, e);
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

static bool decode_plain(struct plain *p, struct trace *t, struct err *e)
{
	struct byte_window w;
	bool ok = byte_window_init(&w, p, e);
	format_fn *format = ok ? decode_format_of(&w, e) : NULL;
	ok = format && format(&w, t, e);
	byte_window_release(&w);
	return ok;
}

bool decode(struct source *s, const struct decode_limits *limits,
	const struct decode_progress *progress, struct trace *t, struct err *e)
{
	struct plain p;
	plain_init(&p, s, limits, progress, t->arena, &t->notes);
	bool ok = decode_plain(&p, t, e);
	plain_release(&p);
	return ok && (trace_sort(t) || arena_err(t->arena, e));
}
