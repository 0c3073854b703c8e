/* run_folder.h - a spool folder for one command, nobody else's. */
#pragma once
#include "err.h"

enum { RUN_FOLDER = 4000 };

/* Makes one below `where`, or where that is NULL below kernsift/run in
 * $XDG_STATE_HOME, ~/.local/state or, without a home, in /tmp: there in a folder
 * that is ours alone, or in none where that name is another's. `to` is its whole
 * path. False with a sentence. */
bool run_folder_new(const char *where, char to[static RUN_FOLDER],
	struct err *e);
/* Removes it with what a collector leaves beside captures; what else is in it
 * keeps it. */
bool run_folder_remove(const char *path);
/* The last line of the collector's log and those about its options, each
 * given to say(); whether there is a log. */
bool run_folder_log(const char *path, bool last,
	void (*say)(void *ctx, const char *line), void *ctx);
