/* ranks.c - matches the collectives of a job's ranks; computes transfer time,
 * waiting time and stragglers. */
#include "ranks.h"
#include "names.h"
#include "sort.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The k-th collective of a name on each of the runs. */
struct rank_match {
	const char *name;
	uint32_t count; /* on each run */
	int64_t **start_ns, **dur_ns; /* [run][k], by start */
	int64_t *min_ns; /* [k]: the shortest */
};

struct rank_matches {
	struct rank_match *list; /* in order of first occurrence */
	uint32_t n;
	uint32_t unmatched; /* as ranks.unmatched */
};

/* Matching: the collectives of a name over all streams, sorted by start. */

struct ranks_event {
	int64_t start_ns, dur_ns;
};

static int ranks_event_by_start(const void *left, const void *right)
{
	const struct ranks_event *a = left, *b = right;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return (a->dur_ns > b->dur_ns) - (a->dur_ns < b->dur_ns);
}

/* Lists the `count` collectives of a name in a run, in order. */
static void ranks_match_run(const struct compared_run *run, const char *name,
	uint32_t count, struct arena *a, int64_t *start_ns, int64_t *dur_ns)
{
	struct ranks_event *all =
		arena_array(a, struct ranks_event, (size_t)count + 1);
	uint32_t n = 0;
	for (uint32_t i = 0; i < run->collectives.n; i++) {
		const struct collective *c = &run->collectives.rows[i];
		if (strcmp(c->name, name) != 0)
			continue;
		for (uint32_t k = 0; k < c->n; k++)
			all[n++] = (struct ranks_event){ c->start_ns[k],
				c->dur_ns[k] };
	}
	qsort(all, n, sizeof *all, ranks_event_by_start);
	for (uint32_t k = 0; k < n; k++) {
		start_ns[k] = all[k].start_ns;
		dur_ns[k] = all[k].dur_ns;
	}
}

static uint32_t ranks_count_of(const struct compared_run *run, const char *name)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < run->collectives.n; i++)
		if (!strcmp(run->collectives.rows[i].name, name))
			n += run->collectives.rows[i].n;
	return n;
}

static void ranks_match_name(const struct compared_run *const *runs, uint32_t n,
	struct arena *a, struct rank_match *m)
{
	m->start_ns = arena_array(a, int64_t *, n);
	m->dur_ns = arena_array(a, int64_t *, n);
	m->min_ns = arena_array(a, int64_t, m->count);
	for (uint32_t r = 0; r < n; r++) {
		m->start_ns[r] = arena_array(a, int64_t, m->count);
		m->dur_ns[r] = arena_array(a, int64_t, m->count);
		ranks_match_run(runs[r], m->name, m->count, a, m->start_ns[r],
			m->dur_ns[r]);
		for (uint32_t k = 0; k < m->count; k++)
			if (r == 0 || m->dur_ns[r][k] < m->min_ns[k])
				m->min_ns[k] = m->dur_ns[r][k];
	}
}

/* Matches the collectives of the runs, in the order of the runs. The arena must
 * have no size limit. */
static void ranks_match_from(const struct compared_run *const *runs, uint32_t n,
	struct arena *a, struct rank_matches *out)
{
	struct names seen;
	uint32_t rows = 0;
	names_init(&seen, a);
	for (uint32_t r = 0; r < n; r++) {
		const struct collectives *c = &runs[r]->collectives;
		for (uint32_t i = 0; i < c->n; i++)
			names_put(&seen, c->rows[i].name,
				strlen(c->rows[i].name));
		rows += c->n;
	}
	*out = (struct rank_matches){ .list = arena_array(a, struct rank_match,
					      (size_t)rows + 1) };
	for (uint32_t id = 1; id < seen.n; id++) {
		const char *name = names_text(&seen, id);
		uint32_t fewest = UINT32_MAX, most = 0;
		for (uint32_t r = 0; r < n; r++) {
			uint32_t count = ranks_count_of(runs[r], name);
			fewest = count < fewest ? count : fewest;
			most = count > most ? count : most;
		}
		if (fewest < most) {
			out->unmatched += most;
			continue;
		}
		struct rank_match *m = &out->list[out->n++];
		*m = (struct rank_match){ .name = name, .count = fewest };
		ranks_match_name(runs, n, a, m);
	}
}

/* Arrival: start times of all runs on the clock of the first run. */

struct clocks {
	const struct compared_run *const *runs;
	uint32_t n;
};

