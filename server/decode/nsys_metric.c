/* nsys_metric.c - samples of the GPUs' counters (--gpu-metrics-devices).
 *
 * A sample is of a GPU, not of a process: every process that used the GPU gets
 * it, under the number it knows the GPU by. */
#include "nsys.h"
#include <math.h>

/* A counter's name, by the type of its samples and its number. */
struct key {
	int64_t type, metric;
};
struct metrics {
	struct nsys *nsys;
	struct names keys;
	uint32_t *names; /* by the key's id */
	uint32_t cap;
};
enum { GPU_MASK = 0xFF };
#define ANY_TYPE INT64_MIN

static bool put(struct metrics *m, int64_t type, int64_t metric, uint32_t name)
{
	struct key k = { type, metric };
	uint32_t id = names_put(&m->keys, (const char *)&k, sizeof k);
	if (id == NAMES_NONE)
		return false;
	if (id >= m->cap) {
		uint32_t cap = 2 * id + 64;
		uint32_t *p = arena_grow(m->nsys->trace->arena, m->names,
			cap * sizeof *p);
		if (!p)
			return false;
		m->names = p;
		m->cap = cap;
	}
	m->names[id] = name;
	return true;
}

static uint32_t name_of(const struct metrics *m, int64_t type, int64_t metric)
{
	struct key k = { type, metric };
	uint32_t id = names_find(&m->keys, (const char *)&k, sizeof k);
	if (id == NAMES_NONE) {
		k.type = ANY_TYPE;
		id = names_find(&m->keys, (const char *)&k, sizeof k);
	}
	return id == NAMES_NONE ? 0 : m->names[id];
}

static bool read_names(struct metrics *m, struct err *e)
{
	enum { TYPE, METRIC, NAME, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		[TYPE] = { "typeId", false },
		[METRIC] = { "metricId", true },
		[NAME] = { "metricName", true },
	};
	struct sqlite_rows r;
	bool full = false;
	bool ok = sqlite_rows_open(&r, m->nsys->file, "TARGET_INFO_GPU_METRICS",
		columns, COLUMNS, e);
	while (ok && !full && sqlite_rows_next(&r)) {
		int64_t type = sqlite_int_or(&r, TYPE, ANY_TYPE), metric;
		uint32_t name = sqlite_text(&r, NAME, &m->nsys->text);
		if (name && sqlite_int(&r, METRIC, &metric))
			full = name == NAMES_NONE ||
			       !put(m, type, metric, name) ||
			       !put(m, ANY_TYPE, metric, name);
	}
	ok = sqlite_rows_close(&r, e) && ok;
	return ok && (!full || arena_err(m->nsys->trace->arena, e));
}

/* For each process that used the GPU; whether any did. */
static bool add(struct nsys *n, int64_t gpu, struct counter_row *c, bool *used)
{
	for (uint32_t i = 0; i < n->uses_n; i++) {
		if (n->uses[i].gpu != gpu)
			continue;
		*used = true;
		c->process = n->uses[i].process;
		c->device = n->uses[i].device;
		if (!trace_counter_add(n->trace, c))
			return false;
	}
	return true;
}

static bool read_samples(struct metrics *m, struct err *e)
{
	enum { TIME, TYPE, METRIC, VALUE, COLUMNS };
	static const struct sqlite_column columns[COLUMNS] = {
		[TIME] = { "timestamp", true },
		[TYPE] = { "typeId", false },
		[METRIC] = { "metricId", true },
		[VALUE] = { "value", true },
	};
	struct nsys *n = m->nsys;
	struct notes *notes = &n->trace->notes;
	struct sqlite_rows r;
	bool ok = sqlite_rows_open(&r, n->file, "GPU_METRICS", columns, COLUMNS,
		e);
	while (ok && sqlite_rows_next(&r)) {
		int64_t type = sqlite_int_or(&r, TYPE, 0);
		int64_t metric = sqlite_int_or(&r, METRIC, -1);
		struct counter_row c = { .name = name_of(m, type, metric),
			.value = sqlite_real_or(&r, VALUE, NAN) };
		bool used = false;
		if (isnan(c.value) || !sqlite_int(&r, TIME, &c.start_ns))
			continue;
		ok = add(n, type & GPU_MASK, &c, &used) ||
		     arena_err(n->trace->arena, e);
		if (!used)
			note_add(notes, NOTE_nsys_idle_gpu, 1, NULL, 0);
		else if (!c.name)
			note_add(notes, NOTE_nsys_no_metric, 1, NULL, 0);
	}
	return sqlite_rows_close(&r, e) && ok;
}

bool nsys_metrics(struct nsys *n, struct err *e)
{
	struct metrics m = { .nsys = n };
	if (!sqlite_file_table(n->file, "GPU_METRICS"))
		return true;
	if (!names_init(&m.keys, n->trace->arena))
		return arena_err(n->trace->arena, e);
	return read_names(&m, e) && read_samples(&m, e);
}
