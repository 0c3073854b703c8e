/* fixture.h - decodes text in memory for the tests of this folder. */
#pragma once
#include "decode.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A source that returns parts of `each` bytes. */
struct parts {
	const char *bytes;
	size_t len, each;
};

static inline bool parts_next(void *ctx, const void **bytes, size_t *len,
	struct err *e)
{
	struct parts *p = ctx;
	(void)e;
	*bytes = p->bytes;
	*len = p->len < p->each ? p->len : p->each;
	p->bytes += *len;
	p->len -= *len;
	return true;
}

struct decoded {
	struct arena arena;
	struct trace trace;
	struct err err;
	bool ok;
};

static inline void decode_bytes(struct decoded *d, const char *bytes,
	size_t len, size_t each)
{
	static const struct decode_limits limits = { 64 << 20, 200 };
	struct parts p = { bytes, len, each };
	struct source s = { parts_next, &p, -1 };
	*d = (struct decoded){ .arena = { .ceiling = 256 << 20 } };
	assert_true(trace_init(&d->trace, &d->arena));
	d->ok = decode(&s, &limits, NULL, &d->trace, &d->err);
}

/* Decodes the whole text, which must succeed. */
static inline void decode_text(struct decoded *d, const char *text)
{
	decode_bytes(d, text, strlen(text), strlen(text) + 1);
	if (!d->ok)
		fail_msg("%.60s: %s", text, d->err.text);
}

static inline void decoded_release(struct decoded *d)
{
	arena_release(&d->arena);
}

static inline const char *text_of(const struct decoded *d, uint32_t id)
{
	return names_text(&d->trace.names, id);
}

static inline int64_t noted(const struct decoded *d, enum note_code code)
{
	return d->trace.notes.count[code];
}

/* Text followed by spare bytes, as a scanner requires. */
struct padded {
	char bytes[4096];
};

static inline const char *pad(struct padded *p, const char *text, size_t len)
{
	assert_true(len + 64 <= sizeof p->bytes);
	memset(p, 0, sizeof *p);
	memcpy(p->bytes, text, len);
	return p->bytes;
}
