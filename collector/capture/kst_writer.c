/* kst_writer.c - writes a capture file row by row: gathers rows and texts in
 * blocks and writes blocks as chunks. */
#include "kst_cells.h"
#include "kst_memory.h"
#include "kst_resume.h"
#include "kst_wire.h"
#include <kernsift/kst_writer.h>
#include <string.h>
#define ZSTD_STATIC_LINKING_ONLY /* for our own memory functions */
#include <zstd.h>

_Static_assert(KST_COLUMNS_MAX <= 32, "a bit for each column");

struct kst_emit {
	kst_write_fn *write;
	void *ctx;
	const struct kst_memory *memory;
	ZSTD_CCtx *zstd;
	uint8_t *raw, *packed;
	uint64_t *differences;
	size_t raw_cap, packed_cap, differences_cap; /* bytes */
	size_t cuts[3 * KST_COLUMNS_MAX]; /* in raw, ascending */
	uint32_t cuts_n;
	struct kst_like like;
	/* By kind: one bit per column, set if the column was smaller when
	 * split at the last trial; and the number of chunks since that
	 * trial. */
	uint32_t split[KST_KINDS_END];
	uint8_t untried[KST_KINDS_END];
	uint32_t capture, seq;
	uint64_t bytes[KST_KINDS_END]; /* by kind; 0: all */
};

/* Gives small numbers to launch shapes and launches.
 *
 * Shapes are kept for the writer's life, because callers keep their ids. A
 * launch is a name and a shape. Only the last KST_LAUNCHES_MAX launches are
 * kept: after that many the table is cleared, and a launch that occurs again
 * gets a new id. */

enum { KST_LAUNCHES_MAX = 1 << 16 };

struct kst_intern {
	const struct kst_memory *memory;
	struct kst_shape *shapes; /* by id - 1 */
	uint32_t *shape_slots; /* id, or 0 */
	uint32_t shapes_n, shapes_cap, shape_slots_cap;
	struct kst_pair {
		uint64_t name, shape;
		uint64_t id; /* 0: a free slot */
	} * pairs;
	uint32_t pairs_n, pairs_cap;
	uint64_t launches; /* ids given */
};

struct kst_writer {
	struct kst_memory memory;
	struct kst_emit emit;
	struct kst_block {
		uint64_t *cells; /* column by column, `stride` apart */
		uint32_t n;
	} blocks[KST_KINDS_END];
	uint8_t columns[KST_KINDS_END];
	uint32_t rows, stride;
	uint8_t *texts; /* those not written yet: their bytes */
	uint32_t *lens;
	size_t texts_len, texts_cap;
	uint32_t texts_n;
	int64_t texts_given; /* ids */
	struct kst_tail *tail; /* or NULL */
	uint64_t waiting; /* rows in no chunk yet; launches are none */
	struct kst_intern intern;
	int shape[KST_KINDS_END], named[KST_KINDS_END]; /* columns, or -1 */
	bool failed;
};

/* A payload becomes a chunk. */

enum {
	PACK_FROM = 64, /* bytes; a shorter payload is not compressed */
	BLOCK_FROM = 512, /* bytes; for fewer, zstd needs no block of their
			   * own */
	TRY_FROM = 128, /* rows; with fewer, only one packing is tried */
	/* both packings are tried for each 8th chunk of a kind; the chunks
	 * between use the better one */
	TRY_EVERY = 8,
	PLACE_MAX = 4 + 5,
};

static bool kst_writer_room(struct kst_emit *e, uint8_t **at, size_t *cap,
	size_t bytes)
{
	if (bytes <= *cap)
		return true;
	uint8_t *p = kst_grow(e->memory, *at, bytes);
	if (!p)
		return false;
	*at = p;
	*cap = bytes;
	return true;
}

/* Room for that many bytes of a payload, at e->raw. */
static bool kst_writer_emit_room(struct kst_emit *e, size_t bytes)
{
	return kst_writer_room(e, &e->raw, &e->raw_cap, bytes);
}

/* Writes bytes that do not belong to a chunk. */
static bool kst_writer_emit_bytes(struct kst_emit *e, const void *bytes,
	size_t len)
{
	e->bytes[0] += len;
	return e->write(e->ctx, bytes, len);
}

