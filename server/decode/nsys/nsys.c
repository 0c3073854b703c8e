/* nsys.c - decodes SQLite exports of Nsight Systems */
#include "nsys.h"
#include "format.h"
#include "finish.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* Calls of the CUDA runtime and driver. */

enum { START, END, TID, CORRELATION, NAME, NSYS_CALL_COLUMNS };
static const struct sqlite_column nsys_call_columns[NSYS_CALL_COLUMNS] = {
	[START] = { "start", true },
	[END] = { "end", true },
	[TID] = { "globalTid", false },
	[CORRELATION] = { "correlationId", false },
	[NAME] = { "nameId", true },
};

/* Removes the version that Nsight Systems appends to a name:
 * cudaLaunchKernel_v7000. (cuMemAlloc_v2 is the driver's own name.) */
static uint32_t nsys_call_unversioned(struct nsys *n, uint32_t id)
{
	enum { DIGITS_MIN = 4 };
	const struct name *name = &n->trace->names.list[id];
	size_t len = name->len;
	while (len && name->text[len - 1] >= '0' && name->text[len - 1] <= '9')
		len--;
	if (name->len - len < DIGITS_MIN || len < 3 ||
		memcmp(name->text + len - 2, "_v", 2) != 0)
		return id;
	return names_put(&n->trace->names, name->text, len - 2);
}

static bool nsys_call_take(struct nsys *n, struct sqlite_rows *r, struct err *e)
{
	struct trace *t = n->trace;
	int64_t global = sqlite_int_or(r, TID, 0);
	struct call_row c = { .external_id = -1,
		.correlation = sqlite_int_or(r, CORRELATION, -1) };
	n->rows++;
	if (!nsys_event_name(n, r, NAME, &c.name, e))
		return false;
	if (!nsys_event_span(n, r, NSYS_CALL, c.name, &c.start_ns, &c.dur_ns))
		return true;
	if (!nsys_event_process(n, global, true, &c.process, e))
		return false;
	if (c.process == NSYS_NOBODY)
		return true;
	c.name = nsys_call_unversioned(n, c.name);
	c.thread = nsys_event_thread(n, global);
	return (c.name != NAMES_NONE && c.thread != NAMES_NONE &&
		       trace_call_add(t, &c)) ||
	       arena_err(t->arena, e);
}

static bool nsys_calls(struct nsys *n, struct err *e)
{
	return nsys_event_walk(n, "CUPTI_ACTIVITY_KIND_RUNTIME",
		       nsys_call_columns, NSYS_CALL_COLUMNS, nsys_call_take,
		       e) &&
	       nsys_event_walk(n, "CUPTI_ACTIVITY_KIND_DRIVER",
		       nsys_call_columns, NSYS_CALL_COLUMNS, nsys_call_take, e);
}

/* The GPUs of the machine, as each process numbers them. */

/* A process may see only some of the machine's GPUs, and numbers them from
 * 0. */
enum { CUDA_PID, CUDA_DEVICE, CUDA_GPU, CUDA_COLUMNS };
static const struct sqlite_column cuda_columns[CUDA_COLUMNS] = {
	[CUDA_PID] = { "pid", true },
	[CUDA_DEVICE] = { "cudaId", true },
	[CUDA_GPU] = { "gpuId", true },
};

static bool nsys_device_take_cuda(struct nsys *n, struct sqlite_rows *r,
	struct err *e)
{
	int64_t pid = sqlite_int_or(r, CUDA_PID, -1);
	int64_t device = sqlite_int_or(r, CUDA_DEVICE, -1);
	(void)e;
	for (uint32_t i = 0; i < n->uses_n; i++) {
		struct nsys_use *u = &n->uses[i];
		if (u->device == device &&
			n->trace->processes[u->process].pid == pid)
			u->gpu = sqlite_int_or(r, CUDA_GPU, -1);
	}
	return true;
}

