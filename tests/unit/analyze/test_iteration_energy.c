/* test_iteration_energy.c - tests the energy of iterations on samples of known
 * power. */
#include "iteration_energy.h"
#include "attribution.h"
#include "world.h"
#include "xoshiro.h"
#include <math.h>

#define S INT64_C(1000000000)
#define MEAN "gpu_power_mean"
#define READING "gpu_power"

enum { MOST = 64, KERNELS = 3000 };

struct setting {
	struct world *w;
	struct profile_device devices[2];
	struct iteration list[MOST];
	struct stratum strata[2];
	/* Operator and shape i belong to kernels of shape i. */
	struct operator_stat rows[5];
	struct shape_stat shapes[5];
	uint32_t shape_of[KERNELS];
};

static void sample(struct world *w, const char *name, int32_t device,
	double at_s, double value)
{
	trace_counter_add(&w->t,
		&(struct counter_row){ .start_ns = (int64_t)llround(at_s * 1e9),
			.name = rows_name(&w->t, name),
			.device = device,
			.value = value });
}

/* Samples from..to, both included, every `step` seconds. */
static void samples(struct world *w, const char *name, int32_t device,
	double from, double to, double step, double watts)
{
	int n = (int)lround((to - from) / step);
	for (int i = 0; i <= n; i++)
		sample(w, name, device, from + i * step, watts);
}

/* n kept iterations of `dur` seconds, one every `step` from `from` on. */
static void iterations(struct setting *s, double from, double step, double dur,
	uint32_t n)
{
	struct iterations *c = &s->w->p.iterations;
	for (uint32_t i = 0; i < n; i++)
		s->list[c->n++] = (struct iteration){ .number = i,
			.start_ns = (int64_t)llround((from + i * step) * 1e9),
			.dur_ns = (int64_t)llround(dur * 1e9),
			.use = ITERATION_KEPT };
	c->kept_n = c->n;
}

/* The trace begins at 0, where a kernel of each device starts. */
static struct setting *begin(void **state, uint32_t devices)
{
	static struct setting s;
	s = (struct setting){ .w = *state };
	struct profile *p = &s.w->p;
	*p = (struct profile){ .arena = &s.w->arena,
		.devices = s.devices,
		.devices_n = devices,
		.iterations = { .iterations = s.list, .strata = s.strata } };
	for (uint32_t i = 0; i < devices; i++) {
		s.devices[i].number = (int32_t)i;
		rows_kernel(&s.w->t, "k", 0, 100, (int32_t)i, 1);
	}
	return &s;
}

static const struct device_energy *found(struct setting *s, uint32_t i)
{
	struct world *w = s->w;
	if (!w->p.energy.n) {
		rows_done(&w->t, &w->process);
		struct attribution at = { .trace = &w->t,
			.proc = &w->t.processes[0],
			.profile = &w->p,
			.shape_of = s->shape_of };
		assert_true(iteration_energy_from(&at, &w->p));
		assert_int_equal(w->p.energy.n, w->p.devices_n);
	}
	return &w->p.energy.devices[i];
}

static void near(double is, double expected)
{
	if (!(fabs(is - expected) < 1e-6))
		fail_msg("%.9g is not %.9g", is, expected);
}

static void expect(struct setting *s, uint32_t device, uint32_t first,
	uint32_t n, double energy_j, double low_j, double high_j)
{
	const struct device_energy *d = found(s, device);
	if (d->why)
		fail_msg("%s", d->why);
	assert_int_equal(d->first, first);
	assert_int_equal(d->iterations, n);
	near(d->energy_j, energy_j);
	near(d->low_j, low_j);
	near(d->high_j, high_j);
}

static void expect_why(struct setting *s, uint32_t device, const char *why)
{
	const struct device_energy *d = found(s, device);
	assert_non_null(d->why);
	assert_string_equal(d->why, why);
	assert_true(isnan(d->energy_j));
	assert_int_equal(d->iterations, 0);
	assert_int_equal(d->span_ns, -1);
}

/* 300 W for 15 s; both ends are at samples. */
static void constant_power(void **state)
{
	struct setting *s = begin(state, 1);
	samples(s->w, MEAN, 0, 0, 20, 1, 300);
	iterations(s, 2, 1, 1, 15);
	expect(s, 0, 0, 15, 4500, 4500, 4500);
	const struct device_energy *d = found(s, 0);
	assert_string_equal(d->counter, MEAN);
	assert_int_equal(d->samples, 21);
	assert_int_equal(d->ignored, 0);
	assert_int_equal(d->gaps, 0);
	assert_int_equal(d->interval_ns, S);
	assert_int_equal(d->span_ns, 15 * S);
}

