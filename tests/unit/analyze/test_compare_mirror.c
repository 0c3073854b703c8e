/* test_compare_mirror.c - tests that the comparison of A with B and that of B
 * with A are mirrors, for random pairs of sides. */
#include "compare_state.h"
#include "xoshiro.h"
#include "sides.h"
#include <math.h>
#include <stdio.h>

enum { PAIRS = 60, FUNCTIONS = 12, RUNS_MOST = 5 };

/* Three of ten functions are slower in the head, one is only there, and one only
 * in the base. */
static double factor_of(uint32_t f, bool head)
{
	if (f % 10 == 8)
		return head;
	if (f % 10 == 9)
		return !head;
	return head && f % 10 < 3 ? 1.02 + 0.1 * f : 1;
}

static struct compared_run random_run(struct arena *a, struct xoshiro *x,
	int64_t id, bool head, uint32_t iterations)
{
	struct compared_run r = sides_run(a, id, iterations);
	double run = 1 + 0.02 * ((double)xoshiro_below(x, 1000) / 1000 - 0.5);
	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		char *name = arena_printf(a, "kernel %c", 'a' + (int)f);
		double of = factor_of(f, head);
		if (of == 0 && xoshiro_below(x, 2))
			continue;
		struct pattern *p = sides_kernel(a, &r, name, 0, of > 0);
		/* Every fourth function has no operator. */
		p->operator_ = f % 4 == 3 ? NULL : f % 4 ? "gemm" : "softmax";
		if (f == 8 || f == 9) { /* each on one side only: one row */
			p->operator_ = f == 8 ? "mla_decode_attention"
					      : "attention_forward";
			p->operator_group = "attention";
		}
		for (uint32_t i = 0; i < iterations; i++) {
			double noise = 1 + 0.01 * xoshiro_below(x, 10);
			p->dur_ns[i] =
				(int64_t)(of * run * noise * 10000 * (f + 1));
			p->launches[i] = of > 0 ? 1 + (f == 2 && head) : 0;
			p->min_ns[i] = p->max_ns[i] =
				of > 0 ? p->dur_ns[i] / p->launches[i] : -1;
		}
	}
	int64_t *ns[WAIT_CAUSES];
	for (int c = 0; c < WAIT_CAUSES; c++)
		r.idle_cause_ns[c] = ns[c] =
			arena_array(a, int64_t, iterations + 1);
	for (uint32_t i = 0; i < iterations; i++) {
		struct iteration *y = &r.iterations.iterations[i];
		y->dur_ns = 1100000 + xoshiro_below(x, 50000);
		y->compute_ns = 900000 + xoshiro_below(x, 50000);
		y->comm_ns = y->copy_ns = 0;
		y->idle_ns = y->dur_ns - y->compute_ns;
		ns[WAIT_HOST_GAP][i] = y->idle_ns / 3;
		ns[head ? WAIT_LAUNCH : WAIT_COPY][i] =
			y->idle_ns - y->idle_ns / 3;
	}
	return r;
}

static void is_mirrored(const struct change *a, const struct change *b)
{
	static const enum change_class other[] = {
		[CHANGE_REGRESSED] = CHANGE_IMPROVED,
		[CHANGE_APPEARED] = CHANGE_VANISHED,
		[CHANGE_IMPROVED] = CHANGE_REGRESSED,
		[CHANGE_VANISHED] = CHANGE_APPEARED,
	};
	enum change_class is = a->is <= CHANGE_VANISHED ? other[a->is] : a->is;
	assert_int_equal(is, b->is);
	assert_int_equal(a->evidence, b->evidence);
	assert_true(a->base_ns == b->head_ns && a->head_ns == b->base_ns);
	assert_true(a->delta_ns == -b->delta_ns);
	assert_false(a->delta_ns == 0 && signbit(a->delta_ns));
	assert_false(b->delta_ns == 0 && signbit(b->delta_ns));
	assert_true(a->shift_ns == -b->shift_ns);
	assert_true(a->low_ns == -b->high_ns && a->high_ns == -b->low_ns);
	assert_memory_equal(&a->p, &b->p, sizeof a->p); /* may be NaN */
	assert_memory_equal(&a->p_family, &b->p_family, sizeof a->p);
	assert_memory_equal(&a->q, &b->q, sizeof a->q);
	assert_true(a->floor == b->floor);
	if (a->base_ns > 0 && a->head_ns > 0)
		assert_true(fabs(log(a->ratio) + log(b->ratio)) < 1e-12);
}

