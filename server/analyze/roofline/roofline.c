/* roofline.c - computes the roofline bound: the longer of the compute time and
 * the memory time. It also compares the times of calls with their bound. */
#include "roofline.h"
#include <inttypes.h>
#include <math.h>

/* A collective moves data between devices: only the link bounds it. */
static void roofline_link(const struct cost *c, const struct platform *p,
	struct bound *out)
{
	double peak;

	*out = (struct bound){ .ai = NAN };
	out->link = link_peak(p, &c->link, &peak);
	out->sol_s = link_bus_bytes(&c->link) / peak;
	if (out->sol_s > 0)
		out->leg = LEG_LINK;
}

void roofline(const struct cost *c, const struct platform *p, struct bound *out)
{
	double bytes = (double)c->read_bytes + (double)c->write_bytes;
	double flops = 0, compute_s = 0;
	double memory_s = bytes > 0 ? bytes / p->bytes_per_s : 0;

	if (c->link.kind) {
		roofline_link(c, p, out);
		return;
	}
	*out = (struct bound){ .leg = LEG_NONE };
	for (enum dtype d = DTYPE_UNKNOWN; d < DTYPES; d++) {
		double w = (double)c->flops[d];
		if (c->flops[d] == 0 || (d && !dtype_counts(d)))
			continue;
		flops += w;
		/* The first type without a peak is reported. DTYPE_UNKNOWN
		 * never has one. */
		if (!(d && p->peak_flops[d] > 0) && !isnan(compute_s)) {
			out->lacking = d;
			compute_s = NAN;
		}
		compute_s += w / p->peak_flops[d];
	}
	out->ai = bytes > 0 ? flops / bytes : NAN;
	if (isnan(compute_s) || !isfinite(memory_s)) {
		out->sol_s = out->compute_s = out->memory_s = NAN;
		return;
	}
	out->compute_s = compute_s;
	out->memory_s = memory_s;
	out->sol_s = fmax(compute_s, memory_s);
	if (out->sol_s > 0)
		out->leg = compute_s > memory_s ? LEG_COMPUTE : LEG_MEMORY;
}

bool roofline_at_clock(const struct platform *p, double mhz,
	struct platform *out)
{
	bool any = false;

	*out = *p;
	for (enum dtype d = 0; d < DTYPES; d++)
		if (p->peak_flops[d] > 0 && p->peak_clock_mhz[d] > 0) {
			out->peak_flops[d] *= mhz / p->peak_clock_mhz[d];
			any = true;
		}
	return any;
}

/* The dtypes whose peaks assume this clock, "fp64, fp32"; 0: whose clock is
 * unknown. "" if there are none. */
static const char *roofline_clock_dtypes(const struct platform *p, double mhz,
	struct arena *a)
{
	const char *list = "";

	for (enum dtype d = 0; list && d < DTYPES; d++) {
		double of = p->peak_clock_mhz[d] > 0 ? p->peak_clock_mhz[d] : 0;
		if (p->peak_flops[d] > 0 && of >= mhz && of <= mhz)
			list = arena_printf(a, "%s%s%s", list,
				*list ? ", " : "", dtype_word(d));
	}
	return list;
}

/* The lowest clock above `mhz` that a peak assumes; INFINITY if there is
 * none. */
static double roofline_clock_next(const struct platform *p, double mhz)
{
	double next = INFINITY;

	for (enum dtype d = 0; d < DTYPES; d++)
		if (p->peak_flops[d] > 0 && p->peak_clock_mhz[d] > mhz)
			next = fmin(next, p->peak_clock_mhz[d]);
	return next;
}

const char *roofline_clock_text(const struct platform *p, double mhz,
	struct arena *a)
{
	double first = roofline_clock_next(p, 0);
	const char *left = roofline_clock_dtypes(p, 0, a);
	bool one = !isfinite(roofline_clock_next(p, first)) && left && !*left;

