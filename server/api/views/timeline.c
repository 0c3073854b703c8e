/* timeline.c - writes the rows of a capture as events of a Chrome trace. */
#include "timeline.h"
#include "json_text.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- tracks: pids, tids, and the events that name them */

/* Linux assigns pids below 2^22. Device numbers are below SMALL. A host process
 * has a pid below SMALL only in a container with few processes. */
enum { PID_NONE = 1 << 22, PID_GPU = PID_NONE + 2, SMALL = 1024 };

void timeline_tracks_init(struct timeline_tracks *t, struct buf *out,
	int64_t pid)
{
	*t = (struct timeline_tracks){ .out = out,
		.host_pid = pid < 0 ? PID_NONE : pid };
}

int64_t timeline_tracks_gpu(const struct timeline_tracks *t, int64_t device)
{
	if (device < 0)
		return PID_GPU - 1;
	if (device < SMALL && t->host_pid >= SMALL)
		return device;
	return device <= INT32_MAX ? PID_GPU + device : device;
}

/* Begins an event with a comma, if another one precedes, and {"ph":…,"cat":….
 * `cat` may be NULL. */
static void timeline_tracks_event(struct timeline_tracks *t, const char *ph,
	const char *cat)
{
	buf_puts(t->out, t->any ? ",\n{" : "\n{");
	t->any = true;
	json_text_key(t->out, "ph");
	json_text_string(t->out, ph, strlen(ph));
	if (!cat)
		return;
	json_text_key(t->out, "cat");
	json_text_string(t->out, cat, strlen(cat));
}

/* Begins an event that names the pid and tid written after it. */
static void timeline_tracks_naming(struct timeline_tracks *t, const char *what)
{
	timeline_tracks_event(t, "M", NULL);
	json_text_key(t->out, "name");
	json_text_string(t->out, what, strlen(what));
}

static void timeline_tracks_named(struct timeline_tracks *t, const char *name,
	size_t len)
{
	json_text_key(t->out, "args");
	json_text_open(t->out, '{');
	json_text_key(t->out, "name");
	json_text_string(t->out, name, len);
	json_text_close(t->out, '}');
	json_text_close(t->out, '}');
}

/* Names a process; `pid` is a result of timeline_tracks_gpu(). */
static void timeline_tracks_process(struct timeline_tracks *t, int64_t pid,
	const char *name)
{
	timeline_tracks_naming(t, "process_name");
	json_text_key(t->out, "pid");
	json_text_whole(t->out, pid);
	json_text_key(t->out, "tid");
	json_text_whole(t->out, 0);
	timeline_tracks_named(t, name, strlen(name));
}

/* Writes "pid":…,"tid":… into the current event. */
static void timeline_tracks_on_stream(struct timeline_tracks *t, int64_t device,
	int64_t stream)
{
	json_text_key(t->out, "pid");
	json_text_whole(t->out, timeline_tracks_gpu(t, device));
	json_text_key(t->out, "tid");
	json_text_whole(t->out, stream);
}

/* Whether a track has not been named yet, as far as is remembered. */
static bool timeline_tracks_first(struct timeline_tracks *t, uint64_t a,
	uint64_t b)
{
	uint64_t h = (a * 0x9E3779B97F4A7C15u ^ b) * 0xD6E8FEB86659FD93u;
	h ^= h >> 32;
	h += !h; /* 0 means that the slot is empty */
	uint64_t *at = &t->named[h % TIMELINE_TRACKS_NAMED];
	bool met = *at == h;
	*at = h;
	return !met;
}

void timeline_tracks_name_stream(struct timeline_tracks *t, int64_t device,
	int64_t stream)
{
	struct buf name;
	if (!timeline_tracks_first(t, (uint64_t)device, (uint64_t)stream << 1))
		return;
	if (device < 0)
		timeline_tracks_process(t, timeline_tracks_gpu(t, -1), "GPU");
	buf_init(&name, 64);
	buf_printf(&name, "stream %lld", (long long)stream);
	timeline_tracks_naming(t, "thread_name");
	timeline_tracks_on_stream(t, device, stream);
	timeline_tracks_named(t, name.at, name.len);
	buf_release(&name);
}

