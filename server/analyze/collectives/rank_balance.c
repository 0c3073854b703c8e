/* rank_balance.c - sums waiting by the rank that arrives last, compares the time of
 * each operator over the ranks, and writes the headline of a job. */
#include "rank_balance.h"
#include "sort.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Operators. */

/* The index of the rank of a run of the job. */
static uint32_t rank_balance_rank(const struct ranks *r, int64_t run)
{
	uint32_t i = 0;
	while (r->ranks[i].run != run)
		i++;
	assert(i < r->ranks_n);
	return i;
}

static double rank_balance_middle(double *x, uint32_t n)
{
	sort_double(x, n);
	return n ? (x[(n - 1) / 2] + x[n / 2]) / 2 : (double)NAN;
}

/* The median of the values that are known. `x` has room for all of them. */
static double rank_balance_median(const int64_t *v, uint32_t n, double *x)
{
	uint32_t known = 0;
	for (uint32_t i = 0; i < n; i++)
		if (v[i] >= 0)
			x[known++] = (double)v[i];
	return rank_balance_middle(x, known);
}

static void rank_balance_mark(const struct ranks *r, struct rank_operator *o,
	double *x)
{
	uint32_t n = r->ranks_n, known = 0;

	o->median_launches = rank_balance_median(o->launches, n, x);
	o->median_ns = rank_balance_median(o->total_ns, n, x);
	for (uint32_t i = 0; i < n; i++)
		if (o->total_ns[i] >= 0)
			x[known++] =
				fabs((double)o->total_ns[i] - o->median_ns);
	double mad = rank_balance_middle(x, known);
	for (uint32_t i = 0; i < n; i++) {
		double more = (double)o->total_ns[i] - o->median_ns;
		double compute_ns = (double)r->ranks[i].compute_ns;
		o->slow[i] = compute_ns > 0 && o->median_ns > 0 &&
			     more > 3 * mad &&
			     more > RANK_BALANCE_LONGER * o->median_ns &&
			     more > RANK_BALANCE_SHARE * compute_ns;
	}
}

static int rank_balance_by_time(const void *left, const void *right)
{
	const struct rank_operator *a = left, *b = right;
	if (a->median_ns != b->median_ns)
		return a->median_ns > b->median_ns ? -1 : 1;
	if (!a->name || !b->name)
		return (a->name == NULL) - (b->name == NULL);
	return strcmp(a->name, b->name);
}

/* A row for an operator, with 0 for each rank whose operators are known. */
static void rank_balance_add(struct rank_balance *out, const char *name,
	const bool *known, uint32_t ranks, struct arena *a)
{
	struct rank_operator *o = &out->operators[out->operators_n++];

	*o = (struct rank_operator){ .name = name,
		.total_ns = arena_array(a, int64_t, ranks),
		.launches = arena_array(a, int64_t, ranks),
		.slow = arena_array(a, bool, ranks) };
	for (uint32_t i = 0; i < ranks; i++)
		o->total_ns[i] = o->launches[i] = known[i] ? 0 : -1;
}

static bool rank_balance_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static void rank_balance_operators(const struct ranks *r,
	const struct run_operator_time *times, uint32_t n, struct arena *a,
	struct rank_balance *out)
{
	const uint32_t ranks = r->ranks_n;
	double *x = arena_array(a, double, ranks);
	bool *known = arena_array(a, bool, ranks);

	out->operators = arena_array(a, struct rank_operator, (size_t)n + 1);
	for (uint32_t i = 0; i < n; i++)
		known[rank_balance_rank(r, times[i].run)] = true;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t rank = rank_balance_rank(r, times[i].run);
		if (!i || !rank_balance_same(times[i].name, times[i - 1].name))
			rank_balance_add(out, times[i].name, known, ranks, a);
		struct rank_operator *o = &out->operators[out->operators_n - 1];
		o->total_ns[rank] = times[i].total_ns;
		o->launches[rank] = times[i].launches;
	}
	for (uint32_t i = 0; i < out->operators_n; i++)
		rank_balance_mark(r, &out->operators[i], x);
	qsort(out->operators, out->operators_n, sizeof *out->operators,
		rank_balance_by_time);
}

/* Waiting. */

static int64_t rank_balance_dur(const struct ranks *r,
	const struct pair_member *m)
{
	return pair_line(r->runs, m)->dur_ns[m->call];
}

