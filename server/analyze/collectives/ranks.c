/* ranks.c - sums over what ranks have together, and who is slow. */
#include "ranks.h"
#include "rank_clock.h"
#include "rank_match.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct maker {
	const struct compared_run **runs; /* in the order of the lines */
	uint32_t n;
	struct arena *a;
	struct rank_matches all;
	struct ranks *out;
};

static int by_rank(const void *left, const void *right)
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

/* "A, B": each name once; NULL where a device has none. */
static const char *devices(const struct compared_run *run, struct arena *a)
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

static void cycles(const struct compared_run *run, struct rank_line *l)
{
	double sum = 0;
	for (uint32_t i = 0; i < run->cycles.n; i++) {
		if (run->cycles.cycles[i].use != CYCLE_KEPT)
			continue;
		sum += (double)run->cycles.cycles[i].dur_ns;
		l->cycles++;
	}
	l->cycle_ns = l->cycles ? sum / l->cycles : NAN;
}

static struct rank_line line_of(const struct maker *m, uint32_t r)
{
	const struct compared_run *run = m->runs[r];
	struct rank_line l = { .run = run->id,
		.rank = run->rank,
		.device = devices(run, m->a),
		.collective_ns = -1,
		.transfer_ns = -1,
		.waiting_ns = -1,
		.compute_ns = -1,
		.last_share = NAN,
		.late_ns = NAN };
	cycles(run, &l);
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

static struct collective_line together(struct maker *m,
	const struct rank_match *of)
{
	int64_t *total = arena_array(m->a, int64_t, m->n);
	struct collective_line l = { of->name, of->count, 0, total };
	for (uint32_t k = 0; k < of->count; k++)
		l.transfer_ns += of->least_ns[k];
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

static int by_transfer(const void *left, const void *right)
{
	const struct collective_line *a = left, *b = right;
	if (a->transfer_ns != b->transfer_ns)
		return a->transfer_ns > b->transfer_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int ascending(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

static double median(double *x, uint32_t n)
{
	qsort(x, n, sizeof *x, ascending);
	return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

/* Others wait for whom is late, so that he does not; where waiting is known. */
static bool waits_least(const struct rank_line *l, uint32_t n, uint32_t rank)
{
	uint32_t more = 0, known = 0;
	for (uint32_t r = 0; r < n; r++)
		if (r != rank && l[r].waiting_ns >= 0) {
			known++;
			more += l[r].waiting_ns >= l[rank].waiting_ns;
		}
	return l[rank].waiting_ns < 0 || 2 * more >= known;
}

/* Among ranks whose computing is known. */
static void stragglers(struct maker *m)
{
	struct rank_line *l = m->out->ranks;
	double *x = arena_array(m->a, double, (size_t)m->n + 1);
	uint32_t n = 0;
	for (uint32_t r = 0; r < m->n; r++)
		if (l[r].compute_ns >= 0)
			x[n++] = (double)l[r].compute_ns;
	if (n < 2)
		return;
	double middle = median(x, n);
	for (uint32_t i = 0; i < n; i++)
		x[i] = fabs(x[i] - middle);
	double mad = median(x, n);
	for (uint32_t r = 0; r < m->n; r++) {
		double more = (double)l[r].compute_ns - middle;
		l[r].straggler = more > 3 * mad && more > 0.02 * middle &&
				 waits_least(l, m->n, r);
	}
}

/* Runs whose rank another has too; they lie beside each other. */
static uint32_t twice(const struct rank_line *l, uint32_t n)
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
	struct maker m = { .n = n, .a = a, .out = out };
	assert(a->ceiling == 0);
	if (n == 0)
		return err_set(e, ERR_INPUT, "the job has no run");
	*out = (struct ranks){ .ranks_n = n };
	m.runs = arena_array(a, const struct compared_run *, (size_t)n + 1);
	out->ranks = arena_array(a, struct rank_line, (size_t)n + 1);
	for (uint32_t r = 0; r < n; r++)
		m.runs[r] = &runs[r];
	qsort(m.runs, n, sizeof *m.runs, by_rank);
	rank_match_from(m.runs, n, a, &m.all);
	for (uint32_t r = 0; r < n; r++)
		out->ranks[r] = line_of(&m, r);
	out->collectives =
		arena_array(a, struct collective_line, (size_t)m.all.n + 1);
	for (uint32_t i = 0; i < m.all.n; i++)
		out->collectives[out->collectives_n++] =
			together(&m, &m.all.list[i]);
	qsort(out->collectives, out->collectives_n, sizeof *out->collectives,
		by_transfer);
	out->unmatched = m.all.unmatched;
	out->rank_twice = twice(out->ranks, n);
	out->clocks_agree = rank_clock_from(m.runs, n, &m.all, out->ranks);
	stragglers(&m);
	return true;
}
