/* siphash.c - SipHash with two rounds per word and four at the end. */
#include "siphash.h"
#include "clock.h"
#include <string.h>
#include <sys/random.h>

static inline uint64_t siphash_turn(uint64_t v, int by)
{
	return v << by | v >> (64 - by);
}

static inline void siphash_round_of(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = siphash_turn(v[1], 13) ^ v[0];
	v[3] = siphash_turn(v[3], 16) ^ v[2];
	v[0] = siphash_turn(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = siphash_turn(v[1], 17) ^ v[2];
	v[3] = siphash_turn(v[3], 21) ^ v[0];
	v[2] = siphash_turn(v[2], 32);
}

static inline void siphash_word_in(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	siphash_round_of(v);
	siphash_round_of(v);
	v[0] ^= word;
}

uint64_t siphash(const struct siphash_key *k, const void *bytes, size_t len)
{
	const char *at = bytes;
	uint64_t last = (uint64_t)len << 56, word = 0;
	uint64_t v[4] = { k->half[0] ^ 0x736f6d6570736575u,
		k->half[1] ^ 0x646f72616e646f6du,
		k->half[0] ^ 0x6c7967656e657261u,
		k->half[1] ^ 0x7465646279746573u };
	for (size_t left = len; left >= 8; left -= 8, at += 8) {
		memcpy(&word, at, 8);
		siphash_word_in(v, word);
	}
	word = 0;
	memcpy(&word, at, len & 7);
	siphash_word_in(v, last | word);
	v[2] ^= 0xff;
	for (int i = 0; i < 4; i++)
		siphash_round_of(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

struct siphash_key siphash_key_random(void)
{
	struct siphash_key k;
	if (getrandom(&k, sizeof k, GRND_NONBLOCK) == (ssize_t)sizeof k)
		return k;
	/* A machine that just started: no secret, but another one each time. */
	struct clock_pair now = clock_pair_read();
	k.half[0] = (uint64_t)now.real_ns * 0x9e3779b97f4a7c15u;
	k.half[1] = (uint64_t)now.monotonic_ns ^ (uint64_t)(uintptr_t)&k;
	return k;
}
