/* test_gate.c - the results of gates for constructed sides. */
#include "gate_sides.h"

static void how_many_runs(void **state)
{
	static const struct {
		uint32_t base, head;
		double times, floor;
		enum gate_outcome outcome;
	} cases[] = {
		{ 20, 3, 1, NAN, GATE_PASS },
		{ 20, 3, 0.8, NAN, GATE_PASS },
		{ 20, 3, 1.2, NAN, GATE_REGRESSED },
		{ 20, 2, 1.2, NAN, GATE_REGRESSED },
		{ 64, 64, 1.2, NAN, GATE_REGRESSED },
		{ 64, 64, 1, NAN, GATE_PASS },
		{ 20, 1, 1, NAN, GATE_PASS },
		/* a single run of the head proves a regression if the base has
		 * 20 commits */
		{ 20, 1, 1.2, NAN, GATE_REGRESSED },
		{ 20, 1, 3, NAN, GATE_REGRESSED },
		{ 20, 1, 1.014, NAN, GATE_PASS },
		{ 19, 1, 1.2, NAN, GATE_UNDECIDED },
		{ 19, 1, 3, NAN, GATE_UNDECIDED },
		{ 1, 3, 1.2, NAN, GATE_UNDECIDED },
		{ 1, 1, 1.2, NAN, GATE_UNDECIDED },
		{ 1, 1, 1, NAN, GATE_PASS },
		/* unless the variation between runs is given */
		{ 1, 1, 1.2, 0.01, GATE_REGRESSED },
		{ 1, 1, 1.02, 0.01, GATE_UNDECIDED },
		{ 1, 1, 1.03, 0, GATE_REGRESSED },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		f->p.noise_floor = cases[i].floor;
		gate_sides_from(&f->s, cases[i].base, cases[i].head,
			cases[i].times, &f->a);
		struct gate g = gate_of(&f->s, &f->p, &f->a);
		if (g.outcome != cases[i].outcome)
			fail_msg("case %zu: %s: %s", i,
				gate_outcome_word(g.outcome), g.sentence);
		assert_true(g.outcome == GATE_UNDECIDED || !g.runs_needed);
		assert_true(g.outcome != GATE_UNDECIDED || g.runs_needed);
	}
}

/* Stored repeats replace the repeats that a base of one run lacks. */
static void repeats_replace_runs(void **state)
{
	struct repeat_mean means[4][1];
	struct repeat_run runs[4];
	struct repeats r = { runs, 4, NULL };
	struct fixture *f = *state;

	for (uint32_t i = 0; i < 4; i++) {
		means[i][0] = (struct repeat_mean){ "gemm",
			660000 * gate_wavering(i) };
		runs[i] = (struct repeat_run){ 200 + i, 1, 0, false, NULL,
			means[i], 1, NULL };
	}
	gate_sides_from(&f->s, 1, 3, 1.3, &f->a);
	f->s.given.repeats = &r;
	struct gate g = gate_of(&f->s, &f->p, &f->a);
	assert_int_equal(gate_rule_of(&g, GATE_ITERATION, NULL)->outcome,
		GATE_REGRESSED);
}

/* Six commits of five runs each, of which one is 6 % above the others. Runs of a
 * commit differ by less than 1 %. */
