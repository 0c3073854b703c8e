/* test_library.c - which libcupti a process loads, and the message if there
 * is none.
 *
 * Each case runs in its own process, because a loaded library stays loaded.
 * In texts, '@' is the folder of the case and '%' the folder of the stubs. */
#include "library.h"
#include "places.h"
#include <dlfcn.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static char root[64];

#define ALL_TOOLKITS                                           \
	"@/local/cuda-11.8/lib64/libcupti.so.11.8 %/v11_8 "    \
	"@/local/cuda-12.4/lib64/libcupti.so.12 %/v12_4 "      \
	"@/local/cuda-12.8/extras/CUPTI/lib64/libcupti.so.12 " \
	"%/v12_8 "                                             \
	"@/local/cuda-13.0/lib64/libcupti.so.13 %/v13_0"

static const struct odd {
	const char *what;
	const char *driver; /* NULL: libcuda is not loaded */
	/* links and the folders of stubs that they refer to */
	const char *files;
	const char *loaded, *named, *home;
	const char *path; /* of the library; NULL: none is loaded */
	const char *sentence; /* NULL: none */
} cases[] = {
	{ "nothing anywhere", "13000", "", NULL, NULL, NULL, NULL,
		"no libcupti was found; KERNSIFT_TRACE_CUPTI can name one" },
	{ "newest that is not newer than the driver", "12060", ALL_TOOLKITS,
		NULL, NULL, NULL, "@/local/cuda-12.4/lib64/libcupti.so.12",
		NULL },
	{ "as new as the driver", "12080", ALL_TOOLKITS, NULL, NULL, NULL,
		"@/local/cuda-12.8/extras/CUPTI/lib64/libcupti.so.12", NULL },
	{ "an old driver", "11080", ALL_TOOLKITS, NULL, NULL, NULL,
		"@/local/cuda-11.8/lib64/libcupti.so.11.8", NULL },
	{ "no driver is loaded: the newest", NULL, ALL_TOOLKITS, NULL, NULL,
		NULL, "@/local/cuda-13.0/lib64/libcupti.so.13", NULL },
	{ "all of the driver's major version are newer: the oldest", "12020",
		"@/local/cuda-12.8/lib64/libcupti.so.12 %/v12_8 "
		"@/local/cuda-12.4/lib64/libcupti.so.12 %/v12_4",
		NULL, NULL, NULL, "@/local/cuda-12.4/lib64/libcupti.so.12",
		NULL },
	{ "all are of a newer major version", "12020",
		"@/local/cuda-13.0/lib64/libcupti.so.13 %/v13_0", NULL, NULL,
		NULL, NULL,
		"no libcupti that was found works with the driver, which is of CUDA 12.2; KERNSIFT_TRACE_CUPTI can name another" },
	{ "a newer one whose name has no version", "12020",
		"@/local/cuda/lib64/libcupti.so %/v13_0", NULL, NULL, NULL,
		NULL,
		"no libcupti that was found works with the driver, which is of CUDA 12.2; KERNSIFT_TRACE_CUPTI can name another" },
	{ "one file by two names", "13000",
		"@/local/cuda-12.4/lib64/libcupti.so.12 %/v12_4 "
		"@/local/cuda-12.4/lib64/libcupti.so %/v12_4",
		NULL, NULL, NULL, "@/local/cuda-12.4/lib64/libcupti.so.12",
		NULL },
	{ "loaded already: neither newer ones nor the named one", "13000",
		ALL_TOOLKITS, "%/v12_4/libcupti.so.12",
		"%/v13_0/libcupti.so.13", NULL, "%/v12_4/libcupti.so.12",
		NULL },
	{ "named", "13000", ALL_TOOLKITS, NULL, "%/v12_4/libcupti.so.12", NULL,
		"%/v12_4/libcupti.so.12", NULL },
	{ "named, and not there", "13000", ALL_TOOLKITS, NULL,
		"/nowhere/libcupti.so", NULL, NULL,
		"KERNSIFT_TRACE_CUPTI cannot be loaded: /nowhere/libcupti.so: "
		"cannot open shared object file: No such file or directory" },
	{ "named, and too new", "12020", "", NULL, "%/v13_0/libcupti.so.13",
		NULL, NULL,
		"'%/v13_0/libcupti.so.13' is of CUDA 13.0, too new for the "
		"driver, which is of CUDA 12.2" },
	{ "named, and newer than the driver within its major version", "12020",
		"", NULL, "%/v12_8/libcupti.so.12", NULL,
		"%/v12_8/libcupti.so.12", NULL },
	{ "loaded, and too old", "13000", ALL_TOOLKITS, "%/old/libcupti.so",
		NULL, NULL, NULL,
		"'%/old/libcupti.so' is older than CUDA 11.8, or no libcupti" },
	{ "loaded, and nothing that has a version", "13000", "",
		"%/none/libcupti.so", NULL, NULL, NULL,
		"'%/none/libcupti.so' is older than CUDA 11.8, or no "
		"libcupti" },
	{ "loaded, and half of it", "13000", "", "%/lacking/libcupti.so.12",
		NULL, NULL, NULL,
		"'%/lacking/libcupti.so.12' lacks cuptiActivityFlushAll" },
	{ "in $CUDA_HOME", "13000", "@/own/lib64/libcupti.so.12 %/v12_4", NULL,
		NULL, "@/own", "@/own/lib64/libcupti.so.12", NULL },
	{ "beside libcudart", "13000",
		"@/app/libcudart.so.12 %/cudart @/app/libcupti.so.12 %/v12_4",
		"@/app/libcudart.so.12", NULL, NULL, "@/app/libcupti.so.12",
		NULL },
	{ "in the toolkit of libcudart", "13000",
		"@/kit/lib64/libcudart.so.12 %/cudart "
		"@/kit/extras/CUPTI/lib64/libcupti.so.12 %/v12_4",
		"@/kit/lib64/libcudart.so.12", NULL, NULL,
		"@/kit/lib64/../extras/CUPTI/lib64/libcupti.so.12", NULL },
	{ "a wheel beside libcudart's", "13000",
		"@/site/nvidia/cuda_runtime/lib/libcudart.so.12 %/cudart "
		"@/site/nvidia/cuda_cupti/lib/libcupti.so.12 %/v12_4",
		"@/site/nvidia/cuda_runtime/lib/libcudart.so.12", NULL, NULL,
		"@/site/nvidia/cuda_cupti/lib/libcupti.so.12", NULL },
	{ "a wheel beside PyTorch's", "13000",
		"@/site/torch/lib/libtorch_cuda.so %/torch "
		"@/site/nvidia/cu13/lib/libcupti.so.13 %/v13_0",
		"@/site/torch/lib/libtorch_cuda.so", NULL, NULL,
		"@/site/nvidia/cu13/lib/libcupti.so.13", NULL },
	{ "among equals the one nearest to the process", "13000",
		"@/app/libcudart.so.12 %/cudart @/app/libcupti.so.12 %/v12_4 "
		"@/local/cuda-12.4/lib64/libcupti.so.12 %/v12_4_too",
		"@/app/libcudart.so.12", NULL, NULL, "@/app/libcupti.so.12",
		NULL },
};

