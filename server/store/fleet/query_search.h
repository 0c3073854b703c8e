/* query_search.h - finds runs, jobs, workloads, commits and kernels by words, and
 * lists the values of a filter.
 *
 * A row matches if each word is part of one of its texts. Case is ignored for
 * ASCII letters. Runs are found by the index run_text, so that a word of at least
 * three bytes that few runs have costs little; of a word that most runs have, the
 * newest DB_COUNTED_MAX runs are counted. The other lists read all of their rows. */
#pragma once
#include "query_trend.h"

/* Of the kernels whose names match, the newest 200 names are looked for in runs, each
 * in the newest 1,000 runs that have it. So a word that is part of most names costs at
 * most 200,000 index entries. */
enum { SEARCH_KERNELS = 200, SEARCH_KERNEL_RUNS = 1000 };

struct search_filter {
	const char
		*q; /* the text as it was entered; matches an id if it is one */
	const char *const *words; /* its words, in lower case; at least one */
	uint32_t words_n;
	const char *project; /* NULL: any */
	int limit; /* maximum number of rows of each list */
};

struct search_run {
	int64_t id, created;
	const char *name, *project, *workload;
	const char *commit, *host; /* NULL: unknown */
};
struct search_job {
	int64_t id, created, upload; /* upload: -1 if it has a name */
	const char *project, *name; /* name: NULL without */
};
struct search_commit {
	const char *project, *commit; /* commit: the label */
	int64_t runs, last; /* when its newest run was stored */
};
struct search_kernel {
	int64_t kernel, run; /* the newest run that has the kernel */
	const char *name, *project, *workload; /* of that run */
};

/* The number of listed rows, and of all. */
struct search_count {
	uint32_t n;
	int64_t all;
};

struct search {
	struct search_run *runs; /* the run with this id, then the newest */
	struct search_job *jobs; /* the job with this id, then the newest */
	struct workload_row *workloads; /* the one with the newest run first */
	struct search_commit *commits; /* the one with the newest run first */
	/* The kernels whose short names match first; then those with the
	 * newest run. */
	struct search_kernel *kernels;
	struct search_count runs_of, jobs_of, workloads_of, commits_of,
		kernels_of;
	/* More than DB_COUNTED_MAX runs match; that number is counted. */
	bool runs_more;
	/* More than SEARCH_KERNELS names match, so kernels may be missing. */
	bool kernels_more;
};
bool query_search(struct db *db, struct arena *a, const struct search_filter *f,
	struct search *out, struct err *e);

/* What a list of runs can be filtered by. */
enum run_value {
	VALUE_PROJECT,
	VALUE_WORKLOAD,
	VALUE_DEVICE,
	VALUE_FRAMEWORK,
	VALUE_LABEL
};

struct value_filter {
	enum run_value of;
	const char *q, *project; /* NULL: any */
	int limit;
};
struct value_row {
	const char *value; /* of a label: "branch=main" */
	int64_t runs; /* that have it */
};
/* Values that begin with `q` come first, then those with the most runs. Empty values
 * are not listed. */
bool query_values(struct db *db, struct arena *a, const struct value_filter *f,
	struct value_row **rows, struct search_count *count, struct err *e);
