/* rocpd_info.c - what the rows of a session refer to by number. */
#include "rocpd.h"

static bool put(struct rocpd *r, enum rocpd_map map, int64_t key, int64_t value)
{
	return roc_map_put(&r->map[map], key, value);
}

static bool node(struct rocpd *r, struct sqlite_rows *rows, struct err *e)
{
	uint32_t name = sqlite_text(rows, 1, &r->text);
	const char *system, *release;
	size_t system_len = 0, release_len = 0;
	(void)e;
	sqlite_bytes(rows, 2, &system, &system_len);
	sqlite_bytes(rows, 3, &release, &release_len);
	return name != NAMES_NONE &&
	       roc_system_told(&r->facts, system, system_len, release,
		       release_len) &&
	       put(r, ROCPD_HOSTS, sqlite_int_or(rows, 0, -1), name);
}

enum { PROCESS_ID, PROCESS_PID, PROCESS_NODE, COMMAND, PROCESS_NAME };

/* A command's first word, without its folder; else the name that is told. */
static uint32_t program(struct rocpd *r, struct sqlite_rows *rows)
{
	struct span s = { .escaped = false };
	size_t len;
	if (!sqlite_bytes(rows, COMMAND, &s.at, &len) || len == 0)
		return sqlite_text(rows, PROCESS_NAME, &r->text);
	const char *space = memchr(s.at, ' ', len);
	len = space ? (size_t)(space - s.at) : len;
	size_t at = roc_program_at(s.at, len);
	s.at += at;
	s.len = (uint32_t)(len - at);
	return text_id(&r->text, &s);
}

static bool process(struct rocpd *r, struct sqlite_rows *rows, struct err *e)
{
	static const char many[] = "more processes than can be told apart";
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
	p.name = program(r, rows);
	return p.name != NAMES_NONE &&
	       put(r, ROCPD_PROCESSES, sqlite_int_or(rows, PROCESS_ID, -1),
		       index) &&
	       put(r, ROCPD_PIDS, p.pid, index) &&
	       roc_process_add(r->trace, &r->processes_cap, &p);
}

static bool thread(struct rocpd *r, struct sqlite_rows *rows, struct err *e)
{
	(void)e;
	return put(r, ROCPD_THREADS, sqlite_int_or(rows, 0, -1),
		sqlite_int_or(rows, 1, -1));
}

static bool symbol(struct rocpd *r, struct sqlite_rows *rows, struct err *e)
{
	const char *name;
	size_t len;
	(void)e;
	if ((!sqlite_bytes(rows, 1, &name, &len) || len == 0) &&
		(!sqlite_bytes(rows, 2, &name, &len) || len == 0))
		return true;
	uint32_t id = names_put(&r->raw, name, roc_kernel_len(name, len));
	int64_t vgprs = roc_small(sqlite_int_or(rows, 3, -1));
	return id != NAMES_NONE &&
	       put(r, ROCPD_SYMBOLS, sqlite_int_or(rows, 0, -1),
		       vgprs * (INT64_C(1) << 32) + id);
}

static bool timestamp(struct rocpd *r, struct sqlite_rows *rows, struct err *e)
{
	int64_t value;
	(void)e;
	return !sqlite_int(rows, 1, &value) ||
	       put(r, ROCPD_TIMESTAMPS, sqlite_int_or(rows, 0, -1), value);
}

static bool track(struct rocpd *r, struct sqlite_rows *rows, struct err *e)
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
	return put(r, ROCPD_TRACKS, sqlite_int_or(rows, 0, -1), r->tracks_n++);
}

bool rocpd_infos(struct rocpd *r, struct err *e)
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
	return rocpd_each(r, "rocpd_info_node", nodes, 4, node, e) &&
	       rocpd_sort(r, e) &&
	       rocpd_each(r, "rocpd_info_process", processes, 5, process, e) &&
	       rocpd_each(r, "rocpd_info_thread", threads, 2, thread, e) &&
	       rocpd_each(r, "rocpd_info_kernel_symbol", symbols, 4, symbol,
		       e) &&
	       rocpd_each(r, "rocpd_timestamp", timestamps, 2, timestamp, e) &&
	       rocpd_each(r, "rocpd_track", tracks, 6, track, e) &&
	       rocpd_sort(r, e);
}
