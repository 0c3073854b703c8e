/* retention.h - how long data is kept, and what is deleted because of it.
 *
 * A plan is computed from one state of the database:
 *
 *  - runs older than run_days of their project, and gates, are deleted;
 *  - bytes of an upload are deleted if they are older than raw_days of its project
 *    (also of a failed upload), or if all its runs were deleted or are in the plan;
 *  - if uploads and capture files of a project exceed its quota, the oldest bytes
 *    of uploads are deleted, then the oldest runs, until they do not.
 *
 * Never in the plan: what is being received, waits or is being worked on; a run
 * that is labeled keep=true, and the bytes of its upload (without runs, the
 * upload's own label counts). A run belongs to the project that it has now, an
 * upload to the one it was sent to.
 *
 * Items are deleted one by one, each tested again under its upload's lock and in
 * a transaction of its own, bytes in batches: two vacuums at once do no harm, and
 * the next one continues what a killed one began. One item that cannot be deleted
 * does not stop the others. */
#pragma once
#include "db.h"

enum { RETENTION_DAYS_MAX = 36500, RETENTION_ROWS_MAX = 1000 };
#define RETENTION_QUOTA_MAX (INT64_C(1) << 40) /* MiB */

/* Of a project, or (NULL) of all without a row. -1: no limit. The quota counts
 * bytes of uploads and capture files. */
struct retention_row {
	const char *project;
	int raw_days, run_days;
	int64_t quota_mib;
};

/* The row of all projects first, then by project. */
bool retention_list(struct db *db, struct arena *a, struct retention_row **rows,
	uint32_t *n, struct err *e);
/* Replaces all rows. */
bool retention_replace(struct db *db, const struct retention_row *rows,
	uint32_t n, struct err *e);

/*         name       what is deleted */
#define RETENTION_KINDS(X) \
	X(RUN, "runs")     \
	X(RAW, "uploads")  \
	X(GATE, "gates")
#define RETENTION_REASONS(X)  \
	X(AGE, "age")         \
	X(DELETED, "deleted") \
	X(EMPTIED, "runs")    \
	X(QUOTA, "quota")     \
	X(BEGUN, "begun")

enum retention_kind {
#define X(name, word) RETENTION_##name,
	RETENTION_KINDS(X)
#undef X
		RETENTION_KINDS_N
};
/* DELETED: none of its runs is left; EMPTIED: all of them are in the plan;
 * BEGUN: it was deleted already, except some of its bytes. */
enum retention_reason {
#define X(name, word) RETENTION_##name,
	RETENTION_REASONS(X)
#undef X
		RETENTION_REASONS_N
};
const char *retention_kind_word(enum retention_kind k);
const char *retention_reason_word(enum retention_reason r);

/* -1: as the table says. */
struct retention_request {
	const char *project; /* NULL: all */
	int raw_days, run_days;
	int64_t quota_mib;
};

struct retention_item {
	enum retention_kind kind;
	enum retention_reason why;
	int64_t id;
	const char *project;
	int64_t bytes; /* of chunks or of the capture file */
};

/* In the order of deletion: runs, uploads, gates. */
bool retention_plan(struct db *db, struct arena *a,
	const struct retention_request *request, struct retention_item **items,
	uint32_t *n, struct err *e);
/* *gone false if it is being worked on, labeled or deleted meanwhile. */
bool retention_delete(struct db *db, const struct retention_item *item,
	bool *gone, struct err *e);

struct retention_sum {
	const char *project;
	enum retention_kind kind;
	enum retention_reason why;
	int64_t n, bytes;
};

struct retention_report {
	/* by project, kind, reason; in the arena */
	struct retention_sum *sums;
	uint32_t sums_n;
	int64_t left; /* could not be deleted, or need not any more */
	struct err why; /* the first that could not */
};

/* `dry`: deletes nothing; the report says what would be. `go_on` may be NULL;
 * it is called before each item, and false ends the vacuum. A lost connection
 * ends it, too, with the report of what was deleted. */
bool retention_vacuum(struct db *db, struct arena *a,
	const struct retention_request *request, bool dry,
	bool (*go_on)(void *ctx), void *ctx, struct retention_report *report,
	struct err *e);
