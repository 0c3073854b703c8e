/* filled.h - adds rows until no more fit, and counts those in complete
 * files. */
#pragma once
#include "spooled.h"

/* Adds rows that do not compress, until one is refused or there are `most`. */
static inline int64_t give_until_refused(struct capture_writer *s, int64_t most)
{
	static uint64_t x = 88172645463325252;
	int64_t n = 0;
	for (; n < most; n++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		struct kst_range row = { .start_ns = (int64_t)(x >> 2),
			.dur_ns = (int64_t)(x >> 20),
			.id = (int64_t)x };
		if (!capture_writer_row(s, KST_range, &row))
			break;
	}
	return n;
}

struct sum {
	int64_t rows;
	int files;
};

static inline void sum_up(void *ctx, const char *name, const char *path)
{
	struct sum *sum = ctx;
	size_t len = strlen(name);
	if (len < 4 || strcmp(name + len - 4, ".kst"))
		return;
	int64_t rows = spooled_rows(path, KST_range, 0, NULL, 0);
	assert_true(rows >= 0);
	sum->rows += rows;
	sum->files++;
}
