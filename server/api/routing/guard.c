/* guard.c - the checks before any handler: Host, Origin, token, scope. */
#include "guard.h"
#include "api_state.h"
#include "utc_time.h"
#include "query.h"
#include "route.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { HOST_MAX = 256, COOKIE_NAME = 32 };

/* Extracts the name from "name:port", "[::1]:port" or "name"; removes brackets.
 */
static bool guard_name_of(const char *host, char out[HOST_MAX])
{
	bool bracket = *host == '[';
	host += bracket;
	size_t len = strcspn(host, bracket ? "]" : ":");
	const char *rest = host + len;
	if (bracket && *rest++ != ']')
		return false;
	if (!len || len >= HOST_MAX || (*rest && *rest != ':'))
		return false;
	if (*rest && strspn(rest + 1, "0123456789") != strlen(rest + 1))
		return false;
	memcpy(out, host, len);
	out[len] = '\0';
	return true;
}

/* Converts an address to 16 bytes, with IPv4 mapped to IPv6; false if it is
 * unknown. */
static bool guard_address_of(const struct sockaddr *sa, struct in6_addr *out)
{
	if (sa && sa->sa_family == AF_INET6) {
		struct sockaddr_in6 in6;
		memcpy(&in6, sa, sizeof in6);
		*out = in6.sin6_addr;
		return true;
	}
	if (!sa || sa->sa_family != AF_INET)
		return false;
	struct sockaddr_in in4;
	memcpy(&in4, sa, sizeof in4);
	*out = (struct in6_addr){ 0 };
	out->s6_addr[10] = out->s6_addr[11] = 0xff;
	memcpy(out->s6_addr + 12, &in4.sin_addr, 4);
	return true;
}

static bool guard_address_from(const char *text, struct in6_addr *out)
{
	struct sockaddr_in in4 = { .sin_family = AF_INET };
	if (inet_pton(AF_INET, text, &in4.sin_addr) == 1)
		return guard_address_of((struct sockaddr *)&in4, out);
	return inet_pton(AF_INET6, text, out) == 1;
}

static bool guard_loopback(const struct in6_addr *a)
{
	return IN6_IS_ADDR_LOOPBACK(a) ||
	       (IN6_IS_ADDR_V4MAPPED(a) && a->s6_addr[12] == 127);
}

/* Whether `name` is in the list, which is separated by commas. */
static bool guard_listed(const char *list, const char *name)
{
	while (list && *list) {
		size_t len = strcspn(list, ", ");
		if (len == strlen(name) && !strncasecmp(list, name, len))
			return true;
		list += len + strspn(list + len, ", ");
	}
	return false;
}

bool guard_host(const struct api *a, const struct api_request *r, struct err *e)
{
	const char *host = r->header(r->ctx, "Host");
	char name[HOST_MAX];
	struct in6_addr named, local;
	if (!host)
		return err_set(e, ERR_HOST, "the request has no Host header");
	if (guard_name_of(host, name)) {
		if (!strcasecmp(name, "localhost") ||
			guard_listed(a->is.hosts, name))
			return true;
		if (guard_address_from(name, &named) &&
			(guard_loopback(&named) ||
				(guard_address_of(r->local, &local) &&
					!memcmp(&named, &local, sizeof local))))
			return true;
	}
	return err_set(e, ERR_HOST,
		"'%.100s' is not a name of this server; see --hosts", host);
}

bool guard_origin(const struct api *a, const struct api_request *r,
	struct err *e)
{
	const char *origin = r->header(r->ctx, "Origin");
	const char *host = r->header(r->ctx, "Host");
	if (!origin)
		return true;
	const char *at = strstr(origin, "://");
	if (at && host && !strcasecmp(at + 3, host) &&
		((!a->is.tls && !strncasecmp(origin, "http:", 5)) ||
			!strncasecmp(origin, "https:", 6)))
		return true;
	return err_set(e, ERR_FORBIDDEN,
		"a page of '%.100s' may not call this server", origin);
}

static int guard_port_of(const struct sockaddr *sa)
{
	struct sockaddr_in in4;
	struct sockaddr_in6 in6;
	if (sa && sa->sa_family == AF_INET6) {
		memcpy(&in6, sa, sizeof in6);
		return ntohs(in6.sin6_port);
	}
	if (!sa || sa->sa_family != AF_INET)
		return 0;
	memcpy(&in4, sa, sizeof in4);
	return ntohs(in4.sin_port);
}

static size_t guard_cookie_name(const struct call *c, char out[COOKIE_NAME])
{
	return (size_t)snprintf(out, COOKIE_NAME, "%skernsift_%d",
		c->api->is.tls ? "__Host-" : "",
		guard_port_of(c->request->local));
}

