/* test_verdict_classes.c - tests which proven changes are regressed or improved,
 * which are within the margin, and that presence does not depend on time. */
#include "pair.h"

/* The row that changes takes 16 µs in the base. */
enum { CHANGED = ROWS - 1 };
#define CHANGED_NS 16e3

/* The sides of a case: their evidence follows from their numbers of runs and
 * iterations. */
static const struct pair_shape {
	enum evidence by;
	uint32_t units, iterations;
} by_runs = { EVIDENCE_RUNS, 6, 5 },
  by_iterations = { EVIDENCE_ITERATIONS, 1, 40 },
  by_launches = { EVIDENCE_LAUNCHES, 1, 2 };

/* `share`: of the row in the longer iteration. */
static void made_of(struct pair *p, const struct pair_shape *s, double noise,
	double share, double most_ns)
{
	made(p, ROWS, s->units, s->units, s->iterations, noise);
	p->in.permutations = 2000;
	p->in.base_iteration_ns = p->in.head_iteration_ns = most_ns / share;
}

static void exchanged(struct pair *p)
{
	struct verdict_side base = p->in.base;
	p->in.base = p->in.head;
	p->in.head = base;
	for (uint32_t r = 0; r < p->in.n; r++) {
		struct verdict_row *x = &p->rows[r], was = *x;
		x->base = was.head;
		x->head = was.base;
		x->base_launches = was.head_launches;
		x->base_min_ns = was.head_min_ns;
		x->base_max_ns = was.head_max_ns;
		x->head_launches = was.base_launches;
		x->head_min_ns = was.base_min_ns;
		x->head_max_ns = was.base_max_ns;
	}
}

static enum change_class opposite(enum change_class is)
{
	static const enum change_class of[] = {
		[CHANGE_REGRESSED] = CHANGE_IMPROVED,
		[CHANGE_IMPROVED] = CHANGE_REGRESSED,
		[CHANGE_APPEARED] = CHANGE_VANISHED,
		[CHANGE_VANISHED] = CHANGE_APPEARED,
		[CHANGE_LIKELY] = CHANGE_LIKELY,
		[CHANGE_WITHIN_MARGIN] = CHANGE_WITHIN_MARGIN,
		[CHANGE_UNDECIDED] = CHANGE_UNDECIDED,
		[CHANGE_UNCHANGED] = CHANGE_UNCHANGED,
	};
	return of[is];
}

/* The class in both directions. */
static void expect(struct pair *p, const char *what, enum change_class want,
	enum evidence by)
{
	for (int turn = 0; turn < 2; turn++) {
		judged(p);
		const struct change *c = &p->c[CHANGED];
		if (c->is != want || c->evidence != by)
			fail_msg("%s, %s: class %d by %d, not %d by %d; p %g",
				what, turn ? "exchanged" : "as drawn", c->is,
				c->evidence, want, by, c->p_family);
		exchanged(p);
		want = opposite(want);
	}
}

/* Half the margin of 5 % is a factor of sqrt(1.05) = 1.02470. A fifth of it is
 * 1 % of the longer iteration. Times do not vary, so that every change is
 * proven and exactly as large as it is given. */
static const struct proven {
	const char *what;
	double share, ratio;
	enum change_class is;
} proven[] = {
	{ "2 % of 60 %: 1.2 % of the iteration", 0.6, 1.02, CHANGE_REGRESSED },
	{ "2 % less of 60 %", 0.6, 0.98, CHANGE_IMPROVED },
	{ "1.02 % of the iteration", 1, 1.0103, CHANGE_REGRESSED },
	{ "0.98 % of the iteration", 1, 1.0098, CHANGE_WITHIN_MARGIN },
	{ "2 % of 9 %", 0.09, 1.02, CHANGE_WITHIN_MARGIN },
	{ "2 % less of 9 %", 0.09, 1 / 1.02, CHANGE_WITHIN_MARGIN },
	{ "just less than half the margin", 0.09, 1.0246,
		CHANGE_WITHIN_MARGIN },
	{ "just more than half the margin", 0.09, 1.0248, CHANGE_REGRESSED },
	{ "the inverse of just less", 0.09, 1 / 1.0246, CHANGE_WITHIN_MARGIN },
	{ "the inverse of just more", 0.09, 1 / 1.0248, CHANGE_IMPROVED },
	{ "0.0085 % of the iteration", 0.0015, 1.06, CHANGE_WITHIN_MARGIN },
	{ "too short to be tested", 0.0008, 1.5, CHANGE_UNCHANGED },
	{ "nothing", 0.6, 1, CHANGE_UNCHANGED },
};