/* From 2.5 to 17.5 s: 14 whole intervals, and two of which half is inside. */
static void ends_between_two_samples(void **state)
{
	struct setting *s = begin(state, 1);
	samples(s->w, MEAN, 0, 0, 20, 1, 300);
	iterations(s, 2.5, 0.5, 0.5, 30);
	expect(s, 0, 0, 30, 4500, 4200, 4800);
	assert_null(found(s, 0)->iteration_j);
}

/* Each value is of the second before its sample: 100 W in the first second, 200 W
 * in the next one, ... From 2 to 12 s: 300 + 400 + ... + 1,200 J. */
static void a_mean_is_of_the_time_before_it(void **state)
{
	struct setting *s = begin(state, 1);
	for (int i = 0; i <= 13; i++)
		sample(s->w, MEAN, 0, i, 100 * i);
	iterations(s, 2, 1, 1, 10);
	expect(s, 0, 0, 10, 7500, 7500, 7500);
	near(found(s, 0)->iteration_j[0], 300);
	near(found(s, 0)->iteration_j[9], 1200);
}

/* 100 W + 10 W/s * t from 2 to 17 s: 15 s * 195 W. The second before an end may
 * shift by half of it at 270 W: 135 J. The standard error of the 150 readings of
 * 121 to 270 W, sqrt(150 * 151 / 12 / 150) W = 3.547 W, gives 104.3 J. */
static void a_ramp_of_readings(void **state)
{
	struct setting *s = begin(state, 1);
	for (int i = 0; i <= 200; i++)
		sample(s->w, READING, 0, i / 10.0, 100 + i);
	iterations(s, 2, 1, 1, 15);
	expect(s, 0, 0, 15, 2925, 2790, 3060);
	near(found(s, 0)->iteration_j[0], 125);
}

/* Readings of 100 and 900 W in turn, 150 in 15 s. Their standard deviation is
 * sqrt(150 * 400^2 / 149) W; 1.96 standard errors * 15 s = 963.4 J are more than
 * half a second at 900 W. */
static void readings_that_scatter(void **state)
{
	struct setting *s = begin(state, 1);
	double half = 1.96 * sqrt(400.0 * 400 / 149) * 15;
	for (int i = 0; i <= 200; i++)
		sample(s->w, READING, 0, i / 10.0, i % 2 ? 900 : 100);
	iterations(s, 2, 1, 1, 15);
	near(round(half * 10), 9634);
	expect(s, 0, 0, 15, 7500, 7500 - half, 7500 + half);
}

/* Ten iterations of 1.05 s at 10 W, and one reading of 9,000 W at their end:
 * more than all of their energy, and no energy is negative. */
static void an_interval_ends_at_zero(void **state)
{
	struct setting *s = begin(state, 1);
	samples(s->w, READING, 0, 0, 10.9, 0.1, 10);
	sample(s->w, READING, 0, 11, 9000);
	sample(s->w, READING, 0, 11.1, 10);
	iterations(s, 0.5, 1.05, 1.05, 10);
	const struct device_energy *d = found(s, 0);
	assert_null(d->why);
	near(d->energy_j, 10 * 10.5 + (9000 - 10) * 0.05);
	near(d->low_j, 0);
	near(d->high_j, d->energy_j + 4500);
}

/* Idle power before each iteration is part of the energy. */
static void time_between_iterations_counts(void **state)
{
	struct setting *s = begin(state, 1);
	samples(s->w, MEAN, 0, 0, 20, 1, 300);
	iterations(s, 2, 1, 0.5, 15);
	expect(s, 0, 0, 15, 14.5 * 300, 14 * 300, 15 * 300);
	assert_int_equal(found(s, 0)->span_ns, 14 * S + S / 2);
}

/* Samples from 3 to 15 s; iterations of 1 s from 0 to 20 s. */
static void time_outside_the_samples_is_not_covered(void **state)
{
	struct setting *s = begin(state, 1);
	samples(s->w, MEAN, 0, 3, 15, 1, 100);
	iterations(s, 0, 1, 1, 20);
	expect(s, 0, 3, 12, 1200, 1200, 1200);
}

/* One sample of the energy counter is lost, at 10 s. */
static void a_lost_mean_is_a_gap(void **state)
{
	struct setting *s = begin(state, 1);
	samples(s->w, MEAN, 0, 0, 9, 1, 100);
	samples(s->w, MEAN, 0, 11, 30, 1, 200);
	iterations(s, 1, 1, 1, 29);
	expect(s, 0, 10, 19, 3800, 3800, 3800);
	assert_int_equal(found(s, 0)->gaps, 1);
	assert_true(isnan(found(s, 0)->iteration_j[8]));
	near(found(s, 0)->iteration_j[7], 100);
}

