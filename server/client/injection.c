/* injection.c - looks for the library, sets the variables. */
#include "injection.h"
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#define LIBRARY "libkernsift_cupti.so"
_Static_assert(INJECTION_PATH >= PATH_MAX, "realpath() needs as much");

/* Whether FOLDER/BETWEEN/LIBRARY is there; `to` is then its whole path. */
static bool is_there(const char *folder, const char *between,
	char to[static INJECTION_PATH])
{
	char path[INJECTION_PATH];
	int n = snprintf(path, sizeof path, "%s/%s" LIBRARY, folder, between);

	return n > 0 && n < (int)sizeof path && !access(path, R_OK) &&
	       realpath(path, to);
}

/* The folder that this program lies in. */
static bool own_folder(char to[static INJECTION_PATH])
{
	ssize_t n = readlink("/proc/self/exe", to, INJECTION_PATH - 1);
	char *slash;

	if (n <= 0)
		return false;
	to[n] = '\0';
	slash = strrchr(to, '/');
	if (!slash)
		return false;
	*slash = '\0';
	return true;
}

bool injection_find(const char *named, char to[static INJECTION_PATH],
	struct err *e)
{
	char own[INJECTION_PATH];

	if (*named && (access(named, R_OK) || !realpath(named, to)))
		return err_set(e, ERR_INPUT, "cannot use the library '%s': %s",
			named, strerror(errno));
	if (*named)
		return true;
	if (own_folder(own) &&
		(is_there(own, "", to) || is_there(own, "../lib/", to)))
		return true;
	return is_there(KERNSIFT_LIBDIR, "", to) ||
	       err_set(e, ERR_INPUT,
		       LIBRARY " is neither beside this program nor in ../lib "
			       "nor in '%s'; name it with --library",
		       KERNSIFT_LIBDIR);
}

static void set_path(const char *variable, const char *library,
	const char *what, struct meter *m)
{
	const char *is = getenv(variable);

	if (is && *is && strcmp(is, library) != 0)
		meter_say(m,
			"kernsift: %s is set to '%s' and stays so: without "
			"that library's help there will be no %s; --chain can "
			"start it after ours, once the variable is unset",
			variable, is, what);
	else
		setenv(variable, library, 1);
}

void injection_set(const char *library, const char *folder,
	const struct text_list *trace, struct meter *m)
{
	set_path("CUDA_INJECTION64_PATH", library, "kernels", m);
	set_path("NVTX_INJECTION64_PATH", library, "NVTX ranges", m);
	for (int i = 0; i < trace->n; i++) {
		char *name = strdup(trace->at[i]);
		char *equals = name ? strchr(name, '=') : NULL;
		if (!equals)
			abort();
		*equals = '\0';
		setenv(name, equals + 1, 1);
		free(name);
	}
	setenv("KERNSIFT_TRACE_DIR", folder, 1);
}
