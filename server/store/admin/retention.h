/* retention.h - how long data is kept, and what is deleted because of it.
 *
 * A plan is computed from one state of the database:
 *
 *  - Runs and gates that are older than run_days of their project are deleted.
 *  - The bytes of an upload, also of a failed one, are deleted if they are older than
 *    raw_days of its project, or if all its runs were deleted or are in the plan.
 *  - If uploads and capture files of a project exceed its quota, the oldest bytes of
 *    uploads are deleted, then the oldest runs, until the quota is met.
 *
 * The plan never contains an upload that is being received, is waiting or is
 * being worked on. It never contains a run with the label keep=true or the
 * bytes of this run's upload; if an upload has no runs, its own label counts. A
 * run belongs to its current project, an upload to the project that it was sent
 * to.
 *
 * Items are deleted one by one, each in its own transaction, in which it is
 * tested again under its upload's lock. Bytes are deleted in batches. So two
 * vacuums may run at once, and the next vacuum continues after one was killed.
 * An item that cannot be deleted does not stop the deletion of the others. */
#pragma once
#include "db.h"

enum { RETENTION_DAYS_MAX = 36500, RETENTION_ROWS_MAX = 1000 };
#define RETENTION_QUOTA_MAX (INT64_C(1) << 40) /* MiB */

/* The limits of a project, or (project NULL) of all projects without a row of
 * their own. -1: no limit. The quota counts the bytes of uploads and capture
 * files. */
struct retention_row {
	const char *project;
	int raw_days, run_days;
	int64_t quota_mib;
};

/* The row for all projects first, the others by project. */
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
/* Why the bytes of an upload are deleted. DELETED: none of its runs is left.
 * EMPTIED: all of its runs are in the plan. BEGUN: the deletion had begun, and
 * some of the bytes are left. */
enum retention_reason {
#define X(name, word) RETENTION_##name,
	RETENTION_REASONS(X)
#undef X
		RETENTION_REASONS_N
};
const char *retention_kind_word(enum retention_kind k);
const char *retention_reason_word(enum retention_reason r);

/* -1: as in the stored limits. */
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

/* Computes the plan, in the order of deletion: runs, uploads, gates. */
bool retention_plan(struct db *db, struct arena *a,
	const struct retention_request *request, struct retention_item **items,
	uint32_t *n, struct err *e);
/* Deletes one item. *gone is false if nothing was deleted, because the item is
 * now being worked on, labeled or already deleted. */
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
	/* items that could not be deleted, or need not be any more */
	int64_t left;
	/* the error of the first item that could not be deleted */
	struct err why;
};

/* `dry`: deletes nothing and reports what would be deleted. `go_on`, which may
 * be NULL, is called before each item; if it returns false, the vacuum ends. A
 * lost connection ends it, too. In both cases the report contains what was
 * deleted. */
bool retention_vacuum(struct db *db, struct arena *a,
	const struct retention_request *request, bool dry,
	bool (*go_on)(void *ctx), void *ctx, struct retention_report *report,
	struct err *e);
