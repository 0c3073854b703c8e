/* watch.h - minds bodies under way: too slow ones, and refused ones.
 *
 * libmicrohttpd takes an answer before a body or after it, never amid it. A
 * body that is refused amid it is therefore read on for a while, thrown away
 * and answered at its end; where that end is far, the answer is told on the
 * socket at once and the connection closed when the sender has had time to
 * read it. The same is done to a sender slower than the least rate (408).
 *
 * One thread looks once a second. The lock protects the list and whether an
 * answer was told; nothing else is taken under it. A socket is written to
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
	int told; /* the status, once told; 0 before */
	bool listed;
};

/* `tls`: nothing can be told past the library, which alone speaks on the socket.
 * A refused body is then read to its end, for a minute at most, and a connection
 * that would have been told something is cut. */
struct watch *watch_new(struct api *a, int64_t min_rate, bool tls);
void watch_free(struct watch *w);

void watch_add(struct watch *w, struct watched *b, int fd);
/* The body is over, or its connection about to close: nothing is told any
 * more. The status that was told on the socket, or 0. */
int watch_remove(struct watch *w, struct watched *b);
/* What comes from here on is thrown away. `a` stays as it is until removed.
 * Tells it at once where `now`. */
void watch_refuse(struct watch *w, struct watched *b,
	const struct api_answer *a, bool now);