enum {
	ID,
	NSYS_DEVICE_NAME,
	SMS,
	MAJOR,
	MINOR,
	MEMORY,
	CLOCK,
	UUID,
	BUS_ID,
	NSYS_DEVICE_COLUMNS
};
static const struct sqlite_column nsys_device_columns[NSYS_DEVICE_COLUMNS] = {
	[ID] = { "id", true },
	[NSYS_DEVICE_NAME] = { "name", false },
	[SMS] = { "smCount", false },
	[MAJOR] = { "computeMajor", false },
	[MINOR] = { "computeMinor", false },
	[MEMORY] = { "totalMemory", false },
	[CLOCK] = { "clockRate", false }, /* Hz */
	[UUID] = { "uuid", false },
	[BUS_ID] = { "busLocation", false },
};

static bool nsys_device_take_gpu(struct nsys *n, struct sqlite_rows *r,
	struct err *e)
{
	struct trace *t = n->trace;
	int64_t id = sqlite_int_or(r, ID, -1);
	struct device d = { .sm_count = sqlite_small(r, SMS),
		.compute_major = sqlite_small(r, MAJOR),
		.compute_minor = sqlite_small(r, MINOR),
		.memory_bytes = sqlite_int_or(r, MEMORY, -1) };
	if (d.memory_bytes < 0)
		d.memory_bytes = -1;
	d.name = sqlite_text(r, NSYS_DEVICE_NAME, &n->text);
	d.uuid = sqlite_text(r, UUID, &n->text);
	d.bus_id = sqlite_text(r, BUS_ID, &n->text);
	if (d.name == NAMES_NONE || d.uuid == NAMES_NONE ||
		d.bus_id == NAMES_NONE)
		return arena_err(t->arena, e);
	for (uint32_t i = 0; i < n->uses_n; i++) {
		struct nsys_use *u = &n->uses[i];
		d.process = u->process;
		d.number = u->device;
		if (u->gpu == id)
			u->clock_mhz = sqlite_int_or(r, CLOCK, 0) / 1000000;
		if (u->gpu == id && !trace_device(t, u->process, u->device))
			t->devices[t->devices_n++] = d;
	}
	return true;
}

static bool nsys_devices(struct nsys *n, struct err *e)
{
	struct trace *t = n->trace;
	if (n->uses_n == 0)
		return true;
	t->devices = arena_array(t->arena, struct device, n->uses_n);
	if (!t->devices)
		return arena_err(t->arena, e);
	if (!nsys_event_walk(n, "TARGET_INFO_CUDA_DEVICE", cuda_columns,
		    CUDA_COLUMNS, nsys_device_take_cuda, e))
		return false;
	for (uint32_t i = 0; i < n->uses_n; i++)
		if (n->uses[i].gpu < 0)
			n->uses[i].gpu = n->uses[i].device;
	return nsys_event_walk(n, "TARGET_INFO_GPU", nsys_device_columns,
		NSYS_DEVICE_COLUMNS, nsys_device_take_gpu, e);
}

/* Facts: drivers, clocks, the CPU, and the kinds of event that were traced. */

enum { NSYS_FACT_NAME, VALUE, NSYS_FACT_COLUMNS };
static const struct sqlite_column nsys_fact_columns[NSYS_FACT_COLUMNS] = {
	[NSYS_FACT_NAME] = { "name", true },
	[VALUE] = { "value", true },
};

struct nsys_word {
	const char *at;
	size_t len;
};

static bool nsys_fact_is(struct nsys_word w, const char *text)
{
	return w.len == strlen(text) && !memcmp(w.at, text, w.len);
}

static bool nsys_fact_pair(struct sqlite_rows *r, struct nsys_word *name,
	struct nsys_word *value)
{
	return sqlite_bytes(r, NSYS_FACT_NAME, &name->at, &name->len) &&
	       sqlite_bytes(r, VALUE, &value->at, &value->len) && value->len;
}

/* The version of the recorder is in its path,
 * "…/nsight-systems/2024.6.2/target-linux-x64". The version in the tables is
 * that of the exporter. */
static bool nsys_fact_profiler(struct nsys *n, struct nsys_word path)
{
	char text[64];
	for (size_t i = 0, k; i < path.len; i = k) {
		bool dot = false;
		for (k = i + 1; k < path.len && path.at[k] != '/'; k++)
			dot |= path.at[k] == '.';
		size_t at = i + 1;
		while (at < k && (isdigit((unsigned char)path.at[at]) ||
					 path.at[at] == '.'))
			at++;
		if (path.at[i] != '/' || at < k || !dot || k - i > 24)
			continue;
		int len = snprintf(text, sizeof text, "Nsight Systems %.*s",
			(int)(k - i - 1), path.at + i + 1);
		return fact_list_put(&n->facts, "profiler", text, (size_t)len);
	}
	return true;
}

