/* nsys.c - an Nsight Systems export becomes a trace, table after table. */
#include "nsys.h"
#include "databases.h"
#include "idle.h"
#include "rebase.h"

/* 1990 and 2100: a session's start beyond them is no time of day. */
#define UTC_FROM (INT64_C(631152000) * 1000000000)
#define UTC_TO (INT64_C(4102444800) * 1000000000)

bool nsys_walk(struct nsys *n, const char *table,
	const struct sqlite_column *columns, int columns_n, nsys_take_fn *take,
	struct err *e)
{
	struct sqlite_rows r;
	bool ok = sqlite_rows_open(&r, n->file, table, columns, columns_n, e);
	while (ok && sqlite_rows_next(&r))
		ok = take(n, &r, e);
	return sqlite_rows_close(&r, e) && ok;
}

bool nsys_name(struct nsys *n, struct sqlite_rows *r, int column,
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

bool nsys_span(struct nsys *n, struct sqlite_rows *r, enum nsys_kind kind,
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

static bool take_base(struct nsys *n, struct sqlite_rows *r, struct err *e)
{
	struct trace *t = n->trace;
	int64_t utc = sqlite_int_or(r, 0, 0), base;
	(void)e;
	if (t->base_is_utc || utc < UTC_FROM || utc > UTC_TO ||
		__builtin_add_overflow(t->base_ns, utc, &base))
		return true;
	t->base_ns = base;
	t->base_is_utc = true;
	return true;
}

/* What Nsight Systems itself says is missing. */
static bool take_diagnostic(struct nsys *n, struct sqlite_rows *r,
	struct err *e)
{
	static const char *const words[] = { "Not all CUDA events", "dropped",
		"lost ", "overflow" };
	enum { WARNING = 2, ERROR = 3 };
	int64_t severity = sqlite_int_or(r, 0, 0);
	const char *at;
	size_t len;
	(void)e;
	if ((severity != WARNING && severity != ERROR) ||
		!sqlite_bytes(r, 1, &at, &len))
		return true;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (memmem(at, len, words[i], strlen(words[i]))) {
			note_add(&n->trace->notes, NOTE_nsys_lost, 1, at, len);
			break;
		}
	return true;
}

static bool read_rest(struct nsys *n, struct err *e)
{
	static const struct sqlite_column start[] = { { "utcEpochNs", true } };
	static const struct sqlite_column said[] = { { "severity", true },
		{ "text", true } };
	return nsys_walk(n, "TARGET_INFO_SESSION_START_TIME", start, 1,
		       take_base, e) &&
	       nsys_walk(n, "DIAGNOSTIC_EVENT", said, 2, take_diagnostic, e);
}

static bool useless(const struct nsys *n, struct err *e)
{
	if (n->rows)
		return err_set(e, ERR_TRACE,
			"none of the %lld events of the Nsight Systems export "
			"could be read",
			(long long)n->rows);
	if (n->trace->notes.count[NOTE_sqlite_damaged] ||
		n->trace->notes.count[NOTE_truncated])
		return err_set(e, ERR_TRACE,
			"this export of Nsight Systems is damaged before its "
			"first event; export it again");
	return err_set(e, ERR_TRACE,
		"this export of Nsight Systems holds no CUDA event and no NVTX "
		"range; record with --trace=cuda,nvtx, and see that `nsys "
		"export` comes to its end");
}

static bool finish(struct nsys *n, struct err *e)
{
	struct trace *t = n->trace;
	if (t->kernel.n + t->copy.n + t->graph.n + t->call.n + t->range.n == 0)
		return useless(n, e);
	t->format = "nsys";
	t->framework = n->pytorch ? "pytorch" : NULL;
	if (!nsys_processes(n, e) || !nsys_devices(n, e) ||
		!nsys_metrics(n, e) || !nsys_facts(n, e))
		return false;
	rebase(t);
	return idle_drop(t) ? read_rest(n, e) : arena_err(t->arena, e);
}

bool nsys_read(struct sqlite_file *f, struct trace *t, struct err *e)
{
	struct nsys *n = arena_new(t->arena, struct nsys);
	if (!n || !names_init(&n->processes, t->arena))
		return arena_err(t->arena, e);
	n->file = f;
	n->trace = t;
	n->text = (struct text){ .trace = t };
	n->facts.text = &n->text;
	bool ok = sqlite_names_open(&n->strings, f, "StringIds", "id", "value",
			  &n->text, e) &&
		  nsys_calls(n, e) && nsys_gpu(n, e) && nsys_nvtx(n, e) &&
		  finish(n, e);
	sqlite_names_close(&n->strings);
	return ok;
}
