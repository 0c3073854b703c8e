/* log_once.h - prints each message only once.
 *
 * It remembers the last 256; a message that returns after that many others is
 * printed again. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct log_once {
	uint64_t hash[256];
	uint32_t n; /* number so far; new ones replace the oldest */
};

/* Whether the message is new; from now on it is not. Start with all zero. */
bool log_once_new(struct log_once *s, const char *sentence);
