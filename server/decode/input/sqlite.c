/* sqlite.c - reads an SQLite database that was uploaded: its rows, and the
 * texts that rows name by number. */
#include "sqlite.h"
#include "utf8.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Copies the upload to a file and reads the hundred bytes of the header. */

/* Offsets in the header (sqlite.org/fileformat.html, 1.3). */
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

static const char *sqlite_copy_folder(void)
{
	const char *folder = getenv("TMPDIR");
	return folder && folder[0] == '/' ? folder : "/tmp";
}

static bool sqlite_copy_disk(struct err *e, int why)
{
	if (why == ENOSPC || why == EDQUOT || why == EFBIG)
		return err_set(e, ERR_DISK_FULL,
			"%s has no room for a copy of the database while it "
			"is read; make room, or set TMPDIR",
			sqlite_copy_folder());
	return err_set(e, ERR_BUSY,
		"a temporary file in %s cannot be used: %s; set TMPDIR",
		sqlite_copy_folder(), strerror(why));
}

/* Creates a file without a name: directly if the file system supports this,
 * otherwise by removing the name. */
static int sqlite_copy_nameless(void)
{
	char path[PATH_MAX];
	int fd = open(sqlite_copy_folder(),
		O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR &&
			       errno != ENOENT && errno != EINVAL))
		return fd;
	if (snprintf(path, sizeof path, "%s/kernsift-XXXXXX",
		    sqlite_copy_folder()) >= (int)sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

static bool sqlite_copy_put(struct sqlite_copy *c, const char *at, size_t len,
	struct err *e)
{
	while (len) {
		ssize_t n = write(c->fd, at, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return sqlite_copy_disk(e, n ? errno : ENOSPC);
		at += n;
		len -= (size_t)n;
		c->bytes += n;
	}
	return true;
}

static bool sqlite_copy_spill(struct sqlite_copy *c, struct byte_window *w,
	struct err *e)
{
	enum window_state state;
	do {
		if (!sqlite_copy_put(c, w->at, (size_t)(w->end - w->at), e))
			return false;
		w->at = w->end;
		state = byte_window_more(w, e);
	} while (state == WINDOW_MORE);
	return state == WINDOW_END;
}

static uint32_t sqlite_copy_big32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

static bool sqlite_copy_header(struct sqlite_copy *c, struct err *e)
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
		c->pages_claimed = sqlite_copy_big32(h + AT_PAGES);
	c->wal = h[AT_READ_VERSION] == VERSION_WAL;
	if (c->wal)
		h[AT_READ_VERSION] = h[AT_WRITE_VERSION] = 1;
	memset(h + AT_PAGES, 0, 4);
	if (pwrite(c->fd, h, sizeof h, 0) != (ssize_t)sizeof h)
		return sqlite_copy_disk(e, errno);
	return true;
}

static void sqlite_copy_free(struct sqlite_copy *c)
{
	if (c->fd >= 0)
		close(c->fd);
	*c = (struct sqlite_copy){ .fd = -1 };
}

/* Copies all bytes from w->at on. False with *e: ERR_TRACE if the header is not
 * an SQLite header, ERR_DISK_FULL, ERR_BUSY if no file can be created, or the
 * source's error. */
static bool sqlite_copy_new(struct sqlite_copy *c, struct byte_window *w,
	struct err *e)
{
	*c = (struct sqlite_copy){ .fd = sqlite_copy_nameless() };
	if (c->fd < 0)
		return sqlite_copy_disk(e, errno);
	if (sqlite_copy_spill(c, w, e) && sqlite_copy_header(c, e))
		return true;
	sqlite_copy_free(c);
	return false;
}

/* A VFS that reads at an offset and rejects every other request. */

struct opened {
	sqlite3_file base;
	int fd;
};

enum { SECTOR = 4096, LONGEST = 64 };

static int sqlite_vfs_close_it(sqlite3_file *f)
{
	(void)f; /* the descriptor belongs to the copy */
	return SQLITE_OK;
}

static int sqlite_vfs_read_at(sqlite3_file *f, void *to, int n,
	sqlite3_int64 at)
{
	int fd = ((struct opened *)f)->fd;
	char *p = to;
	while (n > 0) {
		ssize_t got = pread(fd, p, (size_t)n, at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return SQLITE_IOERR_READ;
		if (got == 0)
			break;
		p += got;
		at += got;
		n -= (int)got;
	}
	memset(p, 0, (size_t)n);
	return n ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

static int sqlite_vfs_write_at(sqlite3_file *f, const void *p, int n,
	sqlite3_int64 at)
{
	(void)f, (void)p, (void)n, (void)at;
	return SQLITE_READONLY;
}

static int sqlite_vfs_truncate_to(sqlite3_file *f, sqlite3_int64 bytes)
{
	(void)f, (void)bytes;
	return SQLITE_READONLY;
}

static int sqlite_vfs_lock(sqlite3_file *f, int how)
{
	(void)f, (void)how; /* sync too: no other process has the file */
	return SQLITE_OK;
}

static int sqlite_vfs_size_of(sqlite3_file *f, sqlite3_int64 *bytes)
{
	struct stat s;
	if (fstat(((struct opened *)f)->fd, &s) != 0)
		return SQLITE_IOERR_FSTAT;
	*bytes = s.st_size;
	return SQLITE_OK;
}

static int sqlite_vfs_reserved(sqlite3_file *f, int *is)
{
	(void)f;
	*is = 0;
	return SQLITE_OK;
}

static int sqlite_vfs_control(sqlite3_file *f, int op, void *arg)
{
	(void)f, (void)op, (void)arg;
	return SQLITE_NOTFOUND;
}

static int sqlite_vfs_sector(sqlite3_file *f)
{
	(void)f;
	return SECTOR;
}

static int sqlite_vfs_characteristics(sqlite3_file *f)
{
	(void)f;
	return SQLITE_IOCAP_IMMUTABLE;
}

static const sqlite3_io_methods methods = { .iVersion = 1,
	.xClose = sqlite_vfs_close_it,
	.xRead = sqlite_vfs_read_at,
	.xWrite = sqlite_vfs_write_at,
	.xTruncate = sqlite_vfs_truncate_to,
	.xSync = sqlite_vfs_lock,
	.xFileSize = sqlite_vfs_size_of,
	.xLock = sqlite_vfs_lock,
	.xUnlock = sqlite_vfs_lock,
	.xCheckReservedLock = sqlite_vfs_reserved,
	.xFileControl = sqlite_vfs_control,
	.xSectorSize = sqlite_vfs_sector,
	.xDeviceCharacteristics = sqlite_vfs_characteristics };

static int sqlite_vfs_open_it(sqlite3_vfs *v, const char *name, sqlite3_file *f,
	int flags, int *flags_out)
{
	struct opened *o = (struct opened *)f;
	(void)v;
	f->pMethods = NULL;
	if (!name || !(flags & SQLITE_OPEN_MAIN_DB))
		return SQLITE_CANTOPEN;
	o->fd = (int)strtol(name, NULL, 10);
	f->pMethods = &methods;
	if (flags_out)
		*flags_out = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
	return SQLITE_OK;
}

static int sqlite_vfs_delete_it(sqlite3_vfs *v, const char *name, int sync)
{
	(void)v, (void)name, (void)sync;
	return SQLITE_IOERR_DELETE;
}

static int sqlite_vfs_access_it(sqlite3_vfs *v, const char *name, int flags,
	int *is)
{
	(void)v, (void)name, (void)flags;
	*is = 0;
	return SQLITE_OK;
}

static int sqlite_vfs_full_path(sqlite3_vfs *v, const char *name, int n,
	char *out)
{
	(void)v;
	snprintf(out, (size_t)n, "%s", name);
	return SQLITE_OK;
}

/* SQLite needs neither randomness nor the time to read. */
static int sqlite_vfs_randomness(sqlite3_vfs *v, int n, char *out)
{
	(void)v;
	memset(out, 0, (size_t)n);
	return n;
}

static int sqlite_vfs_sleep_for(sqlite3_vfs *v, int us)
{
	(void)v;
	return us;
}

static int sqlite_vfs_now(sqlite3_vfs *v, double *days)
{
	(void)v;
	*days = 0;
	return SQLITE_OK;
}

static int sqlite_vfs_last_error(sqlite3_vfs *v, int n, char *out)
{
	(void)v, (void)n, (void)out;
	return 0;
}

static sqlite3_vfs vfs = { .iVersion = 1,
	.szOsFile = sizeof(struct opened),
	.mxPathname = LONGEST,
	.zName = "kernsift",
	.xOpen = sqlite_vfs_open_it,
	.xDelete = sqlite_vfs_delete_it,
	.xAccess = sqlite_vfs_access_it,
	.xFullPathname = sqlite_vfs_full_path,
	.xRandomness = sqlite_vfs_randomness,
	.xSleep = sqlite_vfs_sleep_for,
	.xCurrentTime = sqlite_vfs_now,
	.xGetLastError = sqlite_vfs_last_error };

/* The VFS name for sqlite3_open_v2(); the VFS is registered at the first
 * call. */
static const char *sqlite_vfs_name(void)
{
	if (!sqlite3_vfs_find(vfs.zName))
		sqlite3_vfs_register(&vfs, 0);
	return vfs.zName;
}

enum {
	HEAP_MIB = 96, /* all memory of SQLite */
	LONGEST_MIB = 32, /* length of a value or a row */
	NAME_MOST = 256, /* bytes of a table's name */
	EVERY = 100 * 1000, /* steps of SQLite's machine between two checks */
	QUIET_MOST = 100, /* checks without a new row: it is in a loop */
	PAGES_SPARE = 1000,
};

static const struct {
	int what, most;
} limits[] = {
	{ SQLITE_LIMIT_LENGTH, LONGEST_MIB << 20 },
	{ SQLITE_LIMIT_SQL_LENGTH, 1 << 20 },
	{ SQLITE_LIMIT_COLUMN, 1000 },
	{ SQLITE_LIMIT_EXPR_DEPTH, 200 },
	{ SQLITE_LIMIT_COMPOUND_SELECT, 50 },
	{ SQLITE_LIMIT_VDBE_OP, 25000 },
	{ SQLITE_LIMIT_ATTACHED, 0 },
	{ SQLITE_LIMIT_VARIABLE_NUMBER, 8 },
	{ SQLITE_LIMIT_TRIGGER_DEPTH, 0 },
	{ SQLITE_LIMIT_WORKER_THREADS, 0 },
};

static const struct {
	int what, value;
} switches[] = {
	{ SQLITE_DBCONFIG_DEFENSIVE, 1 },
	{ SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
	{ SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
	{ SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
	{ SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
	{ SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0 },
	{ SQLITE_DBCONFIG_DQS_DML, 0 },
	{ SQLITE_DBCONFIG_DQS_DDL, 0 },
	{ SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0 },
};

/* Rejects everything except reading columns and querying their names. */
static int sqlite_file_allow_action(void *ctx, int action, const char *a,
	const char *b, const char *database, const char *trigger)
{
	(void)ctx, (void)b, (void)database, (void)trigger;
	if (action == SQLITE_SELECT || action == SQLITE_READ)
		return SQLITE_OK;
	if (action == SQLITE_PRAGMA && a && !strcmp(a, "table_xinfo"))
		return SQLITE_OK;
	return SQLITE_DENY;
}

static int sqlite_file_on_progress(void *ctx)
{
	struct sqlite_file *f = ctx;
	const struct plain *p = f->window->plain;
	const struct decode_progress *to = p->progress;
	if (f->stop.code)
		return 1;
	if (to && !to->tell(to->ctx, p->stored, p->out, &f->stop))
		return 1;
	return ++f->quiet > QUIET_MOST;
}

static int sqlite_file_harden(struct sqlite_file *f)
{
	sqlite3_hard_heap_limit64((sqlite3_int64)HEAP_MIB << 20);
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		sqlite3_limit(f->db, limits[i].what, limits[i].most);
	for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
		sqlite3_db_config(f->db, switches[i].what, switches[i].value,
			(int *)NULL);
	sqlite3_drop_modules(f->db, NULL);
	sqlite3_progress_handler(f->db, EVERY, sqlite_file_on_progress, f);
	int code = sqlite3_exec(f->db,
		"PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY", NULL,
		NULL, NULL);
	sqlite3_set_authorizer(f->db, sqlite_file_allow_action, NULL);
	return code;
}

/* Prepares a statement from the SQL, which is freed. Returns SQLite's code. */
static int sqlite_file_prepare(struct sqlite_file *f, char *sql,
	struct sqlite3_stmt **stmt)
{
	*stmt = NULL;
	int code = sql ? sqlite3_prepare_v3(f->db, sql, -1,
				 SQLITE_PREPARE_NO_VTAB, stmt, NULL)
		       : SQLITE_NOMEM;
	sqlite3_free(sql);
	return code;
}

/* Handles a code that means neither a row nor the end. True if the file is
 * damaged; false with *e if decoding cannot continue. */
static bool sqlite_file_damage(struct sqlite_file *f, int code, struct err *e)
{
	struct arena *a = f->trace->arena;
	if (f->stop.code) {
		if (!e->code)
			*e = f->stop;
		return false;
	}
	if (code == SQLITE_NOMEM) {
		arena_refuse(a, (size_t)HEAP_MIB << 20);
		return arena_err(a, e);
	}
	if (code == SQLITE_IOERR)
		return err_set(e, ERR_BUSY,
			"the temporary copy of the database cannot be read");
	return true;
}

/* sqlite_file_allow() allows this number of further page reads.
 * sqlite_file_within() is false if more pages were read than allowed. */
static void sqlite_file_allow(struct sqlite_file *f, int64_t pages)
{
	f->pages_allowed += pages;
}

static bool sqlite_file_within(struct sqlite_file *f)
{
	int hit = 0, miss = 0, most;
	sqlite3_db_status(f->db, SQLITE_DBSTATUS_CACHE_HIT, &hit, &most, 1);
	sqlite3_db_status(f->db, SQLITE_DBSTATUS_CACHE_MISS, &miss, &most, 1);
	f->pages_fetched += (int64_t)hit + miss;
	return f->pages_fetched <= f->pages_allowed;
}

/* Whether this is a table whose rows are in the file: not a view, not a virtual
 * table, not one of SQLite's own tables. */
static bool sqlite_file_plain_table(struct sqlite3_stmt *s)
{
	const char *type = (const char *)sqlite3_column_text(s, 0);
	const char *name = (const char *)sqlite3_column_text(s, 1);
	const char *sql = (const char *)sqlite3_column_text(s, 3);
	return type && !strcmp(type, "table") &&
	       sqlite3_column_int64(s, 2) > 0 && name &&
	       strncasecmp(name, "sqlite_", 7) != 0 &&
	       !(sql && !strncasecmp(sql, "create virtual", 14));
}

static bool sqlite_file_keep(struct sqlite_file *f, struct sqlite3_stmt *s)
{
	struct arena *a = f->trace->arena;
	const char *name = (const char *)sqlite3_column_text(s, 1);
	size_t len = (size_t)sqlite3_column_bytes(s, 1);
	if (!name || len == 0 || len > NAME_MOST || strlen(name) != len)
		return true;
	if (f->tables_n == f->tables_cap) {
		size_t cap = f->tables_cap ? f->tables_cap * 2 : 256;
		const char **p = arena_grow(a, f->tables, cap * sizeof *p);
		if (!p)
			return false;
		f->tables = p;
		f->tables_cap = cap;
	}
	f->tables[f->tables_n] = arena_strndup(a, name, len);
	return f->tables[f->tables_n++] != NULL;
}

/* Returns the code with which the list ended: SQLITE_DONE on success. */
static int sqlite_file_list(struct sqlite_file *f)
{
	struct sqlite3_stmt *s;
	int code = sqlite_file_prepare(f,
		sqlite3_mprintf("SELECT type, name, rootpage, sql "
				"FROM sqlite_schema"),
		&s);
	while (code == SQLITE_OK || code == SQLITE_ROW) {
		f->quiet = 0;
		code = sqlite3_step(s);
		if (code == SQLITE_ROW && sqlite_file_plain_table(s) &&
			!sqlite_file_keep(f, s))
			code = SQLITE_NOMEM;
	}
	sqlite3_finalize(s);
	return code;
}

/* Reports that the file cannot be read. SQLite's message may contain bytes of
 * the file. */
static bool sqlite_file_unreadable(struct sqlite_file *f, int code,
	struct err *e)
{
	enum { KEPT = 100 };
	const char *why = sqlite3_errmsg(f->db);
	size_t len = strlen(why);
	char text[3 * KEPT];
	if (f->trace->arena->full)
		return arena_err(f->trace->arena, e);
	len = utf8_sanitize(text, why, utf8_clip(why, len, KEPT));
	return sqlite_file_damage(f, code, e) &&
	       err_set(e, ERR_TRACE,
		       "this begins like an SQLite database, but its list of "
		       "tables cannot be read (%.*s); export or copy it again",
		       (int)len, text);
}

static void sqlite_file_note_header(struct sqlite_file *f)
{
	const struct sqlite_copy *c = &f->copy;
	struct notes *n = &f->trace->notes;
	if (c->pages_claimed > c->bytes / c->page_bytes &&
		!n->count[NOTE_truncated])
		note_add(n, NOTE_truncated, c->bytes, NULL, 0);
	if (c->wal)
		note_add(n, NOTE_sqlite_wal, c->bytes, NULL, 0);
}

bool sqlite_file_open(struct sqlite_file *f, struct byte_window *w,
	struct trace *t, struct err *e)
{
	char number[16];
	*f = (struct sqlite_file){ .window = w, .trace = t, .copy.fd = -1 };
	if (!sqlite_copy_new(&f->copy, w, e))
		return false;
	snprintf(number, sizeof number, "%d", f->copy.fd);
	int code = sqlite3_open_v2(number, &f->db,
		SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, sqlite_vfs_name());
	if (code == SQLITE_OK)
		code = sqlite_file_harden(f);
	if (code == SQLITE_OK)
		code = sqlite_file_list(f);
	if (code != SQLITE_DONE)
		return sqlite_file_unreadable(f, code, e);
	sqlite_file_allow(f, f->copy.bytes / f->copy.page_bytes + PAGES_SPARE);
	sqlite_file_note_header(f);
	return true;
}

void sqlite_file_close(struct sqlite_file *f)
{
	sqlite3_close(f->db);
	sqlite_copy_free(&f->copy);
	*f = (struct sqlite_file){ .copy.fd = -1 };
}

const char *sqlite_file_table(const struct sqlite_file *f, const char *name)
{
	for (size_t i = 0; i < f->tables_n; i++)
		if (!strcasecmp(f->tables[i], name))
			return f->tables[i];
	return NULL;
}

const char *sqlite_file_prefix(const struct sqlite_file *f, const char *prefix,
	size_t *i)
{
	while (*i < f->tables_n) {
		const char *name = f->tables[(*i)++];
		if (!strncasecmp(name, prefix, strlen(prefix)))
			return name;
	}
	return NULL;
}

/* The rows of a table, and the texts that they name by number. */

/* The fewest bytes that a row takes in a page: its pointer and its cell. */
enum { ROW_MIN = 6, CHECK_EVERY = 64 };
/* Columns of PRAGMA table_xinfo. */
enum { INFO_NAME = 1, INFO_TYPE = 2, INFO_KEY = 5, INFO_HIDDEN = 6 };

static void sqlite_rows_note_table(const struct sqlite_rows *r,
	enum note_code code, const char *what)
{
	char text[80];
	int n = snprintf(text, sizeof text, "%s%s%s", r->table, what ? "." : "",
		what ? what : "");
	note_add(&r->file->trace->notes, code, 1, text,
		(size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/* Marks which of the columns the table has; computed columns count as
 * absent. */
static int sqlite_rows_find_columns(struct sqlite_rows *r, int n)
{
	struct sqlite3_stmt *s;
	int code = sqlite_file_prepare(r->file,
		sqlite3_mprintf("PRAGMA table_xinfo(\"%w\")", r->table), &s);
	while (code == SQLITE_OK || code == SQLITE_ROW) {
		code = sqlite3_step(s);
		if (code != SQLITE_ROW)
			break;
		const char *name =
			(const char *)sqlite3_column_text(s, INFO_NAME);
		if (!name || sqlite3_column_int(s, INFO_HIDDEN))
			continue;
		for (int i = 0; i < n; i++)
			if (!strcasecmp(r->columns[i].name, name))
				r->present |= UINT64_C(1) << i;
	}
	sqlite3_finalize(s);
	return code;
}

/* Builds SELECT "a", NULL, "b" FROM "t": an absent column is selected as
 * NULL. */
static char *sqlite_rows_select_sql(const struct sqlite_rows *r, int n)
{
	sqlite3_str *s = sqlite3_str_new(r->file->db);
	for (int i = 0; i < n; i++) {
		const char *comma = i ? ", " : "SELECT ";
		if (r->present >> i & 1)
			sqlite3_str_appendf(s, "%s\"%w\"", comma,
				r->columns[i].name);
		else
			sqlite3_str_appendf(s, "%sNULL", comma);
	}
	sqlite3_str_appendf(s, " FROM \"%w\" NOT INDEXED", r->table);
	return sqlite3_str_finish(s);
}

static bool sqlite_rows_complete(const struct sqlite_rows *r, int n)
{
	for (int i = 0; i < n; i++)
		if (r->columns[i].must && !(r->present >> i & 1)) {
			sqlite_rows_note_table(r, NOTE_sqlite_no_column,
				r->columns[i].name);
			return false;
		}
	return true;
}

bool sqlite_rows_open(struct sqlite_rows *r, struct sqlite_file *f,
	const char *table, const struct sqlite_column *columns, int n,
	struct err *e)
{
	*r = (struct sqlite_rows){ .file = f,
		.columns = columns,
		.table = sqlite_file_table(f, table),
		.code = SQLITE_DONE };
	if (!r->table)
		return true;
	f->quiet = 0;
	int code = sqlite_rows_find_columns(r, n);
	if (code == SQLITE_DONE && !sqlite_rows_complete(r, n))
		return true;
	if (code == SQLITE_DONE)
		code = sqlite_file_prepare(f, sqlite_rows_select_sql(r, n),
			&r->stmt);
	if (code != SQLITE_OK) {
		r->code = code;
		return sqlite_file_damage(f, code, e);
	}
	sqlite_file_allow(f,
		(2 + n) * (f->copy.bytes / f->copy.page_bytes + 1));
	return true;
}

bool sqlite_rows_next(struct sqlite_rows *r)
{
	struct sqlite_file *f = r->file;
	if (!r->stmt)
		return false;
	f->quiet = 0;
	r->code = sqlite3_step(r->stmt);
	if (r->code != SQLITE_ROW)
		return false;
	r->rows++;
	r->looped = r->rows > f->copy.bytes / ROW_MIN ||
		    (r->rows % CHECK_EVERY == 0 && !sqlite_file_within(f));
	return !r->looped;
}

bool sqlite_rows_close(struct sqlite_rows *r, struct err *e)
{
	bool ended = r->code == SQLITE_DONE || r->code == SQLITE_ROW;
	bool ok = ended || sqlite_file_damage(r->file, r->code, e);
	if (ok && !ended)
		sqlite_rows_note_table(r, NOTE_sqlite_damaged, NULL);
	if (r->looped)
		sqlite_rows_note_table(r, NOTE_sqlite_endless, NULL);
	sqlite3_finalize(r->stmt);
	r->stmt = NULL;
	r->code = SQLITE_DONE;
	r->looped = false;
	return ok;
}

bool sqlite_has(const struct sqlite_rows *r, int column)
{
	return sqlite3_column_type(r->stmt, column) != SQLITE_NULL;
}

bool sqlite_int(struct sqlite_rows *r, int column, int64_t *value)
{
	int type = sqlite3_column_type(r->stmt, column);
	if (type == SQLITE_INTEGER) {
		*value = sqlite3_column_int64(r->stmt, column);
		return true;
	}
	if (type == SQLITE_NULL)
		return false;
	if (type == SQLITE_FLOAT) {
		double real = sqlite3_column_double(r->stmt, column);
		if (fabs(real) <= (double)TRACE_TIME_MAX_NS &&
			real == (double)(int64_t)real) {
			*value = (int64_t)real;
			return true;
		}
	}
	sqlite_rows_note_table(r, NOTE_sqlite_type, r->columns[column].name);
	return false;
}

int64_t sqlite_int_or(struct sqlite_rows *r, int column, int64_t otherwise)
{
	sqlite_int(r, column, &otherwise);
	return otherwise;
}

int32_t sqlite_small(struct sqlite_rows *r, int column)
{
	int64_t v = sqlite_int_or(r, column, -1);
	return v >= 0 && v <= INT32_MAX ? (int32_t)v : -1;
}

double sqlite_real_or(struct sqlite_rows *r, int column, double otherwise)
{
	int type = sqlite3_column_type(r->stmt, column);
	if (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
		return sqlite3_column_double(r->stmt, column);
	if (type != SQLITE_NULL)
		sqlite_rows_note_table(r, NOTE_sqlite_type,
			r->columns[column].name);
	return otherwise;
}

bool sqlite_bytes(struct sqlite_rows *r, int column, const char **at,
	size_t *len)
{
	int type = sqlite3_column_type(r->stmt, column);
	*at = NULL;
	if (type == SQLITE_BLOB)
		*at = sqlite3_column_blob(r->stmt, column);
	else if (type != SQLITE_NULL)
		*at = (const char *)sqlite3_column_text(r->stmt, column);
	*len = *at ? (size_t)sqlite3_column_bytes(r->stmt, column) : 0;
	if (!*at && type == SQLITE_BLOB)
		*at = "";
	return *at != NULL;
}

uint32_t sqlite_text(struct sqlite_rows *r, int column, struct text *t)
{
	struct text_span s = { .escaped = false };
	size_t len;
	if (!sqlite_bytes(r, column, &s.at, &len))
		return 0;
	s.len = (uint32_t)len;
	return text_id(t, &s);
}

enum { SLOTS = 256, LOOKUP_PAGES = 40 };

static size_t sqlite_names_slot_of(const struct sqlite_names *n, int64_t id)
{
	uint64_t h = (uint64_t)id * UINT64_C(0x9E3779B97F4A7C15);
	size_t i = (size_t)(h >> 20) & (n->known_cap - 1);
	while (n->known[i].name && n->known[i].id != id)
		i = (i + 1) & (n->known_cap - 1);
	return i;
}

static bool sqlite_names_grow(struct sqlite_names *n)
{
	struct arena *a = n->file->trace->arena;
	struct sqlite_names old = *n;
	n->known_cap = old.known_cap ? old.known_cap * 2 : SLOTS;
	n->known = arena_grow(a, NULL, n->known_cap * sizeof *n->known);
	if (!n->known) {
		*n = old;
		return false;
	}
	for (size_t i = 0; i < old.known_cap; i++)
		if (old.known[i].name)
			n->known[sqlite_names_slot_of(n, old.known[i].id)] =
				old.known[i];
	arena_drop(a, old.known);
	return true;
}

static bool sqlite_names_remember(struct sqlite_names *n, int64_t id,
	uint32_t name)
{
	if (2 * n->known_n >= n->known_cap && !sqlite_names_grow(n))
		return false;
	size_t i = sqlite_names_slot_of(n, id);
	n->known_n += n->known[i].name == 0;
	n->known[i].id = id;
	n->known[i].name = name + 1;
	return true;
}

/* Whether the column is the table's row number: an INTEGER column that is the
 * only key. */
static bool sqlite_names_is_row_number(struct sqlite_file *f, const char *table,
	const char *id)
{
	struct sqlite3_stmt *s;
	int keys = 0, ours = 0;
	int code = sqlite_file_prepare(f,
		sqlite3_mprintf("PRAGMA table_xinfo(\"%w\")", table), &s);
	while (code == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW) {
		const char *name =
			(const char *)sqlite3_column_text(s, INFO_NAME);
		const char *type =
			(const char *)sqlite3_column_text(s, INFO_TYPE);
		if (sqlite3_column_int(s, INFO_KEY) == 0)
			continue;
		keys++;
		ours += name && type && !strcasecmp(name, id) &&
			!strcasecmp(type, "INTEGER");
	}
	sqlite3_finalize(s);
	return keys == 1 && ours == 1;
}

static bool sqlite_names_load(struct sqlite_names *n, const char *id,
	const char *value, struct err *e)
{
	const struct sqlite_column columns[] = { { id, true },
		{ value, true } };
	struct sqlite_rows r;
	int64_t number;
	bool full = false;
	bool ok = sqlite_rows_open(&r, n->file, n->table, columns, 2, e);
	while (ok && !full && sqlite_rows_next(&r)) {
		if (!sqlite_int(&r, 0, &number))
			continue;
		uint32_t name = sqlite_text(&r, 1, n->text);
		full = name == NAMES_NONE ||
		       !sqlite_names_remember(n, number, name);
	}
	ok = sqlite_rows_close(&r, e) && ok;
	return ok && (!full || arena_err(n->file->trace->arena, e));
}

bool sqlite_names_open(struct sqlite_names *n, struct sqlite_file *f,
	const char *table, const char *id, const char *value, struct text *t,
	struct err *e)
{
	*n = (struct sqlite_names){ .file = f,
		.text = t,
		.table = table ? sqlite_file_table(f, table) : NULL };
	if (!sqlite_names_grow(n))
		return arena_err(f->trace->arena, e);
	if (!n->table)
		return true;
	if (!sqlite_names_is_row_number(f, n->table, id))
		return sqlite_names_load(n, id, value, e);
	int code = sqlite_file_prepare(f,
		sqlite3_mprintf("SELECT \"%w\" FROM \"%w\" NOT INDEXED "
				"WHERE \"%w\" = ?1",
			value, n->table, id),
		&n->stmt);
	return code == SQLITE_OK || sqlite_names_load(n, id, value, e);
}

static void sqlite_names_damaged(struct sqlite_names *n)
{
	if (!n->damaged)
		note_add(&n->file->trace->notes, NOTE_sqlite_damaged, 1,
			n->table, strlen(n->table));
	n->damaged = true;
}

/* Whether more text was read than the file contains, or rows were scanned one
 * by one. Such a file was made so that looking texts up takes longer than
 * reading it. */
static bool sqlite_names_overspent(const struct sqlite_names *n)
{
	return n->bytes > 2 * n->file->copy.bytes ||
	       sqlite3_stmt_status(n->stmt, SQLITE_STMTSTATUS_FULLSCAN_STEP,
		       0) > 0;
}

static bool sqlite_names_look_up(struct sqlite_names *n, int64_t id,
	uint32_t *name, struct err *e)
{
	struct sqlite_file *f = n->file;
	f->quiet = 0;
	sqlite3_bind_int64(n->stmt, 1, id);
	int code = sqlite3_step(n->stmt);
	bool ok = true;
	if (code == SQLITE_ROW) {
		struct text_span s = {
			.at = (const char *)sqlite3_column_text(n->stmt, 0)
		};
		s.len = (uint32_t)sqlite3_column_bytes(n->stmt, 0);
		n->bytes += s.len;
		sqlite_file_allow(f,
			LOOKUP_PAGES + (int64_t)s.len * 2 / f->copy.page_bytes);
		*name = s.at ? text_id(n->text, &s) : 0;
	} else if (code != SQLITE_DONE) {
		ok = sqlite_file_damage(f, code, e);
		if (ok)
			sqlite_names_damaged(n);
	}
	sqlite3_reset(n->stmt);
	return ok;
}

bool sqlite_names_of(struct sqlite_names *n, int64_t id, uint32_t *name,
	struct err *e)
{
	size_t i = sqlite_names_slot_of(n, id);
	*name = n->known[i].name ? n->known[i].name - 1 : 0;
	if (n->known[i].name || !n->stmt)
		return true;
	if (sqlite_names_overspent(n)) {
		sqlite_names_damaged(n);
		return true;
	}
	if (!sqlite_names_look_up(n, id, name, e))
		return false;
	return (*name != NAMES_NONE && sqlite_names_remember(n, id, *name)) ||
	       arena_err(n->file->trace->arena, e);
}

void sqlite_names_close(struct sqlite_names *n)
{
	sqlite3_finalize(n->stmt);
	if (n->known)
		arena_drop(n->file->trace->arena, n->known);
	n->stmt = NULL;
	n->known = NULL;
}
