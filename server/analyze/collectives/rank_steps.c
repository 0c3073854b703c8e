/* rank_steps.c - the time of each rank of a job in each iteration. */
#include "rank_steps.h"
#include "order_stat.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static bool rank_steps_text_equal(const char *left, const char *right)
{
	return left && right ? strcmp(left, right) == 0 : left == right;
}

static bool rank_steps_agree(const struct iterations *left,
	const struct iterations *right)
{
	return left->n == right->n &&
	       rank_steps_text_equal(left->iterations[0].label,
		       right->iterations[0].label) &&
	       rank_steps_text_equal(left->iterations[left->n - 1].label,
		       right->iterations[right->n - 1].label);
}

/* Why a rank has no times, whatever the others have; NULL: it has. */
static const char *rank_steps_unknown(const struct iterations *c)
{
	if (c->n == 0)
		return "no iterations were found";
	for (uint32_t i = 0; i < c->n; i++)
		if (c->iterations[i].compute_ns < 0)
			return "the compute time of the iterations is "
			       "unknown";
	return NULL;
}

/* The rank with which most ranks agree; the number of ranks if there is none. */
static uint32_t rank_steps_typical(const struct ranks *r,
	const struct rank_steps *out)
{
	uint32_t best = r->ranks_n, most = 0;
	for (uint32_t i = 0; i < r->ranks_n; i++) {
		uint32_t n = 0;
		for (uint32_t k = 0; k < r->ranks_n; k++)
			n += !out->ranks[i].excluded &&
			     !out->ranks[k].excluded &&
			     rank_steps_agree(&r->runs[i]->iterations,
				     &r->runs[k]->iterations);
		if (n > most) {
			most = n;
			best = i;
		}
	}
	return best;
}

static const char *rank_steps_differs(const struct iterations *is,
	const struct iterations *typical, struct arena *a)
{
	if (is->n != typical->n)
		return arena_printf(a,
			"%u iterations were found, on other ranks %u", is->n,
			typical->n);
	return rank_steps_agree(is, typical)
		       ? NULL
		       : "the iterations have other labels than those of other "
			 "ranks";
}

static void rank_steps_bins(struct rank_steps *out)
{
	out->bins = out->iterations < RANK_STEPS_BINS ? out->iterations
						      : RANK_STEPS_BINS;
	for (uint32_t b = 0; b <= out->bins; b++)
		out->first[b] = (uint32_t)((uint64_t)b * out->iterations /
					   (out->bins ? out->bins : 1));
}

static void rank_steps_fill(struct rank_step_line *l,
	const struct iterations *c, const double *waiting,
	const struct rank_steps *of, struct arena *a)
{
	l->dur_ns = arena_array(a, double, of->bins);
	l->compute_ns = arena_array(a, double, of->bins);
	l->waiting_ns = arena_array(a, double, of->bins);
	l->longer = arena_array(a, bool, of->bins);
	for (uint32_t b = 0; b < of->bins; b++) {
		double n = of->first[b + 1] - of->first[b];
		double dur = 0, compute = 0, waits = 0;
		for (uint32_t i = of->first[b]; i < of->first[b + 1]; i++) {
			dur += (double)c->iterations[i].dur_ns;
			compute += (double)c->iterations[i].compute_ns;
			waits += waiting[i];
		}
		l->dur_ns[b] = dur / n;
		l->compute_ns[b] = compute / n;
		l->waiting_ns[b] = waits / n;
	}
}

/* `x` has room for all ranks. */
static void rank_steps_mark(const struct ranks *r, uint32_t b,
	struct rank_steps *out, double *x)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->ranks_n; i++)
		if (!out->ranks[i].excluded)
			x[n++] = out->ranks[i].compute_ns[b];
	double median = order_stat_median(x, n);
	out->median_ns[b] = median;
	n = 0;
	for (uint32_t i = 0; i < r->ranks_n; i++)
		if (!out->ranks[i].excluded)
			x[n++] = fabs(out->ranks[i].compute_ns[b] - median);
	double mad = order_stat_median(x, n);
	for (uint32_t i = 0; i < r->ranks_n; i++) {
		struct rank_step_line *l = &out->ranks[i];
		if (l->excluded)
			continue;
		double more = l->compute_ns[b] - median;
		l->longer[b] =
			more > 3 * mad && more > RANK_STEPS_LONGER * median;
	}
}

bool rank_steps_from(const struct compared_run *runs, const struct ranks *r,
	struct arena *a, struct rank_steps *out, struct err *e)
{
	double **waiting = arena_array(a, double *, (size_t)r->ranks_n + 1);
	double *x = arena_array(a, double, (size_t)r->ranks_n + 1);

	assert(a->ceiling == 0);
	memset(out, 0, sizeof *out);
	out->ranks =
		arena_array(a, struct rank_step_line, (size_t)r->ranks_n + 1);
	if (!ranks_waiting(runs, r->ranks_n, a, waiting, e))
		return false;
	for (uint32_t i = 0; i < r->ranks_n; i++)
		out->ranks[i].excluded =
			rank_steps_unknown(&r->runs[i]->iterations);
	uint32_t typical = rank_steps_typical(r, out);
	if (typical == r->ranks_n)
		return true;
	const struct iterations *like = &r->runs[typical]->iterations;
	out->iterations = like->n;
	out->names = like->iterations;
	rank_steps_bins(out);
	for (uint32_t i = 0; i < r->ranks_n; i++) {
		struct rank_step_line *l = &out->ranks[i];
		const struct iterations *c = &r->runs[i]->iterations;
		if (!l->excluded)
			l->excluded = rank_steps_differs(c, like, a);
		if (l->excluded)
			continue;
		out->matched++;
		rank_steps_fill(l, c, waiting[r->runs[i] - runs], out, a);
	}
	for (uint32_t b = 0; b < out->bins; b++)
		rank_steps_mark(r, b, out, x);
	return true;
}
