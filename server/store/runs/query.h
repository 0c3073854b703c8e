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
	int64_t dropped; /* its bytes; NO_MOMENT: they are there */
	const int64_t *runs; /* visible ones */
	uint32_t runs_n;
};

struct upload_filter {
	const char *project, *state; /* NULL any */
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
	const char *content; /* "launches", "statistics", "patterns" */
	const char *format, *framework, *process_name, *host;
	int64_t pid, started_utc_ns;
	int32_t rank, world_size;
	const char *const *device_names; /* distinct, by number */
	uint32_t device_names_n;
	int64_t span_ns, busy_ns, kernel_ns, launches, kernels;
	int64_t copy_ns, copies, graph_ns, graphs;
	int64_t job_id; /* 0: of none */
	const char *cycle_detector; /* profile_word.h's; "none" */
	double cycle_confidence;
	const char *cycle_range; /* NULL none */
	int32_t cycles, cycles_kept;
	double cycle_ns; /* median of the kept ones; NaN of none */
	int notes; /* how many */
	const char *worst; /* severity of the worst note, or NULL */
	int analysis_version;
	int64_t created;
};

enum run_sort { RUN_NEWEST, RUN_OLDEST, RUN_BUSY, RUN_SPAN, RUN_LAUNCHES };

struct run_filter {
	/* NULL any. `q` is looked for, in any case, in name, project, workload,
	 * job, process name and host; `device` is a whole name. */
	const char *project, *workload, *framework, *device, *q, *content;
	const char *labels; /* a JSON object they must contain; NULL any */
	int64_t upload, job; /* 0 any; a job's id */
	int64_t since, until; /* created in [since, until); NO_MOMENT open */
	enum run_sort sort;
	/* Sort key and id of the last one; 0, 0 from the start. The key of
	 * newest and oldest is `created`; a busy or span that is unknown, and
	 * comes last, has the key -1. */
	int64_t after_key, after;
	int limit;
};

bool query_runs(struct db *db, struct arena *a, const struct run_filter *f,
	struct run_row **rows, uint32_t *n, bool *more, struct err *e);
bool query_run(struct db *db, struct arena *a, int64_t id, struct run_row *row,
	struct err *e); /* ERR_NOT_FOUND */
/* The catalogue's name of the run's platform; *platform NULL where it is unknown
 * or there is no such run. */
bool query_run_platform(struct db *db, struct arena *a, int64_t run,
	const char **platform, struct err *e);
bool query_run_devices(struct db *db, struct arena *a, int64_t run,
	struct profile_device **rows, uint32_t *n, struct err *e);

/* A line of a kernel table: what profile.h calls kernel_stat, with its
 * kernel. `rank` counts in nsys' order from 0 within run and split. */
struct kernel_line {
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
	/* Names ascend, numbers descend; what is unknown comes last either way. */
	enum kernel_sort sort;
	bool reverse;
	int64_t offset; /* rows to skip */
	int limit; /* 0: all */
};

/* A page with a limit ends early where its names come to QUERY_PAGE_BYTES, but
 * has one line at least: the next begins `n` lines on. */
enum { QUERY_PAGE_BYTES = 8 << 20 };

bool query_kernels(struct db *db, struct arena *a,
	const struct kernel_filter *f, struct kernel_line **rows, uint32_t *n,
	bool *more, struct err *e);
bool query_kernel(struct db *db, struct arena *a, int64_t kernel,
	struct profile_kernel *k, struct err *e); /* ERR_NOT_FOUND */

/* A line of launch latency, with its kernel's name. The API's parts are those
 * of profile.h's launch_stat, whose index `kernel` means nothing here. */
struct launch_line {
	int64_t kernel; /* id in the dictionary */
	const char *name, *short_name;
	struct launch_stat stat;
};
struct launch_filter {
	int64_t run;
	const char *q; /* in the kernel's or call's name, any case; NULL all */
	int64_t offset;
	int limit; /* 0: all */
};
bool query_launches(struct db *db, struct arena *a,
	const struct launch_filter *f, struct launch_line **rows, uint32_t *n,
	bool *more, struct err *e);

bool query_graphs(struct db *db, struct arena *a, int64_t run,
	struct graph_stat **rows, uint32_t *n, struct err *e);

/* Who launched a kernel: paths, the outermost frame first. `total_ns` and
 * `launches` of the kernel in this run stand beside them; ERR_NOT_FOUND where
 * the run has no such kernel. */
struct caller_line {
	enum caller_known known;
	const struct frame *path; /* `parent` means nothing here */
	uint32_t path_n;
	/* Outer frames are left out: a path is shown up to QUERY_PATH frames,
	 * or QUERY_PATH_BYTES of their names, from the innermost. */
	bool cut;
	int64_t launches, total_ns;
};
struct caller_table {
	struct profile_kernel kernel;
	int64_t launches, total_ns; /* of all callers */
	struct caller_line *lines; /* total descending */
	uint32_t n;
	bool more; /* beyond `limit`, or beyond QUERY_PAGE_BYTES */
};
enum { QUERY_PATH = 1000, QUERY_PATH_BYTES = 1 << 20 };
bool query_callers(struct db *db, struct arena *a, int64_t run, int64_t kernel,
	int64_t offset, int limit, struct caller_table *t, struct err *e);

/* Piece `seq` of a run's capture, at most 1 MiB, into `to`; *len is 0 past the
 * last. *edition is 0 for the first piece asked for and then as it was left:
 * ERR_CONFLICT where the capture was made anew in between, so that nobody puts
 * pieces of two together. ERR_NOT_FOUND where the run has no capture. */
enum { CAPTURE_PIECE = 1 << 20 };
bool query_capture(struct db *db, int64_t run, int32_t seq, int64_t *edition,
	void *to, size_t *len, struct err *e);

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
