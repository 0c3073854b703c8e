/* test_pattern_counters.c - tests counter values of functions: worked out by
 * hand, and compared with a computation that checks every sample for every
 * execution. */
#include "iteration_rows.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void sample(struct trace *t, const char *name, int32_t device,
	int64_t at_ns, double value)
{
	trace_counter_add(t, &(struct counter_row){ .start_ns = at_ns,
				     .name = rows_name(t, name),
				     .device = device,
				     .value = value });
}

static const struct pattern_metric *metric_of(const struct world *w,
	const char *function, const char *device, const char *name)
{
	const struct patterns *p = &w->p.patterns;
	for (uint32_t i = 0; i < p->metrics_n; i++) {
		const struct pattern *f = &p->rows[p->metrics[i].pattern];
		if (!strcmp(f->name, function) && !strcmp(f->device, device) &&
			!strcmp(p->metrics[i].name, name))
			return &p->metrics[i];
	}
	return NULL;
}

static void near(double got, double want)
{
	assert_true(fabs(got - want) <= 1e-9 * (1 + fabs(want)));
}

/* The kernel of [0,100] contains the samples 1, 2 and 6: mean 3, variance
 * 14/3. The kernel of [110,120] is between 6 at 100 and 8 at 140: interpolated
 * 6.5 and 7, mean 6.75. So μ = (3·100 + 6.75·10) / 110 and σ² = 14/3·100 /
 * 110. In the second iteration [200,202] is after the last sample. Counters of
 * the host and of the other device do not apply to this kernel. */
static void test_by_hand(void **state)
{
	struct world *w = *state;
	static struct given g;
	g = (struct given){ 0 };
	rows_kernel(&w->t, "a", 0, 100, 0, 1);
	rows_kernel(&w->t, "a", 110, 10, 0, 1);
	rows_kernel(&w->t, "a", 200, 2, 0, 1);
	rows_call(&w->t, "cudaDeviceSynchronize", "1", 120, 20, -1);
	sample(&w->t, "sm", 0, 0, 1);
	sample(&w->t, "sm", 1, 0, 100);
	sample(&w->t, "cpu", -1, 0, 50);
	sample(&w->t, "sm", 0, 50, 2);
	sample(&w->t, "sm", 0, 100, 6);
	sample(&w->t, "sm", 0, 140, 8);
	sample(&w->t, "sm", 1, 140, 100);
	sample(&w->t, "cpu", -1, 200, 70);
	given_iteration(w, &g, 0, 150);
	given_iteration(w, &g, 150, 100);
	given_rows(w, &g);
	given_patterns(w, &g);
	assert_int_equal(w->p.patterns.metrics_n, 2);
	const struct pattern_metric *sm = metric_of(w, "a", "GPU 0", "sm");
	assert_non_null(sm);
	near(sm->mu[0], 367.5 / 110);
	near(sm->sigma[0], sqrt(1400.0 / 3 / 110));
	assert_int_equal(sm->interpolated[0], METRIC_PARTLY);
	assert_true(isnan(sm->mu[1]) && isnan(sm->sigma[1]));
	assert_int_equal(sm->interpolated[1], METRIC_NO_ROW);
	const struct pattern_metric *cpu =
		metric_of(w, "cudaDeviceSynchronize", "Host", "cpu");
	assert_non_null(cpu);
	near(cpu->mu[0], 63); /* 62 and 64 */
	assert_true(cpu->sigma[0] == 0);
	assert_int_equal(cpu->interpolated[0], METRIC_INTERPOLATED);
}

/* Two samples inside a kernel give a deviation but no mean. The interpolated
 * line is 4 at 10 and 8 at 20. The samples inside, 0 at 12 and 10 at 18, have
 * the deviation 5. */
static void test_two_inside(void **state)
{
	struct world *w = *state;
	static struct given g;
	g = (struct given){ 0 };
	rows_kernel(&w->t, "zero", 0, 0, 0, 1);
	rows_kernel(&w->t, "a", 10, 10, 0, 1);
	sample(&w->t, "sm", 0, 0, 24);
	sample(&w->t, "sm", 0, 12, 0);
	sample(&w->t, "sm", 0, 18, 10);
	sample(&w->t, "sm", 0, 22, 6);
	given_iteration(w, &g, 0, 100);
	given_rows(w, &g);
	given_patterns(w, &g);
	/* executions of zero length have zero weight */
	assert_int_equal(w->p.patterns.metrics_n, 1);
	const struct pattern_metric *sm = metric_of(w, "a", "GPU 0", "sm");
	near(sm->mu[0], 6);
	near(sm->sigma[0], 5);
	assert_int_equal(sm->interpolated[0], METRIC_INTERPOLATED);
}

