/* db_token.c - tests that tokens are shown once and identified by their
 * hash. */
#include "fixture.h"
#include "token.h"

static int setup(void **state)
{
	*state = fixture_db();
	return 0;
}

static int teardown(void **state)
{
	db_free(*state);
	return 0;
}

static const struct token_request *request(const char *name, enum scope s)
{
	static struct token_request w;
	w = (struct token_request){ .name = name,
		.scope = s,
		.made_by = "a test",
		.expires = NO_MOMENT };
	return &w;
}

static enum scope scope_of(struct db *db, const char *text)
{
	struct arena a = { 0 };
	struct token_row row;
	works(token_find(db, &a, text, &row, &e));
	arena_release(&a);
	return row.scope;
}

static void a_new_token_is_found(void **state)
{
	struct db *db = *state;
	char text[TOKEN_TEXT];
	int64_t id;
	bool any;
	works(token_any(db, &any, &e));
	assert_false(any);
	works(token_new(db, request("ci", SCOPE_UPLOAD), text, &id, &e));
	works(token_any(db, &any, &e));
	assert_true(any);
	assert_int_equal(scope_of(db, text), SCOPE_UPLOAD);
}

static void text_has_one_shape(void **state)
{
	struct db *db = *state;
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz0123456789-_";
	char one[TOKEN_TEXT], two[TOKEN_TEXT];
	int64_t id;
	for (int i = 0; i < 20; i++) {
		works(token_new(db, request("a", SCOPE_READ), one, &id, &e));
		works(token_new(db, request("a", SCOPE_READ), two, &id, &e));
		assert_int_equal(strlen(one), 46);
		assert_memory_equal(one, "ks_", 3);
		assert_int_equal(strspn(one + 3, letters), 43);
		assert_string_not_equal(one, two);
	}
}

static void only_the_hash_is_stored(void **state)
{
	struct db *db = *state;
	char text[TOKEN_TEXT], hex[SHA256_HEX], sql[200];
	uint8_t digest[SHA256_BYTES];
	int64_t id;
	works(token_new(db, request("ci", SCOPE_ADMIN), text, &id, &e));
	sha256_of(text, strlen(text), digest);
	sha256_hex(digest, hex);
	snprintf(sql, sizeof sql,
		"SELECT count(*) FROM token WHERE sha256 = '\\x%s'", hex);
	assert_int_equal(fixture_count(db, sql), 1);
	snprintf(sql, sizeof sql,
		"SELECT count(*) FROM token t WHERE t::text LIKE '%%%s%%'",
		text);
	assert_int_equal(fixture_count(db, sql), 0);
}

static void an_invalid_token_is_rejected(void **state)
{
	struct db *db = *state;
	char text[TOKEN_TEXT];
	int64_t id;
	works(token_new(db, request("ci", SCOPE_ADMIN), text, &id, &e));
	const char *const others[] = { "", "ks_", "admin",
		"ks_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"xs_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" };
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		assert_int_equal(scope_of(db, others[i]), SCOPE_NONE);
	}
	text[45] = text[45] == 'A' ? 'E' : 'A';
	assert_int_equal(scope_of(db, text), SCOPE_NONE);
}

static void needs_a_name_and_a_scope(void **state)
{
	struct db *db = *state;
	char text[TOKEN_TEXT];
	int64_t id;
	refuses(token_new(db, request("", SCOPE_READ), text, &id, &e),
		ERR_INPUT, "a token needs a name");
	refuses(token_new(db, request("ci", SCOPE_NONE), text, &id, &e),
		ERR_INPUT, "a token needs a scope: read, upload or admin");
}

static void invalid_requests_for_tokens(void **state)
{
	struct db *db = *state;
	char text[TOKEN_TEXT], long_name[202];
	int64_t id;
	struct token_request w = *request("ci", SCOPE_READ);
	memset(long_name, 'x', 201);
	long_name[201] = '\0';
	w.project = "";
	refuses(token_new(db, &w, text, &id, &e), ERR_INPUT,
		"a token's project has 1 to 200 bytes");
	w.project = long_name;
	refuses(token_new(db, &w, text, &id, &e), ERR_INPUT,
		"a token's project has 1 to 200 bytes");
	w.project = "\xff";
	refuses(token_new(db, &w, text, &id, &e), ERR_INPUT,
		"project is not text in UTF-8");
	w = *request("\xff", SCOPE_READ);
	refuses(token_new(db, &w, text, &id, &e), ERR_INPUT,
		"name is not text in UTF-8");
	w = *request("ci", SCOPE_READ);
	w.days = -1;
	refuses(token_new(db, &w, text, &id, &e), ERR_INPUT,
		"a token lasts 1 to 36500 days, or for ever");
	w.days = TOKEN_DAYS + 1;
	refuses(token_new(db, &w, text, &id, &e), ERR_INPUT,
		"a token lasts 1 to 36500 days, or for ever");
	w.days = 0;
	w.expires = 0;
	refuses(token_new(db, &w, text, &id, &e), ERR_INPUT,
		"a token that has expired already would open nothing");
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM token"), 0);
}

static struct token_row found(struct db *db, struct arena *a, const char *text)
{
	struct token_row row;
	works(token_find(db, a, text, &row, &e));
	return row;
}

