/* library.c - finds libcupti, and makes sure that the driver can bear it.
 *
 * A libcupti of a newer major version than the driver answers every call with
 * "unknown error", so versions are compared before it is asked for anything. */
#include "library.h"
#include "places.h"
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OLDEST = 18 }; /* cuptiGetVersion of CUDA 11.8 */

/* CUPTI counted its versions up until CUDA 13 made them telling. */
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

const char *library_result(const struct library *l, CUptiResult r)
{
	const char *text = NULL;
	if (l->result_string(r, &text) != CUPTI_SUCCESS || !text)
		return "a result without a name";
	return text;
}

/* What the driver of this process can do; 0 where none is loaded. */
static uint32_t driver_version(void)
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

static uint32_t version_of(void *handle)
{
	CUptiResult(CUPTIAPI * ask)(uint32_t *);
	uint32_t version = 0;
	*(void **)&ask = dlsym(handle, "cuptiGetVersion");
	return ask && ask(&version) == CUPTI_SUCCESS ? version : 0;
}

/* Within a major version the driver may be the older one. */
static bool too_new(uint32_t version, uint32_t driver)
{
	return driver && library_cuda(version) / 1000 > driver / 1000;
}

static void *open_loaded(void)
{
	void *handle = NULL;
	for (int i = 0; !handle && i < PLACES_SONAMES; i++)
		handle = dlopen(places_sonames[i].name, RTLD_NOW | RTLD_NOLOAD);
	return handle;
}

/* How well a libcupti goes with the driver; the greater the better, 0 not at
 * all. The newest that is not newer than the driver; failing that the oldest of
 * the driver's major version. */
static uint32_t fitness(uint32_t version, uint32_t driver)
{
	uint32_t cuda = library_cuda(version);
	if (!cuda || too_new(version, driver))
		return 0;
	return driver && cuda > driver ? 100000 - cuda : 100000 + cuda;
}

/* The best of the places. Looking ends with the first major version of which
 * one fits, so that as a rule a single library is opened. */
static void *open_best(const struct places *p, uint32_t driver, bool *any)
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
		uint32_t fits = fitness(version_of(handle), driver);
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

static void *find(const struct places_where *w, uint32_t driver,
	char sentence[static 256])
{
	struct places places;
	bool any;
	places_find(&places, w);
	void *handle = open_best(&places, driver, &any);
	if (!handle && any)
		snprintf(sentence, 256,
			"no libcupti that was found goes with the driver, "
			"which is of CUDA %u.%u; KERNSIFT_TRACE_CUPTI can "
			"name another",
			driver / 1000, driver / 10 % 100);
	else if (!handle)
		snprintf(sentence, 256,
			"no libcupti was found; KERNSIFT_TRACE_CUPTI can name "
			"one");
	return handle;
}

/* Whether the one at hand can be used at all. */
static bool fits(const struct library *l, char sentence[static 256])
{
	uint32_t cuda = library_cuda(l->version);
	if (l->version < OLDEST)
		snprintf(sentence, 256,
			"'%.150s' is older than CUDA 11.8, or no libcupti",
			library_path(l));
	else if (too_new(l->version, l->driver))
		snprintf(sentence, 256,
			"'%.120s' is of CUDA %u.%u, too new for the driver, "
			"which is of CUDA %u.%u",
			library_path(l), cuda / 1000, cuda / 10 % 100,
			l->driver / 1000, l->driver / 10 % 100);
	else
		return true;
	return false;
}

static bool resolve(struct library *l, char sentence[static 256])
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
	*l = (struct library){ .driver = driver_version(),
		.handle = open_loaded() };
	*sentence = '\0';
	if (!l->handle && path && *path) {
		l->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (!l->handle)
			snprintf(sentence, 256,
				"KERNSIFT_TRACE_CUPTI cannot be loaded: %s",
				dlerror());
	} else if (!l->handle)
		l->handle = find(w, l->driver, sentence);
	if (!l->handle)
		return false;
	l->version = version_of(l->handle);
	if (fits(l, sentence) && resolve(l, sentence))
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
