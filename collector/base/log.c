/* log.c - writes messages to the collector's own log file. */
#include "log.h"
#include "clock.h"
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LINES = 200, LINE = 600, PATH = 4096 };
enum { WAITING, NOWHERE, PATH_KNOWN };

static struct {
	atomic_int n; /* lines logged so far, including those beyond the
		       * limit */
	atomic_int to;
	char path[PATH];
	struct {
		int64_t at_ns;
		char text[LINE];
		atomic_bool whole; /* the line is complete and not written
				    * yet */
	} line[LINES];
} log_;

/* The folders are created when the first line is written, not before. */
static void log_make_folders(void)
{
	char path[PATH];

	memcpy(path, log_.path, PATH);
	for (char *at = path + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
}

/* The file is opened for each line, because a descriptor that stays open could
 * disturb the host. */
static void log_write_line(const char *line)
{
	int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY |
		    O_NONBLOCK;
	int fd = open(log_.path, flags, 0600);

	if (fd < 0) {
		log_make_folders();
		fd = open(log_.path, flags, 0600);
	}
	if (fd < 0)
		return;
	if (write(fd, line, strlen(line)) < 0)
		atomic_store(&log_.to, NOWHERE);
	close(fd);
}

void log_open(const char *path)
{
	if (!path || strlen(path) >= PATH) {
		atomic_store(&log_.to, NOWHERE);
		return;
	}
	snprintf(log_.path, PATH, "%s", path);
	atomic_store(&log_.to, PATH_KNOWN);
}

void log_line(const char *format, ...)
{
	int i = atomic_fetch_add(&log_.n, 1);
	va_list args;

	if (i >= LINES || atomic_load(&log_.to) == NOWHERE)
		return;
	log_.line[i].at_ns = clock_real_ns();
	va_start(args, format);
	vsnprintf(log_.line[i].text, LINE, format, args);
	va_end(args);
	atomic_store(&log_.line[i].whole, true);
}

static int log_days_of(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30,
		31 };
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month] + (month == 1 && leap);
}

/* Writes seconds since 1970 as a date and time. The function of libc takes a
 * lock, which a forked child may never get, and reads a file. */
static void log_time_put(int64_t s, char to[static 80])
{
	int year = 1970, month = 0;
	int64_t days = s / 86400, in_day = s % 86400;

	while (days >= log_days_of(year, month)) {
		days -= log_days_of(year, month);
		month = (month + 1) % 12;
		year += month == 0;
	}
	snprintf(to, 80, "%04d-%02d-%02dT%02d:%02d:%02d", year % 10000,
		month + 1, (int)days + 1, (int)(in_day / 3600),
		(int)(in_day / 60 % 60), (int)(in_day % 60));
}

static void log_write_one(int i)
{
	char line[LINE + 128], when[80];
	int64_t at_ns = log_.line[i].at_ns;

	log_time_put(at_ns / 1000000000, when);
	snprintf(line, sizeof line, "%s.%03dZ %d %s\n", when,
		(int)(at_ns / 1000000 % 1000), (int)getpid(),
		log_.line[i].text);
	log_write_line(line);
}

void log_flush(void)
{
	int n = atomic_load(&log_.n);

	for (int i = 0; i < n && i < LINES; i++)
		if (atomic_load(&log_.to) == PATH_KNOWN &&
			atomic_exchange(&log_.line[i].whole, false))
			log_write_one(i);
}