/* Compresses e->raw. A zstd block never extends over one of e->cuts, because
 * the data before and after a cut are of different kinds. Blocks that would be
 * too short are the exception: they end at a later cut. */
static size_t kst_writer_pack(struct kst_emit *e, size_t len)
{
	ZSTD_outBuffer out = { e->packed, e->packed_cap, 0 };
	size_t left = 1, from = 0;
	ZSTD_CCtx_reset(e->zstd, ZSTD_reset_session_only);
	ZSTD_CCtx_setPledgedSrcSize(e->zstd, len);
	for (uint32_t i = 0; from < len; i++) {
		size_t to = i < e->cuts_n ? e->cuts[i] : len;
		if (to < len && to - from < BLOCK_FROM)
			continue;
		ZSTD_inBuffer in = { e->raw, to, from };
		left = ZSTD_compressStream2(e->zstd, &out, &in,
			to < len ? ZSTD_e_flush : ZSTD_e_end);
		if (left)
			return 0;
		from = to;
	}
	return out.pos;
}

/* The payload to write: compressed if that is shorter. */
static const uint8_t *kst_writer_payload(struct kst_emit *e, struct kst_head *h)
{
	h->codec = KST_CODEC_NONE;
	h->payload_len = h->raw_len;
	if (h->raw_len < PACK_FROM)
		return e->raw;
	/* A cut costs a block's head of at most three bytes. */
	if (!kst_writer_room(e, &e->packed, &e->packed_cap,
		    ZSTD_compressBound(h->raw_len) + 3 * e->cuts_n + 64))
		return NULL;
	size_t n = kst_writer_pack(e, h->raw_len);
	if (n == 0 || n >= h->raw_len)
		return e->raw;
	h->codec = KST_CODEC_ZSTD;
	h->payload_len = (uint32_t)n;
	return e->packed;
}

/* Writes the first h->raw_len bytes of e->raw as a chunk. The caller has set
 * kind, raw_len, rows and times of the head; this function sets the other
 * members. */
static bool kst_writer_emit_chunk(struct kst_emit *e, struct kst_head *h)
{
	uint8_t head[KST_HEAD];
	const uint8_t *bytes = kst_writer_payload(e, h);
	e->cuts_n = 0;
	if (!bytes)
		return false;
	h->payload_crc = kst_crc(0, bytes, h->payload_len);
	if (h->kind == KST_about)
		e->capture = h->payload_crc;
	h->capture = e->capture;
	h->seq = e->seq++;
	kst_head_put(head, h);
	e->bytes[h->kind] += sizeof head + h->payload_len;
	return kst_writer_emit_bytes(e, head, sizeof head) &&
	       kst_writer_emit_bytes(e, bytes, h->payload_len);
}

/* The column that an expectation reads; -1 if it reads none. */
static int kst_writer_other_of(const struct kst_kind_info *k, uint32_t column)
{
	enum kst_expected x = k->columns[column].expected;
	return x == KST_AFTER  ? 2
	       : x == KST_LIKE ? kst_column_of(k, KST_SHAPE)
			       : -1;
}

/* The order of the columns in a chunk. A column is stored after the column
 * that it reads: first SHAPE columns, then LIKE (durations), then the others,
 * then AFTER (starts). */
static uint32_t kst_writer_order(const struct kst_kind_info *k,
	uint8_t column[KST_COLUMNS_MAX])
{
	uint32_t n = 0;
	for (int turn = 0; turn < 4; turn++)
		for (uint32_t c = 0; c < k->n; c++) {
			const struct kst_column_info *info = &k->columns[c];
			int when = info->type == KST_SHAPE	 ? 0
				   : info->expected == KST_LIKE	 ? 1
				   : info->expected != KST_AFTER ? 2
								 : 3;
			if (when == turn && info->type != KST_NAME)
				column[n++] = (uint8_t)c;
		}
	return n;
}

