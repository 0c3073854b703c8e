/* device_clock.c - finds the samples of SM clocks, and of what holds them down,
 * inside busy time, and weighs them. */
#include "device_clock.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum unit { MHZ, HZ_OR_MHZ, PERCENT };

/* The counters that are the clock of a device's SMs. If a device has several,
 * the first of this list is used. Nsight Systems calls its counter "[MHz]" and
 * exports Hz. The clocks of rocmProfileData are not in this list: a row of its
 * monitor ends when the clock changes, so the number of rows says nothing about
 * the number of samples. */
struct device_clock_counter {
	const char *name;
	enum unit unit; /* HZ_OR_MHZ: versions of the profiler differ */
};
static const struct device_clock_counter device_clock_counters[] = {
	{ "gpu_sm_frequency", MHZ },
	{ "GPC Clock Frequency [MHz]", HZ_OR_MHZ },
	{ "GPC Clock Frequency", HZ_OR_MHZ },
};
enum {
	COUNTERS = sizeof device_clock_counters / sizeof *device_clock_counters
};
/* The counter of the collector that is 100 while power or heat holds the clocks
 * down. */
static const struct device_clock_counter device_clock_throttle_counters[] = {
	{ "gpu_clock_held", PERCENT },
};

struct device_clock_sample {
	int64_t at_ns;
	double value; /* NaN: impossible */
	bool busy; /* a kernel ran */
};

/* The samples of a device. */
struct device_clock_series {
	int counter; /* index; counters_n: none */
	struct device_clock_sample *rows; /* in order of time */
	uint32_t n, busy; /* samples; those while a kernel ran */
	uint32_t at; /* a cursor */
	int64_t end_ns; /* of the busy time that was walked so far */
	double weight_ns, sum; /* busy time with a clock; sum of ns * MHz */
};

struct device_clock {
	const struct trace *t;
	const struct process *proc;
	struct profile *p;
	const struct device_clock_counter *counters;
	int counters_n; /* at most COUNTERS */
	uint32_t names[COUNTERS]; /* 0: not in the trace */
	struct device_clock_series *of; /* by device */
	struct device_clock_sample *samples;
	uint32_t last; /* the device of the last search */
};

/* The clock in MHz, or a share in percent; NaN if it can be none. No GPU that
 * runs kernels is below 10 MHz, and none reaches 10 GHz, so the unit of a counter
 * with either unit is certain. */
static double device_clock_value(double value, enum unit unit)
{
	if (unit == PERCENT)
		return value >= 0 && value <= 100 ? value : (double)NAN;
	if (unit == HZ_OR_MHZ && value >= 1e7)
		value /= 1e6;
	return value >= 10 && value < 1e4 ? value : (double)NAN;
}

static int device_clock_by_number(const void *key, const void *device)
{
	const int32_t *a = key;
	const struct profile_device *b = device;
	return (*a > b->number) - (*a < b->number);
}

/* NULL if the process did not use the device. Consecutive rows often have the
 * same device. */
static struct device_clock_series *device_clock_find(struct device_clock *m,
	int32_t number)
{
	const struct profile *p = m->p;

	if (p->devices[m->last].number != number) {
		const struct profile_device *d =
			bsearch(&number, p->devices, p->devices_n,
				sizeof *p->devices, device_clock_by_number);
		if (!d)
			return NULL;
		m->last = (uint32_t)(d - p->devices);
	}
	return &m->of[m->last];
}

/* The counter of a sample; counters_n if it is none of them. */
static int device_clock_counter(const struct device_clock *m, uint32_t i)
{
	uint32_t name = m->t->counter.name[i];
	int k = 0;

	while (k < m->counters_n && (!name || m->names[k] != name))
		k++;
	return k;
}

