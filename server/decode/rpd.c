/* rpd.c - opens the strings, reads the tables in their order. */
#include "rpd.h"
#include "databases.h"
#include "idle.h"
#include "rebase.h"
#include <math.h>

enum { PROCESSES_MAX = 16384 };

int32_t rpd_process(struct rpd *r, int64_t pid)
{
	struct trace *t = r->trace;
	uint32_t id = names_put(&r->pids, (const char *)&pid, sizeof pid);
	if (id > PROCESSES_MAX) /* NAMES_NONE too */
		return -1;
	if (id <= t->processes_n)
		return (int32_t)id - 1;
	bool ok = roc_process_add(t, &r->processes_cap,
		&(struct process){ .pid = pid, .rank = -1, .world_size = -1 });
	return ok ? (int32_t)id - 1 : -1;
}

enum { TYPE, DEVICE, NAME, START, VALUE, MONITOR_COLUMNS };
static const struct sqlite_column monitor[] = {
	{ "deviceType", false },
	{ "deviceId", true },
	{ "monitorType", true },
	{ "start", true },
	{ "value", true },
};

/* A value is text: "1700". */
static bool value_of(struct sqlite_rows *rows, double *value)
{
	const char *at;
	char text[32], *end;
	size_t len;
	if (!sqlite_bytes(rows, VALUE, &at, &len) || !len || len >= sizeof text)
		return false;
	memcpy(text, at, len);
	text[len] = 0;
	*value = strtod(text, &end);
	return *end == 0 && isfinite(*value);
}

/* A sample is every process's: it tells the machine's state. */
static bool sample(struct rpd *r, struct sqlite_rows *rows)
{
	static const char bad[] = "a monitor's value";
	struct counter_row row = { .device = -1 };
	const char *type;
	size_t len;
	if (!value_of(rows, &row.value) ||
		!sqlite_int(rows, START, &row.start_ns)) {
		note_add(&r->trace->notes, NOTE_bad_event, 1, bad,
			sizeof bad - 1);
		return true;
	}
	if (!sqlite_bytes(rows, TYPE, &type, &len) ||
		(len == 3 && !memcmp(type, "gpu", 3)))
		row.device = roc_small(sqlite_int_or(rows, DEVICE, -1));
	row.name = sqlite_text(rows, NAME, &r->text);
	for (uint32_t i = 0; i < r->trace->processes_n; i++) {
		row.process = (uint16_t)i;
		if (row.name == NAMES_NONE ||
			!trace_counter_add(r->trace, &row))
			return false;
	}
	return true;
}

bool rpd_monitor(struct rpd *r, struct err *e)
{
	struct sqlite_rows rows;
	bool full = false;
	bool ok = sqlite_rows_open(&rows, r->file, "rocpd_monitor", monitor,
		MONITOR_COLUMNS, e);
	while (ok && !full && sqlite_rows_next(&rows))
		full = !sample(r, &rows);
	ok = sqlite_rows_close(&rows, e) && ok;
	return ok && (!full || arena_err(r->trace->arena, e));
}

static bool init(struct rpd *r)
{
	struct arena *a = r->trace->arena;
	struct roc_map *const maps[] = { &r->processes, &r->items,
		&r->launch_of, &r->copy_of, &r->api_of, &r->first_op };
	struct roc_times *const times[] = { &r->kernel_times, &r->copy_times,
		&r->call_times, &r->range_times };
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
		maps[i]->arena = a;
	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		times[i]->trace = r->trace;
	r->text.trace = r->trace;
	r->nobody = -1;
	return names_init(&r->pids, a) && names_init(&r->launches, a) &&
	       names_init(&r->copies, a);
}

static bool finish(struct rpd *r, struct err *e)
{
	struct trace *t = r->trace;
	if (r->records == 0)
		return err_set(e, ERR_TRACE,
			"this .rpd holds no operation and no call; was the "
			"program run under runTracer.sh?");
	if (r->used == 0)
		return err_set(e, ERR_TRACE,
			"none of the %lld records of this .rpd is a kernel, "
			"copy, call or marker that could be read",
			(long long)r->records);
	if (t->processes_n > 1)
		note_add(&t->notes, NOTE_fused, t->processes_n, NULL, 0);
	t->format = "rpd";
	rebase(t);
	return true;
}

/* Markers name their text in a table of its own since schema 3. */
bool rpd_read(struct sqlite_file *f, struct trace *t, struct err *e)
{
	struct rpd r = { .file = f, .trace = t };
	const char *args = sqlite_file_table(f, "rocpd_ustring");
	if (!init(&r))
		return arena_err(t->arena, e);
	bool ok = sqlite_names_open(&r.strings, f, "rocpd_string", "id",
			  "string", &r.text, e) &&
		  sqlite_names_open(&r.args, f, args ? args : "rocpd_string",
			  "id", "string", &r.text, e) &&
		  rpd_apis(&r, e) && rpd_api_ops(&r, e) &&
		  rpd_launches(&r, e) && rpd_copies(&r, e) && rpd_ops(&r, e) &&
		  (idle_drop(t) || arena_err(t->arena, e)) &&
		  rpd_monitor(&r, e) && finish(&r, e);
	sqlite_names_close(&r.strings);
	sqlite_names_close(&r.args);
	return ok;
}
