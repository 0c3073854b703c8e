/* chores.h - what a server does beside answering: a thread with a connection of
 * its own that drops what is kept too long (once an hour) and looks out for
 * changes (as runs come), and one that delivers webhooks. Of several servers on
 * one database one does each. */
#pragma once
#include "config.h"
#include "err.h"

struct chores;
struct chores *chores_new(const struct config *c, const char *conninfo,
	struct err *e);
/* Ends them within a second, whatever they do. */
void chores_free(struct chores *c);
