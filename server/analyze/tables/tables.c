/* tables.c - builds a run from tables that another tool computed. */
#include "tables.h"
#include "device_text.h"
#include "exact.h"
#include "kernels.h"
#include "copies.h"
#include "table_order.h"
#include "pattern_import.h"
#include "profile.h"
#include "stats.h"
#include "trace.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums of durations and counts, by the number of a kernel or operation and by
 * device. The sums are checked for overflow, because a table may contain any
 * number. */

struct tables_tally_line {
	uint32_t what; /* a kernel or an operation */
	int32_t device;
	int64_t instances, total_ns;
};

struct tables_tally {
	struct names keys; /* id = index + 1 */
	struct tables_tally_line *lines; /* in order of first appearance */
	uint32_t n, cap;
};

static bool tables_tally_init(struct tables_tally *t, struct arena *a)
{
	*t = (struct tables_tally){ 0 };
	return names_init(&t->keys, a);
}

/* Adds to a sum. Returns false with ERR_TRACE if it would exceed what a trace
 * can hold, or if `add` is negative. */
static bool tables_tally_sum(int64_t *sum, int64_t add, struct err *e)
{
	if (add < 0 || add > TRACE_TIME_MAX_NS - *sum)
		return err_set(e, ERR_TRACE,
			"the times or counts of the table add up to more than "
			"a trace can hold (104 days), or are negative");
	*sum += add;
	return true;
}

/* Returns the line of a number and a device, added if new; NULL if the arena is
 * full. */
static struct tables_tally_line *tables_tally_line(struct tables_tally *t,
	uint32_t what, int32_t device)
{
	const uint32_t key[2] = { what, (uint32_t)device };
	uint32_t id = names_put(&t->keys, (const char *)key, sizeof key);
	if (id == NAMES_NONE)
		return NULL;
	if (id <= t->n)
		return &t->lines[id - 1];
	if (t->n == t->cap) {
		uint32_t cap = t->cap ? t->cap * 2 : 64;
		struct tables_tally_line *grown = arena_grow(t->keys.arena,
			t->lines, (size_t)cap * sizeof *grown);
		if (!grown)
			return NULL;
		t->lines = grown;
		t->cap = cap;
	}
	t->lines[t->n] = (struct tables_tally_line){ what, device, 0, 0 };
	return &t->lines[t->n++];
}

/* Adds to the line of `add`'s number and device. Returns false with ERR_TRACE
 * if a sum would exceed what a trace can hold, or if a value is negative. */
static bool tables_tally_add(struct tables_tally *t,
	const struct tables_tally_line *add, struct err *e)
{
	struct tables_tally_line *l =
		tables_tally_line(t, add->what, add->device);
	if (!l)
		return arena_err(t->keys.arena, e);
	return tables_tally_sum(&l->instances, add->instances, e) &&
	       tables_tally_sum(&l->total_ns, add->total_ns, e);
}

/* Returns the known statistics of a line: total, count and average. Statistics
 * that need single launches are unknown. */
static struct time_stats tables_tally_stats(const struct tables_tally_line *l)
{
	int64_t tenths =
		exact_tenths((wide_t)l->total_ns, (wide_t)l->instances);
	struct time_stats t = TIME_STATS_UNKNOWN;
	t.instances = l->instances;
	t.total_ns = l->total_ns;
	t.avg_ns = (double)tenths / 10;
	return t;
}

/* A table of kernel statistics: its unchanged lines, and sums over grids. */

struct tables_stat {
	const struct trace *t;
	struct profile *p;
	struct slice rows;
	struct kernel_list list;
	uint32_t lines[2]; /* number of lines: without a grid, with one */
	int64_t total_ns[2]; /* their total times */
	bool scoped; /* a kernel has a line per scope and device */
};

static struct time_stats tables_stat_time_of(const struct stat_rows *s,
	uint32_t i)
{
	struct time_stats t = TIME_STATS_UNKNOWN;
	t.instances = s->instances[i];
	t.total_ns = s->total_ns[i];
	t.min_ns = s->min_ns[i];
	t.max_ns = s->max_ns[i];
	t.avg_ns = s->avg_ns[i];
	t.med_ns = s->med_ns[i];
	t.stddev_ns = s->stddev_ns[i];
	return t;
}

static bool tables_stat_has_grid(const struct tables_stat *m, uint32_t row)
{
	return m->t->stat.launch[row] != 0;
}

