/* token.h - who may do what; only a token's sha256 is stored. */
#pragma once
#include "db.h"

/* Each includes the ones before it. */
enum scope { SCOPE_NONE, SCOPE_READ, SCOPE_UPLOAD, SCOPE_ADMIN };

const char *scope_name(enum scope s); /* "read", "upload", "admin" */
enum scope scope_from(const char *name); /* SCOPE_NONE: unknown */

/* A project is at most as long as the API's parameter of it. */
enum { TOKEN_TEXT = 64, TOKEN_PROJECT = 200, TOKEN_DAYS = 36500 };

/* A new one: `project` NULL: of all; `expires` in microseconds since 1970 UTC,
 * NO_MOMENT never, or `days` from now where that is not 0. */
struct token_wish {
	const char *name, *project, *made_by;
	enum scope scope;
	int64_t expires;
	int days;
	int64_t maker; /* the token that makes it; 0 none */
};

struct token_row {
	int64_t id; /* 0: not known */
	const char *name, *project, *made_by; /* project NULL: all */
	enum scope scope;
	int64_t created, expires, used; /* NO_MOMENT: never */
	bool expired; /* by the database's clock */
	bool stale; /* `used` is a minute old, or never */
};

/* Makes a token and tells it this once: "ks_" and 43 letters. It lasts no longer
 * than its maker. ERR_INPUT where the wish is not one. */
bool token_new(struct db *db, const struct token_wish *w, char text[TOKEN_TEXT],
	int64_t *id, struct err *e);
/* The token of a text; id 0 where it is none (no error). Writes when it was
 * used, where that is a minute old, and neither waits nor fails for it. */
bool token_find(struct db *db, struct arena *a, const char *text,
	struct token_row *row, struct err *e);
/* One by its id; `project` NULL: of any. ERR_NOT_FOUND. */
bool token_read(struct db *db, struct arena *a, int64_t id, const char *project,
	struct token_row *row, struct err *e);
/* The newest first, of a project (NULL any) and older than `after` (0: all). */
bool token_list(struct db *db, struct arena *a, const char *project,
	int64_t after, int limit, struct token_row **rows, uint32_t *n,
	bool *more, struct err *e);
/* From now on it is not known, nor is any that it made, nor those they made.
 * `project` as above. */
bool token_revoke(struct db *db, int64_t id, const char *project,
	struct err *e);
/* Whether this sign-in is to be written down: one a minute is. */
bool token_signed(struct db *db, int64_t id, bool *told, struct err *e);
bool token_any(struct db *db, bool *any, struct err *e);