/* Readings every 100 ms, of which one is lost at 5 s, and two after 10 s. */
static void two_lost_readings_are_a_gap(void **state)
{
	struct setting *s = begin(state, 1);
	samples(s->w, READING, 0, 0, 4.9, 0.1, 100);
	samples(s->w, READING, 0, 5.1, 10, 0.1, 100);
	samples(s->w, READING, 0, 10.3, 30, 0.1, 200);
	iterations(s, 0, 1, 1, 10);
	expect(s, 0, 0, 10, 1000, 950, 1050);
	assert_int_equal(found(s, 0)->gaps, 1);
	s->w->p.energy.n = 0;
	iterations(s, 10, 1, 1, 20);
	expect(s, 0, 11, 19, 3800, 3700, 3900);
}

/* A negative value, what is no number, and 2^64 mJ in a second, as after a counter
 * that wrapped: at 5, 6, 7 and 8 s. */
static void values_that_are_no_power(void **state)
{
	static const double odd[] = { -1, NAN, INFINITY, 18446744073709551.0 };
	struct setting *s = begin(state, 2);
	for (int d = 0; d < 2; d++)
		for (int i = 0; i <= 30; i++)
			sample(s->w, d ? READING : MEAN, d, i,
				i >= 5 && i < 9 ? odd[i - 5] : 200);
	iterations(s, 0, 1, 1, 30);
	/* From 8 s on; the reading of 8 s is no end of covered time. */
	expect(s, 0, 9, 21, 4200, 4200, 4200);
	assert_int_equal(found(s, 0)->ignored, 4);
	assert_int_equal(found(s, 1)->ignored, 4);
	near(found(s, 0)->iteration_j[8], 200);
	assert_true(isnan(found(s, 0)->iteration_j[7]));
	assert_true(isnan(found(s, 1)->iteration_j[8]));
	near(found(s, 1)->iteration_j[9], 200);
}

/* The energy counter is sampled for 5 s only; the readings are sufficient. */
static void one_counter_is_used(void **state)
{
	struct setting *s = begin(state, 1);
	samples(s->w, MEAN, 0, 2, 7, 1, 1000);
	samples(s->w, READING, 0, 0, 20, 0.1, 100);
	iterations(s, 2, 1, 1, 15);
	expect(s, 0, 0, 15, 1500, 1450, 1550);
	assert_string_equal(found(s, 0)->counter, READING);
}

static void the_energy_counter_is_preferred(void **state)
{
	struct setting *s = begin(state, 1);
	samples(s->w, MEAN, 0, 0, 20, 1, 300);
	samples(s->w, READING, 0, 0, 20, 0.1, 100);
	iterations(s, 2, 1, 1, 15);
	expect(s, 0, 0, 15, 4500, 4500, 4500);
}

/* A warm-up in between: 12 s before it, and 13 s after it. */
static void other_iterations_end_a_stretch(void **state)
{
	struct setting *s = begin(state, 1);
	samples(s->w, MEAN, 0, 0, 30, 1, 100);
	iterations(s, 1, 1, 1, 26);
	s->list[12].use = ITERATION_WARMUP;
	expect(s, 0, 13, 13, 1300, 1300, 1300);
}

static void too_few_samples(void **state)
{
	struct setting *s = begin(state, 2);
	samples(s->w, MEAN, 0, 0, 11, 1, 300);
	samples(s->w, READING, 1, 0, 11, 0.1, 300);
	iterations(s, 1.5, 0.25, 0.25, 34);
	expect_why(s, 0,
		"samples of its power (gpu_power_mean) cover 8.500 s of "
		"consecutive kept iterations without a gap; at least 10.000 s "
		"are needed");
	expect_why(s, 1,
		"samples of its power (gpu_power) cover 8.500 s of consecutive "
		"kept iterations without a gap; at least 10.000 s are needed");
}

static void one_sample(void **state)
{
	struct setting *s = begin(state, 1);
	sample(s->w, MEAN, 0, 5, 300);
	iterations(s, 2, 1, 1, 15);
	expect_why(s, 0,
		"no kept iteration is covered by samples of its power "
		"(gpu_power_mean) without a gap");
	assert_int_equal(found(s, 0)->interval_ns, -1);
}

static void no_samples(void **state)
{
	struct setting *s = begin(state, 1);
	samples(s->w, "gpu_temperature", 0, 0, 20, 1, 50);
	samples(s->w, MEAN, 7, 0, 20, 1, 50);
	iterations(s, 2, 1, 1, 15);
	expect_why(s, 0, "the trace has no samples of its power");
	assert_null(found(s, 0)->counter);
}