static void repeats_of_commits(void **state)
{
	static const char *const commits[] = { "a", "b", "c", "d", "e", "f" };
	struct repeat_mean means[30][1];
	struct repeat_run runs[30];
	struct repeats r = { runs, 30, NULL };
	const char *base[5], *head[5];
	struct fixture *f = *state;

	for (uint32_t i = 0; i < 30; i++) {
		double pct = i / 5 % 2 ? 3 : -3;
		means[i][0] = (struct repeat_mean){ "gemm",
			660000 * gate_wavering(i) * (1 + pct / 100) };
		runs[i] = (struct repeat_run){ 200 + i, 0, 0, false, NULL,
			means[i], 1, commits[i / 5] };
	}
	for (uint32_t i = 0; i < 5; i++)
		base[i] = "base", head[i] = "head";
	gate_sides_from(&f->s, 5, 5, 1.05, &f->a);
	f->s.given.base_commits = base;
	f->s.given.head_commits = head;
	struct gate g = gate_of(&f->s, &f->p, &f->a);
	const struct gate_rule *alone = gate_rule_of(&g, GATE_ITERATION, NULL);
	assert_int_equal(alone->outcome, GATE_REGRESSED);
	assert_int_equal(alone->commits, 1);
	assert_non_null(strstr(alone->sentence,
		"; the base has one commit, so the variance between commits is "
		"unknown"));
	f->s.given.repeats = &r;
	g = gate_of(&f->s, &f->p, &f->a);
	const struct gate_rule *all[] = { gate_rule_of(&g, GATE_ITERATION,
						  NULL),
		gate_rule_of(&g, GATE_FUNCTIONS, "gemm") };
	for (int i = 0; i < 2; i++) {
		assert_int_equal(all[i]->outcome, GATE_UNDECIDED);
		assert_int_equal(all[i]->commits, 6);
		assert_int_equal(all[i]->earlier_units, 30);
	}
	for (uint32_t i = 0; i < 30; i++)
		means[i][0].mean_ns = 660000 * gate_wavering(i);
	g = gate_of(&f->s, &f->p, &f->a);
	assert_int_equal(g.outcome, GATE_REGRESSED);
	assert_null(strstr(g.sentence, "one commit"));
	f->s.given.repeats = NULL;
	for (uint32_t i = 0; i < 5; i++)
		f->s.head[i] = gate_run(&f->a, i + 101, gate_wavering(i) * 1.3);
	g = gate_of(&f->s, &f->p, &f->a);
	const struct gate_rule *gemm = gate_rule_of(&g, GATE_FUNCTIONS, "gemm");
	assert_int_equal(gemm->outcome, GATE_REGRESSED);
	assert_non_null(strstr(gemm->sentence, "; the base has one commit"));
}

static void sentences(void **state)
{
	struct fixture *f = *state;

	gate_sides_from(&f->s, 20, 3, 1.2, &f->a);
	struct gate g = gate_of(&f->s, &f->p, &f->a);
	assert_string_equal(g.sentence,
		"the iteration is 20.1 % slower (95 % interval: 19.1 to 21.1), "
		"1.202 ms per iteration instead of 1.001 ms; the limit is 2 %; 2 "
		"rules are broken in all");
	assert_string_equal(gate_rule_of(&g, GATE_FUNCTIONS, "gemm")->sentence,
		"gemm on GPU 0 takes longer: +134 µs per iteration (+20.1 %), 13.4 "
		"% of the iteration, by permutation of iterations");
	assert_string_equal(gate_rule_of(&g, GATE_FUNCTIONS, "norm")->sentence,
		"norm on GPU 0 is unchanged: +0 ns per iteration (+0.0 %)");
	gate_sides_from(&f->s, 19, 1, 1.04, &f->a);
	g = gate_of(&f->s, &f->p, &f->a);
	assert_string_equal(g.sentence,
		"the iteration may be 4.0 % slower (95 % interval: 2.7 to 5.4), "
		"1.041 ms per iteration instead of 1.001 ms; the limit is 2 %; one "
		"run of the head cannot fail the gate, because the base has fewer "
		"than 20 commits; 1 more run of the head would probably decide; 2 "
		"rules are undecided in all");
	gate_sides_from(&f->s, 1, 1, 1.04, &f->a);
	g = gate_of(&f->s, &f->p, &f->a);
	assert_string_equal(g.sentence,
		"the iteration may be 4.0 % slower (95 % interval: -7.6 to 17.0), "
		"1.041 ms per iteration instead of 1.001 ms; the limit is 2 %; one "
		"run of the head cannot fail the gate, because the base has fewer "
		"than 20 commits; no number of runs of the head "
		"would decide, because the base has too few runs (1); 2 rules are "
		"undecided in all");
	gate_sides_from(&f->s, 1, 3, 1.04, &f->a);
	g = gate_of(&f->s, &f->p, &f->a);
	assert_int_equal(g.runs_needed, -1);
	gate_sides_from(&f->s, 20, 3, 1, &f->a);
	g = gate_of(&f->s, &f->p, &f->a);
	assert_string_equal(g.sentence,
		"the iteration is 0.1 % slower (95 % interval: -0.7 to 0.9), 1.002 "
		"ms per iteration instead of 1.001 ms; the limit is 2 %");
	f->p.iteration_pct = NAN;
	g = gate_of(&f->s, &f->p, &f->a);
	assert_string_equal(g.sentence,
		"no function fails: none of 2 has a verdict that fails the gate "
		"and a change of at least 1 % of the iteration");
}

