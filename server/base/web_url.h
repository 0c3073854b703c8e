/* web_url.h - an address on the web that somebody wants to be told at.
 *
 * Stricter than libcurl, which asks it later, so that both see one host: http
 * or https; no user name, no fragment, no byte beyond printable ASCII; a host
 * of letters, digits, dots and dashes, or an IPv6 address in brackets; port
 * 80, 443 or one from 1024 up, behind which no mail or shell server listens. */
#pragma once
#include "err.h"

enum { WEB_URL_MAX = 2000, WEB_HOST = 254 };

struct web_url {
	bool tls;
	int port;
	char host[WEB_HOST]; /* without brackets, lower case */
};

/* ERR_INPUT with a sentence that begins with "url: ". */
bool web_url_read(const char *url, struct web_url *out, struct err *e);
