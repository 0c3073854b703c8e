/* capture_file_reader.h - a run's capture, read piece by piece while an answer
 * is sent.
 *
 * One piece of CAPTURE_PIECE bytes is in memory at a time. A database
 * connection is used only while a piece is read, and returned before the server
 * waits for the client. So a slow client occupies only this memory, and the
 * number of readers that may be open at once bounds it. */
#pragma once
#include "service.h"

struct capture_file_reader;

/* Opens the capture of a run and reads its first piece. NULL with ERR_NOT_FOUND
 * if the run has none, ERR_BUSY if too many readers are open. */
struct capture_file_reader *capture_file_reader_new(struct service_call *c,
	int64_t run, struct err *e);
/* Reads up to `cap` bytes. Returns 0 at the end, -1 if reading failed, which is
 * logged. Has the type of kst_read_fn and api_stream.next. */
int64_t capture_file_reader_read(void *reader, void *to, size_t cap);
/* Ends the reading, and logs the reason once. */
void capture_file_reader_fail(struct capture_file_reader *p, const char *why);
void capture_file_reader_free(void *reader);
