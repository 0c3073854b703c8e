/* data_dir.c - finding, making and locking the data folder. */
#include "data_dir.h"
#include "sha256.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* What PostgreSQL adds to the folder of its socket. */
enum { SOCKET_NAME = sizeof "/.s.PGSQL.5432.lock" };

static bool data_dir_default(struct arena *a, const char **path, struct err *e)
{
	const char *home = getenv("HOME");
	struct passwd *pw = getpwuid(geteuid());
	if (!home || *home != '/')
		home = pw ? pw->pw_dir : NULL;
	*path = "/var/lib/kernsift";
	if (geteuid() == 0)
		return true;
	if (!home || *home != '/')
		return err_set(e, ERR_INTERNAL,
			"there is no home folder to keep data in; give --data");
	*path = arena_printf(a, "%s/.local/share/kernsift", home);
	return true;
}

static bool data_dir_make(struct arena *a, const char *path, struct err *e)
{
	char *at = arena_strdup(a, path);
	for (char *p = at + 1;; p++) {
		if (*p && *p != '/')
			continue;
		char was = *p;
		*p = '\0';
		if (mkdir(at, was ? 0755 : 0711) != 0 && errno != EEXIST)
			return err_set(e, ERR_INTERNAL,
				"the folder '%.200s' cannot be made: %s", at,
				strerror(errno));
		*p = was;
		if (!was)
			return true;
	}
}

/* A socket's path has room for 107 bytes, and libpq and PostgreSQL read commas
 * and quotes in it as more than a name. If the data folder's path is longer or
 * odder than that, the socket is in a short folder named after it. */
static const char *data_dir_run_path(struct arena *a, const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._+:@~-";
	uint8_t digest[SHA256_BYTES];
	char hex[SHA256_HEX];
	const char *run = arena_printf(a, "%s/run", path);
	size_t room = sizeof(((struct sockaddr_un *)0)->sun_path) - SOCKET_NAME;
	if (strlen(run) <= room && !run[strspn(run, plain)])
		return run;
	sha256_of(path, strlen(path), digest);
	sha256_hex(digest, hex);
	if (geteuid() == 0)
		return arena_printf(a, "/run/kernsift-%.16s", hex);
	return arena_printf(a, "/tmp/kernsift-%u-%.16s", geteuid(), hex);
}

bool data_dir_open(struct data_dir *f, const char *data, struct arena *a,
	struct err *e)
{
	char real[PATH_MAX];
	struct stat st;
	*f = (struct data_dir){ .lock = -1 };
	if (!*data && !data_dir_default(a, &data, e))
		return false;
	if (!data_dir_make(a, data, e))
		return false;
	if (!realpath(data, real) || stat(real, &st) != 0)
		return err_set(e, ERR_INTERNAL,
			"the data folder '%.200s' cannot be used: %s", data,
			strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ERR_INTERNAL,
			"the data folder '%.200s' is not a folder", data);
	if (access(real, W_OK | X_OK) != 0)
		return err_set(e, ERR_INTERNAL,
			"the data folder '%.200s' cannot be written to: %s",
			data, strerror(errno));
	/* Root's cluster belongs to another, who has to pass. */
	if (geteuid() == 0 && !(st.st_mode & S_IXOTH))
		chmod(real, (st.st_mode & 07777) | S_IXGRP | S_IXOTH);
	f->path = arena_strdup(a, real);
	f->pg = arena_printf(a, "%s/pg", real);
	f->fresh = arena_printf(a, "%s/pg.new", real);
	f->hba = arena_printf(a, "%s/hba.conf", real);
	f->ident = arena_printf(a, "%s/ident.conf", real);
	f->log = arena_printf(a, "%s/postgres.log", real);
	f->run = data_dir_run_path(a, real);
	return true;
}

bool data_dir_lock(struct data_dir *f, bool serves, struct err *e)
{
	char path[PATH_MAX + 8], text[64] = { 0 };
	snprintf(path, sizeof path, "%s/lock", f->path);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	f->holder = 0;
	f->holder_serves = false;
	if (fd < 0)
		return err_set(e, ERR_INTERNAL, "'%.200s' cannot be opened: %s",
			path, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (pread(fd, text, sizeof text - 1, 0) > 0) {
			f->holder = strtol(text, NULL, 10);
			f->holder_serves = strstr(text, "serve") != NULL;
		}
		close(fd);
		return false;
	}
	f->lock = fd;
	/* Only information for users and for a process that finds the folder
	 * in use: the lock itself is the flock. */
	if (ftruncate(fd, 0) == 0)
		dprintf(fd, "%ld %s\n", (long)getpid(),
			serves ? "serve" : "command");
	return true;
}

void data_dir_unlock(struct data_dir *f)
{
	if (f->lock >= 0)
		close(f->lock);
	f->lock = -1;
}

bool data_dir_run(const struct data_dir *f, const struct account *who,
	struct err *e)
{
	struct stat st;
	if (mkdir(f->run, 0700) != 0 && errno != EEXIST)
		return err_set(e, ERR_INTERNAL,
			"the socket's folder '%.150s' cannot be made: %s",
			f->run, strerror(errno));
	int fd = open(f->run, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool ours = fd >= 0 && fstat(fd, &st) == 0 &&
		    (st.st_uid == who->uid || st.st_uid == geteuid());
	bool ok = ours && fchown(fd, who->uid, who->gid) == 0 &&
		  fchmod(fd, 0700) == 0;
	if (fd >= 0)
		close(fd);
	return ok || err_set(e, ERR_INTERNAL,
			     "the socket's folder '%.150s' is somebody else's "
			     "or cannot be "
			     "made private; remove it",
			     f->run);
}
