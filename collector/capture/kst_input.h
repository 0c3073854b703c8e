/* kst_input.h - finds the next good chunk in a stream of any bytes.
 *
 * A chunk is good if it has the magic, a head with a valid checksum and a
 * payload with a valid checksum. If one of these is wrong, the search
 * continues right after the magic. So a chunk that was written over the torn
 * end of another one is found. The bytes that are read twice are counted. When
 * their number reaches the size of the file plus 32 MiB, a payload with a
 * wrong checksum is skipped as a whole, so that no input can make the search
 * slow. */
#pragma once
#include "kst_memory.h"
#include <kernsift/kst_reader.h>
#include "kst_wire.h"

struct kst_input {
	kst_read_fn *read;
	void *ctx;
	const struct kst_memory *memory;
	uint8_t *bytes;
	size_t at, end, cap;
	bool ended;
	uint64_t offset; /* position of bytes[at] in the file */
	uint64_t again; /* bytes of payloads with a wrong checksum */
	uint64_t skipped; /* bytes skipped before the last returned chunk */
	uint64_t skipped_at; /* position of the first of them */
};

enum kst_input_got {
	KST_INPUT_CHUNK,
	KST_INPUT_END,
	KST_INPUT_STOPPED,
	KST_INPUT_FULL,
};

/* Makes `len` bytes available at bytes + at, or fewer at the end of the
 * file. */
enum kst_input_got kst_input_need(struct kst_input *in, size_t len);
/* Skips n available bytes. */
void kst_input_pass(struct kst_input *in, size_t n);
/* Finds the next chunk. Its payload is valid until the next call. */
enum kst_input_got kst_input_next(struct kst_input *in, struct kst_head *h,
	const uint8_t **payload);
void kst_input_release(struct kst_input *in);
