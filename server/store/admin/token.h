/* token.h - tokens and their scopes; only a token's sha256 is stored. */
#pragma once
#include "db.h"

/* Each scope includes the scopes before it. */
enum scope { SCOPE_NONE, SCOPE_READ, SCOPE_UPLOAD, SCOPE_ADMIN };

const char *scope_name(enum scope s); /* "read", "upload", "admin" */
enum scope scope_from(const char *name); /* SCOPE_NONE: unknown */

/* TOKEN_PROJECT is the maximum length of the API's project parameter. */
enum { TOKEN_TEXT = 64, TOKEN_PROJECT = 200, TOKEN_DAYS = 36500 };

/* `project` NULL: all projects. The token expires at `expires` (microseconds
 * since 1970 UTC). If that is NO_MOMENT, it expires `days` from now; 0:
 * never. */
struct token_request {
	const char *name, *project, *made_by;
	enum scope scope;
	int64_t expires;
	int days;
	int64_t maker; /* the token that creates it; 0 none */
};

struct token_row {
	int64_t id; /* 0: unknown */
	const char *name, *project, *made_by; /* project NULL: all */
	enum scope scope;
	int64_t created, expires, used; /* NO_MOMENT: never */
	bool expired; /* by the database's clock */
	bool stale; /* `used` is at least a minute ago, or never */
};

/* Creates a token; `text` is "ks_" and 43 letters, which are not stored. The
 * token expires no later than the token that creates it. ERR_INPUT if the
 * request is invalid. */
bool token_new(struct db *db, const struct token_request *w,
	char text[TOKEN_TEXT], int64_t *id, struct err *e);
/* Finds the token with this text; id 0 if there is none, which is no error.
 * Records the use once a minute, without waiting, and ignores a failure to
 * record it. */
bool token_find(struct db *db, struct arena *a, const char *text,
	struct token_row *row, struct err *e);
/* Reads a token by its id; `project` NULL: of any project. ERR_NOT_FOUND if
 * there is none. */
bool token_read(struct db *db, struct arena *a, int64_t id, const char *project,
	struct token_row *row, struct err *e);
/* Lists tokens, newest first, of a project (NULL: any) and with ids below
 * `after` (0: all). */
bool token_list(struct db *db, struct arena *a, const char *project,
	int64_t after, int limit, struct token_row **rows, uint32_t *n,
	bool *more, struct err *e);
/* Deletes a token with all tokens that it created, and those that they created.
 * `project` as in token_read(). */
bool token_revoke(struct db *db, int64_t id, const char *project,
	struct err *e);
/* Records a sign-in. *first: whether it is the first one of this minute, which
 * the audit log records. */
bool token_signed(struct db *db, int64_t id, bool *first, struct err *e);
bool token_any(struct db *db, bool *any, struct err *e);
