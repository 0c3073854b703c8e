/* classify.c - maps the figures of a row to its class. */
#include "classify.h"
#include <math.h>

double classify_iteration_ns(const struct verdict_input *in)
{
	double most = fmax(in->base_iteration_ns, in->head_iteration_ns);
	return most > 0 ? most : 0;
}

bool classify_eligible(const struct verdict_input *in, const struct change *c)
{
	double most = fmax(c->base_ns, c->head_ns);
	return most > 0 &&
	       most >= CLASSIFY_MIN_SHARE * classify_iteration_ns(in);
}

bool classify_relevant(const struct verdict_input *in, const struct change *c)
{
	double delta = fabs(c->delta_ns);
	return classify_eligible(in, c) && delta > 0 &&
	       delta >= CLASSIFY_MIN_DELTA * classify_iteration_ns(in) &&
	       delta >= in->margin / 2 * c->base_ns;
}

static bool classify_agree(const struct classify_input *j)
{
	return j->raw->delta * j->freed->delta > 0;
}

static bool classify_proven(const struct verdict_input *in,
	const struct classify_input *j)
{
	const struct change *c = j->change;
	return c->p_family <= in->alpha && c->p <= 0.05 &&
	       (c->delta_ns > 0 ? c->low_ns > 0 : c->high_ns < 0);
}

/* Certainly different between these two processes, and by more than runs
 * differ. */
static bool classify_beyond(const struct contrast *c, double alpha)
{
	return contrast_noise_p(c) <= alpha &&
	       fabs(c->delta) > CLASSIFY_BEYOND * sqrt(c->run_var);
}

static bool classify_likely(const struct verdict_input *in,
	const struct classify_input *j)
{
	if (j->change->evidence == EVIDENCE_RUNS)
		return j->change->q <= in->alpha;
	double alpha = in->alpha / fmax(1, j->rows);
	return classify_beyond(j->raw, alpha) &&
	       classify_beyond(j->freed, alpha);
}

static bool classify_within(double low, double high, double most)
{
	return low >= -most && high <= most;
}

static bool classify_unchanged(const struct verdict_input *in,
	const struct classify_input *j)
{
	const struct change *c = j->change;
	const struct contrast *f = j->freed;
	double stake = CLASSIFY_MIN_SHARE * classify_iteration_ns(in);

	if (j->identical || classify_within(c->low_ns, c->high_ns, stake) ||
		fmax(c->base_ns, c->head_ns) <= stake)
		return true;
	if (classify_within(c->low_ns, c->high_ns, in->margin * c->base_ns))
		return true;
	if (!j->common)
		return false;
	double half = contrast_half(f, contrast_noise_half(f));
	return classify_within(f->delta - half, f->delta + half,
		in->margin * f->base);
}

enum change_class classify(const struct verdict_input *in,
	const struct classify_input *j)
{
	const struct change *c = j->change;

	if (!j->identical && classify_relevant(in, c) && classify_agree(j)) {
		if (classify_proven(in, j)) {
			if (j->base_zero)
				return CHANGE_APPEARED;
			if (j->head_zero)
				return CHANGE_VANISHED;
			return c->delta_ns > 0 ? CHANGE_REGRESSED
					       : CHANGE_IMPROVED;
		}
		if (classify_likely(in, j))
			return CHANGE_LIKELY;
	}
	return classify_unchanged(in, j) ? CHANGE_UNCHANGED : CHANGE_UNDECIDED;
}