/* Chooses the counter of each device and counts its samples. */
static uint32_t device_clock_choose(struct device_clock *m)
{
	const struct counter_rows *c = &m->t->counter;
	uint32_t all = 0;

	for (uint32_t i = m->proc->counter.from; i < m->proc->counter.to; i++) {
		int k = device_clock_counter(m, i);
		struct device_clock_series *s =
			k < m->counters_n ? device_clock_find(m, c->device[i])
					  : NULL;
		if (!s || k > s->counter)
			continue;
		if (k < s->counter)
			s->n = 0;
		s->counter = k;
		s->n++;
	}
	for (uint32_t d = 0; d < m->p->devices_n; d++)
		all += m->of[d].n;
	return all;
}

static void device_clock_place(struct device_clock *m)
{
	const struct counter_rows *c = &m->t->counter;
	struct device_clock_sample *to = m->samples;

	for (uint32_t d = 0; d < m->p->devices_n; d++) {
		m->of[d].rows = to;
		to += m->of[d].n;
		m->of[d].n = 0;
	}
	for (uint32_t i = m->proc->counter.from; i < m->proc->counter.to; i++) {
		int k = device_clock_counter(m, i);
		struct device_clock_series *s =
			k < m->counters_n ? device_clock_find(m, c->device[i])
					  : NULL;
		if (s && k == s->counter)
			s->rows[s->n++] =
				(struct device_clock_sample){ c->start_ns[i],
					device_clock_value(c->value[i],
						m->counters[k].unit),
					false };
	}
}

/* What to do with the next busy span of a device. */
typedef void device_clock_step(struct device_clock_series *s, int64_t from_ns,
	int64_t to_ns);

static void device_clock_mark(struct device_clock_series *s, int64_t from_ns,
	int64_t to_ns)
{
	while (s->at < s->n && s->rows[s->at].at_ns < from_ns)
		s->at++;
	while (s->at < s->n && s->rows[s->at].at_ns < to_ns)
		s->rows[s->at++].busy = true;
}

/* The moments that are nearest to sample i and within its reach. */
static void device_clock_cell(const struct device_clock_series *s, uint32_t i,
	int64_t *from_ns, int64_t *to_ns)
{
	int64_t at = s->rows[i].at_ns;

	*from_ns = at - DEVICE_CLOCK_REACH_NS;
	*to_ns = at + DEVICE_CLOCK_REACH_NS;
	if (i) {
		int64_t before = s->rows[i - 1].at_ns;
		int64_t middle = before + (at - before) / 2;
		*from_ns = middle > *from_ns ? middle : *from_ns;
	}
	if (i + 1 < s->busy) {
		int64_t middle = at + (s->rows[i + 1].at_ns - at) / 2;
		*to_ns = middle < *to_ns ? middle : *to_ns;
	}
}

static void device_clock_weigh(struct device_clock_series *s, int64_t from_ns,
	int64_t to_ns)
{
	for (; s->at < s->busy; s->at++) {
		int64_t low, high;
		device_clock_cell(s, s->at, &low, &high);
		int64_t a = low > from_ns ? low : from_ns;
		int64_t b = high < to_ns ? high : to_ns;
		if (b > a) {
			s->weight_ns += (double)(b - a);
			s->sum += (double)(b - a) * s->rows[s->at].value;
		}
		if (high > to_ns)
			return;
	}
}

static void device_clock_span(struct device_clock *m, int32_t device,
	int64_t start_ns, int64_t dur_ns, device_clock_step *step)
{
	struct device_clock_series *s = device_clock_find(m, device);

	if (!s || !s->n)
		return;
	int64_t from_ns = start_ns > s->end_ns ? start_ns : s->end_ns;
	int64_t to_ns = start_ns + dur_ns;
	if (to_ns <= from_ns)
		return;
	step(s, from_ns, to_ns);
	s->end_ns = to_ns;
}

