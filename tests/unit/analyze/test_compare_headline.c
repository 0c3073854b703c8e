/* test_compare_headline.c - tests that the summary sentence names the change of
 * the iteration first, and says the mirrored sentence for mirrored sides. */
#include "sides.h"
#include "compare_state.h"
#include <math.h>
#include <stdlib.h>

/* A run whose iterations take the given times: `ns` in a kernel that computes,
 * `idle_ns` in nothing. */
static struct compared_run timed(struct arena *a, int64_t id, const int64_t *ns,
	const int64_t *idle_ns, uint32_t n)
{
	struct compared_run r = sides_run(a, id, n);
	struct pattern *p = sides_kernel(a, &r, "gemm", 1, 1);
	for (uint32_t i = 0; i < n; i++) {
		struct iteration *y = &r.iterations.iterations[i];
		p->dur_ns[i] = p->min_ns[i] = p->max_ns[i] = ns[i];
		y->compute_ns = ns[i];
		y->comm_ns = y->copy_ns = 0;
		y->idle_ns = idle_ns[i];
		y->dur_ns = ns[i] + idle_ns[i];
	}
	return r;
}

/* Three iterations a side of which the idle time differs fivefold: 20 splits
 * cannot give a p of 0.05 (2 / 20), those of four and four can (2 / 70).
 *
 * The interval: means 1,000 and 200 µs. Deviations of the logarithms, as
 * Python's statistics.variance gives them: 0.00361 and 0.00361, pooled with
 * four degrees of freedom; t 2.776. Runs: 2.776 * 0.03 * sqrt(2). The half
 * width is sqrt((2.776 * 0.0601 * sqrt(2 / 3))^2 + 0.1178^2) = 0.1801, so the
 * ratio is 0.2 * exp(-0.1801) = 0.167 to 0.2 * exp(0.1801) = 0.239. */
static void a_large_change_that_is_not_proven_comes_first(void **state)
{
	static const int64_t same[] = { 100000, 100000, 100000 };
	static const int64_t slow[] = { 840000, 900000, 960000 };
	static const int64_t fast[] = { 88000, 100000, 112000 };
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = timed(&a, 1, same, slow, 3),
			    h = timed(&a, 2, same, fast, 3);
	(void)state;

	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_string_equal(c.headline,
		"the iteration takes 1 ms in the base, 200 µs in the head "
		"(-80.0 %, 95 % interval -83.3 % to -76.1 %); no function "
		"changed: the only one is within 5 %, or too short to be "
		"significant; 3 iterations a side cannot prove the change of "
		"the iteration: 4 would");
	sides_compare(&h, 1, &b, 1, &a, &c);
	/* 1 / 0.239 = 4.18 to 1 / 0.167 = 5.99 */
	assert_string_equal(c.headline,
		"the iteration takes 200 µs in the base, 1 ms in the head "
		"(+400.0 %, 95 % interval +317.6 % to +498.7 %); no function "
		"changed: the only one is within 5 %, or too short to be "
		"significant; 3 iterations a side cannot prove the change of "
		"the iteration: 4 would");
	arena_release(&a);
}

enum { MANY = 12 };

/* Idle time falls in one direction and rises in the other. */
static void idle_time_fell_or_rose(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	int64_t same[MANY], slow[MANY], fast[MANY];
	(void)state;

	for (int i = 0; i < MANY; i++) {
		same[i] = 100000 + i % 3 * 100;
		slow[i] = 900000 + i % 4 * 100;
		fast[i] = 100000 + i % 4 * 100;
	}
	struct compared_run b = timed(&a, 1, same, slow, MANY),
			    h = timed(&a, 2, same, fast, MANY);
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_non_null(strstr(c.headline,
		"; idle time of the GPU fell by 800 µs per iteration (-88.9 %), "
		"by permutation of iterations"));
	assert_int_equal(strncmp(c.headline,
				 "the iteration takes 1 ms in the base, 200.2 "
				 "µs in the head (-80.0 %, 95 % interval -",
				 80),
		0);
	assert_null(strstr(c.headline, "cannot prove"));
	sides_compare(&h, 1, &b, 1, &a, &c);
	assert_non_null(strstr(c.headline,
		"; idle time of the GPU rose by 800 µs per iteration "
		"(+798.8 %), by permutation of iterations"));
	arena_release(&a);
}

/* All runs have the same causes, one after the other: of 800 µs, 500 in host gaps
 * and 310 in launch calls; blocking copies take 10 µs in the other direction. */
