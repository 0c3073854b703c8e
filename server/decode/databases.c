/* databases.c - opens, looks at the tables' names, hands on. */
#include "databases.h"
#include "format.h"
#include "utf8.h"

static const struct {
	const char *prefix;
	database_fn *read;
} known[] = {
#define DATABASE(prefix, reader) { prefix, reader },
#include "databases.def"
#undef DATABASE
};

static database_fn *reader_of(const struct sqlite_file *f)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		size_t at = 0;
		if (sqlite_file_prefix(f, known[i].prefix, &at))
			return known[i].read;
	}
	return NULL;
}

/* Says which tables were seen, the first few of them. */
static bool strange(const struct sqlite_file *f, struct err *e)
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
		len += utf8_mend(seen + len, name, utf8_clip(name, n, KEPT));
	}
	return err_set(e, ERR_TRACE,
		"this is an SQLite database of something else (its tables: "
		"%.*s%s); upload an export of Nsight Systems, rocpd or rpd",
		(int)len, seen, f->tables_n > SHOWN ? ", …" : "");
}

bool databases_decode(struct window *w, struct trace *t, struct err *e)
{
	struct sqlite_file f;
	bool ok = sqlite_file_open(&f, w, t, e);
	database_fn *read = ok ? reader_of(&f) : NULL;
	if (ok)
		ok = read ? read(&f, t, e) : strange(&f, e);
	sqlite_file_close(&f);
	return ok;
}
