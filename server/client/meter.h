/* meter.h - the progress line: its text, and when and where it is drawn.
 *
 * On a terminal one line is drawn again and again. Elsewhere plain lines are
 * printed at long intervals. Results go to stdout and are not printed by this
 * module. meter_line() needs no clock and no terminal. If the line is too long,
 * it drops these parts, in this order: the bar, the name except for eight
 * columns, the time left, the rate, the rest of the name. Every character
 * counts as one column. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { METER_LINE = 1024, METER_WORD = 40 };

struct meter_progress {
	const char *label; /* a file's name; valid text */
	const char *stage; /* the current step; "" none */
	int64_t done_bytes, total_bytes; /* total -1 unknown */
	int64_t rate; /* bytes per second; 0 unknown */
};

/* Bytes per second over the last seconds. An average over the whole transfer
 * would hide a stall. */
struct meter_pace {
	int64_t at_ms, bytes; /* values at the last call; -1: none yet */
	double rate;
};

/* Writes at most `width` columns, without a line end. */
void meter_line(char out[METER_LINE], const struct meter_progress *p,
	int width);

/* "512 B", "3.1 KiB", "51.2 MiB" */
void meter_bytes(char out[METER_WORD], int64_t bytes);
/* "0:07", "12:34", "3:00:09" */
void meter_time(char out[METER_WORD], int64_t seconds);

/* A rate before the first bytes. */
#define METER_PACE ((struct meter_pace){ .at_ms = -1 })
/* Records that `bytes` were transferred at `now_ms`; returns the rate. */
int64_t meter_pace_add(struct meter_pace *p, int64_t now_ms, int64_t bytes);

struct meter {
	bool terminal, drawn;
	int64_t shown_ms; /* when it was shown last; -1 never */
};

void meter_init(struct meter *m);
/* Draws the line, unless it was drawn a moment ago. */
void meter_show(struct meter *m, const struct meter_progress *p);
/* Removes the drawn line. */
void meter_clear(struct meter *m);
/* Prints a line that remains on the screen. */
void meter_say(struct meter *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

int64_t meter_now_ms(void);
