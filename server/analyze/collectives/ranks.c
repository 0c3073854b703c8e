/* ranks.c - matches the collectives of a job's ranks; computes transfer time,
 * waiting time and stragglers. */
#include "ranks.h"
#include "catalog.h"
#include "collective.h"
#include "collective_pairs.h"
#include "names.h"
#include "sort.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Members of a pair. */

static int64_t ranks_start(const struct compared_run *const *runs,
	const struct pair_member *m)
{
	return pair_line(runs, m)->start_ns[m->call];
}

static int64_t ranks_dur(const struct compared_run *const *runs,
	const struct pair_member *m)
{
	return pair_line(runs, m)->dur_ns[m->call];
}

/* The shortest and the longest duration of a pair. */
static int64_t ranks_shortest(const struct compared_run *const *runs,
	const struct pair_member *m, uint32_t n, int64_t *longest)
{
	int64_t shortest = INT64_MAX;

	*longest = INT64_MIN;
	for (uint32_t i = 0; i < n; i++) {
		int64_t dur = ranks_dur(runs, &m[i]);
		shortest = dur < shortest ? dur : shortest;
		*longest = dur > *longest ? dur : *longest;
	}
	return shortest;
}

/* Arrival: start times of all runs on the clock of the first run. */

struct clocks {
	const struct compared_run *const *runs;
	const struct collective_pairs *pairs;
};

static int64_t ranks_clock_at(const struct clocks *c,
	const struct pair_member *m)
{
	return c->runs[m->run]->started_utc_ns - c->runs[0]->started_utc_ns +
	       ranks_start(c->runs, m);
}

/* The times at which the first and the last rank start a collective, and at
 * which the first rank ends it. */
static void ranks_clock_edges(const struct clocks *c,
	const struct collective_pair *p, int64_t *first, int64_t *last,
	int64_t *end)
{
	const struct pair_member *m = &c->pairs->members[p->first];

	*first = *end = INT64_MAX;
	*last = INT64_MIN;
	for (uint32_t i = 0; i < p->n; i++) {
		int64_t start = ranks_clock_at(c, &m[i]);
		int64_t ends = start + ranks_dur(c->runs, &m[i]);
		*first = start < *first ? start : *first;
		*last = start > *last ? start : *last;
		*end = ends < *end ? ends : *end;
	}
}

static bool ranks_clock_agree(const struct clocks *c)
{
	int64_t first, last, end, overlap = 0;

	for (uint32_t i = 0; i < c->pairs->n; i++) {
		ranks_clock_edges(c, &c->pairs->list[i], &first, &last, &end);
		overlap += last <= end;
	}
	return c->pairs->n > 0 && overlap * 10 >= (int64_t)c->pairs->n * 9;
}

/* Adds to `count` how many collectives a rank takes part in. */
static void ranks_clock_arrive(const struct clocks *c,
	const struct collective_pair *p, struct rank_line *lines,
	uint32_t *count)
{
	const struct pair_member *m = &c->pairs->members[p->first];
	int64_t first, last, end;
	uint32_t together = 0;

	ranks_clock_edges(c, p, &first, &last, &end);
	for (uint32_t i = 0; i < p->n; i++)
		together += ranks_clock_at(c, &m[i]) == last;
	for (uint32_t i = 0; i < p->n; i++) {
		struct rank_line *l = &lines[m[i].run];
		int64_t start = ranks_clock_at(c, &m[i]);
		if (!count[m[i].run]++)
			l->last_share = l->late_ns = 0;
		l->late_ns += (double)(start - first);
		if (start == last)
			l->last_share += 1.0 / together;
	}
}

/* Whether the clocks agree; if so, fills last_share and late_ns of the lines. */
static bool ranks_clock_from(const struct compared_run *const *runs, uint32_t n,
	const struct collective_pairs *pairs, struct arena *a,
	struct rank_line *lines)
{
	struct clocks c = { runs, pairs };
	uint32_t *count = arena_array(a, uint32_t, (size_t)n + 1);

