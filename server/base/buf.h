/* buf.h - a byte buffer that grows up to a ceiling.
 *
 * The maximum size is set when the buffer is initialized. Bytes beyond it are
 * not added; instead the buffer is marked `full` and stays so. A caller can
 * therefore add several times and check `full` once at the end. A buffer that
 * is not empty always ends in a NUL, which its length does not count. Not for
 * sharing between threads. */
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

/* Returns the bytes; the caller frees them with free(). The buffer is empty
 * afterwards. Never returns NULL. */
char *buf_take(struct buf *b, size_t *len);
void buf_release(struct buf *b);
