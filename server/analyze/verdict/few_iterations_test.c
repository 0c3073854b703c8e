/* few_iterations_test.c - compares launches if there are too few iterations to permute. */
#include "few_iterations_test.h"
#include "classify.h"
#include "dist.h"
#include <math.h>

static bool few_iterations_test_never(const double *x, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (x[i] != 0)
			return false;
	return true;
}

static bool few_iterations_test_always(const double *x, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!(x[i] > 0))
			return false;
	return true;
}

/* Compares launches of several sizes with those of the same rank by length. */
static bool few_iterations_test_spread_moved(const struct verdict_spread *s)
{
	bool up = true, down = true;
	for (int i = 0; i < PATTERN_SPREAD; i++) {
		up &= s->head_low[i] > s->base_high[i];
		down &= s->head_high[i] < s->base_low[i];
	}
	return up || down;
}

/* If fewer launches all moved, that is no evidence. */
enum { LAUNCHED_MIN = 4 };

static bool few_iterations_test_all_moved(const struct verdict_row *r)
{
	if (fmin(r->base_launches, r->head_launches) < LAUNCHED_MIN)
		return false;
	if (r->spread.base_low)
		return few_iterations_test_spread_moved(&r->spread);
	return r->head_min_ns > r->base_max_ns ||
	       r->base_min_ns > r->head_max_ns;
}

/* The function's time differs by more than one in ten thousand runs of the
 * same work does: some launches moved that far, even if not all did. */
static bool few_iterations_test_far(const struct verdict_input *in,
	const struct common_estimate *c, const struct verdict_row *r,
	const struct change *m)
{
	double t = dist_t_quantile(0.9999, fmax(1, r->floor_df));
	double runs = t * r->floor *
		      sqrt(1.0 / in->base.units + 1.0 / in->head.units);
	double total = log(m->ratio);

	if (verdict_freed(r) && c->known)
		total -= c->log_ratio;
	return total * common_factor_log_ratio(in, r, m) > 0 &&
	       fabs(total) > runs;
}

/* The change of a launch's mean, as measured and divided by the common
 * factor. */
static bool few_iterations_test_beyond(const struct verdict_input *in,
	const struct common_estimate *c, const struct verdict_row *r,
	const struct change *m)
{
	double raw = common_factor_log_ratio(in, r, m);
	double freed = raw;
	double runs = CLASSIFY_BEYOND * r->floor *
		      sqrt(1.0 / in->base.units + 1.0 / in->head.units);

	if (verdict_freed(r) && c->known)
		freed -= c->log_ratio;
	return raw * freed > 0 && fabs(raw) > runs && fabs(freed) > runs;
}

static enum change_class few_iterations_test_class_of(const struct verdict_input
							      *in,
	const struct common_estimate *c, const struct verdict_row *r,
	const struct change *m)
{
	double most = fmax(m->base_ns, m->head_ns),
	       iteration = classify_iteration_ns(in);
	double stake = CLASSIFY_MIN_SHARE * iteration;

	/* Whether something ran at all does not depend on how long it ran. */
	if (most >= CLASSIFY_MIN_PRESENT * iteration) {
		if (few_iterations_test_never(r->base, in->base.n) &&
			few_iterations_test_always(r->head, in->head.n))
			return CHANGE_APPEARED;
		if (few_iterations_test_never(r->head, in->head.n) &&
			few_iterations_test_always(r->base, in->base.n))
			return CHANGE_VANISHED;
	}
	if (classify_relevant(in, m) &&
		(few_iterations_test_all_moved(r) ||
			few_iterations_test_far(in, c, r, m)) &&
		few_iterations_test_beyond(in, c, r, m))
		return CHANGE_LIKELY;
	return most <= stake ? CHANGE_UNCHANGED : CHANGE_UNDECIDED;
}

void few_iterations_test(const struct verdict_input *in,
	const struct common_estimate *c, struct change *changes)
{
	double units = 1.0 / in->base.units + 1.0 / in->head.units;

	for (uint32_t i = 0; i < in->n; i++) {
		const struct verdict_row *r = &in->rows[i];
		struct change *m = &changes[i];
		double t = dist_t_quantile(0.975, fmax(1, r->floor_df));
		double half = t * r->floor * (m->base_ns + m->head_ns) / 2 *
			      sqrt(units);
		m->evidence = EVIDENCE_LAUNCHES;
		m->p = m->p_family = m->q = NAN;
		m->shift_ns = m->delta_ns;
		m->low_ns = m->delta_ns - half;
		m->high_ns = m->delta_ns + half;
		if (m->is !=
			CHANGE_UNCHANGED) /* set if both sides are identical */
			m->is = few_iterations_test_class_of(in, c, r, m);
	}
}