static void the_largest_cause_of_idle_time_is_named(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	int64_t same[MANY], slow[MANY], fast[MANY], zero[MANY] = { 0 };
	int64_t base[3][MANY], head[3][MANY];
	(void)state;

	for (int i = 0; i < MANY; i++) {
		same[i] = 100000 + i % 3 * 100;
		slow[i] = 900000 + i % 4 * 100;
		fast[i] = 100000 + i % 4 * 100;
		base[0][i] = 550000 + i % 4 * 100;
		base[1][i] = 350000;
		base[2][i] = 0;
		head[0][i] = 50000 + i % 4 * 100;
		head[1][i] = 40000;
		head[2][i] = 10000;
	}
	struct compared_run b = timed(&a, 1, same, slow, MANY),
			    h = timed(&a, 2, same, fast, MANY);
	static const enum wait_cause of[] = { WAIT_HOST_GAP, WAIT_LAUNCH,
		WAIT_COPY };
	for (int i = 0; i < WAIT_CAUSES; i++)
		b.idle_cause_ns[i] = h.idle_cause_ns[i] = zero;
	for (int i = 0; i < 3; i++) {
		b.idle_cause_ns[of[i]] = base[i];
		h.idle_cause_ns[of[i]] = head[i];
	}
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_non_null(strstr(c.headline,
		"; idle time of the GPU fell by 800 µs per iteration (-88.9 "
		"%), of which host gaps -500 µs, by permutation of "
		"iterations"));
	sides_compare(&h, 1, &b, 1, &a, &c);
	assert_non_null(strstr(c.headline, "rose by 800 µs per iteration "
					   "(+798.8 %), of which host gaps "
					   "+500 µs, by"));
	/* the other cause changes in the other direction */
	for (int i = 0; i < MANY; i++) {
		head[0][i] = 50000 + i % 4 * 100;
		head[1][i] = 50000;
		head[2][i] = 0;
		base[0][i] = 900000 + i % 4 * 100;
		base[1][i] = 0;
	}
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_non_null(strstr(c.headline, ", mostly host gaps -850 µs, by"));
	arena_release(&a);
}

/* +10 % cannot be proven against the assumed 3 % between runs by any number of
 * iterations (2.78 * 3 % * sqrt(2) = 11.8 %), but by more runs. */
static void runs_are_named_where_iterations_cannot_prove(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	int64_t base[MANY], head[MANY], idle[MANY];
	(void)state;

	for (int i = 0; i < MANY; i++) {
		base[i] = 1000000 + i % 3 * 1000;
		head[i] = 1100000 + i % 4 * 1000;
		idle[i] = 1000;
	}
	struct compared_run b = timed(&a, 1, base, idle, MANY),
			    h = timed(&a, 2, head, idle, MANY);
	sides_compare(&b, 1, &h, 1, &a, &c);
	const char *at = strstr(c.headline,
		"; 12 iterations a side cannot prove the change of the "
		"iteration: ");
	assert_non_null(at);
	assert_non_null(strstr(at, " runs a side would"));
	arena_release(&a);
}

/* A run of MANY iterations of `ns` that differ by a tenth of a percent. */
static struct compared_run near(struct arena *a, int64_t id, int64_t ns)
{
	int64_t each[MANY], idle[MANY];
	for (int i = 0; i < MANY; i++) {
		each[i] = ns + i % 3 * (ns / 1000);
		idle[i] = 0;
	}
	return timed(a, id, each, idle, MANY);
}

static bool says_what_would_prove(const struct compared_run *base,
	const struct compared_run *head)
{
	struct arena a = { 0 };
	struct comparison c;
	sides_compare(base, 1, head, 1, &a, &c);
	bool says = strstr(c.headline, " cannot prove ");
	arena_release(&a);
	return says;
}

/* With the margin of 5 % a proven change of the iteration is reported from a fifth
 * of it on, which is 1 % of the longer iteration: 1.02 % upwards is 1.01 %
 * of it, so it is worth a proof in both directions, and 1.00 % (0.99 %) is not. */
static void a_fifth_of_the_margin_is_the_same_in_both_directions(void **state)
{
	struct arena a = { 0 };
	struct compared_run at = near(&a, 1, 1000000),
			    beyond = near(&a, 2, 1010200),
			    below = near(&a, 3, 1010000);
	(void)state;

	assert_true(says_what_would_prove(&at, &beyond));
	assert_true(says_what_would_prove(&beyond, &at));
	assert_false(says_what_would_prove(&at, &below));
	assert_false(says_what_would_prove(&below, &at));
	arena_release(&a);
}