static void no_kept_iterations(void **state)
{
	struct setting *s = begin(state, 1);
	samples(s->w, MEAN, 0, 0, 20, 1, 300);
	expect_why(s, 0, "the run has no kept iterations");
}

static struct energy_sum sum_of(struct setting *s)
{
	struct energy_sum sum;
	found(s, 0);
	assert_true(energy_sum_from(&s->w->p.energy, &s->w->p.iterations, 1,
		&s->w->arena, &sum));
	return sum;
}

/* 300 W and 100 W, the second from 4 s on: 13 s of both. */
static void two_devices_use_the_same_iterations(void **state)
{
	struct setting *s = begin(state, 2);
	samples(s->w, MEAN, 0, 0, 20, 1, 300);
	samples(s->w, READING, 1, 4, 20, 1, 100);
	iterations(s, 2, 1, 1, 15);
	expect(s, 0, 2, 13, 3900, 3900, 3900);
	expect(s, 1, 2, 13, 1300, 1250, 1350);
	struct energy_sum sum = sum_of(s);
	assert_null(sum.why);
	assert_int_equal(sum.first, 2);
	assert_int_equal(sum.iterations, 13);
	assert_int_equal(sum.span_ns, 13 * S);
	near(sum.energy_j, 5200);
	near(sum.low_j, 5150);
	near(sum.high_j, 5250);
}

static void one_device_has_no_samples(void **state)
{
	struct setting *s = begin(state, 2);
	samples(s->w, MEAN, 0, 0, 20, 1, 300);
	iterations(s, 2, 1, 1, 15);
	expect(s, 0, 0, 15, 4500, 4500, 4500);
	struct energy_sum sum = sum_of(s);
	assert_string_equal(sum.why,
		"device 1: the trace has no samples of its power");
	assert_string_equal(sum.tokens_why, sum.why);
	assert_true(isnan(sum.energy_j));
	assert_true(isnan(sum.tokens));
	assert_int_equal(sum.iterations, 0);
}

/* The first device until 16 s, the second from 14 s on. */
static void devices_without_common_time(void **state)
{
	struct setting *s = begin(state, 2);
	samples(s->w, MEAN, 0, 0, 16, 1, 300);
	samples(s->w, MEAN, 1, 14, 30, 1, 300);
	iterations(s, 2, 1, 1, 26);
	expect_why(s, 0,
		"the samples of the devices have too few covered iterations in "
		"common");
	near(found(s, 0)->iteration_j[0], 300);
	assert_string_equal(sum_of(s).why,
		"device 0: the samples of the devices have too few covered "
		"iterations in common");
}

static void a_run_without_devices(void **state)
{
	struct setting *s = begin(state, 1);
	s->w->p.devices_n = 0;
	rows_done(&s->w->t, &s->w->process);
	struct attribution at = { .trace = &s->w->t,
		.proc = &s->w->t.processes[0],
		.profile = &s->w->p,
		.shape_of = s->shape_of };
	assert_true(iteration_energy_from(&at, &s->w->p));
	assert_int_equal(s->w->p.energy.n, 0);
	struct energy_sum sum;
	assert_true(energy_sum_from(&s->w->p.energy, &s->w->p.iterations, 1,
		&s->w->arena, &sum));
	assert_true(isnan(sum.energy_j));
	assert_true(isnan(sum.tokens));
	assert_null(sum.why);
}

/* Fifteen decode steps of 16 tokens on one device: alone, as one of two ranks, as one
 * of an unknown number that exchange data; and after another analysis. */
static void other_ranks_share_the_tokens(void **state)
{
	static const char shared[] =
		"the job has 2 ranks and this run 1 device; it is not known "
		"whether the ranks work on the same tokens";
	struct setting *s = begin(state, 1);
	struct iterations *c = &s->w->p.iterations;
	struct energy_use *use = &s->w->p.energy;
	struct energy_sum sum;

	samples(s->w, MEAN, 0, 0, 20, 1, 300);
	iterations(s, 2, 1, 1, 15);
	s->strata[0] = (struct stratum){ .phase = PHASE_DECODE,
		.sequences = 16,
		.tokens = 16 };
	found(s, 0);
	assert_true(energy_sum_from(use, c, -1, &s->w->arena, &sum));
	assert_null(sum.tokens_why);
	near(sum.tokens, 15 * 16);
	assert_true(energy_sum_from(use, c, 2, &s->w->arena, &sum));
	assert_string_equal(sum.tokens_why, shared);
	assert_true(isnan(sum.tokens));
	near(sum.energy_j, 4500);
	s->list[3].comm_ns = 7;
	assert_true(energy_sum_from(use, c, -1, &s->w->arena, &sum));
	assert_true(isnan(sum.tokens) && sum.tokens_why);
	use->iterations_n--;
	assert_true(energy_sum_from(use, c, 1, &s->w->arena, &sum));
	assert_string_equal(sum.why,
		"the run was analyzed again meanwhile; try again");
	assert_true(isnan(sum.energy_j));
}

