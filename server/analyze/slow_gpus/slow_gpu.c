/* slow_gpu.c - fits cells, runs and GPUs by alternating medians, and tests each
 * GPU against the spread of the fleet. */
#include "slow_gpu.h"
#include "dist.h"
#include "order_stat.h"
#include "sort.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

const char *const slow_gpu_verdict_word[SLOW_GPU_VERDICTS] = { "slow",
	"not_slow", "undecided", "not_judged" };

/* Makes the median absolute deviation of normal values their deviation. */
static const double MAD_NORMAL = 1.4826;
/* A median of normal values has pi / 2 times the variance of their mean. */
static const double MEDIAN_VARIANCE = 1.5708;
/* The efficiency of MAD and of Qn as estimates of the deviation of normal
 * values: Rousseeuw and Croux, 1993. */
static const double MAD_EFFICIENCY = 0.37, QN_EFFICIENCY = 0.82;
enum {
	/* Of more GPUs, as many evenly spaced quantiles: Qn needs all pairs, and
	 * with 160 degrees of freedom Student's t is nearly normal. */
	QN_MOST = 200,
	/* Two disturbed runs move the median of fewer runs. */
	MEDIAN_RUNS_MIN = 5,
};
/* The fit ends when no effect moves by more than this: a ten-thousandth of the
 * margin. */
static const double FIT_STEP = 1e-6;
/* If few GPUs connect two parts of a group, the fit approaches the difference of
 * the parts slowly. What is left after these rounds is in the cells, so it
 * accuses nobody. In tests/sim no fit took more than 19 rounds. */
enum { FIT_ROUNDS = 100 };

/* The times, or the clocks, of all runs. */
struct slow_gpu_fit {
	struct arena *a;
	const struct slow_gpu_sample *samples;
	const struct slow_gpu_run *runs;
	uint32_t samples_n, runs_n, gpus_n, cells_n;

	uint32_t *by_cell; /* samples in the order of cells, then runs */
	uint32_t *cell_first; /* in by_cell; [cells_n] is samples_n */
	bool *cell_ok; /* enough GPUs executed it */
	uint32_t *gpu_first; /* run; [gpus_n] is runs_n */
	/* GPUs that cells connect, directly or over others. */
	uint32_t *group; /* of a GPU: its lowest number of a GPU */
	uint32_t *by_group; /* GPUs in the order of groups */

	double *cell, *weight, *run, *gpu; /* effects; NaN unknown */
	uint32_t *gpu_runs; /* with a known effect */
	double *buffer; /* of samples_n + runs_n + gpus_n + cells_n values */
};

static double slow_gpu_mad(double *v, uint32_t n)
{
	double middle = order_stat_median(v, n);
	for (uint32_t i = 0; i < n; i++)
		v[i] = fabs(v[i] - middle);
	return MAD_NORMAL * order_stat_median(v, n);
}

/* Qn without bias for small n (Croux and Rousseeuw, 1992). */
static double slow_gpu_qn_factor(uint32_t n)
{
	static const double small[] = { 0, 0, 0.399, 0.994, 0.512, 0.844, 0.611,
		0.857, 0.669, 0.872 };
	return 2.2219 * (n < 10		? small[n]
				: n % 2 ? n / (n + 1.4)
					: n / (n + 3.8));
}

/* The deviation of n values, of which nearly half may be outliers. Sorts them. */
static double slow_gpu_qn(double *v, uint32_t n, struct arena *a)
{
	uint32_t m = n < QN_MOST ? n : QN_MOST, pairs = 0, h = m / 2 + 1;
	double *apart = arena_array(a, double, (size_t)m *m / 2 + 1);

	sort_double(v, n);
	for (uint32_t i = 0; i < m; i++)
		for (uint32_t k = 0; k < i; k++)
			apart[pairs++] =
				v[(uint64_t)i * n / m] - v[(uint64_t)k * n / m];
	return slow_gpu_qn_factor(m) *
	       order_stat(apart, pairs, h * (h - 1) / 2 - 1);
}

/* ---- which GPUs and cells are comparable */

static uint32_t slow_gpu_of(const struct slow_gpu_fit *f, uint32_t at)
{
	return f->runs[f->samples[f->by_cell[at]].run].gpu;
}

