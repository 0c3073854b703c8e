/* origin.c - takes the option --listen apart. */
#include "origin.h"
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

/* The part in front of the port, without brackets. */
static void host_of(const char *listen, char *host, size_t size)
{
	const char *colon = strrchr(listen, ':');
	size_t n = colon ? (size_t)(colon - listen) : strlen(listen);
	if (n >= 2 && listen[0] == '[' && listen[n - 1] == ']') {
		listen++;
		n -= 2;
	}
	snprintf(host, size, "%.*s", (int)n, listen);
}

bool origin_check(const char *listen, struct err *e)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE };
	struct addrinfo *list = NULL;
	char host[256];

	host_of(listen, host, sizeof host);
	int why = getaddrinfo(host, NULL, &hints, &list);
	if (!why) {
		freeaddrinfo(list);
		return true;
	}
	return err_set(e, ERR_INPUT,
		"--listen: host '%.100s' has no address: %s (use HOST:PORT, "
		"for example 127.0.0.1:8080)",
		host, gai_strerror(why));
}

bool origin_is_loopback(const char *listen)
{
	char host[128];
	struct in_addr four;
	struct in6_addr six;
	host_of(listen, host, sizeof host);
	if (inet_pton(AF_INET, host, &four) == 1)
		return ntohl(four.s_addr) >> 24 == 127;
	if (inet_pton(AF_INET6, host, &six) == 1)
		return IN6_IS_ADDR_LOOPBACK(&six) ||
		       (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127);
	return !strcmp(host, "localhost");
}

void origin_url(const char *listen, int port, bool tls, char url[ORIGIN_URL])
{
	char host[128];
	host_of(listen, host, sizeof host);
	snprintf(url, ORIGIN_URL,
		strchr(host, ':') ? "%s://[%s]:%d" : "%s://%s:%d",
		tls ? "https" : "http", host, port);
}
