/* proc_folder.h - makes a /proc and a /sys in a folder, for tests. */
#pragma once
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct proc_folder {
	char at[64];
};

static inline void proc_folder_make(struct proc_folder *f)
{
	strcpy(f->at, "/tmp/kernsift-proc-XXXXXX");
	if (!mkdtemp(f->at))
		abort();
}

/* Writes a file and creates the folders above it. */
__attribute__((format(printf, 3, 4))) static inline void proc_folder_write(
	const struct proc_folder *f, const char *name, const char *format, ...)
{
	char path[256];
	va_list args;
	snprintf(path, sizeof path, "%s/%s", f->at, name);
	for (char *p = path + strlen(f->at) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
	FILE *file = fopen(path, "w");
	if (!file)
		abort();
	va_start(args, format);
	vfprintf(file, format, args);
	va_end(args);
	fclose(file);
}

static inline int proc_folder_drop(const char *path, const struct stat *st,
	int type, struct FTW *walk)
{
	(void)st;
	(void)type;
	(void)walk;
	return remove(path);
}

static inline void proc_folder_remove(const struct proc_folder *f,
	const char *name)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", f->at, name);
	nftw(path, proc_folder_drop, 16, FTW_DEPTH | FTW_PHYS);
}