/* Calls `step` for the parts of the union of kernels and replays, in order. */
static void device_clock_walk(struct device_clock *m, device_clock_step *step)
{
	const struct kernel_rows *k = &m->t->kernel;
	const struct graph_rows *g = &m->t->graph;
	uint32_t i = m->proc->kernel.from, j = m->proc->graph.from;

	for (uint32_t d = 0; d < m->p->devices_n; d++) {
		m->of[d].at = 0;
		m->of[d].end_ns = INT64_MIN;
	}
	while (i < m->proc->kernel.to || j < m->proc->graph.to) {
		bool replay = i == m->proc->kernel.to ||
			      (j < m->proc->graph.to &&
				      g->start_ns[j] < k->start_ns[i]);
		if (replay) {
			device_clock_span(m, g->device[j], g->start_ns[j],
				g->dur_ns[j], step);
			j++;
		} else {
			device_clock_span(m, k->device[i], k->start_ns[i],
				k->dur_ns[i], step);
			i++;
		}
	}
}

/* Adds a note on the device's counter. */
static void device_clock_note(struct device_clock *m, enum note_code note,
	int64_t count, const struct device_clock_series *s)
{
	const char *name = m->counters[s->counter].name;

	note_add(&m->p->notes, note, count, name, strlen(name));
}

/* Moves the usable samples while kernels ran to the front; counts the
 * others. */
static void device_clock_keep(struct device_clock *m)
{
	for (uint32_t d = 0; d < m->p->devices_n; d++) {
		struct device_clock_series *s = &m->of[d];
		int64_t odd = 0;
		for (uint32_t i = 0; i < s->n; i++)
			if (s->rows[i].busy && isnan(s->rows[i].value))
				odd++;
			else if (s->rows[i].busy)
				s->rows[s->busy++] = s->rows[i];
		if (odd && m->counters == device_clock_counters)
			device_clock_note(m, NOTE_sm_clock_odd, odd, s);
		else if (odd) /* a share of the others would be a guess */
			s->busy = 0;
	}
}

static double device_clock_cover_pct(const struct device_clock_series *s,
	int64_t busy_ns)
{
	return 100 * s->weight_ns / (double)busy_ns;
}

static bool device_clock_known(const struct device_clock_series *s,
	int64_t busy_ns)
{
	return s->busy >= DEVICE_CLOCK_SAMPLES &&
	       device_clock_cover_pct(s, busy_ns) >= DEVICE_CLOCK_COVER_PCT;
}

/* Why the clock of a device is unknown; NULL if the arena is full. */
static const char *device_clock_why(const struct device_clock_series *s,
	int64_t busy_ns, struct arena *a)
{
	const char *name = s->n ? device_clock_counters[s->counter].name : "";

	if (!s->n)
		return "the trace has no samples of its SM clock";
	if (!s->busy)
		return arena_printf(a,
			"no usable sample of its SM clock (%s) was taken while "
			"a kernel ran",
			name);
	if (s->busy < DEVICE_CLOCK_SAMPLES)
		return arena_printf(a,
			"only %u usable samples of its SM clock (%s) were "
			"taken while kernels ran; at least %d are needed",
			(unsigned)s->busy, name, DEVICE_CLOCK_SAMPLES);
	return arena_printf(a,
		"the samples of its SM clock (%s) cover %.1f %% of the time in "
		"which kernels ran; at least %d %% are needed",
		name, device_clock_cover_pct(s, busy_ns),
		DEVICE_CLOCK_COVER_PCT);
}

/* False if the arena is full. */
static bool device_clock_unknown(struct device_clock *m,
	const struct device_clock_series *s, struct profile_device *d)
{
	d->sm_clock_why = device_clock_why(s, d->busy_ns, m->p->arena);
	if (d->sm_clock_why && s->n)
		device_clock_note(m, NOTE_sm_clock_sparse, 1, s);
	return d->sm_clock_why;
}

