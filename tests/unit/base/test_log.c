/* test_log.c - one event is one line, with any content. */
#include "log.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* The text written to stderr since capture_begin(). */
static int kept, pipes[2];

static void capture_begin(void)
{
	fflush(stderr);
	kept = dup(STDERR_FILENO);
	assert_int_equal(pipe(pipes), 0);
	dup2(pipes[1], STDERR_FILENO);
	close(pipes[1]);
}

static void capture_end(char *out, size_t size)
{
	size_t n = 0;
	ssize_t got;
	dup2(kept, STDERR_FILENO);
	close(kept);
	while ((got = read(pipes[0], out + n, size - 1 - n)) > 0)
		n += (size_t)got;
	out[n] = '\0';
	close(pipes[0]);
}

/* Checks for a prefix like "2026-08-22T10:11:12.123Z ", then `rest`. */
static void check(const char *line, const char *rest)
{
	static const char form[] = "dddd-dd-ddTdd:dd:dd.dddZ ";
	for (size_t i = 0; i < sizeof form - 1; i++)
		if (form[i] == 'd')
			assert_in_range(line[i], '0', '9');
		else
			assert_int_equal(line[i], form[i]);
	assert_string_equal(line + sizeof form - 1, rest);
}

static void a_line_an_event(void **state)
{
	char text[4096];
	(void)state;
	capture_begin();
	log_info("ingest upload=%d ms=%d", 41, 95);
	capture_end(text, sizeof text);
	check(text, "info ingest upload=41 ms=95\n");
}

static void nothing_forges_a_line(void **state)
{
	char text[4096];
	(void)state;
	capture_begin();
	log_error("name=%s", "a\nb\r\tc\x7F\x1B[31m\xC3\xA9");
	capture_end(text, sizeof text);
	check(text, "error name=a?b??c??[31m\xC3\xA9\n");
}

static void long_lines_end_in_one_newline(void **state)
{
	char text[4096], want[4096], letters[2001];
	(void)state;
	memset(letters, 'a', 2000);
	letters[2000] = '\0';
	capture_begin();
	log_warn("%s", letters);
	log_warn("next");
	capture_end(text, sizeof text);
	char *end = strchr(text, '\n');
	assert_non_null(end);
	assert_in_range(end - text, 1000, 1023);
	snprintf(want, sizeof want, "warn %.*s\n", (int)(end - text - 30),
		letters);
	char *second = end + 1;
	check(second, "warn next\n");
	end[1] = '\0';
	check(text, want);
}

static void the_minimum_level(void **state)
{
	char text[4096];
	(void)state;
	capture_begin();
	log_debug("silent");
	log_level(LOG_ERROR);
	log_warn("silent");
	log_level(LOG_DEBUG);
	log_debug("logged");
	log_level(LOG_INFO);
	capture_end(text, sizeof text);
	check(text, "debug logged\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_an_event),
		cmocka_unit_test(nothing_forges_a_line),
		cmocka_unit_test(long_lines_end_in_one_newline),
		cmocka_unit_test(the_minimum_level),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
