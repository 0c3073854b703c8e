/* gate_result.h - what gates said, as they said it. */
#pragma once
#include "query.h"

struct gate_row {
	int64_t id, created;
	const char *who, *project, *workload, *name;
	const char *outcome; /* gate.h's words */
	const char *
		document; /* JSON object; of a list, without rules and findings */
};

/* Who is to be told of a gate: the event's body once id and moment are known, in
 * the caller's memory. NULL: nobody. */
struct gate_telling {
	const char *(*body)(void *ctx, const struct gate_row *row);
	void *ctx;
};
/* Stores it, and posts the event "gate" with it or not at all; fills in id and
 * created. */
bool gate_keep(struct db *db, struct gate_row *row,
	const struct gate_telling *t, struct err *e);

struct gate_filter {
	/* NULL any. `labels`, a JSON object, is in what the head's runs share. */
	const char *project, *workload, *name, *outcome, *labels;
	int64_t since, until; /* NO_MOMENT open */
	int64_t after; /* id; 0 from the newest */
	int limit;
};
/* Newest first. */
bool gate_list(struct db *db, struct arena *a, const struct gate_filter *f,
	struct gate_row **rows, uint32_t *n, bool *more, struct err *e);
bool gate_read(struct db *db, struct arena *a, int64_t id, struct gate_row *row,
	struct err *e); /* ERR_NOT_FOUND */
bool gate_drop(struct db *db, int64_t id, struct err *e); /* ERR_NOT_FOUND */