static const struct changed_row *row_named(const struct comparison *c,
	const char *name, const char *device)
{
	for (uint32_t i = 0; i < c->rows_n; i++)
		if (!strcmp(c->rows[i].name, name) &&
			!strcmp(c->rows[i].head_device, device))
			return &c->rows[i];
	fail_msg("no row '%s'", name);
	return NULL;
}

static void operators_are_mirrored(const struct comparison *a,
	const struct comparison *b)
{
	assert_int_equal(a->operators_n, b->operators_n);
	for (uint32_t i = 0; i < a->operators_n; i++) {
		const struct changed_operator *x = &a->operators[i], *y = NULL;
		for (uint32_t k = 0; k < b->operators_n; k++)
			if (!strcmp(b->operators[k].name, x->name))
				y = &b->operators[k];
		assert_non_null(y);
		is_mirrored(&x->change, &y->change);
		assert_int_equal(x->functions_n, y->functions_n);
		assert_true(x->base_launches == y->head_launches);
		assert_int_equal(!x->base_kernels, !y->head_kernels);
		if (x->base_kernels)
			assert_string_equal(x->base_kernels, y->head_kernels);
		if (!x->inferred)
			continue;
		assert_string_equal(x->inferred, y->inferred);
		assert_int_equal(x->base_operators_n, y->head_operators_n);
		assert_string_equal(x->base_operators[0], y->head_operators[0]);
		assert_string_equal(x->head_operators[0], y->base_operators[0]);
	}
}

/* Operators, and functions without one, add up to all rows of runs without
 * ranks. */
static void operators_add_up(const struct comparison *c)
{
	double rows = 0, sum = 0;
	for (uint32_t i = 0; i < c->rows_n; i++)
		rows += c->rows[i].change.head_ns;
	for (uint32_t i = 0; i < c->operators_n; i++)
		sum += c->operators[i].change.head_ns;
	for (uint32_t i = 0; i < c->functions_n; i++)
		if (c->functions[i].operator_ == OPERATOR_NONE)
			sum += c->functions[i].change.head_ns;
	assert_true(fabs(sum - rows) < 0.5);
}

static void comparisons_are_mirrored(const struct comparison *a,
	const struct comparison *b)
{
	assert_int_equal(a->rows_n, b->rows_n);
	assert_int_equal(a->split_n, b->split_n);
	assert_int_equal(a->comparable, b->comparable);
	assert_int_equal(a->base.iterations_used, b->head.iterations_used);
	assert_int_equal(a->count[CHANGE_REGRESSED], b->count[CHANGE_IMPROVED]);
	assert_int_equal(a->count[CHANGE_VANISHED], b->count[CHANGE_APPEARED]);
	for (uint32_t i = 0; i < a->rows_n; i++) {
		const struct changed_row *x = &a->rows[i],
					 *y = row_named(b,
						 x->head_name ? x->head_name
							      : x->name,
						 x->device);
		is_mirrored(&x->change, &y->change);
		assert_true(x->by_count_ns == -y->by_count_ns);
		assert_true(x->by_duration_ns == -y->by_duration_ns);
		assert_true(x->base_mean_ns == y->head_mean_ns ||
			    isnan(x->base_mean_ns));
	}
	for (uint32_t i = 0; i < a->split_n; i++)
		is_mirrored(&a->split[i].change, &b->split[i].change);
	assert_int_equal(a->causes_n, 3);
	assert_int_equal(b->causes_n, 3);
	for (uint32_t i = 0; i < a->causes_n; i++)
		is_mirrored(&a->causes[i].change, &b->causes[i].change);
	operators_are_mirrored(a, b);
	operators_add_up(a);
	assert_int_equal(a->common.there, b->common.there);
	if (a->common.there)
		assert_true(
			fabs(a->common.ratio * b->common.ratio - 1) < 1e-12);
}

/* Sides of one to five runs with 2 to 31 iterations: all kinds of evidence. */
static void random_pairs_are_mirrored(void **state)
{
	struct xoshiro x;
	uint32_t evidence[EVIDENCE_LAUNCHES + 1] = { 0 };
	(void)state;

	xoshiro_init(&x, 7);
	for (uint32_t pair = 0; pair < PAIRS; pair++) {
		struct arena a = { 0 };
		struct comparison to, fro;
		struct compared_run runs[2][RUNS_MOST];
		uint32_t n[2];
		int first = (int)xoshiro_below(&x, 2);
		for (int s = 0; s < 2; s++) {
			uint32_t iterations = 2 + xoshiro_below(&x, 30);
			n[s] = 1 + xoshiro_below(&x, RUNS_MOST);
			for (uint32_t i = 0; i < n[s]; i++)
				runs[s][i] = random_run(&a, &x,
					(s == first ? 10 : 20) + i, s,
					iterations);
		}
		sides_compare(runs[0], n[0], runs[1], n[1], &a, &to);
		sides_compare(runs[1], n[1], runs[0], n[0], &a, &fro);
		comparisons_are_mirrored(&to, &fro);
		evidence[to.rows[0].change.evidence]++;
		arena_release(&a);
	}
	assert_true(evidence[EVIDENCE_RUNS] && evidence[EVIDENCE_ITERATIONS] &&
		    evidence[EVIDENCE_LAUNCHES]);
}

