/* child.h - a command in our place: same terminal, same streams, same group.
 *
 * A signal that somebody sends to us is passed on. One that the terminal (or
 * the kernel) sends goes to the whole foreground group and has reached the
 * command already, so it is not passed on: nothing comes twice. Where the command is
 * stopped by the terminal we stop too, and the shell sees a stopped job. */
#pragma once
#include "err.h"

/* Runs argv, which ends in NULL, in the current environment and waits for its
 * end: *status is as a shell tells it, 128 + n where signal n ended it. False
 * with a sentence where it could not be run: *status is 127 where there is no
 * such program, else 126. */
bool child_run(char *const argv[], int *status, struct err *e);