/* Returns the token in the cookie of the request; NULL if there is none. */
static const char *guard_cookie_read(struct call *c)
{
	const char *at = c->request->header(c->request->ctx, "Cookie");
	char name[COOKIE_NAME];
	size_t len = guard_cookie_name(c, name);
	while (at && *at) {
		at += strspn(at, "; \t");
		size_t n = strcspn(at, ";");
		if (n > len && at[len] == '=' && !strncmp(at, name, len))
			return arena_strndup(&c->s.arena, at + len + 1,
				n - len - 1);
		at += n;
	}
	return NULL;
}

void guard_cookie_set(struct call *c, const char *token, int64_t expires)
{
	char name[COOKIE_NAME], age[40] = "";
	guard_cookie_name(c, name);
	if (!token || expires != NO_MOMENT)
		snprintf(age, sizeof age, "; Max-Age=%lld",
			token ? (long long)(expires / 1000000 - time(NULL))
			      : 0LL);
	snprintf(c->cookie, sizeof c->cookie,
		"%s=%s; Path=/; HttpOnly; SameSite=Strict%s%s", name,
		token ? token : "", age, c->api->is.tls ? "; Secure" : "");
}

/* Identifies a caller without a token: a loopback address, or unknown. */
static void guard_who_here(struct call *c)
{
	const struct api_request *r = c->request;
	struct in6_addr peer;
	bool here = c->api->is.open_loopback &&
		    guard_address_of(r->peer, &peer) && guard_loopback(&peer) &&
		    !r->header(r->ctx, "Forwarded") &&
		    !r->header(r->ctx, "X-Forwarded-For");
	c->s.who = (struct identity){ .expires = NO_MOMENT };
	if (!here)
		return;
	c->s.who.by = IDENTITY_LOOPBACK;
	c->s.who.scope = SCOPE_UPLOAD;
	snprintf(c->s.who.name, sizeof c->s.who.name, "loopback");
}

static bool guard_who_from(struct call *c, enum identity_source by,
	const char *text, struct err *e)
{
	struct token_row row;
	char at[UTC_TIME_TEXT];
	if (!call_db(c, e) || !token_find(c->s.db, &c->s.arena, text, &row, e))
		return false;
	if (!row.id)
		return err_set(e, ERR_UNAUTHORIZED,
			"the token is unknown; create one with `kernsiftd "
			"token`");
	if (row.expired) {
		utc_time_format(row.expires, at);
		return err_set(e, ERR_UNAUTHORIZED,
			"the token expired at %s; request a new one", at);
	}
	c->s.who = (struct identity){
		.scope = row.scope,
		.by = by,
		.token = row.id,
		.expires = row.expires,
	};
	snprintf(c->s.who.name, sizeof c->s.who.name, "%s", row.name);
	snprintf(c->s.who.project, sizeof c->s.who.project, "%s",
		row.project ? row.project : "");
	return true;
}

bool guard_who(struct call *c, const char *token, struct err *e)
{
	const char *given =
		c->request->header(c->request->ctx, "Authorization");
	const char *kept = given ? NULL : guard_cookie_read(c);
	if (token)
		return guard_who_from(c, IDENTITY_COOKIE, token, e);
	if (given && strncasecmp(given, "Bearer ", 7))
		return err_set(e, ERR_UNAUTHORIZED,
			"the Authorization header is not 'Bearer' and a token");
	if (given)
		return guard_who_from(c, IDENTITY_TOKEN,
			given + 7 + strspn(given + 7, " "), e);
	if (!kept) {
		guard_who_here(c);
		return true;
	}
	if (guard_who_from(c, IDENTITY_COOKIE, kept, e))
		return true;
	if (e->code == ERR_UNAUTHORIZED)
		guard_cookie_set(c, NULL, 0);
	return false;
}

/* Whether the dashboard of this server sent the request. Only browsers send the
 * headers that show this. */
static bool guard_own_page(const struct call *c, struct err *e)
{
	const struct api_request *r = c->request;
	const char *site = r->header(r->ctx, "Sec-Fetch-Site");
	/* guard_origin() has already checked that Origin is this host. */
	return !strcmp(r->method, "GET") || !strcmp(r->method, "HEAD") ||
	       r->header(r->ctx, "Origin") ||
	       (site && !strcmp(site, "same-origin")) ||
	       err_set(e, ERR_FORBIDDEN,
		       "a change with a cookie requires the header Origin: "
		       "send it, or the token as 'Authorization: Bearer "
		       "ks_…'");
}

bool guard_scope(struct call *c, struct err *e)
{
	enum scope needs = c->route->scope;
	if (needs == SCOPE_NONE)
		return true;
	if (!guard_who(c, NULL, e) ||
		(c->s.who.by == IDENTITY_COOKIE && !guard_own_page(c, e)))
		return false;
	if (c->s.who.scope >= needs)
		return true;
	if (!c->s.who.token)
		return err_set(e, ERR_UNAUTHORIZED,
			"this needs a token of scope '%s'; send it as "
			"'Authorization: Bearer ks_…'",
			scope_name(needs));
	return err_set(e, ERR_FORBIDDEN,
		"this needs scope '%s'; the token has '%s'", scope_name(needs),
		scope_name(c->s.who.scope));
}
