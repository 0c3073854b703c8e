/* timeline_arg.h - the parts an event is written from: cells of a row as
 * members of a JSON object. timeline_event.c only. */
#pragma once
#include "timeline_event.h"

struct timeline_row {
	struct timeline_event *ev;
	struct buf *out;
	const struct kst_chunk *chunk;
	uint32_t at;
};

#define TIMELINE_CELL(r, kind, field) \
	((r)->chunk->column[KST_COLUMN(kind, field)].i[(r)->at])

/* The text of a cell; "(lost)" where its chunk is damaged. */
const char *timeline_arg_text_of(const struct timeline_row *r, int64_t cell,
	size_t *len);
void timeline_arg_text(struct timeline_row *r, const char *key, int64_t cell);
/* The same, left out where it is none. */
void timeline_arg_told(struct timeline_row *r, const char *key, int64_t cell);
/* Left out where it is negative: not told. */
void timeline_arg_number(struct timeline_row *r, const char *key, int64_t v);
/* Text that is JSON as a rule, and need not be; left out where it is none. */
void timeline_arg_json(struct timeline_row *r, const char *key, int64_t cell);
/* Grid, block, registers and shared memory, as far as they are told. */
void timeline_arg_shape(struct timeline_row *r, int64_t cell);

/* "ts":… */
void timeline_arg_when(struct timeline_row *r, int64_t start_ns);
/* "ts":…,"dur":…,"args":{ */
void timeline_arg_span(struct timeline_row *r, int64_t start_ns,
	int64_t dur_ns);
/* Closes the args and the event. */
void timeline_arg_end(struct timeline_row *r);
