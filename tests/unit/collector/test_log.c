/* test_log.c - tests the collector's log file: the caller never waits, and
 * each line is written once. */
#include "log.h"
#include "spooled.h"
#include <pthread.h>

static char path[600];

static bool is_there(void)
{
	return access(path, F_OK) == 0;
}

/* The messages, without time and pid. */
static int lines(char *last, size_t size)
{
	char line[1024], stamp[64];
	int n = 0, pid;
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		int at = 0;
		assert_int_equal(sscanf(line, "%63s %d %n", stamp, &pid, &at),
			2);
		assert_int_equal(strlen(stamp), 24);
		assert_int_equal(pid, getpid());
		snprintf(last, size, "%s", line + at);
		n++;
	}
	fclose(f);
	return n;
}

static void *say_some(void *ctx)
{
	(void)ctx;
	for (int i = 0; i < 100; i++)
		log_line("one of many");
	return NULL;
}

/* A process has one log; each step continues after the previous one. */
static void from_the_first_line_to_the_last(void **state)
{
	struct spooled d;
	char last[1024], more[900];
	pthread_t thread[4];
	(void)state;
	spooled_init(&d, NULL);
	snprintf(path, sizeof path, "%s/log", d.folder);
	log_line("before the file is %s", "set");
	log_flush();
	log_open(path);
	assert_false(is_there());
	log_flush();
	assert_int_equal(lines(last, sizeof last), 1);
	assert_string_equal(last, "before the file is set\n");
	log_line("afterwards");
	assert_int_equal(lines(last, sizeof last), 1);
	for (int i = 0; i < 3; i++)
		log_flush();
	assert_int_equal(lines(last, sizeof last), 2);
	assert_string_equal(last, "afterwards\n");
	memset(more, 'x', sizeof more);
	more[sizeof more - 1] = '\0';
	log_line("%s", more);
	log_flush();
	assert_int_equal(lines(last, sizeof last), 3);
	assert_int_equal(strlen(last), 600);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, say_some, NULL);
	log_flush();
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	log_flush();
	assert_int_equal(lines(last, sizeof last), 200);
	assert_string_equal(last, "one of many\n");
	assert_int_equal(unlink(path), 0);
	log_open(NULL);
	log_line("to nobody");
	log_flush();
	assert_false(is_there());
	spooled_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(from_the_first_line_to_the_last),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
