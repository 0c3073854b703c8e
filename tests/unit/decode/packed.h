/* packed.h - compresses bytes and reads them back for tests. */
#pragma once
#include "fixture.h"
#include "plain.h"
#include <isa-l/igzip_lib.h>
#include <zstd.h>

enum { ROOM = 1 << 20 };

struct bytes {
	unsigned char at[ROOM];
	size_t len;
};

static inline void add(struct bytes *b, const void *bytes, size_t len)
{
	assert_true(b->len + len <= ROOM);
	memcpy(b->at + b->len, bytes, len);
	b->len += len;
}

static inline void add_gzip(struct bytes *b, const void *plain, size_t len)
{
	struct isal_zstream z;
	isal_deflate_stateless_init(&z);
	z.gzip_flag = IGZIP_GZIP;
	z.end_of_stream = 1;
	z.next_in = (uint8_t *)(uintptr_t)plain;
	z.avail_in = (uint32_t)len;
	z.next_out = b->at + b->len;
	z.avail_out = (uint32_t)(ROOM - b->len);
	assert_int_equal(isal_deflate_stateless(&z), COMP_OK);
	b->len += z.total_out;
}

static inline void add_zstd(struct bytes *b, const void *plain, size_t len)
{
	size_t n = ZSTD_compress(b->at + b->len, ROOM - b->len, plain, len, 3);
	assert_false(ZSTD_isError(n));
	b->len += n;
}

/* The output of reading all of b in parts, and how the reading ended. */
struct result {
	unsigned char *at;
	size_t len;
	struct notes notes;
	struct err err;
	bool ok;
};

static inline void read_limited(struct result *r, const struct bytes *b,
	size_t each, size_t at_once, const struct decode_limits *limits)
{
	struct parts parts = { (const char *)b->at, b->len, each };
	struct source s = { parts_next, &parts, -1 };
	struct arena a = { 0 };
	struct plain p;
	size_t got = at_once;
	*r = (struct result){ .at = malloc(4 * ROOM), .ok = true };
	plain_init(&p, &s, limits, NULL, &a, &r->notes);
	while (r->ok && got == at_once && r->len + at_once <= 4 * ROOM) {
		r->ok = plain_read(&p, r->at + r->len, at_once, &got, &r->err);
		r->len += r->ok ? got : 0;
	}
	plain_release(&p);
	arena_release(&a);
}

static inline void read_all(struct result *r, const struct bytes *b,
	size_t each, size_t at_once)
{
	static const struct decode_limits limits = { 64 << 20, 2000 };
	read_limited(r, b, each, at_once, &limits);
	assert_true(r->ok);
}
