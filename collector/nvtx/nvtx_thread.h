/* nvtx_thread.h - the stack of one thread's open ranges, with their texts.
 *
 * Only the thread itself changes the stack. Another thread may read it at any
 * time: all members that it reads are atomic, and nvtx_thread_look() accepts a
 * frame only if it did not change during the read. The text of a range,
 * followed by its payload, is in words that are freed when the range ends,
 * because ranges nest. If a range ends before the ranges inside it, its words
 * stay in use until those end. */
#pragma once
#include "nvtx_ring.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	NVTX_FRAMES = 128, /* further ranges are only counted */
	NVTX_STACK_WORDS = 4096, /* 32 KiB of texts and payloads */
	NVTX_TEXT_MOST = 8 << 10, /* longer texts are cut */
	NVTX_PAYLOAD_MOST = 4 << 10
};

struct nvtx_frame {
	_Atomic int64_t start_ns; /* 0: the range began while nothing was
				   * recorded */
	_Atomic uint64_t what; /* text, domain, level, flags */
	_Atomic uint64_t where; /* turn, position and lengths of the text and
				 * payload */
};

struct nvtx_thread {
	_Alignas(64) _Atomic uint32_t
		born; /* a new number for each thread that uses it */
	_Atomic uint32_t tid;
	_Atomic int64_t ended_ns; /* 0: the thread is alive */
	_Atomic(struct nvtx_ring *) ring; /* NULL: none yet */
	_Atomic uint32_t depth;
	uint32_t beyond; /* number of open ranges that found no frame */
	uint32_t turn; /* number of frames created so far */
	uint32_t top; /* number of words in use */
	struct nvtx_frame frames[NVTX_FRAMES];
	_Atomic uint64_t words[NVTX_STACK_WORDS];
	char text[NVTX_TEXT_MOST]; /* memory for the text during conversion to
				    * UTF-8 */
	char payload[NVTX_PAYLOAD_MOST]; /* memory for the payload until it is
					  * written */
};

/* The label that a program gives when a range begins. */
struct nvtx_label {
	const char *text;
	size_t len;
	uint32_t id; /* id of a text in the table; `text` is then ignored */
	uint16_t domain;
	size_t payload_len; /* bytes of the thread's `payload` */
};

/* A frame in unpacked form. */
struct nvtx_open {
	int64_t start_ns;
	uint32_t text;
	uint16_t domain;
	uint8_t level, place; /* level in its domain; position in the stack */
	bool lost; /* there was no room for its text */
	uint16_t at, text_len, payload_len; /* position in words; bytes;
					     * bytes */
};

/* Empties the stack for another thread. */
void nvtx_thread_init(struct nvtx_thread *t, uint32_t born, uint32_t tid);

/* Adds a range. Returns its level in its domain, from 0. *lost is whether the
 * range or its text found no room. */
int nvtx_thread_push(struct nvtx_thread *t, const struct nvtx_label *label,
	int64_t start_ns, bool *lost);

/* Attaches the thread's `payload` to the innermost range, if that range is of
 * this domain and has no payload. */
void nvtx_thread_add(struct nvtx_thread *t, uint16_t domain,
	size_t payload_len);

/* Ends the innermost range of a domain. Its text stays until the next push. */
enum nvtx_popped { NVTX_NONE_OPEN, NVTX_POPPED, NVTX_POPPED_BEYOND };
enum nvtx_popped nvtx_thread_pop(struct nvtx_thread *t, uint16_t domain,
	struct nvtx_open *o);

/* For the thread itself: the frame at a position of its stack; false for a
 * hole. */
bool nvtx_thread_at(const struct nvtx_thread *t, uint32_t place,
	struct nvtx_open *o);
/* From now on the frame has the number of its text instead of the text. */
void nvtx_thread_name(struct nvtx_thread *t, uint32_t place, uint32_t text);
/* For another thread: the frame at a position, with its text and payload. */
bool nvtx_thread_look(const struct nvtx_thread *t, uint32_t place,
	struct nvtx_open *o, uint64_t *body);
