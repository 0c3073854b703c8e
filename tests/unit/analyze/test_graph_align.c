/* test_graph_align.c - compares alignments with all alignments of short
 * sequences, which a plain recursion lists. */
#include "graph_capture.h"
#include "xoshiro.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { LONGEST = 8, UNMATCHED = -1 };

/* All alignments with the most matches, of `n` replayed and `m` captured
 * kernels. */
struct all {
	const struct graph_sides *s;
	int to[LONGEST]; /* the current one, by replayed kernel */
	uint32_t most;
	bool match[LONGEST][LONGEST], extra[LONGEST], missing[LONGEST];
	bool replaced;
};

static void all_add(struct all *a)
{
	bool taken[LONGEST] = { false };
	uint32_t n = a->s->replayed_n, m = a->s->captured_n;
	int last = UNMATCHED;

	for (uint32_t i = 0; i < n; i++)
		if (a->to[i] == UNMATCHED)
			a->extra[i] = true;
		else
			a->match[i][a->to[i]] = taken[a->to[i]] = true;
	for (uint32_t j = 0; j < m; j++)
		a->missing[j] |= !taken[j];
	/* a run of unmatched kernels of the replay with captured ones left out
	 * between the same matches */
	for (uint32_t i = 0; i < n; i++) {
		int next = (int)m;
		if (a->to[i] != UNMATCHED) {
			last = a->to[i];
			continue;
		}
		for (uint32_t k = n; k-- > i;)
			if (a->to[k] != UNMATCHED)
				next = a->to[k];
		a->replaced |= next - last > 1;
	}
}

static void all_walk(struct all *a, uint32_t i, int from, uint32_t matched,
	bool count)
{
	if (i == a->s->replayed_n) {
		if (count && matched == a->most)
			all_add(a);
		else if (!count && matched > a->most)
			a->most = matched;
		return;
	}
	a->to[i] = UNMATCHED;
	all_walk(a, i + 1, from, matched, count);
	for (int j = from; j < (int)a->s->captured_n; j++)
		if (a->s->captured[j] == a->s->replayed[i]) {
			a->to[i] = j;
			all_walk(a, i + 1, j + 1, matched + 1, count);
		}
	a->to[i] = UNMATCHED;
}

static void compare(const struct graph_sides *s)
{
	struct all all = { .s = s };
	struct arena a = { 0 };
	struct graph_alignment g;

	all_walk(&all, 0, 0, 0, false);
	all_walk(&all, 0, 0, 0, true);
	uint32_t d = s->captured_n + s->replayed_n - 2 * all.most;
	assert_int_equal(graph_distance(s, GRAPH_DISTANCE_MOST), d);
	assert_int_equal(graph_distance(s, d), d);
	if (d)
		assert_int_equal(graph_distance(s, d - 1), GRAPH_DISTANCE_FAR);
	assert_true(graph_align(&g, s, d, &a));
	for (uint32_t i = 0; i < s->replayed_n; i++) {
		assert_int_equal(g.extra[i], all.extra[i]);
		for (uint32_t j = 0; j < s->captured_n; j++) {
			assert_int_equal(graph_align_match(&g, i, j),
				all.match[i][j]);
			if (all.match[i][j])
				assert_in_range(j + d - i, 0, 2 * d);
		}
	}
	for (uint32_t j = 0; j < s->captured_n; j++)
		assert_int_equal(g.missing[j], all.missing[j]);
	assert_int_equal(g.replaced, all.replaced);
	arena_release(&a);
}

static void every_short_pair(void **state)
{
	struct xoshiro x;
	(void)state;
	xoshiro_init(&x, 11);
	for (uint32_t n = 0; n < 4000; n++) {
		uint32_t captured[LONGEST], replayed[LONGEST];
		uint32_t letters = 1 + xoshiro_below(&x, 4);
		struct graph_sides s = { captured, replayed,
			xoshiro_below(&x, LONGEST),
			xoshiro_below(&x, LONGEST) };
		for (uint32_t i = 0; i < LONGEST; i++) {
			captured[i] = xoshiro_below(&x, letters);
			replayed[i] = xoshiro_below(&x, letters);
		}
		compare(&s);
	}
}

/* Kernels 0 1 2 … in both, with the first and the last of the capture and 20
 * in between lost: 22 of 3,000. */
static void long_graph_lacks_some(void **state)
{
	static uint32_t captured[3000], replayed[3000];
	struct graph_sides s = { captured, replayed, 3000, 0 };
	struct graph_alignment g;
	struct arena a = { 0 };
	(void)state;
	for (uint32_t j = 0; j < 3000; j++) {
		captured[j] = j;
		if (j != 0 && j != 2999 && (j % 100 != 50 || j >= 2000))
			replayed[s.replayed_n++] = j;
	}
	assert_int_equal(s.replayed_n, 2978);
	assert_int_equal(graph_distance(&s, 21), GRAPH_DISTANCE_FAR);
	assert_int_equal(graph_distance(&s, 64), 22);
	assert_true(graph_align(&g, &s, 22, &a));
	for (uint32_t i = 0; i < s.replayed_n; i++) {
		for (uint32_t j = i; j <= i + 22; j++)
			if (j < 3000)
				assert_int_equal(graph_align_match(&g, i, j),
					j == replayed[i]);
		assert_false(g.extra[i]);
	}
	assert_true(g.missing[0]);
	assert_true(g.missing[150]);
	assert_false(g.missing[151]);
	assert_true(g.missing[2999]);
	assert_false(g.replaced);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_short_pair),
		cmocka_unit_test(long_graph_lacks_some),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
