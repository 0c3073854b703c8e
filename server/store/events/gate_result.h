/* gate_result.h - outcomes of gates, as they were returned. */
#pragma once
#include "db.h"

struct gate_row {
	int64_t id, created;
	const char *who, *project, *workload, *name;
	const char *outcome; /* a word of gate.h */
	const char *
		document; /* JSON object; in lists without rules and findings */
};

/* Makes the body of the event once id and moment are known, in the caller's
 * memory. */
struct gate_event {
	const char *(*body)(void *ctx, const struct gate_row *row);
	void *ctx;
};
/* Stores the row and posts the event "gate", both or neither; fills in id and
 * created. `event` NULL: none. */
bool gate_result_store(struct db *db, struct gate_row *row,
	const struct gate_event *event, struct err *e);

struct gate_filter {
	/* NULL any. `labels`: a JSON object that the labels which all runs of
	 * the head share must contain. */
	const char *project, *workload, *name, *outcome, *labels;
	int64_t since, until; /* NO_MOMENT open */
	int64_t after; /* id; 0 from the newest */
	int limit;
};
/* Newest first. */
bool gate_result_list(struct db *db, struct arena *a,
	const struct gate_filter *f, struct gate_row **rows, uint32_t *n,
	bool *more, struct err *e);
bool gate_result_get(struct db *db, struct arena *a, int64_t id,
	struct gate_row *row, struct err *e); /* ERR_NOT_FOUND */
bool gate_result_delete(struct db *db, int64_t id,
	struct err *e); /* ERR_NOT_FOUND */
