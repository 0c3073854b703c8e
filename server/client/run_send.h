/* run_send.h - what a command left in its folder goes to the server. */
#pragma once
#include "meter.h"
#include "options.h"
#include "wire.h"

/* Sends all captures, as one job where they are of several ranks, and says
 * what became of them; `w` NULL: says where they are. The folder goes with the
 * last of them. */
void run_send(const struct options *o, struct wire *w, const char *folder,
	struct meter *m);
