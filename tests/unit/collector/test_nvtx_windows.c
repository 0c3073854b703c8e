/* test_nvtx_windows.c - tests ranges that begin or end outside a window. */
#include "nvtx_rows.h"

enum { PUSHED = KST_RANGE_ANNOTATION, LOOSE = KST_RANGE_LOOSE };

/* Returns a moment that is later than now. */
static int64_t later(void)
{
	int64_t now = clock_real_ns();
	while (clock_real_ns() <= now + 1000)
		;
	return clock_real_ns();
}

static void between(int at, const char *name, int64_t start_from,
	int64_t start_to, int64_t end_from, int64_t end_to)
{
	captured_is(at, PUSHED, name, "", "");
	const struct kst_range *r = &captured.rows[at].row;
	assert_in_range(r->start_ns, start_from, start_to);
	assert_in_range(r->start_ns + r->dur_ns, end_from, end_to);
}

static void test_open_before_and_after(void **state)
{
	(void)state;
	nvtxRangePushA("outer");
	nvtxRangePushA("gone");
	nvtxRangePop();
	int64_t a = later();
	nvtx_record(true);
	int64_t b = later();
	nvtxRangePushA("inner");
	nvtxRangePop();
	nvtxRangePushA("last");
	int64_t c = later();
	nvtx_record(false);
	int64_t d = later();
	nvtxRangePushA("too late");
	nvtxRangePop();
	/* it ended after the window and before the drain: complete */
	nvtxRangePop();
	nvtxRangePushA("too late as well");
	int64_t e = later();
	nvtx_drain(NULL, true);
	assert_int_equal(captured.n, 3);
	between(0, "inner", b, c, b, c);
	between(1, "last", b, c, d, e);
	between(2, "outer", a, b, c, d);
	assert_int_equal(captured.cut, 1);
	/* it is not written again */
	nvtxRangePop();
	nvtxRangePop();
	nvtx_drain(NULL, true);
	assert_int_equal(captured.n, 3);
}

static void test_open_through_two_windows(void **state)
{
	(void)state;
	int64_t a = later();
	nvtx_record(true);
	nvtxRangePushA("long");
	nvtxRangePushA("until between");
	int64_t b = later();
	captured_close();
	int64_t c = later();
	assert_int_equal(captured.n, 2);
	between(0, "long", a, b, b, c);
	between(1, "until between", a, b, b, c);
	nvtxRangePop();
	nvtxRangePushA("from between");
	int64_t d = later();
	nvtx_record(true);
	int64_t e = later();
	nvtxRangePop();
	int64_t f = later();
	captured_close();
	int64_t g = later();
	assert_int_equal(captured.n, 4);
	between(2, "from between", d, e, e, f);
	between(3, "long", d, e, f, g);
	assert_int_equal(captured.cut, 4);
	nvtxRangePop();
	nvtx_record(true);
	captured_close();
	assert_int_equal(captured.n, 4);
}

static void test_ends_in_a_later_window(void **state)
{
	(void)state;
	nvtx_record(true);
	nvtxRangePushA("long");
	captured_close();
	int64_t a = later();
	nvtx_record(true);
	int64_t b = later();
	nvtxRangePop();
	int64_t c = later();
	captured_close();
	assert_int_equal(captured.n, 2);
	between(1, "long", a, b, b, c);
}

/* A file that ends in the middle of a window. */
static void test_all_within_a_window(void **state)
{
	(void)state;
	nvtx_record(true);
	nvtxRangePushA("long");
	int64_t a = later();
	nvtx_drain(NULL, true);
	int64_t b = later();
	nvtxRangePop();
	int64_t c = later();
	captured_close();
	assert_int_equal(captured.n, 2);
	between(1, "long", a, b, b, c);
	assert_int_equal(captured.rows[0].row.start_ns +
				 captured.rows[0].row.dur_ns,
		captured.rows[1].row.start_ns);
}

static void *ends_with_open_ranges(void *ctx)
{
	int64_t *at = ctx;
	nvtxRangePushA("one");
	nvtxRangePushA("two");
	nvtxRangePop();
	*at = later();
	return NULL;
}

static void in_a_thread(void *(*f)(void *), void *ctx)
{
	pthread_t id;
	assert_int_equal(pthread_create(&id, NULL, f, ctx), 0);
	assert_int_equal(pthread_join(id, NULL), 0);
}

