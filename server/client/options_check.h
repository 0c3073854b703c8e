/* options_check.h - whether what was asked for can be done; of options.c alone. */
#pragma once
#include "options.h"

/* False with a sentence. */
bool options_check(const struct options *o, enum options_of command,
	struct err *e);
