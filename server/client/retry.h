/* retry.h - whether and when to try again, and requests that do.
 *
 * Worth another try is what time may repair: a server that cannot be reached, a
 * connection that broke, a server that is busy. A rejection is final. The number
 * of tries is limited. Retry-After is honored unless it is longer than a person
 * would wait. */
#pragma once
#include "err.h"
#include "meter.h"
#include "options.h"
#include "wire.h"

enum { RETRY_AFTER_MAX_S = 300 };

/* Milliseconds to wait before the next try; -1: give up. `tried` counts the
 * tries before this one, `most` is how many may follow the first, `spread`
 * (0 to 255, at random) keeps many clients from coming back at once. */
int retry_wait_ms(const struct attempt *a, int tried, int most, int spread);

struct retry {
	struct meter *meter;
	const char *label; /* the file, for messages */
	int most; /* tries after the first */
	int tried;
};

/* True after a wait if another try is worth it, else false at once. `why` is the
 * message of the failed try. */
bool retry_wait(struct retry *p, const struct attempt *a,
	const struct err *why);

struct retry_request {
	const char *url;
	const char *json; /* the body of a POST; NULL: a GET */
	const char *label; /* start of the message about another try */
	size_t most; /* maximum bytes of an answer */
};

/* Sends a request whose answer is held in memory, with retries. True if the server
 * answered 200 or 201: *body, which the caller releases, has the bytes. False with
 * the server's message or the reason why there is none; *a has the last try. */
bool retry_send(struct wire *w, const struct options *o,
	const struct retry_request *q, struct meter *m, struct attempt *a,
	struct buf *body, struct err *e);