/* Whether the tool wrote a kernel once per scope: that is its format, also if
 * no line has a scope. */
static bool tables_stat_is_scoped(const struct trace *t)
{
	return t->format && !strcmp(t->format, "proton");
}

/* Counts and sums both kinds of lines. A line without an instance is an error. */
static bool tables_stat_measure(struct tables_stat *m, struct err *e)
{
	const struct stat_rows *s = &m->t->stat;
	int64_t launches[2] = { 0, 0 };
	for (uint32_t i = m->rows.from; i < m->rows.to; i++) {
		bool grid = tables_stat_has_grid(m, i);
		m->lines[grid]++;
		if (!tables_tally_sum(&launches[grid], s->instances[i] - 1,
			    e) ||
			!tables_tally_sum(&m->total_ns[grid], s->total_ns[i],
				e))
			return false;
	}
	bool by_grid = m->lines[0] == 0;
	m->p->launches = launches[by_grid] + m->lines[by_grid];
	m->p->kernel_ns = m->total_ns[by_grid];
	return true;
}

static bool tables_stat_line_fill(struct tables_stat *m, uint32_t row,
	struct kernel_stat *to)
{
	const struct stat_rows *s = &m->t->stat;
	bool grid = tables_stat_has_grid(m, row);
	const struct launch_shape *shape =
		trace_launch_shape_at(m->t, s->launch[row]);
	double printed = s->time_pct[row];
	uint32_t source = s->source[row];

	*to = (struct kernel_stat){ .split = grid ? SPLIT_GRID : SPLIT_NONE,
		.device = -1,
		.time = tables_stat_time_of(s, row),
		.time_pct = isnan(printed) ? stats_pct(s->total_ns[row],
						     m->total_ns[grid])
					   : printed,
		.table_path =
			source ? names_text(&m->t->names, source) : NULL };
	memcpy(to->grid, shape->grid, sizeof to->grid);
	memcpy(to->block, shape->block, sizeof to->block);
	return kernels_list_find(&m->list, s->name[row], &to->kernel);
}

/* Adds the lines of one kind, in the table's order. */
static bool tables_stat_lines_add(struct tables_stat *m, bool grid)
{
	struct profile *p = m->p;
	for (uint32_t i = m->rows.from; i < m->rows.to; i++)
		if (tables_stat_has_grid(m, i) == grid &&
			!tables_stat_line_fill(m, i, &p->stats[p->stats_n++]))
			return false;
	return true;
}

/* The minimum or the maximum over a kernel's grids. The maximum is unknown if
 * one grid's is. */
static int64_t tables_stat_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t tables_stat_greatest(int64_t a, int64_t b)
{
	return a < 0 || b < 0 ? -1 : a > b ? a : b;
}

/* Adds a line per kernel, summed over its grids or scopes. The line of a single
 * grid is its kernel's line. */
static bool tables_stat_sums_add(struct tables_stat *m, struct err *e)
{
	const struct stat_rows *s = &m->t->stat;
	struct profile *p = m->p;
	struct kernel_stat *to = p->stats;
	struct tables_tally sums;
	if (!tables_tally_init(&sums, p->arena))
		return arena_err(p->arena, e);
	for (uint32_t i = m->rows.from; i < m->rows.to; i++) {
		struct tables_tally_line add = { .device = -1,
			.instances = s->instances[i],
			.total_ns = s->total_ns[i] };
		if (!kernels_list_find(&m->list, s->name[i], &add.what))
			return arena_err(p->arena, e);
		uint32_t known = sums.n;
		if (!tables_tally_add(&sums, &add, e))
			return false;
		struct kernel_stat *k = &to[add.what];
		if (sums.n > known) {
			if (!tables_stat_line_fill(m, i, k))
				return arena_err(p->arena, e);
			k->split = SPLIT_NONE;
			memset(k->grid, -1, sizeof k->grid);
			memset(k->block, -1, sizeof k->block);
			if (!m->scoped)
				continue;
		}
		int64_t min_ns = tables_stat_min(k->time.min_ns, s->min_ns[i]);
		int64_t max_ns =
			tables_stat_greatest(k->time.max_ns, s->max_ns[i]);
		k->time = tables_tally_stats(&sums.lines[add.what]);
		k->time.min_ns = min_ns;
		k->time.max_ns = max_ns;
		k->time_pct = stats_pct(k->time.total_ns, p->kernel_ns);
	}
	p->stats_n = sums.n;
	table_order_kernels(p, to, sums.n);
	arena_drop(p->arena, sums.lines);
	return true;
}

