/* token.h - who may do what; only a token's sha256 is stored. */
#pragma once
#include "db.h"

/* Each includes the ones before it. */
enum scope { SCOPE_NONE, SCOPE_READ, SCOPE_UPLOAD, SCOPE_ADMIN };

const char *scope_name(enum scope s); /* "read", "upload", "admin" */
enum scope scope_from(const char *name); /* SCOPE_NONE: unknown */

enum { TOKEN_TEXT = 64 };

/* Makes a token and tells it this once: "ks_" and 43 letters. */
bool token_new(struct db *db, const char *name, enum scope s,
	char text[TOKEN_TEXT], int64_t *id, struct err *e);
/* The scope of a token's text; SCOPE_NONE where it is not one (no error). */
bool token_scope(struct db *db, const char *text, enum scope *s, struct err *e);
bool token_any(struct db *db, bool *any, struct err *e);
