/* nsys_event.c - reads the fields that events of all tables have: names, times,
 * processes, threads */
#include "nsys.h"

bool nsys_event_walk(struct nsys *n, const char *table,
	const struct sqlite_column *columns, int columns_n, nsys_take_fn *take,
	struct err *e)
{
	struct sqlite_rows r;
	bool ok = sqlite_rows_open(&r, n->file, table, columns, columns_n, e);
	while (ok && sqlite_rows_next(&r))
		ok = take(n, &r, e);
	return sqlite_rows_close(&r, e) && ok;
}

bool nsys_event_name(struct nsys *n, struct sqlite_rows *r, int column,
	uint32_t *name, struct err *e)
{
	int64_t id;
	*name = 0;
	if (!sqlite_int(r, column, &id))
		return true;
	if (!sqlite_names_of(&n->strings, id, name, e))
		return false;
	if (*name)
		return true;
	char text[24];
	size_t len = (size_t)snprintf(text, sizeof text, "%lld", (long long)id);
	note_add(&n->trace->notes, NOTE_name_unknown, 1, text, len);
	*name = names_put(&n->trace->names, text, len);
	return *name != NAMES_NONE || arena_err(n->trace->arena, e);
}

bool nsys_event_span(struct nsys *n, struct sqlite_rows *r, enum nsys_kind kind,
	uint32_t name, int64_t *start_ns, int64_t *dur_ns)
{
	const struct name *text = &n->trace->names.list[name];
	enum note_code code = NOTE_CODES;
	int64_t end;
	if (!sqlite_int(r, 0, start_ns) || !sqlite_int(r, 1, &end))
		code = NOTE_no_duration;
	else if (__builtin_sub_overflow(end, *start_ns, dur_ns))
		code = NOTE_huge_time;
	else if (*dur_ns < 0)
		code = NOTE_negative_time;
	else if (*dur_ns > TRACE_TIME_MAX_NS - n->total_ns[kind])
		code = NOTE_huge_time;
	if (code == NOTE_CODES) {
		n->total_ns[kind] += *dur_ns;
		return true;
	}
	note_add(&n->trace->notes, code, 1,
		text->len ? text->text : "(unnamed)",
		text->len ? text->len : 9);
	return false;
}

/* A global id without its thread; its sign bit is the machine's highest bit. */
static int64_t nsys_event_key_of(int64_t global)
{
	return global == NSYS_UNKNOWN ? NSYS_UNKNOWN
				      : global >> NSYS_THREAD_BITS;
}

static bool nsys_event_too_many(struct nsys *n, uint16_t *process)
{
	static const char what[] = "more than 65,535 processes";
	note_add(&n->trace->notes, NOTE_bad_event, 1, what, sizeof what - 1);
	*process = NSYS_NOBODY;
	return true;
}

bool nsys_event_process(struct nsys *n, int64_t global, bool may,
	uint16_t *process, struct err *e)
{
	int64_t key = nsys_event_key_of(global);
	const char *bytes = (const char *)&key;
	if (n->processes.n > 1 && key == n->last_key) {
		*process = n->last_process;
		return true;
	}
	uint32_t id = names_find(&n->processes, bytes, sizeof key);
	*process = NSYS_NOBODY;
	if (id == NAMES_NONE && !may)
		return true;
	if (id == NAMES_NONE && n->processes.n > NSYS_NOBODY)
		return nsys_event_too_many(n, process);
	if (id == NAMES_NONE)
		id = names_put(&n->processes, bytes, sizeof key);
	if (id == NAMES_NONE)
		return arena_err(n->trace->arena, e);
	*process = (uint16_t)(id - 1); /* id 0 is the empty text */
	n->last_key = key;
	n->last_process = *process;
	return true;
}

int64_t nsys_event_process_key(const struct nsys *n, uint32_t process)
{
	int64_t key;
	memcpy(&key, names_text(&n->processes, process + 1), sizeof key);
	return key;
}

uint32_t nsys_event_thread(struct nsys *n, int64_t global)
{
	char text[24];
	if (n->last_thread && global == n->last_tid)
		return n->last_thread;
	int len = snprintf(text, sizeof text, "%lld",
		(long long)(global & NSYS_PID_MASK));
	uint32_t id = names_put(&n->trace->names, text, (size_t)len);
	n->last_tid = global;
	n->last_thread = id == NAMES_NONE ? 0 : id;
	return id;
}
