/* api.h - a request in, an answer out; all of the API that http/ sees.
 *
 * No sockets here and no libmicrohttpd: http/ moves bytes, this room decides.
 * api_call() finds the route, checks Host, Origin and scope, runs the handler and
 * makes the envelope; a long answer is a stream that is pulled while it is sent
 * (struct api_stream). An upload takes other calls, because its body is streamed:
 * api_receive_begin() when the headers are there (as quick as any call: at most a
 * token is looked up), _bytes() for what arrives, _end() for the answer. The last
 * two wait for the database to take the bytes, and are therefore called
 * off the HTTP threads.
 *
 * Thread safe: what `struct api` shares is constant or atomic, a request is one
 * thread's at a time. */
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
		*hosts; /* names that Host may have, in addition to loopback */
	bool open_loopback; /* reading and uploading need no token there */
	bool tls; /* browsers reach us by https, here or at a proxy */
	int64_t upload_bytes; /* most an upload may have, as sent */
	int uploads_max; /* at once */
	const char *webhook_private; /* outward.h's list; NULL none */
};

struct api *api_new(const struct api_options *o, struct err *e);
void api_free(struct api *a);

enum { API_BODY_MAX = 1 << 20, API_SET_MAX = 8 << 20 };

/* Must stay as it is until the call has returned; for an upload, until
 * api_receive_begin() has. */
struct api_request {
	const char *method;
	const char *path; /* as sent, without the query */
	const char *query; /* as sent, after the '?'; NULL none */
	/* The first header of this name, in any case; NULL absent. */
	const char *(*header)(void *ctx, const char *name);
	void *ctx;
	const struct sockaddr *peer;
	const struct sockaddr *local; /* the address that was connected to */
	const void *body; /* of all but uploads; at most
			* api_body_max() */
	size_t body_len;
};

/* A body that is made while it is sent, of unknown length. next() puts up to `cap`
 * bytes into `to` and returns how many: 0 at the end, -1 if it broke off, which is
 * logged; the connection is then to be cut, so that no client takes a part for the
 * whole. Called by one thread at a time, after api_call() has returned; it may query
 * the database, and holds no connection in between. `ctx` is invalid after free(). */
struct api_stream {
	int64_t (*next)(void *ctx, void *to, size_t cap); /* NULL none */
	void (*free)(void *ctx);
	void *ctx;
};

enum { API_COOKIE = 200 };

/* What its owner hands on, he takes out; the rest is released. */
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

/* How many bytes its body may have; 0 for an upload, whose body is streamed. */
size_t api_body_max(const struct api_request *r);

/* False if the path is not the API's but the page's, and Host and Origin let the
 * request in: then there is no answer. */
bool api_call(struct api *a, const struct api_request *r,
	struct api_answer *out);

struct api_receive;
/* NULL with an answer if it is refused before its body (421, 401, 403, 413 by
 * Content-Length, 503 too many at once, 400 a parameter). */
struct api_receive *api_receive_begin(struct api *a,
	const struct api_request *r, struct api_answer *out);
/* False with an answer if it is refused meanwhile (415, 413, 507, 503);
 * api_receive_end() without an answer has to follow. */
bool api_receive_bytes(struct api_receive *u, const void *bytes, size_t len,
	struct api_answer *out);
/* All is there: 202 or 200, or why not. `out` NULL: the sender is gone, or was
 * refused; the received bytes are dropped. Frees u. */
void api_receive_end(struct api_receive *u, struct api_answer *out);

/* An error made outside (a body too large, a timeout), in the envelope;
 * counted. */
void api_refuse(struct api *a, enum err_code code, const char *sentence,
	struct api_answer *out);
