/* test_gate_data.c - tests which data gates require; operators and headroom. */
#include "gate_sides.h"

static void bad(const struct fixture *f, const struct gate *g, const char *what,
	const char *sentence)
{
	(void)f;
	assert_int_equal(g->outcome, GATE_BAD_DATA);
	assert_int_equal(g->runs_needed, 0);
	assert_true(g->shortfalls_n > 0);
	assert_string_equal(g->shortfalls[0].what, what);
	assert_string_equal(g->shortfalls[0].sentence, sentence);
	assert_string_equal(g->sentence, sentence);
}

static void runs_and_iterations(void **state)
{
	struct fixture *f = *state;

	gate_sides_from(&f->s, 20, 2, 1, &f->a);
	f->p.min_runs = 3;
	struct gate g = gate_of(&f->s, &f->p, &f->a);
	bad(f, &g, "runs",
		"the head has 2 runs to compare; at least 3 are required");
	f->p.min_runs = 1;
	f->p.min_iterations = 13;
	g = gate_of(&f->s, &f->p, &f->a);
	assert_int_equal(g.shortfalls_n, 2);
	assert_string_equal(g.shortfalls[0].sentence,
		"of the 20 runs of the base 0 have 13 iterations or more to "
		"compare; at least 1 is required");
	assert_string_equal(g.sentence,
		"of the 20 runs of the base 0 have 13 iterations or more to "
		"compare; at least 1 is required; 2 reasons in all");
	assert_int_equal(g.rules_n, 0);
	/* a short run among them is ignored without effect on the others */
	f->s.base[3] = sides_run(&f->a, 4, 2);
	sides_kernel(&f->a, &f->s.base[3], "norm", 100000, 4);
	sides_kernel(&f->a, &f->s.base[3], "gemm", 3000000, 4);
	f->p.min_iterations = 4;
	g = gate_of(&f->s, &f->p, &f->a);
	assert_int_equal(g.outcome, GATE_PASS);
	assert_true(gate_rule_of(&g, GATE_ITERATION, NULL)->base_ns < 1.01e6);
}

static void findings(void **state)
{
	struct fixture *f = *state;

	gate_sides_from(&f->s, 4, 3, 1.5, &f->a);
	f->s.head[1].content = CONTENT_STATISTICS;
	struct gate g = gate_of(&f->s, &f->p, &f->a);
	assert_int_equal(g.outcome, GATE_BAD_DATA);
	assert_string_equal(g.shortfalls[0].what, "statistics_only");
	assert_int_equal(g.rules_n, 0);
	f->s.head[1].content = CONTENT_DURATIONS;
	g = gate_of(&f->s, &f->p, &f->a);
	assert_int_equal(g.outcome, GATE_BAD_DATA);
	assert_string_equal(g.shortfalls[0].what, "no_starts");
	assert_int_equal(g.rules_n, 0);
	gate_sides_from(&f->s, 4, 3, 1.5, &f->a);
	f->s.head[0].device_names = (const char *const[]){ "A" };
	f->s.base[0].device_names = (const char *const[]){ "B" };
	f->s.head[0].device_names_n = f->s.base[0].device_names_n = 1;
	g = gate_of(&f->s, &f->p, &f->a);
	assert_int_equal(g.outcome, GATE_REGRESSED);
	f->p.reject_on = UINT64_C(1) << FINDING_devices_differ;
	g = gate_of(&f->s, &f->p, &f->a);
	assert_int_equal(g.outcome, GATE_BAD_DATA);
	assert_string_equal(g.shortfalls[0].what, "devices_differ");
	/* rules are still reported, although they do not decide */
	assert_int_equal(gate_rule_of(&g, GATE_ITERATION, NULL)->outcome,
		GATE_REGRESSED);
}

/* Heads that do different work are not a regression. */
static void strata_differ(void **state)
{
	struct fixture *f = *state;

	gate_sides_from(&f->s, 4, 3, 1.5, &f->a);
	for (uint32_t i = 0; i < 7; i++) {
		struct stratum *s = (i < 4 ? &f->s.base[i] : &f->s.head[i - 4])
					    ->iterations.strata;
		s->text =
			i < 4 ? "decode, 16 sequences" : "decode, 64 sequences";
		s->phase = PHASE_DECODE;
		s->sequences = i < 4 ? 16 : 64;
	}
	struct gate g = gate_of(&f->s, &f->p, &f->a);
	assert_int_equal(g.outcome, GATE_BAD_DATA);
	assert_string_equal(g.shortfalls[0].what, "other_work");
}

