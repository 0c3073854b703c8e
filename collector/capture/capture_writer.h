/* capture_writer.h - writes rows into capture files in the spool folder,
 * within limits.
 *
 * Used by one thread, which blocks all signals. A capture file is
 * DIR/HOST-PID-TICKS-N.kst, with `.part` appended while it grows (PID and
 * start ticks identify a process). The uploader completes the file of a
 * killed process (kst_tail.h). Rows that are not in a chunk yet are in a
 * MAP_SHARED tail next to it. Every text that may leave the process passes
 * through here: redaction happens before a byte is written (redact.h).
 *
 * A full disk, a limit or an error ends the capture: rows are lost, and
 * counted, until the next window, or for a minute. A forked child writes
 * nothing. */
#pragma once
#include "options.h"
#include <kernsift/kst.h>
#include <stddef.h>

struct capture_writer;

struct capture_writer_facts { /* reported once per capture */
	uint32_t cupti_version, driver_version; /* 0 unknown */
	const char *mode; /* node or graph; lives as long as the writer */
};

/* No file is created before the first row. `o` is borrowed. NULL if there is
 * no memory. */
struct capture_writer *capture_writer_new(const struct collector_options *o);
/* Ends the capture and gives it its name. */
void capture_writer_free(struct capture_writer *s);
void capture_writer_facts(struct capture_writer *s,
	const struct capture_writer_facts *f);

/* The number of the capture of the next row: from 1; only
 * capture_writer_beat() increases it. Ids of texts and shapes are valid
 * until then, and what is written once per capture has to be written again. */
int64_t capture_writer_captures(const struct capture_writer *s);

enum capture_writer_text_kind { TEXT_KERNEL, TEXT_NVTX, TEXT_PATH, TEXT_OWN };

/* The text's id in this capture, redacted unless it is TEXT_OWN; equal texts
 * normally get the same id. A `key` other than 0 always means this text of
 * this kind (a pinned name's number), which saves hashing it. 0 if the text
 * is dropped or cannot be written. */
int64_t capture_writer_text(struct capture_writer *s,
	enum capture_writer_text_kind kind, uint64_t key, const char *text,
	size_t len);
/* The launch of a kernel row. */
int64_t capture_writer_shape(struct capture_writer *s,
	const struct kst_shape *shape);

/* One row; times are nanoseconds from 1970 here and are stored relative to
 * the capture's base_ns; `process` is 0, and `row` of facts is counted up.
 * False if it could not be kept: a record or a range is then in
 * capture_writer_dropped(). */
bool capture_writer_row(struct capture_writer *s, enum kst_kind kind,
	const void *row);

/* Every 100 ms: closes chunks that are old enough, keeps the caps, begins the
 * next file. Between windows `idle` ends the file. */
void capture_writer_beat(struct capture_writer *s, int64_t now_ns, bool idle);

/* Records and ranges lost to full disks, limits and errors since the last
 * call. The caller, who counts all losses, writes them as drop rows. Rows
 * that describe the capture or sample something are not counted. */
int64_t capture_writer_dropped(struct capture_writer *s);
/* A whole line: the capture's notes (code of server/model/note.def). The detail
 * is redacted as a path is. */
void capture_writer_note(struct capture_writer *s, const char *code,
	int64_t count, const char *detail);
