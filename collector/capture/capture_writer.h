/* capture_writer.h - writes rows into capture files in the spool folder,
 * within limits.
 *
 * One thread uses the writer; that thread blocks all signals. A capture file
 * is DIR/HOST-PID-TICKS-N.kst, and its name ends in `.part` while it grows.
 * PID and start ticks identify a process. Rows that are not in a chunk yet are
 * in a MAP_SHARED tail file next to it. If the process is killed, the uploader
 * completes its file from the tail (kst_tail.h). Every text that may leave the
 * process passes through here, so that it is redacted before it is written
 * (redact.h).
 *
 * A full disk, a limit or an error ends the capture. Rows are then lost, and
 * counted, until the next window or for one minute. A forked child writes
 * nothing. */
#pragma once
#include "options.h"
#include <kernsift/kst.h>
#include <stddef.h>

struct capture_writer;

struct capture_writer_facts { /* reported once per capture */
	uint32_t cupti_version, driver_version; /* 0 unknown */
	const char *mode; /* node or graph; must stay valid as long as the
			   * writer */
};

/* Creates no file before the first row. `o` is borrowed. NULL if there is no
 * memory. */
struct capture_writer *capture_writer_new(const struct collector_options *o);
/* Ends the capture and renames its file to the final name. */
void capture_writer_free(struct capture_writer *s);
void capture_writer_facts(struct capture_writer *s,
	const struct capture_writer_facts *f);

/* The number of the capture to which the next row belongs, from 1. Only
 * capture_writer_beat() increases it. Ids of texts and shapes are valid until
 * then, and rows that each capture needs once must be written again. */
int64_t capture_writer_captures(const struct capture_writer *s);

enum capture_writer_text_kind { TEXT_KERNEL, TEXT_NVTX, TEXT_PATH, TEXT_OWN };

/* The id of the text in this capture. The text is redacted unless its kind is
 * TEXT_OWN. Equal texts normally get the same id. `key` is a pinned name's
 * number or 0. A key other than 0 always means this text of this kind, which
 * saves hashing the text. Returns 0 if the text is dropped or cannot be
 * written. */
int64_t capture_writer_text(struct capture_writer *s,
	enum capture_writer_text_kind kind, uint64_t key, const char *text,
	size_t len);
/* The id of the launch shape of a kernel row. */
int64_t capture_writer_shape(struct capture_writer *s,
	const struct kst_shape *shape);

/* Writes one row. Callers give times as nanoseconds since 1970; they are
 * stored relative to the capture's base_ns. `process` is set to 0, and `row`
 * of a fact to the next number. Returns false if the row could not be kept. A
 * lost record or range is then included in capture_writer_dropped(). */
bool capture_writer_row(struct capture_writer *s, enum kst_kind kind,
	const void *row);

/* Called every 100 ms. Closes chunks that are old enough, enforces the limits
 * and starts the next file if needed. Between windows, `idle` ends the file. */
void capture_writer_beat(struct capture_writer *s, int64_t now_ns, bool idle);

/* The number of records and ranges lost to full disks, limits and errors since
 * the last call. The caller, who counts all losses, writes them as drop rows.
 * Lost samples and lost rows that describe the capture are not counted. */
int64_t capture_writer_dropped(struct capture_writer *s);
/* Adds a note to the capture: one row with a code of server/model/note.def.
 * The detail is redacted like a path. */
void capture_writer_note(struct capture_writer *s, const char *code,
	int64_t count, const char *detail);
