/* run_folder.c - made for a command, gone when nothing is left in it. */
#include "run_folder.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOG "collector.log"
#define EACH "/run-XXXXXX"
#define LOCK ".kernsift.lock"

/* A folder and those above it; what is there is fine. */
static bool make_all(char *path)
{
	for (char *at = path + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		int failed = mkdir(path, 0700) && errno != EEXIST;
		*at = '/';
		if (failed)
			return false;
	}
	return !mkdir(path, 0700) || errno == EEXIST;
}

/* Whether it is ours alone: anybody may make folders in /tmp, or links. */
static bool is_own(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool own = fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid() &&
		   (st.st_mode & 07777) == 0700;

	if (fd >= 0)
		close(fd);
	return own;
}

/* Where there is no home. Where ours is somebody else's there is none around
 * the command's. */
static const char *below_tmp(char to[static RUN_FOLDER])
{
	snprintf(to, RUN_FOLDER, "/tmp/kernsift-%ld", (long)geteuid());
	if ((!mkdir(to, 0700) || errno == EEXIST) && is_own(to))
		return EACH;
	snprintf(to, RUN_FOLDER, "/tmp");
	return "/kernsift-run-XXXXXX";
}

/* How the command's folder is called below `to`. */
static const char *usual(char to[static RUN_FOLDER])
{
	const char *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");

	if (state && *state == '/')
		snprintf(to, RUN_FOLDER, "%s/kernsift/run", state);
	else if (home && *home == '/')
		snprintf(to, RUN_FOLDER, "%s/.local/state/kernsift/run", home);
	else
		return below_tmp(to);
	return EACH;
}

bool run_folder_new(const char *where, char to[static RUN_FOLDER],
	struct err *e)
{
	const char *own = EACH;
	char below[RUN_FOLDER], whole[PATH_MAX];
	int n;

	if (where)
		snprintf(below, sizeof below, "%s", where);
	else
		own = usual(below);
	if (!*below || !make_all(below) || !realpath(below, whole))
		return err_set(e, ERR_INPUT,
			"cannot make the folder '%.300s': %s", below,
			strerror(errno));
	n = snprintf(to, RUN_FOLDER, "%s%s", whole, own);
	if (n < 0 || n >= RUN_FOLDER || !mkdtemp(to))
		return err_set(e, ERR_INPUT,
			"cannot make a folder in '%.300s': %s", whole,
			n < RUN_FOLDER ? strerror(errno) : "its name is long");
	return true;
}

static void remove_file(const char *folder, const char *name)
{
	char path[RUN_FOLDER + 32];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	unlink(path);
}

bool run_folder_remove(const char *path)
{
	remove_file(path, LOG);
	remove_file(path, LOCK);
	return !rmdir(path);
}

bool run_folder_log(const char *path, bool last,
	void (*say)(void *ctx, const char *line), void *ctx)
{
	char name[RUN_FOLDER + 32], line[1024], kept[1024] = "";
	FILE *f;

	snprintf(name, sizeof name, "%s/" LOG, path);
	f = fopen(name, "re");
	if (!f)
		return false;
	while (fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		if (strstr(line, "KERNSIFT_TRACE_"))
			say(ctx, line);
		else
			memcpy(kept, line, sizeof kept);
	}
	if (last && *kept)
		say(ctx, kept);
	fclose(f);
	return true;
}
