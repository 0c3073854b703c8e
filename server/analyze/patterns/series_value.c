/* series_value.c - samples inside an execution, or around its ends. */
#include "counter_series.h"

enum { DIRECT = 2 * SERIES_BLOCK };

/* The first sample from `from` on that is at `ns` or later; `to` where none is.
 * Found by doubling steps: it is near as a rule. */
static uint32_t first_from(const int64_t *at_ns, uint32_t from, uint32_t to,
	int64_t ns)
{
	uint32_t step = 1, low = from;
	if (from == to || at_ns[from] >= ns)
		return from;
	/* at_ns[low] < ns */
	while (step < to - low && at_ns[low + step] < ns) {
		low += step;
		step *= 2;
	}
	uint32_t high = step < to - low ? low + step : to;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		if (at_ns[middle] < ns)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Between two samples; exactly one's where they touch it. */
static double between(const struct series_set *s, uint32_t before,
	uint32_t after, int64_t ns)
{
	double whole = (double)(s->at_ns[after] - s->at_ns[before]);
	double part = (double)(ns - s->at_ns[before]);
	return s->value[before] +
	       (s->value[after] - s->value[before]) * (part / whole);
}

/* At the start: `low` is the first sample not before it. */
static bool at_start(const struct series_set *s, const struct series *one,
	uint32_t low, int64_t ns, double *v)
{
	if (low == one->to || (low == one->from && s->at_ns[low] != ns))
		return false;
	*v = s->at_ns[low] == ns ? s->value[low] : between(s, low - 1, low, ns);
	return true;
}

/* At the end: `high` is the first sample behind it. */
static bool at_end(const struct series_set *s, const struct series *one,
	uint32_t high, int64_t ns, double *v)
{
	if (high == one->from || (high == one->to && s->at_ns[high - 1] != ns))
		return false;
	*v = s->at_ns[high - 1] == ns ? s->value[high - 1]
				      : between(s, high - 1, high, ns);
	return true;
}

/* The first sample of a block that all lies from `low` on. */
static uint32_t block_up(uint32_t low)
{
	return (low + SERIES_BLOCK - 1) / SERIES_BLOCK;
}

static void add(const struct series_set *s, double middle, uint32_t low,
	uint32_t high, struct series_sum *sum)
{
	for (uint32_t i = low; i < high; i++) {
		long double v = (long double)s->value[i] - middle;
		sum->value += v;
		sum->square += v * v;
	}
}

/* Mean and variance of samples [low, high), two at least. */
static void inside(const struct series_set *s, const struct series *one,
	uint32_t low, uint32_t high, struct series_value *v)
{
	struct series_sum sum = { 0, 0 };
	double n = high - low, middle = one->middle;
	if (high - low <= DIRECT) {
		double mean = 0;
		for (uint32_t i = low; i < high; i++)
			mean += s->value[i] / n;
		add(s, middle = mean, low, high, &sum);
	} else {
		uint32_t first = block_up(low),
			 last = (high - 1) / SERIES_BLOCK;
		sum.value = s->before[last].value - s->before[first].value;
		sum.square = s->before[last].square - s->before[first].square;
		add(s, middle, low, first * SERIES_BLOCK, &sum);
		add(s, middle, last * SERIES_BLOCK, high, &sum);
	}
	long double off = sum.value / n, variance = sum.square / n - off * off;
	v->mean = (double)(middle + off);
	v->variance = variance > 0 ? (double)variance : 0;
}

bool series_value(const struct series_set *s, struct series *one,
	int64_t start_ns, int64_t end_ns, struct series_value *v)
{
	uint32_t low = first_from(s->at_ns, one->at, one->to, start_ns);
	uint32_t high = first_from(s->at_ns, low, one->to, end_ns + 1);
	double at[2];

	one->at = low;
	*v = (struct series_value){ .interpolated = high - low < 3 };
	if (high - low >= 2)
		inside(s, one, low, high, v);
	if (!v->interpolated)
		return true;
	if (!at_start(s, one, low, start_ns, &at[0]) ||
		!at_end(s, one, high, end_ns, &at[1]))
		return false;
	v->mean = (at[0] + at[1]) / 2;
	return true;
}
