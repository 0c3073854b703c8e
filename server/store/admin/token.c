/* token.c - tokens: a random text for the owner, its sha256 in the database. */
#include "token.h"
#include "log.h"
#include "sha256.h"
#include "sql.h"
#include "text_validate.h"
#include <strings.h>
#include <sys/random.h>

enum { RANDOM = 32, LETTERS = 43, HEAD = 3 };

static const char *const token_scopes[] = { "none", "read", "upload", "admin" };

const char *scope_name(enum scope s)
{
	return token_scopes[s];
}

enum scope scope_from(const char *name)
{
	for (enum scope s = SCOPE_READ; s <= SCOPE_ADMIN; s++)
		if (!strcmp(token_scopes[s], name))
			return s;
	return SCOPE_NONE;
}

/* The text is "ks_", then base64url without padding. */
static void token_encode(const uint8_t bytes[RANDOM], char text[TOKEN_TEXT])
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz0123456789-_";
	char *to = text + snprintf(text, TOKEN_TEXT, "ks_");
	for (int i = 0; i < LETTERS; i++) {
		int bit = i * 6, byte = bit / 8;
		unsigned two = (unsigned)bytes[byte] << 8;
		if (byte + 1 < RANDOM)
			two |= bytes[byte + 1];
		*to++ = letters[two >> (10 - bit % 8) & 63];
	}
	*to = '\0';
}

/* No token may have a name by which the audit log names callers without a
 * token. */
static bool token_check_name(const char *name, struct err *e)
{
	static const char command[] = "kernsiftd ";
	if (!*name)
		return err_set(e, ERR_INPUT, "a token needs a name");
	if (!strcasecmp(name, "loopback") ||
		!strncasecmp(name, command, sizeof command - 1))
		return err_set(e, ERR_INPUT,
			"a token is not called 'loopback' or 'kernsiftd …': "
			"the audit calls those so who have none");
	return text_validate("name", name, e) &&
	       text_validate_printable("name", name, e);
}

static bool token_check(const struct token_request *w, struct err *e)
{
	if (!token_check_name(w->name, e) ||
		(w->project && (!text_validate("project", w->project, e) ||
				       !text_validate_printable("project",
					       w->project, e))))
		return false;
	if (w->scope == SCOPE_NONE)
		return err_set(e, ERR_INPUT,
			"a token needs a scope: read, upload or admin");
	if (w->project && (!*w->project || strlen(w->project) > TOKEN_PROJECT))
		return err_set(e, ERR_INPUT,
			"a token's project has 1 to %d bytes", TOKEN_PROJECT);
	return (w->days >= 0 && w->days <= TOKEN_DAYS) ||
	       err_set(e, ERR_INPUT, "a token lasts 1 to %d days, or for ever",
		       TOKEN_DAYS);
}

/* Only the database's clock is used. */
static const char token_new_sql[] =
	"WITH t AS (SELECT coalesce($6, now() + make_interval(days => "
	"nullif($7, 0))) AS at, "
	"(SELECT expires_at FROM token WHERE id = $8) AS most), "
	"made AS (INSERT INTO token "
	"(name, scope, sha256, project, created_by, expires_at, creator_id) "
	"SELECT $1, $2, $3, $4, $5, coalesce(at, most), nullif($8, 0) FROM t "
	"WHERE (at IS NULL OR at > now()) "
	"AND (at IS NULL OR most IS NULL OR at <= most) "
	"RETURNING id) "
	"SELECT coalesce(made.id, 0), coalesce(at > most, false) "
	"FROM t LEFT JOIN made ON true";

bool token_new(struct db *db, const struct token_request *w,
	char text[TOKEN_TEXT], int64_t *id, struct err *e)
{
	uint8_t bytes[RANDOM], digest[SHA256_BYTES];
	if (!token_check(w, e))
		return false;
	if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
		return err_set(e, ERR_INTERNAL,
			"the system gives no random bytes");
	token_encode(bytes, text);
	sha256_of(text, HEAD + LETTERS, digest);

	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, w->name);
	sql_text(&p, scope_name(w->scope));
	sql_bytes(&p, digest, sizeof digest);
	sql_text(&p, w->project);
	sql_text(&p, w->made_by);
	sql_moment(&p, w->expires);
	sql_int4(&p, w->days);
	sql_int8(&p, w->maker);
	if (!sql_run(db, token_new_sql, &p, &r, e))
		return false;
	result_next(&r);
	*id = result_int8(&r, 0);
	bool late = result_bool(&r);
	result_release(&r);
	if (late)
		return err_set(e, ERR_INPUT,
			"a token lasts no longer than the one that makes it; "
			"say no end, and it ends with that one");
	return *id || err_set(e, ERR_INPUT,
			      "a token that has expired already would open "
			      "nothing");
}

