/* intake.h - buffers of records on their way from CUPTI's threads to the
 * collector's.
 *
 * CUPTI requests a buffer, fills it, and returns it, on any thread: the
 * application's too. Both calls are lock-free, allocate nothing and call no
 * CUPTI function. Buffers come from a pool of 1 MiB pieces, mapped when they
 * are first needed, never more than the limit. If none is left, a small one
 * is lent whose records are counted when it comes back and then dropped: a
 * NULL buffer crashes CUPTI before 12.9, and a guest must not wait. There
 * are 1,024 of these, and before 12.9 65,536 more, whose memory is released
 * when they come back.
 *
 * The count is exact: each record that CUPTI wrote is either in a buffer
 * that intake_next() returns, or in the count of intake_dropped(). */
#pragma once
#include "names.h"
#include "records.h"
#include <stdbool.h>

struct intake;

struct intake_buffer {
	uint8_t *bytes;
	size_t valid; /* bytes of records; kernels' names are numbers */
	uint32_t thread; /* that handed it over */
	int64_t at_ns; /* when: CLOCK_REALTIME */
	int slot; /* for intake_done() */
};

struct intake_drops {
	int64_t pool; /* no buffer was free */
	int64_t shed; /* thrown away on purpose: intake_shed() */
	int64_t unreadable; /* buffers whose rest could not be walked */
};

/* `layout` and `names` are borrowed and outlive it. */
struct intake *intake_new(const struct layout *l, struct kernel_names *n,
	size_t cap_bytes);
void intake_free(struct intake *i);

/* The two callbacks' bodies. */
void intake_request(struct intake *i, uint8_t **buffer, size_t *size,
	size_t *max_records);
void intake_complete(struct intake *i, uint8_t *buffer, size_t valid);

/* For the one reader: the next buffer in the order of arrival, false if
 * there is none. intake_done() zeroes it and gives it back to the pool. */
bool intake_next(struct intake *i, struct intake_buffer *b);
void intake_done(struct intake *i, const struct intake_buffer *b);
/* Sleeps until a buffer arrives, intake_wake() is called, or the time is
 * over. */
void intake_wait(struct intake *i, int64_t ns);
void intake_wake(struct intake *i);

/* From here on (or no more) everything that comes is counted and forgotten. */
void intake_shed(struct intake *i, bool on);
/* Since the last call; for the one reader. */
struct intake_drops intake_dropped(struct intake *i);
/* Kernel records taken in so far; buffers that CUPTI holds now. */
int64_t intake_kernels(const struct intake *i);
int intake_lent(const struct intake *i);
size_t intake_mapped_bytes(const struct intake *i);
