/* buf.c - a byte buffer that grows. If memory runs out below the buffer's
 * ceiling, the process ends, because ceilings are chosen for the memory of the
 * machine. */
#include "buf.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_init(struct buf *b, size_t ceiling)
{
	*b = (struct buf){ .ceiling = ceiling };
}

/* Makes room for len more bytes and a NUL. */
static bool buf_room(struct buf *b, size_t len)
{
	if (b->full || len > b->ceiling - b->len) {
		b->full = true;
		return false;
	}
	size_t need = b->len + len + 1;
	if (need <= b->cap)
		return true;
	size_t cap = b->cap + b->cap / 2 > need ? b->cap + b->cap / 2 : need;
	char *p = realloc(b->at, cap);
	if (!p) {
		fprintf(stderr, "out of memory: %zu bytes\n", cap);
		abort();
	}
	b->at = p;
	b->cap = cap;
	return true;
}

void buf_add(struct buf *b, const void *bytes, size_t len)
{
	if (!buf_room(b, len))
		return;
	if (len)
		memcpy(b->at + b->len, bytes, len);
	b->len += len;
	b->at[b->len] = '\0';
}

void buf_puts(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len >= 0 && buf_room(b, (size_t)len)) {
		vsnprintf(b->at + b->len, (size_t)len + 1, fmt, again);
		b->len += (size_t)len;
	}
	va_end(again);
}

char *buf_take(struct buf *b, size_t *len)
{
	if (!b->at)
		buf_room(b, 0);
	if (!b->at)
		b->at = calloc(1, 1);
	if (!b->at)
		abort();
	b->at[b->len] = '\0';
	char *p = b->at;
	*len = b->len;
	buf_init(b, b->ceiling);
	return p;
}

void buf_release(struct buf *b)
{
	free(b->at);
	buf_init(b, b->ceiling);
}
