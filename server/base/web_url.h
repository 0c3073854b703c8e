/* web_url.h - parses the web address of a webhook, as given by a user.
 *
 * It is stricter than libcurl, which calls the address later, so that both
 * see the same host. Allowed are http and https; no user name, no fragment,
 * no byte beyond printable ASCII; a host of letters, digits, dots and dashes,
 * or an IPv6 address in brackets; port 80, 443 or one from 1024 up, because
 * mail and shell servers listen on others. */
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
