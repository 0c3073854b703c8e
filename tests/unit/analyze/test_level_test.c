/* test_level_test.c - heads against bases whose commits differ, and against odd
 * bases. */
#include "level_test.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { UNITS = 64 };

struct sides {
	double base[UNITS], head[UNITS];
	uint32_t base_commit[UNITS], base_n, head_n;
	double earlier[UNITS];
	uint32_t earlier_commit[UNITS], earlier_n;
	const uint32_t *head_commit; /* NULL: one */
	bool given; /* a floor of 1 % */
	double repeat_alpha; /* 0: the same */
};

/* Within 0.4 % from run to run. */
static double wavering(uint32_t i)
{
	static const double by[] = { 0, 3, -2, 1, -4, 2, -1 };
	return by[i % 7] / 1000;
}

/* `commits` of five runs each, with these levels in percent. */
static void sides_from(struct sides *s, const double *pct, uint32_t commits,
	double head_pct)
{
	*s = (struct sides){ .base_n = 5 * commits, .head_n = 5 };
	for (uint32_t i = 0; i < s->base_n; i++) {
		s->base[i] = 1e6 * (1 + pct[i / 5] / 100) * exp(wavering(i));
		s->base_commit[i] = i / 5;
	}
	for (uint32_t i = 0; i < s->head_n; i++)
		s->head[i] = 1e6 * (1 + head_pct / 100) * exp(wavering(i + 3));
}

/* `commits` before the base, of five runs each, with these levels times `times`. */
static void sides_earlier(struct sides *s, const double *pct, uint32_t commits,
	double times)
{
	s->earlier_n = 5 * commits;
	for (uint32_t i = 0; i < s->earlier_n; i++) {
		s->earlier[i] = times * 1e6 * (1 + pct[i / 5] / 100) *
				exp(wavering(i + 2));
		s->earlier_commit[i] = i / 5;
	}
}

static struct level_test_result tested(const struct sides *s, bool labeled)
{
	struct arena a = { 0 };
	struct level_test_result r;
	const struct level_test_input q = { .v = { s->base, s->head, s->base_n,
						    s->head_n },
		.base_commit = labeled ? s->base_commit : NULL,
		.head_commit = s->head_commit,
		.limit = 0.02,
		.alpha = 0.008,
		.repeat_alpha = s->repeat_alpha > 0 ? s->repeat_alpha : 0.008,
		.floor = s->given ? 0.01 : (double)NAN,
		.seed = 1,
		.earlier = { s->earlier, labeled ? s->earlier_commit : NULL,
			s->earlier_n } };
	assert_true(level_test(&q, &a, &r));
	arena_release(&a);
	return r;
}

/* Whether commits differ decides what a rise of the head means. The quantile of
 * Student's t for 0.008 and three degrees of freedom is 4.94; four commits that
 * differ by a standard deviation of 1 % allow a rise of 4.94 % * sqrt(1 + 1/4) =
 * 5.5 %. */
static void commits(void **state)
{
	static const double equal[] = { 0, 0, 0, 0 },
			    differ[] = { 1.2, -0.8, 0.4, -0.8 };
	static const struct {
		const double *levels;
		double head;
		bool shown, above;
	} cases[] = {
		{ equal, 3, true, true },
		{ equal, 1.5, false, false },
		{ differ, 4, false, true },
		{ differ, 9, true, true },
	};
	struct sides s;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		sides_from(&s, cases[i].levels, 4, cases[i].head);
		for (int labeled = 0; labeled < 2; labeled++) {
			struct level_test_result r = tested(&s, labeled);
			if (r.shown != cases[i].shown ||
				r.above != cases[i].above)
				fail_msg("case %zu, %d: p %g, df %g", i,
					labeled, r.p, r.floor_df);
		}
	}
}

/* More runs of a head do not decide if commits differ. They differ by 1 %, so
 * the interval is 4 % +- 3.18 * 1 % * sqrt(1 + 1.037 / 4): 0.4 to 7.7 %. */