/* Samples that are not numbers are ignored. If a counter has no other samples,
 * a note reports this. */
static void test_no_number(void **state)
{
	struct world *w = *state;
	static struct given g;
	g = (struct given){ 0 };
	rows_kernel(&w->t, "a", 0, 10, 0, 1);
	sample(&w->t, "dead", 0, 0, NAN);
	sample(&w->t, "sm", 0, 0, 3);
	sample(&w->t, "sm", 0, 5, NAN);
	sample(&w->t, "sm", 0, 6, INFINITY);
	sample(&w->t, "dead", 0, 10, -INFINITY);
	sample(&w->t, "sm", 0, 10, 5);
	given_iteration(w, &g, 0, 100);
	given_rows(w, &g);
	given_patterns(w, &g);
	assert_int_equal(w->p.patterns.metrics_n, 1);
	assert_true(metric_of(w, "a", "GPU 0", "sm")->mu[0] == 4);
	assert_int_equal(w->p.notes.count[NOTE_counters_nan], 1);
	assert_string_equal(w->p.notes.detail[NOTE_counters_nan], "dead");
}

/* 2^22 values are enough for 2000 iterations of 2097 pairs. 50 counters of 42
 * functions are 2100 pairs. So the function with the shortest time lacks three
 * counters: c47, c48, c49. */
static void test_too_many(void **state)
{
	struct world *w = *state;
	struct iteration *iterations =
		arena_array(&w->arena, struct iteration, 2000);
	static uint32_t of[42 * 2000];
	uint32_t *kernel_of;
	char name[8];
	for (uint32_t i = 0; i < 42 * 2000; i++) {
		uint32_t f = i % 42;
		snprintf(name, sizeof name, "f%02u", f);
		rows_kernel(&w->t, name, i * 100, 99 - f, 0, 1);
		of[i] = i / 42;
	}
	for (uint32_t c = 0; c < 50; c++) {
		snprintf(name, sizeof name, "c%02u", c);
		sample(&w->t, name, 0, 0, c);
		sample(&w->t, name, 0, 42 * 2000 * 100, c);
	}
	for (uint32_t i = 0; i < 2000; i++)
		iterations[i] = (struct iteration){ .start_ns = i * 4200,
			.dur_ns = 4200 };
	rows_done(&w->t, &w->process);
	w->p.arena = &w->arena;
	w->p.iterations =
		(struct iterations){ .iterations = iterations, .n = 2000 };
	assert_true(kernels_from(&w->t, w->process.kernel, w->families, &w->p,
		&kernel_of));
	struct iteration_rows rows = { of, NULL, NULL };
	assert_true(pattern_from(&w->t, 0, kernel_of, &rows, &w->p));
	assert_int_equal(w->p.patterns.n, 42);
	assert_int_equal(w->p.patterns.metrics_n, 2097);
	assert_non_null(metric_of(w, "f41", "GPU 0", "c46"));
	assert_null(metric_of(w, "f41", "GPU 0", "c47"));
	assert_true(metric_of(w, "f40", "GPU 0", "c49")->mu[1999] == 49);
	assert_int_equal(w->p.notes.count[NOTE_metrics_cut], 3);
	assert_string_equal(w->p.notes.detail[NOTE_metrics_cut], "c47");
}

/* The counter at a given time, from all samples; false outside their range. */
static bool line_at(const struct trace *t, int32_t device, int64_t at,
	double *v)
{
	const struct counter_rows *c = &t->counter;
	int64_t before = -1, after = -1;
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->device[i] != device)
			continue;
		if (c->start_ns[i] <= at)
			before = i;
		if (c->start_ns[i] >= at && after < 0)
			after = i;
	}
	if (before < 0 || after < 0)
		return false;
	double span = (double)(c->start_ns[after] - c->start_ns[before]);
	double part = (double)(at - c->start_ns[before]);
	*v = span > 0 ? c->value[before] +
				part / span *
					(c->value[after] - c->value[before])
		      : c->value[before];
	return true;
}

