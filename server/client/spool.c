/* spool.c - opens, lists and locks a folder of captures. */
#include "spool.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK ".kernsift.lock"

static bool take_lock(struct spool *s, struct err *e)
{
	s->lock = openat(s->folder, LOCK,
		O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600);
	if (s->lock < 0)
		return err_set(e, ERR_INPUT, "cannot write to '%s': %s",
			s->path, strerror(errno));
	if (flock(s->lock, LOCK_EX | LOCK_NB))
		return err_set(e, ERR_CONFLICT,
			errno == EWOULDBLOCK
				? "'%s' is being sent by another kernsift"
				: "'%s' cannot be locked",
			s->path);
	return true;
}

bool spool_open(struct spool *s, const char *path, struct err *e)
{
	*s = (struct spool){ .folder = -1, .lock = -1 };
	s->path = strdup(path);
	if (!s->path)
		abort();
	spool_host(s->host);
	s->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->folder < 0)
		err_set(e, ERR_INPUT, "cannot open the folder '%s': %s", path,
			strerror(errno));
	if (s->folder >= 0 && take_lock(s, e))
		return true;
	spool_release(s);
	return false;
}

void spool_release(struct spool *s)
{
	if (s->lock >= 0)
		close(s->lock);
	if (s->folder >= 0)
		close(s->folder);
	free(s->path);
	*s = (struct spool){ .folder = -1, .lock = -1 };
}

static int by_age(const void *a, const void *b)
{
	const struct spool_entry *x = a, *y = b;

	if (x->changed_s != y->changed_s)
		return x->changed_s < y->changed_s ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Whether it is one of ours, and then what. */
static bool entry_from(const struct spool *s, const char *name,
	struct spool_entry *to)
{
	struct stat st;

	*to = (struct spool_entry){ .is = spool_name_from(name) };
	if (to->is.kind == SPOOL_FOREIGN || strlen(name) >= sizeof to->name ||
		fstatat(s->folder, name, &st, AT_SYMLINK_NOFOLLOW) ||
		!S_ISREG(st.st_mode))
		return false;
	snprintf(to->name, sizeof to->name, "%s", name);
	to->changed_s = st.st_mtime;
	to->bytes = st.st_size;
	return true;
}

bool spool_list(const struct spool *s, struct spool_list *l, struct err *e)
{
	int fd = openat(s->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;
	struct stat st;
	uint32_t cap = 0;

	*l = (struct spool_list){ 0 };
	if (dir && !fstat(fd, &st) && !st.st_nlink) {
		closedir(dir);
		return err_set(e, ERR_INPUT, "the folder '%s' is gone",
			s->path);
	}
	if (!dir) {
		err_set(e, ERR_INPUT, "cannot read the folder '%s': %s",
			s->path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (l->n < SPOOL_LIST_MAX && (d = readdir(dir))) {
		if (l->n == cap) {
			cap = cap * 2 + 64;
			l->at = realloc(l->at, cap * sizeof *l->at);
			if (!l->at)
				abort();
		}
		l->n += entry_from(s, d->d_name, &l->at[l->n]);
	}
	closedir(dir);
	if (l->n)
		qsort(l->at, l->n, sizeof *l->at, by_age);
	return true;
}

void spool_list_release(struct spool_list *l)
{
	free(l->at);
	*l = (struct spool_list){ 0 };
}

int spool_read(const struct spool *s, const char *name, struct err *e)
{
	struct stat st;
	int fd = openat(s->folder, name,
		O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st)) {
		err_set(e, ERR_INPUT, "cannot read '%s/%s': %s", s->path, name,
			strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		err_set(e, ERR_INPUT, "'%s/%s' is no file", s->path, name);
	} else {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

bool spool_remove(const struct spool *s, const char *name, struct err *e)
{
	return !unlinkat(s->folder, name, 0) || errno == ENOENT ||
	       err_set(e, ERR_INPUT, "cannot remove '%s/%s': %s", s->path, name,
		       strerror(errno));
}
