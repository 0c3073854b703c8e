/* capture_file_reader.h - a run's capture, read piece by piece while an answer is sent.
 *
 * Held is one piece, CAPTURE_PIECE bytes. A database connection is lent for
 * the reading of a piece and given back before anybody waits for a client, so
 * any number of slow clients costs the others nothing but this memory; and
 * that is bounded by how many may be open at once. */
#pragma once
#include "service.h"

struct capture_file_reader;

/* The capture of a run, its first piece read. NULL with
 * ERR_NOT_FOUND where there is none, ERR_BUSY where too many are open. */
struct capture_file_reader *capture_file_reader_new(struct service_call *c,
	int64_t run, struct err *e);
/* Up to `cap` bytes; 0 at the end, -1 where it broke off, which is logged. As
 * kst_read_fn and api_stream want it. */
int64_t capture_file_reader_read(void *pieces, void *to, size_t cap);
/* What is to be said of a capture that broke off: once, to the log. */
void capture_file_reader_fail(struct capture_file_reader *p, const char *why);
void capture_file_reader_free(void *pieces);
