/* test_view_strips.c - a window of a timeline as JSON: relative starts, indices of
 * names, names that are added up, and strips that are not shown. */
#include "strips.h"
#include "view.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static struct strip list[] = {
	{ .kind = STRIP_RANGES,
		.device = -1,
		.stream = -1,
		.thread = "4712",
		.depth = 1,
		.items = { 0, 1 } },
	{ .kind = STRIP_STREAM, .device = 0, .stream = 7, .items = { 1, 4 } },
	{ .kind = STRIP_STREAM, .device = 0, .stream = 8, .items = { 4, 5 } },
	{ .kind = STRIP_STREAM, .device = 1, .stream = 7, .items = { 5, 5 } },
};
static struct strip_name names[] = {
	{ "relu", STRIP_NAME_KERNEL },
	{ "gemm", STRIP_NAME_KERNEL },
	{ "rare", STRIP_NAME_KERNEL },
	{ "step", STRIP_NAME_RANGE },
};
static const struct strips strips = { .list = list,
	.n = 4,
	.names = names,
	.names_n = 4,
	.end_ns = 500,
	.deeper = 3 };

static struct strip_segment segments[] = {
	{ 100, 300, 300, 1, 3 },
	{ 110, 40, 30, 4, 1 },
	{ 200, 20, 20, 1, 2 },
};
static struct slice of_strip[] = { { 0, 1 }, { 1, 3 }, { 3, 3 }, { 3, 3 } };
static bool shown[] = { true, true, false, false };
static struct strip_total totals[] = {
	{ 1, STRIP_NAME_KERNEL, 4, 30 },
	{ (uint32_t)STRIPS_OTHERS, STRIP_NAME_KERNEL, 2, 20 },
	{ 3, STRIP_NAME_RANGE, 1, 300 },
};
static const struct strips_window window = { .from_ns = 50,
	.to_ns = 450,
	.bin_ns = 50,
	.segments = segments,
	.of_strip = of_strip,
	.shown = shown,
	.totals = totals,
	.totals_n = 3 };

static const char want[] =
	"{\"run\":9,\"end_ns\":500,\"from_ns\":50,\"to_ns\":450,\"bin_ns\":50,"
	"\"names\":["
	"{\"kind\":\"kernel\",\"id\":12,\"name\":\"gemm\",\"count\":4,"
	"\"time_ns\":30},"
	"{\"kind\":\"kernel\",\"id\":null,\"name\":null,\"count\":2,"
	"\"time_ns\":20},"
	"{\"kind\":\"range\",\"id\":null,\"name\":\"step\",\"count\":1,"
	"\"time_ns\":300}],"
	"\"strips\":["
	"{\"kind\":\"ranges\",\"device\":null,\"stream\":null,"
	"\"thread\":\"4712\",\"depth\":1,\"start_ns\":[100],\"dur_ns\":[300],"
	"\"busy_ns\":[300],\"count\":[1],\"name\":[2]},"
	"{\"kind\":\"stream\",\"device\":0,\"stream\":7,\"thread\":null,"
	"\"depth\":0,\"start_ns\":[110,90],\"dur_ns\":[40,20],"
	"\"busy_ns\":[30,20],\"count\":[4,1],\"name\":[0,1]}],"
	"\"strips_total\":3,\"deeper_ranges\":3}";

static void test_window(void **state)
{
	(void)state;
	const struct view_strips v = { .run = 9,
		.strips = &strips,
		.window = &window,
		.ids = (const int64_t[]){ 12, -1, -1 },
		.texts = (const char *const[]){ "gemm", NULL, "step" } };
	json_t *answer = view_strips(&v);
	char *text = json_dumps(answer, JSON_COMPACT);
	assert_string_equal(text, want);
	free(text);
	json_decref(answer);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_window) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