/* Both sides have equal runs with different names. Nothing differs, and the
 * variation between runs is the only uncertainty. */
/* What a rule limits, and what its p are compared with: eight of ten parts of
 * alpha for the iteration, two for functions. */
static void figures(void **state)
{
	struct fixture *f = *state;

	gate_sides_from(&f->s, 20, 3, 1.2, &f->a);
	struct gate g = gate_of(&f->s, &f->p, &f->a);
	const struct gate_rule *iteration =
				       gate_rule_of(&g, GATE_ITERATION, NULL),
			       *gemm = gate_rule_of(&g, GATE_FUNCTIONS, "gemm"),
			       *norm = gate_rule_of(&g, GATE_FUNCTIONS, "norm");
	assert_true(iteration->limit_pct == 2 && isnan(iteration->p_family));
	assert_true(isnan(iteration->iteration_limit_pct) &&
		    isnan(iteration->iteration_change_pct));
	assert_true(fabs(iteration->alpha - 0.008) < 1e-12);
	assert_true(isnan(gemm->limit_pct) && gemm->iteration_limit_pct == 1);
	assert_true(fabs(gemm->change_pct - 20.1) < 0.05);
	assert_true(fabs(gemm->iteration_change_pct - 13.4) < 0.05);
	assert_true(gemm->iteration_low_pct < gemm->iteration_change_pct &&
		    gemm->iteration_change_pct < gemm->iteration_high_pct);
	assert_true(fabs(gemm->alpha - 0.002) < 1e-12);
	assert_true(gemm->p <= gemm->alpha && gemm->p_family <= gemm->alpha);
	/* it passes without a test of its own */
	assert_true(isnan(norm->p) && norm->p_family == 1);
}

static void identical(void **state)
{
	struct fixture *f = *state;

	gate_sides_from(&f->s, 4, 4, 1, &f->a);
	struct gate g = gate_of(&f->s, &f->p, &f->a);
	const struct gate_rule *r = gate_rule_of(&g, GATE_ITERATION, NULL);
	assert_int_equal(g.outcome, GATE_PASS);
	assert_true(r->change_pct == 0 && r->p == 0.5);
	for (uint32_t i = 0; i < 8; i++)
		for (uint32_t k = 0; k < GATE_ITERATIONS; k++)
			(i < 4 ? f->s.base : f->s.head)[i % 4]
				.iterations.iterations[k]
				.dur_ns = SIDES_ITERATION_NS;
	f->p.noise_floor = 0;
	g = gate_of(&f->s, &f->p, &f->a);
	r = gate_rule_of(&g, GATE_ITERATION, NULL);
	assert_int_equal(r->outcome, GATE_PASS);
	assert_true(r->low_pct == 0 && r->high_pct == 0 && r->p == 0.5);
}

/* Iterations of length zero have no ratio. */
static void zero_times(void **state)
{
	struct fixture *f = *state;

	gate_sides_from(&f->s, 4, 3, 1, &f->a);
	for (uint32_t k = 0; k < GATE_ITERATIONS; k++)
		f->s.head[0].iterations.iterations[k].dur_ns = 0;
	struct gate g = gate_of(&f->s, &f->p, &f->a);
	assert_int_equal(gate_rule_of(&g, GATE_ITERATION, NULL)->outcome,
		GATE_UNDECIDED);
}

/* The last six runs of the base are slower: heads like them pass, and heads
 * that are slower again fail. */
static void since_before(void **state)
{
	struct fixture *f = *state;

	for (uint32_t newer = 3; newer <= 9; newer += 3) {
		gate_sides_from(&f->s, 21, 3, 1.15, &f->a);
		for (uint32_t i = 21 - newer; i < 21; i++)
			f->s.base[i] =
				gate_run(&f->a, i + 1, 1.15 * gate_wavering(i));
		struct gate g = gate_of(&f->s, &f->p, &f->a);
		const struct gate_rule *r =
			gate_rule_of(&g, GATE_ITERATION, NULL);
		assert_int_equal(g.outcome, GATE_PASS);
		assert_int_equal(r->since_run, 22 - newer);
		assert_true(fabs(r->change_pct) < 1);
		r = gate_rule_of(&g, GATE_FUNCTIONS, "gemm");
		assert_int_equal(r->outcome, GATE_PASS);
		for (uint32_t i = 0; i < 3; i++)
			f->s.head[i] = gate_run(&f->a, i + 101,
				1.3 * gate_wavering(i));
		g = gate_of(&f->s, &f->p, &f->a);
		r = gate_rule_of(&g, GATE_ITERATION, NULL);
		assert_int_equal(r->outcome, GATE_REGRESSED);
		assert_int_equal(r->since_run, 0);
	}
}

