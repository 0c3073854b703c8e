/* test_outward.c - tests addresses of every kind, with and without permission
 * to call addresses that are not public. */
#include "outward.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static bool may(const char *list, const char *host, const char *at,
	struct err *e)
{
	struct sockaddr_in in4 = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
	if (inet_pton(AF_INET, at, &in4.sin_addr) == 1)
		return outward_may(list, host, (struct sockaddr *)&in4, e);
	assert_int_equal(inet_pton(AF_INET6, at, &in6.sin6_addr), 1);
	return outward_may(list, host, (struct sockaddr *)&in6, e);
}

/* The first and last address of every network that is not public. */
static const struct {
	const char *at;
	bool ok;
} rows[] = {
	{ "1.0.0.0", true },
	{ "0.255.255.255", false },
	{ "0.0.0.0", false },
	{ "9.255.255.255", true },
	{ "10.0.0.0", false },
	{ "10.255.255.255", false },
	{ "11.0.0.0", true },
	{ "100.63.255.255", true },
	{ "100.64.0.0", false },
	{ "100.127.255.255", false },
	{ "100.128.0.0", true },
	{ "127.0.0.1", false },
	{ "127.255.255.255", false },
	{ "169.253.255.255", true },
	{ "169.254.169.254", false },
	{ "172.15.255.255", true },
	{ "172.16.0.0", false },
	{ "172.31.255.255", false },
	{ "172.32.0.0", true },
	{ "192.0.0.8", false },
	{ "192.0.1.0", true },
	{ "192.0.2.1", false },
	{ "192.88.99.1", false },
	{ "192.167.255.255", true },
	{ "192.168.0.1", false },
	{ "198.17.255.255", true },
	{ "198.18.0.0", false },
	{ "198.19.255.255", false },
	{ "198.51.100.7", false },
	{ "203.0.113.7", false },
	{ "223.255.255.255", true },
	{ "224.0.0.1", false },
	{ "239.1.1.1", false },
	{ "240.0.0.1", false },
	{ "255.255.255.255", false },
	{ "8.8.8.8", true },
	{ "::", false },
	{ "::1", false },
	{ "::2", false },
	{ "::8.8.8.8", false },
	/* IPv4 inside IPv6 is treated as IPv4 */
	{ "::ffff:8.8.8.8", true },
	{ "::ffff:127.0.0.1", false },
	{ "::ffff:10.1.2.3", false },
	{ "64:ff9b::8.8.8.8", true },
	{ "64:ff9b::169.254.169.254", false },
	{ "64:ff9b:1::8.8.8.8", false },
	/* tunnels: 6to4, Teredo */
	{ "2002:808:808::1", false },
	{ "2002:7f00:1::1", false },
	{ "2001:0:1::1", false },
	{ "2001:1ff:ffff::1", false },
	{ "2001:200::1", true },
	{ "2001:db8::1", false },
	{ "2606:4700::1111", true },
	{ "3ffe::1", true },
	{ "3fff::1", false },
	{ "3fff:fff:ffff::", false },
	{ "4000::1", false },
	{ "1fff::1", false },
	{ "100::1", false },
	{ "5f00::1", false },
	{ "fc00::1", false },
	{ "fd12:3456::1", false },
	{ "fe80::1", false },
	{ "fec0::1", false },
	{ "ff02::1", false },
};

static void public_ones(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err e = { 0 };
		if (may("", "ci.example", rows[i].at, &e) != rows[i].ok)
			fail_msg("%s: %s", rows[i].at,
				rows[i].ok ? e.text : "may be called");
	}
}

static void sentences(void **state)
{
	struct err e = { 0 }, f = { 0 }, g = { 0 };
	struct sockaddr unix_ = { .sa_family = AF_UNIX };
	(void)state;
	assert_false(may("", "ci.example", "::ffff:10.1.2.3", &e));
	assert_string_equal(e.text, "'ci.example' leads to 10.1.2.3, which is "
				    "no public address; see --webhook-private");
	assert_int_equal(e.code, ERR_FORBIDDEN);
	assert_false(may("", "a", "fe80::1", &f));
	assert_string_equal(f.text, "'a' leads to fe80::1, which is no public "
				    "address; see --webhook-private");
	assert_false(outward_may("", "a", &unix_, &g));
	assert_string_equal(g.text, "'a' leads to ?, which is no public "
				    "address; see --webhook-private");
}

