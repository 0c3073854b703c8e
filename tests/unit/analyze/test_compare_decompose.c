/* test_compare_decompose.c - tests that the terms of a mean time add up to it. */
#include "sides.h"
#include <math.h>

enum { STEPS = 12 };

/* A run of STEPS decode steps with 16 sequences. Each computes for `compute_ns`, copies
 * for 7 ns and is idle for `gap_ns`, and for 0 to 3 µs more. */
static struct compared_run decode(struct arena *a, int64_t id,
	int64_t compute_ns, int64_t gap_ns)
{
	struct compared_run r = sides_run(a, id, STEPS);
	int64_t *ns[WAIT_CAUSES];
	sides_kernel(a, &r, "gemm", compute_ns, 3);
	for (int c = 0; c < WAIT_CAUSES; c++)
		r.idle_cause_ns[c] = ns[c] = arena_array(a, int64_t, STEPS + 1);
	for (uint32_t i = 0; i < STEPS; i++) {
		struct iteration *y = &r.iterations.iterations[i];
		ns[WAIT_HOST_GAP][i] = gap_ns + 1000 * (i % 4);
		ns[WAIT_UNKNOWN][i] = i % 3;
		y->compute_ns = compute_ns;
		y->comm_ns = 0;
		y->copy_ns = 7;
		y->idle_ns = ns[WAIT_HOST_GAP][i] + ns[WAIT_UNKNOWN][i];
		y->dur_ns = y->compute_ns + y->copy_ns + y->idle_ns;
	}
	r.iterations.strata[0] = (struct stratum){ .text = "decode",
		.phase = PHASE_DECODE,
		.sequences = 16,
		.tokens = 16,
		.kv_tokens = -1,
		.iterations = STEPS };
	return r;
}

/* The terms add up to the total, and their changes to its change. */
static void adds_up(const struct decomposition *d)
{
	int64_t base_ns = 0, head_ns = 0;
	for (uint32_t i = 0; i < d->terms_n; i++) {
		base_ns += d->terms[i].base_ns;
		head_ns += d->terms[i].head_ns;
	}
	assert_int_equal(base_ns, d->total.base_ns);
	assert_int_equal(head_ns, d->total.head_ns);
}

static const struct change_term *term_of(const struct decomposition *d,
	const char *term)
{
	for (uint32_t i = 0; i < d->terms_n; i++)
		if (!strcmp(d->terms[i].term, term))
			return &d->terms[i];
	fail_msg("no term '%s'", term);
	return NULL;
}

/* One token per sequence: the time per output token is that of the step. The median of
 * 0, 1, 2 and 3 µs and 0, 1 and 2 ns is 1.501 µs. */
static void a_step_with_one_token_per_sequence(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = decode(&a, 1, 500000, 100000),
			    h = decode(&a, 2, 500000, 300000);
	(void)state;
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_int_equal(c.decompositions_n, 2);
	assert_null(c.tokens_reason);
	for (int i = 0; i < 2; i++) {
		const struct decomposition *d = &c.decompositions[i];
		assert_int_equal(d->of, i);
		adds_up(d);
		assert_int_equal(d->total.base_ns, 500007 + 101501);
		assert_int_equal(d->total.head_ns, 500007 + 301501);
		assert_true(d->total.low_ns == c.split[0].change.low_ns);
		assert_true(d->base_tokens == 1 && d->head_tokens == 1);
		assert_int_equal(d->by_tokens_ns, 0);
		assert_true(fabs(d->base_median_ns - (500007 + 101501)) < 1e-6);
		assert_int_equal(d->terms_n, 5);
		const struct change_term *t = term_of(d, "host_gap");
		assert_string_equal(t->description, "idle: host gaps");
		assert_int_equal(t->base_ns, 101500);
		assert_int_equal(t->head_ns, 301500);
		assert_true(t->low_ns == c.causes[0].change.low_ns &&
			    t->high_ns == c.causes[0].change.high_ns);
		assert_int_equal(term_of(d, "compute")->base_ns, 500000);
		assert_int_equal(term_of(d, "communication")->base_ns, 0);
		assert_int_equal(term_of(d, "copies")->head_ns, 7);
		assert_int_equal(term_of(d, "unknown")->head_ns, 1);
	}
	arena_release(&a);
}

