/* meter.h - tells the person who waits, on stderr.
 *
 * On a terminal a line that is drawn over, about ten times a second, and never
 * waits for a terminal that does not take it; elsewhere a plain line now and
 * then, for logs. Results go to stdout and are not the meter's. */
#pragma once
#include "progress.h"
#include <stdbool.h>

struct meter {
	bool terminal, drawn;
	int64_t shown_ms; /* when it was shown last; -1 never */
};

void meter_init(struct meter *m);
/* Draws, or does nothing because it was just done. */
void meter_show(struct meter *m, const struct progress *p);
/* Takes the drawn line away. */
void meter_clear(struct meter *m);
/* A whole line that stays. */
void meter_say(struct meter *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

int64_t meter_now_ms(void);