static void test_thread_ends_with_open_ranges(void **state)
{
	int64_t at = 0;
	(void)state;
	int64_t a = later();
	nvtx_record(true);
	in_a_thread(ends_with_open_ranges, &at);
	int64_t b = later();
	nvtx_drain(NULL, false);
	assert_int_equal(captured.n, 2);
	between(0, "two", a, at, a, at);
	between(1, "one", a, at, at, b);
	assert_int_not_equal(atol(captured.rows[0].thread),
		syscall(SYS_gettid));
	assert_string_equal(captured.rows[0].thread, captured.rows[1].thread);
	captured_close();
	assert_int_equal(captured.n, 2);
}

static void test_loose(void **state)
{
	(void)state;
	assert_int_equal(nvtxRangeStartA("before"), 0);
	nvtx_record(true);
	nvtxRangeId_t a = nvtxRangeStartA("never ended");
	nvtxRangeId_t b = nvtxRangeStartA("ended behind the window");
	nvtx_record(false);
	nvtxRangeEnd(b);
	nvtx_drain(NULL, true);
	nvtxRangeEnd(a);
	nvtxRangeEnd(0);
	assert_int_equal(captured.n, 2);
	captured_is(0, LOOSE, "ended behind the window", "", "");
	captured_is(1, LOOSE, "never ended", "", "");
	assert_int_equal(captured.cut, 1);
}

static void test_nothing_between_windows(void **state)
{
	(void)state;
	for (int i = 0; i < 100000; i++) {
		nvtxRangePushA("aten::mm");
		nvtxRangePop();
		nvtxMarkA("mark");
	}
	nvtx_drain(NULL, false);
	nvtx_drain(NULL, true);
	assert_int_equal(captured.n + captured.marks + captured.cut, 0);
	assert_int_equal(nvtx_dropped(), 0);
}

static void text_is(uint32_t id, const char *text, const char *domain)
{
	size_t len;
	assert_string_equal(nvtx_text(id, &len), text);
	assert_int_equal(len, strlen(text));
	assert_string_equal(nvtx_domain(id), domain);
}

static void *no_ranges(void *ctx)
{
	uint32_t ids[4];
	*(int *)ctx = nvtx_stack(ids, 4);
	return NULL;
}

/* As if a graph is captured between windows. */
static void test_stack(void **state)
{
	uint32_t ids[4], again[4];
	int n = 0;
	(void)state;
	nvtxDomainHandle_t d = nvtxDomainCreateA("stack");
	nvtxEventAttributes_t a = event(NVTX_MESSAGE_TYPE_REGISTERED,
		nvtxDomainRegisterStringA(d, "registered"));
	in_a_thread(no_ranges, &n);
	assert_int_equal(n, 0);
	assert_int_equal(nvtx_stack(ids, 4), 0);
	nvtxRangePushA("model");
	nvtxDomainRangePushEx(d, &a);
	nvtxRangePushA("aten::mm, sizes = [[4, 4]]");
	assert_int_equal(nvtx_stack(ids, 4), 3);
	text_is(ids[0], "aten::mm, sizes = [[4, 4]]", "");
	text_is(ids[1], "registered", "stack");
	text_is(ids[2], "model", "");
	assert_int_equal(nvtx_stack(again, 2), 2);
	assert_memory_equal(again, ids, 2 * sizeof *ids);
	/* in the middle; a repeated text has the same number */
	nvtxDomainRangePop(d);
	nvtxRangePop();
	nvtx_record(true);
	nvtxRangePushA("aten::mm, sizes = [[4, 4]]");
	assert_int_equal(nvtx_stack(again, 4), 2);
	assert_int_equal(again[0], ids[0]);
	assert_int_equal(again[1], ids[2]);
	nvtxRangePop();
	nvtxRangePop();
	captured_close();
	/* a text with a number is written as text, too */
	captured_is(0, PUSHED, "aten::mm, sizes = [[4, 4]]", "", "");
	captured_is(1, PUSHED, "model", "", "");
	text_is(0, "", "");
}

int main(void)
{
	unsetenv("NVTX_INJECTION64_PATH");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_open_before_and_after,
			captured_end),
		cmocka_unit_test_teardown(test_open_through_two_windows,
			captured_end),
		cmocka_unit_test_teardown(test_ends_in_a_later_window,
			captured_end),
		cmocka_unit_test_teardown(test_all_within_a_window,
			captured_end),
		cmocka_unit_test_teardown(test_thread_ends_with_open_ranges,
			captured_end),
		cmocka_unit_test_teardown(test_loose, captured_end),
		cmocka_unit_test_teardown(test_nothing_between_windows,
			captured_end),
		cmocka_unit_test_teardown(test_stack, captured_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
