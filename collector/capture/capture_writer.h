/* capture_writer.h - rows into captures in the spool folder, within bounds.
 *
 * One thread's, which blocks all signals. A capture is DIR/HOST-PID-TICKS-N.kst
 * with `.part` behind it while it grows (PID and start ticks tell processes
 * apart); what a killed process left behind is made whole by whoever uploads
 * (kst_tail.h). Rows not yet in a chunk lie in a MAP_SHARED tail beside it.
 * Everything of a text that may leave the process passes here: redaction
 * happens before a byte is written (redact.h).
 *
 * A full disk, a limit or an error ends the capture: rows are lost, and counted,
 * until the next window, or for a minute. In a forked child nothing is written
 * any more. */
#pragma once
#include "options.h"
#include <kernsift/kst.h>
#include <stddef.h>

struct capture_writer;

struct capture_writer_facts { /* told once per capture */
	uint32_t cupti_version, driver_version; /* 0 unknown */
	const char *mode; /* node or graph; lives as long as the writer */
};

/* No file is made before the first row. `o` is borrowed. NULL where there is no
 * memory. */
struct capture_writer *capture_writer_new(const struct options *o);
/* Ends the capture and gives it its name. */
void capture_writer_free(struct capture_writer *s);
void capture_writer_facts(struct capture_writer *s,
	const struct capture_writer_facts *f);

/* The number of the capture that the next row goes to: from 1, and it grows in
 * capture_writer_beat() alone. Ids of texts and shapes are good until it does, and what
 * is told once per capture has to be told again. */
int64_t capture_writer_captures(const struct capture_writer *s);

enum capture_writer_text_kind { TEXT_KERNEL, TEXT_NVTX, TEXT_PATH, TEXT_OWN };

/* The text's id in this capture, redacted unless it is TEXT_OWN; equal texts
 * get the same as a rule. `key` not 0: stands for this text of this kind for
 * ever (a pinned name's number), which spares looking at it. 0 where it is
 * dropped or cannot be written. */
int64_t capture_writer_text(struct capture_writer *s,
	enum capture_writer_text_kind kind, uint64_t key, const char *text,
	size_t len);
/* The launch of a kernel row. */
int64_t capture_writer_shape(struct capture_writer *s,
	const struct kst_shape *shape);

/* One row; times are nanoseconds from 1970 here and are counted from the
 * capture's base_ns when written; `process` is 0, and `row` of facts is counted
 * up. False where it could not be kept: a record or a range is then in
 * capture_writer_dropped(). */
bool capture_writer_row(struct capture_writer *s, enum kst_kind kind,
	const void *row);

/* Every 100 ms: closes chunks that are old enough, keeps the caps, begins the
 * next file. Between windows `idle` ends the file. */
void capture_writer_beat(struct capture_writer *s, int64_t now_ns, bool idle);

/* Records and ranges lost to full disks, caps and errors since it was asked last;
 * written as drop rows by whoever counts all of them. Rows that tell of a capture
 * or sample something are in no count. */
int64_t capture_writer_dropped(struct capture_writer *s);
/* A whole line: the capture's notes (code of server/model/note.def). The detail
 * is redacted as a path is. */
void capture_writer_note(struct capture_writer *s, const char *code,
	int64_t count, const char *detail);
