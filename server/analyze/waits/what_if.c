/* what_if.c - estimates what single changes would save per iteration. */
#include "what_if.h"
#include "dist.h"
#include "duration_text.h"
#include "profile_word.h"
#include <math.h>
#include <stdlib.h>

const char *const what_if_word[WHAT_IF_CHANGES] = {
	[WHAT_IF_GRAPH] = "cuda_graph",
	[WHAT_IF_OVERLAP] = "overlap",
	[WHAT_IF_OVERLAP_ONE] = "overlap_collective",
	[WHAT_IF_FLEET_BEST] = "fleet_best",
	[WHAT_IF_ROOFLINE] = "roofline",
	[WHAT_IF_FUSION] = "fusion",
	[WHAT_IF_FUSION_UNKNOWN] = "fusion_consumers_unknown",
};

/* Less than this is not worth a line; the sentences of a diagnosis have the same
 * limit. */
static const double SHARE_MIN = 0.0005;

struct what_if_work {
	const struct kept_iteration *iterations;
	uint32_t n;
	double mean_ns, single_launches;
	struct arena *a;
	struct what_if *out;
	uint32_t out_n;
	double *x; /* per iteration */
	uint32_t x_n;
	const struct kept_iteration **by; /* sorted by their launches */
};

/* "1.2 ms per iteration (12.3 % of it)" */
static const char *what_if_amount(const struct what_if_work *w,
	const struct what_if *is)
{
	return arena_printf(w->a, "%s per iteration (%.1f %% of it)",
		duration_text(w->a, is->saved_ns), 100 * is->share);
}

/* The estimate with a mean and its standard error; NULL if it saves too little. */
static struct what_if *what_if_add_mean(struct what_if_work *w,
	enum what_if_change change, struct dist_mean m, uint32_t n)
{
	struct what_if *is = &w->out[w->out_n];
	double half =
		n > 1 ? dist_t_quantile(0.975, n - 1.0) * m.error : (double)NAN;

	*is = (struct what_if){ .change = change,
		.saved_ns = m.mean,
		.low_ns = m.mean - half,
		.high_ns = m.mean + half,
		.share = w->mean_ns > 0 ? m.mean / w->mean_ns : 0 };
	if (!(is->share >= SHARE_MIN))
		return NULL;
	w->out_n++;
	return is;
}

/* The estimate with the mean of x. */
static struct what_if *what_if_add(struct what_if_work *w,
	enum what_if_change change)
{
	return what_if_add_mean(w, change, dist_mean_from(w->x, w->x_n, 0),
		w->x_n);
}

/* ---- a CUDA graph */

static int what_if_by_launches(const void *left, const void *right)
{
	const struct kept_iteration
		*a = *(const struct kept_iteration *const *)left,
		*b = *(const struct kept_iteration *const *)right;

	if (a->stratum != b->stratum)
		return a->stratum < b->stratum ? -1 : 1;
	return (a->launches > b->launches) - (a->launches < b->launches);
}

static bool what_if_same_launches(const struct kept_iteration *a,
	const struct kept_iteration *b)
{
	return a->stratum == b->stratum && a->launches == b->launches;
}

/* Fills x with the launch time of iterations that repeat, and 0 for others.
 * Returns how many repeat; 0 if a cause is unknown. */
static uint32_t what_if_repeating(struct what_if_work *w)
{
	const struct kept_iteration **by = w->by;
	uint32_t repeating = 0;

	w->x_n = 0;
	for (uint32_t i = 0; i < w->n; i++) {
		by[i] = &w->iterations[i];
		if (by[i]->launch_ns < 0 || by[i]->host_gap_ns < 0)
			return 0;
	}
	if (w->n)
		qsort(by, w->n, sizeof *by, what_if_by_launches);
	for (uint32_t i = 0; i < w->n; i++) {
		bool repeats = (i && what_if_same_launches(by[i], by[i - 1])) ||
			       (i + 1 < w->n &&
				       what_if_same_launches(by[i], by[i + 1]));
		w->x[w->x_n++] =
			repeats ? w->single_launches * (double)by[i]->launch_ns
				: 0;
		repeating += repeats;
	}
	return repeating;
}

static void what_if_graph(struct what_if_work *w)
{
	uint32_t repeating = what_if_repeating(w);
	struct what_if *is = repeating ? what_if_add(w, WHAT_IF_GRAPH) : NULL;
	double gaps_ns = 0;

	if (!is)
		return;
	for (uint32_t i = 0; i < w->n; i++)
		gaps_ns += (double)w->iterations[i].host_gap_ns;
	is->text = arena_printf(w->a,
		"Capturing the launches of an iteration as a CUDA graph would "
		"save %s.",
		what_if_amount(w, is));
	is->assumptions[0] = arena_printf(w->a,
		"%u of %u iterations launch as many kernels as another one of "
		"their kind, and these are the same kernels with the same sizes",
		repeating, w->n);
	is->assumptions[1] =
		"the kernels of a graph follow each other without a "
		"gap";
	is->assumptions[2] = arena_printf(w->a,
		"host gaps (%s per iteration) stay; what the host need not do "
		"between launches is saved, too",
		duration_text(w->a, gaps_ns / w->n));
}

