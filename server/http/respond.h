/* respond.h - sends the API's answers as HTTP responses, with the headers that
 * all responses have. */
#pragma once
#include "api.h"
#include "buf.h"
#include "files.h"

struct MHD_Connection;

/* Queues the answer, compressed if the client accepts that, and takes over its
 * body or stream. *sent counts the bytes, for a stream while they are sent; it
 * must stay valid until the response has been sent. `head` is set for a HEAD
 * request. Returns false if libmicrohttpd fails; the caller must then close the
 * connection. */
bool respond_api(struct MHD_Connection *c, struct api_answer *a, bool close,
	bool head, int64_t *sent);
/* Queues a file and takes it over. If `same` is set, sends 304 without the
 * file. */
bool respond_file(struct MHD_Connection *c, struct web_file *f, bool same,
	bool close);
/* The complete answer as bytes for a socket, with Connection: close. */
void respond_raw(const struct api_answer *a, struct buf *b);
