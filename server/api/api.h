/* api.h - a request in, an answer out; all of it that http/ sees.
 *
 * No sockets here and no libmicrohttpd: http/ moves bytes, this room decides.
 * api_call() finds the route, checks Host, Origin and scope, runs the handler
 * and makes the envelope. An upload goes another way, because its body is
 * streamed: api_receive_begin() when the headers are there, _bytes() for what
 * arrives, _end() for the answer; these may wait for the database and are
 * therefore called off the HTTP threads.
 *
 * Thread safe: `struct api` is shared and constant, a request is one thread's
 * at a time. */
#pragma once
#include "err.h"
#include <stddef.h>
#include <stdint.h>

struct api;
struct db_pool;
struct sockaddr;

struct api_options {
	struct db_pool *pool;
	const char *hosts; /* names beside loopback that Host may have */
	bool open_loopback; /* reading and uploading need no token there */
	int64_t upload_bytes; /* most an upload may have, as sent */
	int uploads_max; /* at once */
};

struct api *api_new(const struct api_options *o, struct err *e);
void api_free(struct api *a);

/* Looks up a header or a query parameter by name, any case for headers; NULL
 * where absent. `nth` counts those of the same name from 0. */
struct api_request {
	const char *method, *path; /* path as sent, without the query */
	const char *(*header)(void *ctx, const char *name);
	/* Calls f for each query parameter, decoded, in order. */
	void (*each)(void *ctx,
		void (*f)(void *to, const char *key, const char *value),
		void *to);
	void *ctx;
	const struct sockaddr *peer;
	const void *body; /* of all but uploads; at most 1 MiB */
	size_t body_len;
};

struct api_answer {
	int status;
	const char *type; /* Content-Type; constant text */
	char *body; /* the caller frees it with free(); NULL none */
	size_t len;
	const char *allow; /* Allow, on 405; or NULL */
	char location[64]; /* Location; "" none */
	char disposition[96]; /* Content-Disposition; "" none */
	int retry_after_s; /* 0 none */
};

/* Whether the request is an upload whose body is to be streamed. */
bool api_streams(const struct api_request *r);

void api_call(struct api *a, const struct api_request *r,
	struct api_answer *out);

struct api_receive;
/* NULL with an answer where it is refused before its body (421, 401, 403, 413
 * by Content-Length, 503 too many at once, 400 a parameter). */
struct api_receive *api_receive_begin(struct api *a,
	const struct api_request *r, struct api_answer *out);
/* False with an answer where it is refused meanwhile (415, 413, 507, 503). */
bool api_receive_bytes(struct api_receive *u, const void *bytes, size_t len,
	struct api_answer *out);
/* All is there: 202 or 200. Frees u. */
void api_receive_end(struct api_receive *u, struct api_answer *out);
/* The sender went away, or was refused: drops what came. Frees u. */
void api_receive_abort(struct api_receive *u);

/* An error made outside (a body too large, a timeout), in the envelope. */
void api_refuse(enum err_code code, const char *sentence,
	struct api_answer *out);
