/* rocpd.c - decodes the rocpd databases of rocprofv3 and rocprof-sys */
#include "format.h"
#include "finish.h"
#include "rocm.h"
#include "rocprof_read.h"
#include "sqlite.h"
#include <math.h>

enum { ROCPD_PROCESSES_MAX = 16384 };

/* The process of a row and the place where it ran. They come from the row or,
 * in the newer layout, from the row's track; -1 if unknown. */
struct rocpd_track {
	int64_t pid, tid, agent, queue, stream;
};

/* Maps from the numbers of a session. */
enum rocpd_map {
	ROCPD_HOSTS, /* node → id of a name */
	ROCPD_PROCESSES, /* rocpd_info_process.id → index */
	ROCPD_PIDS, /* its pid → index; used if ids are not pids */
	ROCPD_THREADS, /* rocpd_info_thread.id → tid */
	ROCPD_AGENTS, /* → device, -1 the host */
	ROCPD_SYMBOLS, /* → vgprs << 32 | id of raw */
	ROCPD_TIMESTAMPS, /* → ns */
	ROCPD_TRACKS, /* → index of tracks */
	ROCPD_STACKS, /* event → correlation */
	ROCPD_PARENTS, /* event → its caller's correlation */
	ROCPD_MESSAGES, /* event → id of a marker's message */
	ROCPD_CALLERS, /* an HSA call's correlation → its caller's */
	ROCPD_COUNTERS, /* rocpd_info_pmc.id → device << 32 | id of its name */
	ROCPD_SAMPLES, /* event → ns of its sample */
	ROCPD_USES, /* device << 16 | process → the process, which has its rows */
	ROCPD_USERS, /* device → index of its first process in ROCPD_USES */
	ROCPD_COUNTED, /* event → 1, if its sample has a counter's value */
	ROCPD_MAPS
};

struct rocpd {
	struct sqlite_file *file;
	struct trace *trace;
	struct text text;
	struct word_table words; /* of an agent's JSON */
	int64_t records, used;
	uint32_t processes_cap, devices_cap;
	struct rocm_times kernel_times, copy_times, call_times, range_times;

	struct names raw; /* kernels' names, of all sessions */

	/* Values of the session that is being read: */
	const char *suffix;
	struct fact_list facts;
	uint32_t first_process, first_kernel, first_copy;
	struct sqlite_names strings;
	struct rocm_map map[ROCPD_MAPS];
	struct rocpd_track *tracks;
	uint32_t tracks_n, tracks_cap;
};

/* Opens a session's table and passes each row to `take` until `take` fails. It
 * fails only if the arena is full or, with *e, if decoding cannot continue. */
typedef bool rocpd_take_fn(struct rocpd *r, struct sqlite_rows *rows,
	struct err *e);

static inline bool rocpd_find(struct rocpd *r, enum rocpd_map map, int64_t key,
	int64_t *value)
{
	return rocm_map_find(&r->map[map], key, value);
}

/* The columns with the place and the time in all tables; other columns
 * follow. */
#define ROCPD_PLACE                                                          \
	{ "pid", false }, { "tid", false }, { "agent_id", false },           \
		{ "queue_id", false }, { "stream_id", false },               \
		{ "track_id", false }, { "start", false }, { "end", false }, \
		{ "start_id", false }, { "end_id", false },                  \
	{                                                                    \
		"event_id", false                                            \
	}
enum {
	ROCPD_PID,
	ROCPD_TID,
	ROCPD_AGENT,
	ROCPD_QUEUE,
	ROCPD_STREAM,
	ROCPD_TRACK,
	ROCPD_START,
	ROCPD_END,
	ROCPD_START_ID,
	ROCPD_END_ID,
	ROCPD_EVENT,
	ROCPD_PLACES
};

struct rocpd_place {
	struct rocpd_track at;
	int64_t start_ns, dur_ns, event, correlation;
	uint16_t process;
	bool timely; /* start_ns and dur_ns are valid */
};

static bool rocpd_each(struct rocpd *r, const char *table,
	const struct sqlite_column *columns, int n, rocpd_take_fn *take,
	struct err *e);
static bool rocpd_sort(struct rocpd *r, struct err *e);
static bool rocpd_time_of(struct rocpd *r, struct sqlite_rows *rows, int direct,
	int by_number, struct number *n);
static int32_t rocpd_process(struct rocpd *r, int64_t pid);
static bool rocpd_place(struct rocpd *r, struct sqlite_rows *rows,
	struct rocm_times *times, const char *what, struct rocpd_place *p);

/* Tables that the rows of a session refer to by number. */

static bool rocpd_info_put(struct rocpd *r, enum rocpd_map map, int64_t key,
	int64_t value)
{
	return rocm_map_put(&r->map[map], key, value);
}