static void slow_gpu_order_cells(struct slow_gpu_fit *f)
{
	uint32_t *next = arena_array(f->a, uint32_t, f->cells_n + 1);

	f->by_cell = arena_array(f->a, uint32_t, f->samples_n);
	f->cell_first = arena_array(f->a, uint32_t, f->cells_n + 1);
	for (uint32_t i = 0; i < f->samples_n; i++)
		f->cell_first[f->samples[i].cell + 1]++;
	for (uint32_t c = 0; c < f->cells_n; c++) {
		f->cell_first[c + 1] += f->cell_first[c];
		next[c] = f->cell_first[c];
	}
	for (uint32_t i = 0; i < f->samples_n; i++)
		f->by_cell[next[f->samples[i].cell]++] = i;
}

static void slow_gpu_order_runs(struct slow_gpu_fit *f)
{
	f->gpu_first = arena_array(f->a, uint32_t, f->gpus_n + 1);
	for (uint32_t r = 0; r < f->runs_n; r++) {
		assert(!r || f->runs[r - 1].gpu <= f->runs[r].gpu);
		f->gpu_first[f->runs[r].gpu + 1]++;
	}
	for (uint32_t g = 0; g < f->gpus_n; g++)
		f->gpu_first[g + 1] += f->gpu_first[g];
}

static uint32_t slow_gpu_root(uint32_t *group, uint32_t g)
{
	while (group[g] != g)
		g = group[g] = group[group[g]];
	return g;
}

/* Connects the GPUs of each cell that enough of them executed. */
static void slow_gpu_connect(struct slow_gpu_fit *f)
{
	f->cell_ok = arena_array(f->a, bool, f->cells_n);
	f->group = arena_array(f->a, uint32_t, f->gpus_n);
	for (uint32_t g = 0; g < f->gpus_n; g++)
		f->group[g] = g;
	for (uint32_t c = 0; c < f->cells_n; c++) {
		uint32_t from = f->cell_first[c], to = f->cell_first[c + 1];
		uint32_t gpus = from < to;
		for (uint32_t i = from; i + 1 < to; i++)
			gpus += slow_gpu_of(f, i) != slow_gpu_of(f, i + 1);
		f->cell_ok[c] = gpus >= SLOW_GPU_CELL_GPUS_MIN;
		for (uint32_t i = from; f->cell_ok[c] && i + 1 < to; i++) {
			uint32_t x = slow_gpu_root(f->group, slow_gpu_of(f, i));
			uint32_t y =
				slow_gpu_root(f->group, slow_gpu_of(f, i + 1));
			f->group[x > y ? x : y] = x > y ? y : x;
		}
	}
	for (uint32_t g = 0; g < f->gpus_n; g++)
		f->group[g] = slow_gpu_root(f->group, g);
}

static void slow_gpu_order_groups(struct slow_gpu_fit *f)
{
	uint32_t *next = arena_array(f->a, uint32_t, f->gpus_n + 1);

	f->by_group = arena_array(f->a, uint32_t, f->gpus_n);
	for (uint32_t g = 0; g < f->gpus_n; g++)
		next[f->group[g] + 1]++;
	for (uint32_t g = 0; g < f->gpus_n; g++)
		next[g + 1] += next[g];
	for (uint32_t g = 0; g < f->gpus_n; g++)
		f->by_group[next[f->group[g]]++] = g;
}

/* The end of the group that begins at by_group[from]. */
static uint32_t slow_gpu_group_end(const struct slow_gpu_fit *f, uint32_t from)
{
	uint32_t to = from + 1;
	while (to < f->gpus_n &&
		f->group[f->by_group[to]] == f->group[f->by_group[from]])
		to++;
	return to;
}

/* ---- the fit */

/* The effect of a cell: the median over GPUs of the medians over their runs.
 * Afterwards the buffer is free again. */
static void slow_gpu_fit_cell(struct slow_gpu_fit *f, uint32_t c)
{
	uint32_t from = f->cell_first[c], to = f->cell_first[c + 1], gpus = 0;
	double *medians = f->buffer, *own = f->buffer + f->gpus_n;

	for (uint32_t i = from, end; i < to; i = end) {
		uint32_t gpu = slow_gpu_of(f, i), n = 0;
		for (end = i; end < to && slow_gpu_of(f, end) == gpu; end++)
			own[n++] = f->samples[f->by_cell[end]].log_value;
		medians[gpus++] = order_stat_median(own, n) - f->gpu[gpu];
	}
	f->cell[c] = order_stat_median(medians, gpus);
}

/* The weights of cells. A typical spread is added to each cell's own: the few
 * runs of a cell can be equal by chance. */