static void more_runs_of_a_commit(void **state)
{
	static const double differ[] = { 1.2, -0.8, 0.4, -0.8 };
	struct sides s;

	(void)state;
	sides_from(&s, differ, 4, 4);
	struct level_test_result r = tested(&s, true);
	assert_int_equal(r.needed, -1);
	assert_true(fabs(r.low - 0.004) < 0.003);
	assert_true(fabs(r.high - 0.077) < 0.004);
}

/* Twelve earlier commits say how commits differ; they do not say at what level the
 * base is. `d` percent is the deviation between commits.
 *
 * Four commits with d = 1 (above) allow a rise of 5.5 %; with 11 more degrees of
 * freedom the quantile is 2.71, which allows 3.0 %. Two commits that agree by chance
 * allow little; with 11 more degrees of freedom they allow 2.75 * d * sqrt(1 + 1/2)
 * = 3.4 %. */
static void earlier_commits(void **state)
{
	static const double differ[] = { 1.2, -0.8, 0.4, -0.8, 1.2, -0.8, 0.4,
		-0.8, 1.2, -0.8, 0.4, -0.8 },
			    far[] = { 12, -8, 4, -8, 12, -8, 4, -8, 12, -8, 4,
				    -8 },
			    equal[12] = { 0 },
			    stairs[] = { 0, 0, 0, 0, 0, 0, 20, 20, 20, 20, 20,
				    20 };
	static const struct {
		const char *odd;
		const double *base, *earlier;
		double times, head;
		uint32_t base_n;
		bool without, with, used;
	} cases[] = {
		{ "few that differ", differ, differ, 1, 4, 4, false, true,
			true },
		{ "another level", differ, differ, 0.7, 4, 4, false, true,
			true },
		{ "two that agree", equal, differ, 1, 3, 2, true, false, true },
		{ "noise that is new", differ, equal, 1, 4, 4, false, false,
			false },
		{ "noise that is gone", equal, far, 1, 3, 4, true, true,
			false },
		{ "a change of level", equal, stairs, 1, 3, 4, true, true,
			true },
	};
	struct sides s;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int labeled = 0; labeled < 2; labeled++) {
			sides_from(&s, cases[i].base, cases[i].base_n,
				cases[i].head);
			struct level_test_result alone = tested(&s, labeled);
			sides_earlier(&s, cases[i].earlier, 12, cases[i].times);
			struct level_test_result r = tested(&s, labeled);
			if (alone.shown != cases[i].without ||
				r.shown != cases[i].with ||
				r.earlier != (cases[i].used ? 60 : 0) ||
				fabs(r.base / alone.base - 1) > 0.002)
				fail_msg("%s, %d: p %g and %g, %u earlier",
					cases[i].odd, labeled, alone.p, r.p,
					r.earlier);
		}
}

/* The runs of the first commit have no label: each is a commit of its own. */
static void some_without_labels(void **state)
{
	static const double equal[] = { 0, 0, 0, 0 };
	struct sides s;

	(void)state;
	sides_from(&s, equal, 4, 3);
	for (uint32_t i = 0; i < s.base_n; i++)
		s.base_commit[i] = i < 10 ? i : 8 + i / 5;
	struct level_test_result r = tested(&s, true);
	assert_true(r.shown);
	sides_from(&s, equal, 4, 0);
	for (uint32_t i = 0; i < s.base_n; i++)
		s.base_commit[i] = i < 10 ? i : 8 + i / 5;
	r = tested(&s, true);
	assert_true(!r.above && r.low < 0 && r.high > 0);
}

/* One commit cannot show how commits differ; its runs decide. */
static void one_commit(void **state)
{
	static const double equal[] = { 0 };
	struct sides s;

	(void)state;
	sides_from(&s, equal, 1, 20);
	struct level_test_result r = tested(&s, true);
	assert_true(r.shown && r.floor_df > 7 && r.floor_df < 13);
	assert_int_equal(r.commits, 1);
}

