/* kst_reader.c - reads a capture file chunk by chunk and counts what is
 * missing. */
#include "kst_cells.h"
#include "kst_input.h"
#include "kst_memory.h"
#include "kst_wire.h"
#include <kernsift/kst_reader.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct kst_rows {
	const struct kst_kind_info *kind;
	uint64_t *cells; /* of column c at cells + c * n */
	uint32_t n;
	uint32_t unknown; /* columns that were skipped */
};

/* The texts and launches that a reader has read so far.
 *
 * A chunk defines some of them with consecutive ids, which are higher than all
 * earlier ids. A lost chunk leaves a gap in the ids, which needs no memory.
 * The cells that callers see are positions in these tables, from 1. */

struct kst_ids {
	struct kst_stretch {
		uint64_t first, n; /* ids */
		uint64_t place; /* of the first */
	} * list;
	uint32_t n, cap;
	uint32_t hit; /* the stretch found last */
};

struct kst_tables {
	const struct kst_memory *memory;
	struct kst_ids text_ids, launch_ids;
	struct kst_text {
		const char *at; /* ends in NUL */
		uint64_t len;
	} * texts;
	struct kst_known {
		int64_t name; /* a text's place, or KST_LOST */
		struct kst_shape shape;
		bool given; /* the shape is not -1 throughout */
	} * launches;
	uint64_t texts_n, texts_cap, launches_n, launches_cap;
	struct kst_bytes { /* of the texts, a block per chunk */
		struct kst_bytes *below;
		char at[];
	} * bytes;
};

enum kst_defined {
	KST_DEFINED,
	KST_DEFINED_NOT, /* these are not valid definitions, or not new ones */
	KST_DEFINED_FULL, /* no memory */
};

/* Memory from malloc, with at most `ceiling` bytes in use at one time. */
struct kst_pool {
	size_t taken, ceiling;
};

struct kst_reader {
	struct kst_memory memory;
	struct kst_pool pool; /* used if the memory is from malloc */
	struct kst_input in;
	struct kst_tables tables;
	struct kst_about about;
	struct kst_damage damage;
	struct kst_like like;
	ZSTD_DCtx *zstd;
	uint8_t *raw;
	size_t raw_cap;
	uint64_t *cells;
	size_t cells_cap; /* bytes */
	union kst_column column[KST_COLUMNS_MAX];
	uint64_t only;
	uint16_t major, minor;
	uint32_t capture; /* of this capture's chunks */
	uint32_t next; /* seq expected */
	uint64_t stretches; /* damaged, since the last chunk in order */
	bool opened, any, ended;
};