static void slow_gpu_fit_weights(struct slow_gpu_fit *f)
{
	double *left = f->buffer + f->samples_n, typical;
	uint32_t cells = 0;

	for (uint32_t c = 0; c < f->cells_n; c++) {
		uint32_t n = 0;
		for (uint32_t i = f->cell_first[c];
			f->cell_ok[c] && i < f->cell_first[c + 1]; i++)
			f->buffer[n++] = f->samples[f->by_cell[i]].log_value -
					 f->gpu[slow_gpu_of(f, i)];
		f->weight[c] = slow_gpu_mad(f->buffer, n);
		if (f->cell_ok[c])
			left[cells++] = f->weight[c];
	}
	typical = order_stat_median(left, cells);
	for (uint32_t c = 0; c < f->cells_n; c++)
		f->weight[c] = typical > 0 ? 1 / (f->weight[c] * f->weight[c] +
							 typical * typical)
					   : 1;
}

static void slow_gpu_fit_runs(struct slow_gpu_fit *f)
{
	double *weight = f->buffer;

	for (uint32_t r = 0; r < f->runs_n; r++)
		f->run[r] = weight[r] = 0;
	for (uint32_t i = 0; i < f->samples_n; i++) {
		const struct slow_gpu_sample *s = &f->samples[i];
		if (!f->cell_ok[s->cell])
			continue;
		weight[s->run] += f->weight[s->cell];
		f->run[s->run] +=
			f->weight[s->cell] * (s->log_value - f->cell[s->cell]);
	}
	for (uint32_t r = 0; r < f->runs_n; r++)
		f->run[r] = weight[r] > 0 ? f->run[r] / weight[r] : (double)NAN;
}

/* The median over the runs of a GPU; 0 if none is comparable, so that it moves
 * nothing. */
static double slow_gpu_fit_gpu(struct slow_gpu_fit *f, uint32_t g)
{
	uint32_t n = 0;
	for (uint32_t r = f->gpu_first[g]; r < f->gpu_first[g + 1]; r++)
		if (!isnan(f->run[r]))
			f->buffer[n++] = f->run[r];
	f->gpu_runs[g] = n;
	return order_stat_median(f->buffer, n);
}

/* Moves the effects of a group's GPUs so that their median is 0. */
static void slow_gpu_fit_center(struct slow_gpu_fit *f, double *gpu)
{
	for (uint32_t i = 0, to; i < f->gpus_n; i = to) {
		to = slow_gpu_group_end(f, i);
		for (uint32_t k = i; k < to; k++)
			f->buffer[k - i] = gpu[f->by_group[k]];
		double middle = order_stat_median(f->buffer, to - i);
		for (uint32_t k = i; k < to; k++)
			gpu[f->by_group[k]] -= middle;
	}
}

/* Returns how far the effects of GPUs moved at most. */
static double slow_gpu_fit_round(struct slow_gpu_fit *f, double *next)
{
	double moved = 0;

	for (uint32_t c = 0; c < f->cells_n; c++)
		if (f->cell_ok[c])
			slow_gpu_fit_cell(f, c);
	slow_gpu_fit_runs(f);
	for (uint32_t g = 0; g < f->gpus_n; g++)
		next[g] = slow_gpu_fit_gpu(f, g);
	slow_gpu_fit_center(f, next);
	for (uint32_t g = 0; g < f->gpus_n; g++) {
		moved = fmax(moved, fabs(next[g] - f->gpu[g]));
		f->gpu[g] = next[g];
	}
	return moved;
}

static void slow_gpu_fit(struct slow_gpu_fit *f)
{
	double *next = arena_array(f->a, double, f->gpus_n);
	double moved = INFINITY;

	f->cell = arena_array(f->a, double, f->cells_n);
	f->weight = arena_array(f->a, double, f->cells_n);
	f->run = arena_array(f->a, double, f->runs_n);
	f->gpu = arena_array(f->a, double, f->gpus_n);
	f->gpu_runs = arena_array(f->a, uint32_t, f->gpus_n);
	f->buffer = arena_array(f->a, double,
		(size_t)f->samples_n + f->runs_n + f->gpus_n + f->cells_n);
	slow_gpu_order_cells(f);
	slow_gpu_order_runs(f);
	slow_gpu_connect(f);
	slow_gpu_order_groups(f);
	for (int k = 0; k < FIT_ROUNDS && moved > FIT_STEP; k++) {
		/* The third round's effects are close to the last ones. With
		 * weights that change in every round the fit may circle. */
		if (k < 3)
			slow_gpu_fit_weights(f);
		moved = slow_gpu_fit_round(f, next);
	}
}

