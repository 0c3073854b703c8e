/* guard.h - who is let in: Host, Origin, scope.
 *
 * Host names a place this server is known under, so that a page of another
 * site whose name was pointed here (DNS rebinding) gets nothing. Origin, where
 * a browser sends one, is this very host, so that another site's page changes
 * nothing. Scope is what the route asks and the token, or the loopback
 * address, gives. A request that a proxy says it forwards is not from loopback;
 * a proxy need not say so, so a server behind one wants --require_tokens. */
#pragma once
#include "api.h"
#include "handler.h"

bool guard_host(const struct api *a, const struct api_request *r,
	struct err *e);
bool guard_origin(const struct api_request *r, struct err *e);
/* May ask the database for a token's scope. */
bool guard_scope(struct call *c, struct err *e);