static bool nsys_fact_take_system(struct nsys *n, struct sqlite_rows *r,
	struct err *e)
{
	struct nsys_word name, value;
	bool ok = true;
	if (!nsys_fact_pair(r, &name, &value))
		return true;
	if (nsys_fact_is(name, "NvDriverVersion"))
		ok = fact_list_put(&n->facts, "driver", value.at, value.len);
	else if (nsys_fact_is(name, "CpuDescription") &&
		 !nsys_fact_is(value, "unknown"))
		ok = fact_list_put(&n->facts, "cpu", value.at, value.len);
	else if (nsys_fact_is(name, "CpuCores"))
		ok = fact_list_put(&n->facts, "cpu_cores", value.at, value.len);
	else if (nsys_fact_is(name, "TargetInstallDir"))
		ok = nsys_fact_profiler(n, value);
	return ok || arena_err(n->trace->arena, e);
}

static bool nsys_fact_take_capture(struct nsys *n, struct sqlite_rows *r,
	struct err *e)
{
	static const char graphs[] = "CUDA_GRAPH_TRACE_OPTIONS:MODE";
	struct nsys_word name, value;
	size_t len = sizeof graphs - 1;
	if (!nsys_fact_pair(r, &name, &value))
		return true;
	if (nsys_fact_is(name, "CAPTURE_EVENT_TYPE") &&
		n->traced_n < sizeof n->traced / sizeof *n->traced) {
		const char *text = arena_strndup(n->trace->arena, value.at,
			value.len < 40 ? value.len : 40);
		n->traced[n->traced_n] = text;
		n->traced_n += text != NULL;
		return text || arena_err(n->trace->arena, e);
	}
	/* A process may precede the text: "PROCESS_0:…". */
	if (name.len < len || memcmp(name.at + name.len - len, graphs, len))
		return true;
	return fact_list_put(&n->facts, "cuda_graph_trace", value.at,
		       value.len) ||
	       arena_err(n->trace->arena, e);
}

static int nsys_fact_by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool nsys_fact_traced(struct nsys *n)
{
	bool ok = true;
	if (n->traced_n)
		qsort(n->traced, n->traced_n, sizeof *n->traced,
			nsys_fact_by_text);
	for (uint32_t i = 0; ok && i < n->traced_n; i++)
		ok = fact_list_append(&n->facts, "traced", n->traced[i],
			strlen(n->traced[i]));
	return ok;
}

/* Adds the clocks of each process's GPUs as facts. */
static bool nsys_fact_clocks(struct nsys *n)
{
	bool ok = true;
	for (uint32_t p = 0; ok && p < n->trace->processes_n; p++) {
		struct fact_list own = { .text = &n->text };
		for (uint32_t i = 0; ok && i < n->uses_n; i++) {
			const struct nsys_use *u = &n->uses[i];
			char text[24];
			if (u->process != p || u->clock_mhz <= 0)
				continue;
			int len = snprintf(text, sizeof text, "%lld",
				(long long)u->clock_mhz);
			ok = fact_list_append(&own, "sm_clock_max_mhz", text,
				(size_t)len);
		}
		ok = ok && fact_list_give(&own, p);
	}
	return ok;
}

static bool nsys_facts(struct nsys *n, struct err *e)
{
	if (!nsys_event_walk(n, "TARGET_INFO_SYSTEM_ENV", nsys_fact_columns,
		    NSYS_FACT_COLUMNS, nsys_fact_take_system, e) ||
		!nsys_event_walk(n, "META_DATA_CAPTURE", nsys_fact_columns,
			NSYS_FACT_COLUMNS, nsys_fact_take_capture, e))
		return false;
	return (nsys_fact_traced(n) && fact_list_give_all(&n->facts) &&
		       nsys_fact_clocks(n)) ||
	       arena_err(n->trace->arena, e);
}

