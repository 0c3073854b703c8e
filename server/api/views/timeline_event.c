/* timeline_event.c - kind by kind. */
#include "timeline_event.h"
#include "json_text.h"
#include "timeline_arg.h"
#include <math.h>
#include <stdlib.h>

static void begin_gpu(struct timeline_row *r, const char *cat, int64_t name,
	int64_t device, int64_t stream)
{
	tracks_meet_stream(&r->ev->tracks, device, stream);
	tracks_event(&r->ev->tracks, "X", cat);
	timeline_arg_text(r, "name", name);
	tracks_on_stream(&r->ev->tracks, device, stream);
}

static void on_thread(struct timeline_row *r, int64_t pid, int64_t thread)
{
	size_t len;
	const char *s = timeline_arg_text_of(r, thread, &len);
	tracks_on_thread(&r->ev->tracks, pid, s, len);
}

static void begin_host(struct timeline_row *r, const char *ph, const char *cat,
	int64_t name, int64_t thread)
{
	size_t len;
	const char *s = timeline_arg_text_of(r, thread, &len);
	tracks_meet_thread(&r->ev->tracks, thread, s, len);
	tracks_event(&r->ev->tracks, ph, cat);
	timeline_arg_text(r, "name", name);
	on_thread(r, r->ev->tracks.host_pid, thread);
}

/* The arrow's end at what a call caused. */
static void flow_end(struct timeline_row *r, int64_t id, int64_t device,
	int64_t stream, int64_t start_ns)
{
	if (id <= 0)
		return;
	tracks_event(&r->ev->tracks, "f", "ac2g");
	json_text_key(r->out, "name");
	json_text_string(r->out, "ac2g", 4);
	timeline_arg_number(r, "id", id);
	tracks_on_stream(&r->ev->tracks, device, stream);
	timeline_arg_when(r, start_ns);
	json_text_key(r->out, "bp");
	json_text_string(r->out, "e", 1);
	json_text_close(r->out, '}');
}

/* And its start. */
static void flow_start(struct timeline_row *r, int64_t id, int64_t thread,
	int64_t start_ns)
{
	if (id <= 0)
		return;
	tracks_event(&r->ev->tracks, "s", "ac2g");
	json_text_key(r->out, "name");
	json_text_string(r->out, "ac2g", 4);
	timeline_arg_number(r, "id", id);
	on_thread(r, r->ev->tracks.host_pid, thread);
	timeline_arg_when(r, start_ns);
	json_text_close(r->out, '}');
}

static void kernel(struct timeline_row *r)
{
	int64_t device = TIMELINE_CELL(r, kernel, device);
	int64_t stream = TIMELINE_CELL(r, kernel, stream);
	int64_t start_ns = TIMELINE_CELL(r, kernel, start_ns);
	int64_t correlation = TIMELINE_CELL(r, kernel, correlation);
	begin_gpu(r, "kernel", TIMELINE_CELL(r, kernel, name), device, stream);
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
	flow_end(r, correlation, device, stream, start_ns);
}

