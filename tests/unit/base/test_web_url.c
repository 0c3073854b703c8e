/* test_web_url.c - tests which URLs are parsed and which are rejected. */
#include "web_url.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const struct {
	const char *url, *host;
	int port;
	bool tls;
} good[] = {
	{ "https://ci.example/hook?a=b@c:d", "ci.example", 443, true },
	{ "HTTP://CI.Example:8080", "ci.example", 8080, false },
	{ "http://ci.example?x", "ci.example", 80, false },
	{ "https://[2001:DB8::1]:443/", "2001:db8::1", 443, true },
	{ "http://10.1.2.3/", "10.1.2.3", 80, false },
	{ "https://xn--bcher-kva.example:65535/", "xn--bcher-kva.example",
		65535, true },
	/* An unusual form of an address is still one host. The host is checked
	 * when it is called. */
	{ "http://0x7f.1/", "0x7f.1", 80, false },
	{ "http://2130706433/", "2130706433", 80, false },
};

static const struct {
	const char *url, *sentence;
} bad[] = {
	{ "", "url: '' begins neither with http:// nor with https://" },
	{ "ftp://a/", "url: 'ftp://a/' begins neither with http:// nor with "
		      "https://" },
	{ "file:///etc/passwd", "url: 'file:///etc/passwd' begins neither with "
				"http:// nor with https://" },
	{ "https:/a", "url: 'https:/a' begins neither with http:// nor with "
		      "https://" },
	{ "http://", "url: '' is not a host" },
	{ "http:///a", "url: '' is not a host" },
	{ "http://?a", "url: '' is not a host" },
	{ "http://a;b/", "url: 'a;b' is not a host" },
	{ "http://[::1/", "url: '[::1' is not a host" },
	{ "http://[::1]a/", "url: '[::1]a' is not a host" },
	{ "http://[fe80::1%25eth0]/", "url: '[fe80::1%25eth0]' is not a host" },
	{ "http://[]/", "url: '[]' is not a host" },
	{ "http://a%2eb/", "url: 'a%2eb' is not a host" },
	{ "http://u:p@a/", "url: holds a user name or a password; what is sent "
			   "is signed instead" },
	{ "http://a@/", "url: holds a user name or a password; what is sent "
			"is signed instead" },
	{ "http://a:22/", "url: port '22' is none of 80, 443 and 1024 to "
			  "65535" },
	{ "http://a:0/", "url: port '0' is none of 80, 443 and 1024 to 65535" },
	{ "http://a:65536/", "url: port '65536' is none of 80, 443 and 1024 to "
			     "65535" },
	{ "http://a:4294967376/", "url: port '4294967376' is none of 80, 443 "
				  "and 1024 to 65535" },
	{ "http://a:/", "url: port '' is none of 80, 443 and 1024 to 65535" },
	{ "http://a:80b/", "url: port '80b' is none of 80, 443 and 1024 to "
			   "65535" },
	{ "http://a/#b", "url: has a fragment (#\xe2\x80\xa6), which no server "
			 "is sent" },
	{ "http://a/ b", "url: holds a blank, a backslash or a control "
			 "character" },
	{ "http://a\r\nX: y", "url: holds a blank, a backslash or a control "
			      "character" },
	{ "http://a\\b/", "url: holds a blank, a backslash or a control "
			  "character" },
	{ "http://b\xc3\xbc"
	  "cher.example/",
		"url: holds a letter beyond ASCII; write the host as "
		"xn--\xe2\x80\xa6 and the rest as %XX" },
};

static void parts_of_urls(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct err e = { 0 };
		struct web_url u;
		if (!web_url_read(good[i].url, &u, &e))
			fail_msg("%s: %s", good[i].url, e.text);
		assert_string_equal(u.host, good[i].host);
		assert_int_equal(u.port, good[i].port);
		assert_int_equal(u.tls, good[i].tls);
	}
}

static void refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err e = { 0 };
		struct web_url u;
		if (web_url_read(bad[i].url, &u, &e))
			fail_msg("'%s' was taken", bad[i].url);
		assert_string_equal(e.text, bad[i].sentence);
		assert_int_equal(e.code, ERR_INPUT);
	}
}

/* The greatest accepted length, of the URL and of the host. */
static void long_ones(void **state)
{
	static const char head[] = "http://a/";
	char url[WEB_URL_MAX + 2];
	struct err e = { 0 }, f = { 0 };
	struct web_url u;
	(void)state;
	memset(url, 'x', sizeof url);
	memcpy(url, head, sizeof head - 1);
	url[WEB_URL_MAX] = '\0';
	assert_true(web_url_read(url, &u, &e));
	url[WEB_URL_MAX] = 'x';
	url[WEB_URL_MAX + 1] = '\0';
	assert_false(web_url_read(url, &u, &e));
	assert_string_equal(e.text, "url: is longer than 2000 bytes");
	memset(url, 'h', sizeof url);
	memcpy(url, "http://", 7);
	url[7 + WEB_HOST - 1] = '\0';
	assert_true(web_url_read(url, &u, &f));
	url[7 + WEB_HOST - 1] = 'h';
	url[7 + WEB_HOST] = '\0';
	assert_false(web_url_read(url, &u, &f));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(parts_of_urls),
		cmocka_unit_test(refused), cmocka_unit_test(long_ones) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