/* ---- the test */

/* What the GPUs of a group differ by. */
struct slow_gpu_spread {
	double run; /* deviation of runs of one GPU, without outliers */
	double run_rms; /* and with them */
	double tau2; /* variance of GPUs */
	double center2; /* squared error of the median GPU */
	double run_df, df;
	uint32_t peers;
};

/* The squared error of a GPU's effect if its runs differ by `own`, or as those
 * of other GPUs do. */
static double slow_gpu_error2(const struct slow_gpu_spread *s, uint32_t runs,
	double own)
{
	double deviation =
		fmax(own, runs < MEDIAN_RUNS_MIN ? s->run_rms : s->run);
	return deviation * deviation / runs * MEDIAN_VARIANCE;
}

/* The distances of the runs of a GPU from its median, appended to `to`. The
 * median is from the same runs, which makes them too small. */
static uint32_t slow_gpu_within(const struct slow_gpu_fit *f, uint32_t g,
	double *to)
{
	double n = f->gpu_runs[g];
	uint32_t k = 0;

	for (uint32_t r = f->gpu_first[g]; r < f->gpu_first[g + 1]; r++)
		if (!isnan(f->run[r]))
			to[k++] =
				fabs(f->run[r] - f->gpu[g]) * sqrt(n / (n - 1));
	return k;
}

static double slow_gpu_rms(const double *v, uint32_t n)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += v[i] * v[i];
	return sqrt(sum / n);
}

/* The deviation of the runs of a GPU. Of a few runs, an outlier counts: they may
 * all be outliers. */
static double slow_gpu_own(const struct slow_gpu_fit *f, uint32_t g)
{
	uint32_t n = slow_gpu_within(f, g, f->buffer);
	return n < MEDIAN_RUNS_MIN
		       ? slow_gpu_rms(f->buffer, n)
		       : MAD_NORMAL * order_stat_median(f->buffer, n);
}

static bool slow_gpu_enough(const struct slow_gpu_fit *f, uint32_t g)
{
	return f->gpu_runs[g] >= SLOW_GPU_RUNS_MIN;
}

/* Of the GPUs by_group[from, to). */
static struct slow_gpu_spread slow_gpu_spread_of(const struct slow_gpu_fit *f,
	uint32_t from, uint32_t to)
{
	struct slow_gpu_spread s = { 0 };
	double *v = f->buffer;
	uint32_t n = 0, k = 0;

	for (uint32_t i = from; i < to; i++)
		if (slow_gpu_enough(f, f->by_group[i])) {
			n += slow_gpu_within(f, f->by_group[i], v + n);
			s.peers++;
		}
	if (s.peers < SLOW_GPU_GPUS_MIN)
		return s;
	s.run_rms = slow_gpu_rms(v, n);
	s.run = MAD_NORMAL * order_stat_median(v, n);
	s.run_df = MAD_EFFICIENCY * (n - s.peers);
	s.df = QN_EFFICIENCY * (s.peers - 1);
	for (uint32_t i = from; i < to; i++)
		if (slow_gpu_enough(f, f->by_group[i]))
			v[k++] = slow_gpu_error2(&s,
				f->gpu_runs[f->by_group[i]], 0);
	double error2 = order_stat_median(v, k);
	k = 0;
	for (uint32_t i = from; i < to; i++)
		if (slow_gpu_enough(f, f->by_group[i]))
			v[k++] = f->gpu[f->by_group[i]];
	double all = slow_gpu_qn(v, k, f->a);
	s.tau2 = fmax(0, all * all - error2);
	s.center2 = MEDIAN_VARIANCE * (s.tau2 + error2) / s.peers;
	return s;
}

/* A step towards the median GPU, by the share of the error in all variance, but
 * by one standard error at most. */
static double slow_gpu_shift(double effect, double tau2, double error2)
{
	if (error2 <= 0)
		return 0;
	return copysign(fmin(fabs(effect) * error2 / (tau2 + error2),
				sqrt(error2)),
		effect);
}

