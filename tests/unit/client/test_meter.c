/* test_meter.c - tests progress lines at every width. */
#include "meter.h"
#include "utf8.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

enum { MIB = 1024 * 1024 };

static void test_words(void **state)
{
	(void)state;
	static const struct {
		int64_t bytes;
		const char *text;
	} sizes[] = { { 0, "0 B" }, { 1023, "1023 B" }, { 1024, "1.0 KiB" },
		{ 1536, "1.5 KiB" }, { 1048575, "1.0 MiB" },
		{ INT64_C(55) << 30, "55.0 GiB" },
		{ INT64_C(3000) << 40, "3000.0 TiB" } };
	static const struct {
		int64_t seconds;
		const char *text;
	} times[] = { { 0, "0:00" }, { 7, "0:07" }, { 754, "12:34" },
		{ 10809, "3:00:09" } };
	char out[METER_WORD];
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		meter_bytes(out, sizes[i].bytes);
		assert_string_equal(out, sizes[i].text);
	}
	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		meter_time(out, times[i].seconds);
		assert_string_equal(out, times[i].text);
	}
}

static const struct meter_progress half = { "run.json", "", 5 * MIB, 10 * MIB,
	MIB };
static const struct meter_progress pipe_in = { "stdin", "", 5 * MIB, -1, MIB };
static const struct meter_progress decode = { "run.json", "decode", MIB,
	4 * MIB, 0 };
static const struct meter_progress grown = { "run.json", "", 5 * MIB, 4 * MIB,
	MIB };
static const struct meter_progress nothing = { "x", "queued", 0, -1, 0 };
static const struct meter_progress long_one = {
	"a-name-of-thirty-characters.js", "", 5 * MIB, 10 * MIB, MIB
};
static const struct meter_progress accents = { "éééééééééééééééé", "", MIB,
	2 * MIB, 0 };

static void test_lines(void **state)
{
	(void)state;
	/* of `half`: the amount is 26 columns, rate and time left 11 each */
	static const struct {
		const struct meter_progress *p;
		int width;
		const char *line;
	} rows[] = {
		{ &half, 79,
			"run.json  [########.........]   50 %  5.0 MiB of 10.0 "
			"MiB  1.0 MiB/s  0:05 left" },
		{ &half, 200,
			"run.json  [###################...................]   "
			"50 %  5.0 MiB of 10.0 MiB  1.0 MiB/s  0:05 left" },
		{ &half, 59,
			"run.json   50 %  5.0 MiB of 10.0 MiB  1.0 MiB/s  0:05 "
			"left" },
		{ &half, 57,
			"run.json  [###...]   50 %  5.0 MiB of 10.0 MiB  1.0 "
			"MiB/s" },
		{ &half, 40, "run.json   50 %  5.0 MiB of 10.0 MiB" },
		{ &half, 30, "r…   50 %  5.0 MiB of 10.0 MiB" },
		{ &half, 20, " 50 %  5.0 MiB of 10" },
		{ &half, 0, "" },
		{ &half, -1, "" },
		{ &pipe_in, 79, "stdin  5.0 MiB  1.0 MiB/s" },
		{ &decode, 40, "run.…  decode   25 %  1.0 MiB of 4.0 MiB" },
		{ &grown, 79, "run.json  5.0 MiB  1.0 MiB/s" },
		{ &nothing, 79, "x  queued" },
		{ &long_one, 60,
			"a-name-of…   50 %  5.0 MiB of 10.0 MiB  1.0 MiB/s  "
			"0:05 left" },
		{ &accents, 40, "éééééééééééé…   50 %  1.0 MiB of 2.0 MiB" },
	};
	char out[METER_LINE];
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		meter_line(out, rows[i].p, rows[i].width);
		assert_string_equal(out, rows[i].line);
	}
}

static void test_never_wider_and_always_text(void **state)
{
	(void)state;
	const struct meter_progress *all[] = { &half, &pipe_in, &decode, &grown,
		&nothing, &long_one, &accents };
	char out[METER_LINE];
	for (int width = 0; width < 200; width++) {
		for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
			meter_line(out, all[i], width);
			int columns = 0;
			for (const char *c = out; *c; c++)
				columns += ((unsigned char)*c & 0xc0) != 0x80;
			assert_true(columns <= width);
			assert_true(utf8_valid(out, strlen(out)));
		}
	}
}

static void test_pace(void **state)
{
	(void)state;
	struct meter_pace p;
	p = METER_PACE;
	assert_int_equal(meter_pace_add(&p, 1000, 0), 0);
	assert_int_equal(meter_pace_add(&p, 1050, 500),
		0); /* too early for an estimate */
	assert_int_equal(meter_pace_add(&p, 2000, 1000), 1000);
	/* 3 s at 3,000 weigh as much as all earlier data: (1000 + 3000) / 2 */
	assert_int_equal(meter_pace_add(&p, 5000, 10000), 2000);
	/* a stall of 3 s halves it */
	assert_int_equal(meter_pace_add(&p, 8000, 10000), 1000);
	/* a new attempt starts from zero */
	assert_int_equal(meter_pace_add(&p, 9000, 10), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_never_wider_and_always_text),
		cmocka_unit_test(test_pace),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
