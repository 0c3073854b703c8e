/* lag_stretch.c - windows over durations one period apart. */
#include "lag_stretch.h"
#include "order_stat.h"

enum { WINDOW_LEAST = 8, PERIODS_LEAST = 3 };
static const double begin_least = 0.8, go_on_least = 0.6, fit_least = 0.5,
		    fit_ahead = 0.15;

static bool again(const struct lag_sequence *s, uint32_t period, uint32_t i)
{
	return names_lag_alike(s->dur_ns[i], s->dur_ns[i - period]);
}

/* Of a window in which enough repeats, the first launch from which it does. */
static uint32_t begin(const struct lag_sequence *s, uint32_t period,
	uint32_t from, uint32_t to)
{
	uint32_t half = (to - from) / 2, in = 0;
	for (uint32_t i = from; i < from + half; i++)
		in += again(s, period, i);
	for (uint32_t i = from; i < from + half; i++) {
		if (again(s, period, i) && in >= begin_least * half)
			return i;
		in += again(s, period, i + half);
		in -= again(s, period, i);
	}
	return from + half;
}

/* Whole periods, unless most of one more is there. What lies behind the last
 * launch that does not repeat must be half a window to count. */
static uint32_t end(const struct lag_sequence *s, uint32_t period,
	uint32_t from, uint32_t to, uint32_t window)
{
	uint32_t i = to, run = 0;
	while (i > from + period && run < window / 2) {
		i--;
		if (again(s, period, i)) {
			run++;
		} else {
			run = 0;
			to = i;
		}
	}
	uint32_t rest = (to - from) % period;
	return rest * 2 < period ? to - rest : to;
}

bool lag_stretch_next(const struct lag_sequence *s, uint32_t period,
	uint32_t at, struct lag_stretch *out)
{
	uint32_t window = period < WINDOW_LEAST ? WINDOW_LEAST : period;
	uint32_t first = at + period, in = 0;
	bool open = false;
	for (uint32_t i = first; i < s->n; i++) {
		in += again(s, period, i);
		if (i >= first + window)
			in -= again(s, period, i - window);
		if (i + 1 < first + window)
			continue;
		if (!open && in >= begin_least * window) {
			open = true;
			out->from = begin(s, period, i + 1 - window, i + 1) -
				    period;
		}
		if (!open || (in >= go_on_least * window && i + 1 < s->n))
			continue;
		*out = (struct lag_stretch){ out->from,
			end(s, period, out->from, i + 1, window), 0 };
		if (out->to - out->from >= PERIODS_LEAST * period)
			return true;
		open = false;
	}
	return false;
}

bool lag_stretch_typical(const struct lag_sequence *s, uint32_t period,
	const struct lag_stretch *st, struct arena *a, int64_t *typical_ns)
{
	uint32_t n = (st->to - st->from) / period + 1;
	double *of = arena_grow(a, NULL, n * sizeof *of);
	if (!of)
		return false;
	for (uint32_t p = 0; p < period; p++) {
		uint32_t k = 0;
		for (uint32_t i = st->from + p; i < st->to; i += period)
			of[k++] = (double)s->dur_ns[i];
		typical_ns[p] = (int64_t)order_stat_median(of, k);
	}
	arena_drop(a, of);
	return true;
}

bool lag_stretch_phase(const struct lag_sequence *s, uint32_t period,
	const int64_t *typical_ns, struct lag_stretch *st)
{
	uint32_t looked = st->to - st->from, best = 0, second = 0;
	if (looked > 2 * period)
		looked = 2 * period;
	for (uint32_t phase = 0; phase < period; phase++) {
		uint32_t fit = 0;
		for (uint32_t i = 0; i < looked; i++)
			fit += names_lag_alike(s->dur_ns[st->from + i],
				typical_ns[(phase + i) % period]);
		if (fit > best) {
			second = best;
			best = fit;
			st->phase = phase;
		} else if (fit > second) {
			second = fit;
		}
	}
	return best >= fit_least * looked &&
	       best - second >= fit_ahead * looked;
}
