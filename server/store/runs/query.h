/* query.h - rows become structs: what is read about runs, and the tables of one
 * run.
 *
 * A query decides nothing and computes no statistic. Text and arrays are in the
 * arena; NULL text and -1 numbers are unknown. Lists are paged by key: `after`
 * is the last item of the previous page (the API makes its opaque text), and
 * `more` says whether another page follows. */
#pragma once
#include "db.h"
#include "profile.h"
#include "run_row.def"

struct run_row {
	int64_t id;
#define RUN_ROW_MEMBER(type, member, ...) type member;
	RUN_ROW(RUN_ROW_MEMBER)
	uint32_t device_names_n;
};

enum run_sort { RUN_NEWEST, RUN_OLDEST, RUN_BUSY, RUN_SPAN, RUN_LAUNCHES };

struct run_filter {
	/* NULL any. `q` is searched for, ignoring case, in name, project,
	 * workload, job, process name and host; `device` is a whole name. */
	const char *project, *workload, *framework, *device, *q, *content;
	const char *labels; /* a JSON object they must contain; NULL any */
	int64_t upload, job; /* 0 any; a job's id */
	int64_t since, until; /* created in [since, until); NO_MOMENT open */
	enum run_sort sort;
	/* Sort key and id of the last row; 0, 0 from the start. The key of
	 * newest and oldest is `created`; an unknown busy or span sorts last,
	 * with the key -1. */
	int64_t after_key, after;
	int limit;
};

bool query_runs(struct db *db, struct arena *a, const struct run_filter *f,
	struct run_row **rows, uint32_t *n, bool *more, struct err *e);
bool query_run(struct db *db, struct arena *a, int64_t id, struct run_row *row,
	struct err *e); /* ERR_NOT_FOUND */
/* The catalog's name of the run's platform; *platform NULL if it is unknown or
 * the run does not exist. */
bool query_run_platform(struct db *db, struct arena *a, int64_t run,
	const char **platform, struct err *e);
bool query_run_devices(struct db *db, struct arena *a, int64_t run,
	struct profile_device **rows, uint32_t *n, struct err *e);

/* Selects the newest runs and jobs. */
struct select_filter {
	/* NULL any. `within` is a project, too: of all runs, also of those of a
	 * job to which no other condition applies. `labels` is a JSON
	 * object. */
	const char *project, *within, *workload, *framework, *labels;
	int64_t since, until; /* stored in [since, until); NO_MOMENT open */
	const int64_t *without; /* neither these runs nor their jobs */
	uint32_t without_n;
	int units; /* how many: a run, or a job with all its runs */
};

/* At most `most` ids, unit by unit, the oldest unit first, runs of a job by
 * rank. A unit is as new as its newest selected run; runs of a job that were
 * stored at `until` or later are excluded. *more: there are more than
 * `most`. */
bool query_selected(struct db *db, const struct select_filter *f, uint32_t most,
	int64_t *ids, uint32_t *n, bool *more, struct err *e);

/* The run of these that was stored first. ERR_NOT_FOUND names a missing one. */
struct selected_first {
	int64_t run, created;
	const char *project, *workload;
};
bool query_selected_first(struct db *db, struct arena *a, const int64_t *ids,
	uint32_t n, struct selected_first *out, struct err *e);

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
	/* Names ascend, numbers descend; unknown values come last either
	 * way. */
	enum kernel_sort sort;
	bool reverse;
	int64_t offset; /* rows to skip */
	int limit; /* 0: all */
};

/* A page with a limit ends early once its names take QUERY_PAGE_BYTES, but has
 * at least one line: the next page begins `n` lines later. */
enum { QUERY_PAGE_BYTES = 8 << 20 };

bool query_kernels(struct db *db, struct arena *a,
	const struct kernel_filter *f, struct kernel_line **rows, uint32_t *n,
	bool *more, struct err *e);
bool query_kernel(struct db *db, struct arena *a, int64_t kernel,
	struct profile_kernel *k, struct err *e); /* ERR_NOT_FOUND */

/* A line of launch latency, with its kernel's name; `stat.kernel` is unused. */
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

/* The callers of a kernel: paths, the outermost frame first, with the totals of
 * the kernel in this run. ERR_NOT_FOUND if the run has no such kernel. */
struct caller_line {
	enum caller_known known;
	const struct frame *path; /* `parent` is unused */
	uint32_t path_n;
	/* Outer frames are missing: a path has at most QUERY_PATH frames, and
	 * QUERY_PATH_BYTES of names, from the innermost. */
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

/* Piece `seq` of a run's capture file, at most 1 MiB, into `to`; *len is 0
 * past the last. The caller sets *edition to 0 before the first piece and
 * then does not change it. ERR_CONFLICT if the file was replaced in between,
 * so that a caller never joins pieces of two files. ERR_NOT_FOUND if the run
 * has no capture file. */
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
