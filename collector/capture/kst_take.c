/* kst_take.c - what is in a good chunk, kind by kind. */
#include "kst_reader_state.h"
#include <string.h>

/* Grows an array that is written anew for each chunk. */
static bool room(struct kst_reader *r, void **p, size_t *cap, size_t bytes)
{
	if (bytes <= *cap)
		return true;
	kst_drop(&r->memory, *p);
	*cap = 0;
	*p = kst_grow(&r->memory, NULL, bytes);
	*cap = *p ? bytes : 0;
	return *p;
}

const uint8_t *kst_unpack(struct kst_reader *r, const struct kst_head *h,
	const uint8_t *payload, enum kst_got *got)
{
	if (h->raw_len > KST_RAW_MAX)
		return NULL;
	if (h->codec == KST_CODEC_NONE)
		return h->payload_len == h->raw_len ? payload : NULL;
	if (h->codec != KST_CODEC_ZSTD)
		return NULL;
	if (!room(r, (void **)&r->raw, &r->raw_cap, h->raw_len + 1)) {
		*got = KST_FULL;
		return NULL;
	}
	size_t n = ZSTD_decompressDCtx(r->zstd, r->raw, h->raw_len, payload,
		h->payload_len);
	return !ZSTD_isError(n) && n == h->raw_len ? r->raw : NULL;
}

/* Damage inside a chunk whose sums are right: a writer's fault. */
static enum kst_got wrong(struct kst_reader *r, const struct kst_head *h)
{
	const char *name = kst_kind_name(h->kind);
	kst_damage_add(r, &r->damage.damaged, 1, "chunk %u (%s)", h->seq,
		name ? name : "unknown");
	return KST_END;
}

static bool text_get(char *to, size_t room_bytes, const uint8_t *at, size_t len)
{
	if (len >= room_bytes)
		return false;
	memcpy(to, at, len);
	memset(to + len, 0, room_bytes - len);
	return true;
}

static bool number_get(int64_t *to, const uint8_t *at, size_t len)
{
	uint64_t v;
	const uint8_t *behind = kst_varint_get(at, at + len, &v);
	*to = kst_unzigzag(v);
	return behind == at + len;
}

/* One field of the about; false where it is damaged. */
static bool field(struct kst_reader *r, struct kst_about *about,
	uint64_t number, const uint8_t *at, size_t len)
{
	switch (number) {
#define TEXT(n, name, bytes, what) \
	case n:                    \
		return text_get(about->name, bytes, at, len);
#define NUMBER(n, name, absent, what) \
	case n:                       \
		return number_get(&about->name, at, len);
		KST_ABOUT(TEXT, NUMBER)
#undef TEXT
#undef NUMBER
	default:
		kst_damage_add(r, &r->damage.unknown_columns, 1,
			"field %llu of about", (unsigned long long)number);
		return true;
	}
}

static bool about_get(struct kst_reader *r, const uint8_t *at, size_t len)
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
			!field(r, &about, number, at, size))
			return false;
		at += size;
	}
	r->about = about;
	return true;
}

/* A cell that names something not there. */
static void lost(struct kst_reader *r, uint64_t *cell)
{
	*cell = (uint64_t)KST_LOST;
	r->damage.lost++;
}

/* Ids of texts become places. */
static void resolve_texts(struct kst_reader *r, uint64_t *cells, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		int64_t place = kst_ids_place(&r->tables.text_ids, cells[i]);
		if (place < 0)
			lost(r, &cells[i]);
		else
			cells[i] = (uint64_t)place;
	}
}

/* Ids of launches become places of shapes, and names beside them. */
static void resolve_launches(struct kst_reader *r, uint64_t *shapes,
	uint64_t *names, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		int64_t place = kst_ids_place(&r->tables.launch_ids, shapes[i]);
		if (place < 0) {
			names[i] = (uint64_t)KST_LOST;
			lost(r, &shapes[i]);
			continue;
		}
		const struct kst_known *k = &r->tables.launches[place];
		names[i] = (uint64_t)k->name;
		shapes[i] = k->told ? (uint64_t)place : 0;
	}
}

static void resolve(struct kst_reader *r, const struct kst_rows *rows)
{
	const struct kst_kind_info *k = rows->kind;
	int shape = kst_column_of(k, KST_SHAPE);
	for (uint32_t c = 0; c < k->n; c++)
		if (k->columns[c].type == KST_TEXT ||
			k->columns[c].type == KST_JSON)
			resolve_texts(r, rows->cells + (size_t)c * rows->n,
				rows->n);
	if (shape >= 0)
		resolve_launches(r, rows->cells + (size_t)shape * rows->n,
			rows->cells +
				(size_t)kst_column_of(k, KST_NAME) * rows->n,
			rows->n);
}

static enum kst_got defined(struct kst_reader *r, const struct kst_head *h,
	enum kst_defined d)
{
	return d == KST_DEFINED	       ? KST_END
	       : d == KST_DEFINED_FULL ? KST_FULL
				       : wrong(r, h);
}

/* Rows: into cells, and out of them into the table or to the caller. */
static enum kst_got rows_take(struct kst_reader *r, const struct kst_head *h,
	const uint8_t *raw, struct kst_chunk *chunk)
{
	struct kst_rows rows = { kst_kind_info(h->kind), NULL, h->rows, 0 };
	if (h->rows == 0 || h->rows > KST_ROWS_MAX)
		return wrong(r, h);
	if (!room(r, (void **)&r->cells, &r->cells_cap,
		    (size_t)rows.kind->n * h->rows * sizeof *r->cells))
		return KST_FULL;
	rows.cells = r->cells;
	if (!kst_rows_get(&rows, raw, h->raw_len, &r->like))
		return wrong(r, h);
	if (rows.unknown)
		kst_damage_add(r, &r->damage.unknown_columns, rows.unknown,
			"a column of %s", rows.kind->name);
	resolve(r, &rows);
	if (h->kind == KST_launch)
		return defined(r, h,
			kst_tables_launches(&r->tables, r->cells, h->rows));
	for (uint32_t c = 0; c < rows.kind->n; c++)
		r->column[c].i =
			(const int64_t *)(r->cells + (size_t)c * h->rows);
	*chunk = (struct kst_chunk){ (enum kst_kind)h->kind, h->rows, h->seq,
		h->first_ns, h->last_ns, r->column };
	return KST_CHUNK;
}

enum kst_got kst_take(struct kst_reader *r, const struct kst_head *h,
	const uint8_t *payload, struct kst_chunk *chunk)
{
	const struct kst_kind_info *k = kst_kind_info(h->kind);
	enum kst_got got = KST_END;
	if (!k) {
		kst_damage_add(r, &r->damage.unknown_chunks, 1, "kind %d",
			h->kind);
		return KST_END;
	}
	bool rows = k->columns && h->kind != KST_launch;
	if (rows && !(r->only >> h->kind & 1))
		return KST_END;
	const uint8_t *raw = kst_unpack(r, h, payload, &got);
	if (!raw)
		return got == KST_FULL ? got : wrong(r, h);
	if (k->columns)
		return rows_take(r, h, raw, chunk);
	if (h->kind == KST_about)
		return about_get(r, raw, h->raw_len) ? KST_END : wrong(r, h);
	if (h->kind == KST_text)
		return defined(r, h,
			kst_tables_texts(&r->tables, raw, h->raw_len, h->rows));
	r->ended = true;
	return KST_END;
}
