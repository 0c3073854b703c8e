/* nsys_gpu.c - reads the activities of a GPU: kernels, copies, sets, graph
 * replays */
#include "nsys.h"
#include <stdlib.h>

/* More devices than any machine has. Devices beyond this limit have no
 * description. */
enum { USES_MOST = 512 };

/* Records that a process used a device. nsys_devices() then describes the
 * device if the file does. False if the arena is full. */
static bool nsys_gpu_used(struct nsys *n, uint16_t process, int32_t device)
{
	for (uint32_t k = 0; k < n->uses_n; k++) {
		uint32_t i = (n->use_last + k) % n->uses_n;
		if (n->uses[i].process == process &&
			n->uses[i].device == device) {
			n->use_last = i;
			return true;
		}
	}
	if (device < 0 || n->uses_n == USES_MOST)
		return true;
	if (!n->uses)
		n->uses = arena_array(n->trace->arena, struct nsys_use,
			USES_MOST);
	if (!n->uses)
		return false;
	n->uses[n->uses_n++] = (struct nsys_use){ process, device, -1, 0 };
	return true;
}

static int nsys_gpu_by_correlation(const void *a, const void *b)
{
	const struct nsys_cause *x = a, *y = b;
	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	return x->process - y->process;
}

static bool nsys_gpu_sort_causes(struct nsys *n, struct err *e)
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
	qsort(n->causes, n->causes_n, sizeof *n->causes,
		nsys_gpu_by_correlation);
	return true;
}

