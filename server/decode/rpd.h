/* rpd.h - rocmProfileData's database (.rpd): calls first, then what they
 * caused on the GPU.
 *
 * The tables are joined by numbers kept in the arena (roc_map), each table is
 * read once, in its own order: rocpd_api tells processes and calls,
 * rocpd_api_ops which of them caused which operation, rocpd_kernelapi and
 * rocpd_copyapi what they asked for, and rocpd_op what ran. */
#pragma once
#include "roc.h"
#include "sqlite_names.h"

/* What a launch asked for, as it was told: work-items or blocks. */
struct rpd_launch {
	int64_t grid[3], group[3], lds, name; /* of rocpd_string */
};

struct rpd_copy {
	int64_t bytes, kind; /* hipMemcpyKind */
};

struct rpd {
	struct sqlite_file *file;
	struct trace *trace;
	struct text text;
	struct sqlite_names strings, args;
	int64_t records, used;
	struct names pids; /* int64_t → index of the process + 1 */
	struct names launches, copies; /* bytes of the structs above */
	struct roc_map processes; /* of an API call */
	struct roc_map items; /* calls whose grids are in work-items */
	struct roc_map launch_of, copy_of; /* call → id of `launches`, … */
	struct roc_map api_of, first_op; /* operation → call; the other way */
	struct roc_times kernel_times, copy_times, call_times, range_times;
	uint32_t processes_cap;
	int32_t nobody; /* the process of operations of no call; -1 none yet */
};

/* The tables, in this order. False with *e. */
bool rpd_apis(struct rpd *r, struct err *e);
bool rpd_api_ops(struct rpd *r, struct err *e);
bool rpd_launches(struct rpd *r, struct err *e);
bool rpd_copies(struct rpd *r, struct err *e);
bool rpd_ops(struct rpd *r, struct err *e);
bool rpd_monitor(struct rpd *r, struct err *e);

/* The index of a pid's process, added if new; -1 where the arena is full or
 * there are too many. */
int32_t rpd_process(struct rpd *r, int64_t pid);
