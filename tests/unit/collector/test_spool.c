/* test_spool.c - tests the descriptor of the spool folder if the host closes
 * all descriptors. */
#include "spool.h"
#include "spooled.h"

static int theirs_over(int fd)
{
	int theirs = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_true(theirs >= 0);
	assert_int_equal(dup2(theirs, fd), fd);
	close(theirs);
	return fd;
}

/* Files are still created, finished and deleted. The host's own file under
 * the same number stays open. */
static void closed_by_the_host(void **state)
{
	static struct capture_spool s;
	struct spooled d;
	uint32_t number;
	int theirs[3];
	(void)state;
	spooled_init(&d, NULL);
	spool_init(&s, &d.options);
	assert_true(spool_open(&s));
	theirs[0] = theirs_over(s.folder);
	int part = spool_make(&s, &number);
	assert_true(part >= 0);
	assert_int_equal(spooled_count(&d, ".kst.part").n, 1);
	theirs[1] = theirs_over(s.folder);
	assert_true(spool_finish(&s, number));
	assert_int_equal(close(part), 0);
	assert_int_equal(spooled_count(&d, ".kst").n, 1);
	spool_add(&s, &(struct spool_file){ number, false, 5, 100 });
	theirs[2] = theirs_over(s.folder);
	spool_close(&s);
	for (int i = 0; i < 3; i++)
		assert_int_equal(close(theirs[i]), 0);
	/* If it is closed, it is opened again to delete files. */
	spool_keep(&s, 50);
	assert_int_equal(s.lost_rows, 5);
	assert_int_equal(s.folder, -1);
	assert_int_equal(spooled_each(&d, NULL, NULL), 0);
	spooled_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed_by_the_host),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
