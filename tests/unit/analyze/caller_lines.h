/* caller_lines.h - writes and checks the callers of a profile as text. */
#pragma once
#include "world.h"

/* Formats the path of a frame as "a > b > c". */
static inline const char *path(struct world *w, uint32_t frame)
{
	const char *text = "";
	for (; frame; frame = w->p.frames[frame].parent) {
		assert_true(frame < w->p.frames_n);
		assert_true(w->p.frames[frame].parent < frame);
		text = arena_printf(&w->arena, "%s%s%s",
			w->p.frames[frame].name, *text ? " > " : "", text);
	}
	return text;
}

/* The sums of the lines equal those of the kernels. */
static inline void closed(struct world *w)
{
	const struct profile *p = &w->p;
	for (uint32_t i = 0; i < p->stats_n; i++) {
		int64_t launches = 0, total_ns = 0;
		if (p->stats[i].split != SPLIT_NONE)
			continue;
		for (uint32_t c = 0; c < p->callers_n; c++) {
			if (p->callers[c].kernel != p->stats[i].kernel)
				continue;
			launches += p->callers[c].launches;
			total_ns += p->callers[c].total_ns;
		}
		assert_int_equal(launches, p->stats[i].time.instances);
		assert_int_equal(total_ns, p->stats[i].time.total_ns);
	}
}

static inline void check(struct world *w, uint32_t at, enum caller_known known,
	const char *due, int64_t launches, int64_t total_ns)
{
	assert_true(at < w->p.callers_n);
	const struct caller_stat *c = &w->p.callers[at];
	assert_string_equal(path(w, c->frame), due);
	assert_int_equal(c->known, known);
	assert_int_equal(c->launches, launches);
	assert_int_equal(c->total_ns, total_ns);
}

/* A call and its kernel, which takes the given nanoseconds. */
static inline void launch(struct world *w, const char *kernel,
	const char *thread, int64_t start_ns, int64_t dur_ns)
{
	int64_t correlation = w->t.kernel.n + 1;
	rows_call(&w->t, "cudaLaunchKernel", thread, start_ns, 3, correlation);
	rows_launched(&w->t, kernel, start_ns + 100000, dur_ns, correlation);
}
