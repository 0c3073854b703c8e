/* outward.h - which addresses a server may call on somebody else's word.
 *
 * Those of the public internet, and those that its operator lists. What is
 * decided is the very address that a socket is about to be connected to: a
 * name may lead anywhere, and elsewhere a moment later.
 *
 * The list: names (ci.corp.example), names with all below (.corp.example),
 * addresses and networks (10.1.2.3, 10.0.0.0/8, fd00::/8), commas between. A
 * name that is listed may lead anywhere. An IPv4 address inside an IPv6 one
 * (mapped, NAT64) is taken for itself. */
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
