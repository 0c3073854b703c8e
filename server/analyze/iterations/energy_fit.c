/* energy_fit.c - divides the energy of windows between the power of an idle GPU and
 * the operators that it executed.
 *
 * The estimate is that of non-negative least squares (Lawson and Hanson, Solving
 * Least Squares Problems, 1974, chapter 23), on the normal equations. Its active
 * set would make intervals too short, so they come from least squares without
 * that limit: the fit is repeated without each block of windows (jackknife). A
 * block contains consecutive windows, so that the interval includes slow changes
 * such as those of the temperature. */
#include "iteration_parts.h"
#include "dist.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum { ENERGY_FIT_SIDE = ENERGY_FIT_CAUSES, ENERGY_FIT_DELAYS = 20 };

/* Added to the squared norm of each column, which is 1. The sums of a million
 * windows have a relative rounding error of about 1e-11, and exactly dependent
 * columns must still give finite numbers, which ENERGY_FIT_INDEPENDENT then
 * refuses. */
#define ENERGY_FIT_RIDGE 1e-10

/* The normal equations of some windows, with columns of norm 1. */
struct energy_fit_sums {
	double g[ENERGY_FIT_SIDE][ENERGY_FIT_SIDE], r[ENERGY_FIT_SIDE];
};

struct energy_fit_maker {
	const struct energy_windows *w;
	double *time_s; /* by window, then by cause */
	/* Likewise: launches that contain this window and not the one before it,
	 * minus those that contain the one before it and not this one. */
	int64_t *whole;
	double norm[ENERGY_FIT_SIDE];
	struct energy_fit_sums all, block[ENERGY_FIT_BLOCKS];
};

/* ---- the time of each cause in each window */

static void energy_fit_part(struct energy_fit_maker *m, uint32_t window,
	int64_t from, int64_t to, uint8_t cause)
{
	const struct energy_windows *w = m->w;
	int64_t a = from > w->from_ns[window] ? from : w->from_ns[window];
	int64_t b = to < w->to_ns[window] ? to : w->to_ns[window];

	m->time_s[(size_t)window * w->causes + cause] += (double)(b - a) / 1e9;
}

/* Adds a launch to its first and its last window. It contains the windows between
 * them, which m->whole counts: each launch may contain all windows. */
static void energy_fit_launch(struct energy_fit_maker *m, uint32_t first,
	int64_t from, int64_t to, uint8_t cause)
{
	const struct energy_windows *w = m->w;
	uint32_t low = first, high = w->n;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		if (w->from_ns[middle] < to)
			low = middle;
		else
			high = middle;
	}
	energy_fit_part(m, first, from, to, cause);
	if (low > first)
		energy_fit_part(m, low, from, to, cause);
	if (low - first > 1) {
		m->whole[(size_t)(first + 1) * w->causes + cause]++;
		m->whole[(size_t)low * w->causes + cause]--;
	}
}

/* Starts ascend, so that the windows before `first` are over for all that follow. */
static void energy_fit_time(struct energy_fit_maker *m,
	const struct energy_launches *l, int64_t delay_ns)
{
	const struct energy_windows *w = m->w;
	uint32_t first = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		int64_t from = l->start_ns[i] + delay_ns;
		int64_t to = from + l->dur_ns[i];
		while (first < w->n && w->to_ns[first] <= from)
			first++;
		if (first < w->n && w->from_ns[first] < to)
			energy_fit_launch(m, first, from, to, l->cause[i]);
	}
}

/* Adds the launches that contain whole windows. */
static void energy_fit_wholes(struct energy_fit_maker *m)
{
	const struct energy_windows *w = m->w;

	for (uint32_t c = 1; c < w->causes; c++) {
		int64_t now = 0;
		for (uint32_t k = 0; k < w->n; k++) {
			size_t cell = (size_t)k * w->causes + c;
			now += m->whole[cell];
			m->time_s[cell] +=
				(double)now *
				(double)(w->to_ns[k] - w->from_ns[k]) / 1e9;
		}
	}
}

static void energy_fit_times(struct energy_fit_maker *m, int64_t delay_ns)
{
	const struct energy_windows *w = m->w;
	size_t n = (size_t)w->n * w->causes;

	memset(m->time_s, 0, n * sizeof *m->time_s);
	memset(m->whole, 0, n * sizeof *m->whole);
	for (uint32_t i = 0; i < w->n; i++)
		m->time_s[(size_t)i * w->causes] =
			(double)(w->to_ns[i] - w->from_ns[i]) / 1e9;
	for (int k = 0; k < ENERGY_LAUNCHES; k++)
		energy_fit_time(m, &w->launches[k], delay_ns);
	energy_fit_wholes(m);
}

/* ---- least squares */