static void kst_reader_damage_add(struct kst_reader *r, uint64_t *count,
	uint64_t n, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

struct columns {
	struct kst_place place[UINT8_MAX];
	uint32_t n;
};

/* Reads the list of columns. Returns the address after the list, or NULL if
 * the bytes are not such a list. The lengths in the list must add up to the
 * rest of the payload. */
static const uint8_t *kst_reader_places(struct columns *c, const uint8_t *at,
	const uint8_t *end)
{
	uint64_t sum = 0, len;
	if (at == end)
		return NULL;
	c->n = *at++;
	for (uint32_t i = 0; i < c->n; i++) {
		if (end - at < 4)
			return NULL;
		struct kst_place *p = &c->place[i];
		*p = (struct kst_place){ at[0], at[1], at[2], at[3], 0 };
		at = kst_varint_get(at + 4, end, &len);
		if (!at || len > KST_RAW_MAX)
			return NULL;
		p->len = (uint32_t)len;
		sum += len;
	}
	return sum == (uint64_t)(end - at) ? at : NULL;
}

/* Fills a column that the chunk lacks with its value for `absent`. */
static void kst_reader_absent(struct kst_rows *r, uint32_t column)
{
	const struct kst_column_info *c = &r->kind->columns[column];
	uint64_t *cells = r->cells + (size_t)column * r->n;
	uint64_t bits = kst_absent(c);
	for (uint32_t i = 0; i < r->n; i++)
		cells[i] = bits;
}

/* Reads one column. `seen` has one bit for each column that was read before. */
static bool kst_reader_column(struct kst_rows *r, const struct kst_place *p,
	const uint8_t *at, uint32_t seen, struct kst_like *like)
{
	bool looks = p->expected == KST_AFTER || p->expected == KST_LIKE;
	const uint64_t *other = NULL;
	if (p->expected >= KST_EXPECTED_END || seen & 1u << p->column ||
		r->kind->columns[p->column].type == KST_NAME)
		return false;
	if (looks) {
		if (p->other >= r->kind->n || !(seen & 1u << p->other))
			return false;
		other = r->cells + (size_t)p->other * r->n;
	}
	return kst_cells_get(r->cells + (size_t)p->column * r->n, other, r->n,
		p, at, like);
}

/* Reads r->n rows of r->kind into r->cells, which has room for all columns.
 * False if the payload does not match its description. */
static bool kst_reader_rows_get(struct kst_rows *r, const uint8_t *at,
	size_t len, struct kst_like *like)
{
	struct columns c;
	uint32_t seen = 0;
	r->unknown = 0;
	at = kst_reader_places(&c, at, at + len);
	if (!at)
		return false;
	for (uint32_t i = 0; i < c.n; at += c.place[i].len, i++) {
		if (c.place[i].column >= r->kind->n) {
			r->unknown++;
			continue;
		}
		if (!kst_reader_column(r, &c.place[i], at, seen, like))
			return false;
		seen |= 1u << c.place[i].column;
	}
	for (uint32_t i = 0; i < r->kind->n; i++)
		if (!(seen & 1u << i))
			kst_reader_absent(r, i);
	return true;
}

#define NOT_GIVEN                                      \
	{                                              \
		{ -1, -1, -1 }, { -1, -1, -1 }, -1, -1 \
	}

/* Makes room for n more in an array that grows. */
static bool kst_reader_tables_room(const struct kst_memory *m, void **p,
	uint64_t *cap, uint64_t n, size_t each)
{
	if (n <= *cap)
		return true;
	uint64_t want = n < 512 ? 512 : n + n / 2;
	void *grown = kst_grow(m, *p, want * each);
	if (!grown)
		return false;
	*p = grown;
	*cap = want;
	return true;
}

/* False if there is no memory. */
static bool kst_reader_tables_init(struct kst_tables *t,
	const struct kst_memory *m)
{
	*t = (struct kst_tables){ .memory = m };
	if (!kst_reader_tables_room(m, (void **)&t->texts, &t->texts_cap, 1,
		    sizeof *t->texts) ||
		!kst_reader_tables_room(m, (void **)&t->launches,
			&t->launches_cap, 1, sizeof *t->launches))
		return false;
	t->texts[t->texts_n++] = (struct kst_text){ "", 0 };
	t->launches[t->launches_n++] =
		(struct kst_known){ 0, NOT_GIVEN, false };
	return true;
}

static enum kst_defined kst_reader_ids_add(struct kst_tables *t,
	struct kst_ids *ids, uint64_t first, uint64_t n, uint64_t place)
{
	struct kst_stretch *last = ids->n ? &ids->list[ids->n - 1] : NULL;
	uint64_t next = last ? last->first + last->n : 1, cap = ids->cap;
	if (first < next || first > INT64_MAX - n)
		return KST_DEFINED_NOT;
	if (last && first == next && place == last->place + last->n) {
		last->n += n;
		return KST_DEFINED;
	}
	if (!kst_reader_tables_room(t->memory, (void **)&ids->list, &cap,
		    ids->n + 1, sizeof *ids->list) ||
		!ids->list)
		return KST_DEFINED_FULL;
	ids->cap = (uint32_t)cap;
	ids->list[ids->n++] = (struct kst_stretch){ first, n, place };
	return KST_DEFINED;
}

/* The position for an id. 0 for 0; KST_LOST if the id was never defined. */
static int64_t kst_reader_ids_place(struct kst_ids *ids, uint64_t id)
{
	if (id == 0)
		return 0;
	if (ids->n == 0)
		return KST_LOST;
	const struct kst_stretch *s = &ids->list[ids->hit];
	if (id - s->first >= s->n) {
		uint32_t low = 0, high = ids->n; /* the last first <= id */
		while (high - low > 1) {
			uint32_t middle = low + (high - low) / 2;
			if (ids->list[middle].first <= id)
				low = middle;
			else
				high = middle;
		}
		s = &ids->list[low];
		if (id - s->first >= s->n)
			return KST_LOST;
		ids->hit = low;
	}
	return (int64_t)(s->place + (id - s->first));
}

/* Whether the n lengths at `at` add up to the bytes after them. */
static const uint8_t *kst_reader_lengths(const uint8_t *at, const uint8_t *end,
	uint32_t n)
{
	uint64_t sum = 0, len;
	for (uint32_t i = 0; i < n; i++) {
		at = kst_varint_get(at, end, &len);
		if (!at || len > KST_TEXT_MAX)
			return NULL;
		sum += len;
	}
	return sum == (uint64_t)(end - at) ? at : NULL;
}

/* Takes the n texts of a chunk. */
static enum kst_defined kst_reader_tables_texts(struct kst_tables *t,
	const uint8_t *at, size_t len, uint32_t n)
{
	const uint8_t *end = at + len;
	uint64_t first, size;
	if (n == 0 || !(at = kst_varint_get(at, end, &first)))
		return KST_DEFINED_NOT;
	const uint8_t *from = kst_reader_lengths(at, end, n);
	if (!from)
		return KST_DEFINED_NOT;
	struct kst_bytes *b =
		kst_grow(t->memory, NULL, sizeof *b + (size_t)(end - from) + n);
	if (!b)
		return KST_DEFINED_FULL;
	enum kst_defined d = KST_DEFINED_FULL;
	if (kst_reader_tables_room(t->memory, (void **)&t->texts, &t->texts_cap,
		    t->texts_n + n, sizeof *t->texts))
		d = kst_reader_ids_add(t, &t->text_ids, first, n, t->texts_n);
	if (d != KST_DEFINED) {
		kst_drop(t->memory, b);
		return d;
	}
	b->below = t->bytes;
	t->bytes = b;
	char *to = b->at;
	for (uint32_t i = 0; i < n; i++) {
		at = kst_varint_get(at, end, &size);
		t->texts[t->texts_n++] = (struct kst_text){ to, size };
		memcpy(to, from, size);
		to[size] = '\0';
		to += size + 1;
		from += size;
	}
	return KST_DEFINED;
}

/* Reads one launch from its cells. False if a number cannot belong to a
 * shape. */
static bool kst_reader_launch_get(struct kst_known *to, const uint64_t *cells,
	uint32_t n)
{
	enum { NUMBERS = sizeof to->shape / sizeof(int32_t) };
	int32_t number[NUMBERS];
	uint32_t from = KST_COLUMN(launch, grid_x);
	to->name = (int64_t)cells[KST_COLUMN(launch, name) * (size_t)n];
	to->given = false;
	for (uint32_t i = 0; i < NUMBERS; i++) {
		int64_t v = (int64_t)cells[(from + i) * (size_t)n];
		if (v < INT32_MIN || v > INT32_MAX)
			return false;
		number[i] = (int32_t)v;
		to->given |= v != -1;
	}
	memcpy(&to->shape, number, sizeof number);
	return true;
}

_Static_assert(KST_COLUMN(launch, shared_bytes) - KST_COLUMN(launch, grid_x) +
			       1 ==
		       sizeof(struct kst_shape) / sizeof(int32_t),
	"the columns of a launch are the numbers of its shape, in order");

/* Stores n launches. The cells of column c are at cells + c * n. Ids of names
 * are already replaced by positions. */
static enum kst_defined kst_reader_tables_launches(struct kst_tables *t,
	const uint64_t *cells, uint32_t n)
{
	const uint64_t *id = cells + KST_COLUMN(launch, id) * (size_t)n;
	for (uint32_t i = 0; i < n; i++)
		if (id[i] != id[0] + i)
			return KST_DEFINED_NOT;
	if (!kst_reader_tables_room(t->memory, (void **)&t->launches,
		    &t->launches_cap, t->launches_n + n, sizeof *t->launches))
		return KST_DEFINED_FULL;
	for (uint32_t i = 0; i < n; i++)
		if (!kst_reader_launch_get(&t->launches[t->launches_n + i],
			    cells + i, n))
			return KST_DEFINED_NOT;
	enum kst_defined d =
		kst_reader_ids_add(t, &t->launch_ids, id[0], n, t->launches_n);
	if (d == KST_DEFINED)
		t->launches_n += n;
	return d;
}

static void kst_reader_tables_release(struct kst_tables *t)
{
	while (t->bytes) {
		struct kst_bytes *below = t->bytes->below;
		kst_drop(t->memory, t->bytes);
		t->bytes = below;
	}
	kst_drop(t->memory, t->text_ids.list);
	kst_drop(t->memory, t->launch_ids.list);
	kst_drop(t->memory, t->texts);
	kst_drop(t->memory, t->launches);
}

/* Grows an array that is filled again for each chunk. */
static bool kst_reader_take_room(struct kst_reader *r, void **p, size_t *cap,
	size_t bytes)
{
	if (bytes <= *cap)
		return true;
	kst_drop(&r->memory, *p);
	*cap = 0;
	*p = kst_grow(&r->memory, NULL, bytes);
	*cap = *p ? bytes : 0;
	return *p;
}

/* Returns the uncompressed payload, h->raw_len bytes. Returns NULL and sets
 * *got to KST_FULL if there is no memory. Returns NULL, too, if the payload
 * does not match its head. */
static const uint8_t *kst_reader_unpack(struct kst_reader *r,
	const struct kst_head *h, const uint8_t *payload, enum kst_got *got)
{
	if (h->raw_len > KST_RAW_MAX)
		return NULL;
	if (h->codec == KST_CODEC_NONE)
		return h->payload_len == h->raw_len ? payload : NULL;
	if (h->codec != KST_CODEC_ZSTD)
		return NULL;
	if (!kst_reader_take_room(r, (void **)&r->raw, &r->raw_cap,
		    h->raw_len + 1)) {
		*got = KST_FULL;
		return NULL;
	}
	size_t n = ZSTD_decompressDCtx(r->zstd, r->raw, h->raw_len, payload,
		h->payload_len);
	return !ZSTD_isError(n) && n == h->raw_len ? r->raw : NULL;
}

/* Damage inside a chunk with correct checksums: the writer wrote it wrongly. */
static enum kst_got kst_reader_wrong(struct kst_reader *r,
	const struct kst_head *h)
{
	const char *name = kst_kind_name(h->kind);
	kst_reader_damage_add(r, &r->damage.damaged, 1, "chunk %u (%s)", h->seq,
		name ? name : "unknown");
	return KST_END;
}

static bool kst_reader_text_get(char *to, size_t room_bytes, const uint8_t *at,
	size_t len)
{
	if (len >= room_bytes)
		return false;
	memcpy(to, at, len);
	memset(to + len, 0, room_bytes - len);
	return true;
}

static bool kst_reader_number_get(int64_t *to, const uint8_t *at, size_t len)
{
	uint64_t v;
	const uint8_t *behind = kst_varint_get(at, at + len, &v);
	*to = kst_unzigzag(v);
	return behind == at + len;
}

/* Reads one field of the description. False if it is damaged. */
static bool kst_reader_field(struct kst_reader *r, struct kst_about *about,
	uint64_t number, const uint8_t *at, size_t len)
{
	switch (number) {
#define TEXT(n, name, bytes, what) \
	case n:                    \
		return kst_reader_text_get(about->name, bytes, at, len);
#define NUMBER(n, name, absent, what) \
	case n:                       \
		return kst_reader_number_get(&about->name, at, len);
		KST_ABOUT(TEXT, NUMBER)
#undef TEXT
#undef NUMBER
	default:
		kst_reader_damage_add(r, &r->damage.unknown_columns, 1,
			"field %llu of about", (unsigned long long)number);
		return true;
	}
}

static bool kst_reader_about_get(struct kst_reader *r, const uint8_t *at,
	size_t len)
{
#define TEXT(n, name, bytes, what)
#define NUMBER(n, name, absent, what) .name = absent,
	struct kst_about about = { KST_ABOUT(TEXT, NUMBER) };
#undef TEXT
#undef NUMBER
	const uint8_t *end = at + len;
	uint64_t number, size;
	while (at < end) {
		if (!(at = kst_varint_get(at, end, &number)) ||
			!(at = kst_varint_get(at, end, &size)) ||
			size > (uint64_t)(end - at) ||
			!kst_reader_field(r, &about, number, at, size))
			return false;
		at += size;
	}
	r->about = about;
	return true;
}

/* Counts a cell whose text or launch is missing. */
static void kst_reader_lost(struct kst_reader *r, uint64_t *cell)
{
	*cell = (uint64_t)KST_LOST;
	r->damage.lost++;
}

/* Replaces ids of texts by positions. */
static void kst_reader_resolve_texts(struct kst_reader *r, uint64_t *cells,
	uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		int64_t place =
			kst_reader_ids_place(&r->tables.text_ids, cells[i]);
		if (place < 0)
			kst_reader_lost(r, &cells[i]);
		else
			cells[i] = (uint64_t)place;
	}
}

