/* feed_files.h - makes two files in /tmp, fills and feeds them, and unpacks
 * the result. */
#pragma once
#include "feed.h"
#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <cmocka.h>

enum { BIGGEST = 3 * PACK_PIECE + 77, ROOM = 2 * BIGGEST };

static char plain[BIGGEST], packed[ROOM], again[ROOM], unpacked[ROOM];
static char path[] = "/tmp/ks-feed-XXXXXX", other[] = "/tmp/ks-feed-XXXXXX";

/* Text that can be compressed, but not to almost nothing. */
static inline int set_up(void **state)
{
	(void)state;
	uint32_t x = 1;
	for (size_t i = 0; i < sizeof plain; i++) {
		x = x * 1664525 + 1013904223;
		plain[i] = "{\"ts\": 0123456789}"[x >> 28];
	}
	int fd = mkstemp(path), second = mkstemp(other);
	return fd < 0 || close(fd) || second < 0 || close(second);
}

static inline int tear_down(void **state)
{
	(void)state;
	return unlink(path) || unlink(other);
}

static inline void write_to(const char *to, const void *bytes, size_t len)
{
	int fd = open(to, O_WRONLY | O_TRUNC);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

static inline void write_file(const void *bytes, size_t len)
{
	write_to(path, bytes, len);
}

static inline size_t drain(struct feed *f, char *to, size_t step)
{
	size_t len, all = 0;
	struct err e = { 0 };
	do {
		assert_true(all + step <= ROOM);
		assert_true(feed_next(f, to + all, step, &len, &e));
		all += len;
	} while (len);
	assert_int_equal(feed_bytes_sent(f), all);
	return all;
}

static inline size_t unpack(enum pack_kind kind, const char *from, size_t len)
{
	if (kind == PACK_NONE) {
		memcpy(unpacked, from, len);
		return len;
	}
	if (kind == PACK_ZSTD)
		return ZSTD_decompress(unpacked, ROOM, from, len);
	static struct inflate_state s;
	isal_inflate_init(&s);
	s.crc_flag = ISAL_GZIP;
	s.next_in = (uint8_t *)(uintptr_t)from;
	s.avail_in = (uint32_t)len;
	s.next_out = (uint8_t *)unpacked;
	s.avail_out = ROOM;
	assert_int_equal(isal_inflate(&s), ISAL_DECOMP_OK);
	assert_int_equal(s.block_state, ISAL_BLOCK_FINISH);
	return s.total_out;
}

static const enum pack_kind kinds[] = { PACK_NONE, PACK_ZSTD, PACK_GZIP };
