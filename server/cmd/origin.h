/* origin.h - what the option --listen says, as far as the server must know.
 *
 * ADDR:PORT, with an IPv6 address in square brackets. Whether it is one at all
 * is found out by who binds it. */
#pragma once
#include <stdbool.h>

enum { ORIGIN_URL = 160 };

/* Only this machine can reach it. */
bool origin_is_loopback(const char *listen);
/* "http://ADDR:PORT", or "https", with the port that was really taken. */
void origin_url(const char *listen, int port, bool tls, char url[ORIGIN_URL]);