/* Replaces ids of launches by positions of shapes, and fills the names that
 * are stored with the launches. */
static void kst_reader_resolve_launches(struct kst_reader *r, uint64_t *shapes,
	uint64_t *names, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		int64_t place =
			kst_reader_ids_place(&r->tables.launch_ids, shapes[i]);
		if (place < 0) {
			names[i] = (uint64_t)KST_LOST;
			kst_reader_lost(r, &shapes[i]);
			continue;
		}
		const struct kst_known *k = &r->tables.launches[place];
		names[i] = (uint64_t)k->name;
		shapes[i] = k->given ? (uint64_t)place : 0;
	}
}

static void kst_reader_resolve(struct kst_reader *r,
	const struct kst_rows *rows)
{
	const struct kst_kind_info *k = rows->kind;
	int shape = kst_column_of(k, KST_SHAPE);
	for (uint32_t c = 0; c < k->n; c++)
		if (k->columns[c].type == KST_TEXT ||
			k->columns[c].type == KST_JSON)
			kst_reader_resolve_texts(r,
				rows->cells + (size_t)c * rows->n, rows->n);
	if (shape >= 0)
		kst_reader_resolve_launches(r,
			rows->cells + (size_t)shape * rows->n,
			rows->cells +
				(size_t)kst_column_of(k, KST_NAME) * rows->n,
			rows->n);
}

