/* log.h - writes one line per event to stderr.
 *
 *   2026-08-22T10:11:12.123Z info ingest upload=41 kernels=1832 ms=95
 *
 * There are four levels; `error` means that someone must act. After the level,
 * the caller writes words of the form key=value. Control characters in them are
 * replaced by '?', so that no text from a client can look like a separate line.
 * Thread-safe. */
#pragma once

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

/* Messages below `minimum` are not written; the default is LOG_INFO. */
void log_level(enum log_level minimum);
void log_line(enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#define log_debug(...) log_line(LOG_DEBUG, __VA_ARGS__)
#define log_info(...) log_line(LOG_INFO, __VA_ARGS__)
#define log_warn(...) log_line(LOG_WARN, __VA_ARGS__)
#define log_error(...) log_line(LOG_ERROR, __VA_ARGS__)
