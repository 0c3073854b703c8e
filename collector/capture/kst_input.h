/* kst_input.h - finds the next good chunk in a stream of any bytes.
 *
 * Good is what has the magic, a head whose sum is right and a payload whose sum
 * is right. Where that fails, the search goes on behind the magic, so that a
 * chunk written over the torn end of another is found; what is read twice is
 * counted, and when that is as much as the file and 32 MiB, a payload that
 * fails is passed over whole: nobody can make the search costly. */
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

/* Makes `len` bytes lie at bytes + at, or as many as there are. */
enum kst_input_got kst_input_need(struct kst_input *in, size_t len);
/* Passes over n bytes that lie there. */
void kst_input_pass(struct kst_input *in, size_t n);
/* The next chunk; its payload lies there until the next call. */
enum kst_input_got kst_input_next(struct kst_input *in, struct kst_head *h,
	const uint8_t **payload);
void kst_input_release(struct kst_input *in);
