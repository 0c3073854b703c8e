/* test_nvtx_crowd.c - many threads and full rings: the written and the lost
 * ranges must add up to all ranges. */
#include "nvtx_rows.h"

static _Atomic int woken;

static void wake(void *ctx)
{
	(void)ctx;
	atomic_fetch_add(&woken, 1);
}

/* The rings are not drained: the newest are lost and counted. */
static void test_full_ring(void **state)
{
	enum { MADE = 20000 };
	char text[32];
	(void)state;
	nvtx_wakes(wake, NULL);
	nvtx_record(true);
	for (int i = 0; i < MADE; i++) {
		snprintf(text, sizeof text, "range %d", i);
		nvtxRangePushA(text);
		nvtxRangePop();
	}
	assert_int_equal(atomic_load(&woken), 1);
	captured_close();
	int64_t lost = nvtx_dropped();
	assert_true(captured.n > 1000 && lost > 0);
	assert_int_equal(captured.n + lost, MADE);
	assert_int_equal(nvtx_dropped(), 0);
	for (int i = 0; i < captured.n; i++) {
		snprintf(text, sizeof text, "range %d", i);
		assert_string_equal(captured.rows[i].name, text);
	}
}

static void test_deeper_than_the_limit(void **state)
{
	enum { DEEP = 200 };
	(void)state;
	nvtx_record(true);
	for (int i = 0; i < DEEP; i++)
		assert_int_equal(nvtxRangePushA("deep"), i);
	for (int i = 0; i < DEEP; i++)
		assert_true(nvtxRangePop() >= 0);
	assert_int_equal(nvtxRangePop(), -1);
	captured_close();
	assert_int_equal(captured.n + nvtx_dropped(), DEEP);
	assert_int_equal(captured.n, 128);
}

static void *one_range(void *ctx)
{
	nvtxRangePushA("short");
	nvtxRangePop();
	nvtxRangePushA("open at the end");
	return ctx;
}

/* More threads than places and rings, a few at a time. */
static void test_ten_thousand_threads(void **state)
{
	enum { ROUNDS = 1250, AT_ONCE = 8 };
	pthread_t id[AT_ONCE];
	(void)state;
	nvtx_record(true);
	for (int r = 0; r < ROUNDS; r++) {
		for (int i = 0; i < AT_ONCE; i++)
			assert_int_equal(pthread_create(&id[i], NULL, one_range,
						 NULL),
				0);
		for (int i = 0; i < AT_ONCE; i++)
			pthread_join(id[i], NULL);
		if (r % 4 == 3)
			nvtx_drain(NULL, false);
	}
	captured_close();
	assert_int_equal(captured.n, 2 * ROUNDS * AT_ONCE);
	assert_int_equal(nvtx_dropped(), 0);
}

/* The same without draining: outside windows nothing is kept. */
static void test_threads_between_windows(void **state)
{
	pthread_t id;
	(void)state;
	for (int i = 0; i < 2000; i++) {
		assert_int_equal(pthread_create(&id, NULL, one_range, NULL), 0);
		pthread_join(id, NULL);
	}
	nvtx_record(true);
	assert_int_equal(pthread_create(&id, NULL, one_range, NULL), 0);
	pthread_join(id, NULL);
	captured_close();
	assert_int_equal(captured.n, 2);
	assert_int_equal(nvtx_dropped(), 0);
}

enum { THREADS = 8, EACH = 20000 };
static _Atomic int working;

/* Ranges with unique texts: "THREAD.NUMBER.DEPTH". */
static void *work(void *ctx)
{
	int self = (int)(intptr_t)ctx;
	char text[64];
	for (int i = 0; i < EACH; i++) {
		int depth = 1 + i % 3;
		for (int d = 0; d < depth; d++) {
			snprintf(text, sizeof text, "%d.%d.%d", self, i, d);
			nvtxRangePushA(text);
		}
		if (i % 50 == 0)
			nvtxRangeEnd(nvtxRangeStartA("loose"));
		for (int d = 0; d < depth; d++)
			nvtxRangePop();
	}
	atomic_fetch_sub(&working, 1);
	return NULL;
}

static void start_all(pthread_t id[static THREADS])
{
	atomic_store(&working, THREADS);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&id[i], NULL, work,
					 (void *)(intptr_t)i),
			0);
}

static int made_in_all(void)
{
	int made = 0;
	for (int i = 0; i < EACH; i++)
		made += 1 + i % 3 + (i % 50 == 0);
	return made * THREADS;
}

/* Removes all rows and keeps their number. */
static int count_captured(void)
{
	int n = captured.n;
	captured_none();
	return n;
}

static void test_one_window(void **state)
{
	pthread_t id[THREADS];
	int n = 0;
	(void)state;
	nvtx_record(true);
	start_all(id);
	while (atomic_load(&working)) {
		nvtx_drain(NULL, false);
		n += count_captured();
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	captured_close();
	int64_t lost = nvtx_dropped();
	assert_int_equal(n + captured.n + lost, made_in_all());
	assert_true(n + captured.n > 0);
	assert_int_equal(captured.cut, 0);
}

static int by_name(const void *a, const void *b)
{
	const struct captured_row *x = a, *y = b;
	int c = strcmp(x->name, y->name);
	return c ? c
		 : (x->row.start_ns > y->row.start_ns) -
			       (x->row.start_ns < y->row.start_ns);
}

/* The parts of a range in two windows do not overlap, and each text was
 * passed to NVTX. */
static void parts_fit(void)
{
	qsort(captured.rows, (size_t)captured.n, sizeof *captured.rows,
		by_name);
	for (int i = 0; i < captured.n; i++) {
		const struct captured_row *r = &captured.rows[i];
		int self, n, d;
		if (!strcmp(r->name, "loose"))
			continue;
		assert_int_equal(sscanf(r->name, "%d.%d.%d", &self, &n, &d), 3);
		assert_true(self < THREADS && n < EACH && d < 1 + n % 3);
		assert_true(r->row.dur_ns >= 0);
		if (i && !strcmp(r[-1].name, r->name))
			assert_true(r[-1].row.start_ns + r[-1].row.dur_ns <=
				    r->row.start_ns);
	}
}

static void test_window_after_window(void **state)
{
	pthread_t id[THREADS];
	int windows = 0;
	(void)state;
	start_all(id);
	while (atomic_load(&working)) {
		nvtx_record(true);
		for (int i = 0; i < 3; i++)
			nvtx_drain(NULL, false);
		captured_close();
		windows++;
		if (captured.n > ROWS_MOST / 2)
			parts_fit(), captured_none();
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	captured_close();
	parts_fit();
	assert_true(windows > 0);
	nvtx_dropped();
}

int main(void)
{
	unsetenv("NVTX_INJECTION64_PATH");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_full_ring, captured_end),
		cmocka_unit_test_teardown(test_deeper_than_the_limit,
			captured_end),
		cmocka_unit_test_teardown(test_ten_thousand_threads,
			captured_end),
		cmocka_unit_test_teardown(test_threads_between_windows,
			captured_end),
		cmocka_unit_test_teardown(test_one_window, captured_end),
		cmocka_unit_test_teardown(test_window_after_window,
			captured_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