static void rank_balance_pair(const struct ranks *r,
	const struct collective_pair *p, struct rank_balance *out)
{
	const struct pair_member *m = &r->pairs.members[p->first];
	uint32_t last = 0, together = 0;

	for (uint32_t i = 1; i < p->n; i++)
		if (rank_balance_dur(r, &m[i]) < rank_balance_dur(r, &m[last]))
			last = i;
	int64_t shortest = rank_balance_dur(r, &m[last]);
	for (uint32_t i = 0; i < p->n; i++)
		together += rank_balance_dur(r, &m[i]) == shortest;
	if (together > 1)
		return;
	for (uint32_t i = 0; i < p->n; i++)
		out->waits_for_ns[m[i].run * r->ranks_n + m[last].run] +=
			rank_balance_dur(r, &m[i]) - shortest;
}

static void rank_balance_waits(const struct ranks *r, struct arena *a,
	struct rank_balance *out)
{
	const size_t n = r->ranks_n;

	out->waits_for_ns = arena_array(a, int64_t, n * n);
	out->waiting = arena_array(a, double, n);
	if (n > 1)
		for (uint32_t i = 0; i < r->pairs.n; i++)
			rank_balance_pair(r, &r->pairs.list[i], out);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < n && r->ranks[i].waiting_ns < 0; k++)
			out->waits_for_ns[i * n + k] = -1;
	for (uint32_t i = 0; i < n; i++)
		out->waiting[i] =
			r->ranks[i].waiting_ns >= 0 && r->runs[i]->span_ns > 0
				? (double)r->ranks[i].waiting_ns /
					  (double)r->runs[i]->span_ns
				: (double)NAN;
}

/* The headline. */

/* How many ranks, or spans of ranks, are named in one sentence. */
enum { RANK_BALANCE_NAMED = 8 };

static const char *rank_balance_and(struct arena *a, const char *list,
	const char *item, bool last)
{
	return *list ? arena_printf(a, "%s%s%s", list, last ? " and " : ", ",
			       item)
		     : item;
}

/* Whether the marked ranks are named by their ranks; else by their runs, because
 * a rank is unknown or has several runs. */
static bool rank_balance_by_rank(const struct ranks *r, const bool *marked)
{
	const struct rank_line *l = r->ranks;
	bool all = true;

	for (uint32_t i = 0; i < r->ranks_n; i++)
		all &= !marked[i] ||
		       (l[i].rank >= 0 &&
			       (i == 0 || l[i - 1].rank != l[i].rank) &&
			       (i + 1 == r->ranks_n ||
				       l[i + 1].rank != l[i].rank));
	return all;
}

/* Where a span of at least three marked ranks with consecutive numbers ends; `i`
 * if none begins there. */
static uint32_t rank_balance_span(const struct ranks *r, const bool *marked,
	bool by_rank, uint32_t i)
{
	uint32_t to = i;

	while (by_rank && to + 1 < r->ranks_n && marked[to + 1] &&
		r->ranks[to + 1].rank == r->ranks[to].rank + 1)
		to++;
	return to - i < 2 ? i : to;
}

static uint32_t rank_balance_spans(const struct ranks *r, const bool *marked,
	bool by_rank)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->ranks_n; i++)
		if (marked[i]) {
			i = rank_balance_span(r, marked, by_rank, i);
			n++;
		}
	return n;
}

/* For example "3", "0 to 3" or "0, 2 and 4 to 7". */
static const char *rank_balance_numbers(const struct ranks *r,
	const bool *marked, bool by_rank, struct arena *a)
{
	uint32_t spans = rank_balance_spans(r, marked, by_rank), named = 0;
	const char *list = "";

	for (uint32_t i = 0; i < r->ranks_n; i++) {
		if (!marked[i])
			continue;
		const struct rank_line *from = &r->ranks[i];
		i = rank_balance_span(r, marked, by_rank, i);
		const char *item = arena_printf(a, "%lld",
			by_rank ? (long long)from->rank : (long long)from->run);
		if (from != &r->ranks[i])
			item = arena_printf(a, "%s to %d", item,
				(int)r->ranks[i].rank);
		list = rank_balance_and(a, list, item, ++named == spans);
	}
	return list;
}

static uint32_t rank_balance_count(const bool *marked, uint32_t n)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < n; i++)
		count += marked[i];
	return count;
}

/* "rank 3", "ranks 0 to 3", "runs 17 and 18", "12 of the ranks" */
static const char *rank_balance_list(const struct ranks *r, const bool *marked,
	struct arena *a)
{
	bool by_rank = rank_balance_by_rank(r, marked);
	uint32_t n = rank_balance_count(marked, r->ranks_n);

