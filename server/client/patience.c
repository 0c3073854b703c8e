/* patience.c - retry's decision, slept out. */
#include "patience.h"
#include <sys/random.h>

bool patience_wait(struct patience *p, const struct attempt *a,
	const struct err *why)
{
	unsigned char spread = 0;
	if (getrandom(&spread, 1, GRND_NONBLOCK) != 1)
		spread = 128;
	int ms = retry_wait_ms(a, p->tried, p->most, spread);
	if (ms < 0)
		return false;
	p->tried++;
	meter_say(p->meter, "%s: %s; trying again in %.1f s (%d of %d)",
		p->label, why->text, ms / 1000.0, p->tried, p->most);
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };
	nanosleep(&t, NULL);
	return true;
}
