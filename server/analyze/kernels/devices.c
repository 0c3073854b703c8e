/* devices.c - walks over kernels and graph replays once and computes the union
 * of their times per device. */
#include "devices.h"
#include "interval.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct devices_maker {
	struct profile *p;
	struct names numbers; /* id = index into p->devices, plus one */
	struct interval_union *busy; /* by device */
	uint32_t cap;
	uint32_t last; /* device of the last lookup: consecutive rows often have
			the same device */
};

static bool devices_grow(struct devices_maker *m)
{
	struct profile *p = m->p;
	uint32_t cap = m->cap ? m->cap * 2 : 16;
	void *devices = arena_grow(p->arena, p->devices,
		(size_t)cap * sizeof *p->devices);
	if (devices)
		p->devices = devices;
	void *busy =
		arena_grow(p->arena, m->busy, (size_t)cap * sizeof *m->busy);
	if (busy)
		m->busy = busy;
	m->cap = cap;
	return devices && busy;
}

/* Returns the index of a device, which is added if it is new; NAMES_NONE if the
 * arena is full. */
static uint32_t devices_device_index(struct devices_maker *m, int32_t number)
{
	struct profile *p = m->p;
	if (p->devices_n && p->devices[m->last].number == number)
		return m->last;
	uint32_t id =
		names_put(&m->numbers, (const char *)&number, sizeof number);
	if (id == NAMES_NONE)
		return NAMES_NONE;
	if (id > p->devices_n) {
		if (p->devices_n == m->cap && !devices_grow(m))
			return NAMES_NONE;
		m->busy[p->devices_n] = INTERVAL_NONE;
		p->devices[p->devices_n++] = (struct profile_device){
			.number = number,
			.sm_count = -1,
			.compute_major = -1,
			.compute_minor = -1,
			.memory_bytes = -1,
			.sm_clock_mhz = NAN,
			.sm_clock_samples = -1,
			.throttled_pct = NAN,
		};
	}
	return m->last = id - 1;
}

static bool devices_busy_add(struct devices_maker *m,
	struct interval_union *all, int32_t device, int64_t start_ns,
	int64_t dur_ns, int64_t launches)
{
	uint32_t d = devices_device_index(m, device);
	if (d == NAMES_NONE)
		return false;
	m->p->devices[d].launches += launches;
	interval_add(&m->busy[d], start_ns, dur_ns);
	interval_add(all, start_ns, dur_ns);
	return true;
}

/* Adds kernels and replays in the order of their starts. */
static bool devices_busy_walk(struct devices_maker *m, const struct trace *t,
	const struct process *proc)
{
	const struct kernel_rows *k = &t->kernel;
	const struct graph_rows *g = &t->graph;
	struct interval_union all = INTERVAL_NONE;
	uint32_t i = proc->kernel.from, j = proc->graph.from;
	bool ok = true;

	while (ok && (i < proc->kernel.to || j < proc->graph.to)) {
		bool replay =
			i == proc->kernel.to ||
			(j < proc->graph.to && g->start_ns[j] < k->start_ns[i]);
		if (replay) {
			ok = devices_busy_add(m, &all, g->device[j],
				g->start_ns[j], g->dur_ns[j], 0);
			j++;
		} else {
			ok = devices_busy_add(m, &all, k->device[i],
				k->start_ns[i], k->dur_ns[i], 1);
			i++;
		}
	}
	m->p->busy_ns = all.busy_ns;
	for (uint32_t d = 0; d < m->p->devices_n; d++)
		m->p->devices[d].busy_ns = m->busy[d].busy_ns;
	return ok;
}

static bool devices_copies_walk(struct devices_maker *m,
	const struct copy_rows *c, struct slice rows)
{
	for (uint32_t i = rows.from; i < rows.to; i++)
		if (devices_device_index(m, c->device[i]) == NAMES_NONE)
			return false;
	return true;
}

/* The UUID without NVML's prefix, which Nsight Systems omits; NULL unknown. A
 * machine that does not pass it on has zeros. */
