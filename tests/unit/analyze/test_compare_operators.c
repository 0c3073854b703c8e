/* test_compare_operators.c - tests that kernels are compared by the operator
 * that they computed, and folded over ranks. */
#include "sides.h"
#include "compare_state.h"
#include <math.h>

/* A kernel whose operators are known, the one with the most time first. */
static void kernel_of(struct arena *a, struct compared_run *r, const char *name,
	int64_t ns, const char *const *operators, uint32_t n)
{
	struct pattern *p = sides_kernel(a, r, name, ns, 2);
	const char **list = arena_array(a, const char *, n);
	p->operator_ =
		arena_strndup(a, operators[0], strcspn(operators[0], " "));
	memcpy(list, operators, n * sizeof *list);
	p->launch.operators = (struct pattern_texts){ list, n };
}
#define KERNEL(a, r, name, ns, ...)                            \
	kernel_of((a), (r), (name), (ns),                      \
		(const char *const[]){ __VA_ARGS__ },          \
		sizeof((const char *const[]){ __VA_ARGS__ }) / \
			sizeof(const char *))

static const struct changed_operator *operator_row(const struct comparison *c,
	const char *name, const char *shape)
{
	for (uint32_t i = 0; i < c->operators_n; i++) {
		const struct changed_operator *o = &c->operators[i];
		if (!strcmp(o->name, name) &&
			!strcmp(o->shape ? o->shape : "", shape))
			return o;
	}
	fail_msg("no operator '%s %s'", name, shape);
	return NULL;
}

/* Operators, and functions without one, add up to the functions. */
static void sums_agree(const struct comparison *c)
{
	double part[2] = { 0, 0 }, all[2] = { 0, 0 };
	for (uint32_t i = 0; i < c->functions_n; i++) {
		const struct changed_function *f = &c->functions[i];
		bool alone = f->operator_ == OPERATOR_NONE;
		all[0] += f->change.base_ns;
		all[1] += f->change.head_ns;
		part[0] += alone ? f->change.base_ns : 0;
		part[1] += alone ? f->change.head_ns : 0;
	}
	for (uint32_t i = 0; i < c->operators_n; i++) {
		part[0] += c->operators[i].change.base_ns;
		part[1] += c->operators[i].change.head_ns;
	}
	assert_true(fabs(part[0] - all[0]) < 0.5);
	assert_true(fabs(part[1] - all[1]) < 0.5);
}

/* Softmax 400 to 250 µs, gemm 300 to 303 µs: no kernel name is in both. */
static void two_vendors_are_compared_by_operator(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = sides_run(&a, 1, 20), h = sides_run(&a, 2, 20);
	(void)state;

	KERNEL(&a, &b, "cunn_softmax", 400000, "softmax");
	KERNEL(&a, &b, "cutlass_gemm", 300000, "gemm");
	KERNEL(&a, &h, "softmax_hip", 250000, "softmax");
	KERNEL(&a, &h, "Cijk_Alik", 303000, "gemm");
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_true(c.comparable && c.by_operator);
	assert_string_equal(sides_finding(&c, FINDING_no_common_kernel),
		"no kernel is in both sides; they are compared by operator: "
		"operators that both sides have take 100.0 % of the kernels' "
		"time in the base, 100.0 % in the head");
	assert_int_equal(c.operators_n, 2);
	const struct changed_operator *o = operator_row(&c, "softmax", "");
	assert_ptr_equal(o, &c.operators[0]);
	assert_true(o->change.base_ns == 400000);
	assert_true(o->change.head_ns == 250000);
	assert_int_equal(o->change.is, CHANGE_IMPROVED);
	assert_string_equal(o->base_kernels, "cunn_softmax");
	assert_string_equal(o->head_kernels, "softmax_hip");
	assert_int_equal(o->functions_n, 2);
	assert_true(o->change.p_family <= 0.05);
	assert_non_null(strstr(c.headline,
		"softmax (cunn_softmax → softmax_hip) takes less: -150 µs per "
		"iteration (-37.5 %), by permutation of iterations"));
	assert_null(strstr(c.headline, "is new"));
	assert_null(strstr(c.headline, "is gone"));
	/* The kernels are listed as what they are. */
	assert_int_equal(sides_row(&c, "cunn_softmax")->change.is,
		CHANGE_VANISHED);
	sums_agree(&c);
	arena_release(&a);
}

