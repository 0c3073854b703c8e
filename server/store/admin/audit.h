/* audit.h - the audit log: who changed what.
 *
 * audit_begin() writes a row before the change. If this fails, the change is
 * rejected. The commit of the row does not wait for the disk, because the
 * commit of the change comes later in the same log and does wait. audit_end()
 * records the result. Rows contain no token and no secret. */
#pragma once
#include "db.h"

/* HTTP statuses for the API; AUDIT_GONE: the client left before the response. A
 * command of kernsiftd has AUDIT_DONE or AUDIT_FAILED. */
enum { AUDIT_DONE = 200, AUDIT_GONE = 499, AUDIT_FAILED = 500 };

enum { AUDIT_PATH = 2000, AUDIT_DETAIL = 2000 };

struct audit_row {
	int64_t id, at;
	const char *who;
	int64_t token; /* 0 none */
	const char *project, *method, *path, *detail; /* NULL: unknown */
	int status; /* 0: not finished */
};

/* Records the beginning of a change. Texts that are too long are cut after a
 * whole character; invalid UTF-8 is replaced. */
bool audit_begin(struct db *db, const struct audit_row *row, int64_t *id,
	struct err *e);
/* Records the result of a change. `detail` and `project` replace those of
 * audit_begin() unless they are NULL. */
bool audit_end(struct db *db, int64_t id, int status, const char *detail,
	const char *project, struct err *e);
/* audit_begin() for a command of kernsiftd, such as "token": `who` is
 * "kernsiftd token". */
bool audit_command(struct db *db, const char *command, const char *detail,
	int64_t *id, struct err *e);

struct audit_filter {
	const char *project, *who; /* NULL any */
	int64_t since, until; /* NO_MOMENT: no limit */
	int64_t after; /* an id; 0: from the newest */
	int limit;
};
bool audit_list(struct db *db, struct arena *a, const struct audit_filter *f,
	struct audit_row **rows, uint32_t *n, bool *more, struct err *e);
