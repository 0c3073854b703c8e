/* log_once.h - which sentences were said already, so that each is said once.
 *
 * It remembers the last few hundred; one that comes back after that many
 * others is said again. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct spoken {
	uint64_t hash[256];
	uint32_t n; /* so far; the oldest give way */
};

/* Whether it is new; from now on it is not. All zero: nothing was said. */
bool spoken_new(struct spoken *s, const char *sentence);
