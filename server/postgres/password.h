/* password.h - the database's password from a file, as containers hand them out. */
#pragma once
#include "err.h"

/* Its first line becomes what libpq takes where --db names none: PGPASSWORD, in
 * our environment and that of our workers. "" is no file. */
bool password_take(const char *path, struct err *e);