static void shares(void **state)
{
	struct fixture *f = *state;

	gate_sides_from(&f->s, 4, 3, 1, &f->a);
	f->p.min_attributed_pct = 80;
	struct gate g = gate_of(&f->s, &f->p, &f->a);
	assert_int_equal(g.shortfalls_n, 2);
	assert_string_equal(g.shortfalls[0].what, "attributed");
	assert_string_equal(g.shortfalls[0].sentence,
		"operators are known for an unknown share of the base's GPU "
		"time; at least 80 % is required");
	for (uint32_t i = 0; i < 7; i++) {
		int64_t run = i < 4 ? i + 1 : i + 97;
		gate_operator(&f->s, run, "mm", i < 4 ? 0.9 : 0.7, NAN);
		gate_operator(&f->s, run, NULL, i < 4 ? 0.1 : 0.3, NAN);
	}
	g = gate_of(&f->s, &f->p, &f->a);
	bad(f, &g, "attributed",
		"operators are known for 70.0 % of the head's GPU time; at least 80 % "
		"is required");
	f->p.min_attributed_pct = NAN; /* no requirement */
	g = gate_of(&f->s, &f->p, &f->a);
	assert_int_equal(g.outcome, GATE_PASS);
	f->p.min_coverage_pct = 99;
	for (uint32_t i = 0; i < 3; i++)
		f->s.head[i].kernel_ns *= 2;
	g = gate_of(&f->s, &f->p, &f->a);
	assert_int_equal(g.shortfalls_n, 1);
	assert_string_equal(g.shortfalls[0].what, "coverage");
	/* an unknown value does not meet the requirement */
	for (uint32_t i = 0; i < 3; i++)
		f->s.head[i].kernel_ns = 0;
	g = gate_of(&f->s, &f->p, &f->a);
	assert_string_equal(g.shortfalls[g.shortfalls_n - 1].sentence,
		"iterations hold an unknown share of the head's GPU time; at least "
		"99 % is required");
}

/* The GPU takes 0.1 ms plus two thirds of an iteration: 767.8 µs in three runs
 * of the head, 767.3 µs in the first run of the head alone, and 767.2 µs in
 * eight runs of the base. */
static void operators(void **state)
{
	static const struct {
		double base, head; /* shares */
		uint32_t head_n;
		enum gate_outcome outcome;
		const char *sentence; /* NULL: not compared */
	} cases[] = {
		{ 0.5, 0.5, 3, GATE_PASS, NULL },
		{ 0.5, 0.6, 3, GATE_REGRESSED, NULL },
		{ 0.5, 0.4, 3, GATE_PASS, NULL },
		{ 0, 0.1, 3, GATE_REGRESSED,
			"operator 'mm' is new: 76.78 µs per iteration" },
		{ 0, 0.1, 1, GATE_UNDECIDED,
			"operator 'mm' is new: 76.73 µs per iteration; one run of "
			"the head cannot fail the gate, because the base has fewer "
			"than 20 commits; 1 more run of the head would probably "
			"decide" },
		{ 0.1, 0, 3, GATE_PASS,
			"operator 'mm' is gone: it took 76.72 µs per iteration" },
		{ 0, 0, 3, GATE_UNDECIDED,
			"operator 'mm' is on neither side, so nothing is "
			"judged" },
		{ NAN, 0.1, 3, GATE_UNDECIDED,
			"operator 'mm' is not judged: the operators of one "
			"side are unknown" },
	};
	struct gate_limit limit = { "mm", 5 };
	struct fixture *f = *state;

	f->p.iteration_pct = NAN;
	f->p.fail_on = 0;
	f->p.operators = &limit;
	f->p.operators_n = 1;
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		gate_sides_from(&f->s, 8, cases[k].head_n, 1, &f->a);
		for (uint32_t i = 0; i < 11; i++) {
			double share = i < 8 ? cases[k].base : cases[k].head;
			int64_t run = i < 8 ? i + 1 : i + 93;
			if (isnan(share))
				continue;
			gate_operator(&f->s, run, "other", 0.2, NAN);
			if (share > 0)
				gate_operator(&f->s, run, "mm", share, NAN);
		}
		struct gate g = gate_of(&f->s, &f->p, &f->a);
		assert_int_equal(g.rules_n, 1);
		if (g.outcome != cases[k].outcome)
			fail_msg("case %zu: %s: %s", k,
				gate_outcome_word(g.outcome), g.sentence);
		if (cases[k].sentence)
			assert_string_equal(g.sentence, cases[k].sentence);
	}
}