static enum kst_got kst_reader_defined(struct kst_reader *r,
	const struct kst_head *h, enum kst_defined d)
{
	return d == KST_DEFINED	       ? KST_END
	       : d == KST_DEFINED_FULL ? KST_FULL
				       : kst_reader_wrong(r, h);
}

/* Rows: into cells, and out of them into the table or to the caller. */
static enum kst_got kst_reader_rows_take(struct kst_reader *r,
	const struct kst_head *h, const uint8_t *raw, struct kst_chunk *chunk)
{
	struct kst_rows rows = { kst_kind_info(h->kind), NULL, h->rows, 0 };
	if (h->rows == 0 || h->rows > KST_ROWS_MAX)
		return kst_reader_wrong(r, h);
	if (!kst_reader_take_room(r, (void **)&r->cells, &r->cells_cap,
		    (size_t)rows.kind->n * h->rows * sizeof *r->cells))
		return KST_FULL;
	rows.cells = r->cells;
	if (!kst_reader_rows_get(&rows, raw, h->raw_len, &r->like))
		return kst_reader_wrong(r, h);
	if (rows.unknown)
		kst_reader_damage_add(r, &r->damage.unknown_columns,
			rows.unknown, "a column of %s", rows.kind->name);
	kst_reader_resolve(r, &rows);
	if (h->kind == KST_launch)
		return kst_reader_defined(r, h,
			kst_reader_tables_launches(&r->tables, r->cells,
				h->rows));
	for (uint32_t c = 0; c < rows.kind->n; c++)
		r->column[c].i =
			(const int64_t *)(r->cells + (size_t)c * h->rows);
	*chunk = (struct kst_chunk){ (enum kst_kind)h->kind, h->rows, h->seq,
		h->first_ns, h->last_ns, r->column };
	return KST_CHUNK;
}