static void energy_fit_add(struct energy_fit_maker *m, uint32_t window)
{
	uint32_t n = m->w->causes;
	const double *t = &m->time_s[(size_t)window * n];
	double e = m->w->energy_j[window];
	struct energy_fit_sums *s =
		&m->block[(uint64_t)window * ENERGY_FIT_BLOCKS / m->w->n];

	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = 0; k < n; k++)
			s->g[i][k] += t[i] / m->norm[i] * (t[k] / m->norm[k]);
		s->r[i] += t[i] / m->norm[i] * e;
	}
}

static void energy_fit_norms(struct energy_fit_maker *m)
{
	uint32_t n = m->w->causes;

	memset(m->norm, 0, sizeof m->norm);
	for (uint32_t w = 0; w < m->w->n; w++)
		for (uint32_t i = 0; i < n; i++) {
			double t = m->time_s[(size_t)w * n + i];
			m->norm[i] += t * t;
		}
	for (uint32_t i = 0; i < n; i++)
		m->norm[i] = m->norm[i] > 0 ? sqrt(m->norm[i]) : 1;
}

static void energy_fit_sum(struct energy_fit_maker *m)
{
	uint32_t n = m->w->causes;

	energy_fit_norms(m);
	memset(&m->all, 0, sizeof m->all);
	memset(m->block, 0, sizeof m->block);
	for (uint32_t w = 0; w < m->w->n; w++)
		energy_fit_add(m, w);
	for (int b = 0; b < ENERGY_FIT_BLOCKS; b++)
		for (uint32_t i = 0; i < n; i++) {
			for (uint32_t k = 0; k < n; k++)
				m->all.g[i][k] += m->block[b].g[i][k];
			m->all.r[i] += m->block[b].r[i];
		}
}

/* Solves g x = r for the causes of `on`; x of the others becomes 0 (Cholesky). */
static void energy_fit_solve(const struct energy_fit_sums *s, uint32_t n,
	const bool *on, double *x)
{
	double l[ENERGY_FIT_SIDE][ENERGY_FIT_SIDE];

	for (uint32_t i = 0; i < n; i++) {
		x[i] = on[i] ? s->r[i] : 0;
		for (uint32_t k = 0; k <= i; k++) {
			double sum = on[i] && on[k] ? s->g[i][k] : 0;
			for (uint32_t j = 0; j < k; j++)
				sum -= l[i][j] * l[k][j];
			if (i != k)
				l[i][k] = sum / l[k][k];
			else
				l[i][i] = on[i] ? sqrt(fmax(sum, 0) +
							  ENERGY_FIT_RIDGE)
						: 1;
		}
		for (uint32_t k = 0; k < i; k++)
			x[i] -= l[i][k] * x[k];
		x[i] /= l[i][i];
	}
	for (uint32_t i = n; i-- > 0;) {
		for (uint32_t k = i + 1; k < n; k++)
			x[i] -= l[k][i] * x[k];
		x[i] /= l[i][i];
	}
}

/* The cause at 0 that would lower the error most; n if there is none. */
static uint32_t energy_fit_next(const struct energy_fit_sums *s, uint32_t n,
	const bool *on, const double *x)
{
	uint32_t best = n;
	double most = 0;

	for (uint32_t i = 0; i < n; i++) {
		double gain = s->r[i];
		for (uint32_t k = 0; k < n; k++)
			gain -= s->g[i][k] * x[k];
		if (!on[i] && gain > most + 1e-9 * fabs(s->r[i])) {
			most = gain;
			best = i;
		}
	}
	return best;
}

/* Moves x toward `to` until the first cause becomes 0. False if none does, and x
 * is `to`. */
static bool energy_fit_step(uint32_t n, bool *on, double *x, const double *to)
{
	uint32_t first = n;
	double part = 1;

	for (uint32_t i = 0; i < n; i++)
		if (on[i] && to[i] <= 0 && x[i] / (x[i] - to[i]) <= part) {
			part = x[i] / (x[i] - to[i]);
			first = i;
		}
	for (uint32_t i = 0; i < n; i++)
		x[i] += part * (to[i] - x[i]);
	if (first == n)
		return false;
	x[first] = 0;
	on[first] = false;
	return true;
}

/* The x >= 0 with the least error. Each cause enters at most three times as often
 * as there are causes: rounding must not make a loop. */
static void energy_fit_positive(const struct energy_fit_sums *s, uint32_t n,
	double *x)
{
	bool on[ENERGY_FIT_SIDE] = { false };
	double to[ENERGY_FIT_SIDE];

	memset(x, 0, n * sizeof *x);
	for (uint32_t turn = 0; turn < 3 * n; turn++) {
		uint32_t next = energy_fit_next(s, n, on, x);
		if (next == n)
			return;
		on[next] = true;
		do
			energy_fit_solve(s, n, on, to);
		while (energy_fit_step(n, on, x, to));
	}
}

/* The part of a cause's time, as a share of its norm, that is no combination of
 * the others' times. */
