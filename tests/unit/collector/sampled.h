/* sampled.h - for tests of counters: a clock that tests can set, and the list
 * of samples. */
#pragma once
#include "samples.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct sampled {
	struct moment now;
	struct samples *ring;
	struct sample got[512];
	int n;
};

static inline struct moment sampled_now(void *ctx)
{
	return ((struct sampled *)ctx)->now;
}

static inline void sampled_init(struct sampled *s)
{
	*s = (struct sampled){ .now = { 1000000000000, 5000000000 } };
	s->ring = samples_new(512, sampled_now, s);
	assert_non_null(s->ring);
}

static inline void sampled_pass(struct sampled *s, int64_t ns)
{
	s->now.real_ns += ns;
	s->now.steady_ns += ns;
}

/* Reads the samples since the last call. */
static inline void sampled_take(struct sampled *s)
{
	s->n = 0;
	while (samples_next(s->ring, &s->got[s->n]))
		s->n++;
}

static inline const struct sample *sampled_find(const struct sampled *s,
	enum counter c, int32_t device)
{
	for (int i = 0; i < s->n; i++)
		if (s->got[i].counter == c && s->got[i].device == device)
			return &s->got[i];
	return NULL;
}

#define assert_sampled(s, c, number, want)                                     \
	do {                                                                   \
		const struct sample *one_ =                                    \
			sampled_find(s, COUNTER_##c, number);                  \
		if (!one_)                                                     \
			fail_msg("%s of %d is not there", #c, number);         \
		if (one_->value < (want)-1e-9 || one_->value > (want) + 1e-9)  \
			fail_msg("%s of %d is %.9g", #c, number, one_->value); \
		assert_int_equal(one_->at_ns, (s)->now.real_ns);               \
	} while (0)
#define assert_not_sampled(s, c, number) \
	assert_null(sampled_find(s, COUNTER_##c, number))