/* Stores the chunk's contents in the description, in the tables, or in *chunk.
 * Returns KST_CHUNK if the caller of the reader gets the chunk, and KST_END if
 * only the reader uses it. */
static enum kst_got kst_reader_take(struct kst_reader *r,
	const struct kst_head *h, const uint8_t *payload,
	struct kst_chunk *chunk)
{
	const struct kst_kind_info *k = kst_kind_info(h->kind);
	enum kst_got got = KST_END;
	if (!k) {
		kst_reader_damage_add(r, &r->damage.unknown_chunks, 1,
			"kind %d", h->kind);
		return KST_END;
	}
	bool rows = k->columns && h->kind != KST_launch;
	if (rows && !(r->only >> h->kind & 1))
		return KST_END;
	const uint8_t *raw = kst_reader_unpack(r, h, payload, &got);
	if (!raw)
		return got == KST_FULL ? got : kst_reader_wrong(r, h);
	if (k->columns)
		return kst_reader_rows_take(r, h, raw, chunk);
	if (h->kind == KST_about)
		return kst_reader_about_get(r, raw, h->raw_len)
			       ? KST_END
			       : kst_reader_wrong(r, h);
	if (h->kind == KST_text)
		return kst_reader_defined(r, h,
			kst_reader_tables_texts(&r->tables, raw, h->raw_len,
				h->rows));
	r->ended = true;
	return KST_END;
}

