/* query.h - reads runs, and the tables of one run, into structs.
 *
 * A query decides nothing and computes no statistic. Text and arrays are in the
 * arena; NULL texts and numbers of -1 are unknown. Lists are paged by key:
 * `after` is the last item of the previous page (the API encodes it as opaque
 * text), and `more` says whether another page follows. */
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

/* The texts of a row of `run` as the index run_text has them. */
#define RUN_TEXT                                                              \
	"run_text(name, project, workload, job, process_name, host, labels, " \
	"device_names)"

struct run_filter {
	/* NULL: any. `q` is searched for, ignoring case, in name, project,
	 * workload, job, process name and host; `device` is a complete name. */
	const char *project, *workload, *framework, *device, *q, *content;
	const char *labels; /* JSON object that they must contain; NULL: any */
	int64_t upload, job; /* 0: any; `job` is a job's id */
	/* created in [since, until); NO_MOMENT: no limit */
	int64_t since, until;
	enum run_sort sort;
	/* Sort key and id of the last row of the previous page; 0, 0: from the
	 * start. For newest and oldest the key is `created`. An unknown busy
	 * time or span is sorted last, with the key -1. */
	int64_t after_key, after;
	int limit;
	/* Becomes the number of runs of all pages; NULL: they are not counted,
	 * so that only the rows of this page are read. */
	int64_t *total;
};

bool query_runs(struct db *db, struct arena *a, const struct run_filter *f,
	struct run_row **rows, uint32_t *n, bool *more, struct err *e);
bool query_run(struct db *db, struct arena *a, int64_t id, struct run_row *row,
	struct err *e); /* ERR_NOT_FOUND */
/* The catalog's name of the run's platform; *platform NULL if it is unknown or
 * the run does not exist. */
bool query_run_platform(struct db *db, struct arena *a, int64_t run,
	const char **platform, struct err *e);
/* The newest run of the run's project and workload that has the label
 * branch=main and was stored before it; -1 if there is none. */
bool query_run_main(struct db *db, const struct run_row *run, int64_t *main_run,
	struct err *e);
bool query_run_devices(struct db *db, struct arena *a, int64_t run,
	struct profile_device **rows, uint32_t *n, struct err *e);

/* Selects the newest runs and jobs. */
struct select_filter {
	/* NULL: any. `within` is a project that applies to all runs, also to
	 * the other runs of a selected job, to which no other condition
	 * applies. `labels` is a JSON object. */
	const char *project, *within, *workload, *framework, *labels;
	/* stored in [since, until); NO_MOMENT: no limit */
	int64_t since, until;
	const int64_t *without; /* excludes these runs and their jobs */
	uint32_t without_n;
	/* number of units: a unit is a run, or a job with its runs */
	int units;
};

/* Selects at most `most` ids, unit by unit: the oldest unit first, the runs of
 * a job by rank. A unit is as new as its newest selected run. Runs of a job
 * that were stored at `until` or later are excluded. *more: there are more than
 * `most` ids. */
bool query_selected(struct db *db, const struct select_filter *f, uint32_t most,
	int64_t *ids, uint32_t *n, bool *more, struct err *e);

/* The run among these ids that was stored first. ERR_NOT_FOUND names a missing
 * run. */
struct selected_first {
	int64_t run, created;
	const char *project, *workload;
};
bool query_selected_first(struct db *db, struct arena *a, const int64_t *ids,
	uint32_t n, struct selected_first *out, struct err *e);

/* A line of a kernel table: the kernel_stat of profile.h, with its kernel.
 * `rank` counts from 0 in nsys' order, within a run and split. */
struct kernel_line {
	int64_t kernel; /* id in the dictionary */
	/* Operators of the program that the kernel was generated from, by a
	 * provenance file. */
	const char *const *origins;
	uint32_t origins_n;
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
	const char *q; /* searched for in the name, ignoring case; NULL: all */
	/* Names ascend, numbers descend; unknown values come last in both
	 * directions. */
	enum kernel_sort sort;
	bool reverse;
	int64_t offset; /* rows to skip */
	int limit; /* 0: all */
};

/* A page with a limit ends early once its names take QUERY_PAGE_BYTES, but has
 * at least one line. The next page begins `n` lines later. */
enum { QUERY_PAGE_BYTES = 8 << 20 };

bool query_kernels(struct db *db, struct arena *a,
	const struct kernel_filter *f, struct kernel_line **rows, uint32_t *n,
	bool *more, struct err *e);
/* The names of the run's kernels whose short name another kernel of the run has,
 * too, by total time; at most QUERY_PAGE_BYTES of them. */
