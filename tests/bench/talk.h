/* talk.h - just enough HTTP to measure a server on this machine.
 *
 * Uses one persistent connection to 127.0.0.1, one request at a time. Answers
 * must have a Content-Length. The client uses as little CPU time as possible,
 * so that the server is measured and not the client. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TALK_BUFFER = 1024 * 1024 }; /* an answer and its head */

struct talk {
	int fd, port;
	char buffer[TALK_BUFFER];
};

void talk_init(struct talk *t, int port);
void talk_release(struct talk *t);

/* Returns the HTTP status, or -1 if the connection broke (the next call opens
 * a new one). */
int talk_get(struct talk *t, const char *path);

/* Sends `bytes` until *stop, at most `per_s` bytes per second (0: as fast as
 * possible). */
int talk_post(struct talk *t, const char *path, const void *bytes, size_t len,
	int64_t per_s, const volatile bool *stop);

int64_t talk_now_ns(void);
void talk_sleep_until_ns(int64_t when);
