/* siphash.h - a hash that cannot be predicted, or made to collide, without the
 * key.
 *
 * SipHash-2-4: 64 bits from a key of 128 bits. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct siphash_key {
	uint64_t half[2];
};

uint64_t siphash(const struct siphash_key *k, const void *bytes, size_t len);
/* A key of random bits. */
struct siphash_key siphash_key_random(void);
