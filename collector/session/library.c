/* library.c - finds and opens the libcupti that this process can use. */
#include "library.h"
#include "places.h"
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct places_soname places_sonames[PLACES_SONAMES] = {
	{ "libcupti.so.13", 13 },
	{ "libcupti.so.12", 12 },
	{ "libcupti.so.11.8", 11 },
	{ "libcupti.so", 0 },
};

static bool library_same_file(const char *a, const char *b)
{
	struct stat sa, sb;
	return strcmp(a, b) == 0 ||
	       (*a == '/' && *b == '/' && stat(a, &sa) == 0 &&
		       stat(b, &sb) == 0 && sa.st_ino == sb.st_ino &&
		       sa.st_dev == sb.st_dev);
}

static void library_add(struct places *p, const char *path, int major)
{
	for (int i = 0; i < p->count; i++)
		if (library_same_file(p->at[i].path, path))
			return;
	if (p->count == PLACES_MAX || strlen(path) >= PLACE_BYTES)
		return;
	memcpy(p->at[p->count].path, path, strlen(path) + 1);
	p->at[p->count++].major = major;
}

/* Adds the entries of a folder, each with `sub` appended. */
static void library_add_folder(struct places *p, const char *folder,
	const char *sub)
{
	for (int i = 0; i < PLACES_SONAMES; i++) {
		char path[PATH_MAX];
		int n = snprintf(path, sizeof path, "%s%s/%s", folder, sub,
			places_sonames[i].name);
		if (n < (int)sizeof path && access(path, R_OK) == 0)
			library_add(p, path, places_sonames[i].major);
	}
}

static void library_add_toolkit(struct places *p, const char *folder)
{
	library_add_folder(p, folder, "/lib64");
	library_add_folder(p, folder, "/extras/CUPTI/lib64");
}

/* Adds the folders of NVIDIA's wheels. They are next to a loaded library of
 * one of these wheels, or next to PyTorch's:
 * …/nvidia/cuda_runtime/lib/libcudart.so.12, …/torch/lib/libtorch_cuda.so. */
static void library_add_wheels(struct places *p, const char *path)
{
	char folder[PATH_MAX];
	const char *end = strstr(path, "/nvidia/");
	if (!end)
		end = strstr(path, "/torch/lib/");
	if (!end)
		return;
	snprintf(folder, sizeof folder, "%.*s", (int)(end - path), path);
	library_add_folder(p, folder, "/nvidia/cu13/lib");
	library_add_folder(p, folder, "/nvidia/cuda_cupti/lib");
}

static int library_look_at_object(struct dl_phdr_info *object, size_t size,
	void *ctx)
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
		library_add_folder(p, folder, "");
		library_add_folder(p, folder, "/../extras/CUPTI/lib64");
		library_add_wheels(p, path);
	} else if (strncmp(name, "/libtorch", 9) == 0)
		library_add_wheels(p, path);
	return 0;
}

static void library_add_toolkits(struct places *p, const char *local)
{
	DIR *d = opendir(local);
	if (!d)
		return;
	for (struct dirent *e; (e = readdir(d));) {
		char folder[PATH_MAX];
		if (strncmp(e->d_name, "cuda", 4) != 0)
			continue;
		snprintf(folder, sizeof folder, "%s/%s", local, e->d_name);
		library_add_toolkit(p, folder);
	}
	closedir(d);
}

/* Sorts the newest first. Equal versions keep their order. */
static void library_sort(struct places *p)
{
	for (int i = 1; i < p->count; i++)
		for (int k = i; k && p->at[k].major > p->at[k - 1].major; k--) {
			struct place swap = p->at[k];
			p->at[k] = p->at[k - 1];
			p->at[k - 1] = swap;
		}
}

/* Sorts by major version, newest first. Places with the same version keep
 * their order: nearest to the process first. A file that has two names is
 * listed once. */
static void library_places_find(struct places *p, const struct places_where *w)
{
	p->count = 0;
	dl_iterate_phdr(library_look_at_object, p);
	if (w->home && *w->home)
		library_add_toolkit(p, w->home);
	for (int i = 0; w->loader && i < PLACES_SONAMES; i++)
		library_add(p, places_sonames[i].name, places_sonames[i].major);
	library_add_toolkits(p, w->local);
	library_sort(p);
}

/* A libcupti of a newer major version than the driver answers every call with
 * "unknown error", so versions are compared before any other call. */

enum { OLDEST = 18 }; /* cuptiGetVersion of CUDA 11.8 */

/* CUPTI's versions were only counted up until CUDA 13 gave them a meaning. */
static const struct {
	uint32_t version, cuda;
} eras[] = { { 18, 11080 }, { 19, 12000 }, { 20, 12020 }, { 21, 12030 },
	{ 22, 12040 }, { 23, 12050 }, { 24, 12060 }, { 26, 12080 },
	{ 27, 12090 } };

uint32_t library_cuda(uint32_t version)
{
	uint32_t cuda = 0;
	if (version >= 130000)
		return version / 10000 * 1000 + version / 100 % 100 * 10;
	for (size_t i = 0; i < sizeof eras / sizeof *eras; i++)
		if (version >= eras[i].version)
			cuda = eras[i].cuda;
	return cuda;
}

const char *library_path(const struct library *l)
{
	struct link_map *map;
	if (dlinfo(l->handle, RTLD_DI_LINKMAP, &map) != 0 || !*map->l_name)
		return "libcupti";
	return map->l_name;
}

