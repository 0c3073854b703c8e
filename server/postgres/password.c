/* password.c - one line of a file. */
#include "password.h"
#include <errno.h>

enum { LONGEST = 1000 };

bool password_take(const char *path, struct err *e)
{
	char line[LONGEST + 2] = { 0 };
	if (!*path)
		return true;
	FILE *f = fopen(path, "re");
	bool any = f && fgets(line, sizeof line, f);
	int why = errno;
	bool bad = !f || ferror(f);
	if (f)
		fclose(f);
	if (bad)
		return err_set(e, ERR_INPUT,
			"--db-password-file '%.200s' cannot be read: %s", path,
			strerror(why));
	size_t len = strcspn(line, "\r\n");
	if (!any || !len || len > LONGEST)
		return err_set(e, ERR_INPUT,
			"--db-password-file '%.200s' has no password in its "
			"first line, of at most %d bytes",
			path, LONGEST);
	line[len] = '\0';
	setenv("PGPASSWORD", line, 1);
	return true;
}
