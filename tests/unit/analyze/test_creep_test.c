/* test_creep_test.c - which level is the anchor, and heads against it. */
#include "creep_test.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

enum { UNITS = 80, HEADS = 3 };

struct past {
	struct arena a;
	struct gate_stored_unit units[UNITS], head[HEADS];
	struct gate_history h;
};

static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h",
	"i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t" };

/* Within 0.4 % from run to run. */
static double wavering(uint32_t i)
{
	static const double by[] = { 0, 3, -2, 1, -4, 2, -1 };
	return by[i % 7] / 1000;
}

/* Adds `n` runs of this level in percent above 1 ms, three per commit. */
static void past_add(struct past *s, uint32_t n, double pct)
{
	for (uint32_t i = 0; i < n; i++, s->h.n++)
		s->units[s->h.n] = (struct gate_stored_unit){ .run = s->h.n + 1,
			.stored = s->h.n,
			.commit = names[s->h.n / 3],
			.ns = 1e6 * (1 + pct / 100) * exp(wavering(s->h.n)) };
}

static void past_head(struct past *s, uint32_t n, double pct)
{
	s->h.units = s->units;
	s->h.head = s->head;
	for (uint32_t i = 0; i < n; i++, s->h.head_n++)
		s->head[i] = (struct gate_stored_unit){ .run = 100 + i,
			.commit = "head",
			.ns = 1e6 * (1 + pct / 100) * exp(wavering(i)) };
}

static struct creep_test_result tested(struct past *s)
{
	const struct creep_test_input q = { .history = &s->h,
		.limit = 0.03,
		.alpha = 0.001,
		.repeat_alpha = 0.001,
		.floor = NAN,
		.seed = 1 };
	struct creep_test_result r;
	assert_true(creep_test(&q, &s->a, &r));
	return r;
}

/* Eight commits at 0 %, four at +2 %, four at +4 %: each head passes a gate of 2 %
 * against the newest commits. The median of the first 24 runs is that of the
 * waverings 0, 3, -2, 1, -4, 2, -1 three times and 0, 3, -2: of 24 values 11 are
 * below 0, four are 0, so it is 0. */
static void rises_that_each_pass(void **state)
{
	struct past s = { 0 };

	(void)state;
	past_add(&s, 24, 0);
	past_add(&s, 12, 2);
	past_add(&s, 12, 4);
	past_head(&s, 3, 5);
	struct creep_test_result r = tested(&s);
	assert_null(r.anchor.reason);
	assert_int_equal(r.anchor.units_n, 24);
	assert_int_equal(r.anchor.commits, 8);
	assert_int_equal(r.anchor.levels, 3);
	assert_int_equal(r.anchor.units[0]->run, 1);
	assert_int_equal(r.anchor.since, 0);
	assert_int_equal(r.anchor.until, 23);
	assert_true(r.anchor.median_ns == 1e6);
	assert_true(r.level.shown && r.level.above);
	assert_true(fabs(r.level.change - 0.05) < 0.003);
	arena_release(&s.a);
}

/* The limit is not reached, so nothing fails however certain the rise is. */
static void below_the_limit(void **state)
{
	struct past s = { 0 };

	(void)state;
	past_add(&s, 60, 0);
	past_head(&s, 3, 2.5);
	struct creep_test_result r = tested(&s);
	assert_int_equal(r.anchor.levels, 1);
	assert_int_equal(r.anchor.units_n, 60);
	assert_true(!r.level.above && !r.level.shown && r.level.low > 0);
	arena_release(&s.a);
}

/* An improvement that is confirmed by nine runs only is too short to be the
 * anchor, so a head that loses it again passes. With nine more, it fails. */
static void short_improvement(void **state)
{
	struct past s = { 0 };

	(void)state;
	past_add(&s, 30, 0);
	past_add(&s, 9, -10);
	past_head(&s, 3, 0);
	struct creep_test_result r = tested(&s);
	assert_int_equal(r.anchor.units_n, 30);
	assert_int_equal(r.anchor.levels, 1);
	assert_false(r.level.above);
	arena_release(&s.a);

	s = (struct past){ 0 };
	past_add(&s, 30, 0);
	past_add(&s, 18, -10);
	past_head(&s, 3, 0);
	r = tested(&s);
	assert_int_equal(r.anchor.units_n, 18);
	assert_int_equal(r.anchor.units[0]->run, 31);
	assert_int_equal(r.anchor.levels, 2);
	assert_true(r.level.shown);
	arena_release(&s.a);
}

