/* spool.c - lists and locks a folder of captures, and repairs incomplete ones.
 *
 * A capture gets the name of a complete capture only when it is complete; then
 * its parts are removed. If the capture and its parts both exist, a client was
 * killed before it removed the parts. */
#include "spool.h"
#include "kernsift/kst_tail.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool spool_name_ends(const char *name, size_t *len, const char *with)
{
	size_t n = strlen(with);

	if (*len <= n || memcmp(name + *len - n, with, n) != 0)
		return false;
	*len -= n;
	return true;
}

/* Reads the number at the end of the name and the dash before it. */
static bool spool_name_number(const char *name, size_t *len, uint64_t *to)
{
	size_t from = *len;
	uint64_t scale = 1;

	*to = 0;
	while (from && isdigit((unsigned char)name[from - 1])) {
		uint64_t digit = (uint64_t)(name[--from] - '0');
		uint64_t part;
		if (__builtin_mul_overflow(digit, scale, &part) ||
			__builtin_add_overflow(*to, part, to) ||
			*len - from > 19)
			return false;
		scale *= 10;
	}
	if (from == *len || from < 2 || name[from - 1] != '-')
		return false;
	*len = from - 1;
	return true;
}

struct spool_name spool_name_from(const char *name)
{
	struct spool_name n = { .kind = SPOOL_WHOLE };
	size_t len = strlen(name);

	if (spool_name_ends(name, &len, ".part"))
		n.kind = SPOOL_PART;
	else if (spool_name_ends(name, &len, ".tail"))
		n.kind = SPOOL_TAIL;
	else if (spool_name_ends(name, &len, ".merging"))
		n.kind = SPOOL_MERGING;
	n.stem_len = len;
	if (!spool_name_ends(name, &len, ".kst") ||
		!spool_name_number(name, &len, &n.number) ||
		!spool_name_number(name, &len, &n.ticks) ||
		!spool_name_number(name, &len, &n.pid))
		return (struct spool_name){ SPOOL_FOREIGN, 0, 0, 0, 0, 0 };
	n.host_len = len;
	return n;
}

/* The name of this machine as a collector writes it. */
static void spool_host(char to[static SPOOL_HOST])
{
	if (gethostname(to, SPOOL_HOST - 1) || !*to)
		memcpy(to, "host", sizeof "host");
	to[SPOOL_HOST - 1] = '\0';
	for (char *c = to; *c; c++)
		if (!isascii((unsigned char)*c) ||
			(!isalnum((unsigned char)*c) && *c != '-'))
			*c = '_';
}

bool spool_name_here(const struct spool_name *n, const char *name,
	const char *host)
{
	size_t len = strlen(host);

	return (n->host_len == len && !memcmp(name, host, len)) ||
	       (n->host_len == 4 && !memcmp(name, "host", 4));
}

#define LOCK ".kernsift.lock"