static int tables_device_by_number(const void *left, const void *right)
{
	const struct profile_device *a = left, *b = right;
	return (a->number > b->number) - (a->number < b->number);
}

/* Adds a device with its properties, where the trace has them. */
static void tables_device_add(struct profile *p, const struct trace *t,
	const struct tables_tally_line *l)
{
	struct profile_device *to = &p->devices[p->devices_n++];
	const struct device *d =
		l->device < 0 ? NULL : trace_device(t, 0, l->device);
	*to = (struct profile_device){ .number = l->device,
		.sm_count = -1,
		.compute_major = -1,
		.compute_minor = -1,
		.memory_bytes = -1,
		.launches = l->instances,
		.busy_ns = -1,
		.sm_clock_mhz = NAN,
		.throttled_pct = NAN,
		.sm_clock_samples = -1,
		.sm_clock_why = "an imported table has no clocks" };
	if (!d)
		return;
	to->name = d->name ? names_text(&t->names, d->name) : NULL;
	to->sm_count = d->sm_count;
	to->compute_major = d->compute_major;
	to->compute_minor = d->compute_minor;
	to->memory_bytes = d->memory_bytes;
}

/* Adds a line per kernel and device, and the devices. */
static bool tables_stat_devices_fill(struct tables_stat *m,
	const struct tables_tally *lines, const struct tables_tally *devices)
{
	struct profile *p = m->p;
	uint32_t from = p->stats_n, unnamed = 0;
	p->devices = arena_grow(p->arena, NULL,
		((size_t)devices->n + 1) * sizeof *p->devices);
	if (!p->devices)
		return false;
	for (uint32_t i = 0; i < lines->n; i++) {
		const struct tables_tally_line *l = &lines->lines[i];
		struct kernel_stat *k = &p->stats[p->stats_n++];
		*k = (struct kernel_stat){ .kernel = l->what,
			.split = SPLIT_DEVICE,
			.device = l->device,
			.time = tables_tally_stats(l),
			.time_pct = stats_pct(l->total_ns, p->kernel_ns) };
		memset(k->grid, -1, sizeof k->grid);
		memset(k->block, -1, sizeof k->block);
	}
	table_order_kernels(p, p->stats + from, p->stats_n - from);
	for (uint32_t i = 0; i < devices->n; i++) {
		tables_device_add(p, m->t, &devices->lines[i]);
		unnamed += p->devices[i].name == NULL;
	}
	qsort(p->devices, p->devices_n, sizeof *p->devices,
		tables_device_by_number);
	if (unnamed)
		note_add(&p->notes, NOTE_no_device_name, unnamed, NULL, 0);
	return true;
}

static bool tables_stat_devices(struct tables_stat *m, struct err *e)
{
	const struct stat_rows *s = &m->t->stat;
	struct arena *a = m->p->arena;
	struct tables_tally lines, devices;
	if (!tables_tally_init(&lines, a) || !tables_tally_init(&devices, a))
		return arena_err(a, e);
	for (uint32_t i = m->rows.from; i < m->rows.to; i++) {
		struct tables_tally_line add = { .device = s->device[i],
			.instances = s->instances[i],
			.total_ns = s->total_ns[i] };
		if (!tables_tally_add(&devices, &add, e))
			return false;
		if (!kernels_list_find(&m->list, s->name[i], &add.what))
			return arena_err(a, e);
		if (!tables_tally_add(&lines, &add, e))
			return false;
	}
	return tables_stat_devices_fill(m, &lines, &devices) || arena_err(a, e);
}

/* The scopes of kernels become frames, and the lines of the table callers. */

struct tables_scopes {
	struct names texts; /* a scope's name */
	struct names nodes; /* struct tables_scope; id = frame */
	uint32_t *frame_of; /* by id of a path: its frame, plus one */
};

/* The key of a frame. It is hashed as bytes, so it has no padding. */
struct tables_scope {
	uint32_t parent, text;
};

/* The frame of a path of scopes; NAMES_NONE if the arena is full. */
static uint32_t tables_scopes_frame(struct tables_scopes *x,
	const struct name *path)
{
	const char *at = path->text, *end = path->text + path->len;
	uint32_t frame = 0;
	while (at < end && frame != NAMES_NONE) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		struct tables_scope key = { frame,
			names_put(&x->texts, at, (size_t)(stop - at)) };
		if (key.text == NAMES_NONE)
			return NAMES_NONE;
		frame = names_put(&x->nodes, (const char *)&key, sizeof key);
		at = stop + 1;
	}
	return frame;
}