/* First and last moment of the rows, where their kind has one. */
static void kst_writer_times(const struct kst_kind_info *k,
	const uint64_t *cells, uint32_t stride, uint32_t n, struct kst_head *h)
{
	const uint64_t *start = NULL, *dur = NULL;
	for (uint32_t c = 0; c < k->n; c++) {
		if (!strcmp(k->columns[c].name, "start_ns"))
			start = cells + (size_t)c * stride;
		else if (start && !strcmp(k->columns[c].name, "dur_ns"))
			dur = cells + (size_t)c * stride;
	}
	h->first_ns = INT64_MAX;
	h->last_ns = INT64_MIN;
	for (uint32_t i = 0; start && i < n; i++) {
		int64_t from = (int64_t)start[i], to = from;
		if (dur && __builtin_add_overflow(from, (int64_t)dur[i], &to))
			to = INT64_MAX;
		h->first_ns = from < h->first_ns ? from : h->first_ns;
		h->last_ns = to > h->last_ns ? to : h->last_ns;
	}
	if (!start)
		h->first_ns = h->last_ns = 0;
}

/* The compressed size of some bytes, or their own size if compression fails. */
static size_t kst_writer_tried(struct kst_emit *e, const uint8_t *at,
	size_t len)
{
	size_t n = ZSTD_compress2(e->zstd, e->packed, e->packed_cap, at, len);
	return ZSTD_isError(n) ? len : n;
}

/* Whether the times of `rows` rows are smaller if they are split. `at` has
 * them as varints, and `split` has them split. */
static bool kst_writer_split_better(struct kst_emit *e, const uint8_t *at,
	size_t len, const uint8_t *split, size_t split_len, uint32_t rows)
{
	size_t apart = kst_writer_tried(e, split, rows) +
		       kst_writer_tried(e, split + rows, rows) +
		       kst_writer_tried(e, split + 2 * (size_t)rows,
			       split_len - 2 * (size_t)rows);
	return apart < kst_writer_tried(e, at, len);
}

static void kst_writer_cut(struct kst_emit *e, const uint8_t *at)
{
	e->cuts[e->cuts_n++] = (size_t)(at - e->raw);
}

/* Packs the times of a column, split or not: the way that was smaller at the
 * last trial. Returns the address after the last byte. */
static uint8_t *kst_writer_times_put(struct kst_emit *e, uint8_t *to,
	uint32_t n, bool trial, uint32_t *split, uint32_t bit, uint8_t *packing)
{
	const uint64_t *d = e->differences;
	uint8_t *end = to, *from = to;
	if (trial || !(*split & bit))
		from = end = kst_cells_pack(to, d, n, KST_VARINT);
	if (!trial && !(*split & bit))
		return end;
	size_t len = (size_t)(kst_cells_pack(from, d, n, KST_SPLIT) - from);
	if (trial) {
		*split &= ~bit;
		if (!kst_writer_split_better(e, to, (size_t)(end - to), from,
			    len, n))
			return end;
		*split |= bit;
		memmove(to, from, len);
	}
	*packing = KST_SPLIT;
	kst_writer_cut(e, to + n);
	kst_writer_cut(e, to + 2 * (size_t)n);
	return to + len;
}

static bool kst_writer_constant(const uint64_t *cells, uint32_t n)
{
	uint32_t i = 1;
	while (i < n && cells[i] == cells[0])
		i++;
	return i >= n;
}

/* Packs a column in the way that needs the fewest bytes. Returns the address
 * after the last byte. */
static uint8_t *kst_writer_column_put(struct kst_emit *e, uint8_t *to,
	const uint64_t *cells, const uint64_t *other, uint32_t n,
	enum kst_kind kind, struct kst_place *p)
{
	const struct kst_column_info *c =
		&kst_kind_info((int)kind)->columns[p->column];
	enum kst_expected x = c->expected;
	/* The cells are equal, because no ids were given: no differences. */
	if (x == KST_BEFORE && kst_writer_constant(cells, n))
		x = KST_ALONE;
	p->expected = (uint8_t)x;
	p->packing = KST_SAME;
	if (kst_cells_differ(e->differences, cells, other, n, x, &e->like))
		return kst_cells_pack(to, e->differences, n, KST_SAME);
	p->packing = c->type == KST_REAL ? KST_PLANES : KST_VARINT;
	if (n >= TRY_FROM && (x == KST_AFTER || x == KST_LIKE))
		return kst_writer_times_put(e, to, n, e->untried[kind] == 0,
			&e->split[kind], UINT32_C(1) << p->column, &p->packing);
	return kst_cells_pack(to, e->differences, n, p->packing);
}

