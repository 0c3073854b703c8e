/* suspicion_value.c - means, deviations, Z and both tests of a row. */
#include "suspicion_value.h"
#include "dist.h"
#include <math.h>

struct moments {
	double mean, sd; /* the sample's */
};

/* Equal values have themselves as mean and no deviation, to the last bit: that
 * is what tells "nothing moved" from "moved by an error of rounding". */
static double sum_of(const double *v, uint32_t n, double less)
{
	double sum = 0, lost = 0;
	for (uint32_t i = 0; i < n; i++) {
		double add = v[i] - less - lost;
		double next = sum + add;
		lost = (next - sum) - add;
		sum = next;
	}
	return sum;
}

static struct moments moments_of(const double *v, uint32_t n)
{
	struct moments m = { 0, 0 };
	bool equal = true;
	double squares = 0;
	for (uint32_t i = 1; i < n; i++)
		equal = equal && v[i] == v[0];
	if (n && equal)
		m.mean = v[0];
	if (equal)
		return m;
	m.mean = sum_of(v, n, 0) / n;
	for (uint32_t i = 0; i < n; i++)
		squares += (v[i] - m.mean) * (v[i] - m.mean);
	m.sd = sqrt(squares / (n - 1));
	return m;
}

static double z_of(struct moments base, struct moments head)
{
	return base.sd > 1e-9 ? (head.mean - base.mean) / base.sd : 0;
}

/* From mean, deviation and count, as scipy's ttest_ind_from_stats(). */
static double welch(struct moments x, uint32_t n, struct moments y, uint32_t m)
{
	double vx = x.sd * x.sd / n, vy = y.sd * y.sd / m, v = vx + vy;
	double delta = x.mean - y.mean;
	if (n <= 1 || m <= 1)
		return 1;
	if (v <= 0)
		return delta == 0 ? NAN : 0;
	return dist_t_p(delta / sqrt(v),
		v * v / (vx * vx / (n - 1) + vy * vy / (m - 1)));
}

static struct suspicion_value value_of(const struct suspicion_list *x,
	const struct suspicion_list *y, uint32_t x_cycles, uint32_t y_cycles,
	struct arena *scratch)
{
	struct moments b = moments_of(x->at, x->n);
	struct moments h = moments_of(y->at, y->n);
	return (struct suspicion_value){
		.base = b.mean,
		.head = h.mean,
		.delta = h.mean - b.mean,
		.z = z_of(b, h),
		.p = welch(b, x_cycles, h, y_cycles),
		.u_p = x->n > 1 && y->n > 1 ? dist_rank_sum_p(x->at, x->n,
						      y->at, y->n, scratch)
					    : 1,
	};
}

/* In place. What has no logarithm is left out. */
static struct moments of_logs(const struct suspicion_list *l)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < l->n; i++)
		if (l->at[i] > -1)
			l->at[n++] = log1p(l->at[i]);
	return moments_of(l->at, n);
}

void suspicion_row_from(const struct suspicion_lists *base,
	const struct suspicion_lists *head, struct arena *scratch,
	struct suspicion_row *row)
{
	row->beta = value_of(&base->beta, &head->beta, base->cycles,
		head->cycles, scratch);
	row->mu = value_of(&base->mu, &head->mu, base->cycles, head->cycles,
		scratch);
	row->z_log_mu = z_of(of_logs(&base->mu), of_logs(&head->mu));
	row->score = fabs(row->beta.delta) *
		     (fabs(row->beta.z) + fabs(row->z_log_mu));
}