/* The newest run of the base is an outlier, which excuses no head. */
static void one_odd_run(void **state)
{
	struct fixture *f = *state;

	gate_sides_from(&f->s, 11, 6, 1.2, &f->a);
	f->s.base[10] = gate_run(&f->a, 11, 1.1);
	struct gate g = gate_of(&f->s, &f->p, &f->a);
	const struct gate_rule *r = gate_rule_of(&g, GATE_ITERATION, NULL);
	assert_int_equal(r->outcome, GATE_REGRESSED);
	assert_int_equal(r->since_run, 0);
}

/* The runs of a job are one unit; the iteration is the mean over them. */
static void jobs(void **state)
{
	struct fixture *f = *state;

	gate_sides_from(&f->s, 20, 2, 1.2, &f->a);
	for (uint32_t i = 0; i < 20; i++) {
		f->s.base[i].job = 1 + i / 2;
		f->s.base[i].rank = i % 2;
		f->s.base[i].world_size = 2;
	}
	for (uint32_t i = 0; i < 2; i++) {
		f->s.head[i].job = 99;
		f->s.head[i].rank = (int32_t)i;
		f->s.head[i].world_size = 2;
	}
	struct gate g = gate_of(&f->s, &f->p, &f->a);
	assert_int_equal(g.compared.base.units, 10);
	assert_int_equal(g.compared.head.units, 1);
	assert_int_equal(g.outcome, GATE_UNDECIDED);
}

/* The base's query found earlier runs of the head's own commit, or only
 * these. */
static void head_in_the_base(void **state)
{
	const char *base[20], *head[3] = { "new", "new", "new" };
	struct fixture *f = *state;

	for (uint32_t own = 0; own <= 20; own += 5) {
		gate_sides_from(&f->s, 20, 3, 1.2, &f->a);
		for (uint32_t i = 0; i < 20; i++) {
			bool new = i >= 20 - own;
			base[i] = new ? "new" : arena_printf(&f->a, "c%u", i);
			if (new &&own < 20)
				f->s.base[i] = gate_run(&f->a, i + 1,
					1.2 * gate_wavering(i));
		}
		f->s.given.base_commits = base;
		f->s.given.head_commits = head;
		struct gate g = gate_of(&f->s, &f->p, &f->a);
		const struct gate_rule *r =
			gate_rule_of(&g, GATE_ITERATION, NULL);
		assert_int_equal(r->outcome, GATE_REGRESSED);
		assert_true(fabs(r->change_pct - 20) < 1);
	}
}

/* Which units of the history are before the base. They vary as the base does. */
static void units_before_the_base(void **state)
{
	enum { EARLIER = 30, BASE_N = 6, HISTORY = EARLIER + BASE_N };
	static const struct {
		const char *odd;
		uint32_t named, expected;
		int64_t base_from; /* id of the base's first run */
		const char *reason;
	} cases[] = {
		{ "all", 0, EARLIER, 1, NULL },
		{ "the anchor is named", 10, EARLIER - 10, 1, NULL },
		{ "only the anchor is before it", EARLIER, 0, 1, NULL },
		{ "the base is not stored", 0, 0, 301, NULL },
		{ "the base is the oldest", 0, 0, 201, NULL },
		{ "other iterations", 0, 0, 1, "the gate has its own" },
	};
	struct fixture *f = *state;

	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct gate_stored_unit units[HISTORY],
			head = { .run = 101, .ns = SIDES_ITERATION_NS };
		const struct gate_history h = { .units = units,
			.head = &head,
			.n = HISTORY,
			.head_n = 1,
			.named = cases[c].named,
			.query = cases[c].named ? "label.release=v1" : NULL,
			.reason = cases[c].reason };
		for (uint32_t i = 0; i < HISTORY; i++)
			units[i] = (struct gate_stored_unit){
				.run = i < EARLIER ? 201 + i : i - EARLIER + 1,
				.stored = i,
				.ns = SIDES_ITERATION_NS * gate_wavering(i)
			};
		gate_sides_from(&f->s, BASE_N, 3, 1.2, &f->a);
		for (uint32_t i = 0; i < BASE_N; i++)
			f->s.base[i].id = cases[c].base_from + i;
		f->s.given.history = &h;
		struct gate g = gate_of(&f->s, &f->p, &f->a);
		const struct gate_rule *r =
			gate_rule_of(&g, GATE_ITERATION, NULL);
		if (r->earlier_units != cases[c].expected ||
			(r->floor_df > 20) != (cases[c].expected > 0))
			fail_msg("%s: %u, df %g", cases[c].odd,
				r->earlier_units, r->floor_df);
	}
}

