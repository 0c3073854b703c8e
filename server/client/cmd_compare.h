/* cmd_compare.h - `kernsift compare`: what the server says of two sides. */
#pragma once
#include "options.h"

/* The exit status: EXIT_USAGE where the server refuses the sides or the
 * settings, EXIT_FAILED where it could not be asked; else EXIT_OK, whatever the
 * comparison says. */
int cmd_compare(const struct options *o);
