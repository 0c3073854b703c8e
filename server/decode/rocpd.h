/* rocpd.h - rocprofv3's database (rocpd): one set of tables per session.
 *
 * Every table's name ends in the session's uuid (rocpd_kernel_dispatch_0000…);
 * a file may hold several sessions, merged, whose numbers are their own. Two
 * layouts call themselves schema 3: times, process and thread lie in the rows,
 * or rows name them by number (rocpd_timestamp, rocpd_track). Views without
 * the suffix unite the sessions; they are never looked at. */
#pragma once
#include "roc.h"
#include "rocprof_read.h"
#include "sqlite_names.h"

enum { ROCPD_PROCESSES_MAX = 16384 };

/* Whose a row is and where it ran: in the row or, in the newer layout, in its
 * track; -1 where it is told nowhere. */
struct rocpd_track {
	int64_t pid, tid, agent, queue, stream;
};

/* What a session's numbers stand for. */
enum rocpd_map {
	ROCPD_HOSTS, /* node → id of a name */
	ROCPD_PROCESSES, /* rocpd_info_process.id → index */
	ROCPD_PIDS, /* its pid → index; where ids are not pids, these are told */
	ROCPD_THREADS, /* rocpd_info_thread.id → tid */
	ROCPD_AGENTS, /* → device, -1 the host */
	ROCPD_SYMBOLS, /* → vgprs << 32 | id of raw */
	ROCPD_TIMESTAMPS, /* → ns */
	ROCPD_TRACKS, /* → index of tracks */
	ROCPD_STACKS, /* event → correlation */
	ROCPD_PARENTS, /* event → its caller's */
	ROCPD_MESSAGES, /* event → id of a marker's message */
	ROCPD_CALLERS, /* an HSA call's correlation → its caller's */
	ROCPD_MAPS
};

struct rocpd {
	struct sqlite_file *file;
	struct trace *trace;
	struct text text;
	struct words words; /* of an agent's JSON */
	int64_t records, used;
	uint32_t processes_cap, devices_cap;
	struct roc_times kernel_times, copy_times, call_times, range_times;

	struct names raw; /* kernels' names, of all sessions */

	/* Of the session being read: */
	const char *suffix;
	struct fact_list facts;
	uint32_t first_process;
	struct sqlite_names strings;
	struct roc_map map[ROCPD_MAPS];
	struct rocpd_track *tracks;
	uint32_t tracks_n, tracks_cap;
};

/* The steps of a session: what its rows refer to; the rows. False with *e. */
bool rocpd_infos(struct rocpd *r, struct err *e);
bool rocpd_agents(struct rocpd *r, struct err *e);
bool rocpd_events(struct rocpd *r, struct err *e);
bool rocpd_regions(struct rocpd *r, struct err *e);
bool rocpd_gpu(struct rocpd *r, struct err *e);

/* Opens a session's table, hands each row on until `take` fails, which it does
 * only where the arena is full or, with *e, where decoding cannot go on. */
typedef bool rocpd_take_fn(struct rocpd *r, struct sqlite_rows *rows,
	struct err *e);
bool rocpd_each(struct rocpd *r, const char *table,
	const struct sqlite_column *columns, int n, rocpd_take_fn *take,
	struct err *e);

/* Puts the maps in order, so that they can be searched. */
bool rocpd_sort(struct rocpd *r, struct err *e);
static inline bool rocpd_find(struct rocpd *r, enum rocpd_map map, int64_t key,
	int64_t *value)
{
	return roc_map_find(&r->map[map], key, value);
}

/* A copy of a row's JSON object with the room behind it that a scanner wants;
 * NULL where there is none, or where the arena is full. To be dropped. */
char *rocpd_json(struct rocpd *r, struct sqlite_rows *rows, int column,
	size_t *len);

/* The index of the process a row's pid names; where none does, the session's
 * only one, else one without a pid. -1 where the arena is full. */
int32_t rocpd_process(struct rocpd *r, int64_t pid);

/* The columns by which all rows tell where and when; the rest follows. */
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
	bool timely; /* start_ns and dur_ns are good */
};

/* Where and when a row is, which `what` shows in notes. False where the arena
 * is full. */
bool rocpd_place(struct rocpd *r, struct sqlite_rows *rows,
	struct roc_times *times, const char *what, struct rocpd_place *p);