/* An operator that some runs have and others lack is still compared. */
static void now_and_then(void **state)
{
	struct gate_limit limit = { "mm", 5 };
	struct fixture *f = *state;

	f->p.iteration_pct = NAN;
	f->p.fail_on = 0;
	f->p.operators = &limit;
	f->p.operators_n = 1;
	gate_sides_from(&f->s, 8, 3, 1, &f->a);
	for (uint32_t i = 0; i < 11; i++)
		gate_operator(&f->s, i < 8 ? i + 1 : i + 93, "mm",
			i == 2 ? 0 : 0.2, NAN);
	struct gate g = gate_of(&f->s, &f->p, &f->a);
	assert_int_equal(g.outcome, GATE_PASS);
	assert_true(isfinite(g.rules[0].change_pct) &&
		    isfinite(g.rules[0].low_pct));
}

/* In the base, 30 % of the 0.77 ms of GPU time in an iteration of 1 ms is
 * headroom; in the head 50 % is. The difference is 15 % of the iteration, and 2/3
 * of the base's headroom. */
static void headroom(void **state)
{
	struct fixture *f = *state;

	f->p.iteration_pct = NAN;
	f->p.fail_on = 0;
	f->p.headroom_pct = 5;
	gate_sides_from(&f->s, 8, 3, 1, &f->a);
	struct gate g = gate_of(&f->s, &f->p, &f->a);
	assert_int_equal(g.outcome, GATE_UNDECIDED);
	assert_int_equal(g.runs_needed, -1);
	assert_string_equal(g.sentence,
		"headroom is unknown: no "
		"operator's sizes are known on one side or both");
	for (uint32_t i = 0; i < 11; i++)
		gate_operator(&f->s, i < 8 ? i + 1 : i + 93, "mm", 0.8,
			i < 8 ? 0.3 : 0.5);
	g = gate_of(&f->s, &f->p, &f->a);
	assert_int_equal(g.outcome, GATE_REGRESSED);
	const struct gate_rule *r = &g.rules[0];
	assert_true(isnan(r->limit_pct) && r->iteration_limit_pct == 5);
	assert_true(fabs(r->iteration_change_pct - 15.3) < 0.3);
	assert_true(fabs(r->change_pct - 66.7) < 0.3);
	assert_true(r->low_pct < r->change_pct && r->change_pct < r->high_pct);
	assert_string_equal(g.sentence,
		"headroom is higher by 15.3 % of the "
		"iteration (95 % interval: 15.1 to 15.6), 383.8 µs per iteration "
		"instead of 230.2 µs; the limit is 5 % of the iteration");
}

/* A run whose all-reduces of 1,000,000 bytes over two ranks (factor 1) have this
 * bus bandwidth, in bytes per ns. */
static void busbw_add(struct arena *a, struct compared_run *r, double gb_s)
{
	struct collective *c = arena_new(a, struct collective);

	*c = (struct collective){ .name = "nccl",
		.call = { .kind = COLLECTIVE_ALL_REDUCE,
			.dtype = DTYPE_FP32,
			.elements = 250000,
			.bytes = 1000000,
			.group = "0",
			.group_handle = -1,
			.group_size = 2,
			.sequence = -1 },
		.n = 2,
		.start_ns = arena_array(a, int64_t, 2),
		.dur_ns = arena_array(a, int64_t, 2) };
	for (int i = 0; i < 2; i++) {
		c->start_ns[i] = i * 100000;
		c->dur_ns[i] = (int64_t)(1e6 / gb_s);
	}
	r->collectives = (struct collectives){ c, 1 };
}

