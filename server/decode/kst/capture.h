/* capture.h - a capture on its way to become a trace. */
#pragma once
#include "kernsift/kst_reader.h"
#include "text.h"
#include "window.h"

struct capture {
	struct trace *t;
	struct window *w;
	struct kst_reader *r;
	struct err *e; /* what reading the file met */
	struct text text;

	uint32_t *names; /* by place of a text: id of the trace's names */
	size_t names_room;
	bool names_long; /* some text is longer than a name may be */

	uint16_t *process_of; /* by id: the trace's process, plus one */
	size_t processes_room, devices_room;
	int64_t rows; /* used */
	int64_t sum_ns[KST_KINDS_END][2]; /* durations so far */
};

/* Adds the rows of a chunk to the trace. False where the arena is full. */
bool capture_rows(struct capture *c, const struct kst_chunk *k);

/* Takes what the rows of a chunk tell of processes, devices, notes and drops.
 * False where the arena is full. */
bool capture_told(struct capture *c, const struct kst_chunk *k);

/* The trace's process for an id of the capture, made if new. False where the
 * arena is full; *process is -1 where no process can have that id. */
bool capture_process(struct capture *c, int64_t id, int32_t *process);

/* The trace's name for a TEXT cell, 0 for a lost one; as a name, or whole.
 * NAMES_NONE where the arena is full. */
uint32_t capture_name(struct capture *c, int64_t cell);
uint32_t capture_text(const struct capture *c, int64_t cell);

/* Makes room for n of `each` in an array that grows; false where full. */
bool capture_room(struct capture *c, void **p, size_t *bytes, size_t n,
	size_t each);

/* Adds a note with a detail that was made before, and is not clipped again;
 * what was counted when it was made stands. */
void capture_note(struct notes *ns, enum note_code code, int64_t count,
	const char *detail, size_t len);

/* A row that is none: `of` is its kind. */
void capture_odd(struct capture *c, const char *of);
