/* stopped.h - stops writers with a tail at any point, and returns the rows
 * that are recovered from their files as sorted lines. */
#pragma once
#include "captures.h"
#include "kst_log.h"
#include "kernsift/kst_tail.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TAIL = 4096 };

/* A folder of the test. */
static char folder[64];

static inline const char *path_of(const char *name)
{
	static char paths[4][128];
	static int next;
	char *to = paths[next++ % 4];
	snprintf(to, sizeof *paths, "%s/%s", folder, name);
	return to;
}

static inline void file_write(const char *name, const struct bytes *b,
	size_t len)
{
	FILE *f = fopen(path_of(name), "w");
	assert_non_null(f);
	assert_int_equal(fwrite(b->at, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static inline struct bytes file_read(const char *name)
{
	struct stat st;
	FILE *f = fopen(path_of(name), "r");
	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	struct bytes b = { malloc((size_t)st.st_size + 1), 0 };
	b.len = fread(b.at, 1, (size_t)st.st_size, f);
	fclose(f);
	return b;
}

static inline int by_line(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the lines: the order of chunks of different kinds may differ. */
static inline void sort_lines(struct reading *t)
{
	static char *lines[20000];
	int n = 0;
	char *copy = strdup(t->text), *save = NULL;
	for (char *l = strtok_r(copy, "\n", &save); l;
		l = strtok_r(NULL, "\n", &save))
		lines[n++] = l;
	qsort(lines, (size_t)n, sizeof *lines, by_line);
	t->len = 0;
	t->text[0] = '\0';
	for (int i = 0; i < n; i++)
		say(t, "%s\n", lines[i]);
	free(copy);
}

static inline int rows_read(const struct reading *t)
{
	int n = 0;
	for (const char *p = t->text; (p = strchr(p, '\n')); p++)
		n++;
	return n;
}

/* A writer with a tail, and its state when it stopped. */
struct stopped {
	struct bytes part;
	struct kst_tail *tail;
	struct kst_writer *w;
	int writes, stop; /* it dies in this write, after half of it */
	struct bytes at_stop, tail_at_stop;
	int given, given_at_stop; /* rows that were accepted */
};

/* Copies the files that a process killed now would leave. */
static inline void picture(struct stopped *s, size_t part_len)
{
	if (s->at_stop.at)
		return;
	s->at_stop = (struct bytes){ malloc(part_len + 1), part_len };
	memcpy(s->at_stop.at, s->part.at, part_len);
	s->tail_at_stop = file_read("a.tail");
	s->given_at_stop = s->given;
}

static inline bool put(void *ctx, const void *p, size_t n)
{
	struct stopped *s = ctx;
	s->writes++;
	bytes_add(&s->part, p, n);
	if (s->writes == s->stop)
		picture(s, s->part.len - n / 2);
	return true;
}

static inline void stopped_init(struct stopped *s, size_t tail_bytes, int stop)
{
	*s = (struct stopped){ .part = bytes_new(), .stop = stop };
	unlink(path_of("a.tail"));
	s->tail = kst_tail_new(AT_FDCWD, path_of("a.tail"), tail_bytes, NULL);
	assert_non_null(s->tail);
	struct kst_options o = { .rows = 4, .tail = s->tail };
	s->w = kst_writer_new(&sample_about, put, s, &o);
	assert_non_null(s->w);
}

static inline void stopped_release(struct stopped *s)
{
	kst_writer_free(s->w);
	kst_tail_free(s->tail);
	free(s->part.at);
	free(s->at_stop.at);
	free(s->tail_at_stop.at);
}

/* Merges the bytes of two files, and returns the sorted result. */
static inline struct reading merged(const struct bytes *part,
	const struct bytes *tail, struct kst_merged *m)
{
	char sentence[256] = "";
	unlink(path_of("m.kst"));
	file_write("m.part", part, part->len);
	if (tail)
		file_write("m.tail", tail, tail->len);
	if (!kst_tail_merge(path_of("m.part"), tail ? path_of("m.tail") : NULL,
		    path_of("m.kst"), m, sentence))
		fail_msg("%s", sentence);
	struct bytes whole = file_read("m.kst");
	struct reading t = reading_from(&whole, SIZE_MAX);
	assert_int_equal(t.got, KST_END);
	sort_lines(&t);
	free(whole.at);
	return t;
}

/* Adds a row whose cells all differ, some of them by much. */
static inline void row_give(struct kst_writer *w, int kind, int i, int64_t text,
	int64_t shape)
{
	union {
		int64_t i[KST_COLUMNS_MAX];
		double d[KST_COLUMNS_MAX];
	} row;
	for (uint32_t c = 0; c < kst_kind_columns(kind); c++) {
		enum kst_type type = kst_column_type(kind, c);
		int64_t far = i % 5 ? 0 : INT64_MAX / (2 + c);
		if (type == KST_REAL)
			row.d[c] = i % 3 ? i * 0.1 : KST_NOT_GIVEN;
		else
			row.i[c] = type == KST_TEXT ? text
				   : type == KST_SHAPE
					   ? shape
					   : i * 1000 + (int)c + far;
	}
	assert_true(kst_writer_row(w, (enum kst_kind)kind, &row));
}

/* Writes rows of every kind, with texts and launches between them. */
static inline void give(struct kst_writer *w, int turn, int *given)
{
	char name[64];
	snprintf(name, sizeof name, "kernel number %d", turn);
	int64_t text = text_of(w, name);
	int64_t shape = kst_writer_shape(w,
		&(struct kst_shape){ { turn % 3, 2, 3 }, { 4, 5, 6 }, 7, 8 });
	for (int kind = 0; kind < KST_KINDS_END; kind++)
		for (int i = 0; i <= turn % 4; i++) {
			if (!kst_kind_columns(kind) || kind == KST_launch)
				continue;
			row_give(w, kind, turn * 10 + i, i ? text : 0, shape);
			++*given;
		}
}

/* The same rows without a stop. */
static inline struct reading undisturbed(int turns)
{
	int given = 0;
	struct bytes b = bytes_new();
	struct kst_writer *w =
		kst_writer_new(&sample_about, bytes_add, &b, NULL);
	for (int i = 0; i < turns; i++)
		give(w, i, &given);
	assert_true(kst_writer_end(w));
	kst_writer_free(w);
	struct reading t = reading_from(&b, SIZE_MAX);
	assert_true(reading_whole(&t));
	sort_lines(&t);
	assert_int_equal(rows_read(&t), given);
	free(b.at);
	return t;
}

/* Whether every line of `part` is one of `whole`; both sorted. */
static inline bool part_of(const char *part, const char *whole)
{
	while (*part && *whole) {
		size_t len = (size_t)(strchr(whole, '\n') - whole) + 1;
		if (!strncmp(part, whole, len))
			part += len;
		whole += len;
	}
	return !*part;
}

/* Leaves a capture and its tail, with rows in both. */
static inline void left_behind(struct stopped *s)
{
	stopped_init(s, TAIL, 0);
	for (int t = 0; t < 6; t++)
		give(s->w, t, &s->given);
	assert_true(kst_writer_flush(s->w));
	give(s->w, 6, &s->given);
	picture(s, s->part.len);
}

static inline int folder_make(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/kst-tail-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static inline int folder_remove(void **state)
{
	static const char *const names[] = { "a.tail", "m.part", "m.tail",
		"m.kst", "w.part", "n.part", "other" };
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unlink(path_of(names[i]));
	return rmdir(folder);
}
