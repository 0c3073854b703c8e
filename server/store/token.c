/* token.c - random text for its owner, its sha256 for us. */
#include "token.h"
#include "said.h"
#include "sha256.h"
#include "sql.h"
#include <sys/random.h>

enum { RANDOM = 32, LETTERS = 43, HEAD = 3 };

static const char *const scopes[] = { "none", "read", "upload", "admin" };

const char *scope_name(enum scope s)
{
	return scopes[s];
}

enum scope scope_from(const char *name)
{
	for (enum scope s = SCOPE_READ; s <= SCOPE_ADMIN; s++)
		if (!strcmp(scopes[s], name))
			return s;
	return SCOPE_NONE;
}

/* "ks_", then base64 in the form for addresses, without padding. */
static void spell(const uint8_t bytes[RANDOM], char text[TOKEN_TEXT])
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

bool token_new(struct db *db, const char *name, enum scope s,
	char text[TOKEN_TEXT], int64_t *id, struct err *e)
{
	uint8_t bytes[RANDOM], digest[SHA256_BYTES];
	if (!*name)
		return err_set(e, ERR_INPUT, "a token needs a name");
	if (!said_check("name", name, e))
		return false;
	if (s == SCOPE_NONE)
		return err_set(e, ERR_INPUT,
			"a token needs a scope: read, upload or admin");
	if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
		return err_set(e, ERR_INTERNAL,
			"the system gives no random bytes");
	spell(bytes, text);
	sha256_of(text, HEAD + LETTERS, digest);

	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, name);
	sql_text(&p, scope_name(s));
	sql_bytes(&p, digest, sizeof digest);
	if (!sql_run(db,
		    "INSERT INTO token (name, scope, sha256) "
		    "VALUES ($1, $2, $3) "
		    "RETURNING id",
		    &p, &r, e))
		return false;
	result_next(&r);
	*id = result_int8(&r, 0);
	result_release(&r);
	return true;
}

/* A hash is looked up, not compared, so that the time it takes tells nothing
 * of the text. */
bool token_scope(struct db *db, const char *text, enum scope *s, struct err *e)
{
	static const char sql[] = "SELECT scope FROM token WHERE sha256 = $1";
	*s = SCOPE_NONE;
	if (strncmp(text, "ks_", HEAD) || strlen(text) != HEAD + LETTERS)
		return true;

	uint8_t digest[SHA256_BYTES];
	struct sql_params p = { 0 };
	struct result r;
	sha256_of(text, HEAD + LETTERS, digest);
	sql_bytes(&p, digest, sizeof digest);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	struct arena a = { 0 };
	if (result_next(&r))
		*s = scope_from(result_text(&r, &a));
	arena_release(&a);
	result_release(&r);
	return true;
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