static void slow_gpu_test(const struct slow_gpu_fit *f, uint32_t g,
	const struct slow_gpu_spread *s, uint32_t judged, struct slow_gpu *out)
{
	double effect = f->gpu[g];
	double own = slow_gpu_own(f, g);
	double error2 = slow_gpu_error2(s, f->gpu_runs[g], own);
	double deviation = sqrt(s->tau2 + error2 + s->center2);
	double t = deviation > 0 ? effect / deviation
		   : effect > 0	 ? INFINITY
				 : 0;
	double p = dist_t_p(fabs(t), s->df) / 2;
	double reach = dist_t_quantile(0.975, fmin(s->run_df, s->df)) *
		       sqrt(error2 + s->center2);
	double proof =
		dist_t_quantile(1 - SLOW_GPU_ALPHA / judged, s->df) * deviation;
	out->slowdown = expm1(effect - slow_gpu_shift(effect, s->tau2, error2));
	out->raw = expm1(effect);
	out->low = expm1(effect - reach);
	out->high = expm1(effect + reach);
	out->p = t > 0 ? p : 1 - p;
	out->detectable = expm1(
		fmax(proof, log1p(SLOW_GPU_MARGIN) +
				    slow_gpu_shift(proof, s->tau2, error2)));
}

struct slow_gpu_rank {
	double p;
	uint32_t gpu;
};

static int slow_gpu_rank_order(const void *left, const void *right)
{
	const struct slow_gpu_rank *a = left, *b = right;
	if (a->p != b->p)
		return a->p < b->p ? -1 : 1;
	return (a->gpu > b->gpu) - (a->gpu < b->gpu);
}

/* Holm, 1979. */
static void slow_gpu_adjust(struct slow_gpu *rows, uint32_t n, struct arena *a)
{
	struct slow_gpu_rank *order = arena_array(a, struct slow_gpu_rank, n);
	uint32_t judged = 0;
	double floor = 0;

	for (uint32_t g = 0; g < n; g++)
		if (rows[g].reason == SLOW_GPU_JUDGED)
			order[judged++] =
				(struct slow_gpu_rank){ rows[g].p, g };
	if (judged)
		qsort(order, judged, sizeof *order, slow_gpu_rank_order);
	for (uint32_t i = 0; i < judged; i++) {
		floor = fmax(floor, fmin(1, (judged - i) * order[i].p));
		rows[order[i].gpu].p_adjusted = floor;
	}
}

/* ---- all GPUs */

static struct slow_gpu slow_gpu_unknown(void)
{
	return (struct slow_gpu){ .verdict = SLOW_GPU_NOT_JUDGED,
		.slowdown = NAN,
		.raw = NAN,
		.low = NAN,
		.high = NAN,
		.p = NAN,
		.p_adjusted = NAN,
		.detectable = NAN,
		.by_clock = NAN,
		.by_power = NAN,
		.by_neither = NAN,
		.clock_deficit = NAN };
}

/* Counts what is comparable, and why a GPU is not judged. Returns how many
 * are. */
static uint32_t slow_gpu_reasons(const struct slow_gpu_fit *f,
	const struct slow_gpu_spread *spreads, struct slow_gpu *out)
{
	uint32_t judged = 0;

	for (uint32_t g = 0; g < f->gpus_n; g++) {
		out[g] = slow_gpu_unknown();
		out[g].runs = f->gpu_runs[g];
		out[g].peers = spreads[f->group[g]].peers;
		out[g].reason = !f->gpu_runs[g]		 ? SLOW_GPU_NO_PEER
				: !slow_gpu_enough(f, g) ? SLOW_GPU_FEW_RUNS
				: out[g].peers < SLOW_GPU_GPUS_MIN
					? SLOW_GPU_FEW_GPUS
					: SLOW_GPU_JUDGED;
		judged += out[g].reason == SLOW_GPU_JUDGED;
	}
	for (uint32_t c = 0; c < f->cells_n; c++)
		for (uint32_t i = f->cell_first[c];
			f->cell_ok[c] && i < f->cell_first[c + 1]; i++)
			if (i == f->cell_first[c] ||
				slow_gpu_of(f, i) != slow_gpu_of(f, i - 1))
				out[slow_gpu_of(f, i)].cells++;
	return judged;
}

static void slow_gpu_tests(struct slow_gpu_fit *f, struct slow_gpu *out)
{
	struct slow_gpu_spread *spreads =
		arena_array(f->a, struct slow_gpu_spread, f->gpus_n);

	slow_gpu_fit(f);
	for (uint32_t i = 0, to; i < f->gpus_n; i = to) {
		to = slow_gpu_group_end(f, i);
		spreads[f->group[f->by_group[i]]] =
			slow_gpu_spread_of(f, i, to);
	}
	uint32_t judged = slow_gpu_reasons(f, spreads, out);
	for (uint32_t g = 0; g < f->gpus_n; g++)
		if (out[g].reason == SLOW_GPU_JUDGED)
			slow_gpu_test(f, g, &spreads[f->group[g]], judged,
				&out[g]);
	slow_gpu_adjust(out, f->gpus_n, f->a);
}

