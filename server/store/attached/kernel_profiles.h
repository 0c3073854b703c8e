/* kernel_profiles.h - the files of a kernel profiler (Nsight Compute) that were
 * attached to a run, and what they say about the kernels of the run.
 *
 * The files are facts: a rebuild reads them again. They are deleted with the
 * run. */
#pragma once
#include "derived.h"
#include "sha256.h"

/* More files than anybody has of one run: one per group of metrics. */
enum { KERNEL_PROFILE_FILES_MAX = 16 };

struct kernel_profile_file {
	int64_t run;
	int32_t seq; /* its number in the run */
	const char *name; /* valid UTF-8 */
	const void *content; /* NULL if it was not read */
	size_t len;
	uint8_t sha256[SHA256_BYTES];
	/* What a reader of the file alone counted. */
	int64_t launches, bad_lines, bad_values;
	bool cut;
	int32_t ordinal; /* of the run in its upload */
	int64_t created;
};

/* The files of a run, without their contents. */
bool kernel_profiles_files(struct db *db, struct arena *a, int64_t run,
	struct kernel_profile_file **files, uint32_t *n, struct err *e);
/* The files of all runs of an upload, by run, without their contents. */
bool kernel_profiles_of_upload(struct db *db, struct arena *a, int64_t upload,
	struct kernel_profile_file **files, uint32_t *n, struct err *e);

/* Calls `each` with the content of each file, until it returns false. Only one
 * content is in memory at a time, and only during the call: together they have
 * up to KERNEL_PROFILE_FILES_MAX * NCU_FILE_MAX bytes per run. */
typedef bool kernel_profiles_fn(void *to, const struct kernel_profile_file *f,
	struct err *e);
bool kernel_profiles_each(struct db *db,
	const struct kernel_profile_file *files, uint32_t n,
	kernel_profiles_fn *each, void *to, struct err *e);

/* Stores a file of a run and the rows of all its files. ERR_CONFLICT if the run
 * is being analyzed, or if another file was attached since `files` were
 * counted. */
bool kernel_profiles_attach(struct db *db, int64_t upload,
	const struct derived_run *run, const struct kernel_profile_file *f,
	uint32_t files, struct err *e);

/* The kernels of a run, with their ids in the dictionary, as far as they are
 * needed to find kernels by name. */
bool kernel_profiles_kernels(struct db *db, struct arena *a, int64_t run,
	struct profile *p, int64_t **ids, struct err *e);

/* A row as it is stored, with the shape whose launches it is of. */
struct kernel_profile_line {
	struct kernel_profile is; /* without stall_pct */
	enum kernel_profile_match match;
	int64_t kernel; /* id in the dictionary; -1 unmatched */
	/* The reasons with known shares, the most frequent first. */
	const char *const *stalls;
	const double *stall_pct;
	uint32_t stalls_n;
	int64_t run_launches; /* of the run with this kernel, grid and block;
		-1: none */
	/* The shape, if there is one: ranks in run_operator and run_shape, name
	 * of the operator, text; -1 and NULL otherwise. */
	int32_t operator_, shape_rank;
	const char *op, *shape;
	bool several; /* several shapes have this grid and block */
	bool searched; /* the analysis noted which shapes have this grid and
		block; versions before 7 did not */
};

/* The rows of a run, in the order of the files; at most NCU_PROFILES_MAX. */
bool kernel_profiles_list(struct db *db, struct arena *a, int64_t run,
	struct kernel_profile_line **rows, uint32_t *n, struct err *e);