/* Rows: the cells of column c are at cells + c * stride. */
static bool kst_writer_emit_rows(struct kst_emit *e, enum kst_kind kind,
	const uint64_t *cells, uint32_t stride, uint32_t n)
{
	const struct kst_kind_info *k = kst_kind_info((int)kind);
	struct kst_head h = { .kind = (uint8_t)kind, .rows = n };
	uint8_t column[KST_COLUMNS_MAX], list[1 + KST_COLUMNS_MAX * PLACE_MAX];
	uint32_t columns = kst_writer_order(k, column);
	size_t column_max = (size_t)n * KST_CELL_MAX;
	/* Room for one more column, for the packing that is only tried. */
	if (!kst_writer_emit_room(e,
		    sizeof list + (columns + 1) * column_max) ||
		!kst_writer_room(e, &e->packed, &e->packed_cap,
			ZSTD_compressBound(column_max)) ||
		!kst_writer_room(e, (uint8_t **)&e->differences,
			&e->differences_cap, n * sizeof *e->differences))
		return false;
	/* Packs the cells first. The list that describes them is put before
	 * them. */
	uint8_t *body = e->raw + sizeof list, *to = body, *at = list;
	*at++ = (uint8_t)columns;
	for (uint32_t i = 0; i < columns; i++) {
		uint8_t c = column[i], *from = to;
		struct kst_place p = { .column = c };
		int other = kst_writer_other_of(k, c);
		to = kst_writer_column_put(e, to, cells + (size_t)c * stride,
			other < 0 ? NULL : cells + (size_t)other * stride, n,
			kind, &p);
		kst_writer_cut(e, to);
		*at++ = c;
		*at++ = p.expected;
		*at++ = p.packing;
		*at++ = (uint8_t)(other < 0 ? 0 : other);
		at = kst_varint_put(at, (uint64_t)(to - from));
	}
	size_t before = (size_t)(at - list);
	memcpy(e->raw, list, before);
	memmove(e->raw + before, body, (size_t)(to - body));
	for (uint32_t i = 0; i < e->cuts_n; i++)
		e->cuts[i] -= sizeof list - before;
	h.raw_len = (uint32_t)(before + (size_t)(to - body));
	if (n >= TRY_FROM)
		e->untried[kind] =
			(uint8_t)((e->untried[kind] + 1) % TRY_EVERY);
	kst_writer_times(k, cells, stride, n, &h);
	return kst_writer_emit_chunk(e, &h);
}

/* The distance between two columns of a block is a little more than a power of
 * two. Otherwise all cells of a row would use the same set of the cache. */
enum {
	ROWS = 16384,
	APART = 40,
	TEXTS_RAW = 256 << 10,
	TEXTS_MAX = 32768,
	LEVEL = 1,
};

_Static_assert((size_t)KST_COLUMNS_MAX * 9 + 1 +
			       16ull * KST_ROWS_MAX * KST_CELL_MAX <=
		       KST_RAW_MAX,
	"a block of the widest kind fits a chunk");
_Static_assert(sizeof(struct kst_pattern) / 8 <= 16, "no kind is wider");

/* Writes a chunk of texts: the id of the first text, the number of texts,
 * their lengths, their bytes. */
static bool kst_writer_texts_write(struct kst_writer *w)
{
	struct kst_head h = { .kind = KST_text, .rows = w->texts_n };
	if (w->texts_n == 0)
		return true;
	if (!kst_writer_emit_room(&w->emit,
		    w->texts_len + ((size_t)w->texts_n + 2) * KST_CELL_MAX))
		return false;
	uint8_t *to = kst_varint_put(w->emit.raw,
		(uint64_t)(w->texts_given - w->texts_n + 1));
	for (uint32_t i = 0; i < w->texts_n; i++)
		to = kst_varint_put(to, w->lens[i]);
	memcpy(to, w->texts, w->texts_len);
	h.raw_len = (uint32_t)((size_t)(to - w->emit.raw) + w->texts_len);
	w->texts_n = 0;
	w->texts_len = 0;
	return kst_writer_emit_chunk(&w->emit, &h);
}