/* Whether a text is an integer that JSON readers can represent exactly, without
 * extra zeros. */
static bool timeline_tracks_numeric(const char *s, size_t len)
{
	return len && len <= 15 && strspn(s, "0123456789") == len &&
	       (*s != '0' || len == 1);
}

void timeline_tracks_name_thread(struct timeline_tracks *t, int64_t cell,
	const char *thread, size_t len)
{
	if (!len || timeline_tracks_numeric(thread, len) ||
		!timeline_tracks_first(t, (uint64_t)cell, UINT64_C(1)))
		return;
	timeline_tracks_naming(t, "thread_name");
	timeline_tracks_on_thread(t, t->host_pid, thread, len);
	timeline_tracks_named(t, thread, len);
}

void timeline_tracks_on_thread(struct timeline_tracks *t, int64_t pid,
	const char *thread, size_t len)
{
	json_text_key(t->out, "pid");
	json_text_whole(t->out, pid);
	json_text_key(t->out, "tid");
	if (timeline_tracks_numeric(thread, len))
		json_text_raw(t->out, thread, len);
	else
		json_text_string(t->out, thread, len);
}

/* ---- the cells of a row as members of a JSON object */

struct timeline_row {
	struct timeline_event *ev;
	struct buf *out;
	const struct kst_chunk *chunk;
	uint32_t at;
};

#define TIMELINE_CELL(r, kind, field) \
	((r)->chunk->column[KST_COLUMN(kind, field)].i[(r)->at])

static const char *timeline_arg_text_of(const struct timeline_row *r,
	int64_t cell, size_t *len)
{
	const char *s = kst_reader_text(r->ev->reader, cell, len);
	if (s)
		return s;
	*len = sizeof "(lost)" - 1;
	return "(lost)";
}

static void timeline_arg_text(struct timeline_row *r, const char *key,
	int64_t cell)
{
	size_t len;
	const char *s = timeline_arg_text_of(r, cell, &len);
	json_text_key(r->out, key);
	json_text_string(r->out, s, len);
}

static void timeline_arg_number(struct timeline_row *r, const char *key,
	int64_t v)
{
	if (v < 0)
		return;
	json_text_key(r->out, key);
	json_text_whole(r->out, v);
}

static void timeline_arg_text_if(struct timeline_row *r, const char *key,
	int64_t cell)
{
	if (cell)
		timeline_arg_text(r, key, cell);
}

static bool timeline_arg_is_json(struct timeline_event *ev, int64_t cell,
	const char *s, size_t len)
{
	size_t n = (size_t)kst_reader_texts(ev->reader);
	if (cell < 0)
		return false;
	if (n > ev->is_json_n) {
		ev->is_json = realloc(ev->is_json, n);
		if (!ev->is_json)
			abort();
		memset(ev->is_json + ev->is_json_n, 0, n - ev->is_json_n);
		ev->is_json_n = n;
	}
	if (!ev->is_json[cell]) {
		json_t *v = json_loadb(s, len, JSON_DECODE_ANY, NULL);
		ev->is_json[cell] = v ? 'y' : 'n';
		json_decref(v);
	}
	return ev->is_json[cell] == 'y';
}

static void timeline_arg_json(struct timeline_row *r, const char *key,
	int64_t cell)
{
	size_t len;
	const char *s = timeline_arg_text_of(r, cell, &len);
	if (!len)
		return;
	json_text_key(r->out, key);
	if (timeline_arg_is_json(r->ev, cell, s, len))
		json_text_raw(r->out, s, len);
	else
		json_text_string(r->out, s, len);
}

static void timeline_arg_three(struct timeline_row *r, const char *key,
	const int32_t v[3])
{
	if (v[0] < 0)
		return;
	json_text_key(r->out, key);
	json_text_open(r->out, '[');
	for (int i = 0; i < 3; i++)
		json_text_whole(r->out, v[i]);
	json_text_close(r->out, ']');
}

