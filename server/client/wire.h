/* wire.h - one HTTP request at a time; the only door to libcurl.
 *
 * Says what happened and decides nothing: whether to try again is retry's.
 * The token goes into a header of each request and nowhere else. Redirects
 * are not followed, so that a token never travels to another host. */
#pragma once
#include "buf.h"
#include "feed.h"
#include "options.h"
#include "retry.h"

struct wire;

enum { WIRE_ANSWER_MAX = 1024 * 1024 };

/* Called about ten times a second while a request is under way. */
struct wire_watch {
	void (*tick)(void *ctx);
	void *ctx;
};

/* Reads the token, where there is one. NULL with a sentence where its file or
 * the server's address is no good. */
struct wire *wire_new(const struct options *o, struct err *e);
void wire_free(struct wire *w);

/* True where the server answered, with whatever status: *a has it and *body
 * (buf_init()ed by the caller, to WIRE_ANSWER_MAX) its bytes. False with a sentence and the kind
 * of failure in *a. `watch` may be NULL. */
bool wire_get(struct wire *w, const char *url, const struct wire_watch *watch,
	struct attempt *a, struct buf *body, struct err *e);
bool wire_post(struct wire *w, const char *url, struct feed *f,
	const struct wire_watch *watch, struct attempt *a, struct buf *body,
	struct err *e);
/* Posts a document that is held whole. */
bool wire_post_json(struct wire *w, const char *url, const char *json,
	struct attempt *a, struct buf *body, struct err *e);