/* The text with '@' and '%' replaced; NULL stays. */
static const char *expanded(char to[static PATH_MAX], const char *text)
{
	size_t n = 0;
	if (!text)
		return NULL;
	for (; *text && n < PATH_MAX - 1; text++) {
		const char *put = *text == '@'	 ? root
				  : *text == '%' ? STAND_INS
						 : NULL;
		if (put)
			n += (size_t)snprintf(to + n, PATH_MAX - n, "%s", put);
		else
			to[n++] = *text;
	}
	to[n] = '\0';
	return to;
}

static void make_folders(char *path)
{
	for (char *p = path + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		mkdir(path, 0700);
	}
}

/* Creates a link at `path` to the library in a stub's folder. */
static void make_link(const char *path, const char *folder)
{
	char copy[PATH_MAX], command[3 * PATH_MAX];
	snprintf(copy, sizeof copy, "%s", path);
	make_folders(copy);
	snprintf(command, sizeof command, "ln -s %s/lib* %s", folder, path);
	assert_int_equal(system(command), 0);
}

static void make_files(const char *files)
{
	char text[8 * PATH_MAX], to[PATH_MAX], folder[PATH_MAX], *rest = text;
	snprintf(text, sizeof text, "%s", files);
	for (char *word; (word = strtok_r(NULL, " ", &rest));) {
		expanded(to, word);
		word = strtok_r(NULL, " ", &rest);
		make_link(to, expanded(folder, word));
	}
}

