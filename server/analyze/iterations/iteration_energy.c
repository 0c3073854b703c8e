/* iteration_energy.c - integrates the power of devices over kept iterations, and
 * divides it between operators. */
#include "iteration_energy.h"
#include "attribution.h"
#include "iteration_parts.h"
#include "order_stat.h"
#include "serving_rates.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In the order in which they are preferred. */
static const struct energy_counter {
	const char *name;
	bool mean; /* since the sample before; else a reading */
	double gap; /* limit, in median distances */
	int64_t averaged_ns; /* the driver's averaging time */
} energy_counters[] = {
	{ "gpu_power_mean", true, 1.5, 0 },
	{ "gpu_power", false, 2.5, INT64_C(1000000000) },
	{ "device_power", false, 2.5, INT64_C(1000000000) },
};
enum { COUNTERS = sizeof energy_counters / sizeof *energy_counters };

struct energy_sample {
	int64_t at_ns;
	double watts; /* NaN: the value can be no power */
};

/* The samples of one counter of a device. */
struct energy_series {
	const struct energy_counter *of;
	struct energy_sample *rows; /* in order of time */
	uint32_t n, ignored;
	int64_t interval_ns; /* the median distance; 0: less than two samples */
};

/* Launches of one kind by device. Those of device d are row[from[d]] to
 * row[from[d + 1] - 1], by their starts. */
struct energy_group {
	uint32_t *row; /* in the process */
	uint32_t *from;
};

struct energy_maker {
	const struct attribution *at;
	const struct trace *t;
	const struct process *proc;
	struct profile *p;
	int64_t base_ns; /* of the times of iterations */
	uint32_t names[COUNTERS]; /* 0: not in the trace */
	struct energy_series *series; /* by device, then by counter */
	struct energy_sample *samples;
	double *distances; /* room for those of all samples */
	const struct energy_series **chosen; /* of devices; NULL: none */
	uint32_t *row_of; /* by number of a shape: its operator's row */
	struct energy_group
		group[ENERGY_LAUNCHES]; /* empty until it is needed */
};

/* Consecutive kept iterations that are covered. */
struct energy_stretch {
	uint32_t first, n;
	int64_t from_ns, to_ns;
};

struct energy_window {
	double energy_j, low_j, high_j;
};

/* ---- samples */

static int energy_by_number(const void *key, const void *device)
{
	const int32_t *a = key;
	const struct profile_device *b = device;
	return (*a > b->number) - (*a < b->number);
}

/* The index of a device; the number of devices if there is none. */
static uint32_t energy_device_of(const struct energy_maker *m, int32_t number)
{
	const struct profile *p = m->p;
	const struct profile_device *d = bsearch(&number, p->devices,
		p->devices_n, sizeof *p->devices, energy_by_number);
	return d ? (uint32_t)(d - p->devices) : p->devices_n;
}

/* The series of a sample; NULL if it is of another counter or device. */
static struct energy_series *energy_series_of(const struct energy_maker *m,
	uint32_t i)
{
	const struct counter_rows *c = &m->t->counter;
	int k = 0;

	while (k < COUNTERS && (!c->name[i] || m->names[k] != c->name[i]))
		k++;
	if (k == COUNTERS)
		return NULL;
	uint32_t d = energy_device_of(m, c->device[i]);
	return d < m->p->devices_n
		       ? &m->series[(size_t)d * COUNTERS + (size_t)k]
		       : NULL;
}

static void energy_count(struct energy_maker *m, size_t *all)
{
	for (uint32_t i = m->proc->counter.from; i < m->proc->counter.to; i++) {
		struct energy_series *s = energy_series_of(m, i);
		if (s) {
			s->n++;
			++*all;
		}
	}
}

static void energy_place(struct energy_maker *m)
{
	const struct counter_rows *c = &m->t->counter;
	struct energy_sample *to = m->samples;

	for (size_t i = 0; i < (size_t)m->p->devices_n * COUNTERS; i++) {
		struct energy_series *s = &m->series[i];
		s->of = &energy_counters[i % COUNTERS];
		s->rows = to;
		to += s->n;
		s->n = 0;
	}
	for (uint32_t i = m->proc->counter.from; i < m->proc->counter.to; i++) {
		struct energy_series *s = energy_series_of(m, i);
		double w = c->value[i];
		if (!s)
			continue;
		bool usable = w >= 0 && w <= ENERGY_WATTS_MAX;
		s->ignored += !usable;
		s->rows[s->n++] = (struct energy_sample){ c->start_ns[i],
			usable ? w : (double)NAN };
	}
}