/* The version of the driver in this process; 0 if none is loaded. */
static uint32_t library_driver_version(void)
{
	void *cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	if (!cuda)
		return 0;
	int (*ask)(int *);
	int version = 0;
	*(void **)&ask = dlsym(cuda, "cuDriverGetVersion");
	if (!ask || ask(&version) != 0 || version < 0)
		version = 0;
	dlclose(cuda);
	return (uint32_t)version;
}

static uint32_t library_version_of(void *handle)
{
	CUptiResult(CUPTIAPI * ask)(uint32_t *);
	uint32_t version = 0;
	*(void **)&ask = dlsym(handle, "cuptiGetVersion");
	return ask && ask(&version) == CUPTI_SUCCESS ? version : 0;
}

/* Within a major version, the driver may be older than the library. */
static bool library_too_new(uint32_t version, uint32_t driver)
{
	return driver && library_cuda(version) / 1000 > driver / 1000;
}

static void *library_open_loaded(void)
{
	void *handle = NULL;
	for (int i = 0; !handle && i < PLACES_SONAMES; i++)
		handle = dlopen(places_sonames[i].name, RTLD_NOW | RTLD_NOLOAD);
	return handle;
}

/* How well a libcupti fits the driver: a greater value is better, 0 means that
 * it cannot be used. The best is the newest that is not newer than the driver.
 * If there is none, it is the oldest of the driver's major version. */
static uint32_t library_fitness(uint32_t version, uint32_t driver)
{
	uint32_t cuda = library_cuda(version);
	if (!cuda || library_too_new(version, driver))
		return 0;
	return driver && cuda > driver ? 100000 - cuda : 100000 + cuda;
}

/* Opens the best libcupti of these places. The search ends after the first
 * major version with a usable one, so that normally only one library is
 * opened. */
static void *library_open_best(const struct places *p, uint32_t driver,
	bool *any)
{
	void *best = NULL;
	uint32_t most = 0;
	*any = false;
	for (int i = 0; i < p->count; i++) {
		int major = p->at[i].major;
		if (best && major != p->at[i - 1].major)
			break;
		if (driver && major > (int)(driver / 1000)) {
			*any |= strchr(p->at[i].path, '/') != NULL;
			continue;
		}
		void *handle = dlopen(p->at[i].path, RTLD_NOW | RTLD_LOCAL);
		if (!handle)
			continue;
		*any = true;
		uint32_t fits =
			library_fitness(library_version_of(handle), driver);
		void *worse = fits > most ? best : handle;
		if (fits > most) {
			best = handle;
			most = fits;
		}
		if (worse)
			dlclose(worse);
	}
	return best;
}

static void *library_find(const struct places_where *w, uint32_t driver,
	char sentence[static 256])
{
	struct places places;
	bool any;
	library_places_find(&places, w);
	void *handle = library_open_best(&places, driver, &any);
	if (!handle && any)
		snprintf(sentence, 256,
			"no libcupti that was found works with the driver, which is of CUDA %u.%u; KERNSIFT_TRACE_CUPTI can name another",
			driver / 1000, driver / 10 % 100);
	else if (!handle)
		snprintf(sentence, 256,
			"no libcupti was found; KERNSIFT_TRACE_CUPTI can name "
			"one");
	return handle;
}

/* Whether the library that was found can be used at all. */
static bool library_fits(const struct library *l, char sentence[static 256])
{
	uint32_t cuda = library_cuda(l->version);
	if (l->version < OLDEST)
		snprintf(sentence, 256,
			"'%.150s' is older than CUDA 11.8, or no libcupti",
			library_path(l));
	else if (library_too_new(l->version, l->driver))
		snprintf(sentence, 256,
			"'%.120s' is of CUDA %u.%u, too new for the driver, "
			"which is of CUDA %u.%u",
			library_path(l), cuda / 1000, cuda / 10 % 100,
			l->driver / 1000, l->driver / 10 % 100);
	else
		return true;
	return false;
}

static bool library_resolve(struct library *l, char sentence[static 256])
{
	enum need { NEEDED, WISHED };
	const char *lacks = NULL;
#define CALL(field, symbol, need, arguments)            \
	*(void **)&l->field = dlsym(l->handle, symbol); \
	if (!l->field && need == NEEDED && !lacks)      \
		lacks = symbol;
#include "library.def"
#undef CALL
	if (lacks)
		snprintf(sentence, 256, "'%.150s' lacks %s", library_path(l),
			lacks);
	return !lacks;
}

bool library_open_in(struct library *l, const char *path,
	const struct places_where *w, char sentence[static 256])
{
	*l = (struct library){ .driver = library_driver_version(),
		.handle = library_open_loaded() };
	*sentence = '\0';
	if (!l->handle && path && *path) {
		l->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (!l->handle)
			snprintf(sentence, 256,
				"KERNSIFT_TRACE_CUPTI cannot be loaded: %s",
				dlerror());
	} else if (!l->handle)
		l->handle = library_find(w, l->driver, sentence);
	if (!l->handle)
		return false;
	l->version = library_version_of(l->handle);
	if (library_fits(l, sentence) && library_resolve(l, sentence))
		return true;
	dlclose(l->handle);
	l->handle = NULL;
	return false;
}

bool library_open(struct library *l, const char *path,
	char sentence[static 256])
{
	struct places_where w = { secure_getenv("CUDA_HOME"), "/usr/local",
		true };
	return library_open_in(l, path, &w, sentence);
}