static bool tables_scopes_init(struct tables_scopes *x, const struct trace *t,
	struct arena *a)
{
	x->frame_of = arena_array(a, uint32_t, t->names.n);
	return x->frame_of && names_init(&x->texts, a) &&
	       names_init(&x->nodes, a);
}

/* The same, which reads a path once. */
static uint32_t tables_scopes_frame_of(struct tables_scopes *x,
	const struct trace *t, uint32_t scope)
{
	uint32_t frame = x->frame_of[scope];
	if (frame)
		return frame - 1;
	frame = tables_scopes_frame(x, &t->names.list[scope]);
	x->frame_of[scope] = frame == NAMES_NONE ? 0 : frame + 1;
	return frame;
}

static bool tables_scopes_frames(const struct tables_scopes *x,
	struct profile *p)
{
	p->frames = arena_array(p->arena, struct frame, x->nodes.n);
	if (!p->frames)
		return false;
	p->frames_n = x->nodes.n;
	p->frames[0].name = "";
	for (uint32_t i = 1; i < x->nodes.n; i++) {
		struct tables_scope key;
		memcpy(&key, names_text(&x->nodes, i), sizeof key);
		p->frames[i] = (struct frame){ key.parent, FRAME_ANNOTATION,
			names_text(&x->texts, key.text) };
	}
	return true;
}

static int tables_scopes_by_kernel(const void *left, const void *right)
{
	const struct caller_stat *a = left, *b = right;
	if (a->kernel != b->kernel)
		return a->kernel < b->kernel ? -1 : 1;
	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return (a->frame > b->frame) - (a->frame < b->frame);
}

/* Lines on several devices have the same scopes. A kernel at the top has no
 * scope around it. */
static bool tables_scopes(struct tables_stat *m, struct err *e)
{
	const struct stat_rows *s = &m->t->stat;
	struct profile *p = m->p;
	struct tables_scopes x;
	struct tables_tally lines;
	if (!tables_scopes_init(&x, m->t, p->arena) ||
		!tables_tally_init(&lines, p->arena))
		return arena_err(p->arena, e);
	for (uint32_t i = m->rows.from; i < m->rows.to; i++) {
		struct tables_tally_line add = { .instances = s->instances[i],
			.total_ns = s->total_ns[i] };
		uint32_t frame = tables_scopes_frame_of(&x, m->t, s->scope[i]);
		if (frame == NAMES_NONE ||
			!kernels_list_find(&m->list, s->name[i], &add.what))
			return arena_err(p->arena, e);
		add.device = (int32_t)frame;
		if (!tables_tally_add(&lines, &add, e))
			return false;
	}
	p->callers =
		arena_array(p->arena, struct caller_stat, (size_t)lines.n + 1);
	if (!p->callers || !tables_scopes_frames(&x, p))
		return arena_err(p->arena, e);
	for (uint32_t i = 0; i < lines.n; i++) {
		const struct tables_tally_line *l = &lines.lines[i];
		p->callers[p->callers_n++] = (struct caller_stat){ l->what,
			l->device ? CALLER_PATH : CALLER_NO_RANGE,
			(uint32_t)l->device, l->instances, l->total_ns };
	}
	qsort(p->callers, p->callers_n, sizeof *p->callers,
		tables_scopes_by_kernel);
	return true;
}

static bool tables_stat_fill(struct tables_stat *m, struct err *e)
{
	struct profile *p = m->p;
	size_t most = ((size_t)m->rows.to - m->rows.from) * 2;
	p->stats = arena_grow(p->arena, NULL, most * sizeof *p->stats);
	if (!p->stats)
		return arena_err(p->arena, e);
	bool by_grid = m->lines[0] == 0;
	bool sum = by_grid || m->scoped;
	if (sum && !tables_stat_sums_add(m, e))
		return false;
	if ((!sum && !tables_stat_lines_add(m, false)) ||
		!tables_stat_lines_add(m, true))
		return arena_err(p->arena, e);
	if (m->scoped && (!tables_stat_devices(m, e) || !tables_scopes(m, e)))
		return false;
	note_add(&p->notes, NOTE_statistics_only,
		sum ? p->kernels_n : m->lines[0], NULL, 0);
	return true;
}