/* Requires the samples. */
static void energy_measure(struct energy_maker *m, struct energy_series *s)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < s->n; i++)
		if (s->rows[i].at_ns > s->rows[i - 1].at_ns)
			m->distances[n++] = (double)(s->rows[i].at_ns -
						     s->rows[i - 1].at_ns);
	if (n)
		s->interval_ns = (int64_t)order_stat_median(m->distances, n);
}

/* ---- covered time. Interval k of a series is from sample k - 1 to sample k. */

static bool energy_is_gap(const struct energy_series *s, uint32_t k)
{
	double ns = (double)(s->rows[k].at_ns - s->rows[k - 1].at_ns);

	return ns > s->of->gap * (double)s->interval_ns;
}

static bool energy_known(const struct energy_series *s, uint32_t k)
{
	return !energy_is_gap(s, k) && !isnan(s->rows[k].watts) &&
	       (s->of->mean || !isnan(s->rows[k - 1].watts));
}

/* The first sample after a moment; n if there is none. */
static uint32_t energy_after(const struct energy_series *s, int64_t at_ns)
{
	uint32_t low = 0, high = s->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (s->rows[middle].at_ns > at_ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static bool energy_covers(const struct energy_series *s, int64_t from_ns,
	int64_t to_ns)
{
	uint32_t k = energy_after(s, from_ns);

	if (from_ns >= to_ns)
		return true;
	if (k == 0)
		return false;
	for (; k < s->n && energy_known(s, k); k++)
		if (s->rows[k].at_ns >= to_ns)
			return true;
	return false;
}

static bool energy_all_cover(const struct energy_series *const *s, uint32_t n,
	int64_t from_ns, int64_t to_ns)
{
	bool ok = true;

	for (uint32_t i = 0; ok && i < n; i++)
		ok = !s[i] || energy_covers(s[i], from_ns, to_ns);
	return ok;
}

static bool energy_iteration(const struct energy_maker *m, uint32_t i,
	int64_t *from_ns, int64_t *to_ns)
{
	const struct iteration *c = &m->p->iterations.iterations[i];

	*from_ns = m->base_ns + c->start_ns;
	*to_ns = *from_ns + c->dur_ns;
	return c->use == ITERATION_KEPT && c->start_ns >= 0 && c->dur_ns > 0;
}

/* The covered stretch with the most time. */
static struct energy_stretch energy_stretch_from(const struct energy_maker *m,
	const struct energy_series *const *s, uint32_t n)
{
	struct energy_stretch best = { 0 }, now = { 0 };
	int64_t from_ns, to_ns;

	for (uint32_t i = 0; i < m->p->iterations.n; i++) {
		if (!energy_iteration(m, i, &from_ns, &to_ns) ||
			!energy_all_cover(s, n, from_ns, to_ns)) {
			now.n = 0;
			continue;
		}
		if (!now.n || !energy_all_cover(s, n, now.to_ns, from_ns))
			now = (struct energy_stretch){ i, 0, from_ns, to_ns };
		now.n++;
		now.to_ns = to_ns;
		if (now.to_ns - now.from_ns > best.to_ns - best.from_ns)
			best = now;
	}
	return best;
}

static int64_t energy_resolution(const struct energy_series *s)
{
	return s->interval_ns > s->of->averaged_ns ? s->interval_ns
						   : s->of->averaged_ns;
}

static bool energy_suffices(const struct energy_series *s,
	const struct energy_stretch *w)
{
	return w->n &&
	       (w->to_ns - w->from_ns) / ENERGY_SPAN >= energy_resolution(s);
}

/* ---- integrals */

static double energy_joules(double watts, int64_t ns)
{
	return watts * (double)ns / 1e9;
}

static void energy_add_mean(const struct energy_series *s, uint32_t k,
	int64_t from_ns, int64_t to_ns, struct energy_window *w)
{
	int64_t begin_ns = s->rows[k - 1].at_ns, end_ns = s->rows[k].at_ns;
	double watts = s->rows[k].watts;
	double whole = energy_joules(watts, end_ns - begin_ns);

	if (begin_ns >= from_ns && end_ns <= to_ns) {
		w->energy_j += whole;
		w->low_j += whole;
	} else {
		int64_t a = begin_ns > from_ns ? begin_ns : from_ns;
		int64_t b = end_ns < to_ns ? end_ns : to_ns;
		w->energy_j += energy_joules(watts, b - a);
	}
	w->high_j += whole;
}

/* The power that is read at a moment in interval k. */
static double energy_watts(const struct energy_series *s, uint32_t k,
	int64_t at_ns)
{
	const struct energy_sample *a = &s->rows[k - 1], *b = &s->rows[k];
	double part =
		(double)(at_ns - a->at_ns) / (double)(b->at_ns - a->at_ns);

	return a->watts + part * (b->watts - a->watts);
}

struct energy_readings {
	double n, sum, squares, max; /* of those in the window */
};

static void energy_add_reading(const struct energy_series *s, uint32_t k,
	int64_t from_ns, int64_t to_ns, struct energy_readings *r, double *j)
{
	int64_t a = s->rows[k - 1].at_ns, b = s->rows[k].at_ns;

	a = a > from_ns ? a : from_ns;
	b = b < to_ns ? b : to_ns;
	double first = energy_watts(s, k, a), last = energy_watts(s, k, b);
	*j += energy_joules((first + last) / 2, b - a);
	r->max = fmax(r->max, fmax(first, last));
	if (s->rows[k].at_ns <= to_ns) {
		double w = s->rows[k].watts;
		r->n++;
		r->sum += w;
		r->squares += w * w;
	}
}

/* 1.96 standard errors of the mean reading; 0 for fewer than two readings. */
static double energy_readings_error(const struct energy_readings *r)
{
	double variance;

	if (r->n < 2)
		return 0;
	variance = (r->squares - r->sum * r->sum / r->n) / (r->n - 1);
	return variance > 0 ? 1.96 * sqrt(variance / r->n) : 0;
}

/* Requires that the window is covered. */
static struct energy_window energy_window_from(const struct energy_series *s,
	int64_t from_ns, int64_t to_ns)
{
	struct energy_readings r = { 0 };
	struct energy_window w = { 0 };

	for (uint32_t k = energy_after(s, from_ns);
		k < s->n && s->rows[k - 1].at_ns < to_ns; k++) {
		if (s->rows[k].at_ns == s->rows[k - 1].at_ns)
			continue;
		if (s->of->mean)
			energy_add_mean(s, k, from_ns, to_ns, &w);
		else
			energy_add_reading(s, k, from_ns, to_ns, &r,
				&w.energy_j);
	}
	if (!s->of->mean) {
		double shifted = energy_joules(r.max, energy_resolution(s)) / 2;
		double sampled = energy_joules(energy_readings_error(&r),
			to_ns - from_ns);
		w.low_j = fmax(0, w.energy_j - fmax(shifted, sampled));
		w.high_j = w.energy_j + fmax(shifted, sampled);
	}
	return w;
}

/* ---- operators */

/* What is fitted for one device. */
struct energy_operators {
	const struct energy_maker *m;
	const struct energy_series *s;
	struct device_energy *d;
	struct energy_stretch span; /* of the device's energy */
	int64_t *from_ns, *to_ns; /* by window */
	double *energy_j;
	uint32_t windows;
	int64_t *row_ns; /* by row of the operators: time on this device */
	uint8_t *row_cause; /* by row */
	struct energy_own {
		const uint32_t *row; /* in the process */
		int64_t *start_ns, *dur_ns;
		uint8_t *cause;
		uint32_t n;
	} own[ENERGY_LAUNCHES]; /* launches of this device */
	uint32_t causes; /* idle power, operators, and last the rest */
};

static int64_t energy_window_min(const struct energy_series *s)
{
	return ENERGY_SPAN * energy_resolution(s);
}

/* Each window ends at the first sample at which it is long enough. False if the
 * arena is full. */
static bool energy_operators_windows(struct energy_operators *o)
{
	const struct energy_series *s = o->s;
	struct arena *a = o->m->p->arena;
	uint32_t first = 0;

	o->from_ns = arena_grow(a, NULL, s->n * sizeof *o->from_ns);
	o->to_ns = arena_grow(a, NULL, s->n * sizeof *o->to_ns);
	o->energy_j = arena_grow(a, NULL, s->n * sizeof *o->energy_j);
	if (!o->from_ns || !o->to_ns || !o->energy_j)
		return false;
	for (uint32_t k = 1; k < s->n; k++) {
		int64_t from_ns = s->rows[first].at_ns,
			to_ns = s->rows[k].at_ns;
		if (!energy_known(s, k)) {
			first = k;
			continue;
		}
		if (to_ns - from_ns < energy_window_min(s))
			continue;
		o->from_ns[o->windows] = from_ns;
		o->to_ns[o->windows] = to_ns;
		o->energy_j[o->windows++] =
			energy_window_from(s, from_ns, to_ns).energy_j;
		first = k;
	}
	return true;
}

/* The row of the operator that a kernel executes; NULL if it is not known. */
static const struct operator_stat *energy_operator_of(const struct energy_maker
							      *m,
	uint32_t kernel)
{
	const struct operators *all = &m->p->operators;
	uint32_t row = m->row_of[m->at->shape_of[kernel]];

	return all->rows[row].name ? &all->rows[row] : NULL;
}

/* Adds up the time of the device's kernels by operator; returns the time of all. */
static int64_t energy_operators_times(struct energy_operators *o)
{
	int64_t all_ns = 0;

	for (uint32_t i = 0; i < o->own[0].n; i++) {
		int64_t dur_ns = o->own[0].dur_ns[i];
		const struct operator_stat *is =
			energy_operator_of(o->m, o->own[0].row[i]);
		all_ns += dur_ns;
		if (is)
			o->row_ns[is - o->m->p->operators.rows] += dur_ns;
	}
	return all_ns;
}

/* Makes the operators with most time causes of their own. */
static void energy_operators_choose(struct energy_operators *o, int64_t all_ns)
{
	uint32_t room = o->windows / ENERGY_FIT_PER_CAUSE;
	const struct operators *all = &o->m->p->operators;
	struct device_energy *d = o->d;

	room = room < ENERGY_FIT_CAUSES ? room : ENERGY_FIT_CAUSES;
	while (d->operators_n + 2 < room) {
		uint32_t best = 0;
		for (uint32_t i = 1; i < all->n; i++)
			if (!o->row_cause[i] &&
				(o->row_cause[best] ||
					o->row_ns[i] > o->row_ns[best]))
				best = i;
		if (o->row_cause[best] || !o->row_ns[best] ||
			(double)o->row_ns[best] <
				ENERGY_OPERATOR_MIN * (double)all_ns)
			break;
		const struct operator_stat *is = &all->rows[best];
		d->operators[d->operators_n++] =
			(struct operator_energy){ .operator_ = best,
				.name = is->name,
				.dtype = is->dtype,
				.phase = is->phase,
				.energy_j = NAN,
				.low_j = NAN,
				.high_j = NAN };
		o->row_cause[best] = (uint8_t)d->operators_n;
	}
	o->causes = d->operators_n + 2;
}

/* Gives each launch of the device its cause. */
static void energy_operators_causes(struct energy_operators *o)
{
	const struct energy_own *kernels = &o->own[0];
	uint8_t rest = (uint8_t)(o->causes - 1);

	for (int k = 0; k < ENERGY_LAUNCHES; k++)
		memset(o->own[k].cause, rest, o->own[k].n);
	for (uint32_t i = 0; i < kernels->n; i++) {
		const struct operator_stat *is =
			energy_operator_of(o->m, kernels->row[i]);
		uint8_t cause =
			is ? o->row_cause[is - o->m->p->operators.rows] : 0;
		if (cause)
			kernels->cause[i] = cause;
	}
}

/* The time of each operator in the span of the device's energy. */
static void energy_operators_span(struct energy_operators *o)
{
	const struct energy_own *kernels = &o->own[0];

	for (uint32_t i = 0; i < kernels->n; i++) {
		uint8_t cause = kernels->cause[i];
		int64_t from = kernels->start_ns[i],
			to = from + kernels->dur_ns[i];
		from = from > o->span.from_ns ? from : o->span.from_ns;
		to = to < o->span.to_ns ? to : o->span.to_ns;
		if (cause < o->causes - 1 && from < to)
			o->d->operators[cause - 1].time_ns += to - from;
	}
}

static void energy_operators_fill(struct energy_operators *o,
	const struct energy_share *is)
{
	struct device_energy *d = o->d;

	if (is[0].state == ENERGY_SHARE_KNOWN) {
		d->idle_w = is[0].watts;
		d->idle_low_w = is[0].low_w;
		d->idle_high_w = is[0].high_w;
	}
	for (uint32_t i = 0; i < d->operators_n; i++) {
		struct operator_energy *e = &d->operators[i];
		const struct energy_share *s = &is[i + 1];
		if (s->state == ENERGY_SHARE_KNOWN) {
			e->energy_j = energy_joules(s->watts, e->time_ns);
			e->low_j = energy_joules(s->low_w, e->time_ns);
			e->high_j = energy_joules(s->high_w, e->time_ns);
		} else {
			e->why = s->state == ENERGY_SHARE_WIDE
					 ? "its interval is wider than its "
					   "energy"
					 : "its time changes together with "
					   "that of other operators, or with "
					   "idle time";
		}
	}
}

/* Fits the device's windows. False if the arena is full. */
static bool energy_operators_fit(struct energy_operators *o)
{
	struct energy_share is[ENERGY_FIT_CAUSES];
	struct energy_windows w = { .from_ns = o->from_ns,
		.to_ns = o->to_ns,
		.energy_j = o->energy_j,
		.n = o->windows,
		.causes = o->causes,
		.delay_max_ns = energy_window_min(o->s) };

	for (int k = 0; k < ENERGY_LAUNCHES; k++)
		w.launches[k] = (struct energy_launches){ o->own[k].start_ns,
			o->own[k].dur_ns, o->own[k].cause, o->own[k].n };
	energy_operators_causes(o);
	energy_operators_span(o);
	if (!energy_fit(&w, o->m->p->arena, is))
		return false;
	energy_operators_fill(o, is);
	return true;
}

static bool energy_group_from(struct energy_maker *m, struct energy_group *g,
	const int32_t *device, uint32_t n)
{
	struct arena *a = m->p->arena;
	size_t devices = m->p->devices_n;

	g->row = arena_grow(a, NULL, ((size_t)n + 1) * sizeof *g->row);
	g->from = arena_grow(a, NULL, (devices + 2) * sizeof *g->from);
	if (!g->row || !g->from)
		return false;
	memset(g->from, 0, (devices + 2) * sizeof *g->from);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t d = energy_device_of(m, device[i]);
		if (d < devices)
			g->from[d + 2]++;
	}
	for (size_t d = 2; d < devices + 2; d++)
		g->from[d] += g->from[d - 1];
	/* from[d + 1] advances from the begin of device d to its end. */
	for (uint32_t i = 0; i < n; i++) {
		uint32_t d = energy_device_of(m, device[i]);
		if (d < devices)
			g->row[g->from[d + 1]++] = i;
	}
	return true;
}

/* Groups the launches, once for all devices. False if the arena is full. */
static bool energy_group(struct energy_maker *m)
{
	const struct trace *t = m->t;
	const struct process *proc = m->proc;
	bool ok = true;

#define ENERGY_GROUP(at, kind)                                               \
	ok = ok &&                                                           \
	     (m->group[at].from || energy_group_from(m, &m->group[at],       \
					   t->kind.device + proc->kind.from, \
					   proc->kind.to - proc->kind.from))
	ENERGY_GROUP(0, kernel);
	ENERGY_GROUP(1, copy);
	ENERGY_GROUP(2, graph);
#undef ENERGY_GROUP
	return ok;
}

/* Copies the starts and durations of the device's launches of a kind. */
static bool energy_own_from(struct energy_operators *o, int kind,
	const int64_t *start_ns, const int64_t *dur_ns)
{
	struct energy_own *own = &o->own[kind];
	const struct energy_group *g = &o->m->group[kind];
	struct arena *a = o->m->p->arena;
	size_t d = (size_t)(o->d - o->m->p->energy.devices);
	size_t n = g->from[d + 1] - g->from[d];

	own->start_ns = arena_grow(a, NULL, (n + 1) * sizeof *own->start_ns);
	own->dur_ns = arena_grow(a, NULL, (n + 1) * sizeof *own->dur_ns);
	own->cause = arena_grow(a, NULL, n + 1);
	if (!own->start_ns || !own->dur_ns || !own->cause)
		return false;
	own->row = g->row + g->from[d];
	own->n = (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		own->start_ns[i] = start_ns[own->row[i]];
		own->dur_ns[i] = dur_ns[own->row[i]];
	}
	return true;
}

static bool energy_operators_alloc(struct energy_operators *o)
{
	struct arena *a = o->m->p->arena;
	const struct trace *t = o->m->t;
	const struct process *proc = o->m->proc;
	size_t rows = (size_t)o->m->p->operators.n + 1;

	o->d->operators =
		arena_array(a, struct operator_energy, ENERGY_FIT_CAUSES);
	o->row_ns = arena_grow(a, NULL, rows * sizeof *o->row_ns);
	o->row_cause = arena_grow(a, NULL, rows);
	if (!o->d->operators || !o->row_ns || !o->row_cause)
		return false;
	memset(o->row_ns, 0, rows * sizeof *o->row_ns);
	memset(o->row_cause, 0, rows);
#define ENERGY_OWN(at, kind)                                       \
	energy_own_from(o, at, t->kind.start_ns + proc->kind.from, \
		t->kind.dur_ns + proc->kind.from)
	return ENERGY_OWN(0, kernel) && ENERGY_OWN(1, copy) &&
	       ENERGY_OWN(2, graph);
#undef ENERGY_OWN
}

static void energy_operators_release(struct energy_operators *o)
{
	struct arena *a = o->m->p->arena;

	for (int k = 0; k < ENERGY_LAUNCHES; k++) {
		arena_drop(a, o->own[k].start_ns);
		arena_drop(a, o->own[k].dur_ns);
		arena_drop(a, o->own[k].cause);
	}
	arena_drop(a, o->from_ns);
	arena_drop(a, o->to_ns);
	arena_drop(a, o->energy_j);
	arena_drop(a, o->row_ns);
	arena_drop(a, o->row_cause);
}

/* Divides the windows of the device. False if the arena is full. */
static bool energy_operators_divide(struct energy_maker *m,
	struct energy_operators *o)
{
	if (!energy_group(m) || !energy_operators_alloc(o))
		return false;
	energy_operators_choose(o, energy_operators_times(o));
	if (o->d->operators_n)
		return energy_operators_fit(o);
	o->d->operators_why = "no operator of its launches is known";
	return true;
}

/* The energy of operators on a device whose energy in `span` is known. False if the
 * arena is full. */
static bool energy_operators_from(struct energy_maker *m,
	const struct energy_series *s, struct energy_stretch span,
	struct device_energy *d)
{
	struct energy_operators o = { .m = m, .s = s, .d = d, .span = span };
	uint32_t min = energy_fit_windows_min(0);

	if (!s->of->mean) {
		d->operators_why = "its power was read over an unknown time; "
				   "operators need the driver's energy counter "
				   "(gpu_power_mean)";
		return true;
	}
	bool ok = energy_operators_windows(&o);
	if (ok && o.windows < min) {
		d->operators_why = arena_printf(m->p->arena,
			"samples of its power cover %u window%s of %.3f s "
			"without a gap; at least %u are needed",
			o.windows, o.windows == 1 ? "" : "s",
			(double)energy_window_min(s) / 1e9, min);
		ok = d->operators_why;
	} else if (ok) {
		ok = energy_operators_divide(m, &o);
	}
	energy_operators_release(&o);
	return ok;
}

/* The row of each shape's operator, by the number that launches have. */
static bool energy_rows(struct energy_maker *m)
{
	const struct operators *all = &m->p->operators;

	m->row_of = arena_grow(m->p->arena, NULL,
		((size_t)all->shapes_n + 1) * sizeof *m->row_of);
	for (uint32_t i = 0; m->row_of && i < all->shapes_n; i++)
		m->row_of[all->shapes[i].number] = all->shapes[i].operator_;
	return m->row_of;
}

/* ---- devices */

/* Why no counter of the device is sufficient. NULL if the arena is full. */
static const char *energy_why(const struct energy_maker *m,
	const struct energy_series *s, const struct energy_stretch *w)
{
	if (!m->p->iterations.kept_n)
		return "the run has no kept iterations";
	if (!s->n)
		return "the trace has no samples of its power";
	if (!w->n)
		return arena_printf(m->p->arena,
			"no kept iteration is covered by samples of its power "
			"(%s) without a gap",
			s->of->name);
	return arena_printf(m->p->arena,
		"samples of its power (%s) cover %.3f s of consecutive kept "
		"iterations without a gap; at least %.3f s are needed",
		s->of->name, (double)(w->to_ns - w->from_ns) / 1e9,
		(double)energy_resolution(s) * ENERGY_SPAN / 1e9);
}

static void energy_describe(struct device_energy *d,
	const struct energy_series *s)
{
	if (!s->n)
		return;
	d->counter = s->of->name;
	d->samples = s->n;
	d->ignored = s->ignored;
	d->interval_ns = s->interval_ns ? s->interval_ns : -1;
	for (uint32_t k = 1; k < s->n; k++)
		d->gaps += energy_is_gap(s, k);
}

/* Chooses the counter of a device, or says why there is none. False if the arena
 * is full. */
static bool energy_choose(struct energy_maker *m, uint32_t i)
{
	struct device_energy *d = &m->p->energy.devices[i];
	const struct energy_series *s = &m->series[i * COUNTERS], *shown = NULL;
	struct energy_stretch w = { 0 }, shown_w = { 0 };

	*d = (struct device_energy){ .device = m->p->devices[i].number,
		.interval_ns = -1,
		.span_ns = -1,
		.energy_j = NAN,
		.low_j = NAN,
		.high_j = NAN,
		.idle_w = NAN,
		.idle_low_w = NAN,
		.idle_high_w = NAN };
	for (int k = 0; k < COUNTERS && !m->chosen[i]; k++) {
		const struct energy_series *is = &s[k];
		w = energy_stretch_from(m, &is, 1);
		if (energy_suffices(is, &w))
			m->chosen[i] = is;
		if (m->chosen[i] || (is->n && !shown)) {
			shown = is;
			shown_w = w;
		}
	}
	shown = shown ? shown : s;
	energy_describe(d, shown);
	if (!m->chosen[i])
		d->why = energy_why(m, shown, &shown_w);
	return m->chosen[i] || d->why;
}

/* The energy of single iterations that are not shorter than the resolution.
 * False if the arena is full. */
static bool energy_single(const struct energy_maker *m,
	const struct energy_series *s, struct device_energy *d)
{
	uint32_t n = m->p->iterations.n;
	int64_t from_ns, to_ns;

	for (uint32_t i = 0; i < n; i++) {
		if (!energy_iteration(m, i, &from_ns, &to_ns) ||
			to_ns - from_ns < energy_resolution(s) ||
			!energy_covers(s, from_ns, to_ns))
			continue;
		if (!d->iteration_j) {
			d->iteration_j =
				arena_array(m->p->arena, double, 3 * (size_t)n);
			if (!d->iteration_j)
				return false;
			for (size_t k = 0; k < 3 * (size_t)n; k++)
				d->iteration_j[k] = NAN;
			d->iteration_low_j = d->iteration_j + n;
			d->iteration_high_j = d->iteration_low_j + n;
		}
		struct energy_window w = energy_window_from(s, from_ns, to_ns);
		d->iteration_j[i] = w.energy_j;
		d->iteration_low_j[i] = w.low_j;
		d->iteration_high_j[i] = w.high_j;
	}
	return true;
}

/* False if the arena is full. */
static bool energy_fill(struct energy_maker *m)
{
	const struct energy_use *use = &m->p->energy;
	struct energy_stretch w = energy_stretch_from(m, m->chosen, use->n);
	bool ok = true;

	for (uint32_t i = 0; ok && i < use->n; i++) {
		const struct energy_series *s = m->chosen[i];
		struct device_energy *d = &use->devices[i];
		d->operators_why = d->why;
		if (!s)
			continue;
		ok = energy_single(m, s, d);
		if (!energy_suffices(s, &w)) {
			d->why = "the samples of the devices have too few "
				 "covered iterations in common";
			d->operators_why = d->why;
			continue;
		}
		struct energy_window is =
			energy_window_from(s, w.from_ns, w.to_ns);
		d->first = w.first;
		d->iterations = w.n;
		d->span_ns = w.to_ns - w.from_ns;
		d->energy_j = is.energy_j;
		d->low_j = is.low_j;
		d->high_j = is.high_j;
		ok = ok && energy_operators_from(m, s, w, d);
	}
	return ok;
}

static bool energy_alloc(struct energy_maker *m)
{
	uint32_t n = m->p->devices_n;
	size_t all = 0;

	m->series = arena_array(m->p->arena, struct energy_series,
		(size_t)n * COUNTERS);
	m->chosen = arena_array(m->p->arena, const struct energy_series *, n);
	m->p->energy.devices =
		arena_array(m->p->arena, struct device_energy, n);
	if (!m->series || !m->chosen || !m->p->energy.devices)
		return false;
	m->p->energy.n = n;
	m->p->energy.iterations_n = m->p->iterations.n;
	energy_count(m, &all);
	m->samples =
		arena_grow(m->p->arena, NULL, (all + 1) * sizeof *m->samples);
	m->distances =
		arena_grow(m->p->arena, NULL, (all + 1) * sizeof *m->distances);
	return m->samples && m->distances;
}

bool iteration_energy_from(const struct attribution *at, struct profile *p)
{
	const struct trace *t = at->trace;
	struct energy_maker m = { .at = at,
		.t = t,
		.proc = at->proc,
		.p = p,
		.base_ns = trace_first_ns(t, at->proc) };
	struct energy_sum sum;

	p->energy = (struct energy_use){ .tokens = NAN };
	if (!p->devices_n)
		return true;
	for (int k = 0; k < COUNTERS; k++) {
		const char *name = energy_counters[k].name;
		uint32_t id = names_find(&t->names, name, strlen(name));
		m.names[k] = id == NAMES_NONE ? 0 : id;
	}
	bool ok = energy_alloc(&m) && energy_rows(&m);
	if (ok)
		energy_place(&m);
	for (size_t i = 0; ok && i < (size_t)p->devices_n * COUNTERS; i++)
		energy_measure(&m, &m.series[i]);
	for (uint32_t i = 0; ok && i < p->devices_n; i++)
		ok = energy_choose(&m, i);
	ok = ok && energy_fill(&m) &&
	     energy_sum_from(&p->energy, &p->iterations, p->world_size,
		     p->arena, &sum);
	if (ok)
		p->energy.tokens = sum.tokens;
	arena_drop(p->arena, m.samples);
	arena_drop(p->arena, m.distances);
	arena_drop(p->arena, m.row_of);
	for (int k = 0; k < ENERGY_LAUNCHES; k++) {
		arena_drop(p->arena, m.group[k].row);
		arena_drop(p->arena, m.group[k].from);
	}
	return ok;
}

/* ---- the run */

/* Requires the iterations of the sum. */
static void energy_sum_tokens(struct energy_sum *sum,
	const struct iterations *c)
{
	double tokens = 0;

	for (uint32_t i = 0; !sum->tokens_why && i < sum->iterations; i++) {
		const struct iteration *y = &c->iterations[sum->first + i];
		const struct stratum *s = &c->strata[y->stratum];
		if (s->phase != PHASE_DECODE)
			sum->tokens_why =
				"not all of these iterations are of decoding";
		else if (s->tokens <= 0 || s->tokens != s->sequences)
			sum->tokens_why =
				"the output tokens of an iteration are not "
				"known";
		tokens += (double)s->tokens;
	}
	if (!sum->tokens_why)
		sum->tokens = tokens;
}

static void energy_sum_add(struct energy_sum *sum,
	const struct device_energy *d)
{
	sum->first = d->first;
	sum->iterations = d->iterations;
	sum->span_ns = d->span_ns;
	sum->energy_j += d->energy_j;
	sum->low_j += d->low_j;
	sum->high_j += d->high_j;
}

bool energy_sum_from(const struct energy_use *use, const struct iterations *c,
	int32_t ranks, struct arena *a, struct energy_sum *out)
{
	*out = (struct energy_sum){ .span_ns = -1,
		.energy_j = NAN,
		.low_j = NAN,
		.high_j = NAN,
		.tokens = NAN };
	for (uint32_t i = 0; i < use->n; i++) {
		const struct device_energy *d = &use->devices[i];
		if (!d->why)
			continue;
		out->why = use->n == 1 ? d->why
				       : arena_printf(a, "device %d: %s",
						 d->device, d->why);
		out->tokens_why = out->why;
		return out->why;
	}
	if (use->n && use->iterations_n != c->n)
		out->why = out->tokens_why =
			"the run was analyzed again meanwhile; try again";
	if (!use->n || out->why)
		return true;
	out->energy_j = out->low_j = out->high_j = 0;
	for (uint32_t i = 0; i < use->n; i++)
		energy_sum_add(out, &use->devices[i]);
	/* Other ranks use energy for the same tokens, too. */
	out->tokens_why = serving_rates_shared(c, ranks, use->n, a);
	energy_sum_tokens(out, c);
	return true;
}
