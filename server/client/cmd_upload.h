/* cmd_upload.h - `kernsift upload`: every file sent, then waited for. */
#pragma once
#include "options.h"

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 3 };

/* The exit status: EXIT_FAILED where at least one file failed. Results go to
 * stdout, all else to stderr. */
int cmd_upload(const struct options *o);