static double energy_fit_independent(const struct energy_fit_maker *m,
	uint32_t cause)
{
	struct energy_fit_sums unit = m->all;
	double x[ENERGY_FIT_SIDE];
	bool on[ENERGY_FIT_SIDE];

	memset(on, true, sizeof on);
	memset(unit.r, 0, sizeof unit.r);
	unit.r[cause] = 1;
	energy_fit_solve(&unit, m->w->causes, on, x);
	return x[cause] > 0 ? sqrt(1 / x[cause]) : 0;
}

/* Least squares, and its standard errors from fits without one block. */
static void energy_fit_jackknife(const struct energy_fit_maker *m, double *x,
	double *error)
{
	bool on[ENERGY_FIT_SIDE];
	double without[ENERGY_FIT_BLOCKS][ENERGY_FIT_SIDE];
	uint32_t n = m->w->causes;

	memset(on, true, sizeof on);
	for (int b = 0; b < ENERGY_FIT_BLOCKS; b++) {
		struct energy_fit_sums rest = m->all;
		for (uint32_t i = 0; i < n; i++) {
			for (uint32_t k = 0; k < n; k++)
				rest.g[i][k] -= m->block[b].g[i][k];
			rest.r[i] -= m->block[b].r[i];
		}
		energy_fit_solve(&rest, n, on, without[b]);
	}
	energy_fit_solve(&m->all, n, on, x);
	for (uint32_t i = 0; i < n; i++) {
		double squares = 0;
		for (int b = 0; b < ENERGY_FIT_BLOCKS; b++)
			squares +=
				(without[b][i] - x[i]) * (without[b][i] - x[i]);
		error[i] = sqrt(
			squares * (ENERGY_FIT_BLOCKS - 1) / ENERGY_FIT_BLOCKS);
	}
}

/* ---- the delay of the counter */

/* The squared error of the fit, in J^2. */
static double energy_fit_error(const struct energy_fit_maker *m,
	const double *x)
{
	uint32_t n = m->w->causes;
	double squares = 0;

	for (uint32_t w = 0; w < m->w->n; w++) {
		double e = m->w->energy_j[w];
		for (uint32_t i = 0; i < n; i++)
			e -= m->time_s[(size_t)w * n + i] / m->norm[i] * x[i];
		squares += e * e;
	}
	return squares;
}

/* Leaves the sums of the delay with the least error in *m. */
static void energy_fit_delay(struct energy_fit_maker *m)
{
	double x[ENERGY_FIT_SIDE], lowest = INFINITY;
	int64_t step_ns = m->w->delay_max_ns / ENERGY_FIT_DELAYS;
	int best = 0;

	for (int i = 0; i <= ENERGY_FIT_DELAYS; i++) {
		energy_fit_times(m, i * step_ns);
		energy_fit_sum(m);
		energy_fit_positive(&m->all, m->w->causes, x);
		double error = energy_fit_error(m, x);
		if (error < lowest) {
			lowest = error;
			best = i;
		}
	}
	energy_fit_times(m, best * step_ns);
	energy_fit_sum(m);
}

static struct energy_share energy_fit_share(const struct energy_fit_maker *m,
	uint32_t i, double best, double unbound, double error)
{
	double t = dist_t_quantile(0.975, ENERGY_FIT_BLOCKS - 1);
	double low = fmax(0, fmin(best, unbound - t * error));
	struct energy_share s = { .watts = best / m->norm[i],
		.low_w = low / m->norm[i],
		.high_w = fmax(best, unbound + t * error) / m->norm[i] };

	if (energy_fit_independent(m, i) < ENERGY_FIT_INDEPENDENT)
		s.state = ENERGY_SHARE_DEPENDENT;
	else if (s.high_w - s.low_w > s.watts || s.watts <= 0)
		s.state = ENERGY_SHARE_WIDE;
	return s;
}

bool energy_fit(const struct energy_windows *w, struct arena *a,
	struct energy_share *out)
{
	double x[ENERGY_FIT_SIDE], best[ENERGY_FIT_SIDE],
		error[ENERGY_FIT_SIDE];
	size_t cells = (size_t)w->n * w->causes;
	struct energy_fit_maker *m = arena_grow(a, NULL, sizeof *m);
	bool ok = m;

	assert(w->causes <= ENERGY_FIT_CAUSES &&
		w->n >= energy_fit_windows_min(w->causes));
	if (ok) {
		*m = (struct energy_fit_maker){ .w = w,
			.time_s =
				arena_grow(a, NULL, cells * sizeof *m->time_s),
			.whole =
				arena_grow(a, NULL, cells * sizeof *m->whole) };
		ok = m->time_s && m->whole;
	}
	if (ok) {
		energy_fit_delay(m);
		energy_fit_jackknife(m, x, error);
		energy_fit_positive(&m->all, w->causes, best);
		for (uint32_t i = 0; i < w->causes; i++)
			out[i] =
				energy_fit_share(m, i, best[i], x[i], error[i]);
	}
	if (m) {
		arena_drop(a, m->time_s);
		arena_drop(a, m->whole);
	}
	arena_drop(a, m);
	return ok;
}