/* The runs a side that would prove the change between two recordings without
 * iterations of 1 ms each and two of 1.08 ms each, if the recordings of a side
 * differ by `spread`. */
static uint32_t windows_that_would_prove(double spread)
{
	static const char says[] =
		"2 recordings a side cannot prove the change of "
		"kernels that compute: ";
	static const double ns[] = { 1000000, 1080000 };
	struct compared_run r[2][2];
	struct arena a = { 0 };
	struct comparison c;

	for (int s = 0; s < 2; s++)
		for (int i = 0; i < 2; i++) {
			double half = (i ? 1 : -1) * spread / 2;
			int64_t x = (int64_t)(ns[s] * (1 + half)), none = 0;
			r[s][i] = timed(&a, 1 + 2 * s + i, &x, &none, 1);
			r[s][i].iterations.detector = ITERATIONS_WINDOW;
			r[s][i].iterations.range = NULL;
		}
	sides_compare(r[0], 2, r[1], 2, &a, &c);
	const char *at = strstr(c.headline, says);
	uint32_t n = at ? (uint32_t)strtoul(at + strlen(says), NULL, 10) : 0;
	arena_release(&a);
	return n;
}

/* The length of a recording is random, so its iterations do not show how runs
 * differ. The floor of the compared part does. */
static void recordings_that_differ_more_need_more_runs(void **state)
{
	uint32_t near = windows_that_would_prove(0.01),
		 far = windows_that_would_prove(0.15);
	(void)state;

	assert_in_range(near, 2, 10);
	assert_in_range(far, near + 1, 100);
}

/* Two runs a side that differ by as much as assumed, 3 %, so that their
 * differences change only the degrees of freedom. Three rows are tested, so that
 * p must be 0.05 / 3. Three runs a side have 2 * 1.6 degrees of freedom and the
 * assumption 4: t(7.2) = 3.10, and 3.10 * 3 % * sqrt(2 / 3) = 7.6 % exceeds the
 * change of 7.4 %. If the two runs counted again, in addition to the three,
 * t(9.2) = 2.92 would make it 7.2 %. */
static void the_compared_runs_count_once_in_what_would_prove(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b[2] = { near(&a, 1, 979000),
		near(&a, 2, 1021000) },
			    h[2] = { near(&a, 3, 1051500),
				    near(&a, 4, 1096500) };
	(void)state;

	sides_compare(b, 2, h, 2, &a, &c);
	assert_non_null(strstr(c.headline,
		"cannot prove the change of the iteration: 4 runs a side "
		"would"));
	arena_release(&a);
}

/* Ten of twelve kernels take 40 % longer, so the sentence does not say that all
 * do. Clocks are named only if they differ. */
static void a_uniform_change_names_clocks_that_differ(void **state)
{
	static struct fact base[] = { { "power_cap_w", "700" } };
	static struct fact head[] = { { "power_cap_w", "350" } };
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g",
		"h", "i", "j", "k", "l" };
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run r[2];
	(void)state;

	for (int s = 0; s < 2; s++) {
		r[s] = sides_run(&a, s + 1, MANY);
		for (int k = 0; k < 12; k++) {
			struct pattern *p = sides_kernel(&a, &r[s], names[k],
				s && k < 10 ? 70000 : 50000, 4);
			for (int i = 0; i < MANY; i++)
				p->dur_ns[i] += (i * (k + 3)) % 5 * 100;
		}
	}
	sides_compare(&r[0], 1, &r[1], 1, &a, &c);
	assert_true(c.common.there);
	const char *at = strstr(c.headline,
		"a uniform change: most kernels take 1.4 times as long (+");
	assert_non_null(at);
	assert_null(strstr(c.headline, "clock"));
	r[0].facts = (struct facts){ base, 1 };
	r[1].facts = (struct facts){ head, 1 };
	sides_compare(&r[0], 1, &r[1], 1, &a, &c);
	assert_non_null(strstr(c.headline,
		" per iteration), and the clocks or power limits differ; "));
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_large_change_that_is_not_proven_comes_first),
		cmocka_unit_test(idle_time_fell_or_rose),
		cmocka_unit_test(the_largest_cause_of_idle_time_is_named),
		cmocka_unit_test(runs_are_named_where_iterations_cannot_prove),
		cmocka_unit_test(
			a_fifth_of_the_margin_is_the_same_in_both_directions),
		cmocka_unit_test(recordings_that_differ_more_need_more_runs),
		cmocka_unit_test(
			the_compared_runs_count_once_in_what_would_prove),
		cmocka_unit_test(a_uniform_change_names_clocks_that_differ),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
