/* gate_result.h - stores the outcomes of gates as they were returned. */
#pragma once
#include "db.h"

struct gate_row {
	int64_t id, created;
	const char *who, *project, *workload, *name;
	const char *outcome; /* a word of gate.h */
	const char *document; /* JSON object; in lists without rules, anchor,
			findings and noise_prior */
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

/* Which gate of the head's commit a request is. */
struct gate_budget {
	const char *commit; /* NULL: the head's runs share no such label */
	uint32_t number; /* from 1; 0: the commit is unknown */
	uint32_t gates; /* of the commit so far */
	const char *project; /* of the number */
	bool fresh; /* the request did not have the number before */
};
/* Numbers the request; the same request of the same commit keeps its number.
 * `unit` is the label that names the commit, `request` a SHA-256. */
bool gate_result_number(struct db *db, struct arena *a, const int64_t *head,
	uint32_t head_n, const char *unit, const uint8_t request[32],
	struct gate_budget *out, struct err *e);
/* Frees a fresh number, because the gate has decided nothing. If it is the newest
 * number of the commit, the next gate has it. */
bool gate_result_number_free(struct db *db, const struct gate_budget *budget,
	const uint8_t request[32], struct err *e);

struct gate_filter {
	/* NULL: any. `labels` is a JSON object. It must be contained in the
	 * labels that all runs of the head share. */
	const char *project, *workload, *name, *outcome, *labels;
	int64_t since, until; /* NO_MOMENT: no limit */
	int64_t after; /* an id; 0: from the newest */
	int limit;
	int64_t *total; /* number of all pages' gates; NULL: not counted */
};
/* Newest first. */
bool gate_result_list(struct db *db, struct arena *a,
	const struct gate_filter *f, struct gate_row **rows, uint32_t *n,
	bool *more, struct err *e);
bool gate_result_get(struct db *db, struct arena *a, int64_t id,
	struct gate_row *row, struct err *e); /* ERR_NOT_FOUND */
bool gate_result_delete(struct db *db, int64_t id,
	struct err *e); /* ERR_NOT_FOUND */