/* Samples of the GPUs' counters (--gpu-metrics-devices).
 *
 * A sample belongs to a GPU, not to a process. Every process that used the GPU
 * gets the sample, under its own number for the GPU. */

/* Identifies a counter's name: the type of its samples, and its number. */
struct nsys_key {
	int64_t type, metric;
};
struct nsys_metrics {
	struct nsys *nsys;
	struct names keys;
	uint32_t *names; /* by the key's id */
	uint32_t cap;
};
enum { GPU_MASK = 0xFF };
#define ANY_TYPE INT64_MIN

static bool nsys_metric_put(struct nsys_metrics *m, int64_t type,
	int64_t metric, uint32_t name)
{
	struct nsys_key k = { type, metric };
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

static uint32_t nsys_metric_name_of(const struct nsys_metrics *m, int64_t type,
	int64_t metric)
{
	struct nsys_key k = { type, metric };
	uint32_t id = names_find(&m->keys, (const char *)&k, sizeof k);
	if (id == NAMES_NONE) {
		k.type = ANY_TYPE;
		id = names_find(&m->keys, (const char *)&k, sizeof k);
	}
	return id == NAMES_NONE ? 0 : m->names[id];
}

static bool nsys_metric_read_names(struct nsys_metrics *m, struct err *e)
{
	enum { TYPE, METRIC, NSYS_METRIC_NAME, NSYS_METRIC_COLUMNS };
	static const struct sqlite_column columns[NSYS_METRIC_COLUMNS] = {
		[TYPE] = { "typeId", false },
		[METRIC] = { "metricId", true },
		[NSYS_METRIC_NAME] = { "metricName", true },
	};
	struct sqlite_rows r;
	bool full = false;
	bool ok = sqlite_rows_open(&r, m->nsys->file, "TARGET_INFO_GPU_METRICS",
		columns, NSYS_METRIC_COLUMNS, e);
	while (ok && !full && sqlite_rows_next(&r)) {
		int64_t type = sqlite_int_or(&r, TYPE, ANY_TYPE), metric;
		uint32_t name =
			sqlite_text(&r, NSYS_METRIC_NAME, &m->nsys->text);
		if (name && sqlite_int(&r, METRIC, &metric))
			full = name == NAMES_NONE ||
			       !nsys_metric_put(m, type, metric, name) ||
			       !nsys_metric_put(m, ANY_TYPE, metric, name);
	}
	ok = sqlite_rows_close(&r, e) && ok;
	return ok && (!full || arena_err(m->nsys->trace->arena, e));
}

/* Adds the sample to each process that used the GPU; *any: whether any did. */
static bool nsys_metric_add(struct nsys *n, int64_t gpu, struct counter_row *c,
	bool *used)
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

static bool nsys_metric_read_samples(struct nsys_metrics *m, struct err *e)
{
	enum { TIME, TYPE, METRIC, NSYS_METRIC_VALUE, NSYS_METRIC_COLUMNS };
	static const struct sqlite_column columns[NSYS_METRIC_COLUMNS] = {
		[TIME] = { "timestamp", true },
		[TYPE] = { "typeId", false },
		[METRIC] = { "metricId", true },
		[NSYS_METRIC_VALUE] = { "value", true },
	};
	struct nsys *n = m->nsys;
	struct notes *notes = &n->trace->notes;
	struct sqlite_rows r;
	bool ok = sqlite_rows_open(&r, n->file, "GPU_METRICS", columns,
		NSYS_METRIC_COLUMNS, e);
	while (ok && sqlite_rows_next(&r)) {
		int64_t type = sqlite_int_or(&r, TYPE, 0);
		int64_t metric = sqlite_int_or(&r, METRIC, -1);
		struct counter_row c = { .name = nsys_metric_name_of(m, type,
						 metric),
			.value = sqlite_real_or(&r, NSYS_METRIC_VALUE, NAN) };
		bool used = false;
		if (isnan(c.value) || !sqlite_int(&r, TIME, &c.start_ns))
			continue;
		ok = nsys_metric_add(n, type & GPU_MASK, &c, &used) ||
		     arena_err(n->trace->arena, e);
		if (!used)
			note_add(notes, NOTE_nsys_idle_gpu, 1, NULL, 0);
		else if (!c.name)
			note_add(notes, NOTE_nsys_no_metric, 1, NULL, 0);
	}
	return sqlite_rows_close(&r, e) && ok;
}

static bool nsys_metrics(struct nsys *n, struct err *e)
{
	struct nsys_metrics m = { .nsys = n };
	if (!sqlite_file_table(n->file, "GPU_METRICS"))
		return true;
	if (!names_init(&m.keys, n->trace->arena))
		return arena_err(n->trace->arena, e);
	return nsys_metric_read_names(&m, e) && nsys_metric_read_samples(&m, e);
}

/* The names and hosts of the processes. */

enum { VM_BITS = 48 };

static bool nsys_process_take_process(struct nsys *n, struct sqlite_rows *r,
	struct err *e)
{
	uint16_t p;
	int64_t global;
	if (!sqlite_int(r, 0, &global) ||
		!nsys_event_process(n, global, false, &p, e))
		return !e->code;
	if (p == NSYS_NOBODY || n->trace->processes[p].name)
		return true;
	uint32_t name = sqlite_text(r, 1, &n->text);
	if (name == NAMES_NONE)
		return arena_err(n->trace->arena, e);
	n->trace->processes[p].name = name;
	return true;
}

static bool nsys_process_take_host(struct nsys *n, struct sqlite_rows *r,
	struct err *e)
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
		if (nsys_event_process_key(n, i) >>
				(VM_BITS - NSYS_THREAD_BITS) ==
			vm >> VM_BITS)
			n->trace->processes[i].host = host;
	return true;
}