static bool kst_writer_block_write(struct kst_writer *w, int kind)
{
	struct kst_block *b = &w->blocks[kind];
	uint32_t n = b->n;
	if (n == 0)
		return true;
	if (!kst_writer_emit_rows(&w->emit, (enum kst_kind)kind, b->cells,
		    w->stride, n))
		return false;
	b->n = 0;
	w->waiting -= kind == KST_launch ? 0 : n;
	return true;
}

/* Writes the texts and launches that the rows name, then the rows. */
static bool kst_writer_block_flush(struct kst_writer *w, int kind)
{
	return kst_writer_texts_write(w) &&
	       kst_writer_block_write(w, KST_launch) &&
	       kst_writer_block_write(w, kind);
}

/* Empties the tail, if there is one: everything in it is in chunks now. */
static void kst_writer_placed(struct kst_writer *w)
{
	struct kst_place_in place = { w->emit.capture, w->emit.seq,
		(uint64_t)w->texts_given + 1 };
	if (w->tail)
		kst_tail_empty(w->tail, &place);
}

/* Writes everything. */
static bool kst_writer_flush_all(struct kst_writer *w)
{
	bool ok = true;
	for (int kind = 0; kind < KST_KINDS_END && ok; kind++)
		if (kind != KST_launch)
			ok = kst_writer_block_flush(w, kind);
	if (ok)
		kst_writer_placed(w);
	return ok;
}

static bool kst_writer_texts_room(struct kst_writer *w, size_t len)
{
	if (!w->lens && !(w->lens = kst_grow(&w->memory, NULL,
				  TEXTS_MAX * sizeof *w->lens)))
		return false;
	if (w->texts_n == TEXTS_MAX ||
		(w->texts_n && w->texts_len + len > TEXTS_RAW))
		if (!kst_writer_texts_write(w))
			return false;
	size_t want = w->texts_len + len;
	if (want <= w->texts_cap)
		return true;
	size_t cap = want < TEXTS_RAW ? TEXTS_RAW : want;
	uint8_t *p = kst_grow(&w->memory, w->texts, cap);
	if (!p)
		return false;
	w->texts = p;
	w->texts_cap = cap;
	return true;
}

bool kst_writer_put_text(struct kst_writer *w, const char *text, size_t len)
{
	if (!kst_writer_texts_room(w, len))
		return false;
	memcpy(w->texts + w->texts_len, text, len);
	w->texts_len += len;
	w->lens[w->texts_n++] = (uint32_t)len;
	w->texts_given++;
	return !w->tail || kst_tail_text(w->tail, text, len) ||
	       kst_writer_flush_all(w);
}

bool kst_writer_put_row(struct kst_writer *w, int kind, const uint64_t *cells)
{
	uint32_t columns = w->columns[kind];
	struct kst_block *b = &w->blocks[kind];
	if (!b->cells &&
		!(b->cells = kst_grow(&w->memory, NULL,
			  (size_t)columns * w->stride * sizeof *b->cells)))
		return false;
	if (b->n == w->rows && !kst_writer_block_flush(w, kind))
		return false;
	uint64_t *to = b->cells + b->n++;
	for (uint32_t c = 0; c < columns; c++, to += w->stride)
		*to = cells[c];
	w->waiting += kind != KST_launch;
	/* A row that does not fit into the tail is written as a chunk, with
	 * all rows before it. */
	return !w->tail || kst_tail_row(w->tail, kind, cells) ||
	       kst_writer_flush_all(w);
}

/* Shapes and launches get their numbers. */

static uint64_t kst_writer_mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0xff51afd7ed558ccdu;
	return h ^ h >> 32;
}

static uint64_t kst_writer_shape_hash(const struct kst_shape *s)
{
	uint64_t words[sizeof *s / 8], h = 0;
	memcpy(words, s, sizeof words);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		h = kst_writer_mix(h, words[i]);
	return h;
}

static bool kst_writer_same(const struct kst_shape *a,
	const struct kst_shape *b)
{
	uint64_t x[sizeof *a / 8], y[sizeof *b / 8], differ = 0;
	memcpy(x, a, sizeof x);
	memcpy(y, b, sizeof y);
	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		differ |= x[i] ^ y[i];
	return !differ;
}

