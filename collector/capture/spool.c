/* spool.c - the spool folder, file names, and the list of files that this
 * process wrote. */
#include "spool.h"
#include "log.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The start time of this process. Together with the pid it identifies the
 * process. */
static unsigned long long spool_start_ticks(void)
{
	char text[1024];
	unsigned long long ticks = 0;
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	/* The program's name may contain any characters. Field 22 is the 20th
	 * field after it. */
	const char *at = strrchr(text, ')');
	for (int i = 0; at && i < 20; i++)
		at = strchr(at + 1, ' ');
	if (at)
		sscanf(at, " %llu", &ticks);
	return ticks;
}

void spool_init(struct capture_spool *s, const struct collector_options *o)
{
	*s = (struct capture_spool){ .options = o, .folder = -1 };
	if (gethostname(s->host, sizeof s->host - 1) || !s->host[0] ||
		pattern_matches(&o->drop, s->host) ||
		pattern_matches(&o->hash, s->host))
		snprintf(s->host, sizeof s->host, "host");
	for (char *c = s->host; *c; c++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwx"
			    "yz0123456789-_",
			    *c))
			*c = '_';
	s->pid = (long)getpid();
	s->ticks = spool_start_ticks();
}

/* Creates a folder and its parents. They may exist already. */
static void spool_folders_make(const char *path)
{
	char at[PATH_MAX];
	if ((size_t)snprintf(at, sizeof at, "%s", path) >= sizeof at)
		return;
	for (char *c = at + 1; *c; c++)
		if (*c == '/') {
			*c = '\0';
			mkdir(at, 0700);
			*c = '/';
		}
	mkdir(at, 0700);
}

static int spool_folder_open(const char *path, bool ours_alone)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC |
				    (ours_alone ? O_NOFOLLOW : 0));
	if (fd < 0)
		return -1;
	bool ok = !faccessat(fd, ".", W_OK | X_OK, AT_EACCESS);
	if (ok && ours_alone)
		ok = !fstat(fd, &st) && st.st_uid == geteuid() &&
		     !(st.st_mode & 077);
	if (ok)
		return fd;
	close(fd);
	errno = EACCES;
	return -1;
}

/* Any user may create anything in /tmp. So the folder there must belong to
 * this user and be closed to other users. */
static int spool_fallback_open(void)
{
	char path[64];
	snprintf(path, sizeof path, "/tmp/kernsift-%ld", (long)geteuid());
	mkdir(path, 0700);
	return spool_folder_open(path, true);
}

bool spool_open(struct capture_spool *s)
{
	char wanted[OPTIONS_PATH];
	if (fd_guard_holds(&s->opened, s->folder))
		return true;
	s->folder = -1;
	bool known = options_folder(s->options, wanted);
	int failed = ENOENT;
	if (known) {
		spool_folders_make(wanted);
		s->folder = spool_folder_open(wanted, false);
		failed = errno;
	}
	s->opened = fd_guard_of(s->folder);
	if (s->folder >= 0)
		return true;
	s->folder = spool_fallback_open();
	s->opened = fd_guard_of(s->folder);
	if (!s->complained)
		log_line("the spool folder '%s' cannot be written to (%s): %s",
			known ? wanted : "", strerror(failed),
			s->folder < 0 ? "nothing is recorded"
				      : "captures go to a folder in /tmp");
	s->complained = true;
	return s->folder >= 0;
}

void spool_close(struct capture_spool *s)
{
	fd_guard_close(&s->opened, s->folder);
	s->folder = -1;
}

void spool_name(const struct capture_spool *s, char name[static SPOOL_NAME],
	uint32_t n, const char *suffix)
{
	snprintf(name, SPOOL_NAME, "%s-%ld-%llu-%u%s", s->host, s->pid,
		s->ticks, n, suffix);
}

/* Before an exec, another program in this process may have used some
 * numbers. */
static bool spool_is_free(const struct capture_spool *s, uint32_t n)
{
	static const char *const taken[] = { ".kst", ".kst.part", ".kst.tail" };
	char name[SPOOL_NAME];
	struct stat st;
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
		spool_name(s, name, n, taken[i]);
		if (!fstatat(s->folder, name, &st, AT_SYMLINK_NOFOLLOW))
			return false;
	}
	return true;
}

int spool_make(struct capture_spool *s, uint32_t *number)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char name[SPOOL_NAME];
	if (!spool_open(s)) {
		errno = ENOENT;
		return -1;
	}
	for (; s->next < UINT32_MAX; s->next++) {
		if (!spool_is_free(s, s->next))
			continue;
		spool_name(s, name, s->next, ".kst.part");
		int fd = openat(s->folder, name,
			O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_APPEND,
			0600);
		if (fd < 0 && errno == EEXIST)
			continue;
		if (fd < 0)
			return -1;
		/* A file system without locks is not an error: see
		 * kst_part_in_use(). */
		fcntl(fd, F_SETLK, &lock);
		*number = s->next++;
		return fd;
	}
	errno = EEXIST;
	return -1;
}

bool spool_finish(struct capture_spool *s, uint32_t number)
{
	char part[SPOOL_NAME], whole[SPOOL_NAME], tail[SPOOL_NAME];
	spool_name(s, part, number, ".kst.part");
	spool_name(s, whole, number, ".kst");
	spool_name(s, tail, number, ".kst.tail");
	if (!spool_open(s) || renameat(s->folder, part, s->folder, whole))
		return false;
	unlinkat(s->folder, tail, 0);
	return true;
}

/* Deletes the oldest file. False if the uploader had taken it already. */
static bool spool_forget_oldest(struct capture_spool *s)
{
	static const char *const suffixes[] = { ".kst", ".kst.part",
		".kst.tail" };
	const struct spool_file *f = &s->files[s->first];
	char name[SPOOL_NAME];
	bool was = false;
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		if (f->part == (i == 0))
			continue;
		spool_name(s, name, f->number, suffixes[i]);
		was |= !unlinkat(s->folder, name, 0);
	}
	s->bytes -= f->bytes;
	s->lost_rows += was ? f->rows : 0;
	s->first = (s->first + 1) % SPOOL_FILES;
	s->files_n--;
	return was;
}

void spool_add(struct capture_spool *s, const struct spool_file *f)
{
	if (s->files_n == SPOOL_FILES) {
		spool_open(s);
		spool_forget_oldest(s);
	}
	s->files[(s->first + s->files_n++) % SPOOL_FILES] = *f;
	s->bytes += f->bytes;
}

void spool_keep(struct capture_spool *s, uint64_t most)
{
	bool deleted = false, was_open = s->folder >= 0;
	if (s->files_n && s->bytes > most && !spool_open(s))
		return;
	while (s->files_n && s->bytes > most)
		deleted |= spool_forget_oldest(s);
	if (!was_open)
		spool_close(s);
	if (deleted)
		log_line_once(
			"older captures of this process are deleted to keep "
			"its share of the disk");
}
