/* spooled.h - a spool folder for one test, and its contents as text. */
#pragma once
#include "clock.h"
#include "options.h"
#include "capture_writer.h"
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <kernsift/kst_reader.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

struct spooled {
	char folder[64];
	struct collector_options options;
};

/* The environment of the current test: NAME, value, …, NULL. */
static const char *const *spooled_env;

static inline const char *spooled_get(void *ctx, const char *name)
{
	const struct spooled *s = ctx;
	if (!strcmp(name, "KERNSIFT_TRACE_DIR"))
		return s->folder;
	for (const char *const *e = spooled_env; e && *e; e += 2)
		if (!strcmp(*e, name))
			return e[1];
	return NULL;
}

static inline void spooled_complain(void *ctx, const char *sentence)
{
	(void)ctx;
	fail_msg("%s", sentence);
}

static inline void spooled_init(struct spooled *s, const char *const *env)
{
	strcpy(s->folder, "/tmp/spooled-XXXXXX");
	assert_non_null(mkdtemp(s->folder));
	spooled_env = env;
	options_init(&s->options, spooled_get, spooled_complain, s);
}

typedef void spooled_fn(void *ctx, const char *name, const char *path);

/* All files of the folder, sorted by name. */
static inline int spooled_each(const struct spooled *s, spooled_fn *f,
	void *ctx)
{
	struct dirent **list;
	char path[2048];
	int n = scandir(s->folder, &list, NULL, alphasort), files = 0;
	assert_true(n >= 0);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof path, "%s/%s", s->folder,
			list[i]->d_name);
		if (list[i]->d_name[0] != '.') {
			files++;
			if (f)
				f(ctx, list[i]->d_name, path);
		}
		free(list[i]);
	}
	free(list);
	return files;
}

static inline void spooled_unlink(void *ctx, const char *name, const char *path)
{
	(void)ctx;
	(void)name;
	assert_int_equal(unlink(path), 0);
}

static inline void spooled_release(struct spooled *s)
{
	spooled_each(s, spooled_unlink, NULL);
	assert_int_equal(rmdir(s->folder), 0);
	options_release(&s->options);
}

/* Returns how many names end with this. */
struct spooled_ends {
	const char *suffix, *has; /* NULL: any */
	int n;
	char path[512]; /* of the last one */
};

static inline void spooled_end(void *ctx, const char *name, const char *path)
{
	struct spooled_ends *e = ctx;
	size_t len = strlen(name), end = strlen(e->suffix);
	if (len < end || strcmp(name + len - end, e->suffix) ||
		(e->has && !strstr(name, e->has)))
		return;
	e->n++;
	snprintf(e->path, sizeof e->path, "%s", path);
}

static inline struct spooled_ends spooled_count(const struct spooled *s,
	const char *suffix)
{
	struct spooled_ends e = { .suffix = suffix };
	spooled_each(s, spooled_end, &e);
	return e;
}

static inline void spooled_weigh(void *ctx, const char *name, const char *path)
{
	struct stat st;
	(void)name;
	assert_int_equal(stat(path, &st), 0);
	*(int64_t *)ctx += st.st_size;
}

/* Returns the bytes of all files. */
static inline int64_t spooled_bytes(const struct spooled *s)
{
	int64_t bytes = 0;
	spooled_each(s, spooled_weigh, &bytes);
	return bytes;
}

static inline int64_t spooled_read(void *file, void *to, size_t cap)
{
	return (int64_t)fread(to, 1, cap, file);
}

/* Returns the number of rows of a kind in a capture; -1 if it is incomplete.
 * With `cells`, appends their cells of one text column, each followed by a
 * blank. */
static inline int64_t spooled_rows(const char *path, enum kst_kind kind,
	uint32_t column, char *cells, size_t cap)
{
	FILE *f = fopen(path, "r");
	struct kst_chunk c;
	int64_t rows = 0;
	assert_non_null(f);
	struct kst_reader *r = kst_reader_new(spooled_read, f, NULL);
	enum kst_got got;
	while ((got = kst_reader_next(r, &c)) == KST_CHUNK) {
		if (c.kind != kind)
			continue;
		rows += c.rows;
		for (uint32_t i = 0; cells && i < c.rows; i++) {
			size_t len = strlen(cells);
			snprintf(cells + len, cap - len, "%s ",
				kst_reader_text(r, c.column[column].i[i],
					NULL));
		}
	}
	const struct kst_damage *d = kst_reader_damage(r);
	bool whole = got == KST_END && !d->cut && !d->damaged && !d->missing &&
		     !d->lost && !d->repeated && !d->behind;
	kst_reader_free(r);
	fclose(f);
	return whole ? rows : -1;
}

static inline int64_t text_own(struct capture_writer *s, const char *text)
{
	return capture_writer_text(s, TEXT_OWN, 0, text, strlen(text));
}

/* Adds `n` kernels, 2 us apart, with different correlations. */
static inline int kernels_give(struct capture_writer *s, int n)
{
	static const struct kst_shape shape = { { 8, 1, 1 }, { 128, 1, 1 }, 32,
		0 };
	int64_t now = clock_real_ns();
	int kept = 0;
	for (int i = 0; i < n; i++) {
		struct kst_kernel row = { .start_ns = now + i * 2000,
			.dur_ns = 1000 + i % 7 * 32,
			.name = capture_writer_text(s, TEXT_KERNEL, 1, "gemm",
				4),
			.launch = capture_writer_shape(s, &shape),
			.correlation = i,
			.stream = 7 };
		kept += capture_writer_row(s, KST_kernel, &row);
	}
	return kept;
}