static const struct {
	const char *list, *host, *at;
	bool ok;
} leave[] = {
	{ "10.0.0.0/8", "a", "10.9.8.7", true },
	{ "10.0.0.0/8", "a", "11.0.0.0", true },
	{ "10.0.0.0/8", "a", "192.168.1.1", false },
	{ "10.0.0.0/8", "a", "::ffff:10.9.8.7", true },
	{ "10.0.0.0/8", "a", "64:ff9b::10.9.8.7", true },
	{ "10.1.2.0/23", "a", "10.1.3.255", true },
	{ "10.1.2.0/23", "a", "10.1.4.0", false },
	{ "10.1.2.3", "a", "10.1.2.3", true },
	{ "10.1.2.3", "a", "10.1.2.4", false },
	{ "127.0.0.1, fd00::/8", "a", "fd12::1", true },
	{ "127.0.0.1, fd00::/8", "a", "127.0.0.1", true },
	{ "127.0.0.1, fd00::/8", "a", "127.0.0.2", false },
	{ "fd00::/8", "a", "fc00::1", false },
	{ "0.0.0.0/0", "a", "127.0.0.1", true },
	{ "0.0.0.0/0", "a", "::1", false },
	{ "::/0", "a", "::1", true },
	{ "ci.corp", "ci.corp", "10.0.0.1", true },
	{ "ci.corp", "CI.corp", "127.0.0.1", true },
	{ "ci.corp", "xci.corp", "10.0.0.1", false },
	{ "ci.corp", "ci.corp.evil.example", "10.0.0.1", false },
	{ ".corp", "ci.corp", "10.0.0.1", true },
	{ ".corp", "a.b.corp", "10.0.0.1", true },
	{ ".corp", "corp", "10.0.0.1", false },
	{ ".corp", "evilcorp", "10.0.0.1", false },
};

static void listed_ones(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof leave / sizeof *leave; i++) {
		struct err e = { 0 };
		if (may(leave[i].list, leave[i].host, leave[i].at, &e) !=
			leave[i].ok)
			fail_msg("%s, %s at %s: %s", leave[i].list,
				leave[i].host, leave[i].at,
				leave[i].ok ? e.text : "may be called");
	}
}

static void lists(void **state)
{
	static const char *const bad[] = { "10.0.0.0/33", "10.0.0.0/",
		"10.0.0.0/8x", "10.0.0.0/-1", "fd00::/129", "a/b", "http://a",
		"a,ci:8080", ".", "b\xc3\xbc" };
	(void)state;
	struct err e = { 0 };
	assert_true(outward_list("", &e));
	assert_true(outward_list(" ci.corp ,10.0.0.0/8,,.corp, fd00::/8 ", &e));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err why = { 0 };
		if (outward_list(bad[i], &why))
			fail_msg("'%s' was taken", bad[i]);
	}
	assert_false(outward_list("ci.corp, 10.0.0.0/33", &e));
	assert_string_equal(e.text, "--webhook-private has '10.0.0.0/33', "
				    "which is no name, no address and no "
				    "network such as 10.0.0.0/8");
	assert_int_equal(e.code, ERR_INPUT);
}

static void names_are_checked_without_a_lookup(void **state)
{
	struct err e = { 0 }, f = { 0 }, g = { 0 }, h = { 0 }, i = { 0 };
	(void)state;
	assert_false(outward_named("", "localhost", &e));
	assert_string_equal(e.text, "'localhost' leads to 127.0.0.1, which is "
				    "no public address; see --webhook-private");
	assert_false(outward_named("", "A.localhost", &f));
	assert_false(outward_named("", "169.254.169.254", &g));
	assert_false(outward_named("", "::1", &h));
	assert_true(outward_named("localhost", "localhost", &i));
	assert_true(outward_named("", "ci.example", &i));
	assert_true(outward_named("", "8.8.8.8", &i));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(public_ones),
		cmocka_unit_test(sentences), cmocka_unit_test(listed_ones),
		cmocka_unit_test(lists),
		cmocka_unit_test(names_are_checked_without_a_lookup) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