/* Three ranks, whose means have thirds of nanoseconds. Their sum is rounded, and then
 * the terms with the largest remainders are rounded up. */
static void terms_of_a_job_are_rounded_so_that_they_add_up(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b[3], h[3];
	(void)state;
	for (int i = 0; i < 3; i++) {
		b[i] = decode(&a, 1 + i, 500000 + 2 * (i == 0), 100000);
		h[i] = decode(&a, 4 + i, 500000 + (i == 0),
			300000 + 2 * (i == 1));
		b[i].job = 7;
		h[i].job = 8;
		b[i].rank = h[i].rank = i;
		b[i].world_size = h[i].world_size = 3;
	}
	sides_compare(b, 3, h, 3, &a, &c);
	assert_int_equal(c.decompositions_n, 2);
	for (int i = 0; i < 2; i++)
		adds_up(&c.decompositions[i]);
	const struct decomposition *d = c.decompositions;
	/* 500000 2/3 + 7 + 101500 + 1 is 601508 2/3 */
	assert_int_equal(d->total.base_ns, 601509);
	assert_int_equal(term_of(d, "compute")->base_ns, 500001);
	assert_int_equal(term_of(d, "host_gap")->base_ns, 101500);
	/* 500000 1/3 + 7 + 301500 2/3 + 1 is 801509 */
	assert_int_equal(d->total.head_ns, 801509);
	assert_int_equal(term_of(d, "compute")->head_ns, 500000);
	assert_int_equal(term_of(d, "host_gap")->head_ns, 301501);
	arena_release(&a);
}

/* Four tokens of each sequence are verified in a step, of which 2 are accepted in the
 * base, and 2.5 in the head. The step takes 601,508 and 801,508 ns: per token 300,754
 * and 320,603.2. At equal tokens, that is by the mean of 1/2 and 1/2.5, the change
 * would be 200,000 * 0.45 = 90,000; the rest of 19,849.2 - 90,000 is by tokens. */
static void accepted_tokens_of_speculative_decoding(void **state)
{
	struct arena a = { 0 };
	struct comparison c, fro;
	struct compared_run b = decode(&a, 1, 500000, 100000),
			    h = decode(&a, 2, 500000, 300000);
	(void)state;
	b.iterations.strata[0].tokens = h.iterations.strata[0].tokens = 64;
	b.accept_length = 2;
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_int_equal(c.decompositions_n, 1);
	assert_string_equal(c.tokens_reason,
		"the iterations of run 2 have several tokens of each sequence, "
		"and it is not known how many are accepted; attach the measure "
		"accept_length to it");
	/* an earlier release stored it */
	h.accept_length = 1e-90;
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_int_equal(c.decompositions_n, 1);
	assert_non_null(c.tokens_reason);
	h.accept_length = 2.5;
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_null(c.tokens_reason);
	assert_int_equal(c.decompositions_n, 2);
	const struct decomposition *d = &c.decompositions[1];
	adds_up(d);
	assert_int_equal(d->total.base_ns, 300754);
	assert_int_equal(d->total.head_ns, 320603);
	assert_int_equal(d->by_tokens_ns, -70151);
	assert_true(d->base_tokens == 2 && d->head_tokens == 2.5);
	assert_true(fabs(d->head_median_ns - 801508 / 2.5) < 1e-6);
	/* compute did not change: 250,000 and 200,000 per token */
	const struct change_term *t = term_of(d, "compute");
	assert_int_equal(t->head_ns - t->base_ns, -50000);
	assert_true(t->low_ns < -50000 && t->high_ns > -50000);
	sides_compare(&h, 1, &b, 1, &a, &fro);
	const struct decomposition *m = &fro.decompositions[1];
	assert_int_equal(m->total.base_ns, 320603);
	assert_int_equal(m->by_tokens_ns, 70151);
	assert_true(m->base_tokens == 2.5);
	assert_true(fabs(term_of(m, "compute")->low_ns + t->high_ns) < 1e-6);
	arena_release(&a);
}

