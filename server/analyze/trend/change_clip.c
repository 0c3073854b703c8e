/* change_clip.c - a series becomes groups whose values are within reach of their
 * neighbours', so that a lone one far out weighs little.
 *
 * A point counts as no further from its group's median than three deviations, a
 * group as no further from the median of the five around it. A lasting change passes: from its third group on it is the
 * median itself. */
#include "change_parts.h"
#include "order_stat.h"
#include <math.h>
#include <string.h>

enum { AROUND = 5, NEAREST = 2 };
#define REACH 3
/* Of chi-square with one degree of freedom. */
#define MEDIAN_OF_SQUARES 0.4549

/* Deviation of one value, told by the differences of neighbours. */
static double deviation(const double *v, uint32_t n, double *scratch)
{
	double sum = 0;

	if (n < 2)
		return 0;
	for (uint32_t i = 0; i + 1 < n; i++) {
		double d = v[i + 1] - v[i];
		sum += scratch[i] = d * d / 2;
	}
	double median = order_stat_median(scratch, n - 1);
	return sqrt(median > 0 ? median / MEDIAN_OF_SQUARES : sum / (n - 1));
}

/* The median of the groups around one; near an end, of those nearest to it. */
static double around(const double *v, uint32_t n, uint32_t at)
{
	double near[AROUND];
	uint32_t most = n < AROUND ? n : AROUND;
	uint32_t from = at < NEAREST ? 0 : at - NEAREST;

	if (from > n - most)
		from = n - most;
	memcpy(near, v + from, most * sizeof *near);
	return order_stat_median(near, most);
}

static double clipped(double x, double centre, double reach)
{
	return fmin(fmax(x, centre - reach), centre + reach);
}

static uint32_t groups_of(const uint32_t *group, uint32_t n, uint32_t *first)
{
	uint32_t groups = 0;

	for (uint32_t i = 0; i < n; i++)
		if (!i || !group || group[i] != group[i - 1])
			first[groups++] = i;
	first[groups] = n;
	return groups;
}

/* Each group's mean, of points within reach of the group's median. */
static void means(const double *x, struct change_series *s, double *scratch)
{
	double reach = REACH * deviation(x, s->first[s->n], scratch);

	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t points = s->first[i + 1] - s->first[i];
		double sum = 0;
		memcpy(scratch, x + s->first[i], points * sizeof *x);
		double centre = order_stat_median(scratch, points);
		for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++)
			sum += clipped(x[k], centre, reach);
		s->value[i] = sum / points;
		/* Half of a group's variance is taken to be all of its points'. */
		s->weight[i] = 2.0 * points / (points + 1.0);
	}
}

bool change_series_from(const double *x, const uint32_t *group, uint32_t n,
	uint32_t least_points, struct arena *a, struct change_series *out)
{
	double *raw = arena_array(a, double, n + 1);
	double *scratch = arena_array(a, double, n + 1);

	*out = (struct change_series){ arena_array(a, double, n + 1),
		arena_array(a, double, n + 1), arena_array(a, uint32_t, n + 1),
		.least = 1 };
	if (!raw || !scratch || !out->value || !out->weight || !out->first)
		return false;
	if (!n)
		return true;
	out->n = groups_of(group, n, out->first);
	means(x, out, scratch);
	double reach = REACH * deviation(out->value, out->n, scratch);
	memcpy(raw, out->value, out->n * sizeof *raw);
	for (uint32_t i = 0; i < out->n; i++)
		out->value[i] = clipped(raw[i], around(raw, out->n, i), reach);
	/* One group alone is never a level of its own. */
	uint64_t points = (uint64_t)least_points * out->n;
	out->least = (uint32_t)((points + n - 1) / n);
	if (out->least < 2)
		out->least = out->n < n ? 2 : 1;
	return true;
}
