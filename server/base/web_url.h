/* web_url.h - parses the web address of a webhook, as a user entered it.
 *
 * This parser is stricter than libcurl, which calls the address later, so that
 * both find the same host. It allows only:
 *   - http and https, without a user name or a fragment
 *   - printable ASCII
 *   - a host of letters, digits, dots and dashes, or an IPv6 address in
 *     brackets
 *   - port 80, port 443, or a port from 1024, because mail and shell servers
 *     listen on other low ports */
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