	for (uint32_t r = 0; r < n; r++)
		if (runs[r]->started_utc_ns < 0)
			return false;
	if (n < 2 || !ranks_clock_agree(&c))
		return false;
	for (uint32_t i = 0; i < pairs->n; i++)
		ranks_clock_arrive(&c, &pairs->list[i], lines, count);
	for (uint32_t r = 0; r < n; r++) {
		lines[r].last_share /= count[r];
		lines[r].late_ns /= count[r];
	}
	return true;
}

/* Sums per rank and per collective, and stragglers. */

struct ranks_maker {
	const struct compared_run **runs; /* in the order of the lines */
	uint32_t n;
	uint32_t *hosts; /* by run: id of its host; 0 unknown */
	uint32_t *on_host; /* by id: 0, except while a line is counted */
	const struct catalog *catalog;
	struct arena *a;
	struct collective_pairs pairs;
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
		.late_ns = NAN,
		.matched_calls = -1,
		.last_calls = -1,
		.caused_ns = -1 };
	ranks_iteration_mean(run, &l);
	if (run->content != CONTENT_LAUNCHES &&
		run->content != CONTENT_DURATIONS)
		return l;
	l.collective_ns = 0;
	for (uint32_t i = 0; i < run->collectives.n; i++)
		for (uint32_t k = 0; k < run->collectives.rows[i].n; k++)
			l.collective_ns += run->collectives.rows[i].dur_ns[k];
	if (!run->notes.count[NOTE_collectives_only])
		l.compute_ns = run->kernel_ns + run->graph_ns - l.collective_ns;
	if (m->n > 1)
		l.transfer_ns = l.waiting_ns = l.matched_calls = l.last_calls =
			l.caused_ns = 0;
	return l;
}

/* Lines of collectives. */

/* Hashed as bytes, so it must contain no padding. */
struct ranks_line_key {
	int64_t elements, bytes;
	uint32_t group, kind, dtype, split;
};

/* Whether the ranks of one collective may have different sizes: only the root
 * has all of it, or each rank has its own. */
static bool ranks_sizes_free(enum collective_kind kind)
{
	return kind == COLLECTIVE_ALL_TO_ALL || kind == COLLECTIVE_GATHER ||
	       kind == COLLECTIVE_SCATTER || kind == COLLECTIVE_SEND ||
	       kind == COLLECTIVE_RECEIVE || kind == COLLECTIVE_SEND_RECEIVE ||
	       kind == COLLECTIVE_DISPATCH || kind == COLLECTIVE_COMBINE;
}

/* What the calls of a pair have in common. *differ: their sizes contradict each
 * other. */
static struct collective_call ranks_call_of(const struct ranks_maker *m,
	const struct collective_pair *p, bool *differ)
{
	const struct pair_member *at = &m->pairs.members[p->first];
	struct collective_call all = pair_line(m->runs, at)->call;

	*differ = false;
	for (uint32_t i = 1; i < p->n; i++) {
		const struct collective_call *is =
			&pair_line(m->runs, &at[i])->call;
		all.kind = all.kind ? all.kind : is->kind;
		if (all.dtype != is->dtype)
			all.dtype = DTYPE_UNKNOWN;
		if (all.split != is->split)
			all.split = COLLECTIVE_SPLIT_UNKNOWN;
		if (all.elements == is->elements && all.bytes == is->bytes)
			continue;
		*differ |= !ranks_sizes_free(all.kind) && all.elements >= 0 &&
			   is->elements >= 0;
		all.elements = all.bytes = -1;
	}
	return all;
}

static const char *ranks_bytes_reason(const struct ranks_maker *m,
	const struct collective_call *is, const struct collective_pair *p,
	bool many)
{
	const struct pair_member *at = &m->pairs.members[p->first];

	if (is->bytes >= 0)
		return NULL;
	if (many)
		return "the job has collectives of too many sizes";
	for (uint32_t i = 1; i < p->n; i++)
		if (pair_line(m->runs, &at[i])->call.elements !=
			pair_line(m->runs, at)->call.elements)
			return "its size differs between its ranks";
	return collective_bytes_reason(is);
}

/* A line before the selection of those that are listed. */
struct ranks_key_line {
	uint32_t pair; /* the first */
	uint32_t id; /* in the order of the first pairs */
	bool many; /* without a size, because the job has too many */
	int64_t transfer_ns;
	struct collective_line *line; /* NULL: left out */
};

