/* attribute_bound.c - sums in whole picoseconds, so that they subtract. */
#include "attribute_bound.h"
#include "roofline.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Products of counts and times that pass 64 bits are compared before they are
 * kept. */
__extension__ typedef __int128 wide;

/* Why a copy's record has no cost: platforms only state the speed within a
 * device. NULL if it has one, and for anything else. */
static const char *attribute_bound_elsewhere(const struct operator_info *is,
	const struct shape_stat *s)
{
	if (s->known != KNOWN_RECORD || strcmp(is->name, "copy") != 0)
		return NULL;
	if (!s->grid)
		return "its direction is unknown";
	return strcmp(s->grid, "Device-to-Device") != 0
		       ? "it moves over a link whose speed no platform in "
			 "the catalog states"
		       : NULL;
}

/* What is stored of a shape has 63 bits. */
static bool attribute_bound_too_large(const struct cost *c)
{
	bool large = c->read_bytes > INT64_MAX || c->write_bytes > INT64_MAX;

	for (int d = 0; d < DTYPES; d++)
		large |= c->flops[d] > INT64_MAX;
	return large;
}

static bool attribute_bound_cost(const struct attribution *at,
	const struct operator_info *is, const struct shape *sizes,
	struct shape_stat *s)
{
	struct err e = { 0 };
	struct cost c;

	s->why = attribute_bound_elsewhere(is, s);
	if (s->why)
		return true;
	if (!catalog_cost(at->catalog, is, sizes, CONVENTION_PHYSICAL, &c,
		    &e)) {
		s->why = arena_strdup(at->arena, e.text);
		return s->why;
	}
	s->costed = !attribute_bound_too_large(&c);
	if (s->costed)
		s->cost = c;
	else
		s->why = "its cost is beyond 2^63 operations or bytes";
	return true;
}

static void attribute_bound_over_add(const struct attribution *at,
	const struct shape_stat *s, struct operator_stat *o)
{
	char detail[240];
	int len = snprintf(detail, sizeof detail, "%s %s", o->name, s->text);

	o->over_ns += s->call.total_ns;
	note_add(&at->profile->notes, NOTE_over_roof, 1, detail,
		len < (int)sizeof detail ? (size_t)len : sizeof detail - 1);
}

/* Time of calls above the floor that the bound does not explain. */
static int64_t attribute_bound_headroom(const int64_t *ns, int64_t n,
	int64_t sol_ps, int64_t floor_ns)
{
	wide sum_ps = 0;

	for (int64_t i = 0; i < n; i++)
		if (ns[i] > floor_ns)
			sum_ps += (wide)ns[i] * 1000 - sol_ps;
	return (int64_t)(sum_ps / 1000);
}

/* Adds the roofline bound of all calls of a shape; false if the sum does not
 * fit. */
static bool attribute_bound_sol_add(double sol_ps, int64_t n,
	struct operator_stat *o)
{
	int64_t sum;

	if (sol_ps >= 0x1p63 ||
		__builtin_mul_overflow(llround(sol_ps), n, &sum) ||
		__builtin_add_overflow(o->sol_ps, sum, &sum))
		return false;
	o->sol_ps = sum;
	return true;
}

static void attribute_bound_add(const struct attribution *at, const int64_t *ns,
	int64_t sol_ps, const struct shape_stat *s, struct operator_stat *o)
{
	int64_t n = s->call.instances, total_ns = s->call.total_ns;

	o->bound_calls += n;
	o->bound_ns += total_ns;
	o->compute_ns += s->leg == LEG_COMPUTE ? total_ns : 0;
	if ((wide)sol_ps * n > (wide)total_ns * 1000)
		attribute_bound_over_add(at, s, o);
	else if (!o->collective)
		o->headroom_ns += attribute_bound_headroom(ns, n, sol_ps,
			at->platform->launch_floor_ns);
}

bool attribute_bound(const struct attribution *at,
	const struct operator_info *is, const struct shape *sizes,
	const int64_t *ns, struct shape_stat *s, struct operator_stat *o)
{
	struct bound b;

	if (!is || !sizes)
		return true;
	if (!attribute_bound_cost(at, is, sizes, s))
		return false;
	if (!s->costed || !at->platform)
		return true;
	roofline(&s->cost, at->platform, &b);
	s->why = roofline_why(&b, at->platform, at->arena);
	if (isnan(b.sol_s))
		return s->why;
	if (!attribute_bound_sol_add(b.sol_s * 1e12, s->call.instances, o)) {
		s->why =
			"the roofline bounds of its operator's calls add up to "
			"more than is kept (106 days)";
		return true;
	}
	s->leg = b.leg;
	s->sol_ns = b.sol_s * 1e9;
	attribute_bound_add(at, ns, llround(b.sol_s * 1e12), s, o);
	return true;
}

int64_t attribute_bound_ps(const struct attribution *at,
	const struct operator_info *is, const struct shape *sizes)
{
	struct err e = { 0 };
	struct bound b;
	struct cost c;

	if (!is || !sizes || !at->platform ||
		!catalog_cost(at->catalog, is, sizes, CONVENTION_PHYSICAL, &c,
			&e) ||
		attribute_bound_too_large(&c))
		return -1;
	roofline(&c, at->platform, &b);
	if (isnan(b.sol_s) || b.sol_s * 1e12 >= 0x1p63)
		return -1;
	return llround(b.sol_s * 1e12);
}
