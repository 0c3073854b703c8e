/* launches.c - groups launches with their API calls and computes one line of
 * statistics per group. */
#include "launches.h"
#include "correlation.h"
#include "row_groups.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The key of a line. It is hashed as bytes, so it has no padding. */
struct launches_key {
	uint32_t thread, api, kernel;
	int32_t device;
};

/* Totals of launches overlap, so their sum may exceed the length of the trace.
 * A sum up to this value (36 years) fits in the arithmetic of stats.h. */
#define TOTAL_MAX_NS ((INT64_C(1) << 60) - 1)

struct launches_maker {
	const struct trace *t;
	struct profile *p;
	struct slice rows; /* kernels of the process */
	const uint32_t *kernel_of, *call_of;
	struct names apis; /* calls' names as they are shown */
	struct names keys; /* id = line + 1 */
	uint32_t *line_of; /* by row; CORRELATION_NONE: not in the table */
	uint32_t *line; /* lines of the measured launches, contiguous */
	int64_t *value;
	struct launch_stat *stats;
};

enum launches_measure { TOTAL, API_CALL, QUEUE, KERNEL_RUN };

/* One of the four times of a launch; negative if the launch does not have
 * it. */
static int64_t launches_measured(const struct launches_maker *m, uint32_t i,
	enum launches_measure what)
{
	const struct kernel_rows *k = &m->t->kernel;
	const struct call_rows *c = &m->t->call;
	uint32_t row = m->rows.from + i, call = m->call_of[i];
	int64_t returned = c->start_ns[call] + c->dur_ns[call];
	int64_t end = k->start_ns[row] + k->dur_ns[row];

	switch (what) {
	case TOTAL:
		return (end > returned ? end : returned) - c->start_ns[call];
	case API_CALL:
		return c->dur_ns[call];
	case QUEUE:
		return k->start_ns[row] - returned;
	default:
		return k->dur_ns[row];
	}
}

/* The id of a call's name without a suffix of `_v` and four digits. */
static uint32_t launches_api_id(struct launches_maker *m, uint32_t call)
{
	const struct name *n = &m->t->names.list[m->t->call.name[call]];
	uint32_t len = n->len;

	if (len >= 6 && !memcmp(n->text + len - 6, "_v", 2) &&
		strspn(n->text + len - 4, "0123456789") == 4)
		len -= 6;
	return names_put(&m->apis, n->text, len);
}

/* The line of a launch, plus one; NAMES_NONE if the arena is full. */
static uint32_t launches_line_id(struct launches_maker *m, uint32_t i)
{
	uint32_t call = m->call_of[i];
	struct launches_key k = { m->t->call.thread[call],
		launches_api_id(m, call), m->kernel_of[i],
		m->t->kernel.device[m->rows.from + i] };

	if (k.api == NAMES_NONE)
		return NAMES_NONE;
	return names_put(&m->keys, (const char *)&k, sizeof k);
}

static bool launches_lines(struct launches_maker *m)
{
	uint32_t n = m->rows.to - m->rows.from;
	int64_t left = TOTAL_MAX_NS, far = 0;

	for (uint32_t i = 0; i < n; i++) {
		m->line_of[i] = CORRELATION_NONE;
		if (m->call_of[i] == CORRELATION_NONE)
			continue;
		int64_t total_ns = launches_measured(m, i, TOTAL);
		if (total_ns > left) {
			far++;
			continue;
		}
		left -= total_ns;
		uint32_t id = launches_line_id(m, i);
		if (id == NAMES_NONE)
			return false;
		m->line_of[i] = id - 1;
	}
	if (far)
		note_add(&m->p->notes, NOTE_latency_far, far, NULL, 0);
	return true;
}

static struct spread *launches_spread_of(struct launch_stat *s,
	enum launches_measure what)
{
	switch (what) {
	case TOTAL:
		return &s->total;
	case API_CALL:
		return &s->api_call;
	case QUEUE:
		return &s->queue;
	default:
		return &s->kernel_run;
	}
}