static void tokens_of_iterations(void **state)
{
	static const char other[] = "not all of these iterations are of "
				    "decoding",
			  unknown[] = "the output tokens of an iteration are "
				      "not known";
	static const struct {
		const char *odd;
		struct stratum strata[2];
		double tokens;
		const char *why;
	} cases[] = {
		/* the first of fifteen is of the second stratum */
		{ "two batches",
			{ { .phase = PHASE_DECODE,
				  .sequences = 16,
				  .tokens = 16 },
				{ .phase = PHASE_DECODE,
					.sequences = 2,
					.tokens = 2 } },
			14 * 16 + 2, NULL },
		{ "one is prefill",
			{ { .phase = PHASE_DECODE,
				  .sequences = 16,
				  .tokens = 16 },
				{ .phase = PHASE_PREFILL,
					.sequences = 2,
					.tokens = 2 } },
			NAN, other },
		{ "training", { { .tokens = 16 }, { .tokens = 16 } }, NAN,
			other },
		{ "speculative decoding",
			{ { .phase = PHASE_DECODE,
				  .sequences = 16,
				  .tokens = 64 },
				{ .phase = PHASE_DECODE,
					.sequences = 16,
					.tokens = 64 } },
			NAN, unknown },
		{ "a batch of unknown size",
			{ { .phase = PHASE_DECODE,
				  .sequences = -1,
				  .tokens = -1 },
				{ .phase = PHASE_DECODE,
					.sequences = 2,
					.tokens = 2 } },
			NAN, unknown },
	};
	struct setting *s = begin(state, 1);
	samples(s->w, MEAN, 0, 0, 20, 1, 300);
	iterations(s, 2, 1, 1, 15);
	s->list[0].stratum = 1;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		memcpy(s->strata, cases[i].strata, sizeof s->strata);
		struct energy_sum sum = sum_of(s);
		near(sum.energy_j, 4500);
		if (cases[i].why)
			assert_string_equal(sum.tokens_why, cases[i].why);
		else
			assert_null(sum.tokens_why);
		assert_true(cases[i].why ? isnan(sum.tokens)
					 : sum.tokens == cases[i].tokens);
	}
}

/* ---- operators: a GPU that changes what it does every 0.1 s */

#define SLOT (S / 10)

/* What a device does in a slot: at most one kernel of 0.1 s. */
struct slots {
	struct setting *s;
	int32_t device;
	double idle_w;
	double watts[5]; /* of each shape, in addition */
	int64_t in_span_ns[5]; /* time from second 2 to second 17 */
	uint32_t n;
};

static void shapes(struct setting *s, uint32_t n)
{
	static const char *const names[5] = { "gemm", "rms_norm", NULL,
		"softmax", "embedding" };
	struct operators *o = &s->w->p.operators;
	for (uint32_t i = 0; i < n; i++) {
		s->rows[i] = (struct operator_stat){ .name = names[i],
			.dtype = DTYPE_BF16,
			.phase = PHASE_DECODE };
		s->shapes[n - 1 - i] =
			(struct shape_stat){ .number = i, .operator_ = i };
	}
	*o = (struct operators){ .rows = s->rows,
		.shapes = s->shapes,
		.n = n,
		.shapes_n = n };
}

/* A kernel of a shape in the next slots; the counter has its mean power. */
static void slot(struct slots *l, uint32_t shape, double part)
{
	struct trace *t = &l->s->w->t;
	int64_t at_ns = l->n * SLOT, ns = llround(part * (double)SLOT);
	if (ns) {
		assert_true(t->kernel.n < KERNELS);
		l->s->shape_of[t->kernel.n] = shape;
		rows_kernel(t, "k", at_ns, ns, l->device, 1);
	}
	if (at_ns >= 2 * S && at_ns < 17 * S)
		l->in_span_ns[shape] += ns;
	sample(l->s->w, MEAN, l->device, (double)++l->n / 10,
		l->idle_w + part * l->watts[shape]);
}

/* Random slots, half of them empty, until second `to_s`; the last shapes are
 * `rare`. */
static void slots(struct slots *l, uint32_t to_s, uint32_t n, uint64_t seed)
{
	struct xoshiro x;
	xoshiro_init(&x, seed);
	sample(l->s->w, MEAN, l->device, 0, 0);
	while (l->n < 10 * to_s)
		slot(l, xoshiro_below(&x, n), xoshiro_below(&x, 2));
}

