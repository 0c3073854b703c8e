/* user_home.h - gives a test its own home folder, so that the user's is not
 * changed. */
#pragma once
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static char user_home[] = "/tmp/user-home-XXXXXX";

static inline int user_home_make(void **state)
{
	(void)state;
	unsetenv("XDG_STATE_HOME");
	return mkdtemp(user_home) ? setenv("HOME", user_home, 1) : -1;
}

static inline int user_home_drop(const char *path, const struct stat *st,
	int type, struct FTW *walk)
{
	(void)st;
	(void)type;
	(void)walk;
	return remove(path);
}

static inline int user_home_remove(void **state)
{
	(void)state;
	return nftw(user_home, user_home_drop, 16, FTW_DEPTH | FTW_PHYS);
}