/* Less than half of the time is in operators of both sides: 300 of 700 µs. */
static void programs_with_a_minor_operator_in_common_are_refused(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = sides_run(&a, 1, 4), h = sides_run(&a, 2, 4);
	(void)state;

	KERNEL(&a, &b, "cunn_softmax", 400000, "softmax");
	KERNEL(&a, &b, "cutlass_gemm", 300000, "gemm");
	KERNEL(&a, &h, "Cijk_Alik", 300000, "gemm");
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_false(c.comparable);
	assert_string_equal(c.headline,
		"no kernel is in both sides, nor do operators or phases agree: "
		"these are different programs");
	arena_release(&a);
}

/* Decode steps of four sequences are the same work, whatever the kernels are. */
static void phases_pair_programs_without_a_common_kernel(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run side[2];
	(void)state;

	for (int s = 0; s < 2; s++) {
		side[s] = sides_run(&a, 1 + s, 8);
		side[s].iterations.strata[0].phase = PHASE_DECODE;
		side[s].iterations.strata[0].sequences = 4;
		side[s].iterations.strata[0].tokens = 4;
		side[s].iterations.strata[0].text = "decode, 4 sequences";
		sides_kernel(&a, &side[s], s ? "other" : "one", 500000, 1);
	}
	sides_compare(&side[0], 1, &side[1], 1, &a, &c);
	assert_true(c.comparable);
	assert_false(c.by_operator);
	assert_int_equal(c.groups[0].match, GROUP_BY_LABEL);
	assert_non_null(*sides_finding(&c, FINDING_no_common_kernel)
				? c.headline
				: NULL);
	arena_release(&a);
}

/* 60 and 40 µs by two kernels, 101 µs by one: +1 %. */
static void replaced_kernels_are_no_headline(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = sides_run(&a, 1, 20), h = sides_run(&a, 2, 20);
	(void)state;

	KERNEL(&a, &b, "fmha_fwd", 60000, "attention_forward");
	KERNEL(&a, &b, "fmha_combine", 40000, "attention_forward");
	KERNEL(&a, &h, "sage_fwd", 101000, "attention_forward");
	KERNEL(&a, &b, "gemm", 500000, "gemm");
	KERNEL(&a, &h, "gemm", 500000, "gemm");
	sides_compare(&b, 1, &h, 1, &a, &c);
	const struct changed_operator *o =
		operator_row(&c, "attention_forward", "");
	assert_true(fabs(o->change.ratio - 1.01) < 1e-9);
	assert_true(o->change.is > CHANGE_LIKELY);
	assert_int_equal(o->functions_n, 3);
	assert_string_equal(o->base_kernels, "fmha_fwd and 1 more");
	assert_string_equal(o->head_kernels, "sage_fwd");
	assert_int_equal(sides_row(&c, "sage_fwd")->change.is, CHANGE_APPEARED);
	assert_non_null(strstr(c.headline,
		"no operator is shown to have changed: 1 unchanged, 1 "
		"undecided"));
	assert_null(strstr(c.headline, "is new"));
	sums_agree(&c);
	arena_release(&a);
}

/* A kernel whose operator is of a group of the catalog. */
static void grouped(struct arena *a, struct compared_run *r, const char *name,
	int64_t ns, const char *operator_, const char *group)
{
	kernel_of(a, r, name, ns, &operator_, 1);
	r->patterns.rows[r->patterns.n - 1].operator_group = group;
}

