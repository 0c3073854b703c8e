/* test_address.c - tests addresses, including bytes that could escape from
 * them. */
#include "address.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void test_servers(void **state)
{
	(void)state;
	static const struct {
		const char *server;
		bool local;
	} rows[] = {
		{ "http://127.0.0.1:8080", true },
		{ "HTTPS://LocalHost/", true },
		{ "http://[::1]:80/base", true },
		{ "http://localhost.example.com", false },
		{ "https://gpu.example.com/kernsift", false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_int_equal(address_is_local(rows[i].server),
			rows[i].local);
}

static void assert_send(const struct options *o, const char *file,
	const char *wanted)
{
	struct buf b;
	buf_init(&b, ADDRESS_MAX);
	address_send(&b, o, file);
	assert_string_equal(b.at, wanted);
	buf_release(&b);
}

static void test_send(void **state)
{
	(void)state;
	const char *labels[] = { "a b=c&d", "branch==x", "\xc3\xa9=" };
	struct options o = { .server = "http://h/base//",
		.project = "",
		.workload = "",
		.name = "",
		.job = "",
		.gpu_hours = "" };
	assert_send(&o, NULL, "http://h/base/api/v1/uploads");
	assert_send(&o, "x.json", "http://h/base/api/v1/uploads?file=x.json");
	o.project = "p/q?r#s%";
	o.workload = "100% \n+";
	o.name = "-._~";
	o.job = "j";
	o.gpu_hours = "1.5";
	o.label = (struct text_list){ labels, 3 };
	assert_send(&o, "a b.json",
		"http://h/base/api/v1/uploads?project=p%2Fq%3Fr%23s%25"
		"&workload=100%25%20%0A%2B&name=-._~&job=j&gpu_hours=1.5"
		"&file=a%20b.json&label.a%20b=c%26d&label.branch=%3Dx"
		"&label.%C3%A9=");
}

static void test_compare(void **state)
{
	(void)state;
	const char *sides[] = { "1,2", "job:3" };
	struct options o = { .server = "http://h",
		.score = "verdict",
		.range = "",
		.noise_floor = "",
		.margin = "",
		.seed = "",
		.files = { sides, 2 } };
	struct buf b;
	buf_init(&b, ADDRESS_MAX);
	address_compare(&b, &o, "json");
	assert_string_equal(b.at,
		"http://h/api/v1/compare?base=1%2C2&head=job%3A3"
		"&score=verdict&format=json");
	buf_release(&b);
	o.range = "step #";
	o.noise_floor = "0.1";
	o.margin = "0.02";
	o.seed = "7";
	buf_init(&b, ADDRESS_MAX);
	address_compare(&b, &o, "md");
	assert_string_equal(b.at,
		"http://h/api/v1/compare?base=1%2C2&head=job%3A3"
		"&score=verdict&format=md&range=step%20%23&noise_floor=0.1"
		"&margin=0.02&seed=7&site=http%3A%2F%2Fh");
	buf_release(&b);
}

/* Only a query is replaced by the runs that it selected. */
static void test_compare_page(void **state)
{
	static const struct {
		const char *base, *head, *query;
	} rows[] = {
		{ "1", "2,3", "base=1&head=2%2C3" },
		{ "job:3", "label.commit=x", "base=job%3A3&head=8%2C9" },
		{ "last=2", "latest", "base=7&head=8%2C9" },
		{ "1 ", "job=3", "base=7&head=8%2C9" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *sides[] = { rows[i].base, rows[i].head };
		struct options o = { .server = "http://h",
			.score = "verdict",
			.range = "",
			.noise_floor = "",
			.margin = "",
			.seed = "7",
			.files = { sides, 2 } };
		char wanted[100];
		struct buf b;
		buf_init(&b, ADDRESS_MAX);
		address_compare_page(&b, &o, "7", "8,9");
		snprintf(wanted, sizeof wanted, "http://h/compare?%s&seed=7",
			rows[i].query);
		assert_string_equal(b.at, wanted);
		buf_release(&b);
	}
}

static void test_fusions(void **state)
{
	(void)state;
	static const char *labels[] = { "branch=a b", "x&y=" };
	struct options o = { .server = "http://h/",
		.project = "",
		.workload = "" };
	struct buf b;
	buf_init(&b, ADDRESS_MAX);
	address_fusions(&b, &o, "json");
	assert_string_equal(b.at,
		"http://h/api/v1/importance/fusions?format=json");
	buf_release(&b);
	o.project = "p/q";
	o.workload = "w";
	o.label = (struct text_list){ labels, 2 };
	buf_init(&b, ADDRESS_MAX);
	address_fusions(&b, &o, "md");
	assert_string_equal(b.at,
		"http://h/api/v1/importance/fusions?project=p%2Fq&workload=w"
		"&format=md&label.branch=a%20b&label.x%26y=");
	buf_release(&b);
}

static void test_devices(void **state)
{
	(void)state;
	static const char *labels[] = { "branch=a b" };
	struct options o = { .server = "http://h/",
		.project = "",
		.workload = "",
		.framework = "",
		.platform = "",
		.since = "",
		.until = "",
		.verdict = "any" };
	struct buf b;
	buf_init(&b, ADDRESS_MAX);
	address_devices(&b, &o, "json");
	assert_string_equal(b.at,
		"http://h/api/v1/devices?format=json&limit=10000");
	buf_release(&b);
	o.project = "p/q";
	o.workload = "w";
	o.framework = "a b";
	o.platform = "H20";
	o.since = "2026-11-01T00:00:00+01:00";
	o.until = "2026-12-01";
	o.verdict = "not_slow";
	o.label = (struct text_list){ labels, 1 };
	buf_init(&b, ADDRESS_MAX);
	address_devices(&b, &o, "csv");
	assert_string_equal(b.at,
		"http://h/api/v1/devices?project=p%2Fq&workload=w"
		"&framework=a%20b&platform=H20"
		"&since=2026-11-01T00%3A00%3A00%2B01%3A00&until=2026-12-01"
		"&verdict=not_slow&format=csv&label.branch=a%20b");
	buf_release(&b);
}

static void test_runs(void **state)
{
	(void)state;
	const struct options o = { .server = "https://h/",
		.project = "a b",
		.since = "2026-11-01" };
	struct buf b;
	buf_init(&b, ADDRESS_MAX);
	address_runs(&b, &o, 50, "1=2");
	assert_string_equal(b.at,
		"https://h/api/v1/runs?project=a%20b&since=2026-11-01&limit=50"
		"&cursor=1%3D2");
	buf_release(&b);
}

/* Only Markdown has a link to the page. */
static void test_diagnosis(void **state)
{
	(void)state;
	struct options o = { .server = "https://h/p/", .format = "json" };
	struct buf b;
	buf_init(&b, ADDRESS_MAX);
	address_diagnosis(&b, &o, 7);
	assert_string_equal(b.at, "https://h/p/api/v1/runs/7/diagnosis");
	buf_release(&b);
	o.format = "md";
	buf_init(&b, ADDRESS_MAX);
	address_diagnosis(&b, &o, 7);
	assert_string_equal(b.at,
		"https://h/p/api/v1/runs/7/diagnosis?format=md"
		"&site=https%3A%2F%2Fh%2Fp");
	buf_release(&b);
}

static void test_shown(void **state)
{
	(void)state;
	struct buf b;
	buf_init(&b, ADDRESS_MAX);
	address_upload(&b, "https://h/", 9007199254740993);
	buf_puts(&b, " ");
	address_run(&b, "https://h", 7);
	assert_string_equal(b.at,
		"https://h/api/v1/uploads/9007199254740993 https://h/runs/7");
	buf_release(&b);
	buf_init(&b, ADDRESS_MAX);
	address_named(&b, "https://h/",
		"/api/v1/reference-sets?name=", "a&b c");
	buf_puts(&b, " ");
	address_named(&b, "https://h/", "/importance?reference_set=", "a&b c");
	assert_string_equal(b.at,
		"https://h/api/v1/reference-sets?name=a%26b%20c "
		"https://h/importance?reference_set=a%26b%20c");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_servers),
		cmocka_unit_test(test_send),
		cmocka_unit_test(test_compare),
		cmocka_unit_test(test_compare_page),
		cmocka_unit_test(test_fusions),
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_diagnosis),
		cmocka_unit_test(test_shown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