/* p is that of the test against the lowest level, times the number of levels. */
static void selection_is_corrected(void **state)
{
	static const uint32_t starts[] = { 0, 21 };
	struct past s = { 0 };
	struct level_test_result alone;
	double base[42], head[3];
	uint32_t commit[42];

	(void)state;
	past_add(&s, 21, 0);
	past_add(&s, 21, 40);
	past_head(&s, 3, 1);
	for (uint32_t i = 0; i < 42; i++) {
		base[i] = s.units[i].ns;
		commit[i] = i / 3;
	}
	for (uint32_t i = 0; i < 3; i++)
		head[i] = s.head[i].ns;
	const struct level_test_input q = { .v = { base, head, 42, 3 },
		.base_commit = commit,
		.limit = 0.03,
		.alpha = 0.001,
		.repeat_alpha = 0.001,
		.floor = NAN,
		.seed = 1,
		.starts = starts,
		.starts_n = 2 };
	assert_true(level_test(&q, &s.a, &alone));
	struct creep_test_result r = tested(&s);
	assert_int_equal(r.anchor.levels, 2);
	assert_true(alone.p > 0 && alone.p < 0.01);
	assert_true(r.level.p == alone.p);
	assert_true(fabs(r.p_family / alone.p - 2) < 1e-9);
	assert_true(r.level.change == alone.change);
	arena_release(&s.a);
}

static void without_anchor(void **state)
{
	static const struct {
		uint32_t runs;
		const char *given, *reason, *labels;
	} cases[] = {
		{ 0, NULL, "no earlier run of the same work is stored", NULL },
		{ 0, NULL,
			"no earlier run of the same work with the base's labels "
			"(host=a) is stored",
			"host=a" },
		{ 1, NULL,
			"the history has 1 run of 1 commit; at least 10 runs of "
			"at least 3 commits are required",
			NULL },
		{ 9, NULL,
			"the history with the base's labels (branch=main, host=a) "
			"has 9 runs of 3 commits; at least 10 runs of at least 3 "
			"commits are required",
			"branch=main, host=a" },
		{ 30, "iterations are given", "iterations are given", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct past s = { .h.reason = cases[i].given,
			.h.labels = cases[i].labels };
		past_add(&s, cases[i].runs, 0);
		past_head(&s, 1, 0);
		struct creep_test_result r = tested(&s);
		assert_string_equal(r.anchor.reason, cases[i].reason);
		assert_int_equal(r.anchor.units_n, 0);
		assert_true(isnan(r.anchor.median_ns));
		arena_release(&s.a);
	}
}

/* Every level is shorter than ten runs. */
static void all_levels_short(void **state)
{
	struct past s = { 0 };

	(void)state;
	past_add(&s, 9, 0);
	past_add(&s, 9, 20);
	for (uint32_t i = 0; i < 18; i++)
		s.units[i].commit = NULL;
	past_head(&s, 3, 0);
	struct creep_test_result r = tested(&s);
	assert_string_equal(r.anchor.reason,
		"none of the 2 levels of the history has at least 10 runs of at "
		"least 3 commits");
	arena_release(&s.a);
}

/* The user names a release of four runs. Its level counts although it is short,
 * and although another one is lower. */
static void named(void **state)
{
	struct past s = { .h.query = "label.release=1", .h.named = 4 };

	(void)state;
	past_add(&s, 4, 6);
	past_add(&s, 40, 0);
	past_head(&s, 3, 6);
	for (uint32_t i = 0; i < 4; i++)
		s.units[i].commit = "release";
	struct creep_test_result r = tested(&s);
	assert_string_equal(r.anchor.query, "label.release=1");
	assert_int_equal(r.anchor.units_n, 4);
	assert_int_equal(r.anchor.commits, 1);
	assert_int_equal(r.anchor.levels, 1);
	assert_false(r.level.above);
	arena_release(&s.a);
}

/* Nothing but the named run is stored. */
static void named_alone(void **state)
{
	struct past s = { .h.query = "1", .h.named = 1 };

	(void)state;
	past_add(&s, 1, 0);
	past_head(&s, 3, 20);
	struct creep_test_result r = tested(&s);
	assert_int_equal(r.anchor.units_n, 1);
	assert_true(r.level.above && !r.level.shown);
	arena_release(&s.a);
}

/* Runs without labels are grouped by the size of the head; a commit that was
 * measured again later is one commit. */
static void labels(void **state)
{
	struct past s = { 0 };

	(void)state;
	past_add(&s, 30, 0);
	for (uint32_t i = 0; i < 30; i++)
		s.units[i].commit = NULL;
	past_head(&s, 3, 5);
	struct creep_test_result r = tested(&s);
	assert_int_equal(r.anchor.commits, 0);
	assert_true(r.level.shown);
	arena_release(&s.a);

	s = (struct past){ 0 };
	past_add(&s, 30, 0);
	s.units[29].commit = "a";
	past_head(&s, 3, 5);
	r = tested(&s);
	assert_int_equal(r.anchor.commits, 10);
	assert_int_equal(r.anchor.units_n, 30);
	assert_int_equal(r.anchor.until, 29);
	assert_true(r.level.shown);
	arena_release(&s.a);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		cmocka_unit_test(rises_that_each_pass),
		cmocka_unit_test(below_the_limit),
		cmocka_unit_test(short_improvement),
		cmocka_unit_test(selection_is_corrected),
		cmocka_unit_test(without_anchor),
		cmocka_unit_test(all_levels_short),
		cmocka_unit_test(named),
		cmocka_unit_test(named_alone),
		cmocka_unit_test(labels),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
