/* wire.h - sends one HTTP request at a time; only this module uses libcurl.
 *
 * It reports the result; retry.h decides whether to try again. The token is
 * only in a header of each request. Redirects are not followed, so that the
 * token is never sent to another host. */
#pragma once
#include "buf.h"
#include "err.h"
#include "feed.h"
#include "options.h"
#include <stddef.h>

enum attempt_end {
	ATTEMPT_ANSWERED, /* the server answered; see `status` */
	ATTEMPT_AWAY, /* no connection */
	ATTEMPT_BROKEN, /* the connection broke, or stalled */
	ATTEMPT_BARRED, /* a certificate or an address: no connection is possible */
	ATTEMPT_HOPELESS, /* the file cannot be read */
};

struct attempt {
	enum attempt_end end;
	int status; /* HTTP status; 0 without an answer */
	int retry_after_s; /* 0: none */
};

struct wire;

enum { WIRE_ANSWER_MAX = 1024 * 1024 };

/* Called about ten times a second during a request. */
struct wire_watch {
	void (*tick)(void *ctx);
	void *ctx;
};

/* Also reads the token, if there is one. Returns NULL with a message if the
 * token is not valid. */
struct wire *wire_new(const struct options *o, struct err *e);
void wire_free(struct wire *w);

/* Sends a POST request. Returns true if the server answered: *a contains the
 * status and *body the answer. The caller must initialize *body with buf_init()
 * and the ceiling WIRE_ANSWER_MAX. Returns false with a message and the kind of
 * failure in *a. `type` is the Content-Type; NULL: the bytes of a file.
 * `watch` may be NULL. */
bool wire_post(struct wire *w, const char *url, struct feed *f,
	const char *type, const struct wire_watch *watch, struct attempt *a,
	struct buf *body, struct err *e);
/* Sends a JSON document from memory with POST; if `json` is NULL, sends a GET
 * request. */
bool wire_fetch(struct wire *w, const char *url, const char *json,
	struct attempt *a, struct buf *body, struct err *e);

enum { WIRE_BEARER = 600 };

/* Writes the header "Authorization: Bearer …", or "" if there is no token. The
 * token is read from the file; if the file's name is "", the token is `text`,
 * which may be NULL. White space around the token is removed. The token must
 * consist of visible ASCII characters. */
bool wire_bearer(char out[WIRE_BEARER], const char *file, const char *text,
	struct err *e);
