/* compare_mirror.c - exchanges the sides of a comparison, so that a comparison
 * of A with B and one of B with A are exact mirrors. */
#include "compare_state.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Some steps do not treat both sides in the same way: ties are broken in favor of one
 * side, sums are rounded in the order of the sides, and random splits are drawn
 * for one order. So both comparisons are computed in one order, and the result
 * of the other one is exchanged.
 *
 * The side with the run that comes first is computed as the base. The order of
 * runs is that of their ids, and of their contents for runs that are not
 * stored. */

static int compare_mirror_order_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_mirror_order_iterations(const struct iterations *a,
	const struct iterations *b)
{
	for (uint32_t i = 0; i < a->n && i < b->n; i++) {
		int order = compare_mirror_order_i64(a->iterations[i].dur_ns,
			b->iterations[i].dur_ns);
		if (order)
			return order;
	}
	return compare_mirror_order_i64(a->n, b->n);
}

static int compare_mirror_order(const struct compared_run *a,
	const struct compared_run *b)
{
	const int64_t x[] = { a->id, a->started_utc_ns, a->rank, a->pid,
		a->span_ns, a->busy_ns, a->kernel_ns, a->launches };
	const int64_t y[] = { b->id, b->started_utc_ns, b->rank, b->pid,
		b->span_ns, b->busy_ns, b->kernel_ns, b->launches };
	for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
		int order = compare_mirror_order_i64(x[i], y[i]);
		if (order)
			return order;
	}
	int order =
		compare_mirror_order_iterations(&a->iterations, &b->iterations);
	return order ? order
		     : strcmp(a->name ? a->name : "", b->name ? b->name : "");
}

static const struct compared_run *compare_mirror_first(const struct compared_run
							       *runs,
	uint32_t n)
{
	const struct compared_run *first = &runs[0];
	for (uint32_t i = 1; i < n; i++)
		if (compare_mirror_order(&runs[i], first) < 0)
			first = &runs[i];
	return first;
}

bool compare_mirror_needed(const struct compared_run *base, uint32_t base_n,
	const struct compared_run *head, uint32_t head_n)
{
	if (!base_n || !head_n)
		return false;
	return compare_mirror_order(compare_mirror_first(head, head_n),
		       compare_mirror_first(base, base_n)) < 0;
}

#define SWAP(a, b)                       \
	do {                             \
		__typeof__(a) was = (a); \
		(a) = (b);               \
		(b) = was;               \
	} while (0)

static enum change_class compare_mirror_class(enum change_class is)
{
	switch (is) {
	case CHANGE_REGRESSED:
		return CHANGE_IMPROVED;
	case CHANGE_IMPROVED:
		return CHANGE_REGRESSED;
	case CHANGE_APPEARED:
		return CHANGE_VANISHED;
	case CHANGE_VANISHED:
		return CHANGE_APPEARED;
	default:
		return is;
	}
}

/* 0 stays 0, because -0 would be shown as "-0.00 ns". */
static double compare_mirror_negated(double x)
{
	return 0 - x;
}

static void compare_mirror_change(struct change *c)
{
	double low_ns = c->low_ns;

	SWAP(c->base_ns, c->head_ns);
	c->delta_ns = compare_mirror_negated(c->delta_ns);
	c->ratio = c->base_ns > 0 ? c->head_ns / c->base_ns : NAN;
	c->shift_ns = compare_mirror_negated(c->shift_ns);
	c->low_ns = compare_mirror_negated(c->high_ns);
	c->high_ns = compare_mirror_negated(low_ns);
	c->is = compare_mirror_class(c->is);
}

static void compare_mirror_row(struct changed_row *r)
{
	if (r->head_name)
		SWAP(r->name, r->head_name);
	SWAP(r->base_names, r->head_names);
	SWAP(r->base_names_n, r->head_names_n);
	SWAP(r->device, r->head_device);
	SWAP(r->base_launches, r->head_launches);
	SWAP(r->base_mean_ns, r->head_mean_ns);
	SWAP(r->base_beta_pct, r->head_beta_pct);
	r->by_count_ns = compare_mirror_negated(r->by_count_ns);
	r->by_duration_ns = compare_mirror_negated(r->by_duration_ns);
	r->beyond_common_ns = compare_mirror_negated(r->beyond_common_ns);
	for (uint32_t i = 0; i < r->resources_n; i++)
		SWAP(r->resources[i].base_mu, r->resources[i].head_mu);
	compare_mirror_change(&r->change);
}

void compare_mirror_function(struct changed_function *f)
{
	compare_mirror_change(&f->change);
	SWAP(f->base_launches, f->head_launches);
	SWAP(f->base, f->head);
}

void compare_mirror_operator(struct changed_operator *o)
{
	compare_mirror_change(&o->change);
	SWAP(o->base_launches, o->head_launches);
	SWAP(o->base_kernels, o->head_kernels);
	SWAP(o->base_operators, o->head_operators);
	SWAP(o->base_operators_n, o->head_operators_n);
}

static void compare_mirror_common(struct common_factor *f)
{
	double low = f->low;

	f->ratio = 1 / f->ratio;
	f->low = 1 / f->high;
	f->high = 1 / low;
	f->ns = compare_mirror_negated(f->ns);
}

void compare_mirror_result(struct comparison *out)
{
	for (uint32_t i = 0; i < out->rows_n; i++)
		compare_mirror_row(&out->rows[i]);
	for (uint32_t i = 0; i < out->split_n; i++)
		compare_mirror_change(&out->split[i].change);
	for (uint32_t i = 0; i < out->causes_n; i++)
		compare_mirror_change(&out->causes[i].change);
	if (out->common.there)
		compare_mirror_common(&out->common);
	for (uint32_t i = 0; i < out->groups_n; i++) {
		SWAP(out->groups[i].side[0], out->groups[i].side[1]);
		compare_mirror_change(&out->groups[i].iteration);
	}
	SWAP(out->base, out->head);
	SWAP(out->count[CHANGE_REGRESSED], out->count[CHANGE_IMPROVED]);
	SWAP(out->count[CHANGE_APPEARED], out->count[CHANGE_VANISHED]);
}
