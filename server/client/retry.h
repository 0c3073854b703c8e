/* retry.h - decides whether and when to try again, and sends requests with
 * retries.
 *
 * A request is tried again after an error that may disappear by itself: the
 * server cannot be reached, a connection broke, the server is busy. A rejected
 * request is not tried again. The number of tries is limited. Retry-After is
 * honored unless it is longer than a person would wait. */
#pragma once
#include "err.h"
#include "meter.h"
#include "options.h"
#include "wire.h"

enum { RETRY_AFTER_MAX_S = 300 };

/* Milliseconds to wait before the next try; -1 means no further try. `tried` is
 * the number of tries before this one. `most` is the maximum number of tries
 * after the first. `spread` (0 to 255, random) spreads the tries of many
 * clients over time. */
int retry_wait_ms(const struct attempt *a, int tried, int most, int spread);

struct retry {
	struct meter *meter;
	const char *label; /* the file, for messages */
	int most; /* tries after the first */
	int tried;
};

/* Waits and returns true if another try may succeed; otherwise returns false at
 * once. `why` is the message of the failed try. */
bool retry_wait(struct retry *p, const struct attempt *a,
	const struct err *why);

struct retry_request {
	const char *url;
	const char *json; /* the body of a POST; NULL: a GET */
	const char *label; /* start of the message about another try */
	size_t most; /* maximum bytes of an answer */
};

/* Sends a request, with retries, and keeps the answer in memory. Returns true
 * if the server answered 200 or 201; *body then contains the bytes, and the
 * caller releases it. Otherwise returns false with the server's message, or
 * with the reason why there is no answer. *a describes the last try. */
bool retry_send(struct wire *w, const struct options *o,
	const struct retry_request *q, struct meter *m, struct attempt *a,
	struct buf *body, struct err *e);