static bool tables_statistics(const struct trace *t, const struct process *proc,
	const struct catalog *f, struct profile *p, struct err *e)
{
	struct tables_stat m = { .t = t,
		.p = p,
		.rows = proc->stat,
		.scoped = tables_stat_is_scoped(t) };
	p->span_ns = p->busy_ns = -1;
	if (!tables_stat_measure(&m, e))
		return false;
	bool ok = kernels_list_init(&m.list, t, f, p) ? tables_stat_fill(&m, e)
						      : arena_err(p->arena, e);
	kernels_list_release(&m.list);
	return ok;
}

/* The iterations of a table of patterns: those with the anchor of the first
 * row, sorted by start, then by number. A start or duration that the table does
 * not contain remains -1. */

struct tables_iterations {
	const struct trace *t;
	struct arena *a;
	struct names numbers; /* id = index in `iterations` + 1 */
	struct names seen; /* iteration, function, device and type */
	struct iteration *iterations;
	uint32_t n, cap;
};

static bool tables_iterations_grow(struct tables_iterations *m)
{
	uint32_t cap = m->cap ? m->cap * 2 : 256;
	struct iteration *grown =
		arena_grow(m->a, m->iterations, (size_t)cap * sizeof *grown);

	if (!grown)
		return false;
	m->iterations = grown;
	m->cap = cap;
	return true;
}

static struct iteration *tables_iterations_of_number(struct tables_iterations
							     *m,
	int64_t number)
{
	uint32_t id =
		names_put(&m->numbers, (const char *)&number, sizeof number);

	if (id == NAMES_NONE ||
		(id > m->n && m->n == m->cap && !tables_iterations_grow(m)))
		return NULL;
	if (id > m->n)
		m->iterations[m->n++] = (struct iteration){ .number = number,
			.start_ns = -1,
			.dur_ns = -1,
			.compute_ns = -1,
			.comm_ns = -1,
			.copy_ns = -1,
			.idle_ns = -1,
			.comm_overlapped_ns = -1,
			.sync_ns = -1 };
	return &m->iterations[id - 1];
}

/* Returns whether a row counts launches of a kernel that no earlier row
 * counted. */
static bool tables_iterations_launches(struct tables_iterations *m,
	uint32_t row, bool *ok)
{
	const struct pattern_rows *r = &m->t->pattern;
	const char *type = names_text(&m->t->names, r->func_type[row]);
	int64_t key[4] = { r->iteration[row], r->name[row], r->device[row],
		r->func_type[row] };
	uint32_t known = m->seen.n;

	if (strncmp(type, "gpu_", 4) || !strncmp(type, "gpu_mem", 7))
		return false;
	uint32_t id = names_put(&m->seen, (const char *)key, sizeof key);
	*ok = id != NAMES_NONE;
	return *ok && id == known;
}

static bool tables_iterations_read_rows(struct tables_iterations *m,
	struct slice rows)
{
	const struct pattern_rows *r = &m->t->pattern;
	bool ok = true;

	for (uint32_t i = rows.from; ok && i < rows.to; i++) {
		if (r->anchor[i] != r->anchor[rows.from])
			continue;
		struct iteration *c =
			tables_iterations_of_number(m, r->iteration[i]);
		if (!c)
			return false;
		if (c->start_ns < 0)
			c->start_ns = r->iteration_start_ns[i];
		if (c->dur_ns < 0)
			c->dur_ns = r->iteration_ns[i];
		if (tables_iterations_launches(m, i, &ok))
			c->launches += r->instances[i];
	}
	return ok;
}

