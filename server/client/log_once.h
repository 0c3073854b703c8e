/* log_once.h - prints each message only once.
 *
 * It remembers the last 256 messages. A message is printed again if 256 others
 * were printed since. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct log_once {
	uint64_t hash[256];
	uint32_t n; /* number of messages so far; new ones replace the oldest */
};

/* Whether the message is new. It is stored, so the next call with it returns
 * false. Start with a zeroed struct. */
bool log_once_new(struct log_once *s, const char *sentence);