/* The base has 200 GB/s, with 1 % between runs. A fall is a regression, a rise is
 * not, and the other side of a bandwidth may be unknown. */
static void busbw(void **state)
{
	static const struct {
		double base, head; /* 0: unknown */
		enum gate_outcome outcome;
		double change_pct; /* about */
		const char *sentence;
	} rows[] = {
		{ 200, 160, GATE_REGRESSED, -20, NULL },
		{ 200, 195, GATE_PASS, -2.5, NULL },
		{ 160, 200, GATE_PASS, 25, NULL },
		{ 200, 0, GATE_UNDECIDED, NAN,
			"the bus bandwidth of collectives is not judged: no "
			"collective of the head has a known size and process "
			"group" },
		{ 0, 200, GATE_UNDECIDED, NAN,
			"the bus bandwidth of collectives is not judged: no "
			"collective of the base has a known size and process "
			"group" },
		{ 0, 0, GATE_UNDECIDED, NAN,
			"the bus bandwidth of collectives is not judged: no "
			"collective of either side has a known size and "
			"process group" },
	};
	struct fixture *f = *state;

	f->p.iteration_pct = NAN;
	f->p.fail_on = 0;
	f->p.busbw_pct = 5;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		gate_sides_from(&f->s, 8, 3, 1, &f->a);
		for (uint32_t k = 0; k < 11; k++) {
			struct compared_run *r =
				k < 8 ? &f->s.base[k] : &f->s.head[k - 8];
			double gb_s = k < 8 ? rows[i].base : rows[i].head;
			if (gb_s > 0)
				busbw_add(&f->a, r, gb_s * gate_wavering(k));
		}
		struct gate g = gate_of(&f->s, &f->p, &f->a);
		const struct gate_rule *r = gate_rule_of(&g, GATE_BUSBW, NULL);
		assert_int_equal(g.outcome, rows[i].outcome);
		assert_true(r->limit_pct == 5 && isnan(r->base_ns));
		if (rows[i].sentence)
			assert_string_equal(r->sentence, rows[i].sentence);
		if (isnan(rows[i].change_pct)) {
			assert_int_equal(r->runs_needed, -1);
			continue;
		}
		assert_true(fabs(r->change_pct - rows[i].change_pct) < 1.5);
		assert_true(r->low_pct < r->change_pct &&
			    r->change_pct < r->high_pct);
		assert_true(fabs(r->base_gb_s / rows[i].base - 1) < 0.01);
		assert_true(fabs(r->head_gb_s / rows[i].head - 1) < 0.01);
	}
}

/* Limits of 5 % on three measures: of the first and the second lower values are better,
 * of the third higher ones. */
