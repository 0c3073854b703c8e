/* api.h - the interface between the HTTP server (server/http/) and the API.
 *
 * This folder uses no sockets and no libmicrohttpd: server/http/ transfers
 * bytes, and the API decides what to answer. api_call() finds the route, checks
 * Host, Origin and scope, runs the handler and wraps its result in the common
 * JSON form. A long answer is a stream that is generated while it is sent
 * (struct api_stream).
 *
 * An upload uses other functions, because its body arrives as a stream.
 * api_receive_begin() is called when the headers have arrived. It is fast: its
 * only query looks up the token. api_receive_bytes() is called for each piece
 * of the body, and api_receive_end() makes the answer. These two wait until the
 * database has stored the bytes, so they must not be called on an HTTP thread.
 *
 * Thread-safe: the shared data in `struct api` is constant or atomic, and only
 * one thread at a time uses a request. */
#pragma once
#include "err.h"
#include <stddef.h>
#include <stdint.h>

struct api;
struct db_pool;
struct sockaddr;

struct api_options {
	struct db_pool *pool;
	const char
		/* names that Host may contain, in addition to loopback */
		*hosts;
	/* reading and uploading need no token from loopback */
	bool open_loopback;
	bool tls; /* browsers use https, to this server or to a proxy */
	int64_t upload_bytes; /* maximum bytes of an upload, as sent */
	int uploads_max; /* maximum number of simultaneous uploads */
	const char *webhook_private; /* the list of outward.h; NULL: none */
	/* Address of the Perfetto UI for the page, absolute or a path. Must
	 * outlive the server. */
	const char *perfetto_url;
};

struct api *api_new(const struct api_options *o, struct err *e);
void api_free(struct api *a);
/* The server stops soon: from now on /readyz answers 503. */
void api_leave(struct api *a);

enum {
	API_BODY_MAX = 1 << 20,
	API_SET_MAX = 8 << 20,
	API_PROFILE_MAX = 16 << 20
};

/* The request must not change until api_call() returns or, for an upload, until
 * api_receive_begin() returns. */
struct api_request {
	const char *method;
	const char *path; /* as sent, without the query */
	const char *query; /* as sent, after the '?'; NULL none */
	/* Returns the first header with this name, in any case; NULL if there
	 * is none. */
	const char *(*header)(void *ctx, const char *name);
	void *ctx;
	const struct sockaddr *peer;
	/* the server's address to which the client connected */
	const struct sockaddr *local;
	/* the body, except for uploads; at most api_body_max() bytes */
	const void *body;
	size_t body_len;
};

/* A body of unknown length that is generated while it is sent. next() writes up
 * to `cap` bytes to `to` and returns their number: 0 at the end, -1 after an
 * error, which it logs. After -1 the caller must close the connection, so that
 * no client takes the incomplete answer for a complete one. next() is called by
 * one thread at a time, after api_call() has returned. It may query the
 * database, but keeps no connection between calls. `ctx` is invalid after
 * free(). */
struct api_stream {
	int64_t (*next)(void *ctx, void *to, size_t cap); /* NULL none */
	void (*free)(void *ctx);
	void *ctx;
};

enum { API_COOKIE = 200 };

/* If the owner passes a member on, he must clear it here, because
 * api_answer_release() frees the members that are left. */
struct api_answer {
	int status;
	const char *type; /* Content-Type; constant text; NULL without a body */
	char *body; /* malloc'ed; NULL none */
	size_t len;
	struct api_stream stream; /* instead of a body */
	char allow[48]; /* Allow, on 405; "" none */
	char location[128]; /* Location; "" none */
	char cookie[API_COOKIE]; /* Set-Cookie; "" none */
	char disposition[192]; /* Content-Disposition; "" none */
	int retry_after_s; /* 0 none */
};

void api_answer_release(struct api_answer *a);

/* The maximum number of body bytes of this request; 0 for an upload, whose body
 * is streamed. */
size_t api_body_max(const struct api_request *r);

/* Returns false, without an answer, if the path belongs to the web page instead
 * of the API, and Host and Origin are allowed. */
bool api_call(struct api *a, const struct api_request *r,
	struct api_answer *out);

struct api_receive;
/* Returns NULL, with an answer, if the upload is rejected before its body: 421,
 * 401, 403, 413 (by its Content-Length), 503 (too many uploads at once) or 400
 * (a parameter). */
struct api_receive *api_receive_begin(struct api *a,
	const struct api_request *r, struct api_answer *out);
/* Returns false, with an answer, if the upload is rejected while its body
 * arrives (415, 413, 507, 503). The caller must then call api_receive_end()
 * with `out` NULL. */
bool api_receive_bytes(struct api_receive *u, const void *bytes, size_t len,
	struct api_answer *out);
/* Ends an upload whose body has arrived: the answer is 202, 200 or an error. If
 * `out` is NULL, the sender disconnected or the upload was rejected, and the
 * received bytes are discarded. Frees u. */
void api_receive_end(struct api_receive *u, struct api_answer *out);

/* Makes the answer for an error that the HTTP server found (a body that is too
 * large, a timeout), and counts it. */
void api_refuse(struct api *a, enum err_code code, const char *sentence,
	struct api_answer *out);
