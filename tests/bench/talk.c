/* talk.c - sends HTTP requests over a raw socket. */
#include "talk.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 64 * 1024, SECOND_NS = 1000000000 };

int64_t talk_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * SECOND_NS + t.tv_nsec;
}

void talk_sleep_until_ns(int64_t when)
{
	struct timespec t = { when / SECOND_NS, when % SECOND_NS };
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) ==
		EINTR)
		;
}

void talk_init(struct talk *t, int port)
{
	t->fd = -1;
	t->port = port;
}

void talk_release(struct talk *t)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

static bool ready(struct talk *t)
{
	if (t->fd >= 0)
		return true;
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)t->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int one = 1;
	struct timeval most = { .tv_sec = 60 };
	t->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(t->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	setsockopt(t->fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
	setsockopt(t->fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
	if (!connect(t->fd, (const struct sockaddr *)&a, sizeof a))
		return true;
	talk_release(t);
	return false;
}

static bool put(struct talk *t, const char *from, size_t len)
{
	while (len) {
		ssize_t n = send(t->fd, from, len, MSG_NOSIGNAL);
		if (n <= 0)
			return false;
		from += n;
		len -= (size_t)n;
	}
	return true;
}

/* Reads one answer and returns its status. */
static int take(struct talk *t)
{
	size_t have = 0, body = 0, head = 0;
	while (!head || have < head + body) {
		if (head && head + body >= sizeof t->buffer)
			return -1;
		ssize_t n = recv(t->fd, t->buffer + have,
			sizeof t->buffer - 1 - have, 0);
		if (n <= 0)
			return -1;
		have += (size_t)n;
		t->buffer[have] = '\0';
		const char *end = strstr(t->buffer, "\r\n\r\n");
		if (head || !end)
			continue;
		head = (size_t)(end - t->buffer) + 4;
		const char *length =
			strcasestr(t->buffer, "\r\nContent-Length:");
		body = length && length < end ? strtoul(length + 17, NULL, 10)
					      : 0;
	}
	return (int)strtol(t->buffer + 9, NULL, 10);
}

static int end_of(struct talk *t, bool sent)
{
	int status = sent ? take(t) : -1;
	if (status < 0 || strcasestr(t->buffer, "\r\nConnection: close"))
		talk_release(t);
	return status;
}

static int head_of(struct talk *t, const char *method, const char *path,
	size_t len)
{
	return snprintf(t->buffer, sizeof t->buffer,
		"%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
		"Content-Length: %zu\r\n\r\n",
		method, path, t->port, len);
}

int talk_get(struct talk *t, const char *path)
{
	if (!ready(t))
		return -1;
	int n = head_of(t, "GET", path, 0);
	return end_of(t, put(t, t->buffer, (size_t)n));
}

int talk_post(struct talk *t, const char *path, const void *bytes, size_t len,
	int64_t per_s, const volatile bool *stop)
{
	if (!ready(t))
		return -1;
	int n = head_of(t, "POST", path, len);
	bool sent = put(t, t->buffer, (size_t)n);
	int64_t begun = talk_now_ns();
	for (size_t at = 0, piece; sent && at < len; at += piece) {
		piece = len - at < PIECE ? len - at : PIECE;
		if (per_s)
			talk_sleep_until_ns(
				begun + (int64_t)((double)at / (double)per_s *
						  SECOND_NS));
		sent = !*stop && put(t, (const char *)bytes + at, piece);
	}
	if (sent && per_s) /* less than a full chunk takes its time too */
		talk_sleep_until_ns(
			begun +
			(int64_t)((double)len / (double)per_s * SECOND_NS));
	if (!sent && *stop) { /* stopped in the middle */
		talk_release(t);
		return 0;
	}
	return end_of(t, sent);
}