static const char *devices_uuid(const char *uuid)
{
	if (!strncmp(uuid, "GPU-", 4))
		uuid += 4;
	return uuid[strspn(uuid, "0-")] ? uuid : NULL;
}

/* How many GPUs the trace lists for a process. A GPU can be listed twice: for all
 * processes and for this one. False if the arena is full. */
static bool devices_visible(const struct trace *t, uint32_t process,
	struct arena *a, int32_t *out)
{
	struct arena scratch = arena_scratch(a);
	struct names numbers;
	bool ok = names_init(&numbers, &scratch);

	for (uint32_t i = 0; ok && i < t->devices_n; i++) {
		const struct device *d = &t->devices[i];
		if (d->process < 0 || (uint32_t)d->process == process)
			ok = names_put(&numbers, (const char *)&d->number,
				     sizeof d->number) != NAMES_NONE;
	}
	/* id 0 is no number */
	*out = ok ? (int32_t)numbers.n - 1 : 0;
	if (t->devices_listed)
		*out = t->devices_listed;
	arena_scratch_release(&scratch, a);
	return ok;
}

/* Fills in the properties that the trace records for the used devices. False if the
 * arena is full. */
static bool devices_properties(const struct trace *t, uint32_t process,
	struct devices_maker *m)
{
	int32_t visible;

	if (!m->p->devices_n)
		return true;
	if (!devices_visible(t, process, m->p->arena, &visible))
		return false;
	for (uint32_t i = t->devices_n; i-- > 0;) {
		const struct device *d = &t->devices[i];
		if (d->process >= 0 && (uint32_t)d->process != process)
			continue;
		uint32_t id = names_find(&m->numbers, (const char *)&d->number,
			sizeof d->number);
		if (id == NAMES_NONE)
			continue;
		struct profile_device *to = &m->p->devices[id - 1];
		to->name = d->name ? names_text(&t->names, d->name) : NULL;
		to->sm_count = d->sm_count;
		to->compute_major = d->compute_major;
		to->compute_minor = d->compute_minor;
		to->memory_bytes = d->memory_bytes;
		to->uuid =
			d->uuid ? devices_uuid(names_text(&t->names, d->uuid))
				: NULL;
		to->bus_id =
			d->bus_id ? names_text(&t->names, d->bus_id) : NULL;
		to->visible = visible;
	}
	return true;
}

static int devices_by_number(const void *left, const void *right)
{
	const struct profile_device *a = left, *b = right;
	return (a->number > b->number) - (a->number < b->number);
}

static int64_t devices_span(const struct trace *t, const struct process *proc)
{
	int64_t first = INT64_MAX, last = INT64_MIN;
#define ROWS(kind)                                                   \
	for (uint32_t i = proc->kind.from; i < proc->kind.to; i++) { \
		int64_t start = t->kind.start_ns[i];                 \
		int64_t end = start + t->kind.dur_ns[i];             \
		first = start < first ? start : first;               \
		last = end > last ? end : last;                      \
	}
	ROWS(kernel)
	ROWS(copy)
	ROWS(graph)
#undef ROWS
	return last < first ? 0 : last - first;
}

static void devices_forget_times(struct profile *p)
{
	p->span_ns = p->busy_ns = -1;
	for (uint32_t i = 0; i < p->devices_n; i++)
		p->devices[i].busy_ns = -1;
}

bool devices_from(const struct trace *t, const struct process *proc,
	uint32_t process, struct profile *p)
{
	struct devices_maker m = { .p = p };
	bool ok = names_init(&m.numbers, p->arena) &&
		  devices_busy_walk(&m, t, proc) &&
		  devices_copies_walk(&m, &t->copy, proc->copy) &&
		  devices_properties(t, process, &m);

	if (ok) {
		if (p->devices_n)
			qsort(p->devices, p->devices_n, sizeof *p->devices,
				devices_by_number);
		p->span_ns = devices_span(t, proc);
	}
	if (p->content == CONTENT_DURATIONS)
		devices_forget_times(p);
	arena_drop(p->arena, m.busy);
	return ok;
}