static void timeline_arg_shape(struct timeline_row *r, int64_t cell)
{
	const struct kst_shape *s = kst_reader_shape(r->ev->reader, cell);
	timeline_arg_three(r, "grid", s->grid);
	timeline_arg_three(r, "block", s->block);
	timeline_arg_number(r, "registers per thread", s->registers);
	timeline_arg_number(r, "shared memory", s->shared_bytes);
}

static void timeline_arg_when(struct timeline_row *r, int64_t start_ns)
{
	json_text_key(r->out, "ts");
	json_text_us(r->out, start_ns);
}

static void timeline_arg_span(struct timeline_row *r, int64_t start_ns,
	int64_t dur_ns)
{
	timeline_arg_when(r, start_ns);
	json_text_key(r->out, "dur");
	json_text_us(r->out, dur_ns);
	json_text_key(r->out, "args");
	json_text_open(r->out, '{');
}

static void timeline_arg_end(struct timeline_row *r)
{
	json_text_close(r->out, '}');
	json_text_close(r->out, '}');
}

/* ---- events, kind by kind */

static void timeline_event_begin_gpu(struct timeline_row *r, const char *cat,
	int64_t name, int64_t device, int64_t stream)
{
	timeline_tracks_name_stream(&r->ev->timeline_tracks, device, stream);
	timeline_tracks_event(&r->ev->timeline_tracks, "X", cat);
	timeline_arg_text(r, "name", name);
	timeline_tracks_on_stream(&r->ev->timeline_tracks, device, stream);
}

static void timeline_event_on_thread(struct timeline_row *r, int64_t pid,
	int64_t thread)
{
	size_t len;
	const char *s = timeline_arg_text_of(r, thread, &len);
	timeline_tracks_on_thread(&r->ev->timeline_tracks, pid, s, len);
}

static void timeline_event_begin_host(struct timeline_row *r, const char *ph,
	const char *cat, int64_t name, int64_t thread)
{
	size_t len;
	const char *s = timeline_arg_text_of(r, thread, &len);
	timeline_tracks_name_thread(&r->ev->timeline_tracks, thread, s, len);
	timeline_tracks_event(&r->ev->timeline_tracks, ph, cat);
	timeline_arg_text(r, "name", name);
	timeline_event_on_thread(r, r->ev->timeline_tracks.host_pid, thread);
}

/* Writes the end of the flow arrow at the work that a call caused. */
static void timeline_event_flow_end(struct timeline_row *r, int64_t id,
	int64_t device, int64_t stream, int64_t start_ns)
{
	if (id <= 0)
		return;
	timeline_tracks_event(&r->ev->timeline_tracks, "f", "ac2g");
	json_text_key(r->out, "name");
	json_text_string(r->out, "ac2g", 4);
	timeline_arg_number(r, "id", id);
	timeline_tracks_on_stream(&r->ev->timeline_tracks, device, stream);
	timeline_arg_when(r, start_ns);
	json_text_key(r->out, "bp");
	json_text_string(r->out, "e", 1);
	json_text_close(r->out, '}');
}

/* Writes the start of the flow arrow. */
static void timeline_event_flow_start(struct timeline_row *r, int64_t id,
	int64_t thread, int64_t start_ns)
{
	if (id <= 0)
		return;
	timeline_tracks_event(&r->ev->timeline_tracks, "s", "ac2g");
	json_text_key(r->out, "name");
	json_text_string(r->out, "ac2g", 4);
	timeline_arg_number(r, "id", id);
	timeline_event_on_thread(r, r->ev->timeline_tracks.host_pid, thread);
	timeline_arg_when(r, start_ns);
	json_text_close(r->out, '}');
}

