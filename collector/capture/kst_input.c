/* kst_input.c - reads the stream through a window and searches it for
 * chunks. */
#include "kst_input.h"
#include <string.h>

enum {
	PIECE = 64 << 10,
	PAYLOAD_MAX = KST_RAW_MAX + KST_RAW_MAX / 128 + 1024,
	AGAIN = 32 << 20,
};

/* Moves the remaining bytes to the front and makes room for `len` bytes. */
static bool kst_input_make_room(struct kst_input *in, size_t len)
{
	size_t left = in->end - in->at;
	if (in->at)
		memmove(in->bytes, in->bytes + in->at, left);
	in->at = 0;
	in->end = left;
	if (len <= in->cap)
		return true;
	size_t cap = in->cap ? in->cap : PIECE;
	while (cap < len)
		cap *= 2;
	uint8_t *bytes = kst_grow(in->memory, in->bytes, cap);
	if (!bytes)
		return false;
	in->bytes = bytes;
	in->cap = cap;
	return true;
}

enum kst_input_got kst_input_need(struct kst_input *in, size_t len)
{
	if (in->end - in->at >= len)
		return KST_INPUT_CHUNK;
	if (!in->ended && !kst_input_make_room(in, len < PIECE ? PIECE : len))
		return KST_INPUT_FULL;
	while (!in->ended && in->end - in->at < len) {
		int64_t got = in->read(in->ctx, in->bytes + in->end,
			in->cap - in->end);
		if (got < 0 || (uint64_t)got > in->cap - in->end)
			return KST_INPUT_STOPPED;
		in->ended = got == 0;
		in->end += (size_t)got;
	}
	return in->end - in->at >= len ? KST_INPUT_CHUNK : KST_INPUT_END;
}

void kst_input_pass(struct kst_input *in, size_t n)
{
	in->at += n;
	in->offset += n;
}

/* Skips n bytes and counts them as left out. */
static void kst_input_skip(struct kst_input *in, size_t n)
{
	if (in->skipped == 0)
		in->skipped_at = in->offset;
	in->skipped += n;
	kst_input_pass(in, n);
}

/* Skips this byte and all bytes before the next possible chunk. */
static void kst_input_skip_to_magic(struct kst_input *in)
{
	const uint8_t *from = in->bytes + in->at + 1;
	size_t left = in->end - in->at - 1;
	const uint8_t *p = memmem(from, left, KST_CHUNK_MAGIC, 4);
	size_t keep = in->ended ? 0 : left < 3 ? left : 3;
	kst_input_skip(in, p ? (size_t)(p - from) + 1 : left - keep + 1);
}

/* Checks whether the payload of a good head is complete and correct. */
static enum kst_input_got kst_input_check(struct kst_input *in,
	const struct kst_head *h, bool *good)
{
	enum kst_input_got got = kst_input_need(in, KST_HEAD + h->payload_len);
	*good = got == KST_INPUT_CHUNK &&
		kst_crc(0, in->bytes + in->at + KST_HEAD, h->payload_len) ==
			h->payload_crc;
	return got == KST_INPUT_END ? KST_INPUT_CHUNK : got;
}

/* Continues after a chunk whose payload does not match its head. */
static void kst_input_failed(struct kst_input *in, const struct kst_head *h)
{
	size_t len = KST_HEAD + h->payload_len, left = in->end - in->at;
	in->again += h->payload_len;
	if (in->again <= in->offset + AGAIN)
		kst_input_skip_to_magic(in);
	else
		kst_input_skip(in, len < left ? len : left);
}

enum kst_input_got kst_input_next(struct kst_input *in, struct kst_head *h,
	const uint8_t **payload)
{
	enum kst_input_got got;
	bool good;
	in->skipped = 0;
	while ((got = kst_input_need(in, KST_HEAD)) == KST_INPUT_CHUNK) {
		if (!kst_head_get(in->bytes + in->at, h) ||
			h->payload_len > PAYLOAD_MAX) {
			kst_input_skip_to_magic(in);
			continue;
		}
		got = kst_input_check(in, h, &good);
		if (got != KST_INPUT_CHUNK)
			return got;
		if (good) {
			*payload = in->bytes + in->at + KST_HEAD;
			kst_input_pass(in, KST_HEAD + h->payload_len);
			return KST_INPUT_CHUNK;
		}
		kst_input_failed(in, h);
	}
	if (got == KST_INPUT_END && in->end > in->at)
		kst_input_skip(in, in->end - in->at);
	return got;
}

void kst_input_release(struct kst_input *in)
{
	kst_drop(in->memory, in->bytes);
}