/* A benchmark measured 1 and 1.1 ms; the engine took 601,508 and 801,508 ns. */
static void the_time_outside_the_engine(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = decode(&a, 1, 500000, 100000),
			    h = decode(&a, 2, 500000, 300000);
	(void)state;
	b.tpot_ns = 1e6;
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_int_equal(c.decompositions[1].terms_n, 5);
	h.tpot_ns = 1e105; /* likewise */
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_int_equal(c.decompositions[1].terms_n, 5);
	h.tpot_ns = 1.1e6;
	sides_compare(&b, 1, &h, 1, &a, &c);
	const struct decomposition *d = &c.decompositions[1];
	adds_up(d);
	assert_int_equal(d->total.base_ns, 1000000);
	assert_int_equal(d->total.head_ns, 1100000);
	assert_true(isnan(d->total.low_ns));
	const struct change_term *t = term_of(d, "outside_engine");
	assert_int_equal(t->base_ns, 398492);
	assert_int_equal(t->head_ns, 298492);
	assert_true(t->low_ns == 100000 - c.decompositions[0].total.high_ns);
	assert_true(t->high_ns == 100000 - c.decompositions[0].total.low_ns);
	assert_int_equal(c.decompositions[0].terms_n, 5);
	arena_release(&a);
}

/* Two runs of a side with 12 steps each: of 1 and 3 accepted tokens, 2 in the mean; a
 * benchmark of only one of them is none of the side. */
static void repeats_have_the_mean_of_their_tokens(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b[2] = { decode(&a, 1, 500000, 100000),
		decode(&a, 2, 500000, 100000) },
			    h = decode(&a, 3, 500000, 100000);
	(void)state;
	b[0].iterations.strata[0].tokens = b[1].iterations.strata[0].tokens =
		h.iterations.strata[0].tokens = 48;
	b[0].accept_length = 1;
	b[1].accept_length = 3;
	h.accept_length = 2;
	b[0].tpot_ns = h.tpot_ns = 1e6;
	sides_compare(b, 2, &h, 1, &a, &c);
	const struct decomposition *d = &c.decompositions[1];
	assert_true(d->base_tokens == 2);
	assert_int_equal(d->by_tokens_ns, 0);
	assert_int_equal(d->total.base_ns, 601508 / 2);
	assert_int_equal(d->terms_n, 5);
	arena_release(&a);
}

/* Tokens that are not known, another phase, causes that are not stored, iterations
 * without a stratum, and unknown parts. */
static void what_is_not_known_is_left_out(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = decode(&a, 1, 500000, 100000),
			    h = decode(&a, 2, 500000, 300000);
	(void)state;
	b.iterations.strata[0].tokens = h.iterations.strata[0].tokens = -1;
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_int_equal(c.decompositions_n, 1);
	assert_string_equal(c.tokens_reason,
		"the tokens of the iterations of run 1 are not known");
	b.iterations.strata[0].phase = h.iterations.strata[0].phase =
		PHASE_PREFILL;
	b.idle_cause_ns[0] = NULL;
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_int_equal(c.decompositions_n, 1);
	assert_null(c.tokens_reason);
	adds_up(c.decompositions);
	assert_int_equal(c.decompositions->terms_n, 4);
	assert_int_equal(term_of(c.decompositions, "idle")->base_ns, 101501);
	b.iterations.strata_n = h.iterations.strata_n = 0;
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_int_equal(c.decompositions_n, 1);
	struct compared_run x = sides_run(&a, 3, STEPS),
			    y = sides_run(&a, 4, STEPS);
	sides_kernel(&a, &x, "gemm", 1000, 1);
	sides_kernel(&a, &y, "gemm", 1000, 1);
	sides_compare(&x, 1, &y, 1, &a, &c);
	assert_int_equal(c.decompositions_n, 0);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_with_one_token_per_sequence),
		cmocka_unit_test(
			terms_of_a_job_are_rounded_so_that_they_add_up),
		cmocka_unit_test(accepted_tokens_of_speculative_decoding),
		cmocka_unit_test(the_time_outside_the_engine),
		cmocka_unit_test(repeats_have_the_mean_of_their_tokens),
		cmocka_unit_test(what_is_not_known_is_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