static bool rocpd_node(struct rocpd *r, struct sqlite_rows *rows, struct err *e)
{
	uint32_t name = sqlite_text(rows, 1, &r->text);
	const char *system, *release;
	size_t system_len = 0, release_len = 0;
	(void)e;
	sqlite_bytes(rows, 2, &system, &system_len);
	sqlite_bytes(rows, 3, &release, &release_len);
	return name != NAMES_NONE &&
	       rocm_system_facts(&r->facts, system, system_len, release,
		       release_len) &&
	       rocpd_info_put(r, ROCPD_HOSTS, sqlite_int_or(rows, 0, -1), name);
}

enum { PROCESS_ID, PROCESS_PID, PROCESS_NODE, COMMAND, PROCESS_NAME };

/* The first word of a command, without its folder; else the name in the row. */
static uint32_t rocpd_info_program(struct rocpd *r, struct sqlite_rows *rows)
{
	struct text_span s = { .escaped = false };
	size_t len;
	if (!sqlite_bytes(rows, COMMAND, &s.at, &len) || len == 0)
		return sqlite_text(rows, PROCESS_NAME, &r->text);
	const char *space = memchr(s.at, ' ', len);
	len = space ? (size_t)(space - s.at) : len;
	size_t at = rocm_program_at(s.at, len);
	s.at += at;
	s.len = (uint32_t)(len - at);
	return text_id(&r->text, &s);
}

static bool rocpd_process_row(struct rocpd *r, struct sqlite_rows *rows,
	struct err *e)
{
	static const char many[] = "more processes than can be distinguished";
	struct process p = { .pid = sqlite_int_or(rows, PROCESS_PID, -1),
		.rank = -1,
		.world_size = -1 };
	int64_t host = 0, index = r->trace->processes_n;
	(void)e;
	if (index == ROCPD_PROCESSES_MAX) {
		note_add(&r->trace->notes, NOTE_bad_event, 1, many,
			sizeof many - 1);
		return true;
	}
	rocpd_find(r, ROCPD_HOSTS, sqlite_int_or(rows, PROCESS_NODE, -1),
		&host);
	p.host = (uint32_t)host;
	p.name = rocpd_info_program(r, rows);
	return p.name != NAMES_NONE &&
	       rocpd_info_put(r, ROCPD_PROCESSES,
		       sqlite_int_or(rows, PROCESS_ID, -1), index) &&
	       rocpd_info_put(r, ROCPD_PIDS, p.pid, index) &&
	       rocm_process_add(r->trace, &r->processes_cap, &p);
}

static bool rocpd_thread_row(struct rocpd *r, struct sqlite_rows *rows,
	struct err *e)
{
	(void)e;
	return rocpd_info_put(r, ROCPD_THREADS, sqlite_int_or(rows, 0, -1),
		sqlite_int_or(rows, 1, -1));
}

static bool rocpd_info_symbol(struct rocpd *r, struct sqlite_rows *rows,
	struct err *e)
{
	const char *name;
	size_t len;
	(void)e;
	if ((!sqlite_bytes(rows, 1, &name, &len) || len == 0) &&
		(!sqlite_bytes(rows, 2, &name, &len) || len == 0))
		return true;
	uint32_t id = names_put(&r->raw, name, text_kernel_len(name, len));
	int64_t vgprs = rocm_small(sqlite_int_or(rows, 3, -1));
	return id != NAMES_NONE &&
	       rocpd_info_put(r, ROCPD_SYMBOLS, sqlite_int_or(rows, 0, -1),
		       vgprs * (INT64_C(1) << 32) + id);
}

static bool rocpd_info_timestamp(struct rocpd *r, struct sqlite_rows *rows,
	struct err *e)
{
	int64_t value;
	(void)e;
	return !sqlite_int(rows, 1, &value) ||
	       rocpd_info_put(r, ROCPD_TIMESTAMPS, sqlite_int_or(rows, 0, -1),
		       value);
}

static bool rocpd_info_track(struct rocpd *r, struct sqlite_rows *rows,
	struct err *e)
{
	(void)e;
	if (r->tracks_n == r->tracks_cap) {
		uint32_t cap = r->tracks_cap ? r->tracks_cap * 2 : 16;
		struct rocpd_track *list = arena_grow(r->trace->arena,
			r->tracks, cap * sizeof *list);
		if (!list)
			return false;
		r->tracks = list;
		r->tracks_cap = cap;
	}
	r->tracks[r->tracks_n] = (struct rocpd_track){
		.pid = sqlite_int_or(rows, 1, -1),
		.tid = sqlite_int_or(rows, 2, -1),
		.agent = sqlite_int_or(rows, 3, -1),
		.queue = sqlite_int_or(rows, 4, -1),
		.stream = sqlite_int_or(rows, 5, -1),
	};
	return rocpd_info_put(r, ROCPD_TRACKS, sqlite_int_or(rows, 0, -1),
		r->tracks_n++);
}