/* 200 µs of attention become 120 µs by an operator that the base lacks. */
static void operators_of_a_group_replace_each_other(void **state)
{
	struct arena a = { 0 };
	struct comparison to, fro;
	struct compared_run b = sides_run(&a, 1, 20), h = sides_run(&a, 2, 20);
	(void)state;

	grouped(&a, &b, "fmha", 200000, "attention_forward", "attention");
	grouped(&a, &h, "paged", 100000, "paged_attention_decode", "attention");
	grouped(&a, &h, "reduce", 20000, "paged_attention_decode", "attention");
	KERNEL(&a, &b, "gemm", 500000, "gemm");
	KERNEL(&a, &h, "gemm", 500000, "gemm");
	sides_compare(&b, 1, &h, 1, &a, &to);
	sides_compare(&h, 1, &b, 1, &a, &fro);
	assert_int_equal(to.operators_n, 2);
	const struct changed_operator *o = operator_row(&to, "attention", "");
	assert_true(o->change.base_ns == 200000);
	assert_true(o->change.head_ns == 120000);
	assert_int_equal(o->change.is, CHANGE_IMPROVED);
	assert_int_equal(o->functions_n, 3);
	assert_string_equal(o->inferred,
		"inferred: each side has only one of these operators, and both "
		"are of the group 'attention'");
	assert_int_equal(o->base_operators_n, 1);
	assert_int_equal(o->head_operators_n, 1);
	assert_string_equal(o->base_operators[0], "attention_forward");
	assert_string_equal(o->head_operators[0], "paged_attention_decode");
	assert_string_equal(to.functions[o->functions[0]].operator_name,
		"attention_forward");
	assert_non_null(strstr(to.headline,
		"attention (inferred: attention_forward → paged_attention_decode) "
		"takes less: -80 µs per iteration (-40.0 %)"));
	o = operator_row(&fro, "attention", "");
	assert_string_equal(o->base_operators[0], "paged_attention_decode");
	assert_string_equal(o->head_operators[0], "attention_forward");
	assert_non_null(strstr(fro.headline,
		"attention (inferred: paged_attention_decode → attention_forward) "
		"takes longer: +80 µs per iteration (+66.7 %)"));
	sums_agree(&to);
	arena_release(&a);
}

/* One fused norm, or two others: which of them replaces it is unknown. */
static void several_operators_of_a_group_are_added_up(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = sides_run(&a, 1, 20), h = sides_run(&a, 2, 20);
	(void)state;

	grouped(&a, &b, "fused", 90000, "fused_add_rms_norm", "norm");
	grouped(&a, &h, "qk", 20000, "fused_qk_rmsnorm", "norm");
	grouped(&a, &h, "plain", 60000, "rms_norm", "norm");
	KERNEL(&a, &b, "gemm", 500000, "gemm");
	KERNEL(&a, &h, "gemm", 500000, "gemm");
	sides_compare(&b, 1, &h, 1, &a, &c);
	const struct changed_operator *o = operator_row(&c, "norm", "");
	assert_true(o->change.base_ns == 90000 && o->change.head_ns == 80000);
	assert_string_equal(o->inferred,
		"inferred: each of these operators of the group 'norm' has time "
		"on one side only; which of them replaced which is unknown, so "
		"that their sums are compared");
	assert_int_equal(o->head_operators_n, 2);
	assert_string_equal(o->head_operators[0], "rms_norm");
	assert_string_equal(o->head_operators[1], "fused_qk_rmsnorm");
	assert_string_equal(compare_text_operator(&a, o),
		"norm (inferred: fused_add_rms_norm → rms_norm + "
		"fused_qk_rmsnorm)");
	arena_release(&a);
}

/* No row of another operator, with the reason why not. */
static void other_operators_have_rows_of_their_own(void **state)
{
	static const struct {
		const char *base, *head, *group;
		bool both; /* another kernel of the head runs that of the base */
	} cases[] = {
		/* both sides have the first one */
		{ "rms_norm", "l2_norm", "norm", true },
		/* a gradient is not what it is the gradient of */
		{ "layer_norm", "norm_backward", "norm", false },
		/* a copy does not replace an embedding */
		{ "copy", "embedding", "memory", false },
		/* nothing is known of the group */
		{ "one", "other", NULL, false },
	};
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct arena a = { 0 };
		struct comparison c;
		struct compared_run b = sides_run(&a, 1, 8),
				    h = sides_run(&a, 2, 8);
		grouped(&a, &b, "one", 90000, cases[i].base, cases[i].group);
		grouped(&a, &h, "two", 80000, cases[i].head, cases[i].group);
		KERNEL(&a, &b, "gemm", 500000, "gemm");
		if (cases[i].both)
			KERNEL(&a, &h, "gemm", 500000, "gemm", cases[i].base);
		else
			KERNEL(&a, &h, "gemm", 500000, "gemm");
		sides_compare(&b, 1, &h, 1, &a, &c);
		assert_int_equal(c.operators_n, 3);
		for (uint32_t k = 0; k < c.operators_n; k++) {
			assert_null(c.operators[k].inferred);
			assert_int_equal(c.operators[k].base_operators_n, 0);
		}
		operator_row(&c, cases[i].base, "");
		operator_row(&c, cases[i].head, "");
		arena_release(&a);
	}
}

