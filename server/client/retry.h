/* retry.h - whether to try again, and when.
 *
 * A pure decision. Worth another try is what time may mend: a server that is
 * away, a connection that broke, one that says it is busy. A refusal is final.
 * Tries are bounded; a server that names a time in Retry-After is given it,
 * unless it is longer than a person would wait. */
#pragma once
#include <stdbool.h>

enum { RETRY_AFTER_MAX_S = 300 };

enum attempt_end {
	ATTEMPT_ANSWERED, /* see status */
	ATTEMPT_AWAY, /* no connection came about */
	ATTEMPT_BROKEN, /* it broke, or nothing moved for long */
	ATTEMPT_BARRED, /* a certificate, an address: no connection ever */
	ATTEMPT_HOPELESS, /* our own file */
};

struct attempt {
	enum attempt_end end;
	int status; /* HTTP; 0 where nothing was answered */
	int retry_after_s; /* 0 where none was named */
};

/* Milliseconds to wait before the next try; -1: give up. `tried` counts the
 * tries before this one, `most` is how many may follow the first, `spread`
 * (0 to 255, at random) keeps many clients from coming back at once. */
int retry_wait_ms(const struct attempt *a, int tried, int most, int spread);
