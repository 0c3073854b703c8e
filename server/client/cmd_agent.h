/* cmd_agent.h - `kernsift agent`: a spool folder goes to the server, for ever. */
#pragma once
#include "options.h"

/* Sends each capture that is whole and removes it when the server has it.
 * SIGTERM and SIGINT end it at once: whatever it was doing can be done again.
 * The exit status: 0 ended or, with --once, all was sent; EXIT_FAILED. */
int cmd_agent(const struct options *o);
