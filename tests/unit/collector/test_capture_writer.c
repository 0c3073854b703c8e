/* test_capture_writer.c - tests when a capture file begins and ends, and what
 * it contains. */
#include "spooled.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const int64_t second = 1000000000;

static void without_rows_there_is_no_file(void **state)
{
	struct spooled d;
	(void)state;
	spooled_init(&d, NULL);
	struct capture_writer *s = capture_writer_new(&d.options);
	assert_non_null(s);
	assert_int_equal(capture_writer_captures(s), 1);
	capture_writer_facts(s,
		&(struct capture_writer_facts){ 130001, 13000, "node" });
	capture_writer_beat(s, clock_real_ns(), false);
	capture_writer_beat(s, clock_real_ns(), true);
	assert_int_equal(capture_writer_captures(s), 1);
	capture_writer_free(s);
	assert_int_equal(spooled_each(&d, NULL, NULL), 0);
	spooled_release(&d);
}

static void one_window(void **state)
{
	struct spooled d;
	char facts[512] = "", name[32] = "";
	(void)state;
	spooled_init(&d, NULL);
	struct capture_writer *s = capture_writer_new(&d.options);
	capture_writer_facts(s,
		&(struct capture_writer_facts){ 130001, 12080, "graph" });
	assert_int_equal(kernels_give(s, 1), 1);
	assert_int_equal(spooled_count(&d, ".kst.part").n, 1);
	assert_int_equal(kernels_give(s, 40000), 40000);
	capture_writer_beat(s, clock_real_ns(), false);
	assert_int_equal(spooled_count(&d, ".kst").n, 0);
	capture_writer_beat(s, clock_real_ns(), true);
	struct spooled_ends e = spooled_count(&d, ".kst");
	assert_int_equal(e.n, 1);
	assert_int_equal(spooled_each(&d, NULL, NULL), 1);
	assert_int_equal(capture_writer_captures(s), 2);
	assert_int_equal(capture_writer_dropped(s), 0);
	capture_writer_free(s);
	assert_int_equal(spooled_rows(e.path, KST_kernel, 0, NULL, 0), 40001);
	spooled_rows(e.path, KST_fact, KST_COLUMN(fact, name), facts,
		sizeof facts);
	spooled_rows(e.path, KST_fact, KST_COLUMN(fact, value), facts,
		sizeof facts);
	assert_string_equal(facts,
		"profiler cupti cuda_driver graph_mode "
		"kernsift " KERNSIFT_VERSION " 130001 12.8 graph ");
	assert_int_equal(spooled_rows(e.path, KST_note, 0, name, sizeof name),
		0);
	spooled_release(&d);
}

/* Times are stored relative to the start of the capture and read back
 * unchanged. */
static void times_are_absolute(void **state)
{
	struct spooled d;
	struct kst_chunk c;
	int64_t at = 1700000000123456789, got = 0;
	(void)state;
	spooled_init(&d, NULL);
	struct capture_writer *s = capture_writer_new(&d.options);
	assert_true(capture_writer_row(s, KST_clock,
		&(struct kst_clock){ .start_ns = at, .realtime_ns = at }));
	capture_writer_free(s);
	FILE *f = fopen(spooled_count(&d, ".kst").path, "r");
	struct kst_reader *r = kst_reader_new(spooled_read, f, NULL);
	while (kst_reader_next(r, &c) == KST_CHUNK)
		if (c.kind == KST_clock) {
			got = c.column[0].i[0] + kst_reader_about(r)->base_ns;
			assert_int_equal(c.column[1].i[0], at);
		}
	assert_int_equal(got, at);
	assert_int_equal(kst_reader_about(r)->base_is_utc, 1);
	kst_reader_free(r);
	fclose(f);
	spooled_release(&d);
}

/* After ten minutes, or if the file is large, the next file begins. */
static void files_rotate(void **state)
{
	static const char *const env[] = { "KERNSIFT_TRACE_FILE_MIB", "1",
		NULL };
	struct spooled d;
	(void)state;
	spooled_init(&d, env);
	struct capture_writer *s = capture_writer_new(&d.options);
	int64_t now = clock_real_ns(), rows = 0;
	srand(1);
	kernels_give(s, 1);
	capture_writer_beat(s, now + 601 * second, false);
	assert_int_equal(capture_writer_captures(s), 2);
	assert_int_equal(spooled_count(&d, ".kst").n, 1);
	while (capture_writer_captures(s) == 2) {
		struct kst_counter row = { .start_ns = now, .value = rand() };
		assert_true(capture_writer_row(s, KST_counter, &row));
		if (++rows % 50000 == 0)
			capture_writer_beat(s, now, false);
		assert_true(rows < 10000000);
	}
	struct spooled_ends e = spooled_count(&d, ".kst");
	assert_int_equal(e.n, 2);
	assert_int_equal(spooled_rows(e.path, KST_counter, 0, NULL, 0), rows);
	capture_writer_free(s);
	assert_int_equal(spooled_each(&d, NULL, NULL), 2);
	spooled_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_rows_there_is_no_file),
		cmocka_unit_test(one_window),
		cmocka_unit_test(times_are_absolute),
		cmocka_unit_test(files_rotate),
	};
	signal(SIGXFSZ, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