/* Finds the only process that made calls with that correlation. */
static bool nsys_gpu_by_call(const struct nsys *n, int64_t correlation,
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

/* The process of a GPU activity: the one that the row names, else the one of
 * the call that caused it, else the only process of the file. */
static bool nsys_gpu_owner(struct nsys *n, struct sqlite_rows *r,
	int pid_column, int64_t correlation, uint16_t *process, struct err *e)
{
	int64_t global;
	if (sqlite_int(r, pid_column, &global))
		return nsys_event_process(n, global, true, process, e);
	if (!nsys_gpu_sort_causes(n, e))
		return false;
	if (correlation > 0 && nsys_gpu_by_call(n, correlation, process))
		return true;
	if (n->processes.n == 2 &&
		nsys_event_process_key(n, 0) != NSYS_UNKNOWN) {
		*process = 0; /* the only one, except for the empty text */
		return true;
	}
	note_add(&n->trace->notes, NOTE_no_process, 1, NULL, 0);
	return nsys_event_process(n, NSYS_UNKNOWN, true, process, e);
}

/* The columns with which all four tables begin. */
enum { START, END, DEVICE, STREAM, CORRELATION, PID, COMMON };
#define COMMON_COLUMNS                                                      \
	[START] = { "start", true }, [END] = { "end", true },               \
	[DEVICE] = { "deviceId", false }, [STREAM] = { "streamId", false }, \
	[CORRELATION] = { "correlationId", false },                         \
	[PID] = { "globalPid", false }

struct common {
	int64_t start_ns, dur_ns, stream, correlation;
	int32_t device;
	uint16_t process;
};

/* False with *e; process is NSYS_NOBODY if the row cannot be used. */
static bool nsys_gpu_common(struct nsys *n, struct sqlite_rows *r,
	enum nsys_kind kind, uint32_t name, struct common *c, struct err *e)
{
	c->process = NSYS_NOBODY;
	c->device = sqlite_small(r, DEVICE);
	c->stream = sqlite_int_or(r, STREAM, -1);
	c->correlation = sqlite_int_or(r, CORRELATION, -1);
	n->rows++;
	if (!nsys_event_span(n, r, kind, name, &c->start_ns, &c->dur_ns))
		return true;
	return nsys_gpu_owner(n, r, PID, c->correlation, &c->process, e) &&
	       (c->process == NSYS_NOBODY ||
		       nsys_gpu_used(n, c->process, c->device) ||
		       arena_err(n->trace->arena, e));
}

enum {
	NAME = COMMON,
	MANGLED,
	SHORT,
	GRID_X,
	GRID_Y,
	GRID_Z,
	BLOCK_X,
	BLOCK_Y,
	BLOCK_Z,
	REGISTERS,
	STATIC_SHARED,
	DYNAMIC_SHARED,
	GRAPH_NODE,
	GRAPH,
	KERNEL_COLUMNS_N
};
static const struct sqlite_column kernel_columns[KERNEL_COLUMNS_N] = {
	COMMON_COLUMNS,
	[NAME] = { "demangledName", false },
	[MANGLED] = { "mangledName", false },
	[SHORT] = { "shortName", false },
	[GRID_X] = { "gridX", false },
	[GRID_Y] = { "gridY", false },
	[GRID_Z] = { "gridZ", false },
	[BLOCK_X] = { "blockX", false },
	[BLOCK_Y] = { "blockY", false },
	[BLOCK_Z] = { "blockZ", false },
	[REGISTERS] = { "registersPerThread", false },
	[STATIC_SHARED] = { "staticSharedMemory", false },
	[DYNAMIC_SHARED] = { "dynamicSharedMemory", false },
	[GRAPH_NODE] = { "graphNodeId", false },
	[GRAPH] = { "graphId", false },
};

/* Reads the first of the kernel's names that has a value. */
static bool nsys_gpu_kernel_name(struct nsys *n, struct sqlite_rows *r,
	uint32_t *name, struct err *e)
{
	int64_t id;
	*name = 0;
	for (int column = NAME; column <= SHORT; column++) {
		if (sqlite_int(r, column, &id) &&
			!sqlite_names_of(&n->strings, id, name, e))
			return false;
		if (*name)
			return true;
	}
	return nsys_event_name(n, r, NAME, name, e);
}

static int32_t nsys_gpu_shared(struct sqlite_rows *r)
{
	int32_t fixed = sqlite_small(r, STATIC_SHARED);
	int32_t dynamic = sqlite_small(r, DYNAMIC_SHARED), sum;
	if (fixed < 0 || dynamic < 0)
		return fixed < 0 ? dynamic : fixed;
	return __builtin_add_overflow(fixed, dynamic, &sum) ? -1 : sum;
}

static uint32_t nsys_gpu_shape(struct nsys *n, struct sqlite_rows *r)
{
	struct launch_shape s = { .registers = sqlite_small(r, REGISTERS),
		.shared_bytes = nsys_gpu_shared(r) };
	bool known = s.registers >= 0 || s.shared_bytes >= 0;
	for (int i = 0; i < 3; i++) {
		s.grid[i] = sqlite_small(r, GRID_X + i);
		s.block[i] = sqlite_small(r, BLOCK_X + i);
		known |= s.grid[i] >= 0 || s.block[i] >= 0;
	}
	return known ? trace_launch_shape(n->trace, &s) : 0;
}

/* Newer schemas have the graph's id. In all schemas it is the upper half of the
 * node id. */
static void nsys_gpu_graph_of(struct sqlite_rows *r, struct kernel_row *k)
{
	int64_t node = sqlite_int_or(r, GRAPH_NODE, 0);
	int64_t graph = sqlite_int_or(r, GRAPH, 0);
	k->graph_node = node ? node : -1;
	if (graph <= 0)
		graph = (int64_t)((uint64_t)node >> 32);
	k->graph_id = graph > 0 ? graph : -1;
}

static bool nsys_gpu_take_kernel(struct nsys *n, struct sqlite_rows *r,
	struct err *e)
{
	struct common c;
	struct kernel_row k = { .external_id = -1 };
	if (!nsys_gpu_kernel_name(n, r, &k.name, e) ||
		!nsys_gpu_common(n, r, NSYS_KERNEL, k.name, &c, e))
		return false;
	if (c.process == NSYS_NOBODY)
		return true;
	k.process = c.process;
	k.start_ns = c.start_ns;
	k.dur_ns = c.dur_ns;
	k.device = c.device;
	k.stream = c.stream;
	k.correlation = c.correlation;
	k.launch = nsys_gpu_shape(n, r);
	nsys_gpu_graph_of(r, &k);
	return (k.launch != NAMES_NONE && trace_kernel_add(n->trace, &k)) ||
	       arena_err(n->trace->arena, e);
}

enum { BYTES = COMMON, COPY_KIND, COPY_COLUMNS_N };
static const struct sqlite_column copy_columns[COPY_COLUMNS_N] = {
	COMMON_COLUMNS,
	[BYTES] = { "bytes", false },
	[COPY_KIND] = { "copyKind", false },
};

/* The values of ENUM_CUDA_MEMCPY_OPER, which never changed in CUPTI. */
static const char *const directions[] = { "Unknown", "Host-to-Device",
	"Device-to-Host", "Host-to-Array", "Array-to-Host", "Array-to-Array",
	"Array-to-Device", "Device-to-Array", "Device-to-Device",
	"Host-to-Host", "Peer-to-Peer", "Unified Host-to-Device",
	"Unified Device-to-Host", "Unified Device-to-Device" };

static uint32_t nsys_gpu_copy_name(struct nsys *n, struct sqlite_rows *r)
{
	enum { KNOWN = sizeof directions / sizeof *directions };
	int64_t kind = sqlite_int_or(r, COPY_KIND, 0);
	char text[64];
	if (kind < 0 || kind >= KNOWN)
		kind = 0;
	int len = snprintf(text, sizeof text, "[CUDA memcpy %s]",
		directions[kind]);
	return names_put(&n->trace->names, text, (size_t)len);
}

static bool nsys_gpu_add_copy(struct nsys *n, struct sqlite_rows *r,
	uint32_t name, bool set, struct err *e)
{
	struct common c;
	if (name == NAMES_NONE)
		return arena_err(n->trace->arena, e);
	if (!nsys_gpu_common(n, r, NSYS_COPY, name, &c, e))
		return false;
	return c.process == NSYS_NOBODY ||
	       trace_copy_add(n->trace,
		       &(struct copy_row){ .process = c.process,
			       .start_ns = c.start_ns,
			       .dur_ns = c.dur_ns,
			       .name = name,
			       .device = c.device,
			       .stream = c.stream,
			       .correlation = c.correlation,
			       .external_id = -1,
			       .bytes = sqlite_int_or(r, BYTES, -1),
			       .is_set = set }) ||
	       arena_err(n->trace->arena, e);
}

static bool nsys_gpu_take_copy(struct nsys *n, struct sqlite_rows *r,
	struct err *e)
{
	return nsys_gpu_add_copy(n, r, nsys_gpu_copy_name(n, r), false, e);
}

static bool nsys_gpu_take_set(struct nsys *n, struct sqlite_rows *r,
	struct err *e)
{
	static const char name[] = "[CUDA memset]";
	return nsys_gpu_add_copy(n, r,
		names_put(&n->trace->names, name, sizeof name - 1), true, e);
}

enum { GRAPH_ID = COMMON, GRAPH_EXEC, GRAPH_COLUMNS_N };
static const struct sqlite_column graph_columns[GRAPH_COLUMNS_N] = {
	COMMON_COLUMNS,
	[GRAPH_ID] = { "graphId", false },
	[GRAPH_EXEC] = { "graphExecId", false },
};

static bool nsys_gpu_take_graph(struct nsys *n, struct sqlite_rows *r,
	struct err *e)
{
	struct common c;
	char text[40];
	struct graph_row g = { .graph_id = sqlite_int_or(r, GRAPH_ID, -1),
		.graph_exec = sqlite_int_or(r, GRAPH_EXEC, -1) };
	int len = snprintf(text, sizeof text, "CUDA graph %lld",
		(long long)g.graph_id);
	g.name = names_put(&n->trace->names, text, (size_t)len);
	if (g.name == NAMES_NONE)
		return arena_err(n->trace->arena, e);
	if (!nsys_gpu_common(n, r, NSYS_GRAPH, g.name, &c, e))
		return false;
	if (c.process == NSYS_NOBODY)
		return true;
	g.process = c.process;
	g.start_ns = c.start_ns;
	g.dur_ns = c.dur_ns;
	g.device = c.device;
	g.stream = c.stream;
	g.correlation = c.correlation;
	return trace_graph_add(n->trace, &g) || arena_err(n->trace->arena, e);
}

bool nsys_gpu(struct nsys *n, struct err *e)
{
	return nsys_event_walk(n, "CUPTI_ACTIVITY_KIND_KERNEL", kernel_columns,
		       KERNEL_COLUMNS_N, nsys_gpu_take_kernel, e) &&
	       nsys_event_walk(n, "CUPTI_ACTIVITY_KIND_MEMCPY", copy_columns,
		       COPY_COLUMNS_N, nsys_gpu_take_copy, e) &&
	       nsys_event_walk(n, "CUPTI_ACTIVITY_KIND_MEMSET", copy_columns,
		       COPY_COLUMNS_N, nsys_gpu_take_set, e) &&
	       nsys_event_walk(n, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
		       graph_columns, GRAPH_COLUMNS_N, nsys_gpu_take_graph, e);
}
