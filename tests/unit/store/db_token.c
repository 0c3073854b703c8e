/* db_token.c - tokens: told once, known by their hash. */
#include "fixture.h"
#include "query.h"
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

static const struct token_wish *wish(const char *name, enum scope s)
{
	static struct token_wish w;
	w = (struct token_wish){ .name = name,
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

static void made_told_and_known(void **state)
{
	struct db *db = *state;
	char text[TOKEN_TEXT];
	int64_t id;
	bool any;
	works(token_any(db, &any, &e));
	assert_false(any);
	works(token_new(db, wish("ci", SCOPE_UPLOAD), text, &id, &e));
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
		works(token_new(db, wish("a", SCOPE_READ), one, &id, &e));
		works(token_new(db, wish("a", SCOPE_READ), two, &id, &e));
		assert_int_equal(strlen(one), 46);
		assert_memory_equal(one, "ks_", 3);
		assert_int_equal(strspn(one + 3, letters), 43);
		assert_string_not_equal(one, two);
	}
}

static void only_the_hash_is_kept(void **state)
{
	struct db *db = *state;
	char text[TOKEN_TEXT], hex[SHA256_HEX], sql[200];
	uint8_t digest[SHA256_BYTES];
	int64_t id;
	works(token_new(db, wish("ci", SCOPE_ADMIN), text, &id, &e));
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

static void what_is_not_a_token_opens_nothing(void **state)
{
	struct db *db = *state;
	char text[TOKEN_TEXT];
	int64_t id;
	works(token_new(db, wish("ci", SCOPE_ADMIN), text, &id, &e));
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
	refuses(token_new(db, wish("", SCOPE_READ), text, &id, &e), ERR_INPUT,
		"a token needs a name");
	refuses(token_new(db, wish("ci", SCOPE_NONE), text, &id, &e), ERR_INPUT,
		"a token needs a scope: read, upload or admin");
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
		CASE(made_told_and_known),
		CASE(text_has_one_shape),
		CASE(only_the_hash_is_kept),
		CASE(what_is_not_a_token_opens_nothing),
		CASE(needs_a_name_and_a_scope),
		CASE(scopes_have_names),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
