/* kst_reader.c - chunks in their order, and what is left out counted. */
#include <kernsift/kst_reader.h>
#include "kst_reader_state.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CEILING = 256 << 20 };

void kst_damage_add(struct kst_reader *r, uint64_t *count, uint64_t n,
	const char *fmt, ...)
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
		r->memory = kst_pool_memory(&r->pool);
	}
	r->in = (struct kst_input){ .read = read,
		.ctx = ctx,
		.memory = &r->memory };
	r->only = UINT64_MAX;
	r->zstd = ZSTD_createDCtx();
	if (r->zstd && kst_tables_init(&r->tables, &r->memory))
		return r;
	kst_reader_free(r);
	return NULL;
}

void kst_reader_only(struct kst_reader *r, uint64_t kinds)
{
	r->only = kinds;
}

static enum kst_got of_input(enum kst_input_got got)
{
	return got == KST_INPUT_STOPPED ? KST_STOPPED
	       : got == KST_INPUT_FULL	? KST_FULL
					: KST_END;
}

/* The first bytes. KST_END: they are as they should be. */
static enum kst_got open_file(struct kst_reader *r)
{
	uint16_t major, minor;
	bool good;
	enum kst_input_got got = kst_input_need(&r->in, KST_OPENING);
	if (got == KST_INPUT_STOPPED || got == KST_INPUT_FULL)
		return of_input(got);
	if (got == KST_INPUT_END ||
		!kst_opening_get(r->in.bytes + r->in.at, &major, &minor, &good))
		return KST_FOREIGN;
	r->opened = true;
	kst_input_pass(&r->in, KST_OPENING);
	if (!good) {
		kst_damage_add(r, &r->damage.damaged, 1, "the first 16 bytes");
		r->major = KST_MAJOR;
		return KST_END;
	}
	r->major = major;
	r->minor = minor;
	return major == KST_MAJOR  ? KST_END
	       : major > KST_MAJOR ? KST_NEWER
				   : KST_FOREIGN;
}

/* Passes over all that is left. */
static enum kst_got drain(struct kst_reader *r)
{
	enum kst_input_got got;
	while ((got = kst_input_need(&r->in, 1)) == KST_INPUT_CHUNK) {
		size_t n = r->in.end - r->in.at;
		r->damage.behind += n;
		kst_input_pass(&r->in, n);
	}
	return of_input(got);
}

/* Whether a chunk is the next of this capture, or a later one; what that
 * leaves out is counted. */
static bool in_order(struct kst_reader *r, const struct kst_head *h)
{
	if (!r->any)
		r->capture = h->capture;
	r->any = true;
	if (h->capture != r->capture) {
		kst_damage_add(r, &r->damage.damaged, 1,
			"chunk %u of another capture", h->seq);
		return false;
	}
	if (h->seq < r->next) {
		kst_damage_add(r, &r->damage.repeated, 1, "chunk %u again",
			h->seq);
		return false;
	}
	uint64_t gap = h->seq - r->next;
	uint64_t missing = gap > r->stretches ? gap - r->stretches : 0;
	if (missing)
		kst_damage_add(r, &r->damage.missing, missing,
			"chunk %u is missing", r->next);
	r->stretches = 0;
	r->next = h->seq + 1;
	return true;
}

static void stretch(struct kst_reader *r)
{
	if (r->in.skipped == 0)
		return;
	r->stretches++;
	kst_damage_add(r, &r->damage.damaged, 1, "%llu bytes at byte %llu",
		(unsigned long long)r->in.skipped,
		(unsigned long long)r->in.skipped_at);
}

/* The end of the bytes, or of this capture in them. */
static enum kst_got finish(struct kst_reader *r)
{
	r->damage.cut = !r->ended;
	r->ended = true;
	return drain(r);
}

enum kst_got kst_reader_next(struct kst_reader *r, struct kst_chunk *chunk)
{
	enum kst_got got = r->opened ? KST_END : open_file(r);
	struct kst_head h;
	const uint8_t *payload;
	while (got == KST_END && !r->ended) {
		enum kst_input_got in = kst_input_next(&r->in, &h, &payload);
		if (in == KST_INPUT_STOPPED || in == KST_INPUT_FULL)
			return of_input(in);
		stretch(r);
		if (in == KST_INPUT_END)
			return finish(r);
		bool again = h.capture == r->capture && r->next == 1;
		if (h.kind == KST_about && r->any && !again) {
			r->damage.behind += KST_HEAD + h.payload_len;
			return finish(r);
		}
		if (in_order(r, &h))
			got = kst_take(r, &h, payload, chunk);
		if (got == KST_END && r->ended)
			return drain(r);
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

int64_t kst_reader_shapes(const struct kst_reader *r)
{
	return (int64_t)r->tables.launches_n;
}

void kst_reader_free(struct kst_reader *r)
{
	if (!r)
		return;
	struct kst_memory first = r->memory;
	kst_tables_release(&r->tables);
	kst_input_release(&r->in);
	kst_drop(&first, r->raw);
	kst_drop(&first, r->cells);
	ZSTD_freeDCtx(r->zstd);
	/* The reader itself lies where it was taken, not in its own pool. */
	struct kst_memory own =
		r->pool.ceiling ? (struct kst_memory){ 0 } : first;
	kst_drop(&own, r);
}
