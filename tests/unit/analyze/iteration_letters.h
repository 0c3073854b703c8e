/* iteration_letters.h - writes repeating runs as text, one letter per
 * kernel. */
#pragma once
#include "world.h"

enum { KERNEL_NS = 10, STRIDE_NS = 12 };

struct writer {
	struct world *w;
	int64_t at_ns; /* start of the next kernel */
	int32_t grid;
};

/* Kernels named by single letters, 2 ns apart. */
static inline void kernels(struct writer *r, const char *letters)
{
	for (; *letters; letters++, r->at_ns += STRIDE_NS)
		rows_kernel(&r->w->t, (char[]){ *letters, 0 }, r->at_ns,
			KERNEL_NS, 0, r->grid);
}

static inline void times(struct writer *r, int n, const char *letters)
{
	while (n-- > 0)
		kernels(r, letters);
}

static inline void idle(struct writer *r, int64_t ns)
{
	r->at_ns += ns;
}

static inline const struct iterations *iterations_of(struct world *w)
{
	assert_true(world_analyse(w));
	return &w->p.iterations;
}

/* The windows must be in order and disjoint, and hold at most the run's
 * launches. */
static inline void sound(const struct world *w)
{
	const struct iterations *c = &w->p.iterations;
	int64_t end_ns = 0, launches = 0;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		assert_true(c->iterations[i].start_ns >= end_ns);
		assert_true(c->iterations[i].dur_ns >= 0);
		assert_true(c->iterations[i].stratum < c->strata_n);
		end_ns = c->iterations[i].start_ns + c->iterations[i].dur_ns;
		launches += c->iterations[i].launches;
		kept += c->iterations[i].use == ITERATION_KEPT;
	}
	assert_int_equal(c->kept_n, kept);
	assert_true(launches <= w->p.launches);
	assert_true(c->confidence >= 0 && c->confidence <= 1);
}
