/* read_shape.h - the columns of a run's shapes. */
#pragma once
#include "packed.h"
#include "read_time.h"
#include "column.h"
#include <stdlib.h>

/* Of run_shape with its `shape` beside it as `sizes`. */
#define READ_SHAPE_COLUMNS                                           \
	"operator, sizes, grid, known, launches, " READ_TIME_COLUMNS \
	", buckets, bucket, bucket_calls, flops, read_bytes, "       \
	"write_bytes, why, sol_ns, leg"

/* "bf16=4096 fp32=32". */
static inline void read_flops(const char *text, struct cost *c)
{
	while (*text) {
		size_t word = strcspn(text, "=");
		enum dtype d = dtype_from(text, word);
		assert(text[word] == '=' && d != DTYPE_UNKNOWN);
		char *end;
		c->flops[d] = strtoull(text + word + 1, &end, 10);
		text = end + (*end == ' ');
	}
}

static inline void read_cost(struct result *r, struct arena *a,
	struct shape_stat *s)
{
	const char *flops = result_text(r, a);
	s->cost.read_bytes = (uint64_t)result_int8(r, 0);
	s->cost.write_bytes = (uint64_t)result_int8(r, 0);
	s->costed = flops != NULL;
	if (flops)
		read_flops(flops, &s->cost);
	s->why = result_text(r, a);
	s->sol_ns = result_float8(r, NAN);
	const char *leg = result_text(r, a);
	s->leg = leg ? (enum leg)read_word_of(leg, profile_word_leg, LEGS)
		     : LEG_NONE;
}

/* False where packed columns are not what they should be. */
static inline bool read_buckets(struct result *r, struct arena *a,
	struct shape_stat *s)
{
	size_t len;
	uint32_t n = s->buckets_n = (uint32_t)result_int4(r, 0);
	int64_t *wide_bucket = arena_array(a, int64_t, n);
	int64_t *calls = arena_array(a, int64_t, n);
	int16_t *bucket = arena_array(a, int16_t, n);
	const void *bytes = result_bytes(r, &len);
	bool ok = packed_read(bytes, len, wide_bucket, n);
	bytes = result_bytes(r, &len);
	ok = ok && packed_read(bytes, len, calls, n);
	for (uint32_t i = 0; i < n; i++)
		bucket[i] = (int16_t)wide_bucket[i];
	s->bucket = bucket;
	s->bucket_calls = calls;
	return ok;
}

/* Reads them, in this order. */
static inline bool read_shape(struct result *r, struct arena *a,
	struct shape_stat *s)
{
	s->operator_ = (uint32_t)result_int4(r, 0);
	s->text = result_text(r, a);
	s->grid = result_text(r, a);
	s->known = (enum how)read_word(r, a, profile_word_how, KNOWNS);
	s->launches = result_int8(r, 0);
	read_time(r, &s->call);
	bool ok = read_buckets(r, a, s);
	read_cost(r, a, s);
	return ok;
}