enum { CEILING = 256 << 20 };

/* Counts damage and describes the first damage. */
static void kst_reader_damage_add(struct kst_reader *r, uint64_t *count,
	uint64_t n, const char *fmt, ...)
{
	struct kst_damage *d = &r->damage;
	bool unknown =
		count == &d->unknown_chunks || count == &d->unknown_columns;
	char *first = unknown ? d->first_unknown : d->first;
	va_list ap;
	*count += n;
	if (first[0])
		return;
	va_start(ap, fmt);
	vsnprintf(first, sizeof d->first, fmt, ap);
	va_end(ap);
}

/* Each block of the pool knows its size. */
struct kst_reader_block {
	_Alignas(16) size_t size;
	_Alignas(16) char bytes[];
};

static struct kst_reader_block *kst_reader_block_of(void *p)
{
	return p ? (struct kst_reader_block *)((char *)p -
					       offsetof(struct kst_reader_block,
						       bytes))
		 : NULL;
}

static void *kst_reader_pool_grow(void *ctx, void *p, size_t bytes)
{
	struct kst_pool *pool = ctx;
	struct kst_reader_block *b = kst_reader_block_of(p);
	size_t had = b ? b->size : 0;
	if (bytes > pool->ceiling || pool->taken - had > pool->ceiling - bytes)
		return NULL;
	struct kst_reader_block *grown = realloc(b, sizeof *b + bytes);
	if (!grown)
		return NULL;
	pool->taken += bytes - had;
	grown->size = bytes;
	/* The block is freed by its bytes, see kst_reader_block_of(). */
	/* cppcheck-suppress memleak */
	return grown->bytes;
}

