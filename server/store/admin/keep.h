/* keep.h - what is kept too long goes: a vacuum.
 *
 * Thing by thing, each looked at again under its upload's lock and gone in a
 * transaction of its own, bytes in batches: two vacuums at once do no harm, and
 * one that is killed is gone on with by the next. What goes is what keep_plan.h
 * says; one thing that cannot go keeps no other. */
#pragma once
#include "keep_plan.h"

struct keep_sum {
	const char *project;
	enum keep_kind kind;
	enum keep_why why;
	int64_t n, bytes;
};

struct keep_report {
	/* by project, kind, reason; in the arena */
	struct keep_sum *sums;
	uint32_t sums_n;
	int64_t left; /* could not go, or need not any more */
	struct err why; /* the first that could not */
};

/* `dry`: nothing goes, and the report tells what would. `go_on` may be NULL;
 * it is asked before each thing. A lost connection ends it, with what went so far
 * in the report. */
bool keep_vacuum(struct db *db, struct arena *a, const struct keep_ask *ask,
	bool dry, bool (*go_on)(void *ctx), void *ctx,
	struct keep_report *report, struct err *e);
