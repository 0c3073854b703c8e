/* origin.h - what the option --listen says, as far as the server must know.
 *
 * HOST:PORT, with an IPv6 address in square brackets. */
#pragma once
#include "err.h"

enum { ORIGIN_URL = 160 };

/* Whether the host has an address; ERR_INPUT with a message if not. */
bool origin_check(const char *listen, struct err *e);
/* Only this machine can reach it. */
bool origin_is_loopback(const char *listen);
/* "http://ADDR:PORT", or "https", with the port that was really taken. */
void origin_url(const char *listen, int port, bool tls, char url[ORIGIN_URL]);
