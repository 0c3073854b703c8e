/* nsys_process.c - global ids become processes; GPU work gets its owner. */
#include "nsys.h"
#include <stdlib.h>

enum { THREAD_BITS = 24, VM_BITS = 48 };
#define UNKNOWN INT64_MIN
#define PID_MASK INT64_C(0xFFFFFF)

/* A global id without its thread; the sign is the machine's highest bit. */
static int64_t key_of(int64_t global)
{
	return global == UNKNOWN ? UNKNOWN : global >> THREAD_BITS;
}

static bool too_many(struct nsys *n, uint16_t *process)
{
	static const char what[] = "more than 65,535 processes";
	note_add(&n->trace->notes, NOTE_bad_event, 1, what, sizeof what - 1);
	*process = NSYS_NOBODY;
	return true;
}

bool nsys_process(struct nsys *n, int64_t global, bool may, uint16_t *process,
	struct err *e)
{
	int64_t key = key_of(global);
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
		return too_many(n, process);
	if (id == NAMES_NONE)
		id = names_put(&n->processes, bytes, sizeof key);
	if (id == NAMES_NONE)
		return arena_err(n->trace->arena, e);
	*process = (uint16_t)(id - 1); /* id 0 is the empty text's */
	n->last_key = key;
	n->last_process = *process;
	return true;
}

static int64_t key_at(const struct nsys *n, uint32_t process)
{
	int64_t key;
	memcpy(&key, names_text(&n->processes, process + 1), sizeof key);
	return key;
}

static int by_correlation(const void *a, const void *b)
{
	const struct nsys_cause *x = a, *y = b;
	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	return x->process - y->process;
}

static bool sort_causes(struct nsys *n, struct err *e)
{
	const struct call_rows *c = &n->trace->call;
	if (n->causes || c->n == 0)
		return true;
	n->causes = arena_grow(n->trace->arena, NULL, c->n * sizeof *n->causes);
	if (!n->causes)
		return arena_err(n->trace->arena, e);
	for (uint32_t i = 0; i < c->n; i++)
		if (c->correlation[i] > 0)
			n->causes[n->causes_n++] =
				(struct nsys_cause){ c->correlation[i],
					c->process[i] };
	qsort(n->causes, n->causes_n, sizeof *n->causes, by_correlation);
	return true;
}

/* The one process that made calls of that number. */
static bool by_call(const struct nsys *n, int64_t correlation,
	uint16_t *process)
{
	uint32_t from = 0, to = n->causes_n;
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;
		if (n->causes[mid].correlation < correlation)
			from = mid + 1;
		else
			to = mid;
	}
	if (from == n->causes_n || n->causes[from].correlation != correlation)
		return false;
	*process = n->causes[from].process;
	for (to = from;
		to < n->causes_n && n->causes[to].correlation == correlation;
		to++)
		if (n->causes[to].process != *process)
			return false;
	return true;
}

bool nsys_owner(struct nsys *n, struct sqlite_rows *r, int pid_column,
	int64_t correlation, uint16_t *process, struct err *e)
{
	int64_t global;
	if (sqlite_int(r, pid_column, &global))
		return nsys_process(n, global, true, process, e);
	if (!sort_causes(n, e))
		return false;
	if (correlation > 0 && by_call(n, correlation, process))
		return true;
	if (n->processes.n == 2 && key_at(n, 0) != UNKNOWN) {
		*process = 0; /* besides the empty text it is the only one */
		return true;
	}
	note_add(&n->trace->notes, NOTE_no_process, 1, NULL, 0);
	return nsys_process(n, UNKNOWN, true, process, e);
}

uint32_t nsys_thread(struct nsys *n, int64_t global)
{
	char text[24];
	if (n->last_thread && global == n->last_tid)
		return n->last_thread;
	int len = snprintf(text, sizeof text, "%lld",
		(long long)(global & PID_MASK));
	uint32_t id = names_put(&n->trace->names, text, (size_t)len);
	n->last_tid = global;
	n->last_thread = id == NAMES_NONE ? 0 : id;
	return id;
}

static bool take_process(struct nsys *n, struct sqlite_rows *r, struct err *e)
{
	uint16_t p;
	int64_t global;
	if (!sqlite_int(r, 0, &global) ||
		!nsys_process(n, global, false, &p, e))
		return !e->code;
	if (p == NSYS_NOBODY || n->trace->processes[p].name)
		return true;
	uint32_t name = sqlite_text(r, 1, &n->text);
	if (name == NAMES_NONE)
		return arena_err(n->trace->arena, e);
	n->trace->processes[p].name = name;
	return true;
}

static bool take_host(struct nsys *n, struct sqlite_rows *r, struct err *e)
{
	static const char what[] = "Hostname";
	int64_t vm = sqlite_int_or(r, 0, 0);
	const char *at;
	size_t len;
	if (!sqlite_bytes(r, 1, &at, &len) || len != sizeof what - 1 ||
		memcmp(at, what, len) != 0)
		return true;
	uint32_t host = sqlite_text(r, 2, &n->text);
	if (host == NAMES_NONE)
		return arena_err(n->trace->arena, e);
	for (uint32_t i = 0; i < n->trace->processes_n; i++)
		if (key_at(n, i) >> (VM_BITS - THREAD_BITS) == vm >> VM_BITS)
			n->trace->processes[i].host = host;
	return true;
}

bool nsys_processes(struct nsys *n, struct err *e)
{
	static const struct sqlite_column names[] = { { "globalPid", true },
		{ "name", true } };
	static const struct sqlite_column env[] = { { "globalVid", true },
		{ "name", true }, { "value", true } };
	struct trace *t = n->trace;
	t->processes_n = n->processes.n - 1;
	t->processes = arena_array(t->arena, struct process, t->processes_n);
	if (!t->processes)
		return arena_err(t->arena, e);
	for (uint32_t i = 0; i < t->processes_n; i++) {
		int64_t key = key_at(n, i);
		t->processes[i] = (struct process){
			.pid = key == UNKNOWN ? -1 : key & PID_MASK,
			.rank = -1,
			.world_size = -1
		};
	}
	if (t->processes_n > 1)
		note_add(&t->notes, NOTE_fused, t->processes_n, NULL, 0);
	return nsys_walk(n, "PROCESSES", names, 2, take_process, e) &&
	       nsys_walk(n, "TARGET_INFO_SYSTEM_ENV", env, 3, take_host, e);
}