	if (rank_balance_spans(r, marked, by_rank) > RANK_BALANCE_NAMED)
		return arena_printf(a, "%u of the ranks", n);
	return arena_printf(a, "%s%s %s", by_rank ? "rank" : "run",
		n == 1 ? "" : "s", rank_balance_numbers(r, marked, by_rank, a));
}

/* The rank for which more than half of all waiting is; `ranks_n`: none. */
static uint32_t rank_balance_main(const struct ranks *r,
	const struct rank_balance *b)
{
	const uint32_t n = r->ranks_n;
	int64_t all = 0;

	for (uint32_t i = 0; i < n; i++)
		all += r->ranks[i].waiting_ns > 0 ? r->ranks[i].waiting_ns : 0;
	for (uint32_t last = 0; last < n; last++) {
		int64_t sum = 0;
		for (uint32_t i = 0; i < n; i++)
			sum += r->ranks[i].waiting_ns > 0
				       ? b->waits_for_ns[i * n + last]
				       : 0;
		if (2 * sum > all)
			return last;
	}
	return n;
}

/* Marks the ranks that wait; if there is a main rank, mostly for this one. */
static uint32_t rank_balance_waiting(const struct ranks *r,
	const struct rank_balance *b, uint32_t last, bool *marked)
{
	const uint32_t n = r->ranks_n;

	for (uint32_t i = 0; i < n; i++)
		marked[i] = b->waiting[i] > RANK_BALANCE_WAITING &&
			    (last == n || 2 * b->waits_for_ns[i * n + last] >
						  r->ranks[i].waiting_ns);
	return rank_balance_count(marked, n);
}

/* "37 to 47 %": the shares of the marked ranks. */
static const char *rank_balance_shares(const struct rank_balance *b,
	const bool *marked, uint32_t n, struct arena *a)
{
	double low = INFINITY, high = 0;

	for (uint32_t i = 0; i < n; i++)
		if (marked[i]) {
			low = fmin(low, 100 * b->waiting[i]);
			high = fmax(high, 100 * b->waiting[i]);
		}
	return lround(low) == lround(high)
		       ? arena_printf(a, "%.0f %%", high)
		       : arena_printf(a, "%.0f to %.0f %%", low, high);
}

/* Why waiting is unknown; NULL: known for some rank. */
static const char *rank_balance_unknown(const struct ranks *r,
	const struct rank_balance *b)
{
	bool collectives = false, known = false;

	for (uint32_t i = 0; i < r->ranks_n; i++) {
		collectives |= r->ranks[i].collective_ns > 0;
		known |= !isnan(b->waiting[i]);
	}
	if (r->ranks_n == 1)
		return "waiting and transfer cannot be separated with a single "
		       "rank";
	if (!collectives)
		return "the ranks have no collectives";
	return known ? NULL
		     : "how long a rank waits is unknown, because no collective "
		       "is matched";
}

static const char *rank_balance_text_waiting(const struct ranks *r,
	const struct rank_balance *b, struct arena *a)
{
	const uint32_t n = r->ranks_n;
	bool *marked = arena_array(a, bool, n);
	bool *one = arena_array(a, bool, n + 1);
	uint32_t last = rank_balance_main(r, b);
	uint32_t waiting = rank_balance_waiting(r, b, last, marked);
	const char *why = rank_balance_unknown(r, b);
	double most = 0;

	if (why)
		return why;
	for (uint32_t i = 0; i < n; i++)
		most = fmax(most, b->waiting[i]);
	if (!waiting && most > RANK_BALANCE_WAITING) {
		last = n;
		waiting = rank_balance_waiting(r, b, last, marked);
	}
	if (!waiting)
		return arena_printf(a,
			"no rank waits longer than %.1f %% of the recorded time",
			100 * most);
	one[last] = true;
	return arena_printf(a, "%s wait%s %s of the recorded time, %s%s",
		rank_balance_list(r, marked, a), waiting == 1 ? "s" : "",
		rank_balance_shares(b, marked, n, a),
		last == n ? "not mostly for one rank" : "mostly for ",
		last == n ? "" : rank_balance_list(r, one, a));
}

static const char *rank_balance_text_compute(const struct ranks *r,
	struct arena *a)
{
	bool *marked = arena_array(a, bool, r->ranks_n);
	uint32_t known = 0;

