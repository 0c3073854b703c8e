/* respond.h - answers become HTTP responses, with the headers all of them
 * have. */
#pragma once
#include "api.h"
#include "buf.h"
#include "files.h"

struct MHD_Connection;

/* Queues the answer, whose body or stream it takes over. *sent counts the
 * bytes, of a stream while they are sent; it must outlive the sending.
 * `head`: a HEAD request. False if libmicrohttpd fails; the caller must then
 * close the connection. */
bool respond_api(struct MHD_Connection *c, struct api_answer *a, bool close,
	bool head, int64_t *sent);
/* Queues a file, which it takes over; if `same`, 304 without the file. */
bool respond_file(struct MHD_Connection *c, struct web_file *f, bool same,
	bool close);
/* The answer as bytes for a socket, with Connection: close. */
void respond_raw(const struct api_answer *a, struct buf *b);
