/* cmd_import.h - `kernsift import`: published operator catalogues become sets. */
#pragma once
#include "options.h"

/* Sends each file as it is; a line on stdout per set. The exit status:
 * EXIT_FAILED where at least one file failed. */
int cmd_import(const struct options *o);
