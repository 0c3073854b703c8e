/* spool_mend.c - captures of processes that were killed become whole.
 *
 * A whole capture is there under its name only when it is complete; then its
 * parts go. So where both are there, the parts are what a client that was
 * killed did not come to remove. */
#include "spool.h"
#include "kernsift/kst_tail.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PATH = 4096,
	YOUNG_S = 60, /* so young, a file that is too short may be growing */
	LEAST = 16, /* bytes of a capture that holds anything */
};

struct mender {
	const struct spool *s;
	spool_say_fn *say;
	void *ctx;
	int64_t now_s, old_s;
};

static void tell(const struct mender *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void tell(const struct mender *m, const char *fmt, ...)
{
	char sentence[600];
	va_list args;

	va_start(args, fmt);
	vsnprintf(sentence, sizeof sentence, fmt, args);
	va_end(args);
	m->say(m->ctx, sentence);
}

static bool is_there(const struct spool *s, const char *name)
{
	struct stat st;

	return !fstatat(s->folder, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISREG(st.st_mode);
}

static bool path_of(const struct spool *s, char to[static PATH],
	const struct spool_entry *f, const char *suffix)
{
	int n = snprintf(to, PATH, "%s/%.*s%s", s->path, (int)f->is.stem_len,
		f->name, suffix);

	return n > 0 && n < PATH;
}

static void remove_parts(const struct spool *s, const struct spool_entry *f)
{
	static const char *const suffixes[] = { ".part", ".tail" };
	char name[SPOOL_NAME_MAX + 8];

	for (int i = 0; i < 2; i++) {
		snprintf(name, sizeof name, "%.*s%s", (int)f->is.stem_len,
			f->name, suffixes[i]);
		unlinkat(s->folder, name, 0);
	}
}

/* Whether nobody will add to it any more. */
static bool is_left(const struct mender *m, const struct spool_entry *f)
{
	char path[PATH];

	if (!path_of(m->s, path, f, ".part"))
		return true; /* which merge() tells */
	if (kst_part_held(path) ||
		(f->bytes < LEAST &&
			m->now_s - f->changed_s <
				(m->old_s < YOUNG_S ? m->old_s : YOUNG_S)))
		return false;
	return spool_name_here(&f->is, f->name, m->s->host) ||
	       m->now_s - f->changed_s >= m->old_s;
}

/* Whether the part stays as it is. */
static bool merge(const struct mender *m, const struct spool_entry *f)
{
	char part[PATH], tail[PATH], whole[PATH], why[256] = "";
	char tail_name[SPOOL_NAME_MAX + 8];
	struct kst_merged got = { 0 };

	snprintf(tail_name, sizeof tail_name, "%.*s.tail", (int)f->is.stem_len,
		f->name);
	if (!path_of(m->s, part, f, ".part") ||
		!path_of(m->s, tail, f, ".tail") ||
		!path_of(m->s, whole, f, "")) {
		tell(m, "'%s' cannot be made whole and stays: its path is long",
			f->name);
		return true;
	}
	if (f->bytes < LEAST) {
		remove_parts(m->s, f);
	} else if (kst_tail_merge(part, is_there(m->s, tail_name) ? tail : NULL,
			   whole, &got, why)) {
		tell(m,
			"'%.*s' was left by a process that was killed: %lld "
			"rows were in it and %lld in its tail",
			(int)f->is.stem_len, f->name, (long long)got.rows,
			(long long)got.tail_rows);
		remove_parts(m->s, f);
	} else if (is_there(m->s, f->name)) { /* not finished meanwhile */
		tell(m, "'%s/%s' cannot be made whole and stays: %s",
			m->s->path, f->name, why);
		return true;
	}
	return false;
}

/* A tail comes after its capture's part and goes with it. */
static void lone_tail(const struct spool *s, const struct spool_entry *f)
{
	char part[SPOOL_NAME_MAX + 8];

	snprintf(part, sizeof part, "%.*s.part", (int)f->is.stem_len, f->name);
	if (!is_there(s, part))
		unlinkat(s->folder, f->name, 0);
}

struct spool_mended spool_mend(const struct spool *s, int64_t old_s,
	spool_say_fn *say, void *ctx)
{
	struct mender m = { s, say, ctx, (int64_t)time(NULL), old_s };
	struct spool_list l;
	struct err e = { 0 };
	struct spool_mended out = { 0 };

	if (!spool_list(s, &l, &e))
		return out;
	for (uint32_t i = 0; i < l.n; i++) {
		const struct spool_entry *f = &l.at[i];
		char whole[SPOOL_NAME_MAX];
		if (f->is.kind == SPOOL_WHOLE)
			continue;
		/* Half of a merge, which whoever holds the lock does again. */
		if (f->is.kind == SPOOL_MERGING) {
			unlinkat(s->folder, f->name, 0);
			continue;
		}
		snprintf(whole, sizeof whole, "%.*s", (int)f->is.stem_len,
			f->name);
		if (is_there(s, whole)) {
			remove_parts(s, f);
			continue;
		}
		if (f->is.kind == SPOOL_TAIL)
			lone_tail(s, f);
		else if (is_left(&m, f))
			out.stuck += merge(&m, f);
		else
			out.growing++;
	}
	spool_list_release(&l);
	return out;
}
