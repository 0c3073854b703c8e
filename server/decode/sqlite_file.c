/* sqlite_file.c - opens the copy with everything barred, lists its tables. */
#include "sqlite_file.h"
#include "sqlite_vfs.h"
#include "utf8.h"
#include <sqlite3.h>
#include <strings.h>

enum {
	HEAP_MIB = 96, /* SQLite's memory, all of it */
	LONGEST_MIB = 32, /* a value or a row */
	NAME_MOST = 256, /* bytes of a table's name */
	EVERY = 100 * 1000, /* steps of SQLite's machine between two tells */
	QUIET_MOST = 100, /* tells in which no row came: it goes in circles */
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

/* Lets nothing be done but reading columns and asking for their names. */
static int allow(void *ctx, int action, const char *a, const char *b,
	const char *database, const char *trigger)
{
	(void)ctx, (void)b, (void)database, (void)trigger;
	if (action == SQLITE_SELECT || action == SQLITE_READ)
		return SQLITE_OK;
	if (action == SQLITE_PRAGMA && a && !strcmp(a, "table_xinfo"))
		return SQLITE_OK;
	return SQLITE_DENY;
}

static int on_progress(void *ctx)
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

static int harden(struct sqlite_file *f)
{
	sqlite3_hard_heap_limit64((sqlite3_int64)HEAP_MIB << 20);
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		sqlite3_limit(f->db, limits[i].what, limits[i].most);
	for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
		sqlite3_db_config(f->db, switches[i].what, switches[i].value,
			(int *)NULL);
	sqlite3_drop_modules(f->db, NULL);
	sqlite3_progress_handler(f->db, EVERY, on_progress, f);
	int code = sqlite3_exec(f->db,
		"PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY", NULL,
		NULL, NULL);
	sqlite3_set_authorizer(f->db, allow, NULL);
	return code;
}

int sqlite_file_prepare(struct sqlite_file *f, char *sql,
	struct sqlite3_stmt **stmt)
{
	*stmt = NULL;
	int code = sql ? sqlite3_prepare_v3(f->db, sql, -1,
				 SQLITE_PREPARE_NO_VTAB, stmt, NULL)
		       : SQLITE_NOMEM;
	sqlite3_free(sql);
	return code;
}

bool sqlite_file_damage(struct sqlite_file *f, int code, struct err *e)
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

void sqlite_file_allow(struct sqlite_file *f, int64_t pages)
{
	f->pages_allowed += pages;
}

bool sqlite_file_within(struct sqlite_file *f)
{
	int hit = 0, miss = 0, most;
	sqlite3_db_status(f->db, SQLITE_DBSTATUS_CACHE_HIT, &hit, &most, 1);
	sqlite3_db_status(f->db, SQLITE_DBSTATUS_CACHE_MISS, &miss, &most, 1);
	f->pages_fetched += (int64_t)hit + miss;
	return f->pages_fetched <= f->pages_allowed;
}

/* A table that the file holds as rows: not a view, not a virtual one, none of
 * SQLite's own. */
static bool plain_table(struct sqlite3_stmt *s)
{
	const char *type = (const char *)sqlite3_column_text(s, 0);
	const char *name = (const char *)sqlite3_column_text(s, 1);
	const char *sql = (const char *)sqlite3_column_text(s, 3);
	return type && !strcmp(type, "table") &&
	       sqlite3_column_int64(s, 2) > 0 && name &&
	       strncasecmp(name, "sqlite_", 7) != 0 &&
	       !(sql && !strncasecmp(sql, "create virtual", 14));
}

static bool keep(struct sqlite_file *f, struct sqlite3_stmt *s)
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

/* The code in which it ended: SQLITE_DONE where all is well. */
static int list(struct sqlite_file *f)
{
	struct sqlite3_stmt *s;
	int code = sqlite_file_prepare(f,
		sqlite3_mprintf("SELECT type, name, rootpage, sql "
				"FROM sqlite_schema"),
		&s);
	while (code == SQLITE_OK || code == SQLITE_ROW) {
		f->quiet = 0;
		code = sqlite3_step(s);
		if (code == SQLITE_ROW && plain_table(s) && !keep(f, s))
			code = SQLITE_NOMEM;
	}
	sqlite3_finalize(s);
	return code;
}

/* What SQLite says may repeat bytes of the file. */
static bool unreadable(struct sqlite_file *f, int code, struct err *e)
{
	enum { KEPT = 100 };
	const char *why = sqlite3_errmsg(f->db);
	size_t len = strlen(why);
	char text[3 * KEPT];
	if (f->trace->arena->full)
		return arena_err(f->trace->arena, e);
	len = utf8_mend(text, why, utf8_clip(why, len, KEPT));
	return sqlite_file_damage(f, code, e) &&
	       err_set(e, ERR_TRACE,
		       "this begins like an SQLite database, but its list of "
		       "tables cannot be read (%.*s); export or copy it again",
		       (int)len, text);
}

static void note_header(struct sqlite_file *f)
{
	const struct sqlite_copy *c = &f->copy;
	struct notes *n = &f->trace->notes;
	if (c->pages_told > c->bytes / c->page_bytes &&
		!n->count[NOTE_truncated])
		note_add(n, NOTE_truncated, c->bytes, NULL, 0);
	if (c->wal)
		note_add(n, NOTE_sqlite_wal, c->bytes, NULL, 0);
}

bool sqlite_file_open(struct sqlite_file *f, struct window *w, struct trace *t,
	struct err *e)
{
	char number[16];
	*f = (struct sqlite_file){ .window = w, .trace = t, .copy.fd = -1 };
	if (!sqlite_copy_new(&f->copy, w, e))
		return false;
	snprintf(number, sizeof number, "%d", f->copy.fd);
	int code = sqlite3_open_v2(number, &f->db,
		SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, sqlite_vfs_name());
	if (code == SQLITE_OK)
		code = harden(f);
	if (code == SQLITE_OK)
		code = list(f);
	if (code != SQLITE_DONE)
		return unreadable(f, code, e);
	sqlite_file_allow(f, f->copy.bytes / f->copy.page_bytes + PAGES_SPARE);
	note_header(f);
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
