/* log_once.c - stores hashes of the last messages in a ring. */
#include "log_once.h"

bool log_once_new(struct log_once *s, const char *sentence)
{
	const uint32_t most = sizeof s->hash / sizeof *s->hash;
	uint64_t h = 0xcbf29ce484222325u;

	for (const char *c = sentence; *c; c++)
		h = (h ^ (unsigned char)*c) * 0x100000001b3u;
	for (uint32_t i = 0; i < s->n && i < most; i++)
		if (s->hash[i] == h)
			return false;
	s->hash[s->n++ % most] = h;
	return true;
}
