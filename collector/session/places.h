/* places.h - lists the folders to search for a libcupti that is not loaded
 * yet.
 *
 * They are the folders of libraries that are loaded already (libcudart,
 * PyTorch's wheels), $CUDA_HOME, the loader's path, and /usr/local. Only file
 * names are read: no library is opened here. */
#pragma once
#include <stdbool.h>

enum { PLACES_MAX = 24, PLACE_BYTES = 512 };

/* NVIDIA's file names of the library, by major version of CUDA, newest
 * first. */
enum { PLACES_SONAMES = 4 };
struct places_soname {
	const char *name;
	int major; /* 0: unknown */
};
extern const struct places_soname places_sonames[PLACES_SONAMES];

struct place {
	char path[PLACE_BYTES]; /* without '/': dlopen() searches for it */
	int major; /* of CUDA, from its name; 0: unknown */
};

struct places {
	int count;
	struct place at[PLACES_MAX];
};

/* Where to search in addition to the folders of loaded objects. */
struct places_where {
	const char *home; /* as $CUDA_HOME; NULL: none */
	const char *local; /* its cuda* folders are toolkits: /usr/local */
	bool loader; /* also use the loader's path: dlopen() searches it */
};