/* The slot this shape is in, or the free one it belongs in. */
static uint32_t *kst_writer_shape_slot(const struct kst_intern *in,
	const struct kst_shape *s)
{
	uint32_t mask = in->shape_slots_cap - 1;
	uint32_t i = (uint32_t)kst_writer_shape_hash(s) & mask;
	while (in->shape_slots[i] &&
		!kst_writer_same(&in->shapes[in->shape_slots[i] - 1], s))
		i = (i + 1) & mask;
	return &in->shape_slots[i];
}

static bool kst_writer_shapes_grow(struct kst_intern *in)
{
	uint32_t cap = in->shapes_cap ? in->shapes_cap * 2 : 256;
	if (cap > UINT32_MAX / 4)
		return false;
	uint32_t *slots = kst_grow(in->memory, NULL, cap * 2 * sizeof *slots);
	struct kst_shape *shapes =
		slots ? kst_grow(in->memory, in->shapes, cap * sizeof *shapes)
		      : NULL;
	if (!shapes) {
		kst_drop(in->memory, slots);
		return false;
	}
	memset(slots, 0, cap * 2 * sizeof *slots);
	kst_drop(in->memory, in->shape_slots);
	in->shapes = shapes;
	in->shape_slots = slots;
	in->shapes_cap = cap;
	in->shape_slots_cap = cap * 2;
	for (uint32_t i = 0; i < in->shapes_n; i++)
		*kst_writer_shape_slot(in, &shapes[i]) = i + 1;
	return true;
}

/* The id of a shape, from 1; -1 if there is no memory. */
static int64_t kst_writer_intern_shape(struct kst_intern *in,
	const struct kst_shape *s)
{
	if (in->shapes_n == in->shapes_cap && !kst_writer_shapes_grow(in))
		return -1;
	uint32_t *slot = kst_writer_shape_slot(in, s);
	if (!*slot) {
		in->shapes[in->shapes_n] = *s;
		*slot = ++in->shapes_n;
	}
	return *slot;
}

static struct kst_pair *kst_writer_pair_slot(const struct kst_intern *in,
	uint64_t name, uint64_t shape)
{
	uint32_t mask = in->pairs_cap - 1;
	uint32_t i =
		(uint32_t)kst_writer_mix(kst_writer_mix(0, name), shape) & mask;
	while (in->pairs[i].id &&
		(in->pairs[i].name != name || in->pairs[i].shape != shape))
		i = (i + 1) & mask;
	return &in->pairs[i];
}

/* Makes room for one more pair. */
static bool kst_writer_pairs_room(struct kst_intern *in)
{
	if (in->pairs_n < in->pairs_cap / 2)
		return true;
	if (in->pairs_n >= KST_LAUNCHES_MAX) {
		memset(in->pairs, 0, in->pairs_cap * sizeof *in->pairs);
		in->pairs_n = 0;
		return true;
	}
	uint32_t cap = in->pairs_cap ? in->pairs_cap * 2 : 512;
	struct kst_pair *old = in->pairs;
	uint32_t old_cap = in->pairs_cap;
	in->pairs = kst_grow(in->memory, NULL, cap * sizeof *in->pairs);
	if (!in->pairs) {
		in->pairs = old;
		return false;
	}
	memset(in->pairs, 0, cap * sizeof *in->pairs);
	in->pairs_cap = cap;
	for (uint32_t i = 0; i < old_cap; i++)
		if (old[i].id)
			*kst_writer_pair_slot(in, old[i].name, old[i].shape) =
				old[i];
	kst_drop(in->memory, old);
	return true;
}

/* The id of a launch, from 1. *added is whether the launch is new. -1 if there
 * is no memory. */
static int64_t kst_writer_intern_launch(struct kst_intern *in, uint64_t name,
	uint64_t shape, bool *added)
{
	*added = false;
	if (!kst_writer_pairs_room(in))
		return -1;
	struct kst_pair *p = kst_writer_pair_slot(in, name, shape);
	if (!p->id) {
		*p = (struct kst_pair){ name, shape, ++in->launches };
		in->pairs_n++;
		*added = true;
	}
	return (int64_t)p->id;
}

