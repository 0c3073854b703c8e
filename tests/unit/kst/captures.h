/* captures.h - writes capture files in memory, damages them, reads them and
 * shows them as text, for tests. */
#pragma once
#include "kernsift/kst_reader.h"
#include "kst_wire.h"
#include "kernsift/kst_writer.h"
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 5 << 20, READING_BYTES = 128 << 10 };

struct bytes {
	uint8_t *at;
	size_t len;
};

static inline bool bytes_add(void *ctx, const void *p, size_t n)
{
	struct bytes *b = ctx;
	assert_true(b->len + n <= MOST);
	memcpy(b->at + b->len, p, n);
	b->len += n;
	return true;
}

static inline struct bytes bytes_new(void)
{
	struct bytes b = { malloc(MOST), 0 };
	assert_non_null(b.at);
	return b;
}

/* A source that returns bytes in parts. */
struct piece {
	const struct bytes *of;
	size_t at, each;
};

static inline int64_t piece_read(void *ctx, void *to, size_t cap)
{
	struct piece *p = ctx;
	size_t n = p->of->len - p->at;
	n = n < cap ? n : cap;
	n = n < p->each ? n : p->each;
	memcpy(to, p->of->at + p->at, n);
	p->at += n;
	return (int64_t)n;
}

/* The result of a read: one line per row, in order, then how it ended. */
struct reading {
	char *text;
	size_t len;
	enum kst_got got;
	struct kst_damage damage;
	struct kst_about about;
};

static inline void say(struct reading *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static inline void say(struct reading *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(t->text + t->len, READING_BYTES - t->len, fmt, ap);
	va_end(ap);
	assert_true(n >= 0 && (size_t)n < READING_BYTES - t->len);
	t->len += (size_t)n;
}

static inline void cell_say(struct reading *t, const struct kst_reader *r,
	const struct kst_chunk *c, uint32_t column, uint32_t row)
{
	size_t len = 0;
	int64_t v = c->column[column].i[row];
	const struct kst_shape *s;
	switch (kst_column_type((int)c->kind, column)) {
	case KST_TEXT: {
		const char *text = kst_reader_text(r, v, &len);
		uint32_t sum = kst_crc(0, text ? text : "", len);
		say(t, " %.20s/%zu/%x", text ? text : "(lost)", len, sum);
		break;
	}
	case KST_SHAPE:
		s = kst_reader_shape(r, v);
		say(t, " %d,%d,%d:%d,%d,%d:%d:%d", s->grid[0], s->grid[1],
			s->grid[2], s->block[0], s->block[1], s->block[2],
			s->registers, s->shared_bytes);
		break;
	default: /* a REAL as its bits, so that NaN is NaN */
		say(t, " %" PRId64, v);
	}
}

static inline struct reading reading_from(const struct bytes *b, size_t each)
{
	struct piece p = { b, 0, each };
	struct reading t = { .text = malloc(READING_BYTES) };
	struct kst_reader *r = kst_reader_new(piece_read, &p, NULL);
	struct kst_chunk c;
	assert_non_null(t.text);
	assert_non_null(r);
	t.text[0] = '\0';
	while ((t.got = kst_reader_next(r, &c)) == KST_CHUNK) {
		assert_true(c.rows >= 1 && c.rows <= KST_ROWS_MAX);
		for (uint32_t i = 0; i < c.rows; i++) {
			say(&t, "%s", kst_kind_name((int)c.kind));
			for (uint32_t x = 0; x < kst_kind_columns((int)c.kind);
				x++)
				cell_say(&t, r, &c, x, i);
			say(&t, "\n");
		}
	}
	t.damage = *kst_reader_damage(r);
	t.about = *kst_reader_about(r);
	kst_reader_free(r);
	return t;
}

static inline void reading_free(struct reading *t)
{
	free(t->text);
	t->text = NULL;
}

static inline bool reading_whole(const struct reading *t)
{
	const struct kst_damage *d = &t->damage;
	return t->got == KST_END && !d->damaged && !d->missing &&
	       !d->repeated && !d->unknown_chunks && !d->unknown_columns &&
	       !d->lost && !d->cut && !d->behind;
}

static const struct kst_about sample_about = { .writer = "a test",
	.source = "kineto",
	.framework = "pytorch",
	.base_ns = 1700000000000000000,
	.base_is_utc = 1,
	.host = "here" };

static inline int64_t text_of(struct kst_writer *w, const char *s)
{
	int64_t id = kst_writer_text(w, s, strlen(s));
	assert_true(id >= 0);
	return id;
}

/* Adds rows of a kind whose cells all differ, without texts and shapes. */
static inline void rows_add(struct kst_writer *w, int kind, int n, int64_t text,
	int64_t shape)
{
	for (int i = 0; i < n; i++) {
		union {
			int64_t i[KST_COLUMNS_MAX];
			double d[KST_COLUMNS_MAX];
		} row;
		for (uint32_t c = 0; c < kst_kind_columns(kind); c++) {
			enum kst_type type = kst_column_type(kind, c);
			if (type == KST_TEXT)
				row.i[c] = text ? 1 + (i + (int)c) % text : 0;
			else if (type == KST_SHAPE)
				row.i[c] = shape;
			else if (type == KST_REAL)
				row.d[c] = i + 0.25 * c;
			else
				row.i[c] = (int64_t)(c + 1) * 1000 + i * i;
		}
		assert_true(kst_writer_row(w, (enum kst_kind)kind, &row));
	}
}

/* A capture with chunks of every kind, and two of most kinds. */
static inline struct bytes sample(void)
{
	struct bytes b = bytes_new();
	struct kst_options o = { .rows = 4 };
	struct kst_writer *w = kst_writer_new(&sample_about, bytes_add, &b, &o);
	assert_non_null(w);
	text_of(w, "relu");
	text_of(w, "gemm");
	int64_t texts = text_of(w, "");
	texts = text_of(w, "tanh");
	int64_t shape = kst_writer_shape(w,
		&(struct kst_shape){ { 1, 2, 3 }, { 4, 5, 6 }, 7, 8 });
	assert_int_equal(texts, 3);
	assert_int_equal(shape, 1);
#define KIND(number, kind, COLUMNS, what) \
	if (KST_##kind != KST_launch)     \
		rows_add(w, KST_##kind, 6, texts, shape);
	KST_KINDS(KIND)
#undef KIND
	assert_true(kst_writer_end(w));
	assert_int_equal(kst_writer_bytes(w, 0), b.len);
	kst_writer_free(w);
	return b;
}

/* Finds the chunks of a valid capture by their heads. */
struct places {
	size_t at[256], len[256];
	int kind[256],
		rows[256]; /* rows: of the kinds that the reader returns */
	int n;
};

static inline struct places places_of(const struct bytes *b)
{
	struct places p = { .n = 0 };
	struct kst_head h;
	for (size_t at = KST_OPENING; at < b->len; p.n++) {
		assert_true(kst_head_get(b->at + at, &h));
		assert_int_equal(h.seq, p.n);
		p.at[p.n] = at;
		p.len[p.n] = KST_HEAD + h.payload_len;
		p.kind[p.n] = h.kind;
		p.rows[p.n] = kst_kind_columns(h.kind) && h.kind != KST_launch
				      ? (int)h.rows
				      : 0;
		at += p.len[p.n];
	}
	return p;
}
