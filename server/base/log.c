/* log.c - formats a line into one buffer and writes it with one call. */
#include "log.h"
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static _Atomic enum log_level log_lowest = LOG_INFO;

void log_level(enum log_level level)
{
	log_lowest = level;
}

void log_line(enum log_level level, const char *fmt, ...)
{
	static const char *const names[] = { "debug", "info", "warn", "error" };
	if (level < log_lowest)
		return;

	char line[1024];
	struct timespec now;
	struct tm utc;
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	size_t n = strftime(line, sizeof line, "%Y-%m-%dT%H:%M:%S", &utc);
	n += (size_t)snprintf(line + n, sizeof line - n, ".%03ldZ %s ",
		now.tv_nsec / 1000000, names[level]);

	va_list ap;
	va_start(ap, fmt);
	int len = vsnprintf(line + n, sizeof line - n - 1, fmt, ap);
	va_end(ap);
	size_t end = n + (len > 0 ? (size_t)len : 0);
	if (end > sizeof line - 2)
		end = sizeof line - 2;
	for (size_t i = n; i < end; i++)
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7F)
			line[i] = '?';
	line[end++] = '\n';
	/* If the log cannot be written, there is no place to report it. */
	if (write(STDERR_FILENO, line, end) < 0)
		return;
}
