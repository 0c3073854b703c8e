/* fleet_asked.h - which runs /importance and what is below it are asked of. */
#pragma once
#include "catalog.h"
#include "call.h"
#include "query_operator.h"

/* The runs that the parameters name; `operator` is left NULL. */
bool fleet_asked(struct call *c, const struct catalog *k,
	struct fleet_filter *f, struct err *e);
/* Whether the parameters ask nothing that a reference set cannot tell. */
bool set_asked(const struct call *c, struct err *e);
