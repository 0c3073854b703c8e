/* sqlite_vfs.c - reading at a place; everything else is refused. */
#include "sqlite_vfs.h"
#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct opened {
	sqlite3_file base;
	int fd;
};

enum { SECTOR = 4096, LONGEST = 64 };

static int close_it(sqlite3_file *f)
{
	(void)f; /* the descriptor is the copy's */
	return SQLITE_OK;
}

static int read_at(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
	int fd = ((struct opened *)f)->fd;
	char *p = to;
	while (n > 0) {
		ssize_t got = pread(fd, p, (size_t)n, at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return SQLITE_IOERR_READ;
		if (got == 0)
			break;
		p += got;
		at += got;
		n -= (int)got;
	}
	memset(p, 0, (size_t)n);
	return n ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

static int write_at(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
	(void)f, (void)p, (void)n, (void)at;
	return SQLITE_READONLY;
}

static int truncate_to(sqlite3_file *f, sqlite3_int64 bytes)
{
	(void)f, (void)bytes;
	return SQLITE_READONLY;
}

static int lock(sqlite3_file *f, int how)
{
	(void)f, (void)how; /* sync too: nobody else knows the file */
	return SQLITE_OK;
}

static int size_of(sqlite3_file *f, sqlite3_int64 *bytes)
{
	struct stat s;
	if (fstat(((struct opened *)f)->fd, &s) != 0)
		return SQLITE_IOERR_FSTAT;
	*bytes = s.st_size;
	return SQLITE_OK;
}

static int reserved(sqlite3_file *f, int *is)
{
	(void)f;
	*is = 0;
	return SQLITE_OK;
}

static int control(sqlite3_file *f, int op, void *arg)
{
	(void)f, (void)op, (void)arg;
	return SQLITE_NOTFOUND;
}

static int sector(sqlite3_file *f)
{
	(void)f;
	return SECTOR;
}

static int characteristics(sqlite3_file *f)
{
	(void)f;
	return SQLITE_IOCAP_IMMUTABLE;
}

static const sqlite3_io_methods methods = { .iVersion = 1,
	.xClose = close_it,
	.xRead = read_at,
	.xWrite = write_at,
	.xTruncate = truncate_to,
	.xSync = lock,
	.xFileSize = size_of,
	.xLock = lock,
	.xUnlock = lock,
	.xCheckReservedLock = reserved,
	.xFileControl = control,
	.xSectorSize = sector,
	.xDeviceCharacteristics = characteristics };

static int open_it(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags,
	int *flags_out)
{
	struct opened *o = (struct opened *)f;
	(void)v;
	f->pMethods = NULL;
	if (!name || !(flags & SQLITE_OPEN_MAIN_DB))
		return SQLITE_CANTOPEN;
	o->fd = (int)strtol(name, NULL, 10);
	f->pMethods = &methods;
	if (flags_out)
		*flags_out = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
	return SQLITE_OK;
}

static int delete_it(sqlite3_vfs *v, const char *name, int sync)
{
	(void)v, (void)name, (void)sync;
	return SQLITE_IOERR_DELETE;
}

static int access_it(sqlite3_vfs *v, const char *name, int flags, int *is)
{
	(void)v, (void)name, (void)flags;
	*is = 0;
	return SQLITE_OK;
}

static int full_path(sqlite3_vfs *v, const char *name, int n, char *out)
{
	(void)v;
	snprintf(out, (size_t)n, "%s", name);
	return SQLITE_OK;
}

/* Nothing read here is random or tells the time. */
static int randomness(sqlite3_vfs *v, int n, char *out)
{
	(void)v;
	memset(out, 0, (size_t)n);
	return n;
}

static int sleep_for(sqlite3_vfs *v, int us)
{
	(void)v;
	return us;
}

static int now(sqlite3_vfs *v, double *days)
{
	(void)v;
	*days = 0;
	return SQLITE_OK;
}

static int last_error(sqlite3_vfs *v, int n, char *out)
{
	(void)v, (void)n, (void)out;
	return 0;
}

static sqlite3_vfs vfs = { .iVersion = 1,
	.szOsFile = sizeof(struct opened),
	.mxPathname = LONGEST,
	.zName = "kernsift",
	.xOpen = open_it,
	.xDelete = delete_it,
	.xAccess = access_it,
	.xFullPathname = full_path,
	.xRandomness = randomness,
	.xSleep = sleep_for,
	.xCurrentTime = now,
	.xGetLastError = last_error };

const char *sqlite_vfs_name(void)
{
	if (!sqlite3_vfs_find(vfs.zName))
		sqlite3_vfs_register(&vfs, 0);
	return vfs.zName;
}
