/* keep_plan.h - what is kept too long: which things, and why.
 *
 * Worked out from one state of the database:
 *
 *  - runs older than run_days of their project, and gates, go;
 *  - bytes of an upload go where they are older than raw_days of its project,
 *    where its runs were all deleted, or are to go; a failed one's likewise;
 *  - where uploads and captures of a project come to more than its quota, the
 *    oldest bytes of uploads go, then the oldest runs, until they do not.
 *
 * Never what is received, waits or is worked on, and never a run that is
 * labelled keep=true, nor the bytes of its upload (where an upload has no run
 * yet, its own label counts). A run is of the project that it says now, an
 * upload of the one it was sent to. */
#pragma once
#include "db.h"

/*         name       what of it went */
#define KEEP_KINDS(X)     \
	X(RUN, "runs")    \
	X(RAW, "uploads") \
	X(GATE, "gates")
#define KEEP_WHYS(X)          \
	X(AGE, "age")         \
	X(DELETED, "deleted") \
	X(EMPTIED, "runs")    \
	X(QUOTA, "quota")     \
	X(BEGUN, "begun")

enum keep_kind {
#define X(name, word) KEEP_##name,
	KEEP_KINDS(X)
#undef X
		KEEP_KINDS_N
};
/* DELETED: no run of it is left; EMPTIED: nor will be, for they go too; BEGUN:
 * it went already, but for some of its bytes. */
enum keep_why {
#define X(name, word) KEEP_##name,
	KEEP_WHYS(X)
#undef X
		KEEP_WHYS_N
};
const char *keep_kind_word(enum keep_kind k);
const char *keep_why_word(enum keep_why w);

/* -1: as the table retention says. */
struct keep_ask {
	const char *project; /* NULL: of all */
	int raw_days, run_days;
	int64_t quota_mib;
};

struct keep_item {
	enum keep_kind kind;
	enum keep_why why;
	int64_t id;
	const char *project;
	int64_t bytes; /* of chunks or of the capture */
};

/* In the order in which they are to go: runs, uploads, gates. */
bool keep_plan(struct db *db, struct arena *a, const struct keep_ask *ask,
	struct keep_item **items, uint32_t *n, struct err *e);
