/* gate_result.h - stores the outcomes of gates as they were returned. */
#pragma once
#include "db.h"

struct gate_row {
	int64_t id, created;
	const char *who, *project, *workload, *name;
	const char *outcome; /* a word of gate.h */
	const char
		*document; /* JSON object; in lists without rules, findings and
			noise_prior */
};

/* Writes the body of the event into the caller's memory, once the id and the
 * time are known. */
struct gate_event {
	const char *(*body)(void *ctx, const struct gate_row *row);
	void *ctx;
};
/* Stores the row and posts the event "gate" in one transaction; sets id and
 * created. `event` NULL: no event. */
bool gate_result_store(struct db *db, struct gate_row *row,
	const struct gate_event *event, struct err *e);

struct gate_filter {
	/* NULL: any. `labels` is a JSON object. It must be contained in the
	 * labels that all runs of the head share. */
	const char *project, *workload, *name, *outcome, *labels;
	int64_t since, until; /* NO_MOMENT: no limit */
	int64_t after; /* an id; 0: from the newest */
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