	if (!isfinite(first))
		return NULL;
	if (one)
		return arena_printf(a,
			"compute peaks at the recorded SM clock of %.0f MHz: "
			"%.1f %% of the data sheet's, which assume %.0f MHz",
			mhz, 100 * mhz / first, first);
	const char *text = arena_printf(a,
		"compute peaks at the recorded SM clock of %.0f MHz", mhz);
	for (double of = first; text && isfinite(of);
		of = roofline_clock_next(p, of)) {
		const char *list = roofline_clock_dtypes(p, of, a);
		text = list ? arena_printf(a,
				      "%s%s %.1f %% of the data sheet's for "
				      "%s, which assume %.0f MHz",
				      text, of > first ? ";" : ":",
				      100 * mhz / of, list, of)
			    : NULL;
	}
	if (text && left && *left)
		text = arena_printf(a,
			"%s; the data sheet's for %s, because the clock that "
			"they assume is unknown",
			text, left);
	return left ? text : NULL;
}

const char *roofline_why(const struct bound *b, const struct cost *c,
	const struct platform *p, struct arena *a)
{
	if (!isnan(b->sol_s))
		return NULL;
	if (b->link)
		return link_fault_text(b->link, p, &c->link, a);
	if (b->lacking)
		return arena_printf(a, "%s has no known peak for %s", p->name,
			dtype_word(b->lacking));
	if (!(p->bytes_per_s > 0))
		return arena_printf(a, "%s has no known bandwidth", p->name);
	return arena_strdup(a, "the type of its numbers is not known");
}

/* For products of times and small factors, which may exceed 64 bits. */
__extension__ typedef __int128 wide;

/* A group has at least an eighth of the calls, and at least two: single calls
 * that are slower or faster than the others are no group. */
enum { SHARE = 8, FEWEST = 2 };

static int64_t roofline_fit_fewest(int64_t n)
{
	return n / SHARE > FEWEST ? n / SHARE : FEWEST;
}

/* How many calls are before the largest ratio of neighbors; 0 if there are too
 * few calls. */
static int64_t roofline_fit_gap(const int64_t *ns, int64_t n)
{
	int64_t at = 0, fewest = roofline_fit_fewest(n);

	for (int64_t i = fewest; i <= n - fewest; i++)
		if (!at || (wide)ns[i] * ns[at - 1] > (wide)ns[at] * ns[i - 1])
			at = i;
	return at;
}

/* The width of the middle eight tenths of a group. */
static int64_t roofline_fit_width(const int64_t *ns, int64_t n)
{
	return ns[n - 1 - n / 10] - ns[n / 10];
}

/* Whether the times before and after a gap are separate groups: the gap is wider
 * than either group, and the longer group takes at least twice as long. In
 * recorded traces, calls of the same work are up to 1.6 times apart if only some
 * find their data in a cache. */
static bool roofline_fit_separate(const int64_t *ns, int64_t n, int64_t at)
{
	int64_t gap = ns[at] - ns[at - 1];

	return (wide)ns[at] >= (wide)ns[at - 1] * 2 &&
	       gap > roofline_fit_width(ns, at) &&
	       gap > roofline_fit_width(ns + at, n - at);
}

enum roofline_fit roofline_fit(const int64_t *ns, int64_t n, int64_t sol_ps,
	struct arena *a, const char **why)
{
	*why = NULL;
	if (n < 1 || (wide)ns[0] * 1000 >= sol_ps)
		return ROOFLINE_FIT_YES;
	int64_t at = roofline_fit_gap(ns, n);
	if (at && (wide)ns[at / 2] * 1000 < sol_ps &&
		roofline_fit_separate(ns, n, at)) {
		*why = arena_printf(a,
			"calls of different work seem to share this shape: %" PRId64
			" of %" PRId64 " take at most %" PRId64
			" ns, less than the roofline bound, and the others at "
			"least %" PRId64 " ns",
			at, n, ns[at - 1], ns[at]);
		return ROOFLINE_FIT_MIXED;
	}
	*why = arena_strdup(a,
		"the shortest call took less than its roofline bound: the cost "
		"is wrong, the data were in a cache, or calls of different work "
		"share this shape");
	return ROOFLINE_FIT_SHORTER;
}
