/* audit.h - who changed what.
 *
 * A row is written before the change is tried, by audit_begin(); a change whose
 * row cannot be written is not made. Its commit does not wait for the disk: that
 * of the change, later in the same log, does. audit_end() says how it ended. No
 * token and no secret is told here. */
#pragma once
#include "db.h"

/* HTTP's are the API's; AUDIT_GONE: the sender went away before an answer. A
 * command of kernsiftd has AUDIT_DONE or AUDIT_FAILED. */
enum { AUDIT_DONE = 200, AUDIT_GONE = 499, AUDIT_FAILED = 500 };

enum { AUDIT_PATH = 2000, AUDIT_DETAIL = 2000 };

struct audit_row {
	int64_t id, at;
	const char *who;
	int64_t token; /* 0 none */
	const char *project, *method, *path, *detail; /* NULL: not known */
	int status; /* 0: not ended */
};

/* What is longer than the schema takes is cut at a whole character, and what is
 * not UTF-8 mended. */
bool audit_begin(struct db *db, const struct audit_row *row, int64_t *id,
	struct err *e);
/* `detail` and `project` replace what was written before, where not NULL. */
bool audit_end(struct db *db, int64_t id, int status, const char *detail,
	const char *project, struct err *e);
/* The same for a command of kernsiftd, such as "token": who is "kernsiftd
 * token", and nothing more is said of it than `detail` (NULL nothing). */
bool audit_command(struct db *db, const char *command, const char *detail,
	int64_t *id, struct err *e);

struct audit_filter {
	const char *project, *who; /* NULL any */
	int64_t since, until; /* NO_MOMENT open */
	int64_t after; /* id; 0 from the newest */
	int limit;
};
bool audit_list(struct db *db, struct arena *a, const struct audit_filter *f,
	struct audit_row **rows, uint32_t *n, bool *more, struct err *e);