/* Four commits that differ by a standard deviation of 1 %. The runs of a head of two
 * commits have a variance of (1/5)² + (4/5)² of theirs, as if it were of 1.5
 * commits, in whatever order they are. */
static void a_head_of_two_commits(void **state)
{
	static const double differ[] = { 1.2, -0.8, 0.4, -0.8 };
	static const uint32_t one[5] = { 0 }, last[] = { 0, 0, 0, 0, 1 },
			      among[] = { 0, 0, 1, 0, 0 },
			      each[] = { 0, 1, 2, 3, 4 };
	static const struct {
		const uint32_t *commit;
		double share;
	} cases[] = { { one, 1 }, { last, 0.68 }, { among, 0.68 },
		{ each, 0.2 } };
	double half[4];
	struct sides s;

	(void)state;
	sides_from(&s, differ, 4, 4);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		s.head_commit = cases[i].commit;
		struct level_test_result r = tested(&s, true);
		half[i] = log1p(r.high) - log1p(r.change);
	}
	/* The base's level has a variance of about 1.037 / 4 of a commit's. */
	for (size_t i = 1; i < sizeof cases / sizeof *cases; i++) {
		double want = (cases[i].share + 1.037 / 4) / (1 + 1.037 / 4);
		double is = half[i] * half[i] / (half[0] * half[0]);
		if (fabs(is / want - 1) > 0.05)
			fail_msg("case %zu: %g instead of %g", i, is, want);
	}
}

/* The runs of each of the head's two commits agree; the commits differ by 6 %, which is
 * no variance of runs. Taken as one commit, they are limited like outliers. */
static void a_head_whose_commits_differ(void **state)
{
	static const double equal[] = { 0, 0, 0, 0 };
	static const uint32_t commit[] = { 0, 1, 0, 1, 0 };
	struct sides s;

	(void)state;
	sides_from(&s, equal, 4, 0);
	for (uint32_t i = 0; i < s.head_n; i++)
		s.head[i] *= commit[i] ? 1.03 : 0.97;
	double together = tested(&s, true).floor;
	s.head_commit = commit;
	double apart = tested(&s, true).floor;
	if (!(apart < 0.8 * together))
		fail_msg("%g and %g", together, apart);
}

/* A single earlier unit does not show how much runs differ. */
static void one_earlier_unit(void **state)
{
	static const double equal[12] = { 0 };
	struct sides s;

	(void)state;
	sides_from(&s, equal, 1, 15);
	s.base_n = 1;
	sides_earlier(&s, equal, 1, 1);
	s.earlier_n = 1;
	struct level_test_result r = tested(&s, true);
	assert_true(r.above && !r.shown && r.needed == -1 && !r.earlier);
	sides_earlier(&s, equal, 1, 1);
	r = tested(&s, true);
	assert_true(r.shown && r.earlier == 5 && r.commits == 1);
}

/* Earlier units that a given floor leaves unused do not count. */
static void a_given_floor(void **state)
{
	static const double equal[12] = { 0 };
	struct sides s;

	(void)state;
	sides_from(&s, equal, 2, 3);
	sides_earlier(&s, equal, 12, 1);
	s.given = true;
	struct level_test_result r = tested(&s, true);
	assert_true(r.earlier == 0 && r.commits == 0);
	assert_true(isinf(r.floor_df) && fabs(r.floor - 0.01) < 1e-12);
}

/* A rise of 2.16 % (in logarithms 2.14) over 20 runs of the base is shown if it is
 * above q * 1 % * sqrt(1 / n + 1 / 20), where q is the quantile of alpha, 2.41 for 0.8 %
 * and 3.72 for 0.01 %. With two runs these are 1.79 and 2.76 %, with three 1.49 and
 * 2.30 %. The level after more runs is then between the limit (1.98) and the bound with
 * a probability of 0, 0.40, 0 and 0.16; up to 0.2, the runs would decide. */
