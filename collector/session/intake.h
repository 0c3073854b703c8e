/* intake.h - passes buffers of records from CUPTI's threads to the collector's
 * threads.
 *
 * CUPTI requests a buffer, fills it and returns it, on any thread, also on the
 * application's. Both callbacks are lock-free, allocate nothing and call no
 * CUPTI function. Buffers come from a pool of 1 MiB pieces. A piece is mapped
 * when it is first needed, and the pool never exceeds its limit.
 *
 * If the pool is empty, CUPTI gets a small buffer instead. When the small
 * buffer comes back, its records are counted and dropped. This is necessary
 * because a NULL buffer crashes CUPTI before 12.9, and a guest must not wait.
 * There are 1,024 small buffers. Before CUPTI 12.9 there are 65,536 more,
 * whose memory is released when they come back.
 *
 * The count is exact: each record that CUPTI wrote is either in a buffer that
 * intake_next() returns, or in the count of intake_dropped(). */
#pragma once
#include "names.h"
#include "records.h"
#include <stdbool.h>

struct intake;

struct intake_buffer {
	uint8_t *bytes;
	size_t valid; /* bytes of records; names of kernels are numbers in
		       * them */
	uint32_t thread; /* the thread that returned the buffer */
	int64_t at_ns; /* the CLOCK_REALTIME time of the return */
	int slot; /* used by intake_done() */
};

struct intake_drops {
	int64_t pool; /* records lost because no buffer was free */
	int64_t shed; /* records dropped by request: intake_shed() */
	int64_t unreadable; /* buffers with a rest that could not be read */
};

/* `layout` and `names` are borrowed and must stay valid. */
struct intake *intake_new(const struct layout *l, struct kernel_names *n,
	size_t cap_bytes);
void intake_free(struct intake *i);

/* The bodies of CUPTI's two buffer callbacks. */
void intake_request(struct intake *i, uint8_t **buffer, size_t *size,
	size_t *max_records);
void intake_complete(struct intake *i, uint8_t *buffer, size_t valid);

/* For the one reader: the next buffer in the order of arrival. False if there
 * is none. intake_done() zeroes the buffer and returns it to the pool. */
bool intake_next(struct intake *i, struct intake_buffer *b);
void intake_done(struct intake *i, const struct intake_buffer *b);
/* Sleeps until a buffer arrives, until intake_wake() is called, or for `ns`
 * nanoseconds. */
void intake_wait(struct intake *i, int64_t ns);
void intake_wake(struct intake *i);

/* While `on`, all records that arrive are counted and dropped. */
void intake_shed(struct intake *i, bool on);
/* The losses since the last call; for the one reader. */
struct intake_drops intake_dropped(struct intake *i);
/* Kernel records received so far; buffers that CUPTI has now. */
int64_t intake_kernels(const struct intake *i);
int intake_lent(const struct intake *i);
size_t intake_mapped_bytes(const struct intake *i);
