/* link.c - factors of collectives, and the peaks of the links that they use. */
#include "cost.h"
#include <inttypes.h>
#include <math.h>

enum link_factors { FACTOR_NONE, FACTOR_ONE, FACTOR_RING, FACTOR_RING2 };

static const enum link_factors link_factors[COLLECTIVE_KINDS] = {
#define COLLECTIVE(code, word, elements, busbw, what) \
	[COLLECTIVE_##code] = FACTOR_##busbw,
#include "collective.def"
#undef COLLECTIVE
};

/* The factor is this, divided by the number of ranks; -1 if there is none. */
static double link_factor_of_ranks(enum collective_kind kind, int64_t ranks)
{
	switch (link_factors[kind]) {
	case FACTOR_ONE:
		return (double)ranks;
	case FACTOR_RING:
		return (double)(ranks - 1);
	case FACTOR_RING2:
		return 2 * (double)(ranks - 1);
	default:
		return -1;
	}
}

double link_factor(enum collective_kind kind, int64_t ranks)
{
	double of;

	if (link_factors[kind] == FACTOR_ONE)
		return 1;
	of = ranks > 0 ? link_factor_of_ranks(kind, ranks) : -1;
	return of < 0 ? (double)NAN : of / (double)ranks;
}

/* Multiplies before it divides, so that whole results are exact. */
double link_bus_bytes(const struct link_use *u)
{
	double of;

	if (!u->kind)
		return 0;
	of = u->ranks > 0 && u->bytes >= 0
		     ? link_factor_of_ranks(u->kind, u->ranks)
		     : -1;
	return of < 0 ? (double)NAN : (double)u->bytes * of / (double)u->ranks;
}

/* Whether the call is between two ranks of its group. */
static bool link_is_pair(enum collective_kind kind)
{
	return kind == COLLECTIVE_SEND || kind == COLLECTIVE_RECEIVE ||
	       kind == COLLECTIVE_SEND_RECEIVE;
}

/* Whether every rank needs everything, or a reduction of it, so that all ranks of
 * a node share what crosses to it. */
static bool link_is_shared(enum collective_kind kind)
{
	return kind == COLLECTIVE_ALL_REDUCE || kind == COLLECTIVE_ALL_GATHER ||
	       kind == COLLECTIVE_REDUCE_SCATTER ||
	       kind == COLLECTIVE_BROADCAST || kind == COLLECTIVE_REDUCE;
}

static enum link_fault link_peak_inside(const struct platform *p,
	const struct link_use *u, double *bytes_per_s)
{
	double all = p->link_bytes_per_s;

	if (isnan(all))
		return LINK_NO_PEAK;
	if (p->link_of_all_reduce && u->kind != COLLECTIVE_ALL_REDUCE)
		return LINK_NOT_MEASURED;
	if (p->link_topology == LINK_SWITCH) {
		*bytes_per_s = all;
		return LINK_KNOWN;
	}
	if (u->ranks > p->link_devices)
		return LINK_BEYOND;
	if (link_is_pair(u->kind) && u->ranks > 2)
		return LINK_PAIR;
	if (p->link_topology == LINK_PARTIAL && u->ranks < p->link_devices)
		return LINK_PART;
	*bytes_per_s =
		all * (double)(u->ranks - 1) / (double)(p->link_devices - 1);
	return LINK_KNOWN;
}

static enum link_fault link_peak_between(const struct platform *p,
	const struct link_use *u, double *bytes_per_s)
{
	double all;

	if (isnan(p->network_bytes_per_s))
		return LINK_NO_NETWORK;
	if (u->ranks > u->nodes && link_is_pair(u->kind))
		return LINK_PAIR;
	if (u->ranks > u->nodes && !link_is_shared(u->kind))
		return LINK_STAYS;
	all = p->network_bytes_per_s * (double)u->ranks / (double)u->nodes;
	/* fmin() ignores a NaN. */
	*bytes_per_s =
		u->ranks > u->nodes ? fmin(all, p->link_bytes_per_s) : all;
	return LINK_KNOWN;
}

enum link_fault link_peak(const struct platform *p, const struct link_use *u,
	double *bytes_per_s)
{
	*bytes_per_s = NAN;
	if (u->ranks == 1)
		return LINK_ALONE;
	if (link_factors[u->kind] == FACTOR_NONE)
		return LINK_NO_FACTOR;
	return u->nodes > 1 ? link_peak_between(p, u, bytes_per_s)
			    : link_peak_inside(p, u, bytes_per_s);
}

const char *link_fault_text(enum link_fault fault, const struct platform *p,
	const struct link_use *u, struct arena *a)
{
	switch (fault) {
	case LINK_KNOWN:
		break;
	case LINK_ALONE:
		return "its group has one rank, so it moves nothing";
	case LINK_NO_FACTOR:
		return "what it moves over a link does not follow from its size";
	case LINK_NO_PEAK:
		return arena_printf(a,
			"the catalog has no peak of the link inside a node for "
			"%s",
			p->name);
	case LINK_NO_NETWORK:
		return arena_printf(a,
			"the catalog has no peak of the link between nodes for "
			"%s",
			p->name);
	case LINK_NOT_MEASURED:
		return "the calibration measures the link with all-reduces only";
	case LINK_BEYOND:
		return arena_printf(a,
			"its group has %" PRId64 " ranks, and %s links %" PRId64
			" devices",
			u->ranks, p->name, p->link_devices);
	case LINK_PART:
		return arena_printf(a,
			"how %" PRId64 " of %" PRId64
			" devices of %s are linked depends on which they are",
			u->ranks, p->link_devices, p->name);
	case LINK_PAIR:
		return "it is unknown which two ranks of its group it connects";
	case LINK_STAYS:
		return "how much of it leaves the nodes is unknown";
	}
	return NULL;
}
