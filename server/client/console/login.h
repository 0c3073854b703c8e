/* login.h - the file in which `kernsift login` stores a server's address and a token.
 *
 * The file is kernsift/login.json in $XDG_CONFIG_HOME or in ~/.config. It is only used
 * if no other user can read it. */
#pragma once
#include "err.h"
#include <limits.h>
#include <stdbool.h>

struct login {
	char *server; /* NULL: nothing is stored */
	char *token; /* NULL: no token */
};

enum { LOGIN_PATH = PATH_MAX };

/* The path of the file; "" if the user has no home folder. */
void login_path(char to[static LOGIN_PATH]);
/* Reads the file. Returns true if there is none; false with a message if it cannot be
 * used. The caller releases *l in both cases. */
bool login_read(struct login *l, struct err *e);
void login_release(struct login *l);