static bool spool_take_lock(struct spool *s, struct err *e)
{
	s->lock = openat(s->folder, LOCK,
		O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600);
	if (s->lock < 0)
		return err_set(e, ERR_FILE, "cannot write to '%s': %s", s->path,
			strerror(errno));
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
		err_set(e, ERR_FILE, "cannot open the folder '%s': %s", path,
			strerror(errno));
	if (s->folder >= 0 && spool_take_lock(s, e))
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

static int spool_by_age(const void *a, const void *b)
{
	const struct spool_entry *x = a, *y = b;

	if (x->changed_s != y->changed_s)
		return x->changed_s < y->changed_s ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Whether a file has a name of the collector, and its kind. */
static bool spool_entry_from(const struct spool *s, const char *name,
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
		return err_set(e, ERR_FILE, "the folder '%s' no longer exists",
			s->path);
	}
	if (!dir) {
		err_set(e, ERR_FILE, "cannot read the folder '%s': %s", s->path,
			strerror(errno));
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
		l->n += spool_entry_from(s, d->d_name, &l->at[l->n]);
	}
	closedir(dir);
	if (l->n)
		qsort(l->at, l->n, sizeof *l->at, spool_by_age);
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
		err_set(e, ERR_FILE, "cannot read '%s/%s': %s", s->path, name,
			strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		err_set(e, ERR_FILE, "'%s/%s' is not a regular file", s->path,
			name);
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
	       err_set(e, ERR_FILE, "cannot remove '%s/%s': %s", s->path, name,
		       strerror(errno));
}

enum {
	PATH = 4096,
	YOUNG_S = 60, /* a short file that is younger may still grow */
	CONTENT_MIN = 16, /* shortest capture with any content */
};

struct spool_repairer {
	const struct spool *s;
	spool_say_fn *say;
	void *ctx;
	int64_t now_s, old_s;
};

static void spool_report(const struct spool_repairer *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void spool_report(const struct spool_repairer *m, const char *fmt, ...)
{
	char sentence[600];
	va_list args;

	va_start(args, fmt);
	vsnprintf(sentence, sizeof sentence, fmt, args);
	va_end(args);
	m->say(m->ctx, sentence);
}

static bool spool_is_there(const struct spool *s, const char *name)
{
	struct stat st;

	return !fstatat(s->folder, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISREG(st.st_mode);
}

static bool spool_path_of(const struct spool *s, char to[static PATH],
	const struct spool_entry *f, const char *suffix)
{
	int n = snprintf(to, PATH, "%s/%.*s%s", s->path, (int)f->is.stem_len,
		f->name, suffix);

	return n > 0 && n < PATH;
}

static void spool_remove_parts(const struct spool *s,
	const struct spool_entry *f)
{
	static const char *const suffixes[] = { ".part", ".tail" };
	char name[SPOOL_NAME_MAX + 8];

	for (int i = 0; i < 2; i++) {
		snprintf(name, sizeof name, "%.*s%s", (int)f->is.stem_len,
			f->name, suffixes[i]);
		unlinkat(s->folder, name, 0);
	}
}

/* Whether no process will write to the part any more. */
static bool spool_is_left(const struct spool_repairer *m,
	const struct spool_entry *f)
{
	char path[PATH];

	if (!spool_path_of(m->s, path, f, ".part"))
		return true; /* spool_merge() reports it */
	if (kst_part_in_use(path) ||
		(f->bytes < CONTENT_MIN &&
			m->now_s - f->changed_s <
				(m->old_s < YOUNG_S ? m->old_s : YOUNG_S)))
		return false;
	return spool_name_here(&f->is, f->name, m->s->host) ||
	       m->now_s - f->changed_s >= m->old_s;
}

/* Merges a part and its tail to a complete capture. Returns true if this is
 * impossible; the part then stays. */
static bool spool_merge(const struct spool_repairer *m,
	const struct spool_entry *f)
{
	char part[PATH], tail[PATH], whole[PATH], why[256] = "";
	char tail_name[SPOOL_NAME_MAX + 8];
	struct kst_merged got = { 0 };

	snprintf(tail_name, sizeof tail_name, "%.*s.tail", (int)f->is.stem_len,
		f->name);
	if (!spool_path_of(m->s, part, f, ".part") ||
		!spool_path_of(m->s, tail, f, ".tail") ||
		!spool_path_of(m->s, whole, f, "")) {
		spool_report(m,
			"'%s' cannot be repaired and stays: its path is too long",
			f->name);
		return true;
	}
	if (f->bytes < CONTENT_MIN) {
		spool_remove_parts(m->s, f);
	} else if (kst_tail_merge(part,
			   spool_is_there(m->s, tail_name) ? tail : NULL, whole,
			   &got, why)) {
		spool_report(m,
			"'%.*s' is of a killed process: %lld rows of it and "
			"%lld rows of its tail are kept",
			(int)f->is.stem_len, f->name, (long long)got.rows,
			(long long)got.tail_rows);
		spool_remove_parts(m->s, f);
	} else if (spool_is_there(m->s,
			   /* it may have been completed meanwhile */
			   f->name)) {
		spool_report(m, "'%s/%s' cannot be repaired and stays: %s",
			m->s->path, f->name, why);
		return true;
	}
	return false;
}

/* Removes a tail that has no part. This is safe, because a tail is created
 * after its part and removed with it. */
static void spool_lone_tail(const struct spool *s, const struct spool_entry *f)
{
	char part[SPOOL_NAME_MAX + 8];

	snprintf(part, sizeof part, "%.*s.part", (int)f->is.stem_len, f->name);
	if (!spool_is_there(s, part))
		unlinkat(s->folder, f->name, 0);
}

struct spool_repaired spool_repair(const struct spool *s, int64_t old_s,
	spool_say_fn *say, void *ctx)
{
	struct spool_repairer m = { s, say, ctx, (int64_t)time(NULL), old_s };
	struct spool_list l;
	struct err e = { 0 };
	struct spool_repaired out = { 0 };

	if (!spool_list(s, &l, &e))
		return out;
	for (uint32_t i = 0; i < l.n; i++) {
		const struct spool_entry *f = &l.at[i];
		char whole[SPOOL_NAME_MAX];
		if (f->is.kind == SPOOL_WHOLE)
			continue;
		/* An incomplete merge, which is repeated while the lock is
		 * held. */
		if (f->is.kind == SPOOL_MERGING) {
			unlinkat(s->folder, f->name, 0);
			continue;
		}
		snprintf(whole, sizeof whole, "%.*s", (int)f->is.stem_len,
			f->name);
		if (spool_is_there(s, whole)) {
			spool_remove_parts(s, f);
			continue;
		}
		if (f->is.kind == SPOOL_TAIL)
			spool_lone_tail(s, f);
		else if (spool_is_left(&m, f))
			out.stuck += spool_merge(&m, f);
		else
			out.growing++;
	}
	spool_list_release(&l);
	return out;
}
