/* test_number.c - tests that digits become times and counts; the expected
 * values are worked out by hand. */
#include "fixture.h"
#include "number.h"

/* The text before a comma, and how it is read. */
struct row {
	const char *text;
	enum number_kind kind;
	int64_t value;
};

static const struct row microseconds[] = {
	{ "0", NUMBER_OK, 0 },
	{ "1", NUMBER_OK, 1000 },
	{ "1.5", NUMBER_OK, 1500 },
	{ "1.25", NUMBER_OK, 1250 },
	{ "1.234", NUMBER_OK, 1234 },
	{ "12345678", NUMBER_OK, 12345678000 },
	{ "1234567.875", NUMBER_OK, 1234567875 },
	/* sixteen digits and decimals, which a double would lose */
	{ "1606910596288053.123", NUMBER_OK, 1606910596288053123 },
	{ "1755848102123456.789", NUMBER_OK, 1755848102123456789 },
	{ "1755848102123456.7894", NUMBER_OK, 1755848102123456789 },
	{ "1755848102123456.78950", NUMBER_OK, 1755848102123456790 },
	{ "1755848102123456.78949999", NUMBER_OK, 1755848102123456789 },
	{ "17558481021234567894e-4", NUMBER_OK, 1755848102123456789 },
	{ "17558481021234567895e-4", NUMBER_OK, 1755848102123456790 },
	/* below a nanosecond: half away from zero */
	{ "0.0004", NUMBER_OK, 0 },
	{ "0.0005", NUMBER_OK, 1 },
	{ "0.00049999999999999999999999", NUMBER_OK, 0 },
	{ "2.9999", NUMBER_OK, 3000 },
	{ "-0.0005", NUMBER_OK, -1 },
	{ "-0.0004", NUMBER_OK, 0 },
	{ "-1.5", NUMBER_OK, -1500 },
	{ "3.1234", NUMBER_OK, 3123 },
	{ "3.1235", NUMBER_OK, 3124 },
	/* exponents */
	{ "1e3", NUMBER_OK, 1000000 },
	{ "1.5E+2", NUMBER_OK, 150000 },
	{ "15e-1", NUMBER_OK, 1500 },
	{ "1e-9999999999", NUMBER_OK, 0 },
	{ "0e999999", NUMBER_OK, 0 },
	{ "1.606910596288053e15", NUMBER_OK, 1606910596288053000 },
	/* as text */
	{ "\"1.5\"", NUMBER_OK, 1500 },
	{ "\"1e3\"", NUMBER_OK, 1000000 },
	/* 2^63 nanoseconds are 9223372036854775.808 us */
	{ "9223372036854774", NUMBER_OK, 9223372036854774000 },
	{ "9223372036854775.807", NUMBER_OK, INT64_MAX },
	{ "9223372036854775.8074", NUMBER_OK, INT64_MAX },
	{ "9223372036854775.8075", NUMBER_HUGE, 0 },
	{ "9300000000000000", NUMBER_HUGE, 0 },
	{ "99999999999999999999", NUMBER_HUGE, 0 },
	{ "-99999999999999999999", NUMBER_HUGE, 0 },
	{ "1e300", NUMBER_HUGE, 0 },
	{ "1e99999999999999", NUMBER_HUGE, 0 },
	/* not numbers */
	{ "NaN", NUMBER_NONE, 0 },
	{ "Infinity", NUMBER_NONE, 0 },
	{ "null", NUMBER_NONE, 0 },
	{ "true", NUMBER_NONE, 0 },
	{ "\"\"", NUMBER_NONE, 0 },
	{ "\"1.5 us\"", NUMBER_NONE, 0 },
	{ "\"stream 7\"", NUMBER_NONE, 0 },
	{ "[1]", NUMBER_NONE, 0 },
	{ "{\"a\":1}", NUMBER_NONE, 0 },
	{ "1x", NUMBER_NONE, 0 },
	{ "-", NUMBER_NONE, 0 },
	{ ".5", NUMBER_NONE, 0 },
};

static const struct row counts[] = {
	{ "0", NUMBER_OK, 0 },
	{ "-1", NUMBER_OK, -1 },
	{ "123456789012345678", NUMBER_OK, 123456789012345678 },
	{ "1234567890123456789", NUMBER_OK, 1234567890123456789 },
	{ "9223372036854775807", NUMBER_OK, INT64_MAX },
	{ "9223372036854775808", NUMBER_HUGE, 0 },
	{ "-9223372036854775807", NUMBER_OK, -INT64_MAX },
	{ "18446744073709551615", NUMBER_HUGE, 0 },
	{ "1.0", NUMBER_OK, 1 },
	{ "1.5", NUMBER_OK, 2 },
	{ "-1.5", NUMBER_OK, -2 },
	{ "\"128\"", NUMBER_OK, 128 },
	{ "\"0x0\"", NUMBER_NONE, 0 },
	{ "1e2", NUMBER_OK, 100 },
};

typedef const char *reader(struct scan *, const char *, struct number *);

static const char *read_ns(struct scan *s, const char *p, struct number *n)
{
	return number_ns(s, p, n);
}

static const char *read_int(struct scan *s, const char *p, struct number *n)
{
	return number_int(s, p, n);
}

static void same(reader *read, const struct row *r)
{
	static const char *const after[] = { ",", "}", "]", " ", "\n" };
	for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
		char text[128];
		struct padded room;
		struct number n;
		int len =
			snprintf(text, sizeof text, "%s%s1", r->text, after[i]);
		const char *p = pad(&room, text, (size_t)len);
		struct scan s = { .end = p + len };
		const char *q = read(&s, p, &n);
		if (q != p + strlen(r->text))
			fail_msg("'%s': stops at '%s'", text, q ? q : s.at);
		if (n.kind != r->kind || n.value != r->value)
			fail_msg("'%s': %d %lld", text, n.kind,
				(long long)n.value);
	}
}

static void test_microseconds(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof microseconds / sizeof *microseconds; i++)
		same(read_ns, &microseconds[i]);
}

static void test_counts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		same(read_int, &counts[i]);
}

/* A number at the end of the text is read again with more text. */
static void test_cut(void **state)
{
	static const char *const cut[] = { "\"12", "[1", "{" };
	(void)state;
	for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
		struct padded room;
		struct number n;
		const char *p = pad(&room, cut[i], strlen(cut[i]));
		struct scan s = { .end = p + strlen(cut[i]) };
		assert_null(number_ns(&s, p, &n));
		assert_true(s.at >= s.end);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_microseconds),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