static int64_t ranks_clock_at(const struct clocks *c, uint32_t r, int64_t ns)
{
	return c->runs[r]->started_utc_ns - c->runs[0]->started_utc_ns + ns;
}

/* The times at which the first and the last rank start a collective, and at
 * which the first rank ends it. */
static void ranks_clock_edges(const struct clocks *c,
	const struct rank_match *m, uint32_t k, int64_t *first, int64_t *last,
	int64_t *end)
{
	*first = *end = INT64_MAX;
	*last = INT64_MIN;
	for (uint32_t r = 0; r < c->n; r++) {
		int64_t start = ranks_clock_at(c, r, m->start_ns[r][k]);
		int64_t ends = start + m->dur_ns[r][k];
		*first = start < *first ? start : *first;
		*last = start > *last ? start : *last;
		*end = ends < *end ? ends : *end;
	}
}

static bool ranks_clock_agree(const struct clocks *c,
	const struct rank_matches *all)
{
	int64_t first, last, end, n = 0, overlap = 0;
	for (uint32_t i = 0; i < all->n; i++)
		for (uint32_t k = 0; k < all->list[i].count; k++, n++) {
			ranks_clock_edges(c, &all->list[i], k, &first, &last,
				&end);
			overlap += last <= end;
		}
	return n > 0 && overlap * 10 >= n * 9;
}

static void ranks_clock_arrive(const struct clocks *c,
	const struct rank_match *m, uint32_t k, struct rank_line *lines)
{
	int64_t first, last, end;
	uint32_t together = 0;
	ranks_clock_edges(c, m, k, &first, &last, &end);
	for (uint32_t r = 0; r < c->n; r++)
		together += ranks_clock_at(c, r, m->start_ns[r][k]) == last;
	for (uint32_t r = 0; r < c->n; r++) {
		int64_t start = ranks_clock_at(c, r, m->start_ns[r][k]);
		lines[r].late_ns += (double)(start - first);
		if (start == last)
			lines[r].last_share += 1.0 / together;
	}
}

/* Whether the clocks agree; if so, fills last_share and late_ns of the lines. */
static bool ranks_clock_from(const struct compared_run *const *runs, uint32_t n,
	const struct rank_matches *all, struct rank_line *lines)
{
	struct clocks c = { runs, n };
	double count = 0;
	for (uint32_t r = 0; r < n; r++)
		if (runs[r]->started_utc_ns < 0)
			return false;
	if (n < 2 || !ranks_clock_agree(&c, all))
		return false;
	for (uint32_t r = 0; r < n; r++)
		lines[r].last_share = lines[r].late_ns = 0;
	for (uint32_t i = 0; i < all->n; i++)
		for (uint32_t k = 0; k < all->list[i].count; k++, count++)
			ranks_clock_arrive(&c, &all->list[i], k, lines);
	for (uint32_t r = 0; r < n; r++) {
		lines[r].last_share /= count;
		lines[r].late_ns /= count;
	}
	return true;
}

/* Sums per rank and per collective, and stragglers. */

struct ranks_maker {
	const struct compared_run **runs; /* in the order of the lines */
	uint32_t n;
	struct arena *a;
	struct rank_matches all;
	struct ranks *out;
};