static void kst_reader_pool_drop(void *ctx, void *p)
{
	struct kst_pool *pool = ctx;
	struct kst_reader_block *b = kst_reader_block_of(p);
	if (b)
		pool->taken -= b->size;
	free(b);
}

struct kst_reader *kst_reader_new(kst_read_fn *read, void *ctx,
	const struct kst_memory *memory)
{
	struct kst_memory m = memory ? *memory : (struct kst_memory){ 0 };
	struct kst_reader *r = kst_grow(&m, NULL, sizeof *r);
	if (!r)
		return NULL;
	memset(r, 0, sizeof *r);
	r->memory = m;
	if (!memory) {
		r->pool.ceiling = CEILING;
		r->memory = (struct kst_memory){ kst_reader_pool_grow,
			kst_reader_pool_drop, &r->pool };
	}
	r->in = (struct kst_input){ .read = read,
		.ctx = ctx,
		.memory = &r->memory };
	r->only = UINT64_MAX;
	r->zstd = ZSTD_createDCtx();
	if (r->zstd && kst_reader_tables_init(&r->tables, &r->memory))
		return r;
	kst_reader_free(r);
	return NULL;
}

void kst_reader_only(struct kst_reader *r, uint64_t kinds)
{
	r->only = kinds;
}

static enum kst_got kst_reader_of_input(enum kst_input_got got)
{
	return got == KST_INPUT_STOPPED ? KST_STOPPED
	       : got == KST_INPUT_FULL	? KST_FULL
					: KST_END;
}

/* The first bytes. KST_END: they are as they should be. */
static enum kst_got kst_reader_open_file(struct kst_reader *r)
{
	uint16_t major, minor;
	bool good;
	enum kst_input_got got = kst_input_need(&r->in, KST_OPENING);
	if (got == KST_INPUT_STOPPED || got == KST_INPUT_FULL)
		return kst_reader_of_input(got);
	if (got == KST_INPUT_END ||
		!kst_opening_get(r->in.bytes + r->in.at, &major, &minor, &good))
		return KST_FOREIGN;
	r->opened = true;
	kst_input_pass(&r->in, KST_OPENING);
	if (!good) {
		kst_reader_damage_add(r, &r->damage.damaged, 1,
			"the first 16 bytes");
		r->major = KST_MAJOR;
		return KST_END;
	}
	r->major = major;
	r->minor = minor;
	return major == KST_MAJOR  ? KST_END
	       : major > KST_MAJOR ? KST_NEWER
				   : KST_FOREIGN;
}

/* Skips all bytes that are left. */
static enum kst_got kst_reader_drain(struct kst_reader *r)
{
	enum kst_input_got got;
	while ((got = kst_input_need(&r->in, 1)) == KST_INPUT_CHUNK) {
		size_t n = r->in.end - r->in.at;
		r->damage.behind += n;
		kst_input_pass(&r->in, n);
	}
	return kst_reader_of_input(got);
}

/* Whether a chunk is the next one of this capture or a later one. The chunks
 * between the two are counted as missing. */
