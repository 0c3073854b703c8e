/* kst_gather.c - blocks per kind, texts and launches before what names them. */
#include "kst_gather.h"
#include <string.h>

/* The columns of a block lie a little more than a power of two apart, or all
 * of a row's cells would want the same place in the cache. */
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

static void *zstd_alloc(void *memory, size_t bytes)
{
	return kst_grow(memory, NULL, bytes);
}

static void zstd_free(void *memory, void *p)
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
	g->emit.zstd = ZSTD_createCCtx_advanced(
		(ZSTD_customMem){ zstd_alloc, zstd_free, &g->memory });
	if (!g->emit.zstd)
		return false;
	ZSTD_CCtx_setParameter(g->emit.zstd, ZSTD_c_compressionLevel,
		o.level ? o.level : LEVEL);
	return true;
}

/* A chunk of texts: the first one's id, how many, their lengths, their
 * bytes. */
static bool texts_write(struct kst_gather *g)
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

static bool texts_room(struct kst_gather *g, size_t len)
{
	if (!g->lens && !(g->lens = kst_grow(&g->memory, NULL,
				  TEXTS_MAX * sizeof *g->lens)))
		return false;
	if (g->texts_n == TEXTS_MAX ||
		(g->texts_n && g->texts_len + len > TEXTS_RAW))
		if (!texts_write(g))
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
	if (!texts_room(g, len))
		return false;
	memcpy(g->texts + g->texts_len, text, len);
	g->texts_len += len;
	g->lens[g->texts_n++] = (uint32_t)len;
	g->texts_given++;
	return !g->tail || kst_tail_text(g->tail, text, len) ||
	       kst_gather_flush(g);
}

static bool block_write(struct kst_gather *g, int kind)
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
static bool block_flush(struct kst_gather *g, int kind)
{
	return texts_write(g) && block_write(g, KST_launch) &&
	       block_write(g, kind);
}

bool kst_gather_row(struct kst_gather *g, int kind, const uint64_t *cells)
{
	uint32_t columns = g->columns[kind];
	struct kst_block *b = &g->blocks[kind];
	if (!b->cells &&
		!(b->cells = kst_grow(&g->memory, NULL,
			  (size_t)columns * g->stride * sizeof *b->cells)))
		return false;
	if (b->n == g->rows && !block_flush(g, kind))
		return false;
	uint64_t *to = b->cells + b->n++;
	for (uint32_t c = 0; c < columns; c++, to += g->stride)
		*to = cells[c];
	g->waiting += kind != KST_launch;
	/* What the tail has no room for goes out with all before it. */
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
			ok = block_flush(g, kind);
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
