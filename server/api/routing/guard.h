/* guard.h - who is let in: Host, Origin, scope.
 *
 * Host has to name a place this server is known under, so that a page of another site
 * whose name was pointed here (DNS rebinding) gets nothing. Origin, if a browser sends
 * it, has to be this very host, so that another site's page changes nothing; by https if
 * the server is.
 *
 * Scope is what the route requires and what the token, or the loopback address, gives. A
 * token comes in the Authorization header, else in the cookie of POST /session
 * (session_cookie.h). A browser sends a cookie for any page that makes a request. A change
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
/* Fills call.s.who: from the request's token, which is looked up in the database,
 * else from its address. ERR_UNAUTHORIZED for a token that is unknown or has
 * expired; such a cookie is cleared. */
bool guard_who(struct call *c, struct err *e);
/* The same from a token that is to be kept as a cookie. */
bool guard_token(struct call *c, const char *text, struct err *e);
/* Whether the caller may do what the route does; identifies the caller if the route needs a scope. */
bool guard_scope(struct call *c, struct err *e);