/* ---- overlap */

static void what_if_overlap(struct what_if_work *w)
{
	double free_ns = 0;

	w->x_n = 0;
	for (uint32_t i = 0; i < w->n; i++) {
		const struct kept_iteration *is = &w->iterations[i];
		if (is->comm_ns < 0 || is->comm_overlapped_ns < 0)
			return;
		int64_t covers = is->compute_ns - is->comm_overlapped_ns;
		free_ns += (double)covers;
		w->x[w->x_n++] =
			(double)(is->comm_ns < covers ? is->comm_ns : covers);
	}
	struct what_if *is = what_if_add(w, WHAT_IF_OVERLAP);
	if (!is)
		return;
	is->text = arena_printf(w->a,
		"Overlapping the exposed collectives with computing would save "
		"%s.",
		what_if_amount(w, is));
	is->assumptions[0] = arena_printf(w->a,
		"enough of the computing that covers no collective (%s per "
		"iteration) needs none of their results",
		duration_text(w->a, free_ns / w->n));
	is->assumptions[1] =
		"collectives and kernels do not slow each other down";
	is->assumptions[2] = "waiting for other ranks inside a collective is "
			     "overlapped, too";
}

/* "all_reduce bf16 of 4096 bytes over 8 ranks [0, 1, 2, 3, 4, 5, 6, 7]" */
static const char *what_if_collective_name(const struct what_if_work *w,
	const struct saved_collective *c)
{
	const char *kind = profile_word_collective[c->kind];
	const char *type = dtype_word(c->dtype);
	const char *text = arena_printf(w->a, "%s%s%s",
		kind ? kind : "collective", type ? " " : "", type ? type : "");

	if (c->bytes >= 0)
		text = arena_printf(w->a, "%s of %lld bytes", text,
			(long long)c->bytes);
	if (c->group_size >= 0)
		text = arena_printf(w->a, "%s over %lld ranks", text,
			(long long)c->group_size);
	return c->group ? arena_printf(w->a, "%s %s", text, c->group) : text;
}

static void what_if_overlap_one(struct what_if_work *w,
	const struct saved_collective *c)
{
	struct what_if *is = what_if_add_mean(w, WHAT_IF_OVERLAP_ONE,
		(struct dist_mean){ c->saved_ns, c->saved_error_ns }, w->n);

	if (!is)
		return;
	is->of = profile_word_collective[c->kind];
	is->dtype = c->dtype;
	is->text = arena_printf(w->a,
		"Overlapping only the %s with computing would save %s.",
		what_if_collective_name(w, c), what_if_amount(w, is));
	is->assumptions[0] = "enough of the computing that covers no "
			     "collective needs none of its results";
	is->assumptions[1] = "it and the kernels do not slow each other down";
	is->assumptions[2] =
		"waiting for other ranks inside it is overlapped, too";
}

/* ---- faster operators */

/* Fills x with a share of the busy time. */
static void what_if_busy(struct what_if_work *w, double share)
{
	w->x_n = 0;
	for (uint32_t i = 0; i < w->n; i++) {
		const struct kept_iteration *is = &w->iterations[i];
		if (is->compute_ns < 0)
			continue;
		w->x[w->x_n++] = share * (double)(is->compute_ns + is->comm_ns +
						  is->copy_ns);
	}
}

static double what_if_operator_share(const struct what_if_operator *o,
	enum what_if_change change)
{
	return change == WHAT_IF_FLEET_BEST ? o->reachable : o->headroom;
}

static void what_if_operator(struct what_if_work *w,
	const struct what_if_operator *o, enum what_if_change change)
{
	const char *type = dtype_word(o->dtype);

	what_if_busy(w, what_if_operator_share(o, change));
	struct what_if *is = what_if_add(w, change);
	if (!is)
		return;
	is->of = o->name;
	is->dtype = o->dtype;
	is->text = arena_printf(w->a, "%s%s%s at its %s would save %s.",
		o->name, type ? " " : "", type ? type : "",
		change == WHAT_IF_FLEET_BEST ? "fleet-best" : "roofline bound",
		what_if_amount(w, is));
	is->assumptions[0] =
		change == WHAT_IF_FLEET_BEST
			? "each call is as efficient as the fastest 5 % of such "
			  "calls in all runs"
			: "no implementation reaches the bound: it is the least "
			  "possible time";
	is->assumptions[1] =
		"the operator has the same share of the GPU time in "
		"every iteration";
	is->assumptions[2] =
		"the time is not replaced by idle time: the GPU, not "
		"the host, limits the iteration";
}

