/* listen.c - binds the socket itself, so that a port in use or an address that
 * is not this machine's gets a sentence. */
#include "listen.h"
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool listen_split(const char *text, char host[LISTEN_HOST], int *port,
	struct err *e)
{
	const char *colon = strrchr(text, ':');
	const char *from = text;
	size_t len = colon ? (size_t)(colon - text) : 0;
	char *end = NULL;
	long n = colon ? strtol(colon + 1, &end, 10) : -1;
	if (len > 2 && text[0] == '[' && text[len - 1] == ']') {
		from++;
		len -= 2;
	} else if (colon && memchr(text, ':', len)) {
		n = -1; /* an IPv6 address without its brackets */
	}
	if (n < 0 || n > 65535 || end == colon + 1 || *end || !len ||
		len >= LISTEN_HOST)
		return err_set(e, ERR_INPUT,
			"'%.100s' is not ADDR:PORT, such as 127.0.0.1:8080 or "
			"[::1]:8080",
			text);
	memcpy(host, from, len);
	host[len] = '\0';
	*port = (int)n;
	return true;
}

static int listen_port_of(int fd)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} at = { 0 };
	socklen_t len = sizeof at;
	getsockname(fd, &at.any, &len);
	return ntohs(at.any.sa_family == AF_INET6 ? at.v6.sin6_port
						  : at.v4.sin_port);
}

static int listen_bound(const struct addrinfo *ai)
{
	int one = 1;
	int fd = socket(ai->ai_family,
		SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, ai->ai_protocol);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (!bind(fd, ai->ai_addr, ai->ai_addrlen) && !listen(fd, SOMAXCONN))
		return fd;
	int why = errno;
	close(fd);
	errno = why;
	return -1;
}

int listen_on(const char *text, int *port, struct err *e)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	struct addrinfo *list = NULL;
	char host[LISTEN_HOST], service[8];
	if (!listen_split(text, host, port, e))
		return -1;
	snprintf(service, sizeof service, "%d", *port);
	int why = getaddrinfo(host, service, &hints, &list);
	if (why || !list) {
		err_set(e, ERR_INPUT, "cannot listen on '%.100s': %s", text,
			gai_strerror(why));
		return -1;
	}
	int fd = listen_bound(list);
	if (fd < 0)
		err_set(e, ERR_INPUT, "cannot listen on '%.100s': %s", text,
			strerror(errno));
	else
		*port = listen_port_of(fd);
	freeaddrinfo(list);
	return fd;
}