static bool rocpd_infos(struct rocpd *r, struct err *e)
{
	static const struct sqlite_column nodes[] = { { "id", true },
		{ "hostname", true }, { "system_name", false },
		{ "release", false } };
	static const struct sqlite_column processes[] = { { "id", true },
		{ "pid", true }, { "nid", false }, { "command", false },
		{ "name", false } };
	static const struct sqlite_column threads[] = { { "id", true },
		{ "tid", true } };
	static const struct sqlite_column symbols[] = { { "id", true },
		{ "display_name", false }, { "kernel_name", false },
		{ "arch_vgpr_count", false } };
	static const struct sqlite_column timestamps[] = { { "id", true },
		{ "value", true } };
	static const struct sqlite_column tracks[] = { { "id", true },
		{ "pid", false }, { "tid", false }, { "agent_id", false },
		{ "queue_id", false }, { "stream_id", false } };
	return rocpd_each(r, "rocpd_info_node", nodes, 4, rocpd_node, e) &&
	       rocpd_sort(r, e) &&
	       rocpd_each(r, "rocpd_info_process", processes, 5,
		       rocpd_process_row, e) &&
	       rocpd_each(r, "rocpd_info_thread", threads, 2, rocpd_thread_row,
		       e) &&
	       rocpd_each(r, "rocpd_info_kernel_symbol", symbols, 4,
		       rocpd_info_symbol, e) &&
	       rocpd_each(r, "rocpd_timestamp", timestamps, 2,
		       rocpd_info_timestamp, e) &&
	       rocpd_each(r, "rocpd_track", tracks, 6, rocpd_info_track, e) &&
	       rocpd_sort(r, e);
}

/* GPUs, and the JSON that rows of this database contain. */

enum { ID, PID, TYPE, TYPE_INDEX, NAME, PRODUCT, EXTDATA, COLUMNS };
static const struct sqlite_column rocpd_agent_columns[] = {
	{ "id", true },
	{ "pid", false },
	{ "type", true },
	{ "type_index", false },
	{ "name", false },
	{ "product_name", false },
	{ "extdata", false },
};

static char *rocpd_json(struct rocpd *r, struct sqlite_rows *rows, int column,
	size_t *len)
{
	const char *at;
	if (!sqlite_bytes(rows, column, &at, len) || *len < 2 || *at != '{')
		return NULL;
	char *text = arena_grow(r->trace->arena, NULL, *len + SCAN_PAD);
	if (text) {
		memcpy(text, at, *len);
		memset(text + *len, 0, SCAN_PAD);
	}
	return text;
}

/* Describes an agent by the data that rocprofv3 writes in addition to the
 * columns. */
static void rocpd_agent_describe(struct rocpd *r, struct sqlite_rows *rows,
	struct rocprof_agent *a)
{
	union rocprof_thing thing;
	size_t len;
	char *text = rocpd_json(r, rows, EXTDATA, &len);
	*a = (struct rocprof_agent){ .type = -1,
		.logical = -1,
		.gpu_index = -1,
		.pci_domain = -1,
		.pci_location = -1,
		.cu_count = -1,
		.gfx = -1,
		.memory_bytes = -1,
		.clock_mhz = -1 };
	if (text) {
		struct scan s = { .end = text + len };
		if (rocprof_agent(&s, &r->words, text, &thing))
			*a = thing.agent;
		a->name = a->product = (struct text_span){ 0 };
	}
	arena_drop(r->trace->arena, text);
}

static bool rocpd_agent_cpu_facts(struct rocpd *r, struct sqlite_rows *rows)
{
	const char *at;
	size_t len;
	bool cpu = sqlite_bytes(rows, TYPE, &at, &len) && len == 3 &&
		   !memcmp(at, "CPU", 3);
	return !cpu || !sqlite_bytes(rows, PRODUCT, &at, &len) ||
	       fact_list_append(&r->facts, "cpu", at, len);
}

static bool rocpd_agent_agent(struct rocpd *r, struct sqlite_rows *rows,
	struct err *e)
{
	const char *type;
	struct rocprof_agent a;
	size_t len;
	int64_t id = sqlite_int_or(rows, ID, -1);
	(void)e;
	if (!sqlite_bytes(rows, TYPE, &type, &len) || len != 3 ||
		memcmp(type, "GPU", 3) != 0)
		return rocm_map_put(&r->map[ROCPD_AGENTS], id, -1) &&
		       rocpd_agent_cpu_facts(r, rows);
	rocpd_agent_describe(r, rows, &a);
	struct device d = {
		.process = rocpd_process(r, sqlite_int_or(rows, PID, -1)),
		.number =
			rocm_small(sqlite_int_or(rows, TYPE_INDEX, a.logical)),
		.name = sqlite_text(rows, PRODUCT, &r->text),
	};
	rocm_device_describe(&d, a.cu_count, a.gfx, a.memory_bytes);
	d.bus_id = rocm_bus_id(r->trace, a.pci_domain, a.pci_location);
	if (!d.name)
		d.name = sqlite_text(rows, NAME, &r->text);
	if (d.number < 0)
		d.number = rocm_small(id);
	return d.process >= 0 && d.name != NAMES_NONE &&
	       d.bus_id != NAMES_NONE &&
	       rocm_clock_fact(&r->facts, a.clock_mhz) &&
	       rocm_map_put(&r->map[ROCPD_AGENTS], id, d.number) &&
	       rocm_device_add(r->trace, &r->devices_cap, &d);
}