struct want {
	double weight, mean, variance;
	int values, interpolated;
};

static void weigh(const struct trace *t, uint32_t row, struct want *x)
{
	const struct counter_rows *c = &t->counter;
	int64_t start = t->kernel.start_ns[row], dur = t->kernel.dur_ns[row];
	double n = 0, mean = 0, variance = 0, a, b;
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < c->n; i++) {
			if (c->device[i] != t->kernel.device[row] ||
				c->start_ns[i] < start ||
				c->start_ns[i] > start + dur)
				continue;
			if (pass == 0) {
				n++;
				mean += c->value[i];
			} else {
				variance += pow(c->value[i] - mean, 2) / n;
			}
		}
		mean = pass == 0 && n > 0 ? mean / n : mean;
	}
	if (n < 3) {
		if (!line_at(t, t->kernel.device[row], start, &a) ||
			!line_at(t, t->kernel.device[row], start + dur, &b))
			return;
		mean = (a + b) / 2;
		x->interpolated++;
	}
	x->values++;
	x->weight += (double)dur;
	x->mean += mean * (double)dur;
	x->variance += variance * (double)dur;
}

static void random_world(struct world *w, struct given *g)
{
	int64_t at = rand() % 30, gap = 1 + rand() % 40, long_one = rand() % 9;
	int64_t end = long_one == 0 ? 4000 : 400;
	for (int i = 0; i < 500 && at < end; i++) {
		/* no two samples of a device have the same time */
		sample(&w->t, "m", rand() % 2, at, rand() % 1000);
		at += 1 + rand() % gap;
	}
	rows_kernel(&w->t, "a", 0, 1, 0, 1);
	for (int64_t k = 0; k < end && w->t.kernel.n < 200; k += rand() % 30)
		rows_kernel(&w->t, rand() % 2 ? "a" : "b", k,
			rand() % (rand() % 5 ? 30 : (int)end), rand() % 2, 1);
	for (int64_t k = 0; k < end && w->p.iterations.n < 60; k += end / 4)
		given_iteration(w, g, k, end / 4);
}

static void hold(const struct world *w, const struct given *g,
	const struct pattern *f, uint32_t iteration)
{
	const struct pattern_metric *m = metric_of(w, f->name, f->device, "m");
	struct want x = { 0 };
	for (uint32_t i = 0; i < w->t.kernel.n; i++)
		if (w->t.kernel.device[i] == f->number &&
			g->kernel[i] == iteration &&
			!strcmp(names_text(&w->t.names, w->t.kernel.name[i]),
				f->name))
			weigh(&w->t, i, &x);
	if (!(x.weight > 0)) {
		assert_true(!m || (isnan(m->mu[iteration]) &&
					  m->interpolated[iteration] ==
						  METRIC_NO_ROW));
		return;
	}
	assert_non_null(m);
	near(m->mu[iteration], x.mean / x.weight);
	near(m->sigma[iteration], sqrt(x.variance / x.weight));
	assert_int_equal(m->interpolated[iteration],
		x.interpolated == 0	    ? METRIC_SAMPLED
		: x.interpolated < x.values ? METRIC_PARTLY
					    : METRIC_INTERPOLATED);
}

static void test_each_sample(void **state)
{
	struct world *w = *state;
	static struct given g;
	int metrics = 0;
	srand(6);
	for (int round = 0; round < 300; round++) {
		world_stop(state);
		assert_int_equal(world_start(state), 0);
		g = (struct given){ 0 };
		random_world(w, &g);
		given_rows(w, &g);
		given_patterns(w, &g);
		for (uint32_t i = 0; i < w->p.patterns.n; i++)
			for (uint32_t c = 0; c < w->p.iterations.n; c++)
				hold(w, &g, &w->p.patterns.rows[i], c);
		metrics += (int)w->p.patterns.metrics_n;
	}
	assert_true(metrics > 600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_by_hand),
		WORLD_TEST(test_two_inside),
		WORLD_TEST(test_no_number),
		WORLD_TEST(test_too_many),
		WORLD_TEST(test_each_sample),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
