/* capture_file_reader.h - a run's capture, read piece by piece while an answer is
 * sent.
 *
 * One piece is held in memory, CAPTURE_PIECE bytes. A database connection is used
 * for the reading of a piece and returned before a client is waited for. So slow
 * clients cost the others only this memory, which is bounded by how many readers may
 * be open at once. */
#pragma once
#include "service.h"

struct capture_file_reader;

/* The capture of a run, its first piece read. NULL with ERR_NOT_FOUND if there is
 * none, ERR_BUSY if too many are open. */
struct capture_file_reader *capture_file_reader_new(struct service_call *c,
	int64_t run, struct err *e);
/* Up to `cap` bytes; 0 at the end, -1 if it broke off, which is logged. Has the type
 * of kst_read_fn and api_stream.next. */
int64_t capture_file_reader_read(void *reader, void *to, size_t cap);
/* Ends the reading, and logs once why. */
void capture_file_reader_fail(struct capture_file_reader *p, const char *why);
void capture_file_reader_free(void *reader);
