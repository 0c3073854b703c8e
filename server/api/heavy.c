/* heavy.c - one counter. */
#include "heavy.h"
#include "api_state.h"

enum { HEAVY_MAX = 3 };

bool heavy_take(struct call *c, struct err *e)
{
	if (c->heavy)
		return true;
	c->heavy = true;
	if (atomic_fetch_add(&c->api->heavy, 1) < HEAVY_MAX)
		return true;
	return err_set(e, ERR_BUSY,
		"%d answers that take long are being made already, the most "
		"at once; try again in a moment",
		HEAVY_MAX);
}

void heavy_give_back(struct call *c)
{
	if (c->heavy)
		atomic_fetch_sub(&c->api->heavy, 1);
	c->heavy = false;
}