/* The operators with the largest shares, the first of equal ones first. */
static void what_if_operators(struct what_if_work *w,
	const struct what_if_input *q, enum what_if_change change)
{
	const struct what_if_operator *top[WHAT_IF_OPERATORS];
	uint32_t found = 0;

	for (uint32_t i = 0; i < q->operators_n; i++) {
		const struct what_if_operator *o = &q->operators[i];
		double share = what_if_operator_share(o, change);
		uint32_t at = found;
		if (!(share > 0))
			continue;
		for (; at > 0 &&
			share > what_if_operator_share(top[at - 1], change);
			at--)
			if (at < WHAT_IF_OPERATORS)
				top[at] = top[at - 1];
		if (at < WHAT_IF_OPERATORS) {
			top[at] = o;
			found += found < WHAT_IF_OPERATORS;
		}
	}
	for (uint32_t i = 0; i < found; i++)
		what_if_operator(w, top[i], change);
}

/* ---- fusions */

/* "gemm bf16 (m=1 n=2)" */
static const char *what_if_side(const struct what_if_work *w, const char *name,
	enum dtype dtype, const char *shape)
{
	const char *type = dtype_word(dtype);

	return arena_printf(w->a, "%s%s%s%s%s%s", name, type ? " " : "",
		type ? type : "", shape ? " (" : "", shape ? shape : "",
		shape ? ")" : "");
}

/* What must be true of the tensor. */
static const char *what_if_tensor(const struct what_if_work *w,
	const struct saved_fusion *f)
{
	if (f->consumers == CONSUMERS_UNKNOWN)
		return arena_printf(w->a,
			"%s reads the %lld bytes that %s writes%s; the trace "
			"does not show who reads them",
			f->second, (long long)f->bytes, f->first,
			f->must_write ? "" : ", and nothing else does");
	return arena_printf(w->a, "the tensor of %lld bytes between them is %s",
		(long long)f->bytes,
		f->must_write ? "still written, because others read it"
			      : "neither written nor read");
}

static void what_if_fusion(struct what_if_work *w, const struct saved_fusion *f)
{
	bool unknown = f->consumers == CONSUMERS_UNKNOWN;
	struct what_if *is = what_if_add_mean(w,
		unknown ? WHAT_IF_FUSION_UNKNOWN : WHAT_IF_FUSION,
		(struct dist_mean){ f->saved_ns, f->saved_error_ns }, w->n);

	if (!is)
		return;
	is->of = f->first;
	is->dtype = f->first_dtype;
	is->then = f->second;
	is->then_dtype = f->second_dtype;
	is->text = arena_printf(w->a,
		"Fusing %s and %s into one kernel would save %s.",
		what_if_side(w, f->first, f->first_dtype, f->first_shape),
		what_if_side(w, f->second, f->second_dtype, f->second_shape),
		what_if_amount(w, is));
	is->assumptions[0] = what_if_tensor(w, f);
	is->assumptions[1] =
		"one kernel needs as much time for all other work of both";
	is->assumptions[2] =
		"the time is not replaced by idle time: the GPU, not "
		"the host, limits the iteration";
}

static int what_if_by_saved(const void *left, const void *right)
{
	const struct what_if *a = left, *b = right;
	int last = (a->change == WHAT_IF_FUSION_UNKNOWN) -
		   (b->change == WHAT_IF_FUSION_UNKNOWN);

	if (last)
		return last;
	if (a->saved_ns != b->saved_ns)
		return a->saved_ns < b->saved_ns ? 1 : -1;
	return (a->change > b->change) - (a->change < b->change);
}

bool what_if_from(const struct what_if_input *q, struct arena *a,
	struct what_if **out, uint32_t *out_n)
{
	enum { MOST = 3 + 2 * WHAT_IF_OPERATORS + 2 * SAVED_FUSIONS + 1 };
	uint32_t n = q->n;
	struct what_if_work w = { .iterations = q->iterations,
		.n = n,
		.mean_ns = q->mean_ns,
		.single_launches = q->single_launches,
		.a = a,
		.out = arena_array(a, struct what_if, MOST),
		.x = arena_array(a, double, n + 1),
		.by = arena_array(a, const struct kept_iteration *, n + 1) };

	*out_n = 0;
	*out = w.out;
	if (!w.out || !w.x || !w.by)
		return false;
	what_if_graph(&w);
	what_if_overlap(&w);
	if (q->collective)
		what_if_overlap_one(&w, q->collective);
	what_if_operators(&w, q, WHAT_IF_FLEET_BEST);
	what_if_operators(&w, q, WHAT_IF_ROOFLINE);
	for (uint32_t i = 0; i < q->fusions_n; i++)
		what_if_fusion(&w, &q->fusions[i]);
	if (w.out_n)
		qsort(w.out, w.out_n, sizeof *w.out, what_if_by_saved);
	*out_n = w.out_n;
	return true;
}