/* The base has 19 commits, too few for a head of one run, and the anchor one run,
 * too few for any head. The sentence of the rule against the anchor is about the
 * anchor. */
static void the_anchor_is_too_small(void **state)
{
	struct gate_stored_unit unit = { .run = 201, .ns = SIDES_ITERATION_NS },
				head = { .run = 101,
					.ns = 1.2 * SIDES_ITERATION_NS };
	const struct gate_history h = { .units = &unit,
		.head = &head,
		.n = 1,
		.head_n = 1,
		.named = 1,
		.query = "201" };
	struct fixture *f = *state;

	gate_sides_from(&f->s, 19, 1, 1.2, &f->a);
	f->s.given.history = &h;
	struct gate g = gate_of(&f->s, &f->p, &f->a);
	const struct gate_rule *r = gate_rule_of(&g, GATE_ANCHOR, NULL);
	const char *then = strstr(r->sentence, "; the limit is 3 %; ");
	assert_non_null(then);
	assert_string_equal(then,
		"; the limit is 3 %; no number of runs of the head would decide, "
		"because the anchor has too few runs (1)");
}

/* Runs of one commit agree within 1 %, and the three commits of the base differ
 * by 8 %: with two degrees of freedom no number of runs proves +10 %. */
static void the_base_has_too_few_commits(void **state)
{
	enum { RUNS = 12, COMMITS = 3 };
	static const char *const names[] = { "a", "b", "c" };
	static const double levels[] = { 1, 1.08, 0.92 };
	const char *commits[RUNS], *head[4] = { "d", "d", "d", "d" };
	struct fixture *f = *state;

	gate_sides_from(&f->s, RUNS, 4, 1.1, &f->a);
	for (uint32_t i = 0; i < RUNS; i++) {
		uint32_t c = i * COMMITS / RUNS;
		commits[i] = names[c];
		f->s.base[i] =
			gate_run(&f->a, i + 1, gate_wavering(i) * levels[c]);
	}
	f->s.given.base_commits = commits;
	f->s.given.head_commits = head;
	struct gate g = gate_of(&f->s, &f->p, &f->a);
	const struct gate_rule *r = gate_rule_of(&g, GATE_ITERATION, NULL);
	assert_int_equal(r->runs_needed, -1);
	const char *then = strstr(r->sentence, "no number of runs");
	assert_non_null(then);
	assert_string_equal(then,
		"no number of runs of the head would decide, because the base has "
		"too few commits (3)");
}

/* The anchor's rule has one more run of the head than the base's, whose unit has
 * too few iterations: the runs that are missing are counted from those that the
 * rule has. */
static void the_anchors_head_is_counted_by_itself(void **state)
{
	enum { OLD = 12, HEAD_RUNS = 3 };
	struct gate_stored_unit units[OLD], head[HEAD_RUNS];
	const struct gate_history h = { .units = units,
		.head = head,
		.n = OLD,
		.head_n = HEAD_RUNS };
	struct fixture *f = *state;

	for (uint32_t i = 0; i < OLD; i++)
		units[i] = (struct gate_stored_unit){ .run = 201 + i,
			.stored = i,
			.ns = SIDES_ITERATION_NS *
			      (1 + 4 * (gate_wavering(i) - 1)) };
	for (uint32_t i = 0; i < HEAD_RUNS; i++)
		head[i] = (struct gate_stored_unit){ .run = 101 + i,
			.ns = SIDES_ITERATION_NS * 1.045 };
	gate_sides_from(&f->s, OLD, HEAD_RUNS - 1, 1, &f->a);
	f->s.given.history = &h;
	struct gate g = gate_of(&f->s, &f->p, &f->a);
	const struct gate_rule *r = gate_rule_of(&g, GATE_ANCHOR, NULL);
	assert_int_equal(r->outcome, GATE_UNDECIDED);
	assert_true(r->runs_needed > HEAD_RUNS);
	const char *more = arena_printf(&f->a,
		"; %d more run%s of the head would probably decide",
		r->runs_needed - HEAD_RUNS,
		r->runs_needed == HEAD_RUNS + 1 ? "" : "s");
	assert_non_null(strstr(r->sentence, more));
}