static void a_proven_change_is_named_by_what_it_changes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof proven / sizeof *proven; i++) {
		const struct proven *x = &proven[i];
		double most_ns = CHANGED_NS * fmax(x->ratio, 1);
		for (int k = 0; k < 2; k++) {
			const struct pair_shape *s =
				k ? &by_runs : &by_iterations;
			struct pair p;
			made_of(&p, s, 0, x->share, most_ns);
			times(&p, CHANGED, true, x->ratio);
			expect(&p, x->what, x->is, s->by);
			arena_release(&p.a);
		}
	}
}

/* An interval is within the margin in both directions or in none: up to 4.88 %
 * of the mean of both sides. Runs differ by a known 1 %, so the 95 % interval of
 * one run a side is as wide as 1.96 · 1 % · sqrt(2) = 2.77 % of the mean. */
static void a_margin_is_the_same_in_both_directions(void **state)
{
	static const struct {
		const char *what;
		double ratio;
		enum change_class is;
	} cases[] = {
		{ "2.05 % and 2.77 % are 4.82 %", 1.0207, CHANGE_UNCHANGED },
		{ "2.17 % and 2.77 % are 4.94 %", 1.0219, CHANGE_UNDECIDED },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pair p;
		made_of(&p, &by_iterations, 0, 0.2, CHANGED_NS);
		floors(&p, 0.01, INFINITY);
		times(&p, CHANGED, true, cases[i].ratio);
		expect(&p, cases[i].what, cases[i].is, EVIDENCE_ITERATIONS);
		arena_release(&p.a);
	}
}

/* After a change of clocks by 25 %, a kernel is 0.5 % slower than the others. */
static void beyond_a_common_factor_the_rest_counts(void **state)
{
	struct pair p;
	(void)state;
	made_of(&p, &by_iterations, 0, 0.1, CHANGED_NS);
	for (uint32_t r = 0; r < ROWS; r++)
		times(&p, r, true, r == CHANGED ? 1.25 * 1.005 : 1.25);
	judged(&p);
	assert_true(p.common.there);
	is(&p, CHANGED, CHANGE_WITHIN_MARGIN, EVIDENCE_ITERATIONS);
	arena_release(&p.a);
}

/* `every`: the function runs in every such iteration of the head. */
static const struct presence {
	const char *what;
	const struct pair_shape *shape;
	double share;
	uint32_t every;
	enum change_class is;
} presences[] = {
	{ "half a percent, by runs", &by_runs, 0.005, 1, CHANGE_APPEARED },
	{ "half a percent, by iterations", &by_iterations, 0.005, 1,
		CHANGE_APPEARED },
	{ "half a percent, by launches", &by_launches, 0.005, 1,
		CHANGE_APPEARED },
	{ "0.05 %, by runs", &by_runs, 0.0005, 1, CHANGE_APPEARED },
	{ "0.05 %, by iterations", &by_iterations, 0.0005, 1, CHANGE_APPEARED },
	{ "0.05 %, by launches", &by_launches, 0.0005, 1, CHANGE_APPEARED },
	{ "0.002 %, by runs", &by_runs, 0.00002, 1, CHANGE_APPEARED },
	{ "0.002 %, by iterations", &by_iterations, 0.00002, 1,
		CHANGE_APPEARED },
	{ "0.002 %, by launches", &by_launches, 0.00002, 1, CHANGE_APPEARED },
	{ "0.0005 %, by runs", &by_runs, 0.000005, 1, CHANGE_UNCHANGED },
	{ "0.0005 %, by iterations", &by_iterations, 0.000005, 1,
		CHANGE_UNCHANGED },
	{ "0.0005 %, by launches", &by_launches, 0.000005, 1,
		CHANGE_UNCHANGED },
	{ "one iteration of each run", &by_runs, 0.0005, 5, CHANGE_APPEARED },
	{ "every other run", &by_runs, 0.05, 10, CHANGE_UNDECIDED },
	{ "one iteration of one run", &by_iterations, 0.05, 40,
		CHANGE_UNDECIDED },
	{ "one of two iterations", &by_launches, 0.05, 2, CHANGE_UNDECIDED },
};

