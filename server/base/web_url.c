/* web_url.c - parses an address from left to right. */
#include "web_url.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HOST_BYTES                                        \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstu" \
	"vwxyz0123456789.-_"
#define IPV6_BYTES "0123456789ABCDEFabcdef:."

enum { PORT_DIGITS = 5, PORT_FREE = 1024, PORT_MAX = 65535 };

static bool web_url_bytes_check(const char *url, struct err *e)
{
	size_t len = strlen(url);
	if (len > WEB_URL_MAX)
		return err_set(e, ERR_INPUT, "url: is longer than %d bytes",
			WEB_URL_MAX);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)url[i];
		if (c >= 0x80)
			return err_set(e, ERR_INPUT,
				"url: holds a letter beyond ASCII; write the "
				"host as xn--… and the rest as %%XX");
		if (c <= ' ' || c == 0x7f || c == '\\')
			return err_set(e, ERR_INPUT,
				"url: holds a blank, a backslash or a control "
				"character");
	}
	return !strchr(url, '#') ||
	       err_set(e, ERR_INPUT,
		       "url: has a fragment (#…), which no server is sent");
}

static bool web_url_scheme_read(const char **at, struct web_url *out,
	struct err *e)
{
	out->tls = !strncasecmp(*at, "https://", 8);
	if (!out->tls && strncasecmp(*at, "http://", 7) != 0)
		return err_set(e, ERR_INPUT,
			"url: '%.60s' begins neither with http:// nor with "
			"https://",
			*at);
	*at += out->tls ? 8 : 7;
	out->port = out->tls ? 443 : 80;
	return true;
}

static bool web_url_host_read(const char **at, const char *end,
	struct web_url *out, struct err *e)
{
	bool bracket = **at == '[';
	const char *from = *at + bracket;
	size_t len = strspn(from, bracket ? IPV6_BYTES : HOST_BYTES);
	const char *rest = from + len;
	if (bracket && *rest++ != ']')
		rest = end + 1;
	if (!len || len >= WEB_HOST || rest > end ||
		(rest < end && *rest != ':'))
		return err_set(e, ERR_INPUT, "url: '%.*s' is not a host",
			end - *at > 100 ? 100 : (int)(end - *at), *at);
	for (size_t i = 0; i < len; i++)
		out->host[i] = (char)tolower((unsigned char)from[i]);
	out->host[len] = '\0';
	*at = rest;
	return true;
}

static bool web_url_port_read(const char *at, const char *end,
	struct web_url *out, struct err *e)
{
	if (at == end)
		return true;
	size_t len = (size_t)(end - ++at);
	int port = len && len <= PORT_DIGITS && strspn(at, "0123456789") >= len
			   ? (int)strtol(at, NULL, 10)
			   : 0;
	if (port != 80 && port != 443 && (port < PORT_FREE || port > PORT_MAX))
		return err_set(e, ERR_INPUT,
			"url: port '%.*s' is none of 80, 443 and 1024 to 65535",
			len > 20 ? 20 : (int)len, at);
	out->port = port;
	return true;
}

bool web_url_read(const char *url, struct web_url *out, struct err *e)
{
	const char *at = url;
	*out = (struct web_url){ 0 };
	if (!web_url_bytes_check(url, e) || !web_url_scheme_read(&at, out, e))
		return false;
	const char *end = at + strcspn(at, "/?");
	if (memchr(at, '@', (size_t)(end - at)))
		return err_set(e, ERR_INPUT,
			"url: holds a user name or a password; what is sent "
			"is signed instead");
	return web_url_host_read(&at, end, out, e) &&
	       web_url_port_read(at, end, out, e);
}
