/* kst_input.h - finds the next good chunk in a stream of any bytes.
 *
 * A chunk is good if it has the magic, a head with the right checksum and a
 * payload with the right checksum. If one of these fails, the search
 * continues right after the magic, so that a chunk written over the torn end
 * of another is found. Bytes that are read twice are counted; when they
 * reach the size of the file plus 32 MiB, a payload that fails is skipped
 * whole, so that no input can make the search costly. */
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
	uint64_t offset; /* of bytes[at] in the file */
	uint64_t again; /* bytes of payloads that failed */
	uint64_t skipped; /* bytes left out before the last chunk given */
	uint64_t skipped_at; /* and where they began */
};

enum kst_input_got {
	KST_INPUT_CHUNK,
	KST_INPUT_END,
	KST_INPUT_STOPPED,
	KST_INPUT_FULL,
};

/* Makes `len` bytes available at bytes + at, or as many as there are. */
enum kst_input_got kst_input_need(struct kst_input *in, size_t len);
/* Skips n available bytes. */
void kst_input_pass(struct kst_input *in, size_t n);
/* The next chunk; its payload stays valid until the next call. */
enum kst_input_got kst_input_next(struct kst_input *in, struct kst_head *h,
	const uint8_t **payload);
void kst_input_release(struct kst_input *in);