/* The energy is exact except for the ridge of the fit. */
static void expect_operator(const struct device_energy *d, uint32_t i,
	const char *name, int64_t time_ns, double watts)
{
	const struct operator_energy *o = &d->operators[i];
	double energy_j = watts * (double)time_ns / 1e9;
	assert_true(i < d->operators_n);
	assert_string_equal(o->name, name);
	assert_int_equal(o->dtype, DTYPE_BF16);
	assert_int_equal(o->phase, PHASE_DECODE);
	assert_int_equal(o->time_ns, time_ns);
	assert_null(o->why);
	assert_true(fabs(o->energy_j - energy_j) < 1e-5 * energy_j);
	assert_true(o->low_j <= o->energy_j && o->high_j >= o->energy_j);
	assert_true(o->high_j - o->low_j < 1e-4 * energy_j);
}

/* The kernel of begin() is the first. */
static struct slots begin_slots(void **state, uint32_t n)
{
	struct setting *s = begin(state, 1);
	s->w->t.kernel.n = 0;
	shapes(s, n);
	return (struct slots){ s, 0, 50, { 200, 100, 30, 400, 300 }, { 0 }, 0 };
}

/* Launches without an operator have a power, too, and none of their own. */
static void operators_of_known_power(void **state)
{
	struct slots l = begin_slots(state, 3);
	slots(&l, 70, 3, 1);
	iterations(l.s, 2, 1, 1, 15);
	const struct device_energy *d = found(l.s, 0);
	assert_null(d->operators_why);
	assert_true(fabs(d->idle_w - 50) < 1e-3);
	assert_true(d->idle_low_w <= d->idle_w && d->idle_high_w < 50.1);
	assert_int_equal(d->operators_n, 2);
	bool first = !strcmp(d->operators[0].name, "gemm");
	expect_operator(d, !first, "gemm", l.in_span_ns[0], 200);
	expect_operator(d, first, "rms_norm", l.in_span_ns[1], 100);
}

/* gemm is on both devices, and uses less power on the second; each device has
 * another second operator. Launches start at the same times on both. */
static void each_device_has_operators_of_its_own(void **state)
{
	struct setting *s = begin(state, 2);
	struct slots first = { s, 0, 50, { 200, 100 }, { 0 }, 0 },
		     second = { s, 1, 90, { 120, 0, 0, 400 }, { 0 }, 0 };
	struct xoshiro x;
	s->w->t.kernel.n = 0;
	shapes(s, 4);
	xoshiro_init(&x, 10);
	sample(s->w, MEAN, 0, 0, 0);
	sample(s->w, MEAN, 1, 0, 0);
	while (first.n < 700) {
		slot(&first, xoshiro_below(&x, 2), xoshiro_below(&x, 2));
		slot(&second, 3 * xoshiro_below(&x, 2), xoshiro_below(&x, 2));
	}
	iterations(s, 2, 1, 1, 15);
	const struct device_energy *d = found(s, 0);
	assert_int_equal(d->operators_n, 2);
	bool turned = strcmp(d->operators[0].name, "gemm") != 0;
	expect_operator(d, turned, "gemm", first.in_span_ns[0], 200);
	expect_operator(d, !turned, "rms_norm", first.in_span_ns[1], 100);
	assert_true(fabs(d->idle_w - 50) < 1e-3);
	d = found(s, 1);
	assert_int_equal(d->operators_n, 2);
	turned = strcmp(d->operators[0].name, "gemm") != 0;
	expect_operator(d, turned, "gemm", second.in_span_ns[0], 120);
	expect_operator(d, !turned, "softmax", second.in_span_ns[3], 400);
	assert_true(fabs(d->idle_w - 90) < 1e-3);
}

/* Copies and graphs of 40 ms at the start of each tenth slot, with 80 W. */
static void copies_have_a_power_of_their_own(void **state)
{
	struct slots l = begin_slots(state, 2);
	slots(&l, 70, 2, 2);
	for (uint32_t i = 0; i < l.n; i += 10) {
		uint32_t row = l.s->w->t.counter.n - l.n + i;
		bool graph = i % 30 == 0;
		if (graph)
			rows_graph(&l.s->w->t, 1, 1, i * SLOT, 2 * SLOT / 5, 0);
		else
			rows_copy(&l.s->w->t, "Memcpy HtoD", i * SLOT,
				2 * SLOT / 5, 0, 1, false);
		l.s->w->t.counter.value[row] += 0.4 * 80;
	}
	iterations(l.s, 2, 1, 1, 15);
	const struct device_energy *d = found(l.s, 0);
	assert_int_equal(d->operators_n, 2);
	bool first = !strcmp(d->operators[0].name, "gemm");
	expect_operator(d, !first, "gemm", l.in_span_ns[0], 200);
	expect_operator(d, first, "rms_norm", l.in_span_ns[1], 100);
}