static bool rocpd_agents(struct rocpd *r, struct err *e)
{
	return rocpd_each(r, "rocpd_info_agent", rocpd_agent_columns, COLUMNS,
		rocpd_agent_agent, e);
}

/* The host's activities, and the events that join them to other rows.
 *
 * The name of a region's call shows its library, because the names of each
 * library share a prefix. The category that an event may have adds no
 * information. */

enum { ROCPD_REGION_ID, STACK, PARENT, ROCPD_REGION_EXTDATA, EVENT_COLUMNS };
static const struct sqlite_column events[] = {
	{ "id", true },
	{ "stack_id", false },
	{ "parent_stack_id", false },
	{ "extdata", false },
};

static const char *rocpd_region_message_field(const struct rocprof_fields *f,
	struct scan *s, const char *p, uint32_t k, void *to)
{
	(void)f;
	return k == ROCPROF_MESSAGE ? scan_text(s, p, to)
				    : scan_skip(s, p, true);
}

/* Reads {"message": "…"}, the text of a marker. */
static bool rocpd_region_message(struct rocpd *r, struct sqlite_rows *rows,
	int64_t event)
{
	struct rocprof_fields f = { &r->words, rocpd_region_message_field };
	struct text_span text = { 0 };
	size_t len;
	bool ok = true;
	char *at = rocpd_json(r, rows, ROCPD_REGION_EXTDATA, &len);
	struct scan s = { .end = at ? at + len : NULL };
	if (at && rocprof_read_fields(&f, &s, at, &text) && text.at) {
		uint32_t id = text_id(&r->text, &text);
		ok = id != NAMES_NONE &&
		     rocm_map_put(&r->map[ROCPD_MESSAGES], event, id);
	}
	arena_drop(r->trace->arena, at);
	return ok;
}

static bool rocpd_region_event(struct rocpd *r, struct sqlite_rows *rows,
	struct err *e)
{
	int64_t id = sqlite_int_or(rows, ROCPD_REGION_ID, -1);
	int64_t stack = sqlite_int_or(rows, STACK, -1);
	int64_t parent = sqlite_int_or(rows, PARENT, -1);
	(void)e;
	return rocm_map_put(&r->map[ROCPD_STACKS], id, stack) &&
	       (parent <= 0 || parent == stack ||
		       rocm_map_put(&r->map[ROCPD_PARENTS], id, parent)) &&
	       rocpd_region_message(r, rows, id);
}

static bool rocpd_events(struct rocpd *r, struct err *e)
{
	return rocpd_each(r, "rocpd_event", events, EVENT_COLUMNS,
		       rocpd_region_event, e) &&
	       rocpd_sort(r, e);
}

enum { ROCPD_REGION_NAME = ROCPD_PLACES, REGION_COLUMNS };
static const struct sqlite_column regions[] = { ROCPD_PLACE,
	{ "name_id", true } };