/* 10 days are 864,000,000,000 microseconds. */
static void of_a_project_for_some_days(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	char text[TOKEN_TEXT];
	int64_t id;
	struct token_request w = *request("ci", SCOPE_UPLOAD);
	w.project = "mesa";
	w.days = 10;
	works(token_new(db, &w, text, &id, &e));
	struct token_row t = found(db, &a, text);
	assert_int_equal(t.id, id);
	assert_string_equal(t.project, "mesa");
	assert_string_equal(t.made_by, "a test");
	assert_int_equal(t.expires - t.created, 864000000000);
	assert_false(t.expired);
	fixture_script(db, "UPDATE token SET expires_at = now()");
	t = found(db, &a, text);
	assert_true(t.expired);
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM token "
					   "WHERE last_used_at IS NOT NULL"),
		1); /* from before */
	arena_release(&a);
}

#define USED_AT \
	"SELECT (extract(epoch FROM last_used_at) * 1000000)::bigint FROM token"

static void use_is_written_once_a_minute(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	char text[TOKEN_TEXT];
	int64_t id;
	works(token_new(db, request("ci", SCOPE_READ), text, &id, &e));
	assert_int_equal(found(db, &a, text).used, NO_MOMENT);
	int64_t first = fixture_count(db, USED_AT);
	assert_true(first > 0);
	assert_int_equal(found(db, &a, text).used, first);
	assert_int_equal(fixture_count(db, USED_AT), first);
	fixture_script(db, "UPDATE token SET last_used_at = last_used_at - "
			   "interval '61 seconds'");
	(void)found(db, &a, text);
	assert_true(fixture_count(db, USED_AT) > first - 61000000);
	arena_release(&a);
}

/* The token is accepted immediately while its row is locked, and while the
 * database is read-only. */
static void use_never_stands_in_the_way(void **state)
{
	struct db *db = *state, *other = fixture_connect("");
	struct arena a = { 0 };
	char text[TOKEN_TEXT];
	int64_t id;
	works(token_new(db, request("ci", SCOPE_READ), text, &id, &e));
	fixture_script(other, "BEGIN; SELECT FROM token FOR UPDATE");
	time_t before = time(NULL);
	assert_int_equal(found(db, &a, text).id, id);
	assert_true(time(NULL) - before < 5);
	fixture_script(other, "ROLLBACK");
	fixture_script(db, "SET default_transaction_read_only = on");
	assert_int_equal(found(db, &a, text).id, id);
	fixture_script(db, "SET default_transaction_read_only = off");
	assert_int_equal(fixture_count(db, "SELECT count(*) FROM token "
					   "WHERE last_used_at IS NULL"),
		1);
	db_free(other);
	arena_release(&a);
}

static void listed_and_revoked(void **state)
{
	struct db *db = *state;
	struct arena a = { 0 };
	struct token_row *rows;
	char text[3][TOKEN_TEXT];
	int64_t ids[3];
	uint32_t n;
	bool more;
	for (int i = 0; i < 3; i++) {
		struct token_request w = *request("ci", SCOPE_READ);
		w.project = i == 1 ? "theirs" : "ours";
		works(token_new(db, &w, text[i], &ids[i], &e));
	}
	works(token_list(db, &a, "ours", 0, 1, &rows, &n, &more, &e));
	assert_int_equal(n, 1);
	assert_int_equal(rows[0].id, ids[2]);
	assert_true(more);
	works(token_list(db, &a, "ours", ids[2], 1, &rows, &n, &more, &e));
	assert_int_equal(rows[0].id, ids[0]);
	assert_false(more);
	works(token_list(db, &a, NULL, 0, 10, &rows, &n, &more, &e));
	assert_int_equal(n, 3);
	refuses(token_revoke(db, 12345678, NULL, &e), ERR_NOT_FOUND,
		"no token 12345678");
	{
		struct err e = { 0 };
		assert_false(token_revoke(db, ids[1], "ours", &e));
		assert_int_equal(e.code, ERR_NOT_FOUND);
	}
	works(token_revoke(db, ids[0], "ours", &e));
	assert_int_equal(found(db, &a, text[0]).id, 0);
	assert_int_equal(found(db, &a, text[1]).id, ids[1]);
	arena_release(&a);
}

static void scopes_have_names(void **state)
{
	(void)state;
	assert_int_equal(scope_from("read"), SCOPE_READ);
	assert_int_equal(scope_from("upload"), SCOPE_UPLOAD);
	assert_int_equal(scope_from("admin"), SCOPE_ADMIN);
	assert_int_equal(scope_from("none"), SCOPE_NONE);
	assert_int_equal(scope_from("Admin"), SCOPE_NONE);
	assert_string_equal(scope_name(SCOPE_UPLOAD), "upload");
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest cases[] = {
		CASE(a_new_token_is_found),
		CASE(text_has_one_shape),
		CASE(only_the_hash_is_stored),
		CASE(an_invalid_token_is_rejected),
		CASE(needs_a_name_and_a_scope),
		CASE(invalid_requests_for_tokens),
		CASE(of_a_project_for_some_days),
		CASE(use_is_written_once_a_minute),
		CASE(use_never_stands_in_the_way),
		CASE(listed_and_revoked),
		CASE(scopes_have_names),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