/* Two kernels of half a slot: gemm and rms_norm. */
static void slot_of_two(struct slots *l)
{
	struct trace *t = &l->s->w->t;
	int64_t at_ns = l->n * SLOT;
	for (uint32_t i = 0; i < 2; i++) {
		assert_true(t->kernel.n < KERNELS);
		l->s->shape_of[t->kernel.n] = i;
		rows_kernel(t, "k", at_ns + i * SLOT / 2, SLOT / 2, l->device,
			1);
	}
	sample(l->s->w, MEAN, l->device, (double)++l->n / 10,
		l->idle_w + (l->watts[0] + l->watts[1]) / 2);
}

/* gemm is always followed by rms_norm; softmax is apart from them. */
static void operators_that_run_together(void **state)
{
	static const char why[] = "its time changes together with that of "
				  "other operators, or with idle time";
	struct slots l = begin_slots(state, 4);
	struct xoshiro x;
	xoshiro_init(&x, 3);
	sample(l.s->w, MEAN, 0, 0, 0);
	while (l.n < 700)
		switch (xoshiro_below(&x, 3)) {
		case 0:
			slot_of_two(&l);
			break;
		case 1:
			slot(&l, 3, 1);
			break;
		default:
			slot(&l, 3, 0);
			slot(&l, 3, 0);
		}
	iterations(l.s, 2, 1, 1, 15);
	const struct device_energy *d = found(l.s, 0);
	assert_int_equal(d->operators_n, 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct operator_energy *o = &d->operators[i];
		if (!strcmp(o->name, "softmax")) {
			expect_operator(d, i, "softmax", l.in_span_ns[3], 400);
			continue;
		}
		assert_string_equal(o->why, why);
		assert_true(isnan(o->energy_j) && isnan(o->low_j));
	}
}

/* The GPU is never idle: the operators have a sum, but none alone. */
static void a_device_without_idle_time(void **state)
{
	struct slots l = begin_slots(state, 2);
	struct xoshiro x;
	xoshiro_init(&x, 4);
	sample(l.s->w, MEAN, 0, 0, 0);
	while (l.n < 700)
		slot(&l, xoshiro_below(&x, 2), 1);
	iterations(l.s, 2, 1, 1, 15);
	const struct device_energy *d = found(l.s, 0);
	assert_true(isnan(d->idle_w) && isnan(d->idle_low_w));
	assert_int_equal(d->operators_n, 2);
	assert_non_null(d->operators[0].why);
	assert_non_null(d->operators[1].why);
}

/* rms_norm uses 2 W, and the power of gemm scatters by 100 W. */
static void an_interval_wider_than_the_energy(void **state)
{
	struct slots l = begin_slots(state, 2);
	struct xoshiro x;
	xoshiro_init(&x, 5);
	l.watts[1] = 2;
	slots(&l, 70, 2, 6);
	for (uint32_t i = 0; i < l.s->w->t.counter.n; i++)
		if (l.s->w->t.counter.value[i] > 200)
			l.s->w->t.counter.value[i] +=
				100.0 - xoshiro_below(&x, 201);
	iterations(l.s, 2, 1, 1, 15);
	const struct device_energy *d = found(l.s, 0);
	assert_int_equal(d->operators_n, 2);
	for (uint32_t i = 0; i < 2; i++)
		if (strcmp(d->operators[i].name, "rms_norm") == 0)
			assert_string_equal(d->operators[i].why,
				"its interval is wider than its energy");
		else
			assert_null(d->operators[i].why);
}

/* 4 of 700 slots are of softmax. */
static void an_operator_with_little_time(void **state)
{
	struct slots l = begin_slots(state, 4);
	slots(&l, 66, 2, 7);
	for (int i = 0; i < 40; i++)
		slot(&l, 3, i % 10 ? 0 : 1);
	iterations(l.s, 2, 1, 1, 15);
	const struct device_energy *d = found(l.s, 0);
	assert_int_equal(d->operators_n, 3);
	l = begin_slots(state, 4);
	slots(&l, 66, 2, 7);
	for (int i = 0; i < 40; i++)
		slot(&l, 3, i ? 0 : 1);
	l.s->w->p.energy.n = 0;
	iterations(l.s, 2, 1, 1, 15);
	assert_int_equal(found(l.s, 0)->operators_n, 2);
}

static void expect_operators_why(struct setting *s, uint32_t device,
	const char *why)
{
	const struct device_energy *d = found(s, device);
	assert_string_equal(d->operators_why, why);
	assert_int_equal(d->operators_n, 0);
	assert_true(isnan(d->idle_w));
}

