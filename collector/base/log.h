/* log.h - what the collector has to tell, into its own file and nowhere else.
 *
 * Never to standard error: the host's output is the host's. At most 200 lines a
 * process; each line has time, pid and one sentence. Who says something only
 * leaves it in memory, since it may be an application's thread; our own threads
 * write it at their next turn. */
#pragma once
#include <stdatomic.h>

/* Where lines go, those said before included. NULL: nowhere. */
void log_open(const char *path);
void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes what was said. Of a thread of ours: it waits for the file system. */
void log_flush(void);
/* The same, once per place in the code. */
#define log_line_once(...)                                     \
	do {                                                   \
		static atomic_flag logged_ = ATOMIC_FLAG_INIT; \
		if (!atomic_flag_test_and_set(&logged_))       \
			log_line(__VA_ARGS__);                 \
	} while (0)