static bool device_clock_fill(struct device_clock *m)
{
	bool ok = true;

	for (uint32_t i = 0; ok && i < m->p->devices_n; i++) {
		const struct device_clock_series *s = &m->of[i];
		struct profile_device *d = &m->p->devices[i];
		d->sm_clock_samples = s->n ? (int64_t)s->busy : -1;
		if (d->busy_ns <= 0)
			d->sm_clock_why = "no kernel ran on it";
		else if (device_clock_known(s, d->busy_ns))
			d->sm_clock_mhz = s->sum / s->weight_ns;
		else
			ok = device_clock_unknown(m, s, d);
	}
	return ok;
}

/* The share of the busy samples in which the clocks were held down. It
 * needs as many samples as a clock, but they need not cover the time. Returns true, as device_clock_fill() does. */
static bool device_clock_fill_throttled(struct device_clock *m)
{
	for (uint32_t i = 0; i < m->p->devices_n; i++) {
		const struct device_clock_series *s = &m->of[i];
		double sum = 0;
		for (uint32_t k = 0; k < s->busy; k++)
			sum += s->rows[k].value;
		if (s->busy >= DEVICE_CLOCK_SAMPLES)
			m->p->devices[i].throttled_pct = sum / s->busy;
	}
	return true;
}

/* What to do when the busy samples of all devices are known. */
typedef bool device_clock_end(struct device_clock *m);

/* False if the arena is full. */
static bool device_clock_sample_all(struct device_clock *m,
	const struct device_clock_counter *counters, int n,
	device_clock_end *end)
{
	struct arena *a = m->p->arena;

	m->counters = counters;
	m->counters_n = n;
	for (int k = 0; k < n; k++) {
		const char *name = counters[k].name;
		uint32_t id = names_find(&m->t->names, name, strlen(name));
		m->names[k] = id == NAMES_NONE ? 0 : id;
	}
	for (uint32_t d = 0; d < m->p->devices_n; d++)
		m->of[d] = (struct device_clock_series){ .counter = n };
	size_t samples = device_clock_choose(m);
	m->samples = arena_grow(a, NULL, (samples + 1) * sizeof *m->samples);
	bool ok = m->samples;
	if (ok && samples) {
		device_clock_place(m);
		device_clock_walk(m, device_clock_mark);
		device_clock_keep(m);
		device_clock_walk(m, device_clock_weigh);
	}
	ok = ok && end(m);
	arena_drop(a, m->samples);
	return ok;
}

bool device_clocks_from(const struct trace *t, const struct process *proc,
	struct profile *p)
{
	struct device_clock m = { .t = t, .proc = proc, .p = p };

	if (!p->devices_n)
		return true;
	m.of = arena_grow(p->arena, NULL, p->devices_n * sizeof *m.of);
	bool ok = m.of &&
		  device_clock_sample_all(&m, device_clock_counters, COUNTERS,
			  device_clock_fill) &&
		  device_clock_sample_all(&m, device_clock_throttle_counters, 1,
			  device_clock_fill_throttled);
	arena_drop(p->arena, m.of);
	return ok;
}

double device_clock_of_run(const struct profile *p, const char **why)
{
	double busy_ns = 0, sum = 0;
	uint32_t ran = 0;

	for (uint32_t i = 0; i < p->devices_n; i++)
		ran += p->devices[i].busy_ns > 0;
	for (uint32_t i = 0; i < p->devices_n; i++) {
		const struct profile_device *d = &p->devices[i];
		if (d->busy_ns <= 0)
			continue;
		if (!(d->sm_clock_mhz > 0)) {
			*why = ran == 1
				       ? d->sm_clock_why
				       : arena_printf(p->arena, "device %d: %s",
						 d->number, d->sm_clock_why);
			return NAN;
		}
		busy_ns += (double)d->busy_ns;
		sum += (double)d->busy_ns * d->sm_clock_mhz;
	}
	*why = ran ? NULL : "no kernel ran";
	return sum / busy_ns;
}
