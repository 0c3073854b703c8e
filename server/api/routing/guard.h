/* guard.h - decides who may make a request, by Host, Origin and scope.
 *
 * Host must be a name or address under which this server is known. Otherwise a
 * page of another site whose name resolves to this server (DNS rebinding) could
 * read answers. If a browser sends Origin, it must be the host of this request,
 * with https if this server uses HTTPS. So a page of another site cannot change
 * anything.
 *
 * The route requires a scope; the token, or a loopback address, grants one. The
 * token is in the Authorization header or, without that header, in the cookie
 * of POST /session (guard_cookie_set()). A browser adds a cookie to the
 * requests of any page. A change that is authorized by a cookie therefore
 * requires a correct Origin (or Sec-Fetch-Site: same-origin); a request without
 * Origin is rejected. SameSite=Strict alone is not enough, because a page on
 * another port of the same host is the same site. Reading requires no Origin,
 * because browsers do not let a page of another origin read the answer.
 *
 * A request with headers of a proxy is not treated as a request from loopback.
 * A proxy may omit these headers, so a server behind a proxy needs
 * --require-tokens. */
#pragma once
#include "api.h"
#include "call.h"

bool guard_host(const struct api *a, const struct api_request *r,
	struct err *e);
bool guard_origin(const struct api *a, const struct api_request *r,
	struct err *e);
/* Identifies the caller and sets call.s.who. If `token` is not NULL, it is the
 * token to use, and will be stored as a cookie. Otherwise the token of the
 * request is used or, without one, the address of the client. Tokens are looked
 * up in the database. ERR_UNAUTHORIZED for a token that is unknown or has
 * expired; if that token came in a cookie, the cookie is cleared. */
bool guard_who(struct call *c, const char *token, struct err *e);
/* Sets call.cookie, which becomes the Set-Cookie header. This is the sign-in of
 * the web page: a token in a cookie that no script can read. If `expires` is
 * NO_MOMENT, the cookie lasts until the browser is closed. If `token` is NULL,
 * the cookie is cleared.
 *
 * The name of the cookie contains the port, because browsers store cookies per
 * host and another server may run on this host. With TLS the name begins with
 * `__Host-`, so that only this host can set it, and only over https. The cookie
 * is HttpOnly and SameSite=Strict, is Secure if the browser uses TLS, and
 * expires when its token expires. */
void guard_cookie_set(struct call *c, const char *token, int64_t expires);
/* Whether the caller has the scope of the route. Identifies the caller if the
 * route requires a scope. */
bool guard_scope(struct call *c, struct err *e);
