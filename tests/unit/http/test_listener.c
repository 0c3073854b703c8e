/* test_listener.c - tests addresses to listen on, and the error message for
 * each invalid address. */
#include "listener.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <unistd.h>

#define NOT(text) \
	"'" text "' is not ADDR:PORT, such as 127.0.0.1:8080 or [::1]:8080"

static const struct {
	const char *text, *host;
	int port;
	const char *why;
} rows[] = {
	{ "127.0.0.1:8080", "127.0.0.1", 8080, "" },
	{ "[::1]:0", "::1", 0, "" },
	{ "localhost:65535", "localhost", 65535, "" },
	{ "127.0.0.1", NULL, 0, NOT("127.0.0.1") },
	{ ":8080", NULL, 0, NOT(":8080") },
	{ "::1:8080", NULL, 0, NOT("::1:8080") },
	{ "a:65536", NULL, 0, NOT("a:65536") },
	{ "a:-1", NULL, 0, NOT("a:-1") },
	{ "a:80x", NULL, 0, NOT("a:80x") },
	{ "a:", NULL, 0, NOT("a:") },
	{ "", NULL, 0, NOT("") },
};

static void test_split(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char host[LISTENER_HOST];
		struct err e = { 0 };
		int port;
		bool ok = listener_split(rows[i].text, host, &port, &e);
		assert_string_equal(e.text, rows[i].why);
		assert_int_equal(ok, rows[i].host != NULL);
		if (!ok)
			continue;
		assert_string_equal(host, rows[i].host);
		assert_int_equal(port, rows[i].port);
	}
}

static void test_taken(void **state)
{
	(void)state;
	struct err e = { 0 };
	char text[32], want[100];
	struct listener first, again;
	assert_true(listener_open(&first, "127.0.0.1:0", NULL, "", &e));
	assert_true(first.fd >= 0 && first.port > 0);
	snprintf(text, sizeof text, "127.0.0.1:%d", first.port);
	snprintf(want, sizeof want,
		"cannot listen on '%s': Address already in use", text);
	assert_false(listener_open(&again, text, NULL, "", &e));
	assert_string_equal(e.text, want);
	listener_wipe(&first);
	close(first.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_taken),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
