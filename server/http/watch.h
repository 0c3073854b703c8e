/* watch.h - watches request bodies: slow ones, and rejected ones.
 *
 * libmicrohttpd accepts an answer before a body or after it, never during it.
 * If a body is rejected midway, the rest is read for a while and discarded,
 * and the answer is sent at its end. If that end is far away, the answer is
 * written to the socket at once, and the connection is closed when the sender
 * has had time to read it. The same applies to a sender below the minimum
 * rate (408).
 *
 * One thread looks once a second. The lock protects the list and whether an
 * answer was written; no other lock is taken under it. A socket is written to
 * only while its body is on the list, so it is never a closed one. */
#pragma once
#include "api.h"
#include <stdatomic.h>
#include <stdint.h>

struct watch;

struct watched {
	struct watched *next, *prev;
	int fd;
	atomic_llong received;
	atomic_bool paused; /* it waits for us, not we for it */
	const struct api_answer *refusal; /* owner's; set once */
	struct api_answer slow; /* the 408 */
	int64_t window_ms, window_bytes, refused_ms, told_ms;
	int told; /* the status, once written; 0 before */
	bool listed;
};

/* `tls`: only the library can write to the socket. The rest of a rejected
 * body is then read for a minute at most. A connection that would otherwise
 * get an answer on the socket is closed. */
struct watch *watch_new(struct api *a, int64_t min_rate, bool tls);
void watch_free(struct watch *w);

void watch_add(struct watch *w, struct watched *b, int fd);
/* The body has ended, or its connection is about to close: no answer is
 * written from now on. Returns the status that was written to the socket, or
 * 0. */
int watch_remove(struct watch *w, struct watched *b);
/* Discards the rest of the body. `a` must not change until the body is
 * removed. If `now`, the answer is written at once. */
void watch_refuse(struct watch *w, struct watched *b,
	const struct api_answer *a, bool now);
