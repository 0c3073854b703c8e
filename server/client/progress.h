/* progress.h - how far something is, as one line of text.
 *
 * Pure: no clock, no terminal. Where the width is short, parts go in this
 * order: the bar, the name but for eight columns, the time left, the rate, the
 * rest of the name. Every character is taken to be one column wide. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { PROGRESS_LINE = 1024, PROGRESS_WORD = 40 };

struct progress {
	const char *label; /* a file's name; valid text */
	const char *stage; /* what is being done; "" none */
	int64_t done_bytes, total_bytes; /* total -1 unknown */
	int64_t rate; /* bytes per second; 0 not known yet */
};

/* Bytes per second over the last seconds, so that a stall shows. */
struct pace {
	int64_t at_ms, bytes; /* when it was told last; -1 never */
	double rate;
};

/* At most `width` columns, without a line's end. */
void progress_line(char out[PROGRESS_LINE], const struct progress *p,
	int width);

/* "512 B", "3.1 KiB", "51.2 MiB" */
void progress_bytes(char out[PROGRESS_WORD], int64_t bytes);
/* "0:07", "12:34", "3:00:09" */
void progress_time(char out[PROGRESS_WORD], int64_t seconds);

void pace_init(struct pace *p);
/* The rate after `bytes` at `now_ms`. */
int64_t pace_add(struct pace *p, int64_t now_ms, int64_t bytes);