/* The id of a pair's line. */
static uint32_t ranks_key(struct ranks_maker *m, uint32_t pair,
	struct names *keys, struct ranks_key_line *lines)
{
	const struct collective_pair *p = &m->pairs.list[pair];
	bool differ, many = false;
	struct collective_call is = ranks_call_of(m, p, &differ);
	struct ranks_line_key key = { is.elements, is.bytes, p->group, is.kind,
		is.dtype, is.split };
	uint32_t before = keys->n;

	m->out->sizes_differ += differ;
	if (keys->n > RANKS_SIZES_MAX && is.elements >= 0 &&
		names_find(keys, (const char *)&key, sizeof key) ==
			NAMES_NONE) {
		key.elements = key.bytes = -1;
		many = true;
	}
	uint32_t id = names_put(keys, (const char *)&key, sizeof key) - 1;
	if (keys->n > before)
		lines[id] = (struct ranks_key_line){ .pair = pair,
			.id = id,
			.many = many };
	return id;
}

static void ranks_line_add(struct ranks_maker *m, struct ranks_key_line *of)
{
	const struct collective_pair *p = &m->pairs.list[of->pair];
	const struct pair_group *g = &m->pairs.groups[p->group];
	const struct pair_member *at = &m->pairs.members[p->first];
	struct collective_line *l =
		&m->out->collectives[m->out->collectives_n++];
	bool differ;
	struct collective_call is = ranks_call_of(m, p, &differ);

	if (of->many)
		is.elements = is.bytes = -1;
	*l = (struct collective_line){ .name = pair_line(m->runs, at)->name,
		.group = g,
		.call = is,
		.reason = ranks_bytes_reason(m, &is, p, of->many),
		.runs = arena_array(m->a, uint32_t, p->n),
		.runs_n = p->n,
		.total_ns = arena_array(m->a, int64_t, m->n),
		.last_calls = arena_array(m->a, int64_t, m->n),
		.caused_ns = arena_array(m->a, int64_t, m->n) };
	l->call.group_size = g->size >= 0 ? g->size : is.group_size;
	for (uint32_t i = 0; i < p->n; i++)
		l->runs[i] = at[i].run;
	of->line = l;
}