/* Computes the statistics of one of the four times for every line. */
static bool launches_measure(struct launches_maker *m,
	enum launches_measure what)
{
	struct arena *a = m->p->arena;
	uint32_t n = 0, groups_n;
	struct row_group *groups;

	for (uint32_t i = 0; i < m->rows.to - m->rows.from; i++) {
		if (m->line_of[i] == CORRELATION_NONE)
			continue;
		m->value[n] = launches_measured(m, i, what);
		m->line[n] = m->line_of[i];
		n += m->value[n] >= 0;
	}
	if (!row_groups_from(a,
		    (struct row_group_key){ m->line, m->keys.n - 1 },
		    (struct row_group_key){ 0 }, m->value, n, &groups,
		    &groups_n, NULL))
		return false;
	for (uint32_t g = 0; g < groups_n; g++) {
		const struct time_stats *time = &groups[g].time;
		struct launch_stat *s = &m->stats[m->line[groups[g].row]];
		*launches_spread_of(s, what) =
			(struct spread){ time->avg_ns, time->med_ns,
				time->stddev_ns, time->min_ns, time->max_ns };
		*(what == QUEUE ? &s->queued : &s->instances) = time->instances;
	}
	arena_drop(a, groups);
	return true;
}

static bool launches_stats_init(struct launches_maker *m)
{
	struct arena *a = m->p->arena;
	uint32_t n = m->keys.n - 1;

	m->stats = arena_array(a, struct launch_stat, (size_t)n + 1);
	for (uint32_t i = 0; m->stats && i < n; i++) {
		struct launches_key k;
		memcpy(&k, names_text(&m->keys, i + 1), sizeof k);
		m->stats[i] = (struct launch_stat){
			.thread = names_text(&m->t->names, k.thread),
			.device = k.device,
			.api = names_text(&m->apis, k.api),
			.kernel = k.kernel,
			.queue = { NAN, NAN, NAN, -1, -1 },
		};
	}
	return m->stats;
}

static int launches_by_total(const void *left, const void *right, void *profile)
{
	const struct launch_stat *a = left, *b = right;
	const struct profile_kernel *kernels =
		((const struct profile *)profile)->kernels;
	int c = (a->total.avg_ns < b->total.avg_ns) -
		(a->total.avg_ns > b->total.avg_ns);

	if (!c)
		c = (a->instances > b->instances) -
		    (a->instances < b->instances);
	if (!c)
		c = strcmp(a->thread, b->thread);
	if (!c)
		c = strcmp(a->api, b->api);
	if (!c)
		c = strcmp(kernels[a->kernel].name, kernels[b->kernel].name);
	return c ? c : (a->device > b->device) - (a->device < b->device);
}

bool launches_from(const struct trace *t, const struct process *proc,
	const uint32_t *kernel_of, const uint32_t *call_of, struct profile *p)
{
	struct arena *a = p->arena;
	struct launches_maker m = { .t = t,
		.p = p,
		.rows = proc->kernel,
		.kernel_of = kernel_of,
		.call_of = call_of };
	size_t n = (size_t)(m.rows.to - m.rows.from) + 1;

	m.line_of = arena_grow(a, NULL, n * sizeof *m.line_of);
	m.line = arena_grow(a, NULL, n * sizeof *m.line);
	m.value = arena_grow(a, NULL, n * sizeof *m.value);
	bool ok = m.line_of && m.line && m.value && names_init(&m.apis, a) &&
		  names_init(&m.keys, a) && launches_lines(&m) &&
		  launches_stats_init(&m) && launches_measure(&m, TOTAL) &&
		  launches_measure(&m, API_CALL) &&
		  launches_measure(&m, QUEUE) &&
		  launches_measure(&m, KERNEL_RUN);
	if (ok) {
		p->launch_stats = m.stats;
		p->launch_stats_n = m.keys.n - 1;
		qsort_r(m.stats, p->launch_stats_n, sizeof *m.stats,
			launches_by_total, p);
	}
	arena_drop(a, m.line_of);
	arena_drop(a, m.line);
	arena_drop(a, m.value);
	return ok;
}
