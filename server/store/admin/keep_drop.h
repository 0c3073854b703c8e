/* keep_drop.h - one thing that is kept too long goes. */
#pragma once
#include "keep_plan.h"

/* *gone false where it is worked on, labelled or gone meanwhile, and stays. */
bool keep_drop(struct db *db, const struct keep_item *item, bool *gone,
	struct err *e);
