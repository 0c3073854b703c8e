/* wire.h - one HTTP request at a time; only this module uses libcurl.
 *
 * It reports what happened; whether to try again is decided in retry.h. The token
 * is in a header of each request and nowhere else. Redirects are not followed,
 * so a token never travels to another host. */
#pragma once
#include "buf.h"
#include "err.h"
#include "feed.h"
#include "options.h"
#include <stddef.h>

enum attempt_end {
	ATTEMPT_ANSWERED, /* see status */
	ATTEMPT_AWAY, /* no connection */
	ATTEMPT_BROKEN, /* it broke, or stalled */
	ATTEMPT_BARRED, /* a certificate or an address: no connection is possible */
	ATTEMPT_HOPELESS, /* the file cannot be read */
};

struct attempt {
	enum attempt_end end;
	int status; /* HTTP; 0 without an answer */
	int retry_after_s; /* 0: none */
};

struct wire;

enum { WIRE_ANSWER_MAX = 1024 * 1024 };

/* Called about ten times a second during a request. */
struct wire_watch {
	void (*tick)(void *ctx);
	void *ctx;
};

/* Reads the token, if there is one. NULL with a message if it is not valid. */
struct wire *wire_new(const struct options *o, struct err *e);
void wire_free(struct wire *w);

/* True if the server answered: *a has the status and *body (buf_init()ed by the
 * caller, to WIRE_ANSWER_MAX) the bytes. False with a message and the kind of failure
 * in *a. `watch` may be NULL. */
bool wire_post(struct wire *w, const char *url, struct feed *f,
	const struct wire_watch *watch, struct attempt *a, struct buf *body,
	struct err *e);
/* Posts a document from memory; `json` NULL: a GET. */
bool wire_fetch(struct wire *w, const char *url, const char *json,
	struct attempt *a, struct buf *body, struct err *e);

enum { WIRE_BEARER = 600 };

/* "Authorization: Bearer …", or "" without a token: from the file,
 * unless its name is "", else from `text`, which may be NULL. White space around
 * the token is removed; only visible ASCII is allowed in it. */
bool wire_bearer(char out[WIRE_BEARER], const char *file, const char *text,
	struct err *e);
