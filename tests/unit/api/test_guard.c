/* test_guard.c - which Host and Origin headers are accepted. */
#include "guard.h"
#include "api_state.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

struct headers {
	const char *host, *origin;
};

static const char *header(void *ctx, const char *name)
{
	const struct headers *h = ctx;
	return !strcmp(name, "Host")	 ? h->host
	       : !strcmp(name, "Origin") ? h->origin
					 : NULL;
}

static const struct {
	const char *host, *text;
} hosts[] = {
	{ "localhost", "" },
	{ "LOCALHOST:8080", "" },
	{ "127.0.0.1:8080", "" },
	{ "127.1.2.3", "" },
	{ "[::1]:8080", "" },
	{ "10.1.2.3:8080", "" }, /* the address of the connection */
	{ "gpu.example:8080", "" },
	{ "b.example", "" },
	{ NULL, "the request has no Host header" },
	{ "evil.example",
		"'evil.example' is not a name of this server; see --hosts" },
	{ "gpu.example.evil.example",
		"'gpu.example.evil.example' is not a name of this server; "
		"see --hosts" },
	{ "10.1.2.4", "'10.1.2.4' is not a name of this server; see --hosts" },
	{ "localhost:80x",
		"'localhost:80x' is not a name of this server; see --hosts" },
	{ "localhost.evil.example",
		"'localhost.evil.example' is not a name of this server; see "
		"--hosts" },
	{ "[::1", "'[::1' is not a name of this server; see --hosts" },
	{ "", "'' is not a name of this server; see --hosts" },
	{ ":8080", "':8080' is not a name of this server; see --hosts" },
};

static void test_host(void **state)
{
	(void)state;
	struct api a = { .is.hosts = "gpu.example, b.example" };
	struct sockaddr_in local = { .sin_family = AF_INET };
	inet_pton(AF_INET, "10.1.2.3", &local.sin_addr);
	for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
		struct headers h = { .host = hosts[i].host };
		struct api_request r = { .header = header,
			.ctx = &h,
			.local = (struct sockaddr *)&local };
		struct err e = { 0 };
		assert_int_equal(guard_host(&a, &r, &e), !*hosts[i].text);
		assert_string_equal(e.text, hosts[i].text);
		assert_int_equal(e.code, *hosts[i].text ? ERR_HOST : ERR_NONE);
	}
}

static const struct {
	const char *origin, *text;
} origins[] = {
	{ NULL, "" },
	{ "http://localhost:8080", "" },
	{ "https://LOCALHOST:8080", "" },
	{ "http://localhost:8081",
		"a page of 'http://localhost:8081' may not call this server" },
	{ "http://localhost",
		"a page of 'http://localhost' may not call this server" },
	{ "http://evil.example",
		"a page of 'http://evil.example' may not call this server" },
	{ "null", "a page of 'null' may not call this server" },
	{ "file://localhost:8080",
		"a page of 'file://localhost:8080' may not call this server" },
};

static void test_origin(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof origins / sizeof *origins; i++) {
		const struct api a = { 0 };
		struct headers h = { "localhost:8080", origins[i].origin };
		struct api_request r = { .header = header, .ctx = &h };
		struct err e = { 0 };
		assert_int_equal(guard_origin(&a, &r, &e), !*origins[i].text);
		assert_string_equal(e.text, origins[i].text);
	}
}

/* If browsers use https, a page from http may be an attacker in between. */
static void test_origin_of_https(void **state)
{
	(void)state;
	const struct api a = { .is.tls = true };
	struct headers h = { "gpu.example", "https://gpu.example" };
	struct api_request r = { .header = header, .ctx = &h };
	struct err e = { 0 };
	assert_true(guard_origin(&a, &r, &e));
	h.origin = "http://gpu.example";
	assert_false(guard_origin(&a, &r, &e));
	assert_string_equal(e.text,
		"a page of 'http://gpu.example' may not call this server");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host),
		cmocka_unit_test(test_origin),
		cmocka_unit_test(test_origin_of_https),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
