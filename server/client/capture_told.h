/* capture_told.h - what a client must know of a capture before it sends it. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct capture_told {
	bool readable; /* it is a capture */
	bool whole; /* nothing of it is missing or unread; not told of one that
		     * has records */
	bool records; /* of work or of a counter: the server takes no other */
	int rank; /* -1 not told */
	int64_t dropped; /* records lost; of a capture without any others */
};

/* Read from `fd`, which stays open, as far as needed. */
struct capture_told capture_told_from(int fd);