static bool kst_writer_fail(struct kst_writer *w, bool ok)
{
	w->failed |= !ok;
	return ok;
}

/* The capture's own description: number, length, bytes; repeated. */
static bool kst_writer_about_write(struct kst_writer *w,
	const struct kst_about *about)
{
	struct kst_emit *e = &w->emit;
	struct kst_head h = { .kind = KST_about };
	if (!kst_writer_emit_room(e, sizeof *about + 64 * KST_CELL_MAX))
		return false;
	uint8_t *to = e->raw;
#define TEXT(number, field, bytes, what)                              \
	{                                                             \
		size_t len = strnlen(about->field, bytes - 1);        \
		to = kst_varint_put(kst_varint_put(to, number), len); \
		memcpy(to, about->field, len);                        \
		to += len;                                            \
	}
#define NUMBER(number, field, absent, what)                                    \
	{                                                                      \
		uint8_t v[KST_CELL_MAX];                                       \
		size_t len =                                                   \
			(size_t)(kst_varint_put(v, kst_zigzag(about->field)) - \
				 v);                                           \
		to = kst_varint_put(kst_varint_put(to, number), len);          \
		memcpy(to, v, len);                                            \
		to += len;                                                     \
	}
	KST_ABOUT(TEXT, NUMBER)
#undef TEXT
#undef NUMBER
	h.raw_len = (uint32_t)(to - e->raw);
	return kst_writer_emit_chunk(e, &h);
}

static void *kst_writer_zstd_alloc(void *memory, size_t bytes)
{
	return kst_grow(memory, NULL, bytes);
}

static void kst_writer_zstd_free(void *memory, void *p)
{
	if (p)
		kst_drop(memory, p);
}

/* A writer that has written nothing; NULL if there is no memory. */
static struct kst_writer *kst_writer_open(kst_write_fn *write, void *ctx,
	const struct kst_options *options)
{
	struct kst_options o = options ? *options : (struct kst_options){ 0 };
	struct kst_memory m = o.memory ? *o.memory : (struct kst_memory){ 0 };
	struct kst_writer *w = kst_grow(&m, NULL, sizeof *w);
	if (!w)
		return NULL;
	memset(w, 0, sizeof *w);
	w->memory = m;
	w->rows = o.rows && o.rows <= KST_ROWS_MAX ? o.rows : ROWS;
	w->stride = w->rows + APART;
	w->tail = o.tail;
	w->intern.memory = w->emit.memory = &w->memory;
	for (int kind = 0; kind < KST_KINDS_END; kind++) {
		const struct kst_kind_info *k = kst_kind_info(kind);
		w->columns[kind] = (uint8_t)(k ? k->n : 0);
		w->shape[kind] = k ? kst_column_of(k, KST_SHAPE) : -1;
		w->named[kind] = k ? kst_column_of(k, KST_NAME) : -1;
	}
	w->emit.write = write;
	w->emit.ctx = ctx;
	w->emit.zstd = ZSTD_createCCtx_advanced((ZSTD_customMem){
		kst_writer_zstd_alloc, kst_writer_zstd_free, &w->memory });
	if (!w->emit.zstd) {
		kst_writer_free(w);
		return NULL;
	}
	ZSTD_CCtx_setParameter(w->emit.zstd, ZSTD_c_compressionLevel,
		o.level ? o.level : LEVEL);
	return w;
}

struct kst_writer *kst_writer_new(const struct kst_about *about,
	kst_write_fn *write, void *ctx, const struct kst_options *options)
{
	struct kst_writer *w = kst_writer_open(write, ctx, options);
	uint8_t opening[KST_OPENING];
	if (!w)
		return NULL;
	kst_opening_put(opening);
	if (kst_writer_emit_bytes(&w->emit, opening, sizeof opening) &&
		kst_writer_about_write(w, about)) {
		kst_writer_placed(w);
		return w;
	}
	kst_writer_free(w);
	return NULL;
}

struct kst_writer *kst_writer_resume(const struct kst_place_in *place,
	kst_write_fn *write, void *ctx, const struct kst_options *options)
{
	struct kst_writer *w = kst_writer_open(write, ctx, options);
	if (!w)
		return NULL;
	w->emit.capture = place->capture;
	w->emit.seq = place->seq;
	w->texts_given = (int64_t)place->text - 1;
	return w;
}