bool query_shared_names(struct db *db, struct arena *a, int64_t run,
	const char ***names, uint32_t *n, struct err *e);
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
	/* searched for in both names, ignoring case; NULL: all */
	const char *q;
	int64_t offset;
	int limit; /* 0: all */
};
bool query_launches(struct db *db, struct arena *a,
	const struct launch_filter *f, struct launch_line **rows, uint32_t *n,
	bool *more, struct err *e);

bool query_graphs(struct db *db, struct arena *a, int64_t run,
	struct graph_stat **rows, uint32_t *n, struct err *e);

/* The callers of a kernel, as paths with the outermost frame first, and the
 * totals of the kernel in this run. ERR_NOT_FOUND if the run has no such
 * kernel. `limit` 0: only the totals. */
struct caller_line {
	enum caller_known known;
	const struct frame *path; /* `parent` is unused */
	uint32_t path_n;
	/* Outer frames are missing: a path has at most QUERY_PATH frames and
	 * QUERY_PATH_BYTES of names, counted from the innermost frame. */
	bool cut;
	int64_t paths; /* single paths of this line; 1 unless merged */
	int64_t launches, total_ns;
};
struct caller_table {
	struct profile_kernel kernel;
	/* From a provenance file: nodes of the program that the kernel was
	 * generated from, and lines of the program, the first of all. */
	const char *const *origin_nodes, *const *origin_stacks;
	uint32_t origin_nodes_n, origin_stacks_n, origin_stacks_all;
	int64_t launches, total_ns; /* over all callers */
	struct caller_line *lines; /* sorted by total, descending */
	uint32_t n;
	/* there are more lines than `limit` or QUERY_PAGE_BYTES allow */
	bool more;
};
enum { QUERY_PATH = 1000, QUERY_PATH_BYTES = 1 << 20 };
bool query_callers(struct db *db, struct arena *a, int64_t run, int64_t kernel,
	int64_t offset, int limit, struct caller_table *t, struct err *e);

/* All call paths of a run, or those of one kernel (`kernel` 0: all). The kernels
 * are those that the paths launched. ERR_TOO_LARGE if the names of the frames
 * have more than QUERY_FRAME_BYTES in all. */
enum { QUERY_FRAME_BYTES = 256 << 20 };
bool query_call_paths(struct db *db, struct arena *a, int64_t run,
	int64_t kernel, struct call_paths *p, struct err *e);

/* Reads piece `seq` of a run's capture file, at most 1 MiB, into `to`; *len is
 * 0 after the last piece. The caller sets *edition to 0 before the first piece
 * and does not change it afterwards. ERR_CONFLICT if the file was replaced
 * since the first piece, so that a caller never joins pieces of two files.
 * ERR_NOT_FOUND if the run has no capture file. */
enum { CAPTURE_PIECE = 1 << 20 };
bool query_capture(struct db *db, int64_t run, int32_t seq, int64_t *edition,
	void *to, size_t *len, struct err *e);

/* What the time of a run's kept iterations was used for, and why the GPU was
 * idle. iteration_ns, which is large, is not read, and NULL. late_launch_ns and
 * short_ns are not stored, and -1. The causes are unknown if the run has no
 * single launches or no iterations, or was stored before migration 0027, until
 * `kernsiftd rebuild`. If they are known, their times add up to idle_ns. `kept`: the
 * kept iterations, in order, and what fusions and the overlap of a collective save in
 * them; none is known to save anything if the run was stored before this was, until
 * `kernsiftd rebuild`. */
bool query_waits(struct db *db, struct arena *a, int64_t run,
	struct iteration_sums *sums, struct wait_times *out,
	struct kept_iterations *kept, struct err *e);

/* The work of a run's iterations, and the number of its devices. ERR_NOT_FOUND.
 * Without rows it is unknown: the run has no iterations, is of an imported table,
 * or was stored before migration 0034, until `kernsiftd rebuild`. */
bool query_iteration_works(struct db *db, struct arena *a, int64_t run,
	struct iteration_works *out, struct err *e);

/* The energy of the devices of a run; n is 0 if the run has no devices or no single
 * launches, or was stored before migration 0035, until `kernsiftd rebuild`. */
bool query_energy(struct db *db, struct arena *a, int64_t run,
	struct energy_use *out, struct err *e);

bool query_copies(struct db *db, struct arena *a, int64_t run, enum split split,
	struct copy_stat **rows, uint32_t *n, struct err *e);

struct note_row {
	const char *code, *severity, *message;
	int64_t count;
};
bool query_notes(struct db *db, struct arena *a, int64_t run,
	struct note_row **rows, uint32_t *n, struct err *e);
