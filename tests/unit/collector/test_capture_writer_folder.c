/* test_capture_writer_folder.c - tests the folder of capture files and the
 * limit on its size. */
#include "filled.h"

/* A file has the path of the folder: even root cannot write there. */
static void folder_that_cannot_be_created(void **state)
{
	struct spooled d;
	char file[128], fallback[64];
	(void)state;
	spooled_init(&d, NULL);
	snprintf(file, sizeof file, "%s/file", d.folder);
	close(open(file, O_CREAT | O_WRONLY, 0600));
	strcpy(d.folder + strlen(d.folder), "/file");
	options_release(&d.options);
	options_init(&d.options, spooled_get, spooled_complain, &d);
	struct capture_writer *s = capture_writer_new(&d.options);
	int64_t given = give_until_refused(s, 10);
	snprintf(fallback, sizeof fallback, "/tmp/kernsift-%ld",
		(long)geteuid());
	assert_int_equal(given, 10);
	assert_int_equal(access(fallback, F_OK), 0);
	capture_writer_free(s);
	*strrchr(d.folder, '/') = '\0';
	struct spooled there = { .options = d.options };
	strcpy(there.folder, fallback);
	struct stat st;
	assert_int_equal(stat(fallback, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	char mine[32];
	snprintf(mine, sizeof mine, "-%d-", getpid());
	struct spooled_ends e = { .suffix = ".kst", .has = mine };
	spooled_each(&there, spooled_end, &e);
	assert_int_equal(e.n, 1);
	assert_int_equal(spooled_rows(e.path, KST_range, 0, NULL, 0), 10);
	assert_int_equal(unlink(e.path), 0);
	rmdir(fallback);
	spooled_release(&d);
}

/* Missing folders are created with permissions for the owner only. */
static void missing_folders_are_created(void **state)
{
	struct spooled d;
	struct stat st;
	(void)state;
	spooled_init(&d, NULL);
	size_t len = strlen(d.folder);
	strcpy(d.folder + len, "/a/b");
	options_release(&d.options);
	options_init(&d.options, spooled_get, spooled_complain, &d);
	struct capture_writer *s = capture_writer_new(&d.options);
	assert_int_equal(give_until_refused(s, 10), 10);
	capture_writer_free(s);
	assert_int_equal(stat(d.folder, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	struct spooled_ends e = spooled_count(&d, ".kst");
	assert_int_equal(stat(e.path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(unlink(e.path), 0);
	assert_int_equal(rmdir(d.folder), 0);
	strcpy(d.folder + len, "/a");
	assert_int_equal(rmdir(d.folder), 0);
	d.folder[len] = '\0';
	spooled_release(&d);
}

/* The oldest captures are deleted and counted; files of others stay. */
static void disk_share(void **state)
{
	static const char *const env[] = { "KERNSIFT_TRACE_DISK_MIB", "6",
		NULL };
	struct spooled d;
	char other[128];
	struct sum sum = { 0, 0 };
	int64_t given = 0, dropped = 0;
	(void)state;
	spooled_init(&d, env);
	snprintf(other, sizeof other, "%s/other-1-1-0.kst.large", d.folder);
	int fd = open(other, O_CREAT | O_WRONLY, 0600);
	assert_int_equal(posix_fallocate(fd, 0, 1 << 20), 0);
	close(fd);
	struct capture_writer *s = capture_writer_new(&d.options);
	int64_t now = clock_real_ns();
	while (capture_writer_captures(s) < 6) {
		given += give_until_refused(s, 10000);
		capture_writer_beat(s, now, false);
		dropped += capture_writer_dropped(s);
		assert_true(spooled_bytes(&d) <= 7 << 20);
	}
	capture_writer_free(s);
	spooled_each(&d, sum_up, &sum);
	assert_int_equal(access(other, F_OK), 0);
	assert_true(dropped > 0);
	assert_int_equal(sum.rows + dropped, given);
	assert_in_range(sum.files, 1, 2);
	spooled_release(&d);
}

/* A capture that an uploader removed is not counted as lost. */
static void removed_by_an_uploader(void **state)
{
	static const char *const env[] = { "KERNSIFT_TRACE_DISK_MIB", "6",
		NULL };
	struct spooled d;
	(void)state;
	spooled_init(&d, env);
	struct capture_writer *s = capture_writer_new(&d.options);
	int64_t now = clock_real_ns();
	while (capture_writer_captures(s) < 6) {
		give_until_refused(s, 10000);
		capture_writer_beat(s, now, false);
		struct spooled_ends e = spooled_count(&d, ".kst");
		if (e.n)
			assert_int_equal(unlink(e.path), 0);
	}
	assert_int_equal(capture_writer_dropped(s), 0);
	capture_writer_free(s);
	spooled_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folder_that_cannot_be_created),
		cmocka_unit_test(missing_folders_are_created),
		cmocka_unit_test(disk_share),
		cmocka_unit_test(removed_by_an_uploader),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
