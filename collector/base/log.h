/* log.h - the collector's messages, written only to its own log file.
 *
 * They are never written to standard error: that output belongs to the host.
 * The log has at most 200 lines per process. Each line contains the time, the
 * pid and one sentence. log_line() only keeps the line in memory, because it
 * may run in an application's thread. The collector's own threads write it
 * later with log_flush(). */
#pragma once
#include <stdatomic.h>

/* Sets the file for all lines, also for those logged before. NULL: no file. */
void log_open(const char *path);
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes the lines that were logged since the last call. Only the collector's
 * own threads may call it, because it waits for the file system. */
void log_flush(void);
/* log_line(), but at most once per place in the code. */
#define log_line_once(...)                                     \
	do {                                                   \
		static atomic_flag logged_ = ATOMIC_FLAG_INIT; \
		if (!atomic_flag_test_and_set(&logged_))       \
			log_line(__VA_ARGS__);                 \
	} while (0)
