/* outward.h - which addresses given by a user the server may call.
 *
 * Those are the addresses of the public internet and those that the server's
 * operator lists. The check applies to the very address to which a socket is
 * about to connect, because a name may resolve to any address, and to another
 * one a moment later.
 *
 * The list contains names (ci.corp.example), names with all below
 * (.corp.example), addresses and networks (10.1.2.3, 10.0.0.0/8, fd00::/8),
 * separated by commas. A listed name may resolve to any address. An IPv4
 * address inside an IPv6 one (mapped, NAT64) is checked as an IPv4 address. */
#pragma once
#include "err.h"

struct sockaddr;

/* Whether the list can be read: ERR_INPUT with a sentence. */
bool outward_list(const char *list, struct err *e);

/* Whether `host`, which was found to be at `to`, may be called: ERR_FORBIDDEN
 * with a sentence. */
bool outward_may(const char *list, const char *host, const struct sockaddr *to,
	struct err *e);
/* The same as far as it can be decided without looking the name up. */
bool outward_named(const char *list, const char *host, struct err *e);