static bool kst_reader_in_order(struct kst_reader *r, const struct kst_head *h)
{
	if (!r->any)
		r->capture = h->capture;
	r->any = true;
	if (h->capture != r->capture) {
		kst_reader_damage_add(r, &r->damage.damaged, 1,
			"chunk %u of another capture", h->seq);
		return false;
	}
	if (h->seq < r->next) {
		kst_reader_damage_add(r, &r->damage.repeated, 1,
			"chunk %u again", h->seq);
		return false;
	}
	uint64_t gap = h->seq - r->next;
	uint64_t missing = gap > r->stretches ? gap - r->stretches : 0;
	if (missing)
		kst_reader_damage_add(r, &r->damage.missing, missing,
			"chunk %u is missing", r->next);
	r->stretches = 0;
	r->next = h->seq + 1;
	return true;
}

static void kst_reader_stretch(struct kst_reader *r)
{
	if (r->in.skipped == 0)
		return;
	r->stretches++;
	kst_reader_damage_add(r, &r->damage.damaged, 1,
		"%llu bytes at byte %llu", (unsigned long long)r->in.skipped,
		(unsigned long long)r->in.skipped_at);
}

/* The end of the bytes, or of this capture in them. */
static enum kst_got kst_reader_finish(struct kst_reader *r)
{
	r->damage.cut = !r->ended;
	r->ended = true;
	return kst_reader_drain(r);
}

enum kst_got kst_reader_next(struct kst_reader *r, struct kst_chunk *chunk)
{
	enum kst_got got = r->opened ? KST_END : kst_reader_open_file(r);
	struct kst_head h;
	const uint8_t *payload;
	while (got == KST_END && !r->ended) {
		enum kst_input_got in = kst_input_next(&r->in, &h, &payload);
		if (in == KST_INPUT_STOPPED || in == KST_INPUT_FULL)
			return kst_reader_of_input(in);
		kst_reader_stretch(r);
		if (in == KST_INPUT_END)
			return kst_reader_finish(r);
		bool again = h.capture == r->capture && r->next == 1;
		if (h.kind == KST_about && r->any && !again) {
			r->damage.behind += KST_HEAD + h.payload_len;
			return kst_reader_finish(r);
		}
		if (kst_reader_in_order(r, &h))
			got = kst_reader_take(r, &h, payload, chunk);
		if (got == KST_END && r->ended)
			return kst_reader_drain(r);
	}
	return got;
}

const struct kst_about *kst_reader_about(const struct kst_reader *r)
{
	return &r->about;
}

void kst_reader_version(const struct kst_reader *r, int *major, int *minor)
{
	*major = r->major;
	*minor = r->minor;
}

uint64_t kst_reader_bytes(const struct kst_reader *r)
{
	return r->in.offset;
}

const struct kst_damage *kst_reader_damage(const struct kst_reader *r)
{
	return &r->damage;
}

const char *kst_reader_text(const struct kst_reader *r, int64_t cell,
	size_t *len)
{
	if (cell < 0 || (uint64_t)cell >= r->tables.texts_n)
		return NULL;
	const struct kst_text *t = &r->tables.texts[cell];
	if (len)
		*len = t->len;
	return t->at;
}

int64_t kst_reader_texts(const struct kst_reader *r)
{
	return (int64_t)r->tables.texts_n;
}

const struct kst_shape *kst_reader_shape(const struct kst_reader *r,
	int64_t cell)
{
	bool known = cell > 0 && (uint64_t)cell < r->tables.launches_n;
	return &r->tables.launches[known ? cell : 0].shape;
}

void kst_reader_free(struct kst_reader *r)
{
	if (!r)
		return;
	struct kst_memory first = r->memory;
	kst_reader_tables_release(&r->tables);
	kst_input_release(&r->in);
	kst_drop(&first, r->raw);
	kst_drop(&first, r->cells);
	ZSTD_freeDCtx(r->zstd);
	/* The reader itself is in memory of its own, not in its own pool. */
	if (first.drop == kst_reader_pool_drop)
		free(r);
	else
		kst_drop(&first, r);
}
