/* cmd_run.h - `kernsift run`: a command, recorded, and its captures sent. */
#pragma once
#include "options.h"

enum { EXIT_RUN = 125 }; /* nothing was run */

/* The exit status is the command's, whatever becomes of the captures: 128 + n
 * where signal n ended it, 127 and 126 where it could not be run. */
int cmd_run(const struct options *o);
