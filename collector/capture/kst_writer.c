/* kst_writer.c - rows into blocks, blocks into chunks, names before both. */
#include <kernsift/kst_writer.h>
#include "kst_gather.h"
#include "kst_intern.h"
#include <string.h>

struct kst_writer {
	struct kst_gather gather;
	struct kst_intern intern;
	int shape[KST_KINDS_END], named[KST_KINDS_END]; /* columns, or -1 */
	bool failed;
};

static bool fail(struct kst_writer *w, bool ok)
{
	w->failed |= !ok;
	return ok;
}

/* What the capture tells of itself: number, length, bytes; again and again. */
static bool about_write(struct kst_writer *w, const struct kst_about *about)
{
	struct kst_emit *e = &w->gather.emit;
	struct kst_head h = { .kind = KST_about };
	if (!kst_emit_room(e, sizeof *about + 64 * KST_CELL_MAX))
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
	return kst_emit_chunk(e, &h);
}

struct kst_writer *kst_writer_new(const struct kst_about *about,
	kst_write_fn *write, void *ctx, const struct kst_options *options)
{
	struct kst_memory m = options && options->memory
				      ? *options->memory
				      : (struct kst_memory){ 0 };
	struct kst_writer *w = kst_grow(&m, NULL, sizeof *w);
	uint8_t opening[KST_OPENING];
	if (!w)
		return NULL;
	memset(w, 0, sizeof *w);
	w->intern.memory = &w->gather.memory;
	for (int kind = 0; kind < KST_KINDS_END; kind++) {
		const struct kst_kind_info *k = kst_kind_info(kind);
		w->shape[kind] = k ? kst_column_of(k, KST_SHAPE) : -1;
		w->named[kind] = k ? kst_column_of(k, KST_NAME) : -1;
	}
	kst_opening_put(opening);
	if (kst_gather_init(&w->gather, write, ctx, options) &&
		kst_emit_bytes(&w->gather.emit, opening, sizeof opening) &&
		about_write(w, about)) {
		kst_gather_placed(&w->gather);
		return w;
	}
	kst_writer_free(w);
	return NULL;
}

int64_t kst_writer_text(struct kst_writer *w, const char *text, size_t len)
{
	if (len == 0)
		return 0;
	if (len > KST_TEXT_MAX)
		return -1;
	if (w->failed || !fail(w, kst_gather_text(&w->gather, text, len)))
		return -1;
	return w->gather.texts_given;
}

/* The id of the launch with this name and shape, told where it is new. */
static int64_t launch_of(struct kst_writer *w, uint64_t name, uint64_t shape)
{
	static const struct kst_shape none = { { -1, -1, -1 }, { -1, -1, -1 },
		-1, -1 };
	bool added;
	if (name == 0 && shape == 0)
		return 0;
	if (shape > w->intern.shapes_n)
		return -1;
	int64_t id = kst_intern_launch(&w->intern, name, shape, &added);
	if (id < 0 || !added)
		return id;
	const struct kst_shape *s =
		shape ? &w->intern.shapes[shape - 1] : &none;
	struct kst_launch row = { id, (int64_t)name, s->grid[0], s->grid[1],
		s->grid[2], s->block[0], s->block[1], s->block[2], s->registers,
		s->shared_bytes };
	uint64_t cells[sizeof row / 8];
	memcpy(cells, &row, sizeof row);
	return kst_gather_row(&w->gather, KST_launch, cells) ? id : -1;
}

int64_t kst_writer_shape(struct kst_writer *w, const struct kst_shape *s)
{
	bool told = s->registers != -1 || s->shared_bytes != -1;
	for (int i = 0; i < 3; i++)
		told |= s->grid[i] != -1 || s->block[i] != -1;
	if (!told)
		return 0;
	int64_t id = w->failed ? -1 : kst_intern_shape(&w->intern, s);
	return fail(w, id >= 0) ? id : -1;
}

bool kst_writer_cells(struct kst_writer *w, enum kst_kind kind, uint64_t *cells)
{
	int shape = w->shape[kind];
	if (w->failed)
		return false;
	if (shape >= 0) {
		int64_t launch =
			launch_of(w, cells[w->named[kind]], cells[shape]);
		if (!fail(w, launch >= 0))
			return false;
		cells[shape] = (uint64_t)launch;
	}
	return fail(w, kst_gather_row(&w->gather, (int)kind, cells));
}

bool kst_writer_row(struct kst_writer *w, enum kst_kind kind, const void *row)
{
	uint64_t cells[KST_COLUMNS_MAX];
	memcpy(cells, row, kst_kind_info((int)kind)->n * sizeof *cells);
	return kst_writer_cells(w, kind, cells);
}

bool kst_writer_flush(struct kst_writer *w)
{
	return !w->failed && fail(w, kst_gather_flush(&w->gather));
}

bool kst_writer_end(struct kst_writer *w)
{
	return !w->failed && fail(w, kst_gather_end(&w->gather));
}

uint64_t kst_writer_waiting(const struct kst_writer *w)
{
	return w->gather.waiting;
}

uint64_t kst_writer_bytes(const struct kst_writer *w, int kind)
{
	return w->gather.emit.bytes[kind];
}

void kst_writer_free(struct kst_writer *w)
{
	if (!w)
		return;
	struct kst_memory m = w->gather.memory;
	kst_intern_release(&w->intern);
	kst_gather_release(&w->gather);
	kst_drop(&m, w);
}
