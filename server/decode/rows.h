/* rows.h - events are judged and become rows of a trace.
 *
 * While events come in, a row's `process` is the index of its pid and its
 * start is absolute; link.h and rebase.h change both once all are there. */
#pragma once
#include "pids.h"
#include "text.h"

enum { ROWS_KINDS = 5 };

struct rows {
	struct trace *trace;
	struct text text;
	struct pids pids;
	int64_t events; /* seen, of any kind */
	int64_t used; /* became a row */
	int64_t total_ns[CATEGORIES]; /* durations so far */
	bool pytorch; /* something only PyTorch writes was seen */
	char *label; /* of a counter, while it is put together */
	size_t label_cap;
	struct {
		char text[16];
		uint32_t len, id;
	} thread_memo[8];
};

bool rows_init(struct rows *r, struct trace *t);

/* Counts the event, and adds it or notes why not. False only where the arena
 * is full. */
bool rows_event(struct rows *r, const struct event *e);

/* An event that could not be read at all; `what` of it is shown. */
void rows_bad(struct rows *r, const char *what, size_t len);

/* The samples of a counter event ("C"): one for each number in its args, named
 * "NAME/KEY", or "NAME" alone where the key is that or "value"; with an id,
 * "NAME[ID]" stands for the name. An event without a number is a bad one. */
bool rows_counter(struct rows *r, const struct event *e, uint32_t index);

/* Between rows.c and rows_add.c: adds a good event's row under the pid of this
 * index; the id of a string, 0 where there is none. */
bool rows_add(struct rows *r, const struct event *e, uint32_t index);
bool rows_text(struct rows *r, const struct span *s, uint32_t *id);