static void policies_without_sense(void **state)
{
	static const char limit[] = "a limit is a number of percent, 0 or more";
	struct gate_limit none = { NULL, 5 }, less = { "mm", -1 };
	struct fixture *f = *state;
	const struct {
		struct gate_policy p;
		const char *text;
	} cases[] = {
		{ { .iteration_pct = NAN,
			  .headroom_pct = NAN,
			  .busbw_pct = NAN,
			  .alpha = 0.01 },
			"a gate without a rule: name a limit, or a class that "
			"fails" },
		{ { .iteration_pct = -1, .alpha = 0.01 }, limit },
		{ { .iteration_pct = INFINITY, .alpha = 0.01 }, limit },
		{ { .headroom_pct = -1, .alpha = 0.01 }, limit },
		{ { .busbw_pct = -1, .alpha = 0.01 }, limit },
		{ { .busbw_pct = 100, .alpha = 0.01 },
			"the limit of bus bandwidth is less than 100 %" },
		{ { .share_pct = NAN, .alpha = 0.01 }, limit },
		{ { .operators = &none, .operators_n = 1, .alpha = 0.01 },
			limit },
		{ { .operators = &less, .operators_n = 1, .alpha = 0.01 },
			limit },
		{ { .alpha = 0 }, "alpha is more than 0 and at most 0.5" },
		{ { .alpha = NAN }, "alpha is more than 0 and at most 0.5" },
		{ { .alpha = 0.6 }, "alpha is more than 0 and at most 0.5" },
		{ { .alpha = 0.01, .noise_floor = INFINITY },
			"a noise floor is a finite number, 0 or more" },
	};

	gate_sides_from(&f->s, 2, 2, 1, &f->a);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct err e = { 0 };
		struct gate g;
		assert_false(regression_gate_from(&f->s.given, &cases[i].p,
			&f->a, &g, &e));
		assert_string_equal(e.text, cases[i].text);
	}
	f->s.given.head_n = 0;
	struct err e = { 0 };
	struct gate g;
	assert_false(regression_gate_from(&f->s.given, &f->p, &f->a, &g, &e));
	assert_string_equal(e.text, "a side without a run");
}

/* The lowest limits and shares: everything above zero is tested. */
static void limits_of_nothing(void **state)
{
	struct fixture *f = *state;

	f->p.iteration_pct = f->p.share_pct = 0;
	gate_sides_from(&f->s, 20, 3, 1, &f->a);
	struct gate g = gate_of(&f->s, &f->p, &f->a);
	assert_int_not_equal(g.outcome, GATE_REGRESSED);
	gate_sides_from(&f->s, 20, 3, 1.2, &f->a);
	g = gate_of(&f->s, &f->p, &f->a);
	assert_int_equal(g.outcome, GATE_REGRESSED);
}

/* The parts of a thousand gates add up to at most alpha. */
static void alpha_of_the_gates_of_a_commit(void **state)
{
	double sum = 0;

	(void)state;
	assert_true(regression_gate_alpha(0.01, 0) == 0.01);
	assert_true(fabs(regression_gate_alpha(0.01, 1) - 0.008) < 1e-12);
	assert_true(fabs(regression_gate_alpha(0.01, 2) - 0.002) < 1e-12);
	for (uint32_t n = 1; n <= 1000; n++)
		sum += regression_gate_alpha(0.01, n);
	assert_true(sum < 0.04 / 3 && sum > 0.0131);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(how_many_runs),
		CASE(repeats_replace_runs),
		CASE(repeats_of_commits),
		CASE(sentences),
		CASE(figures),
		CASE(identical),
		CASE(zero_times),
		CASE(since_before),
		CASE(one_odd_run),
		CASE(jobs),
		CASE(head_in_the_base),
		CASE(units_before_the_base),
		CASE(the_anchor_is_too_small),
		CASE(the_base_has_too_few_commits),
		CASE(the_anchors_head_is_counted_by_itself),
		CASE(policies_without_sense),
		CASE(limits_of_nothing),
		cmocka_unit_test(alpha_of_the_gates_of_a_commit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