int64_t kst_writer_text(struct kst_writer *w, const char *text, size_t len)
{
	if (len == 0)
		return 0;
	if (len > KST_TEXT_MAX)
		return -1;
	if (w->failed || !kst_writer_fail(w, kst_writer_put_text(w, text, len)))
		return -1;
	return w->texts_given;
}

/* The id of the launch with this name and shape, written first if it is new. */
static int64_t kst_writer_launch_of(struct kst_writer *w, uint64_t name,
	uint64_t shape)
{
	static const struct kst_shape none = { { -1, -1, -1 }, { -1, -1, -1 },
		-1, -1 };
	bool added;
	if (name == 0 && shape == 0)
		return 0;
	if (shape > w->intern.shapes_n)
		return -1;
	int64_t id = kst_writer_intern_launch(&w->intern, name, shape, &added);
	if (id < 0 || !added)
		return id;
	const struct kst_shape *s =
		shape ? &w->intern.shapes[shape - 1] : &none;
	struct kst_launch row = { id, (int64_t)name, s->grid[0], s->grid[1],
		s->grid[2], s->block[0], s->block[1], s->block[2], s->registers,
		s->shared_bytes };
	uint64_t cells[sizeof row / 8];
	memcpy(cells, &row, sizeof row);
	return kst_writer_put_row(w, KST_launch, cells) ? id : -1;
}

int64_t kst_writer_shape(struct kst_writer *w, const struct kst_shape *s)
{
	bool given = s->registers != -1 || s->shared_bytes != -1;
	for (int i = 0; i < 3; i++)
		given |= s->grid[i] != -1 || s->block[i] != -1;
	if (!given)
		return 0;
	int64_t id = w->failed ? -1 : kst_writer_intern_shape(&w->intern, s);
	return kst_writer_fail(w, id >= 0) ? id : -1;
}

bool kst_writer_cells(struct kst_writer *w, enum kst_kind kind, uint64_t *cells)
{
	int shape = w->shape[kind];
	if (w->failed)
		return false;
	if (shape >= 0) {
		int64_t launch = kst_writer_launch_of(w, cells[w->named[kind]],
			cells[shape]);
		if (!kst_writer_fail(w, launch >= 0))
			return false;
		cells[shape] = (uint64_t)launch;
	}
	return kst_writer_fail(w, kst_writer_put_row(w, (int)kind, cells));
}

bool kst_writer_row(struct kst_writer *w, enum kst_kind kind, const void *row)
{
	uint64_t cells[KST_COLUMNS_MAX];
	memcpy(cells, row, kst_kind_info((int)kind)->n * sizeof *cells);
	return kst_writer_cells(w, kind, cells);
}

bool kst_writer_flush(struct kst_writer *w)
{
	return !w->failed && kst_writer_fail(w, kst_writer_flush_all(w));
}

bool kst_writer_end(struct kst_writer *w)
{
	struct kst_head h = { .kind = KST_end };
	return kst_writer_flush(w) &&
	       kst_writer_fail(w, kst_writer_emit_room(&w->emit, 1) &&
					  kst_writer_emit_chunk(&w->emit, &h));
}

uint64_t kst_writer_waiting(const struct kst_writer *w)
{
	return w->waiting;
}

uint64_t kst_writer_bytes(const struct kst_writer *w, int kind)
{
	return w->emit.bytes[kind];
}

void kst_writer_free(struct kst_writer *w)
{
	if (!w)
		return;
	struct kst_memory m = w->memory;
	for (int kind = 0; kind < KST_KINDS_END; kind++)
		kst_drop(&m, w->blocks[kind].cells);
	kst_drop(&m, w->texts);
	kst_drop(&m, w->lens);
	kst_drop(&m, w->intern.shapes);
	kst_drop(&m, w->intern.shape_slots);
	kst_drop(&m, w->intern.pairs);
	ZSTD_freeCCtx(w->emit.zstd);
	kst_drop(&m, w->emit.raw);
	kst_drop(&m, w->emit.packed);
	kst_drop(&m, w->emit.differences);
	kst_drop(&m, w);
}