static void runs_for_a_smaller_alpha(void **state)
{
	static const double equal[] = { 0, 0, 0, 0 };
	struct sides s;

	(void)state;
	sides_from(&s, equal, 4, 2.05);
	s.head_n = 1;
	s.given = true;
	assert_int_equal(tested(&s, true).needed, 2);
	s.repeat_alpha = 0.0001;
	assert_int_equal(tested(&s, true).needed, 3);
}

/* Every run of the base is the same. */
static void no_variance(void **state)
{
	struct sides s = { .base_n = 20, .head_n = 1, .head = { 1.03e6 } };

	(void)state;
	for (uint32_t i = 0; i < s.base_n; i++) {
		s.base[i] = 1e6;
		s.base_commit[i] = i;
	}
	struct level_test_result r = tested(&s, true);
	assert_true(r.shown && r.p == 0);
	s.head[0] = 1e6;
	r = tested(&s, true);
	assert_true(!r.above && r.change == 0);
}

/* A head of one run: p is at least what the base's own tail says. The base of 20
 * has one run of +10 %. A run of +12 % is beyond it by less than the tail
 * allows: (10 / 12)^3 / 21 = 0.028 (in logarithms: 0.0283). */
static void one_run(void **state)
{
	struct sides s = { .base_n = 20, .head_n = 1 };

	(void)state;
	for (uint32_t i = 0; i < s.base_n; i++) {
		s.base[i] = 1e6 * exp(i == 7 ? 0.1 : wavering(i));
		s.base_commit[i] = i;
	}
	s.head[0] = 1e6 * exp(0.12);
	struct level_test_result r = tested(&s, true);
	assert_true(r.above && !r.shown);
	assert_true(fabs(r.p - 0.0276) < 0.0015);
	s.head[0] = 1e6 * exp(0.05);
	r = tested(&s, true);
	assert_true(fabs(r.p - 2.0 / 21) < 1e-9);
	s.head[0] = 1e6 * exp(0.3);
	assert_true(tested(&s, true).shown);
	/* one commit less */
	s.base_n = 19;
	r = tested(&s, true);
	assert_true(r.above && !r.shown && r.needed >= 2);
}

/* Half of the runs are on a machine that is 6 % slower: a head there is no
 * news, in any order. */
static void two_machines(void **state)
{
	struct sides s = { .base_n = 40, .head_n = 1 };

	(void)state;
	for (uint32_t order = 0; order < 2; order++) {
		for (uint32_t i = 0; i < s.base_n; i++) {
			bool slow = order ? i / 3 % 2 : i % 2;
			s.base[i] = 1e6 * exp(0.06 * slow + wavering(i));
			s.base_commit[i] = i;
		}
		s.head[0] = 1e6 * exp(0.063);
		assert_false(tested(&s, true).shown);
	}
}

/* A base that becomes slower by 0.1 % from commit to commit. The head continues
 * this. */
static void drift(void **state)
{
	struct sides s = { .base_n = 40, .head_n = 1 };

	(void)state;
	for (uint32_t i = 0; i < s.base_n; i++) {
		s.base[i] = 1e6 * exp(0.001 * i + wavering(i));
		s.base_commit[i] = i;
	}
	s.head[0] = 1e6 * exp(0.04);
	assert_false(tested(&s, true).shown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commits),
		cmocka_unit_test(more_runs_of_a_commit),
		cmocka_unit_test(earlier_commits),
		cmocka_unit_test(some_without_labels),
		cmocka_unit_test(one_commit),
		cmocka_unit_test(a_head_of_two_commits),
		cmocka_unit_test(a_head_whose_commits_differ),
		cmocka_unit_test(one_earlier_unit),
		cmocka_unit_test(a_given_floor),
		cmocka_unit_test(runs_for_a_smaller_alpha),
		cmocka_unit_test(no_variance),
		cmocka_unit_test(one_run),
		cmocka_unit_test(two_machines),
		cmocka_unit_test(drift),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