static void measures(void **state)
{
	enum { NONE = -1000 }; /* the run has no such measure */
	static struct gate_limit limits[] = { { "ttft_p99", 5 },
		{ "failed_requests", 5 }, { "output_throughput", 5 } };
	static const char *const units[] = { "ms", "requests", "tokens/s" };
	static const struct {
		const char *what;
		int of;
		double base, head;
		enum gate_outcome outcome;
		double change_pct; /* about; NaN none */
		const char *sentence;
	} rows[] = {
		{ "latency rises", 0, 100, 120, GATE_REGRESSED, 20, NULL },
		{ "latency rises less", 0, 100, 102, GATE_PASS, 2, NULL },
		{ "latency falls", 0, 120, 100, GATE_PASS, -17, NULL },
		{ "throughput falls", 2, 200, 160, GATE_REGRESSED, -20, NULL },
		{ "throughput falls less", 2, 200, 195, GATE_PASS, -2.5, NULL },
		{ "throughput rises", 2, 160, 200, GATE_PASS, 25, NULL },
		{ "failures appear", 1, 0, 3, GATE_REGRESSED, (double)NAN,
			"measure 'failed_requests' is 3 requests instead of 0 "
			"requests" },
		{ "failures are gone", 1, 3, 0, GATE_PASS, -100,
			"measure 'failed_requests' is 0 requests instead of 3 "
			"requests" },
		{ "no failures", 1, 0, 0, GATE_PASS, (double)NAN,
			"measure 'failed_requests' is 0 on both sides" },
		{ "no throughput at all", 2, 200, 0, GATE_UNDECIDED,
			(double)NAN,
			"measure 'output_throughput' is not judged: a value is 0 "
			"or less, so changes in percent have no meaning" },
		{ "negative", 0, 100, -1, GATE_UNDECIDED, (double)NAN,
			"measure 'ttft_p99' is not judged: a value is below 0, so "
			"changes in percent have no meaning" },
		{ "only in the base", 0, 100, NONE, GATE_UNDECIDED, (double)NAN,
			"measure 'ttft_p99' is not judged: no run of the head has "
			"it" },
		{ "only in the head", 0, NONE, 100, GATE_UNDECIDED, (double)NAN,
			"measure 'ttft_p99' is not judged: no run of the base has "
			"it" },
		{ "nowhere", 0, NONE, NONE, GATE_UNDECIDED, (double)NAN,
			"measure 'ttft_p99' is not judged: no run of either side "
			"has it" },
	};
	struct gate_measure_value values[11];
	struct fixture *f = *state;

	f->p.iteration_pct = NAN;
	f->p.fail_on = 0;
	f->p.measures_n = 1;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *name = limits[rows[i].of].of;
		uint32_t n = 0;
		gate_sides_from(&f->s, 8, 3, 1, &f->a);
		for (uint32_t k = 0; k < 11; k++) {
			bool base = k < 8;
			double x = base ? rows[i].base : rows[i].head;
			bool wavers = rows[i].of != 1 && x > 0;
			if (x > NONE)
				values[n++] = (struct gate_measure_value){
					.run = base ? f->s.base[k].id
						    : f->s.head[k - 8].id,
					.name = name,
					.unit = units[rows[i].of],
					.value = wavers ? x * gate_wavering(k)
							: x,
					.higher_is_better = rows[i].of == 2
				};
		}
		f->s.given.measures = values;
		f->s.given.measures_n = n;
		f->p.measures = &limits[rows[i].of];
		struct gate g = gate_of(&f->s, &f->p, &f->a);
		const struct gate_rule *r =
			gate_rule_of(&g, GATE_MEASURE, name);
		if (g.outcome != rows[i].outcome)
			fail_msg("%s: %s", rows[i].what, g.sentence);
		if (rows[i].sentence)
			assert_string_equal(r->sentence, rows[i].sentence);
		assert_true(r->limit_pct == 5 && isnan(r->base_ns));
		assert_int_equal(r->fall, n && rows[i].of == 2);
		assert_true(isnan(r->change_pct) == isnan(rows[i].change_pct));
		assert_true(isnan(rows[i].change_pct) ||
			    fabs(r->change_pct - rows[i].change_pct) < 1.5);
		if (rows[i].outcome != GATE_REGRESSED ||
			isnan(rows[i].change_pct))
			continue;
		assert_true(r->low_pct < r->change_pct &&
			    r->change_pct < r->high_pct);
		assert_true(fabs(r->base_value / rows[i].base - 1) < 0.01);
		assert_true(fabs(r->head_value / rows[i].head - 1) < 0.01);
	}
}

/* The sentence of a test; runs of the base without the measure do not count, and one
 * value of the head is not enough. */
static void measures_of_some_runs(void **state)
{
	struct gate_limit limit = { "ttft_p99", 5 };
	struct gate_measure_value values[4];
	struct fixture *f = *state;

	gate_sides_from(&f->s, 8, 3, 1, &f->a);
	for (uint32_t k = 0; k < 4; k++)
		values[k] =
			(struct gate_measure_value){ .run = k < 3 ? k + 2 : 101,
				.name = "ttft_p99",
				.unit = "ms",
				.value = k < 3 ? 100 * gate_wavering(k) : 130 };
	f->s.given.measures = values;
	f->s.given.measures_n = 4;
	f->p.measures = &limit;
	f->p.measures_n = 1;
	struct gate g = gate_of(&f->s, &f->p, &f->a);
	const struct gate_rule *r = gate_rule_of(&g, GATE_MEASURE, NULL);
	assert_int_equal(r->outcome, GATE_UNDECIDED);
	assert_float_equal(r->head_value, 130, 1e-6);
	assert_float_equal(r->base_value, 100, 1);
	assert_non_null(strstr(r->sentence,
		"measure 'ttft_p99' may be 29.9 % higher (95 % interval: "));
	assert_non_null(strstr(r->sentence,
		"), 130 ms instead of 100.1 ms; the limit is 5 %; "));
}

