/* session_cookie.h - the page's sign-in: a token in a cookie that no script reads.
 *
 * The cookie is named for the port, because browsers keep cookies by host alone and
 * another server may run on the same host. Under TLS `__Host-` precedes the name, so that
 * browsers let only this host, by https, set it. It is HttpOnly, of this site alone
 * (SameSite=Strict), Secure if the browser uses TLS, and ends with its token. */
#pragma once
#include "call.h"

/* The token that the request brings; NULL none. */
const char *session_cookie_read(struct call *c);
/* Both fill call.cookie, which becomes Set-Cookie. `expires` NO_MOMENT: until
 * the browser is closed. */
void session_cookie_set(struct call *c, const char *token, int64_t expires);
void session_cookie_clear(struct call *c);
