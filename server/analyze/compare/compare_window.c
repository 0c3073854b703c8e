/* compare_window.c - recordings of a fixed time differ in length by chance.
 *
 * Where both sides are windows, and nearly all launches scale by one ratio, the
 * head's times are divided by it: what is compared is the work of the base's
 * window. A change of the code moves the counts of a few functions, not of all. */
#include "compare_state.h"
#include <math.h>
#include <stdlib.h>

struct counted {
	double ratio, weight;
};

static int by_ratio(const void *left, const void *right)
{
	const struct counted *a = left, *b = right;
	return (a->ratio > b->ratio) - (a->ratio < b->ratio);
}

bool compare_is_window(const struct compare_side *s)
{
	for (uint32_t i = 0; i < s->runs_n; i++)
		if (s->runs[i].cycles.detector != CYCLES_WINDOW)
			return false;
	return s->cycles_n > 0;
}

static void scale(struct compare *c, double by)
{
	struct compare_side *s = &c->side[HEAD];
	s->per_launch = by;
	for (uint32_t i = 0; i < c->rows_n; i++) {
		c->rows[i].launches[HEAD] *= by;
		for (uint32_t k = 0; k < s->cycles_n; k++)
			c->rows[i].ns[HEAD][k] *= by;
	}
	for (uint32_t i = 0; i < c->split_n; i++)
		for (uint32_t k = 0; k < s->cycles_n; k++)
			c->split[i].ns[HEAD][k] *= by;
}

/* The ratio at which half of all launches lies below, and how many are alike. */
static double common_ratio(const struct compare *c, double *alike)
{
	struct counted *l = arena_array(c->a, struct counted, c->rows_n + 1);
	double all = 0, below = 0, ratio = 1;
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->rows_n; i++) {
		const struct compare_row *r = &c->rows[i];
		double base = r->launches[BASE] / c->side[BASE].cycles_n,
		       head = r->launches[HEAD] / c->side[HEAD].cycles_n;
		if (compare_on_host(r->type) || base <= 0 || head <= 0)
			continue;
		l[n++] = (struct counted){ head / base, fmin(base, head) };
		all += fmin(base, head);
	}
	qsort(l, n, sizeof *l, by_ratio);
	for (uint32_t i = 0; i < n && below < all / 2; i++) {
		below += l[i].weight;
		ratio = l[i].ratio;
	}
	*alike = 0;
	for (uint32_t i = 0; i < n; i++)
		if (fabs(l[i].ratio / ratio - 1) <= 0.05)
			*alike += l[i].weight / all;
	return ratio;
}

void compare_window_scale(struct compare *c)
{
	double alike;
	if (!compare_is_window(&c->side[BASE]) ||
		!compare_is_window(&c->side[HEAD]))
		return;
	double ratio = common_ratio(c, &alike);
	if (alike < 0.8 || ratio == 1)
		return;
	scale(c, 1 / ratio);
	compare_finding_add(c, FINDING_window_scaled,
		arena_printf(c->a, "%.4g", ratio), NULL);
}
