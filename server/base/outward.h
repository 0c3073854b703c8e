/* outward.h - decides which addresses that a user enters the server may call.
 *
 * Allowed are the addresses of the public internet and those in the list of the
 * server's operator. The check uses the IP address to which a socket is about
 * to connect. A check of the host name would not be safe, because a name may
 * resolve to any address, and to another address a moment later.
 *
 * The list contains names (ci.corp.example), names with all their subdomains
 * (.corp.example), addresses and networks (10.1.2.3, 10.0.0.0/8, fd00::/8),
 * separated by commas. A listed name may resolve to any address. An IPv4
 * address inside an IPv6 address (mapped, NAT64) is checked as an IPv4 address.
 */
#pragma once
#include "err.h"

struct sockaddr;

/* Checks the syntax of the list: ERR_INPUT with a sentence if it is wrong. */
bool outward_list(const char *list, struct err *e);

/* Whether the server may call `host`, which resolved to the address `to`. If
 * not, ERR_FORBIDDEN with a sentence. */
bool outward_may(const char *list, const char *host, const struct sockaddr *to,
	struct err *e);
/* Like outward_may(), but without resolving the name: rejects only what is
 * certainly not allowed. */
bool outward_named(const char *list, const char *host, struct err *e);
