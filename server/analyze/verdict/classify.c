/* classify.c - the thresholds, in the order in which they are asked. */
#include "classify.h"
#include <math.h>

double judge_cycle_ns(const struct verdict_input *in)
{
	double most = fmax(in->base_cycle_ns, in->head_cycle_ns);
	return most > 0 ? most : 0;
}

bool judge_counts(const struct verdict_input *in, const struct change *c)
{
	double most = fmax(c->base_ns, c->head_ns);
	return most > 0 && most >= JUDGE_LEAST_SHARE * judge_cycle_ns(in);
}

bool judge_worth(const struct verdict_input *in, const struct change *c)
{
	double delta = fabs(c->delta_ns);
	return judge_counts(in, c) && delta > 0 &&
	       delta >= JUDGE_LEAST_DELTA * judge_cycle_ns(in) &&
	       delta >= in->margin / 2 * c->base_ns;
}

static bool agree(const struct judged *j)
{
	return j->raw->delta * j->freed->delta > 0;
}

static bool proven(const struct verdict_input *in, const struct judged *j)
{
	const struct change *c = j->change;
	return c->p_family <= in->alpha && c->p <= 0.05 &&
	       (c->delta_ns > 0 ? c->low_ns > 0 : c->high_ns < 0);
}

/* Certainly another between these two processes, and more than runs differ. */
static bool beyond(const struct contrast *c, double alpha)
{
	return contrast_noise_p(c) <= alpha &&
	       fabs(c->delta) > JUDGE_BEYOND * sqrt(c->run_var);
}

static bool likely(const struct verdict_input *in, const struct judged *j)
{
	if (j->change->evidence == EVIDENCE_RUNS)
		return j->change->q <= in->alpha;
	double alpha = in->alpha / fmax(1, j->rows);
	return beyond(j->raw, alpha) && beyond(j->freed, alpha);
}

static bool within(double low, double high, double most)
{
	return low >= -most && high <= most;
}

static bool unchanged(const struct verdict_input *in, const struct judged *j)
{
	const struct change *c = j->change;
	const struct contrast *f = j->freed;
	double stake = JUDGE_LEAST_SHARE * judge_cycle_ns(in);

	if (j->identical || within(c->low_ns, c->high_ns, stake) ||
		fmax(c->base_ns, c->head_ns) <= stake)
		return true;
	if (within(c->low_ns, c->high_ns, in->margin * c->base_ns))
		return true;
	if (!j->common)
		return false;
	double half = contrast_half(f, contrast_noise_half(f));
	return within(f->delta - half, f->delta + half, in->margin * f->base);
}

enum change_class judge(const struct verdict_input *in, const struct judged *j)
{
	const struct change *c = j->change;

	if (!j->identical && judge_worth(in, c) && agree(j)) {
		if (proven(in, j)) {
			if (j->base_zero)
				return CHANGE_APPEARED;
			if (j->head_zero)
				return CHANGE_VANISHED;
			return c->delta_ns > 0 ? CHANGE_REGRESSED
					       : CHANGE_IMPROVED;
		}
		if (likely(in, j))
			return CHANGE_LIKELY;
	}
	return unchanged(in, j) ? CHANGE_UNCHANGED : CHANGE_UNDECIDED;
}
