/* test_redact_key.c - tests where the key for hashed texts comes from. */
#include "redact.h"
#include "spooled.h"
#include "user_home.h"

static void hash_of(const struct collector_options *o, char hash[19])
{
	struct mapped memory = { 0, 1 << 20 };
	struct redact r;
	redact_init(&r, o, &memory);
	assert_int_equal(redact_text(&r, -1, "secret", 6, hash), REDACT_HASHED);
	redact_release(&r);
	assert_int_equal(memory.taken, 0);
}

static void file_write(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static const char *state_key(void)
{
	static char path[128];
	snprintf(path, sizeof path, "%s/.local/state/kernsift/hash-key",
		user_home);
	return path;
}

/* A user has one key for all folders of capture files. The key is stored
 * outside of these folders. */
static void one_key_of_the_user(void **state)
{
	static const char *const env[] = { "KERNSIFT_TRACE_HASH", "secret",
		NULL };
	struct spooled d[2];
	char hash[4][19], other[64];
	struct stat st;
	(void)state;
	unlink(state_key());
	for (int i = 0; i < 2; i++) {
		spooled_init(&d[i], env);
		hash_of(&d[i].options, hash[i]);
		assert_int_equal(spooled_each(&d[i], NULL, NULL), 0);
	}
	assert_string_equal(hash[0], hash[1]);
	assert_int_equal(stat(state_key(), &st), 0);
	assert_int_equal(st.st_size, 16);
	assert_int_equal(st.st_mode & 07777, 0600);
	/* Another state folder has another key; an invalid one is ignored. */
	snprintf(other, sizeof other, "%s/xdg", user_home);
	setenv("XDG_STATE_HOME", other, 1);
	hash_of(&d[0].options, hash[2]);
	setenv("XDG_STATE_HOME", "not/absolute", 1);
	hash_of(&d[0].options, hash[3]);
	unsetenv("XDG_STATE_HOME");
	assert_string_not_equal(hash[2], hash[0]);
	assert_string_equal(hash[3], hash[0]);
	spooled_release(&d[0]);
	spooled_release(&d[1]);
}

/* Another file has the path of the key: it is neither used nor overwritten. */
static void there_is_no_usable_key(void **state)
{
	static const char *const env[] = { "KERNSIFT_TRACE_HASH", "secret",
		NULL };
	struct spooled d;
	char hash[4][19], aside[128];
	struct stat st;
	(void)state;
	spooled_init(&d, env);
	snprintf(aside, sizeof aside, "%s/aside", user_home);
	file_write(aside, "sixteen bytes and more of it");
	unlink(state_key());
	assert_int_equal(symlink(aside, state_key()), 0);
	hash_of(&d.options, hash[0]);
	hash_of(&d.options, hash[1]);
	unlink(state_key());
	file_write(state_key(), "fifteen bytes..");
	hash_of(&d.options, hash[2]);
	assert_int_equal(stat(state_key(), &st), 0);
	assert_int_equal(st.st_size, 15);
	unlink(state_key());
	unsetenv("HOME");
	hash_of(&d.options, hash[3]);
	setenv("HOME", user_home, 1);
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < i; k++)
			assert_string_not_equal(hash[i], hash[k]);
	spooled_release(&d);
}

/* Files named by KERNSIFT_TRACE_HASH_KEY; NULL: the file is missing. */
static const struct named_key {
	const char *what, *text;
	bool used;
} named_keys[] = {
	{ "16 bytes", "0123456789abcdef", true },
	{ "others", "0123456789abcdeg", true },
	{ "a line, the same to the 16th byte", "0123456789abcdef0\n", true },
	{ "too short", "0123456789abcde", false },
	{ "empty", "", false },
	{ "none", NULL, false },
};

static void keys_that_are_named(void **state)
{
	enum { N = sizeof named_keys / sizeof *named_keys };
	char path[64], hash[N][19], again[19];
	const char *const env[] = { "KERNSIFT_TRACE_HASH", "secret",
		"KERNSIFT_TRACE_HASH_KEY", path, NULL };
	struct spooled d;
	(void)state;
	snprintf(path, sizeof path, "%s/named", user_home);
	spooled_init(&d, env);
	unlink(state_key());
	for (int i = 0; i < N; i++) {
		unlink(path);
		if (named_keys[i].text)
			file_write(path, named_keys[i].text);
		hash_of(&d.options, hash[i]);
		hash_of(&d.options, again);
		if (!strcmp(hash[i], again) != named_keys[i].used)
			fail_msg("%s: %s, %s", named_keys[i].what, hash[i],
				again);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(hash[i], hash[k]);
	}
	/* The user's own key was not created. */
	assert_int_not_equal(access(state_key(), F_OK), 0);
	spooled_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_key_of_the_user),
		cmocka_unit_test(there_is_no_usable_key),
		cmocka_unit_test(keys_that_are_named),
	};
	return cmocka_run_group_tests(tests, user_home_make, user_home_remove);
}