/* The side with the oldest run is computed as the base. */
static void the_oldest_run_decides_the_order(void **state)
{
	struct arena a = { 0 };
	struct compared_run old[] = { sides_run(&a, 7, 1),
		sides_run(&a, 2, 1) };
	struct compared_run new = sides_run(&a, 3, 1);
	(void)state;

	assert_false(compare_mirror_needed(old, 2, &new, 1));
	assert_true(compare_mirror_needed(&new, 1, old, 2));
	assert_true(compare_mirror_needed(old, 1, &new, 1));
	assert_false(compare_mirror_needed(old, 0, &new, 1));
	arena_release(&a);
}

/* What only one side has, and a counter. */
static void a_result_is_exchanged_whole(void **state)
{
	struct resource counter = { "gpu_sm_frequency", 1980, 1410 };
	struct changed_row row = { .name = "gelu_2",
		.head_name = "gelu_5",
		.device = "GPU 0",
		.head_device = "GPU 1",
		.change = { .base_ns = 0,
			.head_ns = 5,
			.delta_ns = 5,
			.low_ns = 4,
			.high_ns = 7,
			.is = CHANGE_APPEARED },
		.head_launches = 3,
		.resources = &counter,
		.resources_n = 1 };
	struct comparison c = { .rows = &row,
		.rows_n = 1,
		.base.units = 1,
		.head.units = 2,
		.common = { true, 1.25, 1.2, 1.6, 100, 9 } };
	(void)state;

	c.count[CHANGE_APPEARED] = 1;
	compare_mirror_result(&c);
	assert_string_equal(row.name, "gelu_5");
	assert_string_equal(row.head_name, "gelu_2");
	assert_string_equal(row.device, "GPU 1");
	assert_int_equal(row.change.is, CHANGE_VANISHED);
	assert_true(row.change.low_ns == -7 && row.change.high_ns == -4);
	assert_true(row.change.ratio == 0 && row.base_launches == 3);
	assert_true(counter.base_mu == 1410 && counter.head_mu == 1980);
	assert_int_equal(c.count[CHANGE_VANISHED], 1);
	assert_int_equal(c.base.units, 2);
	assert_true(c.common.ratio == 0.8 && c.common.low == 1 / 1.6);
	assert_true(c.common.ns == -100);
}

/* Runs that are not stored have no id; their contents order them. */
static void runs_without_ids_are_mirrored(void **state)
{
	struct arena a = { 0 };
	struct comparison to, fro;
	struct compared_run b, h;
	struct xoshiro x;
	(void)state;

	xoshiro_init(&x, 8);
	b = random_run(&a, &x, 0, false, 12);
	h = random_run(&a, &x, 0, true, 12);
	sides_compare(&b, 1, &h, 1, &a, &to);
	sides_compare(&h, 1, &b, 1, &a, &fro);
	comparisons_are_mirrored(&to, &fro);
	arena_release(&a);
}

/* The sentences name the sides as they were given. The head is the older run. */
static void sentences_name_the_sides_as_given(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = sides_run(&a, 9, 4), h = sides_run(&a, 3, 2);
	(void)state;

	sides_kernel(&a, &b, "gemm", 400000, 4);
	sides_kernel(&a, &h, "gemm", 200000, 4);
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_true(c.rows[0].change.base_ns == 400000);
	assert_true(c.rows[0].change.delta_ns == -200000);
	assert_int_equal(c.base.iterations_used, 4);
	assert_memory_equal(sides_finding(&c, FINDING_few_iterations),
		"few iterations: 4 in the base, 2 in the head",
		strlen("few iterations: 4 in the base, 2 in the head"));
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_pairs_are_mirrored),
		cmocka_unit_test(the_oldest_run_decides_the_order),
		cmocka_unit_test(a_result_is_exchanged_whole),
		cmocka_unit_test(runs_without_ids_are_mirrored),
		cmocka_unit_test(sentences_name_the_sides_as_given),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