static enum slow_gpu_verdict slow_gpu_verdict_of(const struct slow_gpu *row)
{
	if (row->reason != SLOW_GPU_JUDGED)
		return SLOW_GPU_NOT_JUDGED;
	if (row->p_adjusted <= SLOW_GPU_ALPHA &&
		row->slowdown >= SLOW_GPU_MARGIN)
		return SLOW_GPU_SLOW;
	return row->high < SLOW_GPU_MARGIN ? SLOW_GPU_NOT_SLOW
					   : SLOW_GPU_UNDECIDED;
}

/* ---- how much of it is the clock */

/* One sample per run with a known clock: its logarithm, negated, as the time of
 * a clock tick. */
static void slow_gpu_clocks(const struct slow_gpu_given *g, struct arena *a,
	struct slow_gpu *clocks)
{
	struct slow_gpu_sample *samples =
		arena_array(a, struct slow_gpu_sample, g->runs_n);
	struct slow_gpu_fit f = { .a = a,
		.samples = samples,
		.runs = g->runs,
		.runs_n = g->runs_n,
		.gpus_n = g->gpus_n };

	for (uint32_t r = 0; r < g->runs_n; r++) {
		uint32_t cell = g->runs[r].clock_cell;
		f.cells_n = cell < f.cells_n ? f.cells_n : cell + 1;
		if (g->runs[r].sm_clock_mhz > 0)
			samples[f.samples_n++] = (struct slow_gpu_sample){ r,
				cell, -log(g->runs[r].sm_clock_mhz) };
	}
	slow_gpu_tests(&f, clocks);
}

/* The median over the runs [from, to) of the share of time in which power or
 * heat held the clocks down; NaN if no run has it. */
static double slow_gpu_throttled(const struct slow_gpu_run *runs, uint32_t from,
	uint32_t to, double *buffer)
{
	uint32_t n = 0;
	for (uint32_t r = from; r < to; r++)
		if (!isnan(runs[r].throttled_pct))
			buffer[n++] = runs[r].throttled_pct / 100;
	return n ? order_stat_median(buffer, n) : (double)NAN;
}

static void slow_gpu_split(struct slow_gpu *row, const struct slow_gpu *clock,
	double throttled)
{
	if (clock->reason != SLOW_GPU_JUDGED || !(row->slowdown > 0))
		return;
	double all = log1p(row->slowdown);
	double lower = fmin(all, log1p(fmax(clock->slowdown, 0)));
	double share = lower / all;
	row->by_power = row->slowdown * share * throttled;
	row->by_clock =
		row->slowdown * share * (isnan(throttled) ? 1 : 1 - throttled);
	row->by_neither = row->slowdown * (1 - share);
}

static void slow_gpu_splits(const struct slow_gpu_given *g,
	const struct slow_gpu_fit *f, struct slow_gpu *out)
{
	struct slow_gpu *clocks = arena_array(f->a, struct slow_gpu, g->gpus_n);

	slow_gpu_clocks(g, f->a, clocks);
	for (uint32_t i = 0; i < g->gpus_n; i++) {
		double throttled = slow_gpu_throttled(g->runs, f->gpu_first[i],
			f->gpu_first[i + 1], f->buffer);
		out[i].clock_deficit = clocks[i].slowdown;
		slow_gpu_split(&out[i], &clocks[i], throttled);
	}
}

void slow_gpus_from(const struct slow_gpu_given *g, struct arena *a,
	struct slow_gpu *out, double *deviations)
{
	struct slow_gpu_fit f = { .a = a,
		.samples = g->samples,
		.runs = g->runs,
		.samples_n = g->samples_n,
		.runs_n = g->runs_n,
		.gpus_n = g->gpus_n,
		.cells_n = g->cells_n };

	slow_gpu_tests(&f, out);
	for (uint32_t i = 0; i < g->gpus_n; i++)
		out[i].verdict = slow_gpu_verdict_of(&out[i]);
	slow_gpu_splits(g, &f, out);
	for (uint32_t i = 0; deviations && i < g->samples_n; i++) {
		uint32_t c = g->samples[i].cell;
		deviations[i] = f.cell_ok[c]
					? g->samples[i].log_value - f.cell[c]
					: (double)NAN;
	}
}
