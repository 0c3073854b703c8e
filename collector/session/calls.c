/* calls.c - reads the names of all API calls of the driver and of the runtime,
 * once. */
#include "calls.h"
#include <string.h>

bool calls_launches(const char *name)
{
	static const char *const begins[] = { "cudaLaunch", "__cudaLaunch",
		"cuLaunch", "cudaGraphLaunch", "cuGraphLaunch" };

	/* cudaLaunchHostFunc runs on the host. */
	if (strstr(name, "HostFunc"))
		return false;
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (strncmp(name, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

static void calls_add(struct calls *c, bool driver, uint32_t cbid,
	const char *name)
{
	enum { MOST = sizeof c->launch[0] / sizeof c->launch[0][0] };
	c->name[driver][cbid] = name;
	if (calls_launches(name) && c->launches[driver] < MOST)
		c->launch[driver][c->launches[driver]++] = (uint16_t)cbid;
}

/* Numbers are given without gaps; a few are borne all the same. */
static void calls_walk(struct calls *c, const struct library *l, bool driver)
{
	enum { GAP = 64 };
	CUpti_CallbackDomain domain = driver ? CUPTI_CB_DOMAIN_DRIVER_API
					     : CUPTI_CB_DOMAIN_RUNTIME_API;
	uint32_t last = 0;

	for (uint32_t cbid = 1; cbid < CALLS_MAX && cbid < last + GAP; cbid++) {
		const char *name = NULL;
		if (l->callback_name(domain, cbid, &name) != CUPTI_SUCCESS ||
			!name)
			continue;
		calls_add(c, driver, cbid, name);
		last = cbid;
	}
}

void calls_find(struct calls *c, const struct library *l)
{
	*c = (struct calls){ .launches = { 0 } };
	calls_walk(c, l, false);
	calls_walk(c, l, true);
}

const char *calls_name(const struct calls *c, bool driver, uint32_t cbid)
{
	return cbid < CALLS_MAX ? c->name[driver][cbid] : NULL;
}