/* Nothing but attention, by an operator of each side and no common kernel: that they are
 * the same work is inferred, and no reason to compare programs. */
static void inferred_operators_are_not_common(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = sides_run(&a, 1, 8), h = sides_run(&a, 2, 8);
	(void)state;

	grouped(&a, &b, "one", 90000, "rope", "rope");
	grouped(&a, &h, "two", 80000, "mrope", "rope");
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_non_null(operator_row(&c, "rope", "")->inferred);
	assert_false(c.comparable);
	arena_release(&a);
}

/* One iteration a side: softmax takes 150 µs less by another kernel, which one
 * iteration cannot prove, and no other change is larger. */
static void the_largest_unproven_operator_is_named(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = sides_run(&a, 1, 1), h = sides_run(&a, 2, 1);
	(void)state;

	KERNEL(&a, &b, "softmax_warp", 400000, "softmax");
	KERNEL(&a, &h, "softmax_row", 250000, "softmax");
	KERNEL(&a, &b, "nvjet", 300000, "gemm");
	KERNEL(&a, &h, "Cijk", 303000, "gemm");
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_int_equal(operator_row(&c, "softmax", "")->change.is,
		CHANGE_UNDECIDED);
	assert_non_null(strstr(c.headline,
		"the largest change is not proven: softmax (softmax_warp → "
		"softmax_row) -150 µs per iteration (-37.5 %)"));
	arena_release(&a);
}

/* A kernel that both sides have and that became slower is named even if its
 * operator did not change: another kernel became faster. */
static void a_slower_kernel_in_an_equal_operator_is_named(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = sides_run(&a, 1, 20), h = sides_run(&a, 2, 20);
	(void)state;

	KERNEL(&a, &b, "gemm_a", 300000, "gemm");
	KERNEL(&a, &b, "gemm_b", 300000, "gemm");
	KERNEL(&a, &h, "gemm_a", 400000, "gemm");
	KERNEL(&a, &h, "gemm_b", 200000, "gemm");
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_int_equal(c.operators[0].change.is, CHANGE_UNCHANGED);
	assert_non_null(strstr(c.headline, "gemm_a on GPU 0 takes longer"));
	assert_non_null(strstr(c.headline, "2 functions changed in all"));
	arena_release(&a);
}

/* Shapes have rows if no kernel of either side ran them with others. */
static void shapes_have_rows_of_their_own(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = sides_run(&a, 1, 20), h = sides_run(&a, 2, 20);
	(void)state;

	KERNEL(&a, &b, "one", 100000, "gemm bf16 m=64");
	KERNEL(&a, &h, "two", 80000, "gemm bf16 m=64");
	KERNEL(&a, &b, "three", 50000, "gemm bf16 m=8");
	KERNEL(&a, &h, "four", 20000, "gemm bf16 m=8", "gemm bf16 m=16");
	KERNEL(&a, &h, "five", 30000, "gemm bf16 m=32");
	/* A shape is unknown, so any kernel may have run it. */
	KERNEL(&a, &b, "six", 100000, "softmax f32 x=9");
	KERNEL(&a, &h, "six", 100000, "softmax f32 x=9");
	KERNEL(&a, &h, "seven", 1000, "softmax");
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_int_equal(c.operators_n, 3);
	const struct changed_operator *o =
		operator_row(&c, "gemm", "bf16 m=64");
	assert_true(o->change.base_ns == 100000 && o->change.head_ns == 80000);
	o = operator_row(&c, "gemm", "");
	assert_true(o->change.base_ns == 50000 && o->change.head_ns == 50000);
	o = operator_row(&c, "softmax", "");
	assert_true(o->change.head_ns == 101000);
	sums_agree(&c);
	arena_release(&a);
}

