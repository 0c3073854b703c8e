/* fuzz_parts.h - passes the input on in parts of a chosen size. */
#pragma once
#include "decode.h"

enum { ARENA_MIB = 64, PLAIN_MIB = 64 };

struct fuzz_parts {
	const uint8_t *bytes;
	size_t len, each;
};

static inline bool fuzz_parts_next(void *ctx, const void **bytes, size_t *len,
	struct err *e)
{
	struct fuzz_parts *p = ctx;
	(void)e;
	*bytes = p->bytes;
	*len = p->len < p->each ? p->len : p->each;
	p->bytes += *len;
	p->len -= *len;
	return true;
}

/* The first byte selects the size of the parts; the rest is the input. */
static inline struct fuzz_parts fuzz_parts_of(const uint8_t *data, size_t size)
{
	size_t each = size ? 1 + (size_t)data[0] * 3 : 1;
	return (struct fuzz_parts){ data + (size > 0), size - (size > 0),
		each };
}

static const struct decode_limits fuzz_limits = { PLAIN_MIB << 20, 200 };
