/* walk.h - the minimum cost of reading a trace's events.
 *
 * It is a yardstick and not a decoder: it trusts its input, stores nothing and
 * does not handle damage. For each event it finds the end and reads ts and dur
 * to nanoseconds, cat, a hash of the name, and args.correlation. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { WALK_PADDING = 64 }; /* zero bytes that must follow the text */

struct walk {
	int64_t events, kernels, kernel_ns, correlations;
	uint64_t names; /* sum of hashes: proof that all were read */
};

void walk(const char *text, struct walk *out);