static void timeline_event_kernel(struct timeline_row *r)
{
	int64_t device = TIMELINE_CELL(r, kernel, device);
	int64_t stream = TIMELINE_CELL(r, kernel, stream);
	int64_t start_ns = TIMELINE_CELL(r, kernel, start_ns);
	int64_t correlation = TIMELINE_CELL(r, kernel, correlation);
	timeline_event_begin_gpu(r, "kernel", TIMELINE_CELL(r, kernel, name),
		device, stream);
	timeline_arg_span(r, start_ns, TIMELINE_CELL(r, kernel, dur_ns));
	timeline_arg_number(r, "device", device);
	timeline_arg_number(r, "stream", stream);
	timeline_arg_number(r, "correlation", correlation);
	timeline_arg_number(r, "External id",
		TIMELINE_CELL(r, kernel, external_id));
	timeline_arg_number(r, "graph id", TIMELINE_CELL(r, kernel, graph_id));
	timeline_arg_number(r, "graph node id",
		TIMELINE_CELL(r, kernel, graph_node));
	timeline_arg_shape(r, TIMELINE_CELL(r, kernel, launch));
	timeline_arg_end(r);
	timeline_event_flow_end(r, correlation, device, stream, start_ns);
}

static void timeline_event_copy(struct timeline_row *r)
{
	int64_t device = TIMELINE_CELL(r, copy, device),
		stream = TIMELINE_CELL(r, copy, stream);
	int64_t start_ns = TIMELINE_CELL(r, copy, start_ns);
	int64_t correlation = TIMELINE_CELL(r, copy, correlation);
	timeline_event_begin_gpu(r,
		TIMELINE_CELL(r, copy, is_set) ? "gpu_memset" : "gpu_memcpy",
		TIMELINE_CELL(r, copy, name), device, stream);
	timeline_arg_span(r, start_ns, TIMELINE_CELL(r, copy, dur_ns));
	timeline_arg_number(r, "device", device);
	timeline_arg_number(r, "stream", stream);
	timeline_arg_number(r, "correlation", correlation);
	timeline_arg_number(r, "External id",
		TIMELINE_CELL(r, copy, external_id));
	timeline_arg_number(r, "bytes", TIMELINE_CELL(r, copy, bytes));
	timeline_arg_end(r);
	timeline_event_flow_end(r, correlation, device, stream, start_ns);
}

static void timeline_event_graph(struct timeline_row *r)
{
	int64_t device = TIMELINE_CELL(r, graph, device);
	int64_t stream = TIMELINE_CELL(r, graph, stream);
	int64_t start_ns = TIMELINE_CELL(r, graph, start_ns);
	int64_t correlation = TIMELINE_CELL(r, graph, correlation);
	timeline_event_begin_gpu(r, "cuda_graph", TIMELINE_CELL(r, graph, name),
		device, stream);
	timeline_arg_span(r, start_ns, TIMELINE_CELL(r, graph, dur_ns));
	timeline_arg_number(r, "device", device);
	timeline_arg_number(r, "stream", stream);
	timeline_arg_number(r, "correlation", correlation);
	timeline_arg_number(r, "graph id", TIMELINE_CELL(r, graph, graph_id));
	timeline_arg_number(r, "graph exec id",
		TIMELINE_CELL(r, graph, graph_exec));
	timeline_arg_end(r);
	timeline_event_flow_end(r, correlation, device, stream, start_ns);
}

static void timeline_event_call(struct timeline_row *r)
{
	int64_t start_ns = TIMELINE_CELL(r, call, start_ns);
	int64_t thread = TIMELINE_CELL(r, call, thread);
	int64_t correlation = TIMELINE_CELL(r, call, correlation);
	timeline_event_begin_host(r, "X", "cuda_runtime",
		TIMELINE_CELL(r, call, name), thread);
	timeline_arg_span(r, start_ns, TIMELINE_CELL(r, call, dur_ns));
	timeline_arg_number(r, "correlation", correlation);
	timeline_arg_number(r, "External id",
		TIMELINE_CELL(r, call, external_id));
	timeline_arg_text_if(r, "kernel", TIMELINE_CELL(r, call, kernel));
	timeline_arg_shape(r, TIMELINE_CELL(r, call, launch));
	timeline_arg_end(r);
	timeline_event_flow_start(r, correlation, thread, start_ns);
}