static bool nsys_processes(struct nsys *n, struct err *e)
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
		int64_t key = nsys_event_process_key(n, i);
		t->processes[i] = (struct process){
			.pid = key == NSYS_UNKNOWN ? -1 : key & NSYS_PID_MASK,
			.rank = -1,
			.world_size = -1
		};
	}
	if (t->processes_n > 1)
		note_add(&t->notes, NOTE_fused, t->processes_n, NULL, 0);
	return nsys_event_walk(n, "PROCESSES", names, 2,
		       nsys_process_take_process, e) &&
	       nsys_event_walk(n, "TARGET_INFO_SYSTEM_ENV", env, 3,
		       nsys_process_take_host, e);
}

/* 1990 and 2100: a session's start outside this range is not a time of day. */
#define UTC_FROM (INT64_C(631152000) * 1000000000)
#define UTC_TO (INT64_C(4102444800) * 1000000000)

static bool nsys_take_base(struct nsys *n, struct sqlite_rows *r, struct err *e)
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

/* Notes the data that Nsight Systems itself reports as missing. */
static bool nsys_take_diagnostic(struct nsys *n, struct sqlite_rows *r,
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

static bool nsys_read_rest(struct nsys *n, struct err *e)
{
	static const struct sqlite_column start[] = { { "utcEpochNs", true } };
	static const struct sqlite_column messages[] = { { "severity", true },
		{ "text", true } };
	return nsys_event_walk(n, "TARGET_INFO_SESSION_START_TIME", start, 1,
		       nsys_take_base, e) &&
	       nsys_event_walk(n, "DIAGNOSTIC_EVENT", messages, 2,
		       nsys_take_diagnostic, e);
}

static bool nsys_useless(const struct nsys *n, struct err *e)
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

static bool nsys_finish(struct nsys *n, struct err *e)
{
	struct trace *t = n->trace;
	if (t->kernel.n + t->copy.n + t->graph.n + t->call.n + t->range.n == 0)
		return nsys_useless(n, e);
	t->format = "nsys";
	t->framework = n->pytorch ? "pytorch" : NULL;
	if (!nsys_processes(n, e) || !nsys_devices(n, e) ||
		!nsys_metrics(n, e) || !nsys_facts(n, e))
		return false;
	finish_rebase(t);
	return finish_drop_idle(t) ? nsys_read_rest(n, e)
				   : arena_err(t->arena, e);
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
		  nsys_finish(n, e);
	sqlite_names_close(&n->strings);
	return ok;
}
