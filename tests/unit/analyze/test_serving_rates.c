/* test_serving_rates.c - tests the time per iteration and the tokens per second of each
 * phase on iterations that are written out. */
#include "serving_rates.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

enum { MOST = 8 };

/* "phase iterations median mean sequences tokens tokens/s tpot; …" */
static const char *rates_text(struct arena *a, const struct iterations *c)
{
	static const char *const words[] = { "unknown", "prefill", "decode",
		"mixed" };
	struct serving_rate r[SERVING_PHASES];
	const char *text = "";
	uint32_t n;

	assert_true(serving_rates_from(c, a, r, &n));
	for (uint32_t i = 0; i < n; i++)
		text = arena_printf(a, "%s%s%s %u %g %g %g %g %g %g", text,
			i ? "; " : "", words[r[i].phase], r[i].iterations,
			r[i].median_ns, r[i].mean_ns, r[i].sequences,
			r[i].tokens, r[i].tokens_per_s, r[i].tpot_ns);
	return text;
}

static void rates_of_phases(void **state)
{
	static const struct {
		const char *odd;
		struct stratum strata[4];
		struct {
			uint32_t stratum;
			int64_t ns;
			enum iteration_use use;
		} each[MOST];
		uint32_t n;
		const char *expected;
	} cases[] = {
		{ "none", { { 0 } }, { { 0 } }, 0, "" },
		{ "training: no phase", { { .sequences = 8, .tokens = 8 } },
			{ { 0, 1000, ITERATION_KEPT } }, 1, "" },
		/* decode: 8, 16 and 8 tokens in 1, 3 and 8 us: 32 tokens in 12 us */
		{ "two batches of one phase, a prefill between them",
			{ { .phase = PHASE_DECODE,
				  .sequences = 8,
				  .tokens = 8 },
				{ .phase = PHASE_DECODE,
					.sequences = 16,
					.tokens = 16 },
				{ .phase = PHASE_PREFILL,
					.sequences = 1,
					.tokens = 500 } },
			{ { 0, 1000, ITERATION_KEPT },
				{ 2, 10000, ITERATION_KEPT },
				{ 1, 3000, ITERATION_KEPT },
				{ 0, 8000, ITERATION_KEPT } },
			4,
			"prefill 1 10000 10000 1 500 5e+07 nan; decode 3 3000 4000 "
			"10.6667 10.6667 2.66667e+06 3000" },
		{ "warm-up and cut off iterations do not count",
			{ { .phase = PHASE_DECODE,
				.sequences = 2,
				.tokens = 2 } },
			{ { 0, 9000, ITERATION_WARMUP },
				{ 0, 1000, ITERATION_KEPT },
				{ 0, 500, ITERATION_PARTIAL } },
			3, "decode 1 1000 1000 2 2 2e+06 1000" },
		{ "speculative decoding: four tokens per sequence",
			{ { .phase = PHASE_DECODE,
				.sequences = 2,
				.tokens = 8 } },
			{ { 0, 1000, ITERATION_KEPT } }, 1,
			"decode 1 1000 1000 2 8 8e+06 nan" },
		{ "tokens of one batch are not known",
			{ { .phase = PHASE_MIXED, .sequences = 2, .tokens = 8 },
				{ .phase = PHASE_MIXED,
					.sequences = 2,
					.tokens = -1 } },
			{ { 0, 1000, ITERATION_KEPT },
				{ 1, 2000, ITERATION_KEPT } },
			2, "mixed 2 1500 1500 2 nan nan nan" },
	};
	(void)state;

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct arena a = { 0 };
		struct iteration each[MOST] = { 0 };
		struct stratum strata[4];
		const struct iterations c = { .iterations = each,
			.strata = strata,
			.n = cases[k].n,
			.strata_n = 4 };
		memcpy(strata, cases[k].strata, sizeof strata);
		for (uint32_t i = 0; i < cases[k].n; i++)
			each[i] = (struct iteration){
				.stratum = cases[k].each[i].stratum,
				.dur_ns = cases[k].each[i].ns,
				.use = cases[k].each[i].use
			};
		const char *is = rates_text(&a, &c);
		if (strcmp(is, cases[k].expected) != 0)
			fail_msg("%s: %s", cases[k].odd, is);
		arena_release(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_of_phases),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