/* Thirty units of six commits were stored before the base, which is one commit. Its
 * runs differ by less than 1 %, the commits by 6 %, of `from` ms. */
static void measures_of_earlier_units(void **state)
{
	enum { EARLIER = 30, SIDE = 5 };
	static const char *const commits[] = { "a", "b", "c", "d", "e", "f" };
	static const struct {
		const char *what;
		double pct; /* of every second commit above the others */
		bool zero; /* the first unit's value is 0 */
		bool in_history; /* the base is */
		bool higher;
		enum gate_outcome outcome;
		uint32_t earlier;
	} rows[] = {
		{ "as quiet as the base", 0, false, true, false, GATE_REGRESSED,
			EARLIER },
		{ "commits differ", 6, false, true, false, GATE_UNDECIDED,
			EARLIER },
		{ "commits differ, higher is better", 6, false, true, true,
			GATE_UNDECIDED, EARLIER },
		{ "a value of 0 has no logarithm", 6, true, true, false,
			GATE_REGRESSED, 0 },
		{ "the base was not stored after them", 6, false, false, false,
			GATE_REGRESSED, 0 },
	};
	struct gate_limit limit = { "ttft_p99", 5 };
	struct gate_stored_unit units[EARLIER + SIDE];
	struct gate_measure_value values[EARLIER + 2 * SIDE];
	const char *base[SIDE], *head[SIDE];
	struct fixture *f = *state;

	for (int i = 0; i < SIDE; i++)
		base[i] = "base", head[i] = "head";
	f->p.iteration_pct = NAN;
	f->p.fail_on = 0;
	f->p.measures = &limit;
	f->p.measures_n = 1;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		gate_sides_from(&f->s, SIDE, SIDE, 1, &f->a);
		for (uint32_t i = 0; i < EARLIER + 2 * SIDE; i++) {
			bool stored = i < EARLIER + SIDE, old = i < EARLIER;
			double pct = old && i / 5 % 2 ? rows[k].pct : 0;
			double worse = rows[k].higher ? 0.92 : 1.08;
			int64_t run = old      ? 200 + i
				      : stored ? i - EARLIER + 1
					       : i - EARLIER - SIDE + 101;
			values[i] = (struct gate_measure_value){ .run = run,
				.name = "ttft_p99",
				.unit = "ms",
				.value = 100 * gate_wavering(i) *
					 (1 + pct / 100) * (stored ? 1 : worse),
				.higher_is_better = rows[k].higher };
			if (stored)
				units[i] = (struct gate_stored_unit){ run, i,
					old ? commits[i / 5] : "base", 1e6 };
		}
		if (rows[k].zero)
			values[0].value = 0;
		const struct gate_history h = { .units = units,
			.n = rows[k].in_history ? EARLIER + SIDE : EARLIER };
		f->s.given.base_commits = base;
		f->s.given.head_commits = head;
		f->s.given.history = &h;
		f->s.given.measures = values;
		f->s.given.measures_n = EARLIER + 2 * SIDE;
		struct gate g = gate_of(&f->s, &f->p, &f->a);
		const struct gate_rule *r =
			gate_rule_of(&g, GATE_MEASURE, NULL);
		if (r->outcome != rows[k].outcome)
			fail_msg("%s: %s", rows[k].what, r->sentence);
		assert_int_equal(r->earlier_units, rows[k].earlier);
		assert_int_equal(r->commits, rows[k].earlier ? 6 : 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(runs_and_iterations),
		CASE(findings),
		CASE(strata_differ),
		CASE(shares),
		CASE(operators),
		CASE(now_and_then),
		CASE(headroom),
		CASE(busbw),
		CASE(measures),
		CASE(measures_of_some_runs),
		CASE(measures_of_earlier_units),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