static bool rocpd_region_begins(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

static bool rocpd_region_other(struct rocpd *r, const char *name)
{
	note_add(&r->trace->notes, NOTE_record_kind, 1, name, strlen(name));
	return true;
}

/* HSA's calls are not stored, but their callers are, because a kernel's record
 * may name an HSA call that HIP made. */
static bool rocpd_region_hsa(struct rocpd *r, int64_t event, const char *name)
{
	int64_t stack, parent;
	rocpd_region_other(r, name);
	return !rocpd_find(r, ROCPD_STACKS, event, &stack) ||
	       !rocpd_find(r, ROCPD_PARENTS, event, &parent) ||
	       rocm_map_put(&r->map[ROCPD_CALLERS], stack, parent);
}

static uint32_t rocpd_region_thread_of(struct rocpd *r,
	const struct rocpd_place *p)
{
	int64_t tid = p->at.tid;
	rocpd_find(r, ROCPD_THREADS, p->at.tid, &tid);
	return rocm_thread(r->trace, tid);
}

static bool rocpd_region_call(struct rocpd *r, const struct rocpd_place *p,
	uint32_t name)
{
	uint32_t thread = rocpd_region_thread_of(r, p);
	r->used++;
	return thread != NAMES_NONE &&
	       trace_call_add(r->trace, &(struct call_row){
						.process = p->process,
						.start_ns = p->start_ns,
						.dur_ns = p->dur_ns,
						.name = name,
						.thread = thread,
						.correlation = p->correlation,
						.external_id = -1,
					});
}

static bool rocpd_region_range(struct rocpd *r, const struct rocpd_place *p,
	uint32_t name, enum rocm_marker marker)
{
	struct names *ns = &r->trace->names;
	uint32_t thread = rocpd_region_thread_of(r, p);
	bool rccl = rocpd_region_begins(names_text(ns, name), "nccl");
	uint32_t domain = names_put(ns, rccl ? "rccl" : "roctx", rccl ? 4 : 5);
	int64_t text = name;
	rocpd_find(r, ROCPD_MESSAGES, p->event, &text);
	r->used++;
	return thread != NAMES_NONE && domain != NAMES_NONE &&
	       trace_range_add(r->trace,
		       &(struct range_row){
			       .process = p->process,
			       .start_ns = p->start_ns,
			       .dur_ns = p->dur_ns,
			       .name = (uint32_t)text,
			       .kind = marker == ROCM_LOOSE ? RANGE_LOOSE
							    : RANGE_ANNOTATION,
			       .thread = thread,
			       .domain = domain,
			       .id = -1,
			       .parent = -1,
		       });
}

static bool rocpd_region_region(struct rocpd *r, struct sqlite_rows *rows,
	struct err *e)
{
	int64_t string = sqlite_int_or(rows, ROCPD_REGION_NAME, -1);
	int64_t event = sqlite_int_or(rows, ROCPD_EVENT, -1), text;
	struct rocpd_place p;
	uint32_t id;
	r->records++;
	if (!sqlite_names_of(&r->strings, string, &id, e))
		return false;
	if (!id)
		id = rocm_numbered(r->trace, "region named", string);
	if (id == NAMES_NONE)
		return false;
	const char *name = names_text(&r->trace->names, id);
	enum rocm_marker marker = rocm_marker_of(name);
	bool is_message = rocpd_find(r, ROCPD_MESSAGES, event, &text) ||
			  rocpd_region_begins(name, "roctx") ||
			  rocpd_region_begins(name, "nccl");
	if (rocpd_region_begins(name, "hsa_"))
		return rocpd_region_hsa(r, event, name);
	if (marker == ROCM_MARK ||
		(!is_message && !rocpd_region_begins(name, "hip") &&
			!rocpd_region_begins(name, "__hip") &&
			!rocpd_region_begins(name, "region named ")))
		return rocpd_region_other(r, name);
	if (!rocpd_place(r, rows, is_message ? &r->range_times : &r->call_times,
		    name, &p))
		return false;
	if (!p.timely)
		return true;
	return is_message ? rocpd_region_range(r, &p, id, marker)
			  : rocpd_region_call(r, &p, id);
}

static bool rocpd_regions(struct rocpd *r, struct err *e)
{
	return rocpd_each(r, "rocpd_region", regions, REGION_COLUMNS,
		       rocpd_region_region, e) &&
	       rocpd_sort(r, e);
}

/* Reads dispatches and copies; other activities are only counted. */

enum {
	KERNEL = ROCPD_PLACES,
	LDS,
	GROUP_X,
	GROUP_Y,
	GROUP_Z,
	GRID_X,
	GRID_Y,
	GRID_Z,
	DISPATCH_COLUMNS
};
static const struct sqlite_column dispatches[] = {
	ROCPD_PLACE,
	{ "kernel_id", true },
	{ "group_segment_size", false },
	{ "workgroup_size_x", false },
	{ "workgroup_size_y", false },
	{ "workgroup_size_z", false },
	{ "grid_size_x", false },
	{ "grid_size_y", false },
	{ "grid_size_z", false },
};

/* A device's number; the agent's own number if the file gives none. */
static int32_t rocpd_gpu_device_of(struct rocpd *r, int64_t agent)
{
	int64_t number;
	if (agent < 0)
		return -1;
	return rocpd_find(r, ROCPD_AGENTS, agent, &number) ? (int32_t)number
							   : rocm_small(agent);
}

/* The stream of a row, or else its queue. */
static int64_t rocpd_gpu_stream_of(const struct rocpd_place *p)
{
	return p->at.stream >= 0 ? p->at.stream : p->at.queue;
}

static bool rocpd_gpu_dispatch(struct rocpd *r, struct sqlite_rows *rows,
	struct err *e)
{
	struct rocpd_place p;
	int64_t kernel = sqlite_int_or(rows, KERNEL, -1), symbol;
	struct launch_shape shape = { .registers = -1,
		.shared_bytes = rocm_small(sqlite_int_or(rows, LDS, -1)) };
	uint32_t name;
	(void)e;
	r->records++;
	if (!rocpd_place(r, rows, &r->kernel_times, "kernel_dispatch", &p))
		return false;
	if (!p.timely)
		return true;
	if (rocpd_find(r, ROCPD_SYMBOLS, kernel, &symbol)) {
		const struct name *n = &r->raw.list[(uint32_t)symbol];
		name = text_id(&r->text,
			&(struct text_span){ n->text, n->len, false });
		shape.registers = (int32_t)(symbol >> 32);
	} else {
		name = rocm_numbered(r->trace, "kernel", kernel);
	}
	for (int i = 0; i < 3; i++) {
		int64_t group = sqlite_int_or(rows, GROUP_X + i, -1);
		shape.block[i] = rocm_small(group);
		shape.grid[i] =
			rocm_blocks(sqlite_int_or(rows, GRID_X + i, -1), group);
	}
	uint32_t launch = trace_launch_shape(r->trace, &shape);
	r->used++;
	return name != NAMES_NONE && launch != NAMES_NONE &&
	       trace_kernel_add(r->trace,
		       &(struct kernel_row){
			       .process = p.process,
			       .start_ns = p.start_ns,
			       .dur_ns = p.dur_ns,
			       .name = name,
			       .device = rocpd_gpu_device_of(r, p.at.agent),
			       .stream = rocpd_gpu_stream_of(&p),
			       .correlation =
				       rocm_map_follow(&r->map[ROCPD_CALLERS],
					       p.correlation),
			       .external_id = -1,
			       .graph_id = -1,
			       .graph_node = -1,
			       .launch = launch,
		       });
}

enum { ROCPD_GPU_NAME = ROCPD_PLACES, TO, FROM, BYTES, COPY_COLUMNS };
static const struct sqlite_column copies[] = {
	ROCPD_PLACE,
	{ "name_id", true },
	{ "dst_agent_id", false },
	{ "src_agent_id", false },
	{ "size", false },
};

static bool rocpd_gpu_copy(struct rocpd *r, struct sqlite_rows *rows,
	struct err *e)
{
	struct rocpd_place p;
	int64_t string = sqlite_int_or(rows, ROCPD_GPU_NAME, -1);
	uint32_t name;
	r->records++;
	if (!sqlite_names_of(&r->strings, string, &name, e))
		return false;
	if (!name)
		name = rocm_numbered(r->trace, "copy named", string);
	if (name == NAMES_NONE ||
		!rocpd_place(r, rows, &r->copy_times, "memory_copy", &p))
		return false;
	if (!p.timely)
		return true;
	int32_t device = rocpd_gpu_device_of(r, sqlite_int_or(rows, TO, -1));
	if (device < 0)
		device = rocpd_gpu_device_of(r, sqlite_int_or(rows, FROM, -1));
	r->used++;
	return trace_copy_add(r->trace,
		&(struct copy_row){
			.process = p.process,
			.start_ns = p.start_ns,
			.dur_ns = p.dur_ns,
			.name = name,
			.device = device,
			.stream = rocpd_gpu_stream_of(&p),
			.correlation = rocm_map_follow(&r->map[ROCPD_CALLERS],
				p.correlation),
			.external_id = -1,
			.bytes = sqlite_int_or(rows, BYTES, -1),
		});
}

static bool rocpd_gpu_count(struct rocpd *r, struct sqlite_rows *rows,
	struct err *e)
{
	(void)e;
	r->records++;
	note_add(&r->trace->notes, NOTE_record_kind, 1, rows->table,
		strlen(rows->table) - strlen(r->suffix));
	return true;
}

/* Samples of the GPUs' counters, which rocprof-sys writes: power, temperature,
 * utilization. An event joins a sample, which has the time, and the values of
 * several counters. A sample belongs to a GPU, so that every process gets it that
 * has a kernel or copy on this GPU: a session may have 16,384 processes, and many
 * more samples. The values of a kernel's counters have no sample. */

/* Adds the processes of rows to the users of their GPUs. last[process] is the GPU
 * of the process's row before: most processes use one. */
static bool rocpd_gpu_use(struct rocpd *r, const int32_t *device,
	const uint16_t *process, struct slice rows, int32_t *last)
{
	bool ok = true;

	for (uint32_t i = rows.from; ok && i < rows.to; i++) {
		uint16_t p = process[i];
		if (device[i] < 0 || device[i] == last[p])
			continue;
		last[p] = device[i];
		ok = rocm_map_put(&r->map[ROCPD_USES],
			(int64_t)device[i] << 16 | p, p);
	}
	return ok;
}

/* Removes what was added twice, and finds the first process of each GPU. */
static bool rocpd_gpu_index(struct rocpd *r)
{
	struct rocm_map *uses = &r->map[ROCPD_USES];
	bool ok = rocm_map_sort(uses);
	uint32_t to = 0;

	for (uint32_t i = 0; ok && i < uses->n; i++) {
		const struct rocm_pair *is = &uses->list[i];
		const struct rocm_pair *before =
			to ? &uses->list[to - 1] : NULL;
		if (before && before->key == is->key)
			continue;
		if (!before || before->key >> 16 != is->key >> 16)
			ok = rocm_map_put(&r->map[ROCPD_USERS], is->key >> 16,
				to);
		uses->list[to++] = *is;
	}
	uses->n = to;
	return ok;
}

/* The processes that use each GPU. False if the arena is full. */
static bool rocpd_gpu_users(struct rocpd *r)
{
	struct trace *t = r->trace;
	int32_t *last;

	if (r->map[ROCPD_COUNTERS].n == 0)
		return true;
	last = arena_grow(t->arena, NULL,
		((size_t)t->processes_n + 1) * sizeof *last);
	if (!last)
		return false;
	for (uint32_t i = 0; i < t->processes_n; i++)
		last[i] = -1;
	bool ok =
		rocpd_gpu_use(r, t->kernel.device, t->kernel.process,
			(struct slice){ r->first_kernel, t->kernel.n }, last) &&
		rocpd_gpu_use(r, t->copy.device, t->copy.process,
			(struct slice){ r->first_copy, t->copy.n }, last) &&
		rocpd_gpu_index(r);
	arena_drop(t->arena, last);
	return ok;
}

static bool rocpd_gpu_counter(struct rocpd *r, struct sqlite_rows *rows,
	struct err *e)
{
	enum { ROCPD_COUNTER_ID, ROCPD_COUNTER_NAME, ROCPD_COUNTER_AGENT };
	int32_t device = rocpd_gpu_device_of(r,
		sqlite_int_or(rows, ROCPD_COUNTER_AGENT, -1));
	uint32_t name = sqlite_text(rows, ROCPD_COUNTER_NAME, &r->text);
	(void)e;
	return name != NAMES_NONE &&
	       (device < 0 || !name ||
		       rocm_map_put(&r->map[ROCPD_COUNTERS],
			       sqlite_int_or(rows, ROCPD_COUNTER_ID, -1),
			       (int64_t)device << 32 | name));
}

enum {
	ROCPD_SAMPLE_EVENT,
	ROCPD_SAMPLE_TIME,
	ROCPD_SAMPLE_TIME_ID,
	ROCPD_SAMPLE_COLUMNS
};
static const struct sqlite_column rocpd_sample_columns[] = {
	{ "event_id", false },
	{ "timestamp", false },
	{ "timestamp_id", false },
};

static bool rocpd_gpu_sample(struct rocpd *r, struct sqlite_rows *rows,
	struct err *e)
{
	struct number at = { 0 };
	int64_t event;
	(void)e;
	return !sqlite_int(rows, ROCPD_SAMPLE_EVENT, &event) ||
	       !rocpd_time_of(r, rows, ROCPD_SAMPLE_TIME, ROCPD_SAMPLE_TIME_ID,
		       &at) ||
	       rocm_map_put(&r->map[ROCPD_SAMPLES], event, at.value);
}

enum {
	ROCPD_VALUE_EVENT,
	ROCPD_VALUE_COUNTER,
	ROCPD_VALUE_VALUE,
	ROCPD_VALUE_COLUMNS
};
static const struct sqlite_column rocpd_value_columns[] = {
	{ "event_id", false },
	{ "pmc_id", false },
	{ "value", false },
};

static bool rocpd_gpu_value(struct rocpd *r, struct sqlite_rows *rows,
	struct err *e)
{
	int64_t event = sqlite_int_or(rows, ROCPD_VALUE_EVENT, -1), counter, at;
	const struct rocm_map *uses = &r->map[ROCPD_USES];
	struct counter_row row = { .value = sqlite_real_or(rows,
					   ROCPD_VALUE_VALUE, NAN) };
	if (isnan(row.value) ||
		!rocpd_find(r, ROCPD_SAMPLES, event, &row.start_ns) ||
		!rocpd_find(r, ROCPD_COUNTERS,
			sqlite_int_or(rows, ROCPD_VALUE_COUNTER, -1),
			&counter) ||
		!rocpd_find(r, ROCPD_USERS, counter >> 32, &at))
		return rocpd_gpu_count(r, rows, e);
	r->records++;
	row.device = (int32_t)(counter >> 32);
	row.name = (uint32_t)counter;
	for (; at < uses->n && uses->list[at].key >> 16 == row.device; at++) {
		row.process = (uint16_t)uses->list[at].value;
		if (!trace_counter_add(r->trace, &row))
			return false;
	}
	return rocm_map_put(&r->map[ROCPD_COUNTED], event, 1);
}

/* Counts a sample without a value. */
static bool rocpd_gpu_mark(struct rocpd *r, struct sqlite_rows *rows,
	struct err *e)
{
	int64_t is;
	return rocpd_find(r, ROCPD_COUNTED,
		       sqlite_int_or(rows, ROCPD_SAMPLE_EVENT, -1), &is) ||
	       rocpd_gpu_count(r, rows, e);
}

static bool rocpd_gpu_samples(struct rocpd *r, struct err *e)
{
	static const struct sqlite_column counters[] = { { "id", true },
		{ "name", true }, { "agent_id", false } };
	return rocpd_each(r, "rocpd_info_pmc", counters, 3, rocpd_gpu_counter,
		       e) &&
	       rocpd_each(r, "rocpd_sample", rocpd_sample_columns,
		       ROCPD_SAMPLE_COLUMNS, rocpd_gpu_sample, e) &&
	       (rocpd_gpu_users(r) || arena_err(r->trace->arena, e)) &&
	       rocpd_sort(r, e) &&
	       rocpd_each(r, "rocpd_pmc_event", rocpd_value_columns,
		       ROCPD_VALUE_COLUMNS, rocpd_gpu_value, e) &&
	       rocpd_sort(r, e) &&
	       rocpd_each(r, "rocpd_sample", rocpd_sample_columns,
		       ROCPD_SAMPLE_COLUMNS, rocpd_gpu_mark, e);
}

static bool rocpd_gpu(struct rocpd *r, struct err *e)
{
	static const struct sqlite_column id[] = { { "id", true } };
	return rocpd_each(r, "rocpd_kernel_dispatch", dispatches,
		       DISPATCH_COLUMNS, rocpd_gpu_dispatch, e) &&
	       rocpd_each(r, "rocpd_memory_copy", copies, COPY_COLUMNS,
		       rocpd_gpu_copy, e) &&
	       rocpd_each(r, "rocpd_memory_allocate", id, 1, rocpd_gpu_count,
		       e) &&
	       rocpd_gpu_samples(r, e);
}

static bool rocpd_each(struct rocpd *r, const char *table,
	const struct sqlite_column *wanted, int n, rocpd_take_fn *take,
	struct err *e)
{
	char name[256];
	struct sqlite_rows rows;
	snprintf(name, sizeof name, "%s%s", table, r->suffix);
	bool ok = sqlite_rows_open(&rows, r->file, name, wanted, n, e);
	while (ok && sqlite_rows_next(&rows))
		ok = take(r, &rows, e) ||
		     (r->trace->arena->full && arena_err(r->trace->arena, e));
	return sqlite_rows_close(&rows, e) && ok;
}

/* Sorts the maps, so that they can be searched. */
static bool rocpd_sort(struct rocpd *r, struct err *e)
{
	for (int i = 0; i < ROCPD_MAPS; i++)
		if (!rocm_map_sort(&r->map[i]))
			return arena_err(r->trace->arena, e);
	return true;
}

/* The index of the process with a row's pid. If no process has it, the only
 * process of the session, else a process without a pid. -1 if the arena is
 * full. */
static int32_t rocpd_process(struct rocpd *r, int64_t pid)
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
	if (!last && !rocm_process_add(t, &r->processes_cap, &nobody))
		return -1;
	return (int32_t)t->processes_n - 1;
}

