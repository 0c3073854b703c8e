/* xoshiro.h - random numbers that depend only on the seed, on every machine.
 *
 * xoshiro256** 1.0 of David Blackman and Sebastiano Vigna, seeded by
 * splitmix64, both in the public domain (https://prng.di.unimi.it). */
#pragma once
#include <stdint.h>

struct xoshiro {
	uint64_t s[4];
};

static inline void xoshiro_init(struct xoshiro *r, uint64_t seed)
{
	for (int i = 0; i < 4; i++) {
		uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
		z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
		r->s[i] = z ^ (z >> 31);
	}
}

static inline uint64_t xoshiro_next(struct xoshiro *r)
{
	uint64_t *s = r->s, times5 = s[1] * 5;
	uint64_t result = (times5 << 7 | times5 >> 57) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = s[3] << 45 | s[3] >> 19;
	return result;
}

/* A random number below n. Probabilities differ by at most n / 2^32. */
static inline uint32_t xoshiro_below(struct xoshiro *r, uint32_t n)
{
	return (uint32_t)(((xoshiro_next(r) >> 32) * n) >> 32);
}