static void copy(struct timeline_row *r)
{
	int64_t device = TIMELINE_CELL(r, copy, device),
		stream = TIMELINE_CELL(r, copy, stream);
	int64_t start_ns = TIMELINE_CELL(r, copy, start_ns);
	int64_t correlation = TIMELINE_CELL(r, copy, correlation);
	begin_gpu(r,
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
	flow_end(r, correlation, device, stream, start_ns);
}

static void graph(struct timeline_row *r)
{
	int64_t device = TIMELINE_CELL(r, graph, device);
	int64_t stream = TIMELINE_CELL(r, graph, stream);
	int64_t start_ns = TIMELINE_CELL(r, graph, start_ns);
	int64_t correlation = TIMELINE_CELL(r, graph, correlation);
	begin_gpu(r, "cuda_graph", TIMELINE_CELL(r, graph, name), device,
		stream);
	timeline_arg_span(r, start_ns, TIMELINE_CELL(r, graph, dur_ns));
	timeline_arg_number(r, "device", device);
	timeline_arg_number(r, "stream", stream);
	timeline_arg_number(r, "correlation", correlation);
	timeline_arg_number(r, "graph id", TIMELINE_CELL(r, graph, graph_id));
	timeline_arg_number(r, "graph exec id",
		TIMELINE_CELL(r, graph, graph_exec));
	timeline_arg_end(r);
	flow_end(r, correlation, device, stream, start_ns);
}

static void call(struct timeline_row *r)
{
	int64_t start_ns = TIMELINE_CELL(r, call, start_ns);
	int64_t thread = TIMELINE_CELL(r, call, thread);
	int64_t correlation = TIMELINE_CELL(r, call, correlation);
	begin_host(r, "X", "cuda_runtime", TIMELINE_CELL(r, call, name),
		thread);
	timeline_arg_span(r, start_ns, TIMELINE_CELL(r, call, dur_ns));
	timeline_arg_number(r, "correlation", correlation);
	timeline_arg_number(r, "External id",
		TIMELINE_CELL(r, call, external_id));
	timeline_arg_told(r, "kernel", TIMELINE_CELL(r, call, kernel));
	timeline_arg_shape(r, TIMELINE_CELL(r, call, launch));
	timeline_arg_end(r);
	flow_start(r, correlation, thread, start_ns);
}

static void op(struct timeline_row *r)
{
	begin_host(r, "X", "cpu_op", TIMELINE_CELL(r, op, name),
		TIMELINE_CELL(r, op, thread));
	timeline_arg_span(r, TIMELINE_CELL(r, op, start_ns),
		TIMELINE_CELL(r, op, dur_ns));
	timeline_arg_number(r, "External id",
		TIMELINE_CELL(r, op, external_id));
	timeline_arg_json(r, "Input Dims", TIMELINE_CELL(r, op, dims));
	timeline_arg_json(r, "Input type", TIMELINE_CELL(r, op, types));
	timeline_arg_end(r);
}

/* The two ends of a range that may cross others; the first has the args. */
static void loose(struct timeline_row *r)
{
	int64_t start_ns = TIMELINE_CELL(r, range, start_ns), end_ns;
	int64_t name = TIMELINE_CELL(r, range, name),
		thread = TIMELINE_CELL(r, range, thread);
	int64_t id = (int64_t)r->chunk->seq * KST_ROWS_MAX + r->at;
	if (__builtin_add_overflow(start_ns, TIMELINE_CELL(r, range, dur_ns),
		    &end_ns))
		end_ns = INT64_MAX;
	begin_host(r, "b", "nvtx", name, thread);
	timeline_arg_number(r, "id", id);
	timeline_arg_when(r, start_ns);
	json_text_key(r->out, "args");
	json_text_open(r->out, '{');
	timeline_arg_told(r, "domain", TIMELINE_CELL(r, range, domain));
	timeline_arg_told(r, "payload", TIMELINE_CELL(r, range, payload));
	timeline_arg_end(r);
	begin_host(r, "e", "nvtx", name, thread);
	timeline_arg_number(r, "id", id);
	timeline_arg_when(r, end_ns);
	json_text_close(r->out, '}');
}

static void range(struct timeline_row *r)
{
	int64_t kind = TIMELINE_CELL(r, range, kind);
	int64_t name = TIMELINE_CELL(r, range, name),
		thread = TIMELINE_CELL(r, range, thread);
	bool python = kind == KST_RANGE_MODULE || kind == KST_RANGE_PYTHON;
	if (kind == KST_RANGE_LOOSE) {
		loose(r);
		return;
	}
	if (kind == KST_RANGE_GPU_ANNOTATION) {
		/* Which GPU's is not told. */
		tracks_event(&r->ev->tracks, "X", "gpu_user_annotation");
		timeline_arg_text(r, "name", name);
		on_thread(r, tracks_gpu(&r->ev->tracks, -1), thread);
	} else {
		begin_host(r, "X",
			python ? "python_function" : "user_annotation", name,
			thread);
	}
	timeline_arg_span(r, TIMELINE_CELL(r, range, start_ns),
		TIMELINE_CELL(r, range, dur_ns));
	timeline_arg_number(r, python ? "Python id" : "External id",
		TIMELINE_CELL(r, range, id));
	timeline_arg_number(r, "Python parent id",
		TIMELINE_CELL(r, range, parent));
	timeline_arg_told(r, "domain", TIMELINE_CELL(r, range, domain));
	timeline_arg_told(r, "payload", TIMELINE_CELL(r, range, payload));
	timeline_arg_end(r);
}

static void counter(struct timeline_row *r)
{
	struct tracks *t = &r->ev->tracks;
	int64_t device = TIMELINE_CELL(r, counter, device);
	double value = r->chunk->column[KST_COLUMN(counter, value)].d[r->at];
	if (!isfinite(value))
		return; /* a sample of which the value is not told */
	tracks_event(t, "C", NULL);
	timeline_arg_text(r, "name", TIMELINE_CELL(r, counter, name));
	json_text_key(r->out, "pid");
	json_text_whole(r->out,
		device < 0 ? t->host_pid : tracks_gpu(t, device));
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
	struct timeline_row r = { ev, ev->tracks.out, c, row };
	switch ((int)c->kind) {
	case KST_kernel:
		kernel(&r);
		break;
	case KST_copy:
		copy(&r);
		break;
	case KST_graph:
		graph(&r);
		break;
	case KST_call:
		call(&r);
		break;
	case KST_op:
		op(&r);
		break;
	case KST_range:
		range(&r);
		break;
	case KST_counter:
		counter(&r);
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
