/* query.h - rows become structs: all that is asked of the database to answer.
 *
 * A query decides nothing and computes no statistic. Text and arrays are the
 * arena's; NULL text and -1 numbers are unknown. Lists are paged by key:
 * `after` is the last item of the page before (its opaque text comes from
 * api/), and `more` tells whether another page follows.
 *
 * Moments are microseconds since 1970 UTC; INT64_MIN is none. */
#pragma once
#include "db.h"
#include "profile.h"

#define NO_MOMENT INT64_MIN

struct upload_row {
	int64_t id, bytes, done_bytes;
	const char *state, *stage, *project, *workload, *name, *job;
	const char *labels, *file_name, *error, *sha256; /* sha256 hex */
	double gpu_hours;
	int tries;
	int64_t created, received, finished;
	const int64_t *runs; /* visible ones */
	uint32_t runs_n;
};

struct upload_filter {
	const char *state; /* NULL any */
	int64_t after; /* id; 0 from the newest */
	int limit;
};

bool query_uploads(struct db *db, struct arena *a,
	const struct upload_filter *f, struct upload_row **rows, uint32_t *n,
	bool *more, struct err *e);
bool query_upload(struct db *db, struct arena *a, int64_t id,
	struct upload_row *row, struct err *e); /* ERR_NOT_FOUND */

struct run_row {
	int64_t id, upload, ordinal;
	const char *name, *project, *workload, *job, *labels;
	const char *format, *framework, *process_name, *host;
	int64_t pid, started_utc_ns;
	int32_t rank, world_size;
	const char *const *device_names; /* distinct, by number */
	uint32_t device_names_n;
	int64_t span_ns, busy_ns, kernel_ns, launches, kernels;
	int64_t copy_ns, copies;
	int notes; /* how many */
	const char *worst; /* severity of the worst note, or NULL */
	int analysis_version;
	int64_t created;
};

enum run_sort { RUN_NEWEST, RUN_OLDEST, RUN_BUSY, RUN_SPAN, RUN_LAUNCHES };

struct run_filter {
	/* NULL any. `q` is looked for, in any case, in name, project, workload,
	 * job, process name and host; `device` is a whole name. */
	const char *project, *workload, *framework, *device, *q;
	const char *labels; /* a JSON object they must contain; NULL any */
	int64_t upload; /* 0 any */
	int64_t since, until; /* created in [since, until); NO_MOMENT open */
	enum run_sort sort;
	/* Sort key and id of the last one; 0, 0 from the start. The key of
	 * newest and oldest is `created`. */
	int64_t after_key, after;
	int limit;
};

bool query_runs(struct db *db, struct arena *a, const struct run_filter *f,
	struct run_row **rows, uint32_t *n, bool *more, struct err *e);
bool query_run(struct db *db, struct arena *a, int64_t id, struct run_row *row,
	struct err *e); /* ERR_NOT_FOUND */
bool query_run_devices(struct db *db, struct arena *a, int64_t run,
	struct profile_device **rows, uint32_t *n, struct err *e);

/* A line of a kernel table: what profile.h calls kernel_stat, with its
 * kernel. `rank` counts in nsys' order from 0 within run and split. */
struct kernel_row {
	int64_t kernel; /* id in the dictionary */
	struct profile_kernel is;
	struct kernel_stat stat;
	int64_t rank;
};

enum kernel_sort {
	KERNEL_TOTAL, /* nsys' order */
	KERNEL_INSTANCES,
	KERNEL_AVG,
	KERNEL_MED,
	KERNEL_MIN,
	KERNEL_MAX,
	KERNEL_STDDEV,
	KERNEL_P90,
	KERNEL_P99,
	KERNEL_NAME
};

struct kernel_filter {
	int64_t run;
	enum split split;
	const char *q; /* in the name, any case; NULL all */
	enum kernel_sort sort; /* names ascend, numbers descend */
	bool reverse;
	int64_t offset; /* rows to skip */
	int limit; /* 0: all */
};

bool query_kernels(struct db *db, struct arena *a,
	const struct kernel_filter *f, struct kernel_row **rows, uint32_t *n,
	bool *more, struct err *e);
bool query_copies(struct db *db, struct arena *a, int64_t run, enum split split,
	struct copy_stat **rows, uint32_t *n, struct err *e);

struct note_row {
	const char *code, *severity, *message;
	int64_t count;
};
bool query_notes(struct db *db, struct arena *a, int64_t run,
	struct note_row **rows, uint32_t *n, struct err *e);

/* Changes: what people say of a run. NULL leaves a field as it is. */
struct run_change {
	const char *name, *project, *workload, *labels;
};
bool run_change(struct db *db, int64_t id, const struct run_change *c,
	struct err *e); /* ERR_NOT_FOUND */
/* Takes a run out of sight for good; its id never returns. */
bool run_delete(struct db *db, int64_t id, struct err *e);
