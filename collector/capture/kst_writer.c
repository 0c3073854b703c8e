/* kst_writer.c - writes a capture file row by row. */
#include "kst_gather.h"
#include "kst_memory.h"
#include "kst_wire.h"
#include <kernsift/kst_writer.h>
#include <string.h>

/* Gives launch shapes and launches small numbers.
 *
 * Shapes are kept for the writer's life, because callers hold their ids. Of
 * launches (a name and a shape) the last KST_LAUNCHES_MAX are known; after
 * that many the table is cleared, and one that comes again gets a new id. */

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

/* The id of a launch, from 1; *added whether it is a new one. -1 if there is
 * no memory. */
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

static void kst_writer_intern_release(struct kst_intern *in)
{
	kst_drop(in->memory, in->shapes);
	kst_drop(in->memory, in->shape_slots);
	kst_drop(in->memory, in->pairs);
	*in = (struct kst_intern){ .memory = in->memory };
}

struct kst_writer {
	struct kst_gather gather;
	struct kst_intern intern;
	int shape[KST_KINDS_END], named[KST_KINDS_END]; /* columns, or -1 */
	bool failed;
};

static bool kst_writer_fail(struct kst_writer *w, bool ok)
{
	w->failed |= !ok;
	return ok;
}

/* The capture's own description: number, length, bytes; repeated. */
static bool kst_writer_about_write(struct kst_writer *w,
	const struct kst_about *about)
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
		kst_writer_about_write(w, about)) {
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
	if (w->failed ||
		!kst_writer_fail(w, kst_gather_text(&w->gather, text, len)))
		return -1;
	return w->gather.texts_given;
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
	return kst_gather_row(&w->gather, KST_launch, cells) ? id : -1;
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
	return kst_writer_fail(w, kst_gather_row(&w->gather, (int)kind, cells));
}

bool kst_writer_row(struct kst_writer *w, enum kst_kind kind, const void *row)
{
	uint64_t cells[KST_COLUMNS_MAX];
	memcpy(cells, row, kst_kind_info((int)kind)->n * sizeof *cells);
	return kst_writer_cells(w, kind, cells);
}

bool kst_writer_flush(struct kst_writer *w)
{
	return !w->failed && kst_writer_fail(w, kst_gather_flush(&w->gather));
}

bool kst_writer_end(struct kst_writer *w)
{
	return !w->failed && kst_writer_fail(w, kst_gather_end(&w->gather));
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
	kst_writer_intern_release(&w->intern);
	kst_gather_release(&w->gather);
	kst_drop(&m, w);
}
