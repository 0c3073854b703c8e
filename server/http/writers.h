/* writers.h - threads that wait for the database in place of the HTTP
 * threads.
 *
 * An upload's bytes arrive on an HTTP thread, and one of these threads stores
 * them. Between the two a `struct http_stream` holds two buffers: one fills
 * while the other is written. If both are in use, the connection is
 * suspended, so a slow database slows its senders and costs no memory.
 *
 * A stream belongs to its exchange until writers_stream_gone(), then to the
 * writers. They delete what was stored if the upload was never finished, and
 * free the stream.
 *
 * Locks: a stream's lock protects the stream. libmicrohttpd's own locks are
 * taken under it (suspend, resume), ours are not. The pool's lock protects
 * the queue. */
#pragma once
#include "api.h"
#include "watch.h"

struct MHD_Connection;
struct http_stream;
struct writers;

struct writers *writers_new(int threads);
/* From here on no connection is suspended; returns when none is. */
void writers_release(struct writers *w);
/* Serves what is queued, then ends. */
void writers_free(struct writers *w);

/* Takes over the upload. `b` outlives the stream's use by its exchange. */
struct http_stream *writers_stream_new(struct writers *w, struct api_receive *u,
	struct MHD_Connection *c, struct watched *b);

enum stream_said {
	STREAM_OK,
	STREAM_REFUSED, /* the answer is ready: writers_stream_answer() */
	STREAM_STOPPED /* the server ends; close the connection */
};

/* Takes as many of the *len bytes as fit and lowers *len to what is left; the
 * connection is suspended if something is. */
enum stream_said writers_stream_put(struct http_stream *s, const char *bytes,
	size_t *len);
/* The body has ended. False if the answer is not ready yet: the connection is
 * then suspended, or must be closed if *stopped. */
bool writers_stream_end(struct http_stream *s, bool *stopped);
/* Hands the answer over; its body is the caller's. */
void writers_stream_answer(struct http_stream *s, struct api_answer *out);
void writers_stream_gone(struct http_stream *s);