struct answer {
	bool found, driver_known, wished;
	char path[512], sentence[256];
};

static void load(const char *path)
{
	if (!dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
		fprintf(stderr, "%s\n", dlerror());
		_exit(2);
	}
}

static struct answer look(const struct odd *o)
{
	char local[PATH_MAX], text[PATH_MAX], named[PATH_MAX], home[PATH_MAX];
	struct answer a = { false };
	struct library l;

	if (o->driver) {
		setenv("STAND_IN_DRIVER", o->driver, 1);
		load(expanded(text, "%/driver/libcuda.so.1"));
	}
	if (o->loaded)
		load(expanded(text, o->loaded));
	struct places_where w = { expanded(home, o->home),
		expanded(local, "@/local"), false };
	a.found =
		library_open_in(&l, expanded(named, o->named), &w, a.sentence);
	if (!a.found)
		return a;
	snprintf(a.path, sizeof a.path, "%s", library_path(&l));
	a.driver_known =
		l.driver == (o->driver ? (uint32_t)atoi(o->driver) : 0);
	a.wished = (l.version >= 23) == (l.runtime_call != NULL) &&
		   !l.subscribe_v2;
	return a;
}

static struct answer look_in_child(const struct odd *o)
{
	struct answer a = { false };
	int pipes[2], status;
	assert_int_equal(pipe(pipes), 0);
	pid_t child = fork();
	if (child == 0) {
		a = look(o);
		_exit(write(pipes[1], &a, sizeof a) != sizeof a);
	}
	close(pipes[1]);
	assert_int_equal(read(pipes[0], &a, sizeof a), sizeof a);
	close(pipes[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	return a;
}

static void one(const struct odd *o)
{
	char text[PATH_MAX], command[128];
	strcpy(root, "/tmp/kernsift-library-XXXXXX");
	assert_non_null(mkdtemp(root));
	make_files(o->files);
	struct answer a = look_in_child(o);
	print_message("%s\n", o->what);
	assert_int_equal(a.found, o->path != NULL);
	assert_string_equal(a.path, o->path ? expanded(text, o->path) : "");
	assert_string_equal(a.sentence,
		o->sentence ? expanded(text, o->sentence) : "");
	if (a.found) {
		assert_true(a.driver_known);
		assert_true(a.wished);
	}
	snprintf(command, sizeof command, "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

static void which(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		one(&cases[i]);
}

static void versions(void **state)
{
	static const struct {
		uint32_t cupti, cuda;
	} known[] = { { 17, 0 }, { 18, 11080 }, { 19, 12000 }, { 22, 12040 },
		{ 24, 12060 }, { 25, 12060 }, { 26, 12080 }, { 28, 12090 },
		{ 130000, 13000 }, { 130001, 13000 }, { 130100, 13010 },
		{ 130401, 13040 }, { 140000, 14000 } };
	(void)state;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		assert_int_equal(library_cuda(known[i].cupti), known[i].cuda);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(which),
		cmocka_unit_test(versions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
