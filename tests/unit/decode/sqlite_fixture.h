/* sqlite_fixture.h - makes a database with the sqlite3 program and opens it
 * like an upload. */
#pragma once
#include "fixture.h"
#include "sqlite.h"
#include <unistd.h>

enum { MOST = 1 << 20 };

struct fixture {
	struct arena arena;
	struct trace trace;
	struct source source;
	struct source_memory memory;
	struct plain plain;
	struct byte_window window;
	struct text text;
	struct sqlite_file file;
	struct err err;
	char bytes[MOST];
	size_t len;
};

/* The bytes of a database after the script ran in it. */
static inline void make(struct fixture *f, const char *script)
{
	char path[] = "/tmp/test_sqlite.XXXXXX", command[64];
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	snprintf(command, sizeof command, "sqlite3 %s", path);
	FILE *p = popen(command, "w");
	assert_non_null(p);
	fputs(script, p);
	assert_int_equal(pclose(p), 0);
	ssize_t n = read(fd, f->bytes, sizeof f->bytes);
	assert_true(n > 0 && n < MOST);
	f->len = (size_t)n;
	close(fd);
	unlink(path);
}

static inline bool open_it(struct fixture *f)
{
	static const struct decode_limits limits = { MOST, 100 };
	memset(&f->arena, 0, sizeof f->arena);
	memset(&f->err, 0, sizeof f->err);
	assert_true(trace_init(&f->trace, &f->arena));
	source_memory_init(&f->memory, &f->source, f->bytes, f->len);
	plain_init(&f->plain, &f->source, &limits, NULL, &f->arena,
		&f->trace.notes);
	assert_true(byte_window_init(&f->window, &f->plain, &f->err));
	f->text = (struct text){ .trace = &f->trace };
	return sqlite_file_open(&f->file, &f->window, &f->trace, &f->err);
}

static inline void close_it(struct fixture *f)
{
	sqlite_file_close(&f->file);
	byte_window_release(&f->window);
	plain_release(&f->plain);
	arena_release(&f->arena);
}

static inline int64_t count(const struct fixture *f, enum note_code code)
{
	return f->trace.notes.count[code];
}

static inline const char *detail(const struct fixture *f, enum note_code code)
{
	return f->trace.notes.detail[code];
}

static struct fixture f;
static const struct sqlite_column columns[] = { { "a", true }, { "b", false },
	{ "c", false } };

/* The number of rows of the table, and the sum of its column a. */
static inline int rows_of(const char *table, int64_t *sum)
{
	struct sqlite_rows r;
	*sum = 0;
	assert_true(sqlite_rows_open(&r, &f.file, table, columns, 3, &f.err));
	while (sqlite_rows_next(&r))
		*sum += sqlite_int_or(&r, 0, 0);
	assert_true(sqlite_rows_close(&r, &f.err));
	return (int)r.rows;
}