static void timeline_event_op(struct timeline_row *r)
{
	timeline_event_begin_host(r, "X", "cpu_op", TIMELINE_CELL(r, op, name),
		TIMELINE_CELL(r, op, thread));
	timeline_arg_span(r, TIMELINE_CELL(r, op, start_ns),
		TIMELINE_CELL(r, op, dur_ns));
	timeline_arg_number(r, "External id",
		TIMELINE_CELL(r, op, external_id));
	timeline_arg_json(r, "Input Dims", TIMELINE_CELL(r, op, dims));
	timeline_arg_json(r, "Input type", TIMELINE_CELL(r, op, types));
	timeline_arg_json(r, "Concrete Inputs", TIMELINE_CELL(r, op, concrete));
	timeline_arg_end(r);
}

/* Writes the two ends of a range that may overlap others; the first one
 * contains the args. */
static void timeline_event_loose(struct timeline_row *r)
{
	int64_t start_ns = TIMELINE_CELL(r, range, start_ns), end_ns;
	int64_t name = TIMELINE_CELL(r, range, name),
		thread = TIMELINE_CELL(r, range, thread);
	int64_t id = (int64_t)r->chunk->seq * KST_ROWS_MAX + r->at;
	if (__builtin_add_overflow(start_ns, TIMELINE_CELL(r, range, dur_ns),
		    &end_ns))
		end_ns = INT64_MAX;
	timeline_event_begin_host(r, "b", "nvtx", name, thread);
	timeline_arg_number(r, "id", id);
	timeline_arg_when(r, start_ns);
	json_text_key(r->out, "args");
	json_text_open(r->out, '{');
	timeline_arg_text_if(r, "domain", TIMELINE_CELL(r, range, domain));
	timeline_arg_text_if(r, "payload", TIMELINE_CELL(r, range, payload));
	timeline_arg_end(r);
	timeline_event_begin_host(r, "e", "nvtx", name, thread);
	timeline_arg_number(r, "id", id);
	timeline_arg_when(r, end_ns);
	json_text_close(r->out, '}');
}

static void timeline_event_range(struct timeline_row *r)
{
	int64_t kind = TIMELINE_CELL(r, range, kind);
	int64_t name = TIMELINE_CELL(r, range, name),
		thread = TIMELINE_CELL(r, range, thread);
	bool python = kind == KST_RANGE_MODULE || kind == KST_RANGE_PYTHON;
	if (kind == KST_RANGE_LOOSE) {
		timeline_event_loose(r);
		return;
	}
	if (kind == KST_RANGE_GPU_ANNOTATION) {
		/* The trace does not say to which GPU this belongs. */
		timeline_tracks_event(&r->ev->timeline_tracks, "X",
			"gpu_user_annotation");
		timeline_arg_text(r, "name", name);
		timeline_event_on_thread(r,
			timeline_tracks_gpu(&r->ev->timeline_tracks, -1),
			thread);
	} else {
		timeline_event_begin_host(r, "X",
			python ? "python_function" : "user_annotation", name,
			thread);
	}
	timeline_arg_span(r, TIMELINE_CELL(r, range, start_ns),
		TIMELINE_CELL(r, range, dur_ns));
	timeline_arg_number(r, python ? "Python id" : "External id",
		TIMELINE_CELL(r, range, id));
	timeline_arg_number(r, "Python parent id",
		TIMELINE_CELL(r, range, parent));
	timeline_arg_text_if(r, "domain", TIMELINE_CELL(r, range, domain));
	timeline_arg_text_if(r, "payload", TIMELINE_CELL(r, range, payload));
	timeline_arg_end(r);
}

static void timeline_event_counter(struct timeline_row *r)
{
	struct timeline_tracks *t = &r->ev->timeline_tracks;
	int64_t device = TIMELINE_CELL(r, counter, device);
	double value = r->chunk->column[KST_COLUMN(counter, value)].d[r->at];
	if (!isfinite(value))
		return; /* a sample without a value */
	timeline_tracks_event(t, "C", NULL);
	timeline_arg_text(r, "name", TIMELINE_CELL(r, counter, name));
	json_text_key(r->out, "pid");
	json_text_whole(r->out,
		device < 0 ? t->host_pid : timeline_tracks_gpu(t, device));
	timeline_arg_when(r, TIMELINE_CELL(r, counter, start_ns));
	json_text_key(r->out, "args");
	json_text_open(r->out, '{');
	json_text_key(r->out, "value");
	json_text_real(r->out, value);
	timeline_arg_end(r);
}

