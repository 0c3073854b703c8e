/* guard.h - who is let in: Host, Origin, scope.
 *
 * Host has to name a place this server is known under, so that a page of another site
 * whose name was pointed here (DNS rebinding) gets nothing. Origin, if a browser sends
 * it, has to be this very host, so that another site's page changes nothing; by https if
 * the server is.
 *
 * Scope is what the route requires and what the token, or the loopback address, gives. A
 * token comes in the Authorization header, else in the cookie of POST /session
 * (guard_cookie_set()). A browser sends a cookie for any page that makes a request. A change
 * with a cookie therefore requires Origin (or Sec-Fetch-Site: same-origin) to be there,
 * not merely not to be another's. SameSite=Strict alone is not enough, because a page of
 * another port of the same host is of the same site. Reading is safe without: no other
 * origin's page is given an answer to read.
 *
 * A request that a proxy says it forwards is not from loopback. A proxy need not say so,
 * so a server behind one needs --require-tokens. */
#pragma once
#include "api.h"
#include "call.h"

bool guard_host(const struct api *a, const struct api_request *r,
	struct err *e);
bool guard_origin(const struct api *a, const struct api_request *r,
	struct err *e);
/* Fills call.s.who: from `token`, which is to be kept as a cookie; if it is NULL, from
 * the request's token, else from its address. A token is looked up in the database. ERR_UNAUTHORIZED for a token that is unknown or has
 * expired; such a cookie is cleared. */
bool guard_who(struct call *c, const char *token, struct err *e);
/* Fills call.cookie, which becomes Set-Cookie: the page's sign-in, a token in a cookie
 * that no script reads. `expires` NO_MOMENT: until the browser is closed. `token` NULL
 * clears the cookie.
 *
 * The cookie is named for the port, because browsers keep cookies by host alone and
 * another server may run on the same host. Under TLS `__Host-` precedes the name, so that
 * browsers let only this host, by https, set it. It is HttpOnly, of this site alone
 * (SameSite=Strict), Secure if the browser uses TLS, and ends with its token. */
void guard_cookie_set(struct call *c, const char *token, int64_t expires);
/* Whether the caller may do what the route does; identifies the caller if the route needs a scope. */
bool guard_scope(struct call *c, struct err *e);