static int ranks_by_key_transfer(const void *left, const void *right)
{
	const struct ranks_key_line *a = left, *b = right;

	if (a->transfer_ns != b->transfer_ns)
		return a->transfer_ns > b->transfer_ns ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Makes the lines that are listed. Returns them by id. */
static struct collective_line **ranks_lines_select(struct ranks_maker *m,
	struct ranks_key_line *lines, uint32_t n)
{
	struct collective_line **of =
		arena_array(m->a, struct collective_line *, (size_t)n + 1);
	uint32_t listed = n < RANKS_LINES_MAX ? n : RANKS_LINES_MAX;

	if (n)
		qsort(lines, n, sizeof *lines, ranks_by_key_transfer);
	m->out->collectives =
		arena_array(m->a, struct collective_line, (size_t)listed + 1);
	m->out->collectives_left_out = n - listed;
	for (uint32_t i = 0; i < listed; i++) {
		ranks_line_add(m, &lines[i]);
		of[lines[i].id] = lines[i].line;
	}
	return of;
}

/* Adds a pair to its line, if it is listed, and to the lines of its ranks. */
static void ranks_pair_add(struct ranks_maker *m,
	const struct collective_pair *p, struct collective_line *l)
{
	const struct pair_member *at = &m->pairs.members[p->first];
	int64_t longest, shortest = ranks_shortest(m->runs, at, p->n, &longest);
	uint32_t last = UINT32_MAX, together = 0;

	if (l) {
		l->count++;
		l->transfer_ns += shortest;
		l->skew_ns += (double)(longest - shortest);
	}
	for (uint32_t i = 0; i < p->n; i++) {
		int64_t dur = ranks_dur(m->runs, &at[i]);
		if (l)
			l->total_ns[at[i].run] += dur;
		if (dur == shortest) {
			last = at[i].run;
			together++;
		}
		if (m->n > 1) {
			struct rank_line *to = &m->out->ranks[at[i].run];
			to->transfer_ns += shortest;
			to->waiting_ns += dur - shortest;
			to->matched_calls++;
		}
	}
	if (together == 1 && m->n > 1) {
		if (l) {
			l->last_calls[last]++;
			l->caused_ns[last] += longest - shortest;
		}
		m->out->ranks[last].last_calls++;
		m->out->ranks[last].caused_ns += longest - shortest;
	}
}

/* The link between the ranks of a line. */

/* The platform that all devices of the line's ranks have; NULL if one is
 * unknown, or if they differ. */
static const struct platform *ranks_platform(const struct ranks_maker *m,
	const struct collective_line *l)
{
	const struct platform *all = NULL;

	for (uint32_t i = 0; i < l->runs_n; i++) {
		const struct compared_run *run = m->runs[l->runs[i]];
		for (uint32_t k = 0; k < run->device_names_n; k++) {
			const char *name = run->device_names[k];
			const struct platform *is =
				name ? catalog_device(m->catalog, name) : NULL;
			if (!is || (all && all != is))
				return NULL;
			all = is;
		}
		if (!run->device_names_n)
			return NULL;
	}
	return all;
}

/* Numbers the hosts of the runs. */
static void ranks_hosts_number(struct ranks_maker *m)
{
	struct names keys;

	names_init(&keys, m->a);
	m->hosts = arena_array(m->a, uint32_t, (size_t)m->n + 1);
	m->on_host = arena_array(m->a, uint32_t, (size_t)m->n + 2);
	for (uint32_t r = 0; r < m->n; r++) {
		const char *host = m->runs[r]->host;
		if (host)
			m->hosts[r] = names_put(&keys, host, strlen(host));
	}
}

/* On how many hosts the ranks of the line are; 0 if it is unknown, or if they are
 * unequally many on each, with *why. */
static uint32_t ranks_hosts(const struct ranks_maker *m,
	const struct collective_line *l, const char **why)
{
	uint32_t hosts = 0, each;
	bool even = true;

	*why = "the host of a rank is unknown";
	for (uint32_t i = 0; i < l->runs_n; i++)
		if (!m->hosts[l->runs[i]])
			return 0;
	for (uint32_t i = 0; i < l->runs_n; i++)
		hosts += !m->on_host[m->hosts[l->runs[i]]]++;
	each = hosts ? l->runs_n / hosts : 0;
	for (uint32_t i = 0; i < l->runs_n; i++)
		even &= m->on_host[m->hosts[l->runs[i]]] == each;
	for (uint32_t i = 0; i < l->runs_n; i++)
		m->on_host[m->hosts[l->runs[i]]] = 0;
	*why = even ? NULL
		    : "its group has more ranks on one node than on another";
	return even ? hosts : 0;
}

/* The peak of the link between the ranks of a line, whose hosts are known. */
static void ranks_link_peak(const struct ranks_maker *m,
	struct collective_line *l, const struct platform *p, uint32_t hosts)
{
	struct link_use use = { .kind = l->call.kind,
		.bytes = l->call.bytes,
		.ranks = l->call.group_size,
		.nodes = hosts };
	double peak;

	l->between_nodes = hosts > 1;
	if (hosts > 1 && p->link_across_hosts) {
		l->link_reason = arena_printf(m->a,
			"%s links devices of several hosts, and whether its "
			"ranks are linked is unknown",
			p->name);
		return;
	}
	l->link_reason =
		link_fault_text(link_peak(p, &use, &peak), p, &use, m->a);
	l->link_gb_s = peak / 1e9;
}

static void ranks_link(const struct ranks_maker *m, struct collective_line *l)
{
	const struct platform *p = ranks_platform(m, l);
	uint32_t hosts = 0;

	l->link_gb_s = NAN;
	if (l->call.group_size < 0)
		l->link_reason = "its process group is unknown";
	else if (l->call.group_size != (int64_t)l->runs_n)
		l->link_reason = "ranks of its group are missing";
	else
		hosts = ranks_hosts(m, l, &l->link_reason);
	if (hosts && !p)
		l->link_reason =
			"its ranks have no common platform in the catalog";
	else if (hosts)
		ranks_link_peak(m, l, p, hosts);
}

static void ranks_line_end(const struct ranks_maker *m,
	struct collective_line *l)
{
	l->upper_bound = l->call.group_size > (int64_t)l->runs_n;
	l->busbw_gb_s = l->reason ? (double)NAN
				  : collective_busbw_gb_s(&l->call, l->count,
					    l->transfer_ns);
	ranks_link(m, l);
	l->skew_ns = m->n > 1 ? l->skew_ns / l->count : (double)NAN;
	if (m->n == 1)
		l->transfer_ns = -1;
}

static void ranks_lines(struct ranks_maker *m)
{
	const size_t n = m->pairs.n;
	struct ranks_key_line *lines =
		arena_array(m->a, struct ranks_key_line, n + 1);
	uint32_t *id = arena_array(m->a, uint32_t, n + 1);
	struct names keys;

	names_init(&keys, m->a);
	uint32_t before = keys.n;
	for (uint32_t i = 0; i < n; i++) {
		const struct collective_pair *p = &m->pairs.list[i];
		int64_t longest;
		id[i] = ranks_key(m, i, &keys, lines);
		lines[id[i]].transfer_ns += ranks_shortest(m->runs,
			&m->pairs.members[p->first], p->n, &longest);
	}
	struct collective_line **of =
		ranks_lines_select(m, lines, keys.n - before);
	for (uint32_t i = 0; i < n; i++)
		ranks_pair_add(m, &m->pairs.list[i], of[id[i]]);
	for (uint32_t i = 0; i < m->out->collectives_n; i++)
		ranks_line_end(m, &m->out->collectives[i]);
	for (uint32_t r = 0; r < m->n; r++) {
		struct rank_line *l = &m->out->ranks[r];
		if (l->collective_ns > 0 && l->matched_calls == 0)
			l->transfer_ns = l->waiting_ns = -1;
	}
}

static int ranks_by_transfer(const void *left, const void *right)
{
	const struct collective_line *a = left, *b = right;
	if (a->transfer_ns != b->transfer_ns)
		return a->transfer_ns > b->transfer_ns ? -1 : 1;
	if (a->call.bytes != b->call.bytes)
		return a->call.bytes > b->call.bytes ? -1 : 1;
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

bool ranks_from(const struct compared_run *runs, uint32_t n,
	const struct catalog *catalog, struct arena *a, struct ranks *out,
	struct err *e)
{
	struct ranks_maker m = { .n = n,
		.catalog = catalog,
		.a = a,
		.out = out };
	assert(a->ceiling == 0);
	if (n == 0)
		return err_set(e, ERR_INPUT, "the job has no run");
	*out = (struct ranks){ .ranks_n = n };
	m.runs = arena_array(a, const struct compared_run *, (size_t)n + 1);
	out->ranks = arena_array(a, struct rank_line, (size_t)n + 1);
	for (uint32_t r = 0; r < n; r++)
		m.runs[r] = &runs[r];
	qsort(m.runs, n, sizeof *m.runs, ranks_by_rank);
	ranks_hosts_number(&m);
	collective_pairs_from(m.runs, n, a, &m.pairs);
	for (uint32_t r = 0; r < n; r++)
		out->ranks[r] = ranks_line_of(&m, r);
	ranks_lines(&m);
	qsort(out->collectives, out->collectives_n, sizeof *out->collectives,
		ranks_by_transfer);
	out->pairs = m.pairs;
	out->runs = m.runs;
	out->rank_twice = ranks_twice(out->ranks, n);
	out->clocks_agree =
		ranks_clock_from(m.runs, n, &m.pairs, a, out->ranks);
	ranks_stragglers(&m);
	return true;
}

static void ranks_bus_of_run(const struct compared_run *run,
	struct bus_sum *out)
{
	struct bus_sum sums[COLLECTIVE_KINDS];

	collective_bus_sums(&run->collectives, sums);
	for (int k = 0; k < COLLECTIVE_KINDS; k++) {
		if (collective_is_p2p((enum collective_kind)k))
			continue;
		out->bytes += sums[k].bytes;
		out->calls += sums[k].calls;
		out->total_ns += sums[k].total_ns;
	}
}

void ranks_bus_sum(const struct compared_run *const *runs, uint32_t n,
	struct arena *a, struct bus_sum *out)
{
	struct ranks_maker m = { .n = n, .a = a };

	assert(a->ceiling == 0);
	*out = (struct bus_sum){ 0 };
	if (n == 1) {
		ranks_bus_of_run(runs[0], out);
		return;
	}
	m.runs = arena_array(a, const struct compared_run *, (size_t)n + 1);
	for (uint32_t r = 0; r < n; r++)
		m.runs[r] = runs[r];
	if (n)
		qsort(m.runs, n, sizeof *m.runs, ranks_by_rank);
	collective_pairs_from(m.runs, n, a, &m.pairs);
	for (uint32_t i = 0; i < m.pairs.n; i++) {
		const struct collective_pair *p = &m.pairs.list[i];
		bool differ;
		struct collective_call is = ranks_call_of(&m, p, &differ);
		int64_t longest;
		if (m.pairs.groups[p->group].size >= 0)
			is.group_size = m.pairs.groups[p->group].size;
		double bytes = collective_bus_bytes(&is);
		if (isnan(bytes) || collective_is_p2p(is.kind))
			continue;
		out->bytes += bytes;
		out->calls++;
		out->total_ns += ranks_shortest(m.runs,
			&m.pairs.members[p->first], p->n, &longest);
	}
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

/* The spans in which each run waits in its collectives; those that overlap are
 * merged. */
struct waits {
	struct wait *list;
	uint32_t n;
};

static void ranks_waits_merge(struct waits *w)
{
	uint32_t merged = 0;

	if (w->n)
		qsort(w->list, w->n, sizeof *w->list, ranks_wait_by_start);
	for (uint32_t i = 0; i < w->n; i++) {
		struct wait *last = merged ? &w->list[merged - 1] : NULL;
		if (!last || w->list[i].start_ns > last->end_ns)
			w->list[merged++] = w->list[i];
		else if (w->list[i].end_ns > last->end_ns)
			last->end_ns = w->list[i].end_ns;
	}
	w->n = merged;
}

static struct waits *ranks_waits(const struct compared_run *const *runs,
	uint32_t n, const struct collective_pairs *pairs, struct arena *a)
{
	struct waits *waits = arena_array(a, struct waits, (size_t)n + 1);

	for (uint32_t i = 0; i < pairs->n; i++)
		for (uint32_t k = 0; k < pairs->list[i].n; k++)
			waits[pairs->members[pairs->list[i].first + k].run].n++;
	for (uint32_t r = 0; r < n; r++) {
		waits[r].list =
			arena_array(a, struct wait, (size_t)waits[r].n + 1);
		waits[r].n = 0;
	}
	for (uint32_t i = 0; i < pairs->n; i++) {
		const struct collective_pair *p = &pairs->list[i];
		const struct pair_member *m = &pairs->members[p->first];
		int64_t longest,
			shortest = ranks_shortest(runs, m, p->n, &longest);
		for (uint32_t k = 0; k < p->n; k++) {
			struct waits *w = &waits[m[k].run];
			int64_t start = ranks_start(runs, &m[k]);
			w->list[w->n++] = (struct wait){ start,
				start + ranks_dur(runs, &m[k]) - shortest };
		}
	}
	for (uint32_t r = 0; r < n; r++)
		ranks_waits_merge(&waits[r]);
	return waits;
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
	struct collective_pairs pairs;

	assert(a->ceiling == 0);
	if (n == 0)
		return err_set(e, ERR_INPUT, "the job has no run");
	for (uint32_t r = 0; r < n; r++)
		list[r] = &runs[r];
	qsort(list, n, sizeof *list, ranks_by_rank);
	collective_pairs_from(list, n, a, &pairs);
	const struct waits *waits = ranks_waits(list, n, &pairs, a);
	for (uint32_t r = 0; r < n; r++) {
		const struct iterations *c = &list[r]->iterations;
		bool known = list[r]->collectives.n == 0 ||
			     (n > 1 && waits[r].n > 0);
		double *to = arena_array(a, double, (size_t)c->n + 1);
		uint32_t at = 0;
		for (uint32_t i = 0; i < c->n; i++)
			to[i] = known ? ranks_wait_inside(&c->iterations[i],
						waits[r].list, waits[r].n, &at)
				      : NAN;
		waiting[list[r] - runs] = to;
	}
	return true;
}
