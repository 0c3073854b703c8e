/* inspect_asked.h - what the command line asks of layers, read. */
#pragma once
#include "breakdown_asked.h"
#include "inspect.h"

/* False with a sentence (ERR_INPUT) that names the option. */
bool inspect_asked(const struct inspect_asked *asked,
	struct breakdown_asked *out, struct err *e);