/* 2,000 devices with 61 windows and one kernel each; one of them has 300,000 copies,
 * too: 1.3e10 pairs of a device and a launch for 22 delays. */
static void many_devices_and_many_launches(void **state)
{
	enum { DEVICES = 2000, COPIES = 300000 };
	struct setting *s = begin(state, 1);
	struct profile *p = &s->w->p;
	p->devices = arena_array(p->arena, struct profile_device, DEVICES);
	p->devices_n = DEVICES;
	s->w->t.kernel.n = 0;
	shapes(s, 1);
	for (int32_t i = 0; i < DEVICES; i++) {
		p->devices[i].number = i;
		rows_kernel(&s->w->t, "k", 3 * S, SLOT, i, 1);
		samples(s->w, MEAN, i, 0, 61, 0.1, 100);
	}
	for (int i = 0; i < COPIES; i++)
		rows_copy(&s->w->t, "Memcpy HtoD", 4 * S, 7, 1, 1, false);
	iterations(s, 2, 1, 1, 15);
	for (uint32_t i = 0; i < DEVICES; i++) {
		const struct device_energy *d = found(s, i);
		assert_null(d->operators_why);
		assert_int_equal(d->operators_n, 1);
		assert_int_equal(d->operators[0].time_ns, SLOT);
	}
}

/* 59 windows, with a gap in the first second. */
static void too_few_windows(void **state)
{
	struct slots l = begin_slots(state, 2);
	slots(&l, 60, 2, 8);
	l.s->w->t.counter.value[3] = -1;
	iterations(l.s, 2, 1, 1, 15);
	assert_null(found(l.s, 0)->why);
	expect_operators_why(l.s, 0,
		"samples of its power cover 59 windows of 1.000 s without a "
		"gap; at least 60 are needed");
}

static void readings_are_not_divided(void **state)
{
	struct setting *s = begin(state, 1);
	samples(s->w, READING, 0, 0, 20, 0.1, 100);
	iterations(s, 2, 1, 1, 15);
	expect_operators_why(s, 0,
		"its power was read over an unknown time; operators need the "
		"driver's energy counter (gpu_power_mean)");
}

static void no_energy_to_divide(void **state)
{
	struct setting *s = begin(state, 1);
	iterations(s, 2, 1, 1, 15);
	expect_operators_why(s, 0, "the trace has no samples of its power");
}

static void launches_without_an_operator(void **state)
{
	struct slots l = begin_slots(state, 3);
	l.s->rows[0].name = l.s->rows[1].name = NULL;
	slots(&l, 70, 3, 9);
	iterations(l.s, 2, 1, 1, 15);
	expect_operators_why(l.s, 0, "no operator of its launches is known");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(operators_of_known_power),
		WORLD_TEST(each_device_has_operators_of_its_own),
		WORLD_TEST(copies_have_a_power_of_their_own),
		WORLD_TEST(operators_that_run_together),
		WORLD_TEST(a_device_without_idle_time),
		WORLD_TEST(an_interval_wider_than_the_energy),
		WORLD_TEST(an_operator_with_little_time),
		WORLD_TEST(many_devices_and_many_launches),
		WORLD_TEST(too_few_windows),
		WORLD_TEST(readings_are_not_divided),
		WORLD_TEST(no_energy_to_divide),
		WORLD_TEST(launches_without_an_operator),
		WORLD_TEST(constant_power),
		WORLD_TEST(ends_between_two_samples),
		WORLD_TEST(a_mean_is_of_the_time_before_it),
		WORLD_TEST(a_ramp_of_readings),
		WORLD_TEST(readings_that_scatter),
		WORLD_TEST(an_interval_ends_at_zero),
		WORLD_TEST(time_between_iterations_counts),
		WORLD_TEST(time_outside_the_samples_is_not_covered),
		WORLD_TEST(a_lost_mean_is_a_gap),
		WORLD_TEST(two_lost_readings_are_a_gap),
		WORLD_TEST(values_that_are_no_power),
		WORLD_TEST(one_counter_is_used),
		WORLD_TEST(the_energy_counter_is_preferred),
		WORLD_TEST(other_iterations_end_a_stretch),
		WORLD_TEST(too_few_samples),
		WORLD_TEST(one_sample),
		WORLD_TEST(no_samples),
		WORLD_TEST(no_kept_iterations),
		WORLD_TEST(two_devices_use_the_same_iterations),
		WORLD_TEST(one_device_has_no_samples),
		WORLD_TEST(devices_without_common_time),
		WORLD_TEST(a_run_without_devices),
		WORLD_TEST(other_ranks_share_the_tokens),
		WORLD_TEST(tokens_of_iterations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