static bool rocpd_time_of(struct rocpd *r, struct sqlite_rows *rows, int direct,
	int by_number, struct number *n)
{
	int64_t id;
	if (sqlite_int(rows, direct, &n->value) ||
		(sqlite_int(rows, by_number, &id) &&
			rocpd_find(r, ROCPD_TIMESTAMPS, id, &n->value)))
		n->kind = NUMBER_OK;
	return n->kind == NUMBER_OK;
}

/* Reads the place and the time of a row, which notes show as `what`. False if
 * the arena is full. */
static bool rocpd_place(struct rocpd *r, struct sqlite_rows *rows,
	struct rocm_times *times, const char *what, struct rocpd_place *p)
{
	struct number start = { 0 }, end = { 0 };
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
	rocpd_time_of(r, rows, ROCPD_START, ROCPD_START_ID, &start);
	rocpd_time_of(r, rows, ROCPD_END, ROCPD_END_ID, &end);
	p->start_ns = start.value;
	p->timely = rocm_span(times, start, end, what, &p->dur_ns);
	if (!p->timely)
		return true;
	int32_t process = rocpd_process(r, p->at.pid);
	p->process = (uint16_t)process;
	return process >= 0;
}

static bool rocpd_session(struct rocpd *r, const char *suffix, struct err *e)
{
	char table[256];
	r->suffix = suffix;
	r->facts = (struct fact_list){ .text = &r->text };
	r->first_process = r->trace->processes_n;
	r->first_kernel = r->trace->kernel.n;
	r->first_copy = r->trace->copy.n;
	r->tracks_n = 0;
	for (int i = 0; i < ROCPD_MAPS; i++)
		rocm_map_clear(&r->map[i]);
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

/* The time to find a session's tables grows with the number of tables, so both
 * are limited. A file with one session for each of a thousand ranks has 20,000
 * tables. */
enum { SESSIONS_MAX = 1024, TABLES_MAX = 32768 };

static bool rocpd_too_many(struct err *e)
{
	return err_set(e, ERR_TOO_LARGE,
		"this rocpd database holds more than %d sessions, or more "
		"than %d tables; split it",
		SESSIONS_MAX, TABLES_MAX);
}

/* Finds the sessions by the first of these tables that exists: each session has
 * its own copy of it. */
static bool rocpd_sessions(struct rocpd *r, struct err *e)
{
	static const char *const anchors[] = { "rocpd_kernel_dispatch",
		"rocpd_region", "rocpd_memory_copy" };
	bool ok = r->file->tables_n <= TABLES_MAX || rocpd_too_many(e);
	int found = 0;
	for (size_t i = 0; i < sizeof anchors / sizeof *anchors && !found;
		i++) {
		const char *table;
		size_t at = 0;
		while (ok &&
			(table = sqlite_file_prefix(r->file, anchors[i], &at)))
			ok = (found++ < SESSIONS_MAX || rocpd_too_many(e)) &&
			     rocpd_session(r, table + strlen(anchors[i]), e);
	}
	return ok;
}

static bool rocpd_finish(struct rocpd *r, struct err *e)
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
	if (!finish_drop_idle(t))
		return arena_err(t->arena, e);
	if (t->processes_n > 1)
		note_add(&t->notes, NOTE_fused, t->processes_n, NULL, 0);
	t->format = "rocpd";
	finish_rebase(t);
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
	return rocpd_sessions(r, e) && rocpd_finish(r, e);
}