static void presence_does_not_depend_on_time(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof presences / sizeof *presences; i++) {
		const struct presence *x = &presences[i];
		struct pair p;
		made_of(&p, x->shape, 0.02, x->share, CHANGED_NS / x->every);
		times(&p, CHANGED, false, 0);
		for (uint32_t c = 0; c < p.in.head.n; c++)
			if (c % x->every)
				((double *)p.rows[CHANGED].head)[c] = 0;
		expect(&p, x->what, x->is, x->shape->by);
		arena_release(&p.a);
	}
}

/* Times of a new function that differ tenfold between runs are no evidence of
 * their size. It ran in all four runs of the head and in none of the base: of
 * the 70 ways to split eight runs, two separate them so. */
static void presence_has_a_p_of_its_own(void **state)
{
	static const double level[] = { 0.1, 10, 0.2, 30 };
	struct pair p;
	(void)state;
	made(&p, ROWS, 4, 4, 5, 0.3);
	p.in.permutations = 2000;
	times(&p, CHANGED, false, 0);
	for (uint32_t c = 0; c < p.in.head.n; c++)
		((double *)p.rows[CHANGED].head)[c] *= level[c / 5];
	/* Another function ran in four of the eight runs, two of each side: it
	 * can be separated as well, so that chance has two ways more. */
	for (uint32_t c = 0; c < p.in.head.n; c++)
		if (c / 5 % 2) {
			((double *)p.rows[3].base)[c] = 0;
			((double *)p.rows[3].head)[c] = 0;
		}
	judged(&p);
	is(&p, CHANGED, CHANGE_APPEARED, EVIDENCE_RUNS);
	assert_true(p.c[CHANGED].p_family <= 4.0 / 70 + 1e-12);
	assert_true(p.c[CHANGED].p_family >= 2.0 / 70 - 1e-12);
	assert_true(p.c[3].is >= CHANGE_UNDECIDED);
	arena_release(&p.a);
}

/* Six runs a side that differ by 0.3 %. The first runs of a side are outliers. */
static const struct outliers {
	const char *what;
	double change; /* of all runs of the head */
	uint32_t base_n, head_n; /* how many outliers */
	double by;
	enum change_class is;
} outliers[] = {
	{ "10 %, hidden by one run of the base", 1.1, 1, 0, 1.3,
		CHANGE_REGRESSED },
	{ "10 % less, and one run of the head", 0.9, 0, 1, 1.3,
		CHANGE_IMPROVED },
	{ "one run of each side", 1.1, 1, 1, 2, CHANGE_REGRESSED },
	{ "one run alone: 10 % of the mean", 1, 0, 1, 1.6, CHANGE_UNDECIDED },
	{ "one run alone: 2 % of the mean", 1, 0, 1, 1.12, CHANGE_UNCHANGED },
	{ "two of six runs are no accident", 1, 0, 2, 1.3, CHANGE_UNDECIDED },
};

static void one_run_does_not_hide_the_others(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof outliers / sizeof *outliers; i++) {
		const struct outliers *x = &outliers[i];
		uint32_t length = by_runs.iterations;
		struct pair p;
		made_of(&p, &by_runs, 0.01, 0.2, CHANGED_NS);
		times(&p, CHANGED, true, x->change);
		for (uint32_t c = 0; c < x->base_n * length; c++)
			((double *)p.rows[CHANGED].base)[c] *= x->by;
		for (uint32_t c = 0; c < x->head_n * length; c++)
			((double *)p.rows[CHANGED].head)[c] *= x->by;
		expect(&p, x->what, x->is, EVIDENCE_RUNS);
		arena_release(&p.a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_proven_change_is_named_by_what_it_changes),
		cmocka_unit_test(a_margin_is_the_same_in_both_directions),
		cmocka_unit_test(beyond_a_common_factor_the_rest_counts),
		cmocka_unit_test(presence_does_not_depend_on_time),
		cmocka_unit_test(presence_has_a_p_of_its_own),
		cmocka_unit_test(one_run_does_not_hide_the_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