#define TOKEN_COLUMNS                                                 \
	"SELECT id, name, project, created_by, scope, "               \
	"created_at, expires_at, last_used_at, "                      \
	"coalesce(expires_at <= now(), false), "                      \
	"coalesce(last_used_at < now() - interval '1 minute', true) " \
	"FROM token "

static void token_read_row(struct result *r, struct arena *a, void *row)
{
	struct token_row *t = row;

	t->id = result_int8(r, 0);
	t->name = result_text(r, a);
	t->project = result_text(r, a);
	t->made_by = result_text(r, a);
	t->scope = scope_from(result_text(r, a));
	t->created = result_moment(r);
	t->expires = result_moment(r);
	t->used = result_moment(r);
	t->expired = result_bool(r);
	t->stale = result_bool(r);
}

/* Of many requests at once, one writes and the others skip the locked row. The
 * commit does not wait for the disk, because the loss of the last minute is
 * harmless. */
static const char token_used_sql[] =
	"UPDATE token SET last_used_at = now() "
	"WHERE id = (SELECT id FROM token WHERE id = $1 "
	"AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute') "
	"FOR UPDATE SKIP LOCKED) "
	"AND set_config('synchronous_commit', 'off', true) IS NOT NULL";

static void token_mark_used(struct db *db, int64_t id)
{
	struct sql_params p = { 0 };
	struct err unheard = { 0 };
	sql_int8(&p, id);
	if (!sql_hot(db, token_used_sql, &p, NULL, &unheard))
		log_debug("token used id=%lld text=\"%s\"", (long long)id,
			unheard.text);
}

/* The time to look up a hash reveals nothing about the text. */
bool token_find(struct db *db, struct arena *a, const char *text,
	struct token_row *row, struct err *e)
{
	static const char sql[] = TOKEN_COLUMNS "WHERE sha256 = $1";
	*row = (struct token_row){ 0 };
	if (strncmp(text, "ks_", HEAD) || strlen(text) != HEAD + LETTERS)
		return true;

	uint8_t digest[SHA256_BYTES];
	struct sql_params p = { 0 };
	struct result r;
	sha256_of(text, HEAD + LETTERS, digest);
	sql_bytes(&p, digest, sizeof digest);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	if (result_next(&r))
		token_read_row(&r, a, row);
	result_release(&r);
	if (row->id && !row->expired && row->stale)
		token_mark_used(db, row->id);
	return true;
}

static bool token_not_found(int64_t id, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "no token %lld", (long long)id);
}

bool token_read(struct db *db, struct arena *a, int64_t id, const char *project,
	struct token_row *row, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	sql_int8(&p, id);
	sql_text(&p, project);
	if (!sql_run(db,
		    TOKEN_COLUMNS
		    "WHERE id = $1 AND ($2 IS NULL OR project = $2)",
		    &p, &r, e))
		return false;
	bool there = result_next(&r);
	if (there)
		token_read_row(&r, a, row);
	result_release(&r);
	return there || token_not_found(id, e);
}

bool token_list(struct db *db, struct arena *a, const char *project,
	int64_t after, int limit, struct token_row **rows, uint32_t *n,
	bool *more, struct err *e)
{
	struct sql_params p = { 0 };
	sql_text(&p, project);
	sql_int8(&p, after);
	sql_int8(&p, limit + INT64_C(1));
	*rows = sql_page(db,
		TOKEN_COLUMNS "WHERE ($1 IS NULL OR project = $1) "
			      "AND ($2 = 0 OR id < $2) "
			      "ORDER BY id DESC "
			      "LIMIT $3",
		&p, limit, token_read_row, sizeof **rows, a, n, more, e);
	return *rows;
}

bool token_revoke(struct db *db, int64_t id, const char *project, struct err *e)
{
	struct sql_params p = { 0 };
	int64_t n;
	sql_int8(&p, id);
	sql_text(&p, project);
	return sql_change(db,
		       "DELETE FROM token "
		       "WHERE id = $1 AND ($2 IS NULL OR project = $2)",
		       &p, &n, e) &&
	       (n || token_not_found(id, e));
}

bool token_signed(struct db *db, int64_t id, bool *first, struct err *e)
{
	struct sql_params p = { 0 };
	int64_t n;
	sql_int8(&p, id);
	bool ok = sql_change(db,
		"UPDATE token SET signed_in_at = now() WHERE id = $1 "
		"AND (signed_in_at IS NULL "
		"OR signed_in_at < now() - interval '1 minute')",
		&p, &n, e);
	*first = ok && n;
	return ok;
}

bool token_any(struct db *db, bool *any, struct err *e)
{
	struct result r;
	if (!sql_run(db, "SELECT EXISTS (SELECT FROM token)", NULL, &r, e))
		return false;
	result_next(&r);
	*any = result_bool(&r);
	result_release(&r);
	return true;
}
