/* query_home.h - what the home page shows: what needs attention, where the GPU
 * time of each day was used, and the workloads with their last iterations.
 *
 * Everything in it is read as it is stored, and nothing is judged again, except
 * whether a branch without a gate is slower than main. Of gates, change points and
 * jobs only the newest are read. Of workloads, one row each is read, and all runs of
 * the listed ones. */
#pragma once
#include "query_trend.h"

/* The longest lists. A sparkline of 30 points is as wide as a column of the
 * table; 90 days are as many columns as a phone can show, at 4 pixels each. */
enum {
	HOME_LINES = 5,
	HOME_JOBS = 3,
	HOME_WORKLOADS = 8,
	HOME_POINTS = 30,
	HOME_DAYS = 90,
	HOME_OPERATORS = 6
};
/* The lists and totals of gates and change points are of the newest 10,000 of the
 * project and workload, and that of jobs of the newest 1,000, whose runs are
 * counted. */
enum { HOME_SEARCHED = 10000, HOME_JOBS_SEARCHED = 1000 };

/* A branch is slower than main if each of its newest HOME_SIDE_RUNS runs has a
 * longer median iteration than each of main's, and the median of these is at least
 * 1 % longer, which is the change of an iteration that a comparison tolerates by
 * default. Three runs a side are the fewest for which this order is rare without a
 * change: one in 20.
 *
 * Workloads are those of the newest HOME_BRANCHES_SEARCHED runs, at most
 * HOME_BRANCH_SEARCHED of them. Of each, as many of the newest runs are read, and
 * as many of main. */
enum {
	HOME_SIDE_RUNS = 5,
	HOME_SIDE_MIN = 3,
	HOME_BRANCH_SEARCHED = 64,
	HOME_BRANCHES_SEARCHED = 1000
};

struct home_filter {
	const char *project, *workload; /* NULL: any */
	int64_t since, until; /* in [since, until); NO_MOMENT: no limit */
};

struct home_gate {
	int64_t id, created;
	const char *project, *workload, *name, *outcome, *summary;
};
struct home_change {
	const char *project, *workload;
	const char *metric, *of; /* `of`: the operator; NULL: of the run */
	int64_t run, at; /* the first run of the new level */
	double change_pct; /* NaN: recorded by a version that did not store it,
			or from 0 */
};
struct home_branch {
	const char *project, *workload, *branch;
	int64_t run, at; /* the newest run of the branch */
	int64_t runs, main_runs; /* that were compared */
	double change_pct; /* of the median over the runs */
};
struct home_gpu {
	const char *project, *gpu;
	double slowdown; /* relative to the median GPU */
	int64_t found;
};
struct home_upload {
	int64_t id, created;
	const char *project, *workload, *name, *file, *error;
};
struct home_job {
	int64_t id, upload, created, runs; /* upload: -1 if it has a name */
	const char *project, *name; /* name: NULL without */
};
struct home_run {
	int64_t id, created;
	const char *name, *project, *workload;
};

/* A workload and the median iteration of its newest units on the device of the
 * newest unit that has iterations, oldest first. The iterations of different
 * devices are not compared. A run on several devices counts for the first. */
struct home_workload {
	struct workload_row is;
	struct trend trend;
	const char
		*device; /* NULL: unknown, and the units are of all devices */
	/* Devices of the newest HOME_POINTS units of the workload, sorted. */
	const char **devices;
	uint32_t devices_n;
};

/* The GPU-hours that the runs of a day represent, and how they are divided into
 * operators by GPU time. */
struct home_day {
	int32_t day; /* since 1970 (UTC) */
	int64_t runs;
	double hours;
	double *op_hours; /* by operator of the list */
	double other_hours, unattributed_hours;
};

/* The number of listed rows, and of all. */
struct home_count {
	uint32_t n;
	int64_t all;
};

struct home {
	/* Gates that regressed, except those whose name has a newer gate. */
	struct home_gate *gates;
	struct home_change *changes; /* for the worse, or unknown */
	struct home_gpu *gpus; /* slowest first; of all workloads and times */
	struct home_upload *uploads; /* failed */
	/* slower than main */
	struct home_branch *branches;
	struct home_count gates_of, changes_of, gpus_of, uploads_of,
		branches_of;
	struct home_job *jobs; /* with 2 to JOB_RANKS runs */
	uint32_t jobs_n;
	/* Of any time; NULL: there is none. */
	const struct home_gate *last_gate;
	const struct home_run *newest_run;
	struct home_workload *workloads;
	struct home_count workloads_of;
	/* Most hours first. The days end with that of the newest run. */
	const char **operators;
	struct home_day *days;
	uint32_t operators_n, days_n;
};

/* All lists begin with the newest, except those that say otherwise. */
bool query_home(struct db *db, struct arena *a, const struct home_filter *f,
	struct home *out, struct err *e);
