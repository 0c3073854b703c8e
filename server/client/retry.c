/* retry.c - the table of what is worth trying again, and its waits. */
#include "retry.h"

enum { FIRST_MS = 500, LONGEST_MS = 30000 };

static bool may_mend(const struct attempt *a)
{
	if (a->end != ATTEMPT_ANSWERED)
		return a->end == ATTEMPT_AWAY || a->end == ATTEMPT_BROKEN;
	/* too slow, too many, a proxy without its server, busy */
	return a->status == 408 || a->status == 429 || a->status == 502 ||
	       a->status == 503 || a->status == 504;
}

int retry_wait_ms(const struct attempt *a, int tried, int most, int spread)
{
	if (!may_mend(a) || tried >= most ||
		a->retry_after_s > RETRY_AFTER_MAX_S)
		return -1;
	int ms = FIRST_MS;
	for (int i = 0; i < tried && ms < LONGEST_MS; i++)
		ms *= 2;
	if (ms > LONGEST_MS)
		ms = LONGEST_MS;
	if (a->retry_after_s > 0)
		ms = a->retry_after_s * 1000;
	return ms + ms * spread / 1024; /* up to a quarter more, never less */
}