static int tables_iterations_by_start(const void *left, const void *right)
{
	const struct iteration *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* Fills p->iterations from the rows with the same anchor as the slice's first.
 * Returns false if the arena is full. */
static bool tables_iterations(const struct trace *t, const struct process *proc,
	struct profile *p)
{
	struct tables_iterations m = { .t = t, .a = p->arena };
	struct iterations *c = &p->iterations;
	struct slice rows = proc->pattern;
	int64_t first = trace_first_ns(t, proc);

	c->strata = arena_new(m.a, struct stratum);
	if (!c->strata || !names_init(&m.numbers, m.a) ||
		!names_init(&m.seen, m.a) ||
		!tables_iterations_read_rows(&m, rows))
		return false;
	qsort(m.iterations, m.n, sizeof *m.iterations,
		tables_iterations_by_start);
	for (uint32_t i = 0; i < m.n; i++)
		if (m.iterations[i].start_ns >= 0 &&
			m.iterations[i].start_ns < first)
			first = m.iterations[i].start_ns;
	for (uint32_t i = 0; i < m.n; i++)
		if (m.iterations[i].start_ns >= 0)
			m.iterations[i].start_ns -= first;
	c->detector = ITERATIONS_GIVEN;
	c->confidence = 1;
	if (t->pattern.anchor[rows.from])
		c->range = names_text(&t->names, t->pattern.anchor[rows.from]);
	c->iterations = m.iterations;
	c->n = c->kept_n = m.n;
	c->strata_n = 1;
	*c->strata = (struct stratum){ .text = "as given in the table",
		.sequences = -1,
		.tokens = -1,
		.kv_tokens = -1,
		.iterations = m.n };
	return true;
}

/* A table of patterns: each GPU function is counted once per iteration. */

enum { ALL = -1 }; /* all devices */

struct tables_pattern {
	const struct trace *t;
	struct profile *p;
	struct kernel_list list;
	struct names iterations;
	struct names seen; /* iteration, function and device */
	uint32_t *first; /* by id in `seen`: its row */
	uint32_t first_cap;
	struct names operations; /* id = operation + 1 */
	struct tables_tally kernels,
		copies; /* over all devices, and by device */
	struct tables_tally devices; /* kernel launches by device */
};

static bool tables_pattern_starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Returns whether a row is the first of its iteration, function and device. A
 * later row should have the same duration; if not, that is noted. *ok is false
 * if the arena is full. */
static bool tables_pattern_is_first(struct tables_pattern *m, uint32_t row,
	bool *ok)
{
	const struct pattern_rows *r = &m->t->pattern;
	struct arena *a = m->p->arena;
	int64_t key[4] = { r->iteration[row], r->name[row], r->device[row],
		r->func_type[row] };
	uint32_t known = m->seen.n;
	uint32_t id = names_put(&m->seen, (const char *)key, sizeof key);

	*ok = id != NAMES_NONE;
	if (!*ok)
		return false;
	if (id < known) {
		uint32_t first = m->first[id];
		const struct name *n = &m->t->names.list[r->name[row]];
		if (r->dur_ns[first] != r->dur_ns[row] ||
			r->instances[first] != r->instances[row])
			note_add(&m->p->notes, NOTE_pattern_conflict, 1,
				n->text, n->len);
		return false;
	}
	if (id >= m->first_cap) {
		uint32_t cap = m->first_cap ? m->first_cap * 2 : 1024;
		uint32_t *grown =
			arena_grow(a, m->first, (size_t)cap * sizeof *grown);
		if (!(*ok = grown))
			return false;
		m->first = grown;
		m->first_cap = cap;
	}
	m->first[id] = row;
	return true;
}

/* Adds a function's time in an iteration to the line over all devices and to
 * its device's. */
static bool tables_pattern_count(struct tables_tally *t, uint32_t what,
	int32_t device, int64_t instances, int64_t total_ns, struct err *e)
{
	struct tables_tally_line add = { what, ALL, instances, total_ns };
	if (instances < 1)
		return err_set(e, ERR_TRACE, "a row counts no instance");
	if (!tables_tally_add(t, &add, e))
		return false;
	/* An unknown device has a line of its own, separate from ALL. */
	add.device = device < 0 ? INT32_MAX : device;
	return tables_tally_add(t, &add, e);
}

static bool tables_pattern_kernel_count(struct tables_pattern *m, uint32_t row,
	int32_t device, struct err *e)
{
	const struct pattern_rows *r = &m->t->pattern;
	struct tables_tally_line on = { 0, device, r->instances[row], 0 };
	uint32_t kernel;
	if (!kernels_list_find(&m->list, r->name[row], &kernel))
		return arena_err(m->p->arena, e);
	return tables_tally_sum(&m->p->kernel_ns, r->dur_ns[row], e) &&
	       tables_tally_sum(&m->p->launches, r->instances[row], e) &&
	       tables_tally_add(&m->devices, &on, e) &&
	       tables_pattern_count(&m->kernels, kernel, device,
		       r->instances[row], r->dur_ns[row], e);
}

static bool tables_pattern_copy_count(struct tables_pattern *m, uint32_t row,
	int32_t device, struct err *e)
{
	const struct pattern_rows *r = &m->t->pattern;
	const struct name *n = &m->t->names.list[r->name[row]];
	const char *text = copies_operation(n->text, n->len,
		tables_pattern_starts(n->text, "Memset"));
	struct tables_tally_line on = { 0, device, 0, 0 };
	uint32_t id = names_put(&m->operations, *text ? text : "(unnamed)",
		strlen(*text ? text : "(unnamed)"));
	if (id == NAMES_NONE)
		return arena_err(m->p->arena, e);
	return tables_tally_sum(&m->p->copy_ns, r->dur_ns[row], e) &&
	       tables_tally_sum(&m->p->copies, r->instances[row], e) &&
	       tables_tally_add(&m->devices, &on, e) &&
	       tables_pattern_count(&m->copies, id - 1, device,
		       r->instances[row], r->dur_ns[row], e);
}

/* The iterations of different anchors overlap in time, so only those of the
 * first anchor are summed. */
static bool tables_pattern_sum(struct tables_pattern *m, struct slice rows,
	struct err *e)
{
	const struct pattern_rows *r = &m->t->pattern;
	for (uint32_t i = rows.from; i < rows.to; i++) {
		if (r->anchor[i] != r->anchor[rows.from]) {
			const struct name *n = &m->t->names.list[r->anchor[i]];
			note_add(&m->p->notes, NOTE_pattern_anchor, 1, n->text,
				n->len);
			continue;
		}
		const char *type = names_text(&m->t->names, r->func_type[i]);
		bool ok = names_put(&m->iterations,
				  (const char *)&r->iteration[i],
				  sizeof r->iteration[i]) != NAMES_NONE;
		if (ok && tables_pattern_starts(type, "gpu_") &&
			tables_pattern_is_first(m, i, &ok)) {
			int32_t device = device_text_number(
				names_text(&m->t->names, r->device[i]));
			bool copy = tables_pattern_starts(type, "gpu_memcpy") ||
				    tables_pattern_starts(type, "gpu_memset");
			if (!(copy ? tables_pattern_copy_count(m, i, device, e)
				   : tables_pattern_kernel_count(m, i, device,
					     e)))
				return false;
		}
		if (!ok)
			return arena_err(m->p->arena, e);
	}
	return true;
}

/* Returns whether a line is one of those over all devices, or one of those by
 * device. */
static bool tables_pattern_is_of(const struct tables_tally_line *l,
	enum split split)
{
	return (l->device == ALL) == (split == SPLIT_NONE);
}

static int32_t tables_pattern_device(const struct tables_tally_line *l)
{
	return l->device == INT32_MAX ? -1 : l->device;
}

static void tables_pattern_kernels_fill(struct tables_pattern *m,
	enum split split)
{
	struct profile *p = m->p;
	uint32_t from = p->stats_n;
	for (uint32_t i = 0; i < m->kernels.n; i++) {
		const struct tables_tally_line *l = &m->kernels.lines[i];
		if (!tables_pattern_is_of(l, split))
			continue;
		struct kernel_stat *s = &p->stats[p->stats_n++];
		*s = (struct kernel_stat){ .kernel = l->what,
			.split = split,
			.device = tables_pattern_device(l),
			.time = tables_tally_stats(l),
			.time_pct = stats_pct(l->total_ns, p->kernel_ns) };
		memset(s->grid, -1, sizeof s->grid);
		memset(s->block, -1, sizeof s->block);
	}
	table_order_kernels(p, p->stats + from, p->stats_n - from);
}

static void tables_pattern_copies_fill(struct tables_pattern *m,
	enum split split)
{
	struct profile *p = m->p;
	uint32_t from = p->copy_stats_n;
	for (uint32_t i = 0; i < m->copies.n; i++) {
		const struct tables_tally_line *l = &m->copies.lines[i];
		if (!tables_pattern_is_of(l, split))
			continue;
		p->copy_stats[p->copy_stats_n++] = (struct copy_stat){
			.operation = names_text(&m->operations, l->what + 1),
			.split = split,
			.device = tables_pattern_device(l),
			.time = tables_tally_stats(l),
			.time_pct = stats_pct(l->total_ns, p->copy_ns)
		};
	}
	table_order_copies(p->copy_stats + from, p->copy_stats_n - from);
}

static void tables_pattern_devices_fill(struct tables_pattern *m)
{
	struct profile *p = m->p;
	for (uint32_t i = 0; i < m->devices.n; i++)
		tables_device_add(p, m->t, &m->devices.lines[i]);
	if (p->devices_n) {
		qsort(p->devices, p->devices_n, sizeof *p->devices,
			tables_device_by_number);
		note_add(&p->notes, NOTE_no_device_name, p->devices_n, NULL, 0);
	}
}

static bool tables_pattern_fill(struct tables_pattern *m, struct err *e)
{
	struct profile *p = m->p;
	struct arena *a = p->arena;
	p->stats = arena_grow(a, NULL,
		((size_t)m->kernels.n + 1) * sizeof *p->stats);
	p->copy_stats = arena_grow(a, NULL,
		((size_t)m->copies.n + 1) * sizeof *p->copy_stats);
	p->devices = arena_grow(a, NULL,
		((size_t)m->devices.n + 1) * sizeof *p->devices);
	if (!p->stats || !p->copy_stats || !p->devices)
		return arena_err(a, e);
	tables_pattern_kernels_fill(m, SPLIT_NONE);
	tables_pattern_kernels_fill(m, SPLIT_DEVICE);
	tables_pattern_copies_fill(m, SPLIT_NONE);
	tables_pattern_copies_fill(m, SPLIT_DEVICE);
	tables_pattern_devices_fill(m);
	return true;
}

/* Sets the run's start to the start of the first iteration if that was before
 * any sample. */
static void tables_pattern_started(const struct trace *t, struct slice rows,
	struct profile *p)
{
	for (uint32_t i = rows.from; t->base_is_utc && i < rows.to; i++) {
		int64_t at = t->pattern.iteration_start_ns[i];
		if (at >= 0 && (p->started_utc_ns < 0 ||
				       t->base_ns + at < p->started_utc_ns))
			p->started_utc_ns = t->base_ns + at;
	}
}

static bool tables_patterns(const struct trace *t, const struct process *proc,
	const struct catalog *f, struct profile *p, struct err *e)
{
	struct tables_pattern m = { .t = t, .p = p };
	struct arena *a = p->arena;
	p->span_ns = p->busy_ns = -1;
	bool ok = kernels_list_init(&m.list, t, f, p) &&
		  names_init(&m.iterations, a) && names_init(&m.seen, a) &&
		  names_init(&m.operations, a) &&
		  tables_tally_init(&m.kernels, a) &&
		  tables_tally_init(&m.copies, a) &&
		  tables_tally_init(&m.devices, a);
	ok = ok ? tables_pattern_sum(&m, proc->pattern, e) &&
			     tables_pattern_fill(&m, e)
		: arena_err(a, e);
	kernels_list_release(&m.list);
	arena_drop(a, m.first);
	if (!ok)
		return false;
	if (!tables_iterations(t, proc, p) || !pattern_import(t, proc, f, p))
		return arena_err(a, e);
	tables_pattern_started(t, proc->pattern, p);
	note_add(&p->notes, NOTE_patterns_only, m.iterations.n - 1, NULL, 0);
	if (p->launches == 0)
		note_add(&p->notes, NOTE_no_kernels,
			proc->pattern.to - proc->pattern.from, NULL, 0);
	return true;
}

static void tables_note_ignored(const struct process *proc, struct profile *p)
{
	uint32_t patterns = proc->pattern.to - proc->pattern.from;
	uint32_t lines = proc->stat.to - proc->stat.from;
	int64_t left = (int64_t)(proc->copy.to - proc->copy.from) +
		       (proc->graph.to - proc->graph.from);
	if (p->content == CONTENT_LAUNCHES)
		left = lines + patterns;
	else if (p->content == CONTENT_STATISTICS)
		left += patterns;
	if (left)
		note_add(&p->notes, NOTE_outside_table, left, NULL, 0);
}

void tables_content(const struct process *proc, struct profile *p)
{
	p->content = CONTENT_LAUNCHES;
	if (proc->kernel.from == proc->kernel.to &&
		proc->stat.from < proc->stat.to)
		p->content = CONTENT_STATISTICS;
	else if (proc->kernel.from == proc->kernel.to &&
		 proc->pattern.from < proc->pattern.to)
		p->content = CONTENT_PATTERNS;
	tables_note_ignored(proc, p);
}

bool tables_read(const struct trace *t, const struct process *proc,
	const struct catalog *c, struct profile *p, struct err *e)
{
	return p->content == CONTENT_STATISTICS
		       ? tables_statistics(t, proc, c, p, e)
		       : tables_patterns(t, proc, c, p, e);
}
