/* guard.h - who is let in: Host, Origin, scope.
 *
 * Host names a place this server is known under, so that a page of another
 * site whose name was pointed here (DNS rebinding) gets nothing. Origin, where
 * a browser sends one, is this very host, so that another site's page changes
 * nothing; by https where the server is.
 *
 * Scope is what the route asks and the token, or the loopback address, gives.
 * A token comes in the Authorization header, else in the cookie of POST
 * /session (cookie.h). A cookie is sent by the browser, whoever made it ask: where it is
 * what lets in, a change wants Origin to be there (or Sec-Fetch-Site:
 * same-origin), and not merely not another's. SameSite=Strict alone would not
 * do, since a page of another port of the same host is of the same site. What is read is
 * safe without: no other origin's page is given an answer to read.
 *
 * A request that a proxy says it forwards is not from loopback; a proxy need not
 * say so, so a server behind one wants --require_tokens. */
#pragma once
#include "api.h"
#include "call.h"

bool guard_host(const struct api *a, const struct api_request *r,
	struct err *e);
bool guard_origin(const struct api *a, const struct api_request *r,
	struct err *e);
/* Fills call.who: from the token that the request brings, which it asks the
 * database for, else from where it comes. ERR_UNAUTHORIZED for a token that is
 * none, or has expired; such a cookie is told to go. */
bool guard_who(struct call *c, struct err *e);
/* The same from a token that is to be kept as a cookie. */
bool guard_token(struct call *c, const char *text, struct err *e);
/* Whether he may do what the route does; asks who he is where that matters. */
bool guard_scope(struct call *c, struct err *e);