	for (uint32_t i = 0; i < r->ranks_n; i++) {
		known += r->ranks[i].compute_ns >= 0;
		marked[i] = r->ranks[i].straggler;
	}
	uint32_t n = rank_balance_count(marked, r->ranks_n);
	if (known < 2)
		return "their compute times are unknown";
	return n ? arena_printf(a, "%s compute%s longer than the median rank",
			   rank_balance_list(r, marked, a), n == 1 ? "s" : "")
		 : "no rank computes significantly longer than the others";
}

/* "layer_norm takes 2.00 times the time of the median rank on rank 3" */
static const char *rank_balance_text_operator(const struct ranks *r,
	const struct rank_operator *o, struct arena *a)
{
	double low = INFINITY, high = 0;

	for (uint32_t i = 0; i < r->ranks_n; i++)
		if (o->slow[i]) {
			double times = (double)o->total_ns[i] / o->median_ns;
			low = fmin(low, times);
			high = fmax(high, times);
		}
	const char *times =
		lround(100 * low) == lround(100 * high)
			? arena_printf(a,
				  "%.2f times the time of the median rank",
				  high)
			: arena_printf(a,
				  "%.2f to %.2f times the time of the median rank",
				  low, high);
	return arena_printf(a, "%s takes %s on %s",
		o->name ? o->name : "unattributed work", times,
		rank_balance_list(r, o->slow, a));
}

/* How much longer the marked ranks take together. */
static double rank_balance_more(const struct ranks *r,
	const struct rank_operator *o)
{
	double more = 0;
	for (uint32_t i = 0; i < r->ranks_n; i++)
		if (o->slow[i])
			more += (double)o->total_ns[i] - o->median_ns;
	return more;
}

static const char *rank_balance_text_operators(const struct ranks *r,
	const struct rank_balance *b, struct arena *a)
{
	enum { NAMED = 3 };
	const char *text = "";
	uint32_t slow = 0;
	bool *named = arena_array(a, bool, b->operators_n + 1);

	for (uint32_t i = 0; i < b->operators_n; i++)
		slow += rank_balance_count(b->operators[i].slow, r->ranks_n) >
			0;
	for (uint32_t k = 0; k < NAMED && k < slow; k++) {
		uint32_t most = b->operators_n;
		double more = 0;
		for (uint32_t i = 0; i < b->operators_n; i++) {
			double is = rank_balance_more(r, &b->operators[i]);
			if (named[i] || is <= more)
				continue;
			most = i;
			more = is;
		}
		named[most] = true;
		text = arena_printf(a, "%s; %s", text,
			rank_balance_text_operator(r, &b->operators[most], a));
	}
	if (slow > NAMED)
		text = arena_printf(a, "%s; and %u more operators", text,
			slow - NAMED);
	return text;
}

/* ", among ranks 0 to 3 of 8" if ranks are missing. */
static const char *rank_balance_text_missing(const struct ranks *r,
	struct arena *a)
{
	bool *all = arena_array(a, bool, r->ranks_n);
	int32_t world = -1;

	for (uint32_t i = 0; i < r->ranks_n; i++) {
		all[i] = true;
		world = r->runs[i]->world_size > world ? r->runs[i]->world_size
						       : world;
	}
	return world > (int64_t)r->ranks_n
		       ? arena_printf(a, ", among %s of %d",
				 rank_balance_list(r, all, a), (int)world)
		       : "";
}

static bool rank_balance_is_unbalanced(const struct ranks *r,
	const struct rank_balance *b)
{
	bool is = false;

	for (uint32_t i = 0; i < r->ranks_n; i++)
		is |= r->ranks[i].straggler ||
		      b->waiting[i] > RANK_BALANCE_WAITING;
	for (uint32_t i = 0; i < b->operators_n; i++)
		is |= rank_balance_count(b->operators[i].slow, r->ranks_n) > 0;
	return is;
}

void rank_balance_from(const struct ranks *r,
	const struct run_operator_time *times, uint32_t n, struct arena *a,
	struct rank_balance *out)
{
	assert(a->ceiling == 0);
	*out = (struct rank_balance){ 0 };
	rank_balance_waits(r, a, out);
	rank_balance_operators(r, times, n, a, out);
	out->unbalanced = rank_balance_is_unbalanced(r, out);
	out->headline =
		r->ranks_n == 1
			? arena_printf(a, "1 rank: %s",
				  rank_balance_unknown(r, out))
			: arena_printf(a, "%s%s; %s%s",
				  rank_balance_text_waiting(r, out, a),
				  rank_balance_text_missing(r, a),
				  rank_balance_text_compute(r, a),
				  rank_balance_text_operators(r, out, a));
}
