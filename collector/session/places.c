/* places.c - a walk over the loaded objects and a few folders. */
#include "places.h"
#include <dirent.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct places_soname places_sonames[PLACES_SONAMES] = {
	{ "libcupti.so.13", 13 },
	{ "libcupti.so.12", 12 },
	{ "libcupti.so.11.8", 11 },
	{ "libcupti.so", 0 },
};

static bool same_file(const char *a, const char *b)
{
	struct stat sa, sb;
	return strcmp(a, b) == 0 ||
	       (*a == '/' && *b == '/' && stat(a, &sa) == 0 &&
		       stat(b, &sb) == 0 && sa.st_ino == sb.st_ino &&
		       sa.st_dev == sb.st_dev);
}

static void add(struct places *p, const char *path, int major)
{
	for (int i = 0; i < p->count; i++)
		if (same_file(p->at[i].path, path))
			return;
	if (p->count == PLACES_MAX || strlen(path) >= PLACE_BYTES)
		return;
	memcpy(p->at[p->count].path, path, strlen(path) + 1);
	p->at[p->count++].major = major;
}

/* What lies in a folder; `sub` is put behind it. */
static void add_folder(struct places *p, const char *folder, const char *sub)
{
	for (int i = 0; i < PLACES_SONAMES; i++) {
		char path[PATH_MAX];
		int n = snprintf(path, sizeof path, "%s%s/%s", folder, sub,
			places_sonames[i].name);
		if (n < (int)sizeof path && access(path, R_OK) == 0)
			add(p, path, places_sonames[i].major);
	}
}

static void add_toolkit(struct places *p, const char *folder)
{
	add_folder(p, folder, "/lib64");
	add_folder(p, folder, "/extras/CUPTI/lib64");
}

/* NVIDIA's wheels beside a library of one of them, or beside PyTorch's:
 * …/nvidia/cuda_runtime/lib/libcudart.so.12, …/torch/lib/libtorch_cuda.so. */
static void add_wheels(struct places *p, const char *path)
{
	char folder[PATH_MAX];
	const char *end = strstr(path, "/nvidia/");
	if (!end)
		end = strstr(path, "/torch/lib/");
	if (!end)
		return;
	snprintf(folder, sizeof folder, "%.*s", (int)(end - path), path);
	add_folder(p, folder, "/nvidia/cu13/lib");
	add_folder(p, folder, "/nvidia/cuda_cupti/lib");
}

static int look_at_object(struct dl_phdr_info *object, size_t size, void *ctx)
{
	struct places *p = ctx;
	const char *path = object->dlpi_name;
	const char *name = path ? strrchr(path, '/') : NULL;
	char folder[PATH_MAX];

	(void)size;
	if (!name)
		return 0;
	if (strncmp(name, "/libcudart.so", 13) == 0) {
		snprintf(folder, sizeof folder, "%.*s", (int)(name - path),
			path);
		add_folder(p, folder, "");
		add_folder(p, folder, "/../extras/CUPTI/lib64");
		add_wheels(p, path);
	} else if (strncmp(name, "/libtorch", 9) == 0)
		add_wheels(p, path);
	return 0;
}

static void add_toolkits(struct places *p, const char *local)
{
	DIR *d = opendir(local);
	if (!d)
		return;
	for (struct dirent *e; (e = readdir(d));) {
		char folder[PATH_MAX];
		if (strncmp(e->d_name, "cuda", 4) != 0)
			continue;
		snprintf(folder, sizeof folder, "%s/%s", local, e->d_name);
		add_toolkit(p, folder);
	}
	closedir(d);
}

/* Newest first; stays in order among equals. */
static void sort(struct places *p)
{
	for (int i = 1; i < p->count; i++)
		for (int k = i; k && p->at[k].major > p->at[k - 1].major; k--) {
			struct place swap = p->at[k];
			p->at[k] = p->at[k - 1];
			p->at[k - 1] = swap;
		}
}

void places_find(struct places *p, const struct places_where *w)
{
	p->count = 0;
	dl_iterate_phdr(look_at_object, p);
	if (w->home && *w->home)
		add_toolkit(p, w->home);
	for (int i = 0; w->loader && i < PLACES_SONAMES; i++)
		add(p, places_sonames[i].name, places_sonames[i].major);
	add_toolkits(p, w->local);
	sort(p);
}
