/* redact.c - matches texts with two patterns, and manages the key of the
 * hash. */
#include "redact.h"
#include "log.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_FILE "hash-key"
enum { KEY_MOST = 4096 }; /* bytes of the file that are read */

void redact_init(struct redact *r, const struct collector_options *o,
	struct mapped *memory)
{
	*r = (struct redact){ .options = o, .memory = memory };
}

void redact_release(struct redact *r)
{
	mapped_drop(r->memory, r->copy);
	r->copy = NULL;
}

/* The folder of the default key file, for users who named no file. False if
 * there is no home folder. */
static bool redact_folder_of(char to[static OPTIONS_PATH])
{
	const char *state = secure_getenv("XDG_STATE_HOME");
	const char *home = secure_getenv("HOME");
	int n = -1;
	if (state && *state == '/')
		n = snprintf(to, OPTIONS_PATH, "%s/kernsift", state);
	else if (home && *home == '/')
		n = snprintf(to, OPTIONS_PATH, "%s/.local/state/kernsift",
			home);
	return n > 0 && n < OPTIONS_PATH;
}

/* Creates the folder and its parents if they do not exist. */
static int redact_folder_open(void)
{
	char path[OPTIONS_PATH];
	if (!redact_folder_of(path))
		return -1;
	for (char *at = path; (at = strchr(at + 1, '/'));) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
	mkdir(path, 0700);
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The key is made from all bytes of the file, so the file may contain text. */
static bool redact_key_read(int folder, const char *name, int flags,
	struct siphash_key *k)
{
	static const struct siphash_key fixed[2] = { { { 0, 0 } },
		{ { 1, 0 } } };
	char bytes[KEY_MOST];
	struct stat st;
	ssize_t n = -1;
	int fd = openat(folder, name,
		O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | flags);
	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		n = read(fd, bytes, sizeof bytes);
	else
		errno = EINVAL;
	int failed = n < 0 ? errno : EINVAL;
	close(fd);
	errno = failed;
	if (n < (ssize_t)sizeof *k)
		return false;
	for (int i = 0; i < 2; i++)
		k->half[i] = siphash(&fixed[i], bytes, (size_t)n);
	return true;
}

/* Writes the complete key under a temporary name and then links it to its
 * final name. If several processes do this, one succeeds, and all read its
 * key. */
static bool redact_key_make(int folder)
{
	struct siphash_key k = siphash_key_random(),
			   name = siphash_key_random();
	char own[64];
	snprintf(own, sizeof own, KEY_FILE ".%016" PRIx64, name.half[0]);
	int fd = openat(folder, own,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	bool ok = write(fd, &k, sizeof k) == (ssize_t)sizeof k;
	close(fd);
	ok = ok &&
	     (!linkat(folder, own, folder, KEY_FILE, 0) || errno == EEXIST);
	unlinkat(folder, own, 0);
	return ok;
}

/* The key of the user, which gives equal hashes in all runs. */
static bool redact_key_kept(struct siphash_key *k)
{
	int folder = redact_folder_open();
	if (folder < 0)
		return false;
	bool ok = redact_key_read(folder, KEY_FILE, O_NOFOLLOW, k) ||
		  (redact_key_make(folder) &&
			  redact_key_read(folder, KEY_FILE, O_NOFOLLOW, k));
	close(folder);
	return ok;
}

static const struct siphash_key *redact_key_of(struct redact *r)
{
	const char *named = r->options->hash_key;
	if (r->has_key)
		return &r->key;
	r->has_key = true;
	if (*named ? redact_key_read(AT_FDCWD, named, 0, &r->key)
		   : redact_key_kept(&r->key))
		return &r->key;
	r->key = siphash_key_random();
	if (*named)
		log_line("'%.200s', named by KERNSIFT_TRACE_HASH_KEY, is no "
			 "file "
			 "of 16 bytes or more that can be read: other "
			 "processes "
			 "hash the same names differently",
			named);
	else
		log_line("the key of hashed names could not be kept in the "
			 "folder "
			 "of the user's state: other processes hash the same "
			 "names "
			 "differently");
	return &r->key;
}

/* The text in the form in which patterns see it. NULL if there is no memory. */
static const char *redact_as_text(struct redact *r, const char *text,
	size_t len)
{
	if (len >= r->copy_cap) {
		char *p = mapped_grow(r->memory, r->copy, len + 1);
		if (!p)
			return NULL;
		r->copy = p;
		r->copy_cap = len + 1;
	}
	memcpy(r->copy, text, len);
	r->copy[len] = '\0';
	for (char *p = r->copy;
		(p = memchr(p, '\0', (size_t)(r->copy + len - p)));)
		*p = ' ';
	return r->copy;
}

enum redacted redact_text(struct redact *r, int folder, const char *text,
	size_t len, char hash[static REDACT_HASH_LEN + 1])
{
	const struct collector_options *o = r->options;
	(void)folder;
	if (!o->drop.given && !o->hash.given)
		return REDACT_KEPT;
	const char *seen = redact_as_text(r, text, len);
	if (!seen || pattern_matches(&o->drop, seen))
		return REDACT_DROPPED;
	if (!pattern_matches(&o->hash, seen))
		return REDACT_KEPT;
	snprintf(hash, REDACT_HASH_LEN + 1, "h:%016" PRIx64,
		siphash(redact_key_of(r), text, len));
	return REDACT_HASHED;
}
