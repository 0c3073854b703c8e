/* orphan_postgres.c - finds a cluster's processes in /proc and ends them. */
#include "orphan_postgres.h"
#include "log.h"
#include <dirent.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAP_MS = 20, FAST_MS = 30000, QUIT_MS = 5000, KILL_MS = 10000 };

static bool orphan_postgres_is_postgres(const char *pid)
{
	char path[64], exe[512];
	snprintf(path, sizeof path, "/proc/%.20s/exe", pid);
	ssize_t n = readlink(path, exe, sizeof exe - 1);
	if (n <= 0)
		return false;
	exe[n] = '\0';
	const char *base = strrchr(exe, '/');
	/* " (deleted)" follows if the package was upgraded meanwhile */
	return base && !strncmp(base + 1, "postgres", strlen("postgres"));
}

static bool orphan_postgres_is_in(const char *pid, const struct stat *cluster)
{
	char path[64];
	struct stat st;
	snprintf(path, sizeof path, "/proc/%.20s/cwd", pid);
	return stat(path, &st) == 0 && st.st_ino == cluster->st_ino &&
	       st.st_dev == cluster->st_dev;
}

/* Signals one, if it is what we look for: first a handle on the process, then
 * the look, so that its number cannot become another's in between. */
static bool orphan_postgres_signal_one(const char *pid,
	const struct stat *cluster, int sig)
{
	int fd = pidfd_open((pid_t)strtol(pid, NULL, 10), 0);
	bool is = fd >= 0 && orphan_postgres_is_postgres(pid) &&
		  orphan_postgres_is_in(pid, cluster);
	if (is && sig)
		pidfd_send_signal(fd, sig, NULL, 0);
	if (fd >= 0)
		close(fd);
	return is;
}

/* Signals all of the cluster's processes; how many there are. */
static int orphan_postgres_signal_all(const struct stat *cluster, int sig)
{
	int n = 0;
	DIR *proc = opendir("/proc");
	struct dirent *d;
	while (proc && (d = readdir(proc)))
		if (d->d_name[0] >= '1' && d->d_name[0] <= '9')
			n += orphan_postgres_signal_one(d->d_name, cluster,
				sig);
	if (proc)
		closedir(proc);
	return n;
}

/* Whether none is left within that time. */
static bool orphan_postgres_wait(const struct stat *cluster, int ms)
{
	struct timespec nap = { 0, NAP_MS * 1000000L };
	for (; orphan_postgres_signal_all(cluster, 0) > 0; ms -= NAP_MS) {
		if (ms <= 0)
			return false;
		nanosleep(&nap, NULL);
	}
	return true;
}

static bool orphan_postgres_postmaster_there(const struct data_dir *f,
	const struct stat *cluster)
{
	char path[4200], text[32] = "";
	snprintf(path, sizeof path, "%s/postmaster.pid", f->pg);
	FILE *file = fopen(path, "re");
	bool there = file && fgets(text, sizeof text, file);
	if (file)
		fclose(file);
	text[strcspn(text, "\n")] = '\0';
	return there && *text &&
	       orphan_postgres_signal_one(text, cluster, SIGINT);
}

static bool orphan_postgres_end_all(const struct data_dir *f,
	const struct stat *cluster)
{
	bool master = orphan_postgres_postmaster_there(f, cluster);
	if (!master && orphan_postgres_wait(cluster, 0))
		return true;
	log_warn("cluster leftovers postmaster=%s: ending them",
		master ? "yes" : "no");
	/* Without a postmaster they end by themselves, or need a signal. */
	if (orphan_postgres_wait(cluster, master ? FAST_MS : 1000))
		return true;
	orphan_postgres_signal_all(cluster, SIGQUIT);
	if (orphan_postgres_wait(cluster, QUIT_MS))
		return true;
	orphan_postgres_signal_all(cluster, SIGKILL);
	return orphan_postgres_wait(cluster, KILL_MS);
}

static void orphan_postgres_remove_stale(const struct data_dir *f)
{
	static const char *const names[] = { "/.s.PGSQL.5432",
		"/.s.PGSQL.5432.lock" };
	char path[4200];
	snprintf(path, sizeof path, "%s/postmaster.pid", f->pg);
	unlink(path);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s%s", f->run, names[i]);
		unlink(path);
	}
}

bool orphan_postgres_end(const struct data_dir *f, const struct account *who,
	struct err *e)
{
	struct stat cluster;
	if (stat(f->pg, &cluster) != 0)
		return true;
	/* In a container root may not look at another user's processes, but
	 * as far as files go it may be that user. */
	if (who->other)
		setfsuid(who->uid);
	bool ok = orphan_postgres_end_all(f, &cluster);
	if (who->other)
		setfsuid(geteuid());
	if (!ok)
		return err_set(e, ERR_INTERNAL,
			"processes of an earlier PostgreSQL in '%.200s' do not "
			"end; end them by hand",
			f->pg);
	orphan_postgres_remove_stale(f);
	return true;
}