void timeline_event_row(struct timeline_event *ev, const struct kst_chunk *c,
	uint32_t row)
{
	struct timeline_row r = { ev, ev->timeline_tracks.out, c, row };
	switch ((int)c->kind) {
	case KST_kernel:
		timeline_event_kernel(&r);
		break;
	case KST_copy:
		timeline_event_copy(&r);
		break;
	case KST_graph:
		timeline_event_graph(&r);
		break;
	case KST_call:
		timeline_event_call(&r);
		break;
	case KST_op:
		timeline_event_op(&r);
		break;
	case KST_range:
		timeline_event_range(&r);
		break;
	case KST_counter:
		timeline_event_counter(&r);
		break;
	default:
		break;
	}
}

void timeline_event_release(struct timeline_event *ev)
{
	free(ev->is_json);
	*ev = (struct timeline_event){ 0 };
}

/* ---- the document before and after the events */

static void timeline_text(struct buf *b, const char *key, const char *value)
{
	json_text_key(b, key);
	json_text_string(b, value, strlen(value));
}

static void timeline_number(struct buf *b, const char *key, int64_t value)
{
	if (value < 0)
		return;
	json_text_key(b, key);
	json_text_whole(b, value);
}

static void timeline_devices_list(struct buf *b, const struct profile_device *d,
	uint32_t n)
{
	json_text_key(b, "deviceProperties");
	json_text_open(b, '[');
	for (uint32_t i = 0; i < n; i++) {
		json_text_open(b, '{');
		timeline_number(b, "id", d[i].number);
		if (d[i].name)
			timeline_text(b, "name", d[i].name);
		timeline_number(b, "totalGlobalMem", d[i].memory_bytes);
		timeline_number(b, "computeMajor", d[i].compute_major);
		timeline_number(b, "computeMinor", d[i].compute_minor);
		timeline_number(b, "numSms", d[i].sm_count);
		json_text_close(b, '}');
	}
	json_text_close(b, ']');
}

/* Writes the document before the events. */
static void timeline_head(struct timeline_event *ev, const struct run_row *run,
	const struct profile_device *d, uint32_t n)
{
	const struct kst_about *about = kst_reader_about(ev->reader);
	struct buf *b = ev->timeline_tracks.out;
	json_text_open(b, '{');
	timeline_text(b, "displayTimeUnit", "ns");
	if (about->base_is_utc)
		timeline_number(b, "baseTimeNanoseconds", about->base_ns);
	if (run->framework && !strcmp(run->framework, "pytorch"))
		timeline_number(b, "schemaVersion", 1);
	timeline_devices_list(b, d, n);
	json_text_key(b, "distributedInfo");
	json_text_open(b, '{');
	timeline_number(b, "rank", run->rank);
	timeline_number(b, "world_size", run->world_size);
	json_text_close(b, '}');
	if (run->host)
		timeline_text(b, "host_name", run->host);
	json_text_key(b, "traceEvents");
	json_text_open(b, '[');
}

static void timeline_processes(struct timeline_event *ev,
	const struct run_row *run, const struct profile_device *d, uint32_t n)
{
	struct timeline_tracks *k = &ev->timeline_tracks;
	if (run->process_name)
		timeline_tracks_process(k, k->host_pid, run->process_name);
	for (uint32_t i = 0; i < n; i++) {
		struct buf name;
		if (d[i].number < 0)
			continue;
		buf_init(&name, 1 << 20);
		buf_printf(&name, "GPU %d", d[i].number);
		if (d[i].name)
			buf_printf(&name, " (%s)", d[i].name);
		timeline_tracks_process(k, timeline_tracks_gpu(k, d[i].number),
			name.at);
		buf_release(&name);
	}
}

void timeline_begin(struct timeline_event *ev, const struct run_row *run,
	const struct profile_device *devices, uint32_t n)
{
	timeline_head(ev, run, devices, n);
	timeline_processes(ev, run, devices, n);
}

void timeline_end(struct buf *b)
{
	buf_puts(b, "\n]}\n");
}