/* It is in the operator with the most time, and the row says what else it ran. */
static void a_kernel_of_two_operators_is_in_one_row(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = sides_run(&a, 1, 8), h = sides_run(&a, 2, 8);
	(void)state;

	KERNEL(&a, &b, "elementwise", 70000, "elementwise", "layer_norm",
		"copy");
	KERNEL(&a, &h, "elementwise", 90000, "elementwise", "layer_norm");
	KERNEL(&a, &b, "norm", 20000, "layer_norm");
	KERNEL(&a, &h, "norm", 20000, "layer_norm");
	sides_kernel(&a, &b, "mystery", 5000, 1);
	sides_kernel(&a, &h, "mystery", 5000, 1);
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_int_equal(c.operators_n, 2);
	const struct changed_operator *o = operator_row(&c, "elementwise", "");
	assert_true(o->change.base_ns == 70000);
	assert_string_equal(o->also, "copy, layer_norm");
	assert_null(operator_row(&c, "layer_norm", "")->also);
	sums_agree(&c);
	arena_release(&a);
}

/* The sides do not agree on the operator of a kernel: the one with the most time
 * over both is taken, in both directions. */
static void sides_may_know_other_operators(void **state)
{
	struct arena a = { 0 };
	struct comparison to, fro;
	struct compared_run b = sides_run(&a, 1, 8), h = sides_run(&a, 2, 8);
	(void)state;

	KERNEL(&a, &b, "vectorized", 50000, "elementwise");
	KERNEL(&a, &h, "vectorized", 60000, "rope");
	sides_compare(&b, 1, &h, 1, &a, &to);
	sides_compare(&h, 1, &b, 1, &a, &fro);
	assert_string_equal(to.operators[0].name, "rope");
	assert_string_equal(to.operators[0].also, "elementwise");
	assert_string_equal(fro.operators[0].name, "rope");
	assert_true(fro.operators[0].change.delta_ns == -10000);
	arena_release(&a);
}

static void without_operators_the_rows_are_kernels(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = sides_run(&a, 1, 20), h = sides_run(&a, 2, 20);
	(void)state;

	sides_kernel(&a, &b, "Fan1", 100000, 1);
	sides_kernel(&a, &h, "Fan1", 200000, 1);
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_int_equal(c.operators_n, 0);
	assert_int_equal(c.functions_n, 1);
	assert_int_equal(c.functions[0].operator_, OPERATOR_NONE);
	assert_memory_equal(&c.functions[0].change, &c.rows[0].change,
		sizeof c.rows[0].change);
	assert_false(c.by_operator);
	assert_non_null(strstr(c.headline, "Fan1 on GPU 0 takes longer"));
	arena_release(&a);
}

/* The operator of the head's gemm is unknown: kernels are the headline. */
static void one_side_with_operators_is_not_enough(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = sides_run(&a, 1, 20), h = sides_run(&a, 2, 20);
	(void)state;

	KERNEL(&a, &b, "gemm", 400000, "gemm");
	KERNEL(&a, &b, "softmax", 10000, "softmax");
	sides_kernel(&a, &h, "own_gemm", 300000, 1);
	KERNEL(&a, &h, "softmax", 10000, "softmax");
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_true(c.comparable);
	assert_false(c.by_operator);
	assert_int_equal(operator_row(&c, "gemm", "")->change.is,
		CHANGE_VANISHED);
	assert_non_null(strstr(c.headline, "gemm on GPU 0 is gone"));
	sums_agree(&c);
	arena_release(&a);
}

enum { RANKS = 4 };

/* A job of four ranks, each with a gemm. */
static void job_of(struct arena *a, struct compared_run *r, int64_t job,
	const int64_t ns[RANKS])
{
	for (int i = 0; i < RANKS; i++) {
		r[i] = sides_run(a, 10 * job + i, 20);
		r[i].job = job;
		r[i].rank = i;
		r[i].world_size = RANKS;
		KERNEL(a, &r[i], "gemm", ns[i], "gemm");
		if (i == 1)
			KERNEL(a, &r[i], "sampling", 40000, "sampling");
	}
}

/* The mean over ranks: (3 · 100 + 200) / 4 = 125 µs. The kernel of one rank only is
 * 40 / 4 = 10 µs. */
