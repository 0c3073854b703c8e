/* kst_emit.c - columns into a payload, a payload into a chunk. */
#include "kst_emit.h"
#include <string.h>

enum {
	PACK_FROM = 64, /* a payload shorter than that goes out as it is */
	BLOCK_FROM = 512, /* less is not worth a table of its own, to zstd */
	TRY_FROM = 128, /* nor, rows, to be packed twice */
	TRY_EVERY = 8, /* chunks of a kind; those between are packed alike */
	PLACE_MAX = 4 + 5,
};

static bool room(struct kst_emit *e, uint8_t **at, size_t *cap, size_t bytes)
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
	return room(e, &e->raw, &e->raw_cap, bytes);
}

bool kst_emit_bytes(struct kst_emit *e, const void *bytes, size_t len)
{
	e->bytes[0] += len;
	return e->write(e->ctx, bytes, len);
}

/* Packs e->raw: a block at least ends where one of e->cuts is. What lies on
 * the two sides of a cut is of different kinds. */
static size_t pack(struct kst_emit *e, size_t len)
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

/* The payload as it goes out: packed where that is shorter. */
static const uint8_t *payload(struct kst_emit *e, struct kst_head *h)
{
	h->codec = KST_CODEC_NONE;
	h->payload_len = h->raw_len;
	if (h->raw_len < PACK_FROM)
		return e->raw;
	/* A cut costs a block's head of three bytes at most. */
	if (!room(e, &e->packed, &e->packed_cap,
		    ZSTD_compressBound(h->raw_len) + 3 * e->cuts_n + 64))
		return NULL;
	size_t n = pack(e, h->raw_len);
	if (n == 0 || n >= h->raw_len)
		return e->raw;
	h->codec = KST_CODEC_ZSTD;
	h->payload_len = (uint32_t)n;
	return e->packed;
}

bool kst_emit_chunk(struct kst_emit *e, struct kst_head *h)
{
	uint8_t head[KST_HEAD];
	const uint8_t *bytes = payload(e, h);
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
static int other_of(const struct kst_kind_info *k, uint32_t column)
{
	enum kst_expected x = k->columns[column].expected;
	return x == KST_AFTER  ? 2
	       : x == KST_LIKE ? kst_column_of(k, KST_SHAPE)
			       : -1;
}

/* The order in which columns lie: one that is looked at comes first, so those
 * of shapes, then durations, then the rest. */
static uint32_t order(const struct kst_kind_info *k,
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
static void times(const struct kst_kind_info *k, const uint64_t *cells,
	uint32_t stride, uint32_t n, struct kst_head *h)
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

/* What is left of some bytes, packed; as many as they are where it fails. */
static size_t tried(struct kst_emit *e, const uint8_t *at, size_t len)
{
	size_t n = ZSTD_compress2(e->zstd, e->packed, e->packed_cap, at, len);
	return ZSTD_isError(n) ? len : n;
}

/* Whether times of `rows` rows are smaller split; they lie at `at` as varints,
 * and behind `split` split. */
static bool split_better(struct kst_emit *e, const uint8_t *at, size_t len,
	const uint8_t *split, size_t split_len, uint32_t rows)
{
	size_t apart = tried(e, split, rows) + tried(e, split + rows, rows) +
		       tried(e, split + 2 * (size_t)rows,
			       split_len - 2 * (size_t)rows);
	return apart < tried(e, at, len);
}

static void cut(struct kst_emit *e, const uint8_t *at)
{
	e->cuts[e->cuts_n++] = (size_t)(at - e->raw);
}

/* Times of a column, split or not, the way it got smallest when that was
 * tried last. Behind the last byte. */
static uint8_t *times_put(struct kst_emit *e, uint8_t *to, uint32_t n,
	bool trial, uint32_t *split, uint32_t bit, uint8_t *packing)
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
		if (!split_better(e, to, (size_t)(end - to), from, len, n))
			return end;
		*split |= bit;
		memmove(to, from, len);
	}
	*packing = KST_SPLIT;
	cut(e, to + n);
	cut(e, to + 2 * (size_t)n);
	return to + len;
}

static bool constant(const uint64_t *cells, uint32_t n)
{
	uint32_t i = 1;
	while (i < n && cells[i] == cells[0])
		i++;
	return i >= n;
}

/* Packs a column the way it gets smallest; behind its last byte. */
static uint8_t *column_put(struct kst_emit *e, uint8_t *to,
	const uint64_t *cells, const uint64_t *other, uint32_t n,
	enum kst_kind kind, struct kst_place *p)
{
	const struct kst_column_info *c =
		&kst_kind_info((int)kind)->columns[p->column];
	enum kst_expected x = c->expected;
	/* Ids that nobody gave: nothing alone, all the same. */
	if (x == KST_BEFORE && constant(cells, n))
		x = KST_ALONE;
	p->expected = (uint8_t)x;
	p->packing = KST_SAME;
	if (kst_cells_differ(e->differences, cells, other, n, x, &e->like))
		return kst_cells_pack(to, e->differences, n, KST_SAME);
	p->packing = c->type == KST_REAL ? KST_PLANES : KST_VARINT;
	if (n >= TRY_FROM && (x == KST_AFTER || x == KST_LIKE))
		return times_put(e, to, n, e->untried[kind] == 0,
			&e->split[kind], UINT32_C(1) << p->column, &p->packing);
	return kst_cells_pack(to, e->differences, n, p->packing);
}

bool kst_emit_rows(struct kst_emit *e, enum kst_kind kind,
	const uint64_t *cells, uint32_t stride, uint32_t n)
{
	const struct kst_kind_info *k = kst_kind_info((int)kind);
	struct kst_head h = { .kind = (uint8_t)kind, .rows = n };
	uint8_t column[KST_COLUMNS_MAX], list[1 + KST_COLUMNS_MAX * PLACE_MAX];
	uint32_t columns = order(k, column);
	size_t column_max = (size_t)n * KST_CELL_MAX;
	/* One more for what is tried. */
	if (!kst_emit_room(e, sizeof list + (columns + 1) * column_max) ||
		!room(e, &e->packed, &e->packed_cap,
			ZSTD_compressBound(column_max)) ||
		!room(e, (uint8_t **)&e->differences, &e->differences_cap,
			n * sizeof *e->differences))
		return false;
	/* The cells first, then what tells of them is put before. */
	uint8_t *body = e->raw + sizeof list, *to = body, *at = list;
	*at++ = (uint8_t)columns;
	for (uint32_t i = 0; i < columns; i++) {
		uint8_t c = column[i], *from = to;
		struct kst_place p = { .column = c };
		int other = other_of(k, c);
		to = column_put(e, to, cells + (size_t)c * stride,
			other < 0 ? NULL : cells + (size_t)other * stride, n,
			kind, &p);
		cut(e, to);
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
	times(k, cells, stride, n, &h);
	return kst_emit_chunk(e, &h);
}

void kst_emit_release(struct kst_emit *e)
{
	ZSTD_freeCCtx(e->zstd);
	kst_drop(e->memory, e->raw);
	kst_drop(e->memory, e->packed);
	kst_drop(e->memory, e->differences);
}
