/* kst_gather.c - gathers rows and texts in blocks and writes each block as a chunk. */
#include "kst_gather.h"
#include <string.h>

enum {
	PACK_FROM = 64, /* a shorter payload is written as it is */
	BLOCK_FROM = 512, /* less is not worth a table of its own, to zstd */
	TRY_FROM = 128, /* nor, rows, to be packed twice */
	/* chunks of a kind; those between are packed the same way */
	TRY_EVERY = 8,
	PLACE_MAX = 4 + 5,
};

static bool kst_gather_room(struct kst_emit *e, uint8_t **at, size_t *cap,
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

bool kst_emit_room(struct kst_emit *e, size_t bytes)
{
	return kst_gather_room(e, &e->raw, &e->raw_cap, bytes);
}

bool kst_emit_bytes(struct kst_emit *e, const void *bytes, size_t len)
{
	e->bytes[0] += len;
	return e->write(e->ctx, bytes, len);
}

/* Packs e->raw: a block ends at the latest at one of e->cuts. The data on
 * the two sides of a cut are of different kinds. */
static size_t kst_gather_pack(struct kst_emit *e, size_t len)
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

/* The payload as it is written: packed if that is shorter. */
static const uint8_t *kst_gather_payload(struct kst_emit *e, struct kst_head *h)
{
	h->codec = KST_CODEC_NONE;
	h->payload_len = h->raw_len;
	if (h->raw_len < PACK_FROM)
		return e->raw;
	/* A cut costs a block's head of at most three bytes. */
	if (!kst_gather_room(e, &e->packed, &e->packed_cap,
		    ZSTD_compressBound(h->raw_len) + 3 * e->cuts_n + 64))
		return NULL;
	size_t n = kst_gather_pack(e, h->raw_len);
	if (n == 0 || n >= h->raw_len)
		return e->raw;
	h->codec = KST_CODEC_ZSTD;
	h->payload_len = (uint32_t)n;
	return e->packed;
}

bool kst_emit_chunk(struct kst_emit *e, struct kst_head *h)
{
	uint8_t head[KST_HEAD];
	const uint8_t *bytes = kst_gather_payload(e, h);
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
	return kst_emit_bytes(e, head, sizeof head) &&
	       kst_emit_bytes(e, bytes, h->payload_len);
}

/* The column an expectation looks at; -1 none. */
static int kst_gather_other_of(const struct kst_kind_info *k, uint32_t column)
{
	enum kst_expected x = k->columns[column].expected;
	return x == KST_AFTER  ? 2
	       : x == KST_LIKE ? kst_column_of(k, KST_SHAPE)
			       : -1;
}

/* The order of the columns in a chunk: first those that other columns read,
 * so those of shapes, then durations, then the rest. */
static uint32_t kst_gather_order(const struct kst_kind_info *k,
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
static void kst_gather_times(const struct kst_kind_info *k,
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

/* The packed size of some bytes; their own size if packing fails. */
static size_t kst_gather_tried(struct kst_emit *e, const uint8_t *at,
	size_t len)
{
	size_t n = ZSTD_compress2(e->zstd, e->packed, e->packed_cap, at, len);
	return ZSTD_isError(n) ? len : n;
}

/* Whether times of `rows` rows are smaller if split; they are at `at` as
 * varints, and at `split` split. */
static bool kst_gather_split_better(struct kst_emit *e, const uint8_t *at,
	size_t len, const uint8_t *split, size_t split_len, uint32_t rows)
{
	size_t apart = kst_gather_tried(e, split, rows) +
		       kst_gather_tried(e, split + rows, rows) +
		       kst_gather_tried(e, split + 2 * (size_t)rows,
			       split_len - 2 * (size_t)rows);
	return apart < kst_gather_tried(e, at, len);
}

static void kst_gather_cut(struct kst_emit *e, const uint8_t *at)
{
	e->cuts[e->cuts_n++] = (size_t)(at - e->raw);
}

/* Times of a column, split or not, the way it got smallest when that was
 * tried last. Behind the last byte. */
static uint8_t *kst_gather_times_put(struct kst_emit *e, uint8_t *to,
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
		if (!kst_gather_split_better(e, to, (size_t)(end - to), from,
			    len, n))
			return end;
		*split |= bit;
		memmove(to, from, len);
	}
	*packing = KST_SPLIT;
	kst_gather_cut(e, to + n);
	kst_gather_cut(e, to + 2 * (size_t)n);
	return to + len;
}

static bool kst_gather_constant(const uint64_t *cells, uint32_t n)
{
	uint32_t i = 1;
	while (i < n && cells[i] == cells[0])
		i++;
	return i >= n;
}

/* Packs a column the smallest way; returns the place after its last byte. */
static uint8_t *kst_gather_column_put(struct kst_emit *e, uint8_t *to,
	const uint64_t *cells, const uint64_t *other, uint32_t n,
	enum kst_kind kind, struct kst_place *p)
{
	const struct kst_column_info *c =
		&kst_kind_info((int)kind)->columns[p->column];
	enum kst_expected x = c->expected;
	/* Ids that nobody gave: nothing alone, all the same. */
	if (x == KST_BEFORE && kst_gather_constant(cells, n))
		x = KST_ALONE;
	p->expected = (uint8_t)x;
	p->packing = KST_SAME;
	if (kst_cells_differ(e->differences, cells, other, n, x, &e->like))
		return kst_cells_pack(to, e->differences, n, KST_SAME);
	p->packing = c->type == KST_REAL ? KST_PLANES : KST_VARINT;
	if (n >= TRY_FROM && (x == KST_AFTER || x == KST_LIKE))
		return kst_gather_times_put(e, to, n, e->untried[kind] == 0,
			&e->split[kind], UINT32_C(1) << p->column, &p->packing);
	return kst_cells_pack(to, e->differences, n, p->packing);
}

static bool kst_emit_rows(struct kst_emit *e, enum kst_kind kind,
	const uint64_t *cells, uint32_t stride, uint32_t n)
{
	const struct kst_kind_info *k = kst_kind_info((int)kind);
	struct kst_head h = { .kind = (uint8_t)kind, .rows = n };
	uint8_t column[KST_COLUMNS_MAX], list[1 + KST_COLUMNS_MAX * PLACE_MAX];
	uint32_t columns = kst_gather_order(k, column);
	size_t column_max = (size_t)n * KST_CELL_MAX;
	/* One more for what is tried. */
	if (!kst_emit_room(e, sizeof list + (columns + 1) * column_max) ||
		!kst_gather_room(e, &e->packed, &e->packed_cap,
			ZSTD_compressBound(column_max)) ||
		!kst_gather_room(e, (uint8_t **)&e->differences,
			&e->differences_cap, n * sizeof *e->differences))
		return false;
	/* The cells first, then the bytes that describe them are put before. */
	uint8_t *body = e->raw + sizeof list, *to = body, *at = list;
	*at++ = (uint8_t)columns;
	for (uint32_t i = 0; i < columns; i++) {
		uint8_t c = column[i], *from = to;
		struct kst_place p = { .column = c };
		int other = kst_gather_other_of(k, c);
		to = kst_gather_column_put(e, to, cells + (size_t)c * stride,
			other < 0 ? NULL : cells + (size_t)other * stride, n,
			kind, &p);
		kst_gather_cut(e, to);
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
	kst_gather_times(k, cells, stride, n, &h);
	return kst_emit_chunk(e, &h);
}

/* Rows: the cells of column c are at cells + c * stride. */
static void kst_emit_release(struct kst_emit *e)
{
	ZSTD_freeCCtx(e->zstd);
	kst_drop(e->memory, e->raw);
	kst_drop(e->memory, e->packed);
	kst_drop(e->memory, e->differences);
}

/* The columns of a block are a little more than a power of two apart;
 * otherwise all cells of a row would compete for the same place in the
 * cache. */
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

static void *kst_gather_zstd_alloc(void *memory, size_t bytes)
{
	return kst_grow(memory, NULL, bytes);
}

static void kst_gather_zstd_free(void *memory, void *p)
{
	if (p)
		kst_drop(memory, p);
}

bool kst_gather_init(struct kst_gather *g, kst_write_fn *write, void *ctx,
	const struct kst_options *options)
{
	struct kst_options o = options ? *options : (struct kst_options){ 0 };
	memset(g, 0, sizeof *g);
	if (o.memory)
		g->memory = *o.memory;
	g->rows = o.rows && o.rows <= KST_ROWS_MAX ? o.rows : ROWS;
	g->stride = g->rows + APART;
	g->tail = o.tail;
	for (int kind = 0; kind < KST_KINDS_END; kind++) {
		const struct kst_kind_info *k = kst_kind_info(kind);
		g->columns[kind] = (uint8_t)(k ? k->n : 0);
	}
	g->emit.memory = &g->memory;
	g->emit.write = write;
	g->emit.ctx = ctx;
	g->emit.zstd = ZSTD_createCCtx_advanced((ZSTD_customMem){
		kst_gather_zstd_alloc, kst_gather_zstd_free, &g->memory });
	if (!g->emit.zstd)
		return false;
	ZSTD_CCtx_setParameter(g->emit.zstd, ZSTD_c_compressionLevel,
		o.level ? o.level : LEVEL);
	return true;
}

/* A chunk of texts: the first one's id, how many, their lengths, their
 * bytes. */
static bool kst_gather_texts_write(struct kst_gather *g)
{
	struct kst_head h = { .kind = KST_text, .rows = g->texts_n };
	if (g->texts_n == 0)
		return true;
	if (!kst_emit_room(&g->emit,
		    g->texts_len + ((size_t)g->texts_n + 2) * KST_CELL_MAX))
		return false;
	uint8_t *to = kst_varint_put(g->emit.raw,
		(uint64_t)(g->texts_given - g->texts_n + 1));
	for (uint32_t i = 0; i < g->texts_n; i++)
		to = kst_varint_put(to, g->lens[i]);
	memcpy(to, g->texts, g->texts_len);
	h.raw_len = (uint32_t)((size_t)(to - g->emit.raw) + g->texts_len);
	g->texts_n = 0;
	g->texts_len = 0;
	return kst_emit_chunk(&g->emit, &h);
}

static bool kst_gather_texts_room(struct kst_gather *g, size_t len)
{
	if (!g->lens && !(g->lens = kst_grow(&g->memory, NULL,
				  TEXTS_MAX * sizeof *g->lens)))
		return false;
	if (g->texts_n == TEXTS_MAX ||
		(g->texts_n && g->texts_len + len > TEXTS_RAW))
		if (!kst_gather_texts_write(g))
			return false;
	size_t want = g->texts_len + len;
	if (want <= g->texts_cap)
		return true;
	size_t cap = want < TEXTS_RAW ? TEXTS_RAW : want;
	uint8_t *p = kst_grow(&g->memory, g->texts, cap);
	if (!p)
		return false;
	g->texts = p;
	g->texts_cap = cap;
	return true;
}

bool kst_gather_text(struct kst_gather *g, const char *text, size_t len)
{
	if (!kst_gather_texts_room(g, len))
		return false;
	memcpy(g->texts + g->texts_len, text, len);
	g->texts_len += len;
	g->lens[g->texts_n++] = (uint32_t)len;
	g->texts_given++;
	return !g->tail || kst_tail_text(g->tail, text, len) ||
	       kst_gather_flush(g);
}

static bool kst_gather_block_write(struct kst_gather *g, int kind)
{
	struct kst_block *b = &g->blocks[kind];
	uint32_t n = b->n;
	if (n == 0)
		return true;
	if (!kst_emit_rows(&g->emit, (enum kst_kind)kind, b->cells, g->stride,
		    n))
		return false;
	b->n = 0;
	g->waiting -= kind == KST_launch ? 0 : n;
	return true;
}

/* Writes what rows name, then the rows. */
static bool kst_gather_block_flush(struct kst_gather *g, int kind)
{
	return kst_gather_texts_write(g) &&
	       kst_gather_block_write(g, KST_launch) &&
	       kst_gather_block_write(g, kind);
}

bool kst_gather_row(struct kst_gather *g, int kind, const uint64_t *cells)
{
	uint32_t columns = g->columns[kind];
	struct kst_block *b = &g->blocks[kind];
	if (!b->cells &&
		!(b->cells = kst_grow(&g->memory, NULL,
			  (size_t)columns * g->stride * sizeof *b->cells)))
		return false;
	if (b->n == g->rows && !kst_gather_block_flush(g, kind))
		return false;
	uint64_t *to = b->cells + b->n++;
	for (uint32_t c = 0; c < columns; c++, to += g->stride)
		*to = cells[c];
	g->waiting += kind != KST_launch;
	/* What does not fit into the tail is written with everything before
	 * it. */
	return !g->tail || kst_tail_row(g->tail, kind, cells) ||
	       kst_gather_flush(g);
}

void kst_gather_placed(struct kst_gather *g)
{
	struct kst_place_in place = { g->emit.capture, g->emit.seq,
		(uint64_t)g->texts_given + 1 };
	if (g->tail)
		kst_tail_empty(g->tail, &place);
}

bool kst_gather_flush(struct kst_gather *g)
{
	bool ok = true;
	for (int kind = 0; kind < KST_KINDS_END && ok; kind++)
		if (kind != KST_launch)
			ok = kst_gather_block_flush(g, kind);
	if (ok)
		kst_gather_placed(g);
	return ok;
}

bool kst_gather_end(struct kst_gather *g)
{
	struct kst_head h = { .kind = KST_end };
	return kst_gather_flush(g) && kst_emit_room(&g->emit, 1) &&
	       kst_emit_chunk(&g->emit, &h);
}

void kst_gather_release(struct kst_gather *g)
{
	for (int kind = 0; kind < KST_KINDS_END; kind++)
		kst_drop(&g->memory, g->blocks[kind].cells);
	kst_drop(&g->memory, g->texts);
	kst_drop(&g->memory, g->lens);
	kst_emit_release(&g->emit);
}