static void ranks_are_folded_with_their_spread(void **state)
{
	static const int64_t even[] = { 100000, 100000, 100000, 100000 };
	static const int64_t slow[] = { 100000, 99000, 200000, 101000 };
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b[RANKS], h[RANKS];
	(void)state;

	job_of(&a, b, 1, even);
	job_of(&a, h, 2, slow);
	sides_compare(b, RANKS, h, RANKS, &a, &c);
	assert_int_equal(c.rows_n, RANKS + 1);
	assert_int_equal(c.functions_n, 2);
	const struct changed_function *f = &c.functions[0];
	assert_int_equal(f->rows_n, RANKS);
	assert_true(f->change.base_ns == 100000 && f->change.head_ns == 125000);
	assert_int_equal(f->change.is, CHANGE_REGRESSED);
	assert_true(f->base_launches == 2 && f->head_launches == 2);
	assert_true(f->head.min_ns == 99000 && f->head.max_ns == 200000);
	assert_string_equal(f->head.slowest, "rank 2, GPU 0");
	assert_string_equal(f->device, "4 ranks");
	assert_string_equal(c.functions[1].device, "rank 1, GPU 0");
	assert_true(c.rows[f->rows[0]].change.head_ns == 200000);
	for (uint32_t i = 0; i < RANKS; i++)
		assert_int_equal(c.rows[f->rows[i]].function, 0);
	assert_int_equal(c.functions[1].rows_n, 1);
	assert_true(c.functions[1].change.base_ns == 10000);
	assert_true(operator_row(&c, "gemm", "")->change.head_ns == 125000);
	assert_non_null(strstr(c.headline,
		"gemm on 4 ranks takes longer: +25 µs per iteration (+25.0 %; by "
		"rank -1.0 % to +100.0 %), by permutation of iterations"));
	sums_agree(&c);
	arena_release(&a);
}

/* One rank is 60 µs slower and another 60 µs faster: the folded row did not change, and
 * the headline names a rank. */
static void a_rank_is_named_if_the_folded_row_did_not_change(void **state)
{
	static const int64_t even[] = { 100000, 100000, 100000, 100000 };
	static const int64_t odd[] = { 100000, 100000, 160000, 40000 };
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b[RANKS], h[RANKS];
	(void)state;

	job_of(&a, b, 1, even);
	job_of(&a, h, 2, odd);
	sides_compare(b, RANKS, h, RANKS, &a, &c);
	assert_int_equal(c.functions[0].change.is, CHANGE_UNCHANGED);
	assert_non_null(
		strstr(c.headline, "gemm on rank 2, GPU 0 takes longer: "
				   "+60 µs per iteration (+60.0 %)"));
	assert_null(strstr(c.headline, "changed in all")); /* one function */
	arena_release(&a);
}

/* The devices of one process are added up. */
static void devices_of_a_process_are_added(void **state)
{
	struct arena a = { 0 };
	struct comparison c;
	struct compared_run b = sides_run(&a, 1, 20), h = sides_run(&a, 2, 20);
	(void)state;

	for (int s = 0; s < 2; s++) {
		struct compared_run *r = s ? &h : &b;
		sides_function(&a, r, "gemm", FUNCTION_gpu_compute, "GPU 0",
			100000, 1);
		sides_function(&a, r, "gemm", FUNCTION_gpu_compute, "GPU 1",
			s ? 150000 : 110000, 1);
	}
	sides_compare(&b, 1, &h, 1, &a, &c);
	assert_int_equal(c.functions_n, 1);
	assert_true(c.functions[0].change.base_ns == 210000);
	assert_true(c.functions[0].change.head_ns == 250000);
	assert_string_equal(c.functions[0].head.slowest, "GPU 1");
	assert_non_null(strstr(c.headline,
		"gemm on 2 devices takes longer: +40 µs per iteration (+19.0 %; "
		"by device +0.0 % to +36.4 %), by permutation of iterations"));
	arena_release(&a);
}

