/* few_iterations_test.c - the sides' launches held against each other. */
#include "few_iterations_test.h"
#include "dist.h"
#include "classify.h"
#include <math.h>

static bool never(const double *x, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (x[i] != 0)
			return false;
	return true;
}

static bool always(const double *x, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!(x[i] > 0))
			return false;
	return true;
}

/* Launches of several sizes are held against those of their place by length. */
static bool spread_moved(const struct verdict_spread *s)
{
	bool up = true, down = true;
	for (int i = 0; i < PATTERN_SPREAD; i++) {
		up &= s->head_low[i] > s->base_high[i];
		down &= s->head_high[i] < s->base_low[i];
	}
	return up || down;
}

/* Of fewer launches, that all of them moved says nothing. */
enum { LAUNCHED_MIN = 4 };

static bool all_moved(const struct verdict_row *r)
{
	if (fmin(r->base_launches, r->head_launches) < LAUNCHED_MIN)
		return false;
	if (r->spread.base_low)
		return spread_moved(&r->spread);
	return r->head_min_ns > r->base_max_ns ||
	       r->base_min_ns > r->head_max_ns;
}

/* The function's time is off by what runs of the same work are not in ten
 * thousand: some of its launches moved that far, where not all did. */
static bool far(const struct verdict_input *in, const struct common *c,
	const struct verdict_row *r, const struct change *m)
{
	double t = dist_t_quantile(0.9999, fmax(1, r->floor_df));
	double runs = t * r->floor *
		      sqrt(1.0 / in->base.units + 1.0 / in->head.units);
	double total = log(m->ratio);

	if (verdict_freed(r) && c->known)
		total -= c->log_ratio;
	return total * common_log_ratio(in, r, m) > 0 && fabs(total) > runs;
}

/* The change of a launch's mean, raw and freed from what is common. */
static bool beyond(const struct verdict_input *in, const struct common *c,
	const struct verdict_row *r, const struct change *m)
{
	double raw = common_log_ratio(in, r, m);
	double freed = raw;
	double runs = JUDGE_BEYOND * r->floor *
		      sqrt(1.0 / in->base.units + 1.0 / in->head.units);

	if (verdict_freed(r) && c->known)
		freed -= c->log_ratio;
	return raw * freed > 0 && fabs(raw) > runs && fabs(freed) > runs;
}

static enum change_class class_of(const struct verdict_input *in,
	const struct common *c, const struct verdict_row *r,
	const struct change *m)
{
	double most = fmax(m->base_ns, m->head_ns), cycle = judge_cycle_ns(in);
	double stake = JUDGE_LEAST_SHARE * cycle;

	/* Whether something ran at all is no matter of how long. */
	if (most >= JUDGE_LEAST_PRESENT * cycle) {
		if (never(r->base, in->base.n) && always(r->head, in->head.n))
			return CHANGE_APPEARED;
		if (never(r->head, in->head.n) && always(r->base, in->base.n))
			return CHANGE_VANISHED;
	}
	if (judge_worth(in, m) && (all_moved(r) || far(in, c, r, m)) &&
		beyond(in, c, r, m))
		return CHANGE_LIKELY;
	return most <= stake ? CHANGE_UNCHANGED : CHANGE_UNDECIDED;
}

void launched(const struct verdict_input *in, const struct common *c,
	struct change *changes)
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
		if (m->is != CHANGE_UNCHANGED) /* set where all is the same */
			m->is = class_of(in, c, r, m);
	}
}
