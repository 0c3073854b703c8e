/* rocpd.c - session by session. */
#include "rocpd.h"
#include "databases.h"
#include "idle.h"
#include "rebase.h"

bool rocpd_each(struct rocpd *r, const char *table,
	const struct sqlite_column *columns, int n, rocpd_take_fn *take,
	struct err *e)
{
	char name[256];
	struct sqlite_rows rows;
	snprintf(name, sizeof name, "%s%s", table, r->suffix);
	bool ok = sqlite_rows_open(&rows, r->file, name, columns, n, e);
	while (ok && sqlite_rows_next(&rows))
		ok = take(r, &rows, e) ||
		     (r->trace->arena->full && arena_err(r->trace->arena, e));
	return sqlite_rows_close(&rows, e) && ok;
}

bool rocpd_sort(struct rocpd *r, struct err *e)
{
	for (int i = 0; i < ROCPD_MAPS; i++)
		if (!roc_map_sort(&r->map[i]))
			return arena_err(r->trace->arena, e);
	return true;
}

int32_t rocpd_process(struct rocpd *r, int64_t pid)
{
	static const struct process nobody = { .pid = -1,
		.rank = -1,
		.world_size = -1 };
	struct trace *t = r->trace;
	int64_t index;
	if (rocpd_find(r, ROCPD_PROCESSES, pid, &index) ||
		rocpd_find(r, ROCPD_PIDS, pid, &index))
		return (int32_t)index;
	uint32_t own = t->processes_n - r->first_process;
	bool last = own == 1 || t->processes_n == ROCPD_PROCESSES_MAX ||
		    (own > 1 && t->processes[t->processes_n - 1].pid < 0);
	if (!last && !roc_process_add(t, &r->processes_cap, &nobody))
		return -1;
	return (int32_t)t->processes_n - 1;
}

static bool time_of(struct rocpd *r, struct sqlite_rows *rows, int direct,
	int by_number, struct num *n)
{
	int64_t id;
	if (sqlite_int(rows, direct, &n->value) ||
		(sqlite_int(rows, by_number, &id) &&
			rocpd_find(r, ROCPD_TIMESTAMPS, id, &n->value)))
		n->kind = NUM_OK;
	return n->kind == NUM_OK;
}

bool rocpd_place(struct rocpd *r, struct sqlite_rows *rows,
	struct roc_times *times, const char *what, struct rocpd_place *p)
{
	struct num start = { 0 }, end = { 0 };
	int64_t at;
	*p = (struct rocpd_place){ .at = { -1, -1, -1, -1, -1 },
		.event = sqlite_int_or(rows, ROCPD_EVENT, -1),
		.correlation = -1 };
	if (rocpd_find(r, ROCPD_TRACKS, sqlite_int_or(rows, ROCPD_TRACK, -1),
		    &at))
		p->at = r->tracks[at];
	sqlite_int(rows, ROCPD_PID, &p->at.pid);
	sqlite_int(rows, ROCPD_TID, &p->at.tid);
	sqlite_int(rows, ROCPD_AGENT, &p->at.agent);
	sqlite_int(rows, ROCPD_QUEUE, &p->at.queue);
	sqlite_int(rows, ROCPD_STREAM, &p->at.stream);
	rocpd_find(r, ROCPD_STACKS, p->event, &p->correlation);
	time_of(r, rows, ROCPD_START, ROCPD_START_ID, &start);
	time_of(r, rows, ROCPD_END, ROCPD_END_ID, &end);
	p->start_ns = start.value;
	p->timely = roc_span(times, start, end, what, &p->dur_ns);
	if (!p->timely)
		return true;
	int32_t process = rocpd_process(r, p->at.pid);
	p->process = (uint16_t)process;
	return process >= 0;
}

static bool session(struct rocpd *r, const char *suffix, struct err *e)
{
	char table[256];
	r->suffix = suffix;
	r->facts = (struct fact_list){ .text = &r->text };
	r->first_process = r->trace->processes_n;
	r->tracks_n = 0;
	for (int i = 0; i < ROCPD_MAPS; i++)
		roc_map_clear(&r->map[i]);
	snprintf(table, sizeof table, "rocpd_string%s", suffix);
	bool ok = sqlite_names_open(&r->strings, r->file, table, "id", "string",
			  &r->text, e) &&
		  rocpd_infos(r, e) && rocpd_agents(r, e) &&
		  rocpd_events(r, e) && rocpd_regions(r, e) && rocpd_gpu(r, e);
	sqlite_names_close(&r->strings);
	for (uint32_t i = r->first_process; ok && i < r->trace->processes_n;
		i++)
		ok = fact_list_give(&r->facts, i) ||
		     arena_err(r->trace->arena, e);
	return ok;
}

/* Finding a session's tables costs as much as there are tables, so that both
 * are bounded: a file with one of a thousand ranks has 20,000 tables. */
enum { SESSIONS_MAX = 1024, TABLES_MAX = 32768 };

static bool too_many(struct err *e)
{
	return err_set(e, ERR_TOO_LARGE,
		"this rocpd database holds more than %d sessions, or more "
		"than %d tables; split it",
		SESSIONS_MAX, TABLES_MAX);
}

/* A session has a table of each of these, of whatever use. */
static bool sessions(struct rocpd *r, struct err *e)
{
	static const char *const anchors[] = { "rocpd_kernel_dispatch",
		"rocpd_region", "rocpd_memory_copy" };
	bool ok = r->file->tables_n <= TABLES_MAX || too_many(e);
	int found = 0;
	for (size_t i = 0; i < sizeof anchors / sizeof *anchors && !found;
		i++) {
		const char *table;
		size_t at = 0;
		while (ok &&
			(table = sqlite_file_prefix(r->file, anchors[i], &at)))
			ok = (found++ < SESSIONS_MAX || too_many(e)) &&
			     session(r, table + strlen(anchors[i]), e);
	}
	return ok;
}

static bool finish(struct rocpd *r, struct err *e)
{
	struct trace *t = r->trace;
	if (r->records == 0)
		return err_set(e, ERR_TRACE,
			"this rocpd database holds no records; run the "
			"program with rocprofv3 --sys-trace");
	if (r->used == 0)
		return err_set(e, ERR_TRACE,
			"none of the %lld records of this rocpd database is a "
			"kernel, copy, HIP call or marker that could be read; "
			"run the program with rocprofv3 --sys-trace",
			(long long)r->records);
	if (!idle_drop(t))
		return arena_err(t->arena, e);
	if (t->processes_n > 1)
		note_add(&t->notes, NOTE_fused, t->processes_n, NULL, 0);
	t->format = "rocpd";
	rebase(t);
	return true;
}

bool rocpd_read(struct sqlite_file *f, struct trace *t, struct err *e)
{
	struct rocpd *r = arena_new(t->arena, struct rocpd);
	if (!r || !names_init(&r->raw, t->arena))
		return arena_err(t->arena, e);
	r->file = f;
	r->trace = r->text.trace = t;
	r->kernel_times.trace = r->copy_times.trace = r->call_times.trace =
		r->range_times.trace = t;
	rocprof_words_init(&r->words);
	for (int i = 0; i < ROCPD_MAPS; i++)
		r->map[i].arena = t->arena;
	return sessions(r, e) && finish(r, e);
}
