/* login.c - finds and reads the file of `kernsift login`. */
#include "login.h"
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void login_path(char to[static LOGIN_PATH])
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	int n = 0;

	*to = '\0';
	/* the XDG specification ignores paths that are not absolute */
	if (config && *config == '/')
		n = snprintf(to, LOGIN_PATH, "%s/kernsift/login.json", config);
	else if (home && *home == '/')
		n = snprintf(to, LOGIN_PATH, "%s/.config/kernsift/login.json",
			home);
	if (n >= LOGIN_PATH)
		*to = '\0';
}

/* A copy of a text member; NULL if it is no text or empty. */
static char *login_copy(const json_t *v, const char *key)
{
	const char *s = json_string_value(json_object_get(v, key));
	char *copy = s && *s ? strdup(s) : NULL;

	if (s && *s && !copy)
		abort();
	return copy;
}

static bool login_read_open(struct login *l, int fd, const char *path,
	struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return err_set(e, ERR_FILE, "'%.300s' is not a file", path);
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		return err_set(e, ERR_INPUT,
			"other users can read '%.300s', which can contain a "
			"token (run 'chmod 600' on it, or 'kernsift login' "
			"again)",
			path);
	json_t *v = json_loadfd(fd, JSON_REJECT_DUPLICATES, NULL);
	l->server = login_copy(v, "server");
	l->token = login_copy(v, "token");
	json_decref(v);
	return l->server ||
	       err_set(e, ERR_INPUT,
		       "'%.300s' is damaged (run 'kernsift login' again)",
		       path);
}

bool login_read(struct login *l, struct err *e)
{
	char path[LOGIN_PATH];

	*l = (struct login){ 0 };
	login_path(path);
	int fd = *path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return !*path || errno == ENOENT || errno == ENOTDIR ||
		       err_set(e, ERR_FILE, "cannot open '%.300s': %s", path,
			       strerror(errno));
	bool ok = login_read_open(l, fd, path, e);
	close(fd);
	return ok;
}

void login_release(struct login *l)
{
	free(l->server);
	free(l->token);
	*l = (struct login){ 0 };
}