static int ranks_by_rank(const void *left, const void *right)
{
	const struct compared_run *a =
		*(const struct compared_run *const *)left;
	const struct compared_run *b =
		*(const struct compared_run *const *)right;
	/* Unknown is -1, which comes last as an unsigned number. */
	if (a->rank != b->rank)
		return (uint32_t)a->rank < (uint32_t)b->rank ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

/* "A, B": each name once; NULL if a device has none. */
static const char *ranks_devices(const struct compared_run *run,
	struct arena *a)
{
	const char *all = NULL;
	for (uint32_t i = 0; i < run->device_names_n; i++) {
		const char *name = run->device_names[i];
		bool again = false;
		for (uint32_t k = 0; name && k < i && !again; k++)
			again = run->device_names[k] &&
				!strcmp(run->device_names[k], name);
		if (!name)
			return NULL;
		if (!again)
			all = all ? arena_printf(a, "%s, %s", all, name) : name;
	}
	return all;
}

static void ranks_iteration_mean(const struct compared_run *run,
	struct rank_line *l)
{
	double sum = 0;
	for (uint32_t i = 0; i < run->iterations.n; i++) {
		if (run->iterations.iterations[i].use != ITERATION_KEPT)
			continue;
		sum += (double)run->iterations.iterations[i].dur_ns;
		l->iterations++;
	}
	l->iteration_ns = l->iterations ? sum / l->iterations : NAN;
}

static struct rank_line ranks_line_of(const struct ranks_maker *m, uint32_t r)
{
	const struct compared_run *run = m->runs[r];
	struct rank_line l = { .run = run->id,
		.rank = run->rank,
		.device = ranks_devices(run, m->a),
		.collective_ns = -1,
		.transfer_ns = -1,
		.waiting_ns = -1,
		.compute_ns = -1,
		.last_share = NAN,
		.late_ns = NAN };
	ranks_iteration_mean(run, &l);
	if (run->content != CONTENT_LAUNCHES)
		return l;
	l.collective_ns = 0;
	for (uint32_t i = 0; i < run->collectives.n; i++)
		for (uint32_t k = 0; k < run->collectives.rows[i].n; k++)
			l.collective_ns += run->collectives.rows[i].dur_ns[k];
	l.compute_ns = run->kernel_ns + run->graph_ns - l.collective_ns;
	if (m->n > 1)
		l.transfer_ns = l.waiting_ns = 0;
	return l;
}

static struct collective_line ranks_collective_line(struct ranks_maker *m,
	const struct rank_match *of)
{
	int64_t *total = arena_array(m->a, int64_t, m->n);
	struct collective_line l = { of->name, of->count, 0, total };
	for (uint32_t k = 0; k < of->count; k++)
		l.transfer_ns += of->min_ns[k];
	for (uint32_t r = 0; r < m->n; r++)
		for (uint32_t k = 0; k < of->count; k++)
			total[r] += of->dur_ns[r][k];
	for (uint32_t r = 0; r < m->n && m->n > 1; r++) {
		m->out->ranks[r].transfer_ns += l.transfer_ns;
		m->out->ranks[r].waiting_ns += total[r] - l.transfer_ns;
	}
	if (m->n == 1)
		l.transfer_ns = -1;
	return l;
}

static int ranks_by_transfer(const void *left, const void *right)
{
	const struct collective_line *a = left, *b = right;
	if (a->transfer_ns != b->transfer_ns)
		return a->transfer_ns > b->transfer_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

static double ranks_median(double *x, uint32_t n)
{
	sort_double(x, n);
	return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

/* Whether at least half of the other ranks wait as long as this rank or longer.
 * This is so for a straggler, because the others wait for it. True if waiting
 * is unknown. */
static bool ranks_waits_shortest(const struct rank_line *l, uint32_t n,
	uint32_t rank)
{
	uint32_t more = 0, known = 0;
	for (uint32_t r = 0; r < n; r++)
		if (r != rank && l[r].waiting_ns >= 0) {
			known++;
			more += l[r].waiting_ns >= l[rank].waiting_ns;
		}
	return l[rank].waiting_ns < 0 || 2 * more >= known;
}

/* Marks the stragglers among the ranks whose compute time is known. */
static void ranks_stragglers(struct ranks_maker *m)
{
	struct rank_line *l = m->out->ranks;
	double *x = arena_array(m->a, double, (size_t)m->n + 1);
	uint32_t n = 0;
	for (uint32_t r = 0; r < m->n; r++)
		if (l[r].compute_ns >= 0)
			x[n++] = (double)l[r].compute_ns;
	if (n < 2)
		return;
	double middle = ranks_median(x, n);
	for (uint32_t i = 0; i < n; i++)
		x[i] = fabs(x[i] - middle);
	double mad = ranks_median(x, n);
	for (uint32_t r = 0; r < m->n; r++) {
		double more = (double)l[r].compute_ns - middle;
		l[r].straggler = more > 3 * mad && more > 0.02 * middle &&
				 ranks_waits_shortest(l, m->n, r);
	}
}

/* The number of runs that share their rank with another run. Lines are sorted,
 * so such runs are neighbors. */
static uint32_t ranks_twice(const struct rank_line *l, uint32_t n)
{
	uint32_t count = 0;
	for (uint32_t r = 0; r < n; r++)
		count += l[r].rank >= 0 &&
			 ((r > 0 && l[r - 1].rank == l[r].rank) ||
				 (r + 1 < n && l[r + 1].rank == l[r].rank));
	return count;
}

bool ranks_from(const struct compared_run *runs, uint32_t n, struct arena *a,
	struct ranks *out, struct err *e)
{
	struct ranks_maker m = { .n = n, .a = a, .out = out };
	assert(a->ceiling == 0);
	if (n == 0)
		return err_set(e, ERR_INPUT, "the job has no run");
	*out = (struct ranks){ .ranks_n = n };
	m.runs = arena_array(a, const struct compared_run *, (size_t)n + 1);
	out->ranks = arena_array(a, struct rank_line, (size_t)n + 1);
	for (uint32_t r = 0; r < n; r++)
		m.runs[r] = &runs[r];
	qsort(m.runs, n, sizeof *m.runs, ranks_by_rank);
	ranks_match_from(m.runs, n, a, &m.all);
	for (uint32_t r = 0; r < n; r++)
		out->ranks[r] = ranks_line_of(&m, r);
	out->collectives =
		arena_array(a, struct collective_line, (size_t)m.all.n + 1);
	for (uint32_t i = 0; i < m.all.n; i++)
		out->collectives[out->collectives_n++] =
			ranks_collective_line(&m, &m.all.list[i]);
	qsort(out->collectives, out->collectives_n, sizeof *out->collectives,
		ranks_by_transfer);
	out->unmatched = m.all.unmatched;
	out->rank_twice = ranks_twice(out->ranks, n);
	out->clocks_agree = ranks_clock_from(m.runs, n, &m.all, out->ranks);
	ranks_stragglers(&m);
	return true;
}

/* Waiting of each run, iteration by iteration. */

struct wait {
	int64_t start_ns, end_ns;
};

static int ranks_wait_by_start(const void *left, const void *right)
{
	const struct wait *a = left, *b = right;
	return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* The spans in which run `r` waits in its collectives, merged if they
 * overlap. */
static uint32_t ranks_waits_of(const struct rank_matches *all, uint32_t r,
	struct arena *a, struct wait **out)
{
	uint32_t n = 0, merged = 0;
	for (uint32_t i = 0; i < all->n; i++)
		n += all->list[i].count;
	struct wait *w = arena_array(a, struct wait, (size_t)n + 1);
	n = 0;
	for (uint32_t i = 0; i < all->n; i++) {
		const struct rank_match *m = &all->list[i];
		for (uint32_t k = 0; k < m->count; k++) {
			int64_t start = m->start_ns[r][k];
			w[n++] = (struct wait){ start,
				start + m->dur_ns[r][k] - m->min_ns[k] };
		}
	}
	qsort(w, n, sizeof *w, ranks_wait_by_start);
	for (uint32_t i = 0; i < n; i++) {
		if (merged && w[i].start_ns <= w[merged - 1].end_ns) {
			if (w[i].end_ns > w[merged - 1].end_ns)
				w[merged - 1].end_ns = w[i].end_ns;
			continue;
		}
		w[merged++] = w[i];
	}
	*out = w;
	return merged;
}

static double ranks_wait_inside(const struct iteration *c, const struct wait *w,
	uint32_t n, uint32_t *at)
{
	int64_t end_ns = c->start_ns + c->dur_ns, sum = 0;
	if (c->comm_ns < 0)
		return NAN;
	while (*at < n && w[*at].end_ns <= c->start_ns)
		++*at;
	for (uint32_t i = *at; i < n && w[i].start_ns < end_ns; i++) {
		int64_t from = w[i].start_ns, to = w[i].end_ns;
		from = from > c->start_ns ? from : c->start_ns;
		to = to < end_ns ? to : end_ns;
		sum += to - from;
	}
	return (double)(sum < c->comm_ns ? sum : c->comm_ns);
}

bool ranks_waiting(const struct compared_run *runs, uint32_t n, struct arena *a,
	double **waiting, struct err *e)
{
	const struct compared_run **list =
		arena_array(a, const struct compared_run *, (size_t)n + 1);
	struct rank_matches all;

	assert(a->ceiling == 0);
	if (n == 0)
		return err_set(e, ERR_INPUT, "the job has no run");
	for (uint32_t r = 0; r < n; r++)
		list[r] = &runs[r];
	ranks_match_from(list, n, a, &all);
	for (uint32_t r = 0; r < n; r++) {
		const struct iterations *c = &runs[r].iterations;
		bool known = runs[r].collectives.n == 0 || (n > 1 && all.n > 0);
		struct wait *w;
		uint32_t waits = ranks_waits_of(&all, r, a, &w), at = 0;
		waiting[r] = arena_array(a, double, (size_t)c->n + 1);
		for (uint32_t i = 0; i < c->n; i++)
			waiting[r][i] =
				known ? ranks_wait_inside(&c->iterations[i], w,
						waits, &at)
				      : NAN;
	}
	return true;
}
