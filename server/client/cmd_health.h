/* cmd_health.h - `kernsift health`: whether the server can answer. */
#pragma once
#include "options.h"

/* Asks once, without patience; the exit status. */
int cmd_health(const struct options *o);
