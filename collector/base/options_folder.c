/* options_folder.c - where captures are left. */
#include "options.h"
#include <stdio.h>
#include <stdlib.h>

bool options_folder(const struct options *o, char to[static OPTIONS_PATH])
{
	const char *state = secure_getenv("XDG_STATE_HOME");
	const char *home = secure_getenv("HOME");
	int n;

	if (*o->dir)
		n = snprintf(to, OPTIONS_PATH, "%s", o->dir);
	else if (state && *state == '/')
		n = snprintf(to, OPTIONS_PATH, "%s/kernsift/spool", state);
	else if (home && *home == '/')
		n = snprintf(to, OPTIONS_PATH, "%s/.local/state/kernsift/spool",
			home);
	else
		return false;
	return n > 0 && n < OPTIONS_PATH;
}