/* Two rows of one function by hand, in a job of two ranks and in one run. */
static void rows_are_folded_by_hand(void **state)
{
	struct arena a = { 0 };
	double rank[2][2] = { { 100, 300 }, { 200, 500 } }, one[2] = { 50, 70 };
	struct compare_unit two = { .runs_n = 2, .iterations_n = 2 };
	struct compare_unit alone = { .runs_n = 1, .iterations_n = 2 };
	struct compare_row rows[] = {
		{ .name = "gemm", .place = 0, .launches = { 4, 2 } },
		{ .name = "gemm", .place = 1, .launches = { 8, 0 } },
		{ .name = "copy", .place = 1, .launches = { 6, 0 } },
	};
	double none[2] = { 0, 0 };
	struct compare c = { .a = &a, .rows = rows, .rows_n = 3 };
	(void)state;

	c.side[BASE] = (struct compare_side){ .units = &two,
		.units_n = 1,
		.iterations_n = 2 };
	c.side[HEAD] = (struct compare_side){ .units = &alone,
		.units_n = 1,
		.iterations_n = 2 };
	for (int i = 0; i < 3; i++) {
		rows[i].ns[BASE] = rank[i % 2];
		rows[i].ns[HEAD] = i ? none : one;
	}
	compare_fold_from(&c);
	compare_fold_sum(&c);
	assert_int_equal(c.folds_n, 2);
	assert_int_equal(c.folds[0].rows_n, 2);
	assert_true(c.folds[0].ns[BASE][0] == 150);
	assert_true(c.folds[0].ns[BASE][1] == 400);
	assert_true(c.folds[0].ns[HEAD][1] == 70);
	assert_true(c.folds[0].launches[BASE] == 6);
	assert_true(c.folds[0].launches[HEAD] == 2);
	assert_false(c.folds[1].same); /* half of its row */
	assert_true(c.folds[1].ns[BASE][1] == 150);
	/* Nothing says what they compute. */
	compare_operators_from(&c);
	compare_operators_sum(&c);
	assert_int_equal(c.operators_n, 0);
	double known[2], common[2];
	compare_operators_shares(&c, known, common);
	assert_true(known[BASE] == 0 && common[HEAD] == 0);
	arena_release(&a);
}

static void an_operator_is_exchanged_and_named(void **state)
{
	struct arena a = { 0 };
	struct changed_operator o = { .name = "softmax",
		.shape = "x=8",
		.base_kernels = "cunn",
		.head_kernels = "hip and 1 more",
		.base_launches = 1,
		.change = { .base_ns = 1, .head_ns = 3, .delta_ns = 2 } };
	struct changed_function f = { .base_launches = 1,
		.base = { 1, 2, "rank 0, GPU 0" },
		.change = { .base_ns = 1, .head_ns = 3, .delta_ns = 2 } };
	struct change larger = { .delta_ns = -5, .is = CHANGE_UNCHANGED };
	(void)state;

	assert_string_equal(compare_text_operator(&a, &o),
		"softmax x=8 (cunn → hip and 1 more)");
	compare_mirror_operator(&o);
	assert_string_equal(compare_text_operator(&a, &o),
		"softmax x=8 (hip and 1 more → cunn)");
	assert_true(o.change.delta_ns == -2 && o.head_launches == 1);
	o.head_kernels = NULL;
	o.shape = NULL;
	assert_string_equal(compare_text_operator(&a, &o), "softmax");
	compare_mirror_function(&f);
	assert_string_equal(f.head.slowest, "rank 0, GPU 0");
	assert_true(f.change.delta_ns == -2 && f.head_launches == 1);
	/* A change comes before what is larger and did not change. */
	assert_true(compare_result_groups_order(&f.change, &larger) < 0);
	larger.is = f.change.is;
	assert_true(compare_result_groups_order(&f.change, &larger) > 0);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_vendors_are_compared_by_operator),
		cmocka_unit_test(
			programs_with_a_minor_operator_in_common_are_refused),
		cmocka_unit_test(phases_pair_programs_without_a_common_kernel),
		cmocka_unit_test(replaced_kernels_are_no_headline),
		cmocka_unit_test(a_slower_kernel_in_an_equal_operator_is_named),
		cmocka_unit_test(shapes_have_rows_of_their_own),
		cmocka_unit_test(a_kernel_of_two_operators_is_in_one_row),
		cmocka_unit_test(sides_may_know_other_operators),
		cmocka_unit_test(without_operators_the_rows_are_kernels),
		cmocka_unit_test(one_side_with_operators_is_not_enough),
		cmocka_unit_test(ranks_are_folded_with_their_spread),
		cmocka_unit_test(
			a_rank_is_named_if_the_folded_row_did_not_change),
		cmocka_unit_test(devices_of_a_process_are_added),
		cmocka_unit_test(rows_are_folded_by_hand),
		cmocka_unit_test(operators_of_a_group_replace_each_other),
		cmocka_unit_test(several_operators_of_a_group_are_added_up),
		cmocka_unit_test(other_operators_have_rows_of_their_own),
		cmocka_unit_test(inferred_operators_are_not_common),
		cmocka_unit_test(the_largest_unproven_operator_is_named),
		cmocka_unit_test(an_operator_is_exchanged_and_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
