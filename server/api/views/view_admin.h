/* view_admin.h - tokens, sign-ins and the audit as JSON; see view.h. */
#pragma once
#include "audit.h"
#include "service.h"
#include "view.h"

json_t *view_token(const struct token_row *t);
/* The same with the token itself: told this once. */
json_t *view_token_made(const struct token_row *t, const char *text);
json_t *view_session(const struct who *w);
json_t *view_audit(const struct audit_row *r);
