/* buf.h - growing bytes with a ceiling.
 *
 * Every growing buffer is born with the most it may hold; what would pass it
 * is not added and marks the buffer `full`, which stays. So a sequence of
 * additions is checked once, at its end. Always NUL-terminated once non-empty;
 * the NUL is not counted. Not for sharing between threads. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct buf {
	char *at;
	size_t len, cap, ceiling;
	bool full;
};

void buf_init(struct buf *b, size_t ceiling);
void buf_add(struct buf *b, const void *bytes, size_t len);
void buf_puts(struct buf *b, const char *s);
void buf_printf(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Hands the bytes to the caller, who frees them with free(); the buffer is
 * empty afterwards. Never NULL. */
char *buf_take(struct buf *b, size_t *len);
void buf_release(struct buf *b);
